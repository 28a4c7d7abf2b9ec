/* The least and the largest rating of a short contiguous column, for calls so small that
   a pass over the ratings costs less than asking NumPy. */
#ifndef FASTKAPPA_RANGE_H
#define FASTKAPPA_RANGE_H

#include <stddef.h>
#include <stdint.h>

#include "ratings.h"

#define RANGE_OF(NAME, TYPE)                                                              \
    static void range_of_##NAME(const TYPE *ratings, ptrdiff_t n, int64_t *least,         \
                                int64_t *largest)                                         \
    {                                                                                     \
        TYPE low = ratings[0], high = ratings[0];                                         \
        for (ptrdiff_t i = 1; i < n; i++) {                                               \
            low = ratings[i] < low ? ratings[i] : low;                                    \
            high = ratings[i] > high ? ratings[i] : high;                                 \
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

/* Returns 0 where the column is of another kind, or not contiguous and in native order. */
static int range_of(const ratings_t *column, ptrdiff_t n, int64_t *least, int64_t *largest)
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
        CASE(RATING_INT8, int8, int8_t)
        CASE(RATING_INT16, int16, int16_t)
        CASE(RATING_INT32, int32, int32_t)
        CASE(RATING_INT64, int64, int64_t)
        CASE(RATING_UINT8, uint8, uint8_t)
        CASE(RATING_UINT16, uint16, uint16_t)
        CASE(RATING_UINT32, uint32, uint32_t)
    }
#undef CASE
    return 0;
}

#endif
