/* Read the values of a block of a column with any stride and byte order. */
#ifndef FASTKAPPA_VALUES_H
#define FASTKAPPA_VALUES_H

#include "column.h"

/* Converts integers to 64 bits with sign extension. */
#define WIDEN(name, value_t, read, width)                                                                \
    static void name(const column_t *column, ptrdiff_t start, ptrdiff_t count, uint64_t *values)              \
    {                                                                                                         \
        const char *p = element_address(column, start);                                                       \
        const ptrdiff_t stride = column->stride;                                                              \
        if (column->swapped || stride != width)                                                               \
            for (ptrdiff_t i = 0; i < count; i++) values[i] = (uint64_t)(value_t)read(p + i * stride, column->swapped); \
        else                                                                                                  \
            for (ptrdiff_t i = 0; i < count; i++) values[i] = (uint64_t)(value_t)read(p + i * width, 0);          \
    }
WIDEN(widen_int8, int8_t, read8, 1)
WIDEN(widen_uint8, uint8_t, read8, 1)
WIDEN(widen_int16, int16_t, read16, 2)
WIDEN(widen_uint16, uint16_t, read16, 2)
WIDEN(widen_int32, int32_t, read32, 4)
WIDEN(widen_uint32, uint32_t, read32, 4)
WIDEN(widen_int64, uint64_t, read64, 8)
#undef WIDEN

/* Converts floats that are integers within the range of int64. The results for other floats are never used. */
#define WIDEN_FLOATS(name, read)                                                                       \
    static void name(const column_t *column, ptrdiff_t start, ptrdiff_t count, uint64_t *values)              \
    {                                                                                                         \
        const char *p = element_address(column, start);                                                       \
        const ptrdiff_t stride = column->stride;                                                              \
        for (ptrdiff_t i = 0; i < count; i++) {                                                               \
            const double x = read(p + i * stride, column->swapped);                                           \
            values[i] = x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (uint64_t)(int64_t)x : 0;  \
        }                                                                                                     \
    }
WIDEN_FLOATS(widen_float, read_float)
WIDEN_FLOATS(widen_double, read_double)
#undef WIDEN_FLOATS

MAYBE_UNUSED static void widen(const column_t *column, ptrdiff_t start, ptrdiff_t count, uint64_t *values)
{
    switch (column->kind) {
    case COLUMN_INT8: widen_int8(column, start, count, values); break;
    case COLUMN_UINT8: widen_uint8(column, start, count, values); break;
    case COLUMN_INT16: widen_int16(column, start, count, values); break;
    case COLUMN_UINT16: widen_uint16(column, start, count, values); break;
    case COLUMN_INT32: widen_int32(column, start, count, values); break;
    case COLUMN_UINT32: widen_uint32(column, start, count, values); break;
    case COLUMN_FLOAT32: widen_float(column, start, count, values); break;
    case COLUMN_FLOAT64: widen_double(column, start, count, values); break;
    default: widen_int64(column, start, count, values); break;
    }
}

/* Converts floats to doubles. */
MAYBE_UNUSED static void read_doubles(const column_t *column, ptrdiff_t start, ptrdiff_t count, double *out)
{
    const char *p = element_address(column, start);
    const ptrdiff_t stride = column->stride;
#define READ_EACH(read, width)                                                                           \
    if (column->swapped || stride != width)                                                                   \
        for (ptrdiff_t i = 0; i < count; i++) out[i] = read(p + i * stride, column->swapped);                 \
    else                                                                                                      \
        for (ptrdiff_t i = 0; i < count; i++) out[i] = read(p + i * width, 0);
    if (column->kind == COLUMN_FLOAT32) {
        READ_EACH(read_float, 4)
    } else {
        READ_EACH(read_double, 8)
    }
#undef READ_EACH
}

#endif
