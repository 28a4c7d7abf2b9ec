/* place_numbers and count_lines as they must be, written without any regard to speed. */
#ifndef NAIVE_LINES_H
#define NAIVE_LINES_H
#include <stdlib.h>
#include <string.h>
#include "kernels.h"

/* The number in a field, INT64_MIN if there is none. */
static int64_t naive_number(const uint8_t *field, size_t length)
{
    char digits[MOST_DIGITS + 2] = {0};
    const size_t sign = length && *field == '-';
    if (length == sign || length - sign > MOST_DIGITS) return INT64_MIN;
    memcpy(digits, field, length);
    return strspn(digits + sign, "0123456789") == length - sign ? (int64_t)strtoll(digits, NULL, 10) : INT64_MIN;
}

static ptrdiff_t naive_place(const places_t *places, ptrdiff_t n, int are_numbers, const uint8_t *field, size_t length)
{
    const size_t size = (size_t)places->n_words * 8;
    uint64_t words[MOST_WORDS] = {0};
    if (size > sizeof words || (length > size && !are_numbers)) return -1;
    if (are_numbers) words[0] = (uint64_t)naive_number(field, length);
    else memcpy(words, field, length);
    for (ptrdiff_t i = 0; i < n; i++)
        if (memcmp(places->words + i * places->n_words, words, size) == 0) return i;
    return -1;
}

/* Where the next line begins; of it where the two fields begin, and how long they are, and how many it has. */
static const uint8_t *naive_line(const lines_t *lines, const uint8_t *line, const uint8_t *fields[2], size_t lengths[2], ptrdiff_t *n_fields)
{
    const uint8_t *const end = lines->text + lines->n_bytes, *newline = memchr(line, '\n', (size_t)(end - line)), *delimiter;
    const uint8_t *const next = newline ? newline + 1 : end, *stop = newline ? newline : end, *field = line;
    if (stop > line && stop[-1] == '\r') stop--;
    *n_fields = 0;
    do {
        delimiter = memchr(field, lines->delimiter, (size_t)(stop - field));
        for (int i = 0; i < 2; i++)
            if (*n_fields == (i ? lines->second : lines->first)) fields[i] = field, lengths[i] = (size_t)((delimiter ? delimiter : stop) - field);
        if (delimiter) field = delimiter + 1;
        ++*n_fields;
    } while (delimiter);
    return next;
}

static int naive_place_numbers(const places_t *places, ptrdiff_t n, const lines_t *lines, int ids_are_numbers, int64_t *numbers)
{
    ptrdiff_t n_lines = 0, n_fields;
    for (ptrdiff_t i = 0; i < n; i++) numbers[i] = INT64_MIN;
    for (const uint8_t *line = lines->text; line < lines->text + lines->n_bytes; n_lines++) {
        const uint8_t *fields[2];
        size_t lengths[2];
        line = naive_line(lines, line, fields, lengths, &n_fields);
        if (n_fields != lines->n_fields) return 0;
        const int64_t number = naive_number(fields[1], lengths[1]);
        const ptrdiff_t place = naive_place(places, n, ids_are_numbers, fields[0], lengths[0]);
        if (place < 0 || number == INT64_MIN || numbers[place] != INT64_MIN) return 0;
        numbers[place] = number;
    }
    return n_lines == n;
}

/* The table is n x n: both fields are among the same texts. */
static ptrdiff_t naive_count_lines(const places_t *places, ptrdiff_t n, const lines_t *lines, int64_t *table)
{
    const uint8_t *line = lines->text;
    while (line < lines->text + lines->n_bytes) {
        const uint8_t *fields[2];
        size_t lengths[2];
        ptrdiff_t n_fields, row, column;
        const uint8_t *next = naive_line(lines, line, fields, lengths, &n_fields);
        if (n_fields != lines->n_fields) break;
        row = naive_place(places, n, 0, fields[0], lengths[0]);
        column = naive_place(places, n, 0, fields[1], lengths[1]);
        if (row < 0 || column < 0) break;
        table[row * n + column]++;
        line = next;
    }
    return line - lines->text;
}
#endif
