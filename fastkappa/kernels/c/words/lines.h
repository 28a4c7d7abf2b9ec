/* place_numbers: the whole numbers in lines of text, each written to the place of the id in its line.
   count_lines: how often two texts stand in one line.

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

/* Texts of more words are not found. */
#define MOST_WORDS 16
/* A number of more digits may be too large for 64 bits. */
#define MOST_DIGITS 18

typedef struct {
    const uint8_t *text;
    ptrdiff_t n_bytes;
    uint8_t delimiter;
    ptrdiff_t n_fields, first, second; /* of each line: how many there are, and the two that are read */
} lines_t;

typedef struct {
    ptrdiff_t start, length;
} field_t;

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

/* Finds two fields of the next line, which is there, and returns whether it has as many as it should. */
ALWAYS_INLINE int read_line(const lines_t *lines, reader_t *reader, field_t *first, field_t *second)
{
    for (ptrdiff_t i = 0; i < lines->n_fields; i++) {
        const ptrdiff_t end = end_of_field(lines, reader);
        const int ends_line = end == lines->n_bytes || lines->text[end] == '\n';
        field_t field = {reader->start, end - reader->start};
        if (ends_line != (i == lines->n_fields - 1)) return 0;
        if (ends_line && field.length > 0 && lines->text[end - 1] == '\r') field.length--;
        if (i == lines->first) *first = field;
        if (i == lines->second) *second = field;
        reader->start = end + 1;
    }
    return 1;
}

/* Returns whether a field is a whole number, and writes it. */
ALWAYS_INLINE int read_number(const lines_t *lines, field_t field, int64_t *number)
{
    const uint8_t *text = lines->text + field.start;
    const int is_negative = field.length > 0 && text[0] == '-';
    int64_t value = 0;
    if (field.length <= is_negative || field.length - is_negative > MOST_DIGITS) return 0;
    for (ptrdiff_t i = is_negative; i < field.length; i++) {
        const uint8_t digit = (uint8_t)(text[i] - '0');
        if (digit > 9) return 0;
        value = 10 * value + digit;
    }
    *number = is_negative ? -value : value;
    return 1;
}

/* Returns whether a field has no more than so many words, and writes them, filled up with zeros. */
ALWAYS_INLINE int read_words(const lines_t *lines, field_t field, ptrdiff_t n_words, uint64_t *words)
{
    const uint8_t *text = lines->text + field.start;
    const ptrdiff_t readable = lines->n_bytes - field.start;
    if (field.length > 8 * n_words) return 0;
    for (ptrdiff_t j = 0; j < 8 * n_words; j += 8) {
        uint64_t word = 0;
        if (field.length - j >= 8) memcpy(&word, text + j, 8);
        else if (field.length > j) word = first_bytes(text + j, field.length - j, readable - j);
        *words++ = word;
    }
    return 1;
}

/* Writes the number in each line, its second field, to the place of the id, its first. Returns whether there is one line for
   each place, and nothing else; if there is not, some numbers have been written. */
MAYBE_UNUSED static int place_numbers(const places_t *places, ptrdiff_t n_places, const lines_t *lines, int ids_are_numbers,
                                      int64_t *numbers)
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
        for (; count < WORDS_AT_ONCE && reader.start < lines->n_bytes; count++) {
            uint64_t *id = words + count * n_words;
            field_t first = {0, 0}, second = {0, 0};
            if (!read_line(lines, &reader, &first, &second) || !read_number(lines, second, own + count)) return 0;
            if (!(ids_are_numbers ? read_number(lines, first, (int64_t *)id) : read_words(lines, first, n_words, id))) return 0;
        }
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

ALWAYS_INLINE int64_t place_of(const lines_t *lines, field_t field, const places_t *places, ptrdiff_t n_words)
{
    uint64_t words[MOST_WORDS];
    if (!read_words(lines, field, n_words, words)) return -1;
    const uint64_t mixed = mixed_words(places, words, n_words);
    uint64_t slot = mixed >> places->shift;
    const int64_t place = next_place(places, mixed, &slot);
    return place_of_words(places, words, n_words, mixed, &slot, place);
}

ALWAYS_INLINE ptrdiff_t count_some(const places_t *rows, ptrdiff_t n_rows, ptrdiff_t row_words, const places_t *columns,
                                   ptrdiff_t n_columns, ptrdiff_t column_words, const lines_t *lines, int64_t *table)
{
    reader_t reader = {0, 0, 0};
    while (reader.start < lines->n_bytes) {
        const ptrdiff_t start = reader.start;
        field_t first = {0, 0}, second = {0, 0};
        if (!read_line(lines, &reader, &first, &second)) return start;
        const int64_t row = place_of(lines, first, rows, row_words);
        const int64_t column = place_of(lines, second, columns, column_words);
        if (row < 0 || row >= n_rows || column < 0 || column >= n_columns) return start;
        table[row * n_columns + column]++;
    }
    return lines->n_bytes;
}

/* Counts the places of the two texts in each line, in a table of n_rows and n_columns. Returns how many bytes the lines have
   that come before the first with another number of fields, or with a text that has no place. */
MAYBE_UNUSED static ptrdiff_t count_lines(const places_t *rows, ptrdiff_t n_rows, const places_t *columns, ptrdiff_t n_columns,
                                          const lines_t *lines, int64_t *table)
{
    const ptrdiff_t row_words = rows->n_words, column_words = columns->n_words;
    if (row_words > MOST_WORDS || column_words > MOST_WORDS) return 0;
    /* Compilers unroll what they know the number of. */
    if (row_words == 1 && column_words == 1) return count_some(rows, n_rows, 1, columns, n_columns, 1, lines, table);
    if (row_words == 2 && column_words == 2) return count_some(rows, n_rows, 2, columns, n_columns, 2, lines, table);
    return count_some(rows, n_rows, row_words, columns, n_columns, column_words, lines, table);
}

#endif
