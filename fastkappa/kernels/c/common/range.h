/* Find the smallest and the largest value of a short contiguous column. For few values, a loop in C is faster than a call to
   NumPy. */
#ifndef FASTKAPPA_RANGE_H
#define FASTKAPPA_RANGE_H

#include <stddef.h>
#include <stdint.h>

#include "column.h"

#define RANGE_OF(NAME, TYPE)                                                              \
    static void range_of_##NAME(const TYPE *values, ptrdiff_t n, int64_t *least,          \
                                int64_t *largest)                                         \
    {                                                                                     \
        TYPE low = values[0], high = values[0];                                           \
        for (ptrdiff_t i = 1; i < n; i++) {                                               \
            low = values[i] < low ? values[i] : low;                                      \
            high = values[i] > high ? values[i] : high;                                   \
        }                                                                                 \
        *least = (int64_t)low;                                                            \
        *largest = (int64_t)high;                                                         \
    }

RANGE_OF(int8, int8_t)
RANGE_OF(int16, int16_t)
RANGE_OF(int32, int32_t)
RANGE_OF(int64, int64_t)
RANGE_OF(uint8, uint8_t)
RANGE_OF(uint16, uint16_t)
RANGE_OF(uint32, uint32_t)

/* Returns whether the range was found. The column must be contiguous and aligned, and must contain
   integers in native byte order, but not uint64. */
static int range_of(const column_t *column, ptrdiff_t n, int64_t *least, int64_t *largest)
{
    const void *data = column->data;
    if (column->swapped)
        return 0;
#define CASE(KIND, NAME, TYPE)                                                            \
    case KIND:                                                                            \
        if (column->stride != (ptrdiff_t)sizeof(TYPE) || (uintptr_t)data % sizeof(TYPE))  \
            return 0;                                                                     \
        range_of_##NAME((const TYPE *)data, n, least, largest);                           \
        return 1;
    switch (column->kind) {
        CASE(COLUMN_INT8, int8, int8_t)
        CASE(COLUMN_INT16, int16, int16_t)
        CASE(COLUMN_INT32, int32, int32_t)
        CASE(COLUMN_INT64, int64, int64_t)
        CASE(COLUMN_UINT8, uint8, uint8_t)
        CASE(COLUMN_UINT16, uint16, uint16_t)
        CASE(COLUMN_UINT32, uint32, uint32_t)
    }
#undef CASE
    return 0;
}

#endif
