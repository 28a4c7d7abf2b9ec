/* sum_pairs: count the pairs in each cell, and sum their item weights, in one pass.

   There is one addition per pair, and each sum has eight adjacent copies, as in histogram.h. An addition must wait for the
   previous one if both go to the same cell. With eight copies, there are eight chains of additions that do not wait for each
   other.

   Counting costs nothing extra. The sum and the count of a cell are the two lanes of one float64 vector, to which (weight,
   1) is added. A float64 counts exactly up to 2^53, and no range is that long.

       weights 0.5, 2, 0.25 of pairs in the cells 4, 4, 1:    cell 4: (0.5, 1) + (2, 1) = (2.5, 2)      cell 1: (0.25, 1)

   This method is memory-bound, so memory must never be idle. Cache lines are therefore prefetched
   LINES_AHEAD lines before they are needed.

   The sums of integer weights are exact, although only two lanes are used. A 64-bit weight is split
   into two parts, and the count shares a lane with the shorter part. Neither lane overflows within
   EXACT_RANGE pairs:

       lane 0    the low 42 bits                                    2^21 of them fit in 63 bits
       lane 1    bits 0..42: the other 22     bits 43..63: a 1      2^21 - 1 of them fit in 43 and 21 bits

   The result is high * 2^32 + low. Neither part overflows with fewer than 2^31 items. */
#ifndef FASTKAPPA_SUM_PAIRS_H
#define FASTKAPPA_SUM_PAIRS_H

#include "../common/column.h"
#include "../common/values.h"
#include "histogram.h"
#include "portable.h"

enum {
    SUM_COPIES = 8,
    SUM_STAGE = 256,              /* pairs whose cells are computed before any are summed; a multiple of SUM_COPIES */
    MANY_CELLS = 16384,           /* with more cells than this, weights are added to the tables directly */
    LINES_AHEAD = 48,             /* cache lines to prefetch ahead, about 3 KB per column; the fastest distance measured */
    LOW_BITS = 42,
    COUNT_BIT = 43,
    EXACT_RANGE = 8191 * SUM_STAGE   /* the largest multiple of SUM_STAGE below 2^21 */
};

/* The sum of a cell's float weights, and their number. */
#if SIMD_HAS_GNU
typedef double float_sum_t __attribute__((vector_size(16)));
ALWAYS_INLINE void add_float(float_sum_t *sum, double weight) { *sum += (float_sum_t){weight, 1}; }
#else
typedef struct { double lanes[2]; } float_sum_t;
ALWAYS_INLINE void add_float(float_sum_t *sum, double weight) { sum->lanes[0] += weight; sum->lanes[1] += 1; }
#endif

/* The sums of both parts of a cell's integer weights; see split_integers. */
#if SIMD_HAS_GNU
typedef uint64_t exact_sum_t __attribute__((vector_size(16)));
ALWAYS_INLINE void add_parts(exact_sum_t *sum, exact_sum_t parts) { *sum += parts; }
#else
typedef struct { uint64_t lanes[2]; } exact_sum_t;
ALWAYS_INLINE void add_parts(exact_sum_t *sum, exact_sum_t parts)
{
    sum->lanes[0] += parts.lanes[0];
    sum->lanes[1] += parts.lanes[1];
}
#endif

/* The following two functions add the weight at p: a float64, or an integer in two parts. */
ALWAYS_INLINE void add_float_at(float_sum_t *sum, const char *p) { add_float(sum, read_double(p, 0)); }
ALWAYS_INLINE void add_integer_at(exact_sum_t *sum, const char *p)
{
    exact_sum_t parts;
    memcpy(&parts, p, sizeof parts);
    add_parts(sum, parts);
}

/* Reading weights */

/* Splits integers of any width into two parts. First, 2^63 is added to signed integers, so that none is negative. The first
   part consists of the low LOW_BITS bits. The second part consists of the other bits, with a 1 above them that counts the
   pair. */
static void split_integers(const column_t *weights, ptrdiff_t start, ptrdiff_t count, uint64_t *parts)
{
    const char *p = weights->data + start * weights->stride;
    const ptrdiff_t stride = weights->stride;
    const int swapped = weights->swapped;
    const uint64_t raise = weights->kind < COLUMN_UINT8 ? 1ull << 63 : 0;
#define SPLIT_EACH(type, read, apart, swapped)                                                                    \
    for (ptrdiff_t i = 0; i < count; i++) {                                                                       \
        const uint64_t raised = (uint64_t)(int64_t)(type)read(p + i * (apart), swapped) + raise;                  \
        parts[2 * i] = raised & (((uint64_t)1 << LOW_BITS) - 1);                                                  \
        parts[2 * i + 1] = raised >> LOW_BITS | (uint64_t)1 << COUNT_BIT;                                         \
    }
#define SPLIT_AS(type, read)                                                                                      \
    if (stride == sizeof(type) && !swapped)                                                                       \
        SPLIT_EACH(type, read, (ptrdiff_t)sizeof(type), 0)                                                        \
    else                                                                                                          \
        SPLIT_EACH(type, read, stride, swapped)                                                                   \
    break
    switch (weights->kind) {
    case COLUMN_INT8: SPLIT_AS(int8_t, read8);
    case COLUMN_INT16: SPLIT_AS(int16_t, read16);
    case COLUMN_INT32: SPLIT_AS(int32_t, read32);
    case COLUMN_UINT8: SPLIT_AS(uint8_t, read8);
    case COLUMN_UINT16: SPLIT_AS(uint16_t, read16);
    case COLUMN_UINT32: SPLIT_AS(uint32_t, read32);
    default: SPLIT_AS(uint64_t, read64);
    }
#undef SPLIT_AS
#undef SPLIT_EACH
}

/* Adds the sum of up to EXACT_RANGE split integers to the tables, as high * 2^32 + low. Adds the number of integers to the
   counts. */
static void put_exact_sum(const exact_sum_t *sum, int is_signed, int64_t *count, int64_t *high, uint64_t *low)
{
    uint64_t lanes[2];
    memcpy(lanes, sum, sizeof lanes);
    const int64_t n = (int64_t)(lanes[1] >> COUNT_BIT), others = (int64_t)(lanes[1] & (((uint64_t)1 << COUNT_BIT) - 1));
    *count += n;
    *low += lanes[0] & 0xFFFFFFFF;
    *high += (int64_t)(lanes[0] >> 32) + others * (1 << (LOW_BITS - 32)) - (is_signed ? n * ((int64_t)1 << 31) : 0);
}

/* Storing the sums */

/* Computes the cell of each pair in the caller's table. */
static void table_cells(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t count, size_t *cells)
{
    const size_t row = (size_t)b->n_labels + 1;
    if (codes_fit_word(a) && codes_fit_word(b)) {
        uint16_t codes_a[BLOCK], codes_b[BLOCK];
        decode_words(a, start, count, codes_a);
        decode_words(b, start, count, codes_b);
        for (ptrdiff_t i = 0; i < count; i++)
            cells[i] = codes_a[i] * row + codes_b[i];
    } else {
        uint32_t codes_a[BLOCK], codes_b[BLOCK];
        decode(a, start, count, codes_a);
        decode(b, start, count, codes_b);
        for (ptrdiff_t i = 0; i < count; i++)
            cells[i] = codes_a[i] * row + codes_b[i];
    }
}

/* Computes the 16-bit cell numbers of up to BLOCK pairs, for a table with fewer than 65 536 cells. */
static void ordered_cells(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t count, uint16_t *cells)
{
    uint16_t codes_a[BLOCK], codes_b[BLOCK];
    decode_words(a, start, count, codes_a);
    decode_words(b, start, count, codes_b);
    AT_LEVEL(short_cells_of_words, codes_a, codes_b, count, (uint16_t)(b->n_labels + 1), cells);
}

/* Returns eight zeroed sums per cell, stored in `stack` if they fit. Returns NULL if copies are not worthwhile or memory is
   exhausted. */
static void *sums_side_by_side(size_t n_cells, ptrdiff_t n_pairs, size_t sum_size, void *stack, size_t stack_size)
{
    const size_t size = n_cells * SUM_COPIES * sum_size;
    if (n_cells > MANY_CELLS || (size_t)n_pairs < 2 * n_cells)
        return NULL;
    if (size > stack_size)
        return calloc(n_cells * SUM_COPIES, sum_size);
    memset(stack, 0, size);
    return stack;
}

/* The following functions use sums with adjacent copies. */

/* The addresses of columns and weights to prefetch. They can be beyond the end, because nothing is
   read from them. */
typedef struct { uintptr_t a, b, weights; ptrdiff_t step_a, step_b, step_weights; } sum_ahead_t;

ALWAYS_INLINE sum_ahead_t sum_ahead_of(const column_t *a, const column_t *b, const column_t *weights, ptrdiff_t next)
{
    sum_ahead_t ahead = {0, 0, 0, 8 * a->stride, 8 * b->stride, 8 * weights->stride};
    ahead.a = (uintptr_t)a->data + (uintptr_t)((next + SUM_STAGE) * a->stride + LINES_AHEAD * ahead.step_a);
    ahead.b = (uintptr_t)b->data + (uintptr_t)((next + SUM_STAGE) * b->stride + LINES_AHEAD * ahead.step_b);
    ahead.weights = (uintptr_t)weights->data + (uintptr_t)(next * weights->stride + LINES_AHEAD * ahead.step_weights);
    return ahead;
}

/* Returns whether elements are wide enough for prefetching to be worthwhile. */
ALWAYS_INLINE int is_wide(const column_t *a, const column_t *b)
{
    return (element_width(a->kind) >= 4 || element_width(b->kind) >= 4) && a->stride <= 8 && b->stride <= 8;
}

/* Prefetches a cache line of the weights for every eight pairs, and a line of each column if the
   columns have wide elements. */
ALWAYS_INLINE void fetch_sum_ahead(const sum_ahead_t *ahead, ptrdiff_t eighth, int wide)
{
    if (wide) {
        FETCH(ahead->a + (uintptr_t)(eighth * ahead->step_a));
        FETCH(ahead->b + (uintptr_t)(eighth * ahead->step_b));
    }
    FETCH(ahead->weights + (uintptr_t)(eighth * ahead->step_weights));
}

/* Adds contiguous weights to their cells. Weight i goes to copy i % 8 of its cell. Four 16-bit cell numbers are
   read at once. */
#define ADD_WEIGHTS(name, sum_t, add_at, width)                                                                   \
    static void name(const uint16_t *cells, const char *weights, ptrdiff_t count, sum_t *sums,                    \
                     const sum_ahead_t *ahead, int wide)                                                          \
    {                                                                                                             \
        ptrdiff_t i = 0;                                                                                          \
        for (; i + 8 <= count; i += 8, weights += 8 * width) {                                                    \
            uint64_t x, y;                                                                                        \
            memcpy(&x, cells + i, 8);                                                                             \
            memcpy(&y, cells + i + 4, 8);                                                                         \
            fetch_sum_ahead(ahead, i / 8, wide);                                                                  \
            add_at(&sums[(x & 0xFFFF) * SUM_COPIES], weights);                                                    \
            add_at(&sums[(x >> 16 & 0xFFFF) * SUM_COPIES + 1], weights + width);                                  \
            add_at(&sums[(x >> 32 & 0xFFFF) * SUM_COPIES + 2], weights + 2 * width);                              \
            add_at(&sums[(x >> 48) * SUM_COPIES + 3], weights + 3 * width);                                       \
            add_at(&sums[(y & 0xFFFF) * SUM_COPIES + 4], weights + 4 * width);                                    \
            add_at(&sums[(y >> 16 & 0xFFFF) * SUM_COPIES + 5], weights + 5 * width);                              \
            add_at(&sums[(y >> 32 & 0xFFFF) * SUM_COPIES + 6], weights + 6 * width);                              \
            add_at(&sums[(y >> 48) * SUM_COPIES + 7], weights + 7 * width);                                       \
        }                                                                                                         \
        for (; i < count; i++, weights += width)                                                                  \
            add_at(&sums[(size_t)cells[i] * SUM_COPIES + (size_t)i % SUM_COPIES], weights);                       \
    }
ADD_WEIGHTS(add_floats, float_sum_t, add_float_at, 8)
ADD_WEIGHTS(add_integers, exact_sum_t, add_integer_at, 16)
#undef ADD_WEIGHTS

/* Adds all weights of the range to sums that have adjacent copies. There must be fewer than 65 536
   cells. */
static void sum_floats_side_by_side(const column_t *a, const column_t *b, const column_t *weights, ptrdiff_t start,
                                    ptrdiff_t stop, float_sum_t *sums)
{
    const int wide = is_wide(a, b);
    uint16_t cells[SUM_STAGE];
    double decoded[SUM_STAGE];
    for (; start < stop; start += SUM_STAGE) {
        const ptrdiff_t count = stop - start < SUM_STAGE ? stop - start : SUM_STAGE;
        const sum_ahead_t ahead = sum_ahead_of(a, b, weights, start);
        ordered_cells(a, b, start, count, cells);
        read_doubles(weights, start, count, decoded);
        add_floats(cells, (const char *)decoded, count, sums, &ahead, wide);
    }
}

static void sum_integers_side_by_side(const column_t *a, const column_t *b, const column_t *weights, ptrdiff_t start,
                                      ptrdiff_t stop, exact_sum_t *sums)
{
    const int wide = is_wide(a, b);
    uint16_t cells[SUM_STAGE];
    uint64_t parts[2 * SUM_STAGE];
    for (; start < stop; start += SUM_STAGE) {
        const ptrdiff_t count = stop - start < SUM_STAGE ? stop - start : SUM_STAGE;
        const sum_ahead_t ahead = sum_ahead_of(a, b, weights, start);
        ordered_cells(a, b, start, count, cells);
        split_integers(weights, start, count, parts);
        add_integers(cells, (const char *)parts, count, sums, &ahead, wide);
    }
}

/* The following functions add weights to the tables directly. They are used if copies of the sums
   are not worthwhile or memory is exhausted. */

static void sum_floats_into(const column_t *a, const column_t *b, const column_t *weights, ptrdiff_t start,
                            ptrdiff_t stop, int64_t *counts, double *table)
{
    double decoded[BLOCK];
    size_t cells[BLOCK];
    for (; start < stop; start += BLOCK) {
        const ptrdiff_t count = stop - start < BLOCK ? stop - start : BLOCK;
        table_cells(a, b, start, count, cells);
        read_doubles(weights, start, count, decoded);
        for (ptrdiff_t i = 0; i < count; i++) {
            counts[cells[i]]++;
            table[cells[i]] += decoded[i];
        }
    }
}

static void sum_integers_into(const column_t *a, const column_t *b, const column_t *weights, ptrdiff_t start,
                              ptrdiff_t stop, int64_t *counts, int64_t *high, uint64_t *low)
{
    const int is_signed = weights->kind < COLUMN_UINT8;
    uint64_t parts[2 * BLOCK];
    size_t cells[BLOCK];
    for (; start < stop; start += BLOCK) {
        const ptrdiff_t count = stop - start < BLOCK ? stop - start : BLOCK;
        table_cells(a, b, start, count, cells);
        split_integers(weights, start, count, parts);
        for (ptrdiff_t i = 0; i < count; i++) {
            exact_sum_t sum;
            memcpy(&sum, parts + 2 * i, sizeof sum);
            put_exact_sum(&sum, is_signed, &counts[cells[i]], &high[cells[i]], &low[cells[i]]);
        }
    }
}

/* The kernels */

/* Adds pairs start..stop-1 to a table of counts, and their weights (float32 or float64) to a table of sums. Both tables have
   the layout of count_pairs. */
MAYBE_UNUSED static void sum_pairs(const column_t *a, const column_t *b, const column_t *weights,
                                   ptrdiff_t start, ptrdiff_t stop, int64_t *counts, double *table)
{
    const size_t n_cells = ((size_t)a->n_labels + 1) * ((size_t)b->n_labels + 1);
    float_sum_t few[128 * SUM_COPIES];
    float_sum_t *sums = sums_side_by_side(n_cells, stop - start, sizeof *sums, few, sizeof few);
    if (!sums) {
        sum_floats_into(a, b, weights, start, stop, counts, table);
        return;
    }
    sum_floats_side_by_side(a, b, weights, start, stop, sums);
    for (size_t cell = 0; cell < n_cells; cell++)
        for (size_t k = 0; k < SUM_COPIES; k++) {
            double lanes[2];
            memcpy(lanes, &sums[cell * SUM_COPIES + k], sizeof lanes);
            table[cell] += lanes[0];
            counts[cell] += (int64_t)lanes[1];
        }
    if (sums != few)
        free(sums);
}

/* Adds pairs with integer weights. The sum of a cell is exactly high[cell] * 2^32 + low[cell]. */
MAYBE_UNUSED static void sum_pairs_int(const column_t *a, const column_t *b, const column_t *weights,
                                       ptrdiff_t start, ptrdiff_t stop, int64_t *counts, int64_t *high, uint64_t *low)
{
    const size_t n_cells = ((size_t)a->n_labels + 1) * ((size_t)b->n_labels + 1);
    exact_sum_t few[128 * SUM_COPIES];
    exact_sum_t *sums = sums_side_by_side(n_cells, stop - start, sizeof *sums, few, sizeof few);
    if (!sums) {
        sum_integers_into(a, b, weights, start, stop, counts, high, low);
        return;
    }
    while (start < stop) {
        const ptrdiff_t end = stop - start < EXACT_RANGE ? stop : start + EXACT_RANGE;
        sum_integers_side_by_side(a, b, weights, start, end, sums);
        for (size_t i = 0; i < n_cells * SUM_COPIES; i++) {
            const size_t cell = i / SUM_COPIES;
            put_exact_sum(&sums[i], weights->kind < COLUMN_UINT8, &counts[cell], &high[cell], &low[cell]);
        }
        memset(sums, 0, n_cells * SUM_COPIES * sizeof *sums);
        start = end;
    }
    if (sums != few)
        free(sums);
}

#endif
