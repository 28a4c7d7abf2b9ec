/* Count the pairs of two short columns in one pass. For short columns, each step outside the loop takes a noticeable share of
   the time.

   Labels are checked during the count. The low four bits of a code choose the cell, and all codes are OR-ed together.
   If the OR of all codes is 16 or more, a code was too large and the table is invalid:

       codes 0, 5, 2:   OR =  7     all codes are below 16, so the table is valid, and no code exceeds 7
       codes 0, 21, 2:  OR = 23     21 was counted as 5, so another kernel must count the pairs again */
#ifndef FASTKAPPA_SHORT_H
#define FASTKAPPA_SHORT_H

#include "../common/column.h"

/* The table has SHORT_LABELS x SHORT_LABELS cells in row-major order. Columns are short if they
   have fewer than SHORT_CALL items. */
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

/* Adds pairs start..stop-1 to an empty table, and returns an upper bound on the codes, which is below SHORT_LABELS. Returns
   -1, with an undefined table, unless both columns are plain integers of the same type with codes below SHORT_LABELS. */
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
