/* count_lines: read two fields of each line, and count the pairs of their texts.

   A field ends at a delimiter. A line ends at LF or CR LF, and the last line ends at the end of the
   text. The text has no quotes. Eight bytes are examined at once. After an XOR with the delimiter,
   or with another byte that ends a field, the bytes at the ends of fields are zero. Adding 0x7F to
   the lower seven bits of a byte sets the top bit unless the seven bits are 0. An OR with the byte
   itself adds the byte's own top bit:

       bytes XOR ','   00  31  80        00  31  80
       lower + 7F      7F  B0  7F
       OR the byte     7F  B1  FF        the top bit is 0 only where the byte is 0 */
#ifndef FASTKAPPA_COUNT_LINES_H
#define FASTKAPPA_COUNT_LINES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "../common/simd_level.h"

/* The largest number of 64-bit words in a text, which is padded with zeros. */
#define MOST_WORDS 16
/* The largest number of known texts in each of the two fields. */
#define MOST_TEXTS 512
/* The binary logarithm of the number of slots. There are at least twice as many slots as texts, so
   the slot that a text's hash selects is usually free. */
#define TEXT_SLOT_BITS 10
#define ODD_NUMBER 0x9E3779B97F4A7C15u

/* The known texts in a hash table. A slot contains 1 + the index of a text, or 0 if it is empty. If
   the slot that a text's hash selects is taken, the text is in the next free slot. After the last
   slot, the search continues at the first. */
typedef struct {
    const uint64_t *words; /* `n_words` words per text */
    ptrdiff_t n_texts, n_words;
    uint16_t slots[1 << TEXT_SLOT_BITS];
} texts_t;

typedef struct {
    const uint8_t *text;
    ptrdiff_t n_bytes;
    uint8_t delimiter;
    ptrdiff_t n_fields, first, second; /* the number of fields per line, and the two fields to read */
} lines_t;

typedef struct {
    ptrdiff_t start, length;
} field_t;

/* The state of the reader. `next` is the number of bytes read so far, and `ends` has a bit for each end of a field in the last
   eight bytes read. */
typedef struct {
    ptrdiff_t start, next;
    uint64_t ends;
} reader_t;

ALWAYS_INLINE uint64_t zero_bytes(uint64_t word)
{
    const uint64_t lower = ~(uint64_t)0 / 255 * 0x7F;
    return ~(((word & lower) + lower) | word | lower);
}

/* Returns the position of the end of the next field. */
ALWAYS_INLINE ptrdiff_t end_of_field(const lines_t *lines, reader_t *reader)
{
#if SIMD_HAS_VECTORS /* SIMD_HAS_VECTORS implies __builtin_ctzll and little-endian byte order */
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

/* Finds the two fields in the next line, which must exist. Returns whether the line has the right number of fields. */
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

/* Returns the first `length` bytes, at most 7, padded with zeros to 8 bytes. At most `readable` bytes are read. */
ALWAYS_INLINE uint64_t first_bytes(const uint8_t *data, ptrdiff_t length, ptrdiff_t readable)
{
    uint64_t word = 0;
#if SIMD_HAS_X86 || SIMD_HAS_NEON
    if (LIKELY(readable >= 8)) {
        memcpy(&word, data, 8);
        return word & (((uint64_t)1 << 8 * length) - 1);
    }
#else
    (void)readable;
#endif
    memcpy(&word, data, (size_t)length);
    return word;
}

/* Writes a field as `n_words` words, padded with zeros. Returns whether the field fits in the words. */
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

/* Returns the index of a text, or -1 if the text is unknown. Writes the text's slot number to
   `slot`. The slot is empty if the text is unknown. */
ALWAYS_INLINE ptrdiff_t index_of_text(const texts_t *texts, const uint64_t *words, ptrdiff_t n_words, size_t *slot)
{
    uint64_t sum = 0;
    for (ptrdiff_t j = 0; j < n_words; j++) sum = (sum + words[j]) * ODD_NUMBER;
    *slot = (size_t)((sum ^ sum >> 32) * ODD_NUMBER >> (64 - TEXT_SLOT_BITS));
    for (; texts->slots[*slot]; *slot = (*slot + 1) & ((1 << TEXT_SLOT_BITS) - 1)) {
        const ptrdiff_t index = texts->slots[*slot] - 1;
        uint64_t differ = 0;
        for (ptrdiff_t j = 0; j < n_words; j++) differ |= texts->words[index * n_words + j] ^ words[j];
        if (!differ) return index;
    }
    return -1;
}

ALWAYS_INLINE texts_t in_slots(const uint64_t *words, ptrdiff_t n_texts, ptrdiff_t n_words)
{
    texts_t texts = {words, n_texts, n_words, {0}};
    for (ptrdiff_t i = 0; i < n_texts; i++) {
        size_t slot;
        if (index_of_text(&texts, words + i * n_words, n_words, &slot) < 0) texts.slots[slot] = (uint16_t)(i + 1);
    }
    return texts;
}

ALWAYS_INLINE ptrdiff_t index_of_field(const lines_t *lines, field_t field, const texts_t *texts, ptrdiff_t n_words)
{
    uint64_t words[MOST_WORDS];
    size_t slot;
    return read_words(lines, field, n_words, words) ? index_of_text(texts, words, n_words, &slot) : -1;
}

ALWAYS_INLINE ptrdiff_t count_some(const texts_t *rows, ptrdiff_t row_words, const texts_t *columns, ptrdiff_t column_words,
                                   const lines_t *lines, int64_t *table)
{
    reader_t reader = {0, 0, 0};
    while (reader.start < lines->n_bytes) {
        const ptrdiff_t start = reader.start;
        field_t first = {0, 0}, second = {0, 0};
        if (!read_line(lines, &reader, &first, &second)) return start;
        const ptrdiff_t row = index_of_field(lines, first, rows, row_words);
        const ptrdiff_t column = index_of_field(lines, second, columns, column_words);
        if (row < 0 || column < 0) return start;
        table[row * columns->n_texts + column]++;
    }
    return lines->n_bytes;
}

/* Counts lines by the indices of their two texts, in a table with one row and one column per text. Stops at the first line
   with a wrong number of fields or an unknown text, and returns the number of bytes before that line. There are at most
   MOST_TEXTS texts with at most MOST_WORDS words each. */
MAYBE_UNUSED static ptrdiff_t count_lines(const uint64_t *row_words, ptrdiff_t n_rows, ptrdiff_t words_of_row,
                                          const uint64_t *column_words, ptrdiff_t n_columns, ptrdiff_t words_of_column,
                                          const lines_t *lines, int64_t *table)
{
    const texts_t rows = in_slots(row_words, n_rows, words_of_row);
    const texts_t columns = in_slots(column_words, n_columns, words_of_column);
    /* With a constant number of words, compilers unroll the loops. */
    if (words_of_row == 1 && words_of_column == 1) return count_some(&rows, 1, &columns, 1, lines, table);
    if (words_of_row == 2 && words_of_column == 2) return count_some(&rows, 2, &columns, 2, lines, table);
    return count_some(&rows, words_of_row, &columns, words_of_column, lines, table);
}

#endif
