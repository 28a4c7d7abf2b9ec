/* The pairs of two short columns in one pass, for calls so small that each step before or after the loop is felt.

   Labels are looked at as they are counted: the low four bits of a code choose the cell, and the codes are OR-ed together.
   If that has a higher bit, some code was no small one, and the table is worth nothing:

       codes 0, 5, 2:   OR = 7     all below 16: the cells are right, and no code is above 7
       codes 0, 21, 2:  OR = 23    21 went to cell 5: count again, the usual way
*/
#ifndef FASTKAPPA_SHORT_H
#define FASTKAPPA_SHORT_H

#include "../common/column.h"

/* The table is SHORT_LABELS x SHORT_LABELS, row by row. */
enum { SHORT_LABELS = 16, SHORT_CALL = 512 };

#define COUNT_SHORT(NAME, TYPE)                                                                                         \
    static uint64_t count_short_##NAME(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop,           \
                                       int64_t *table)                                                                  \
    {                                                                                                                   \
        const TYPE *first = (const TYPE *)a->data, *second = (const TYPE *)b->data;                                     \
        const uint64_t lowest_a = a->lowest, lowest_b = b->lowest;                                                      \
        uint64_t all = 0;                                                                                               \
        for (ptrdiff_t i = start; i < stop; i++) {                                                                      \
            const uint64_t x = (uint64_t)first[i] - lowest_a, y = (uint64_t)second[i] - lowest_b;                       \
            all |= x | y;                                                                                               \
            table[x % SHORT_LABELS * SHORT_LABELS + y % SHORT_LABELS]++;                                                \
        }                                                                                                               \
        return all;                                                                                                     \
    }

COUNT_SHORT(int8, int8_t)
COUNT_SHORT(int16, int16_t)
COUNT_SHORT(int32, int32_t)
COUNT_SHORT(int64, int64_t)
COUNT_SHORT(uint8, uint8_t)
COUNT_SHORT(uint16, uint16_t)
COUNT_SHORT(uint32, uint32_t)
COUNT_SHORT(uint64, uint64_t)

/* Adds the pairs start..stop-1 to an empty table and returns a number that no code exceeds; 0 or more, below SHORT_LABELS.
   Returns -1, and leaves the table undefined, unless both columns are plain integers of one type with such codes. */
static int count_short(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table)
{
    uint64_t all = SHORT_LABELS;
    if (a->kind != b->kind || !is_plain_integer(a) || !is_plain_integer(b)
        || ((uintptr_t)a->data | (uintptr_t)b->data) % (uintptr_t)element_width(a->kind))
        return -1;
#define CASE(KIND, NAME)                                                                                                \
    case KIND:                                                                                                          \
        all = count_short_##NAME(a, b, start, stop, table);                                                             \
        break;
    switch (a->kind) {
        CASE(COLUMN_INT8, int8)
        CASE(COLUMN_INT16, int16)
        CASE(COLUMN_INT32, int32)
        CASE(COLUMN_INT64, int64)
        CASE(COLUMN_UINT8, uint8)
        CASE(COLUMN_UINT16, uint16)
        CASE(COLUMN_UINT32, uint32)
        CASE(COLUMN_UINT64, uint64)
    }
#undef CASE
    return all < SHORT_LABELS ? (int)all : -1;
}

#endif
