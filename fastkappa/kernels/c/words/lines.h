/* place_numbers: the whole numbers in lines of text, each written to the place of the id in its line.

   Fields end at a delimiter, lines at a newline or a carriage return and a newline, the last one at the end of the text. There
   are no quotes. Eight bytes are looked at together: with each byte XOR what ends a field, a byte is zero where a field ends,
   and adding 0x7F to its lower bits carries into its top bit nowhere else:

       bytes XOR ','   00  31  80        00  31  80
       lower + 7F      7F  B0  7F
       OR the byte     7F  B1  FF        the top bit is 0 where the byte is 0, alone */
#ifndef FASTKAPPA_LINES_H
#define FASTKAPPA_LINES_H

#include "find.h"
#include "pack.h"

/* Ids of more words are not found. */
#define MOST_WORDS 16
/* A number of more digits may be too large for 64 bits. */
#define MOST_DIGITS 18

typedef struct {
    const uint8_t *text;
    ptrdiff_t n_bytes;
    uint8_t delimiter;
    ptrdiff_t n_fields, id_field, number_field; /* of each line */
    int ids_are_numbers;
} lines_t;

/* What has been read of a text: `next` bytes, and of the last eight of them `ends` has a bit for each end of a field. */
typedef struct {
    ptrdiff_t start, next;
    uint64_t ends;
} reader_t;

ALWAYS_INLINE uint64_t zero_bytes(uint64_t word)
{
    const uint64_t lower = ~(uint64_t)0 / 255 * 0x7F;
    return ~(((word & lower) + lower) | word | lower);
}

/* Returns where the next field ends. */
ALWAYS_INLINE ptrdiff_t end_of_field(const lines_t *lines, reader_t *reader)
{
#if SIMD_HAS_VECTORS /* and so __builtin_ctzll, and the first byte is the lowest */
    const uint64_t each = ~(uint64_t)0 / 255;
    while (!reader->ends) {
        const ptrdiff_t left = lines->n_bytes - reader->next;
        if (left <= 0) return lines->n_bytes;
        uint64_t word = 0;
        if (LIKELY(left >= 8)) memcpy(&word, lines->text + reader->next, 8);
        else memcpy(&word, lines->text + reader->next, (size_t)left);
        reader->ends = zero_bytes(word ^ each * lines->delimiter) | zero_bytes(word ^ each * '\n');
        reader->next += 8;
    }
    const ptrdiff_t end = reader->next - 8 + (__builtin_ctzll(reader->ends) >> 3);
    reader->ends &= reader->ends - 1;
    return end;
#else
    while (reader->next < lines->n_bytes) {
        const uint8_t byte = lines->text[reader->next++];
        if (byte == lines->delimiter || byte == '\n') return reader->next - 1;
    }
    return lines->n_bytes;
#endif
}

/* Returns whether a field is a whole number, and writes it. */
ALWAYS_INLINE int read_number(const uint8_t *field, ptrdiff_t length, int64_t *number)
{
    const int is_negative = length > 0 && field[0] == '-';
    int64_t value = 0;
    if (length <= is_negative || length - is_negative > MOST_DIGITS) return 0;
    for (ptrdiff_t i = is_negative; i < length; i++) {
        const uint8_t digit = (uint8_t)(field[i] - '0');
        if (digit > 9) return 0;
        value = 10 * value + digit;
    }
    *number = is_negative ? -value : value;
    return 1;
}

/* Reads the next line, which is there, and returns whether it has all its fields, an id that has words, and a number. */
ALWAYS_INLINE int read_line(const lines_t *lines, reader_t *reader, ptrdiff_t n_words, uint64_t *words, int64_t *number)
{
    int is_good = 1;
    for (ptrdiff_t i = 0; i < lines->n_fields; i++) {
        const ptrdiff_t end = end_of_field(lines, reader);
        const int ends_line = end == lines->n_bytes || lines->text[end] == '\n';
        const uint8_t *field = lines->text + reader->start;
        ptrdiff_t length = end - reader->start;
        if (ends_line != (i == lines->n_fields - 1)) return 0;
        if (ends_line && length > 0 && field[length - 1] == '\r') length--;
        if (i == lines->number_field) is_good &= read_number(field, length, number);
        else if (i == lines->id_field && lines->ids_are_numbers) is_good &= read_number(field, length, (int64_t *)words);
        else if (i == lines->id_field) {
            const ptrdiff_t readable = lines->n_bytes - reader->start;
            if (length > 8 * n_words) return 0;
            for (ptrdiff_t j = 0; j < 8 * n_words; j += 8) {
                uint64_t word = 0;
                if (length - j >= 8) memcpy(&word, field + j, 8);
                else if (length > j) word = first_bytes(field + j, length - j, readable - j);
                *words++ = word;
            }
        }
        reader->start = end + 1;
    }
    return is_good;
}

/* Writes the number in each line to the place of its id. Returns whether there is one line for each place, and nothing else;
   if there is not, some numbers have been written. */
MAYBE_UNUSED static int place_numbers(const places_t *places, ptrdiff_t n_places, const lines_t *lines, int64_t *numbers)
{
    const ptrdiff_t n_words = places->n_words;
    uint64_t words[WORDS_AT_ONCE * MOST_WORDS];
    int64_t found[WORDS_AT_ONCE], own[WORDS_AT_ONCE];
    reader_t reader = {0, 0, 0};
    ptrdiff_t n_placed = 0;
    if (n_words > MOST_WORDS) return 0;
    for (ptrdiff_t i = 0; i < n_places; i++) numbers[i] = INT64_MIN;
    while (reader.start < lines->n_bytes) {
        ptrdiff_t count = 0;
        for (; count < WORDS_AT_ONCE && reader.start < lines->n_bytes; count++)
            if (!read_line(lines, &reader, n_words, words + count * n_words, own + count)) return 0;
        find_words(places, words, count, found);
        for (ptrdiff_t i = 0; i < count; i++) {
            /* What has its number already is there twice. */
            if (found[i] < 0 || found[i] >= n_places || numbers[found[i]] != INT64_MIN) return 0;
            numbers[found[i]] = own[i];
        }
        n_placed += count;
    }
    return n_placed == n_places;
}

#endif
