/* count_lines as it must be, written without any regard to speed. */
#ifndef NAIVE_LINES_H
#define NAIVE_LINES_H
#include <stdlib.h>
#include <string.h>
#include "kernels.h"

typedef struct {
    const uint64_t *words; /* n_words of each text */
    ptrdiff_t n_texts, n_words;
} known_t;

static ptrdiff_t naive_index(const known_t *known, const uint8_t *field, size_t length)
{
    const size_t size = (size_t)known->n_words * 8;
    uint64_t words[MOST_WORDS] = {0};
    if (length > size) return -1;
    memcpy(words, field, length);
    for (ptrdiff_t i = 0; i < known->n_texts; i++)
        if (memcmp(known->words + i * known->n_words, words, size) == 0) return i;
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

static ptrdiff_t naive_count_lines(const known_t known[2], const lines_t *lines, int64_t *table)
{
    const uint8_t *line = lines->text;
    while (line < lines->text + lines->n_bytes) {
        const uint8_t *fields[2];
        size_t lengths[2];
        ptrdiff_t n_fields, row, column;
        const uint8_t *next = naive_line(lines, line, fields, lengths, &n_fields);
        if (n_fields != lines->n_fields) break;
        row = naive_index(&known[0], fields[0], lengths[0]);
        column = naive_index(&known[1], fields[1], lengths[1]);
        if (row < 0 || column < 0) break;
        table[row * known[1].n_texts + column]++;
        line = next;
    }
    return line - lines->text;
}
#endif
