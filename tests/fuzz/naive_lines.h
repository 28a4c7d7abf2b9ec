/* place_numbers as it must be, written without any regard to speed. */
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

static int naive_place_numbers(const places_t *places, ptrdiff_t n, const lines_t *lines, int ids_are_numbers, int64_t *numbers)
{
    const uint8_t *field = lines->text, *const end = field + lines->n_bytes;
    ptrdiff_t n_lines = 0;
    for (ptrdiff_t i = 0; i < n; i++) numbers[i] = INT64_MIN;
    for (; field < end; n_lines++) {
        const uint8_t *newline = memchr(field, '\n', (size_t)(end - field)), *delimiter;
        const uint8_t *const next = newline ? newline + 1 : end, *stop = newline ? newline : end;
        int64_t number = INT64_MIN;
        ptrdiff_t i = 0, place = -1;
        if (stop > field && stop[-1] == '\r') stop--;
        do {
            delimiter = memchr(field, lines->delimiter, (size_t)(stop - field));
            const size_t length = (size_t)((delimiter ? delimiter : stop) - field);
            if (i == lines->second) number = naive_number(field, length);
            if (i == lines->first) place = naive_place(places, n, ids_are_numbers, field, length);
            field += length + 1;
            i++;
        } while (delimiter);
        if (i != lines->n_fields || place < 0 || number == INT64_MIN || numbers[place] != INT64_MIN) return 0;
        numbers[place] = number;
        field = next;
    }
    return n_lines == n;
}
#endif
