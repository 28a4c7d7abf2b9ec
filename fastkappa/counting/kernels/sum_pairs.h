/* sum_pairs: the table of summed item weights, instead of counts.

   One addition a pair, as in histogram.h, with the same copies of the sums side by side, for an addition to the cell of
   the pair before waits for that one: eight copies are eight chains of additions that do not wait for each other.

   Reading the columns is what takes the time, as long as memory never rests: while the sums of some pairs are added to,
   the cache lines that will be wanted LINES_AHEAD further on are asked for.

   Integer weights are summed exactly: the low 32 bits of each and the rest apart, weight = high * 2^32 + low, so that
   neither sum can overflow before 2^31 items. */
#ifndef FASTKAPPA_SUM_PAIRS_H
#define FASTKAPPA_SUM_PAIRS_H

#include "histogram.h"

typedef struct {
    const char *data;      /* address of element 0 */
    ptrdiff_t stride;      /* bytes between elements */
    int kind;              /* as of ratings: RATING_INT8 .. RATING_FLOAT64 */
    int swapped;
} weights_t;

enum {
    SUM_COPIES = 8,
    SUM_STAGE = 256,              /* pairs between making cells and adding to them; a multiple of SUM_COPIES */
    LINES_AHEAD = 48              /* of 64 bytes: about 3 KB of each column; measured best of those tried */
};

typedef struct { int64_t high; uint64_t low; } exact_sum_t;

/* ---- reading weights ---- */

static void decode_weights(const weights_t *weights, ptrdiff_t start, ptrdiff_t count, double *out)
{
    const char *p = weights->data + start * weights->stride;
    const ptrdiff_t stride = weights->stride;
    const int swapped = weights->swapped;
    if (weights->kind == RATING_FLOAT32) {
        for (ptrdiff_t i = 0; i < count; i++)
            out[i] = (double)read_float(p + i * stride, swapped);
    } else if (stride == 8 && !swapped) {
        memcpy(out, p, (size_t)count * sizeof *out);
    } else {
        for (ptrdiff_t i = 0; i < count; i++)
            out[i] = read_double(p + i * stride, swapped);
    }
}

/* An integer weight as high * 2^32 + low; the shift of a negative one rounds down, as every compiler here does. */
ALWAYS_INLINE exact_sum_t exact_weight(const weights_t *weights, ptrdiff_t i)
{
    const char *p = weights->data + i * weights->stride;
    const int swapped = weights->swapped;
    uint64_t value;
    switch (weights->kind) {
    case RATING_INT8: value = (uint64_t)(int64_t)(int8_t)read8(p, swapped); break;
    case RATING_INT16: value = (uint64_t)(int64_t)(int16_t)read16(p, swapped); break;
    case RATING_INT32: value = (uint64_t)(int64_t)(int32_t)read32(p, swapped); break;
    case RATING_UINT8: value = read8(p, swapped); break;
    case RATING_UINT16: value = read16(p, swapped); break;
    case RATING_UINT32: value = read32(p, swapped); break;
    default: value = read64(p, swapped); break;
    }
    exact_sum_t sum;
    sum.low = value & 0xFFFFFFFF;
    sum.high = weights->kind == RATING_UINT64 ? (int64_t)(value >> 32) : (int64_t)value >> 32;
    return sum;
}

/* ---- where the sums are kept ---- */

/* The cell of each pair, in the caller's own table. */
static void table_cells(const ratings_t *a, const ratings_t *b, ptrdiff_t start, ptrdiff_t count, size_t *cells)
{
    const size_t row = (size_t)b->n_labels + 1;
    if (codes_fit_word(a) && codes_fit_word(b)) {
        uint16_t codes_a[BLOCK], codes_b[BLOCK];
        narrow_to_words(a, start, count, codes_a);
        narrow_to_words(b, start, count, codes_b);
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

/* The same in 16 bits, for a table of fewer than 65 536 cells, so of codes that fit words; count <= BLOCK. */
static void ordered_cells(const ratings_t *a, const ratings_t *b, ptrdiff_t start, ptrdiff_t count, uint16_t *cells)
{
    uint16_t codes_a[BLOCK], codes_b[BLOCK];
    narrow_to_words(a, start, count, codes_a);
    narrow_to_words(b, start, count, codes_b);
    short_cells_of_words(codes_a, codes_b, count, (uint16_t)(b->n_labels + 1), cells);
}

/* Eight zeroed sums a cell, on `stack` if they fit there; NULL where copies would not pay or there is no memory. */
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

/* ---- the kernels ---- */

/* Where the columns and weights will be read soon; an address beyond them is looked at by no one. */
typedef struct { uintptr_t a, b, weights; ptrdiff_t step_a, step_b, step_weights; } sum_ahead_t;

ALWAYS_INLINE sum_ahead_t sum_ahead_of(const ratings_t *a, const ratings_t *b, const weights_t *weights, ptrdiff_t next)
{
    sum_ahead_t ahead = {0, 0, 0, 8 * a->stride, 8 * b->stride, 8 * weights->stride};
    ahead.a = (uintptr_t)a->data + (uintptr_t)((next + SUM_STAGE) * a->stride + LINES_AHEAD * ahead.step_a);
    ahead.b = (uintptr_t)b->data + (uintptr_t)((next + SUM_STAGE) * b->stride + LINES_AHEAD * ahead.step_b);
    ahead.weights = (uintptr_t)weights->data + (uintptr_t)(next * weights->stride + LINES_AHEAD * ahead.step_weights);
    return ahead;
}

/* A cache line of each column of wide elements for each eight pairs. */
ALWAYS_INLINE void fetch_sum_ahead(const sum_ahead_t *ahead, ptrdiff_t eighth, int wide)
{
#if SIMD_HAS_GNU
    if (wide) {
        __builtin_prefetch((const char *)(ahead->a + (uintptr_t)(eighth * ahead->step_a)));
        __builtin_prefetch((const char *)(ahead->b + (uintptr_t)(eighth * ahead->step_b)));
    }
    __builtin_prefetch((const char *)(ahead->weights + (uintptr_t)(eighth * ahead->step_weights)));
#else
    (void)ahead; (void)eighth; (void)wide;
#endif
}

/* Adds contiguous weights to copy 0, 1, ... 7, 0, ... of their cells. Four 16-bit cell numbers are read at once. */
#define ADD_WEIGHTS(name, read_weight, width)                                                                      \
    static void name(const uint16_t *cells, const char *weights, ptrdiff_t count, double *sums,                   \
                     const sum_ahead_t *ahead, int wide)                                                          \
    {                                                                                                             \
        ptrdiff_t i = 0;                                                                                          \
        for (; i + 8 <= count; i += 8, weights += 8 * width) {                                                    \
            uint64_t x, y;                                                                                        \
            memcpy(&x, cells + i, 8);                                                                             \
            memcpy(&y, cells + i + 4, 8);                                                                         \
            fetch_sum_ahead(ahead, i / 8, wide);                                                                  \
            sums[(x & 0xFFFF) * SUM_COPIES] += (double)read_weight(weights, 0);                                   \
            sums[(x >> 16 & 0xFFFF) * SUM_COPIES + 1] += (double)read_weight(weights + width, 0);                 \
            sums[(x >> 32 & 0xFFFF) * SUM_COPIES + 2] += (double)read_weight(weights + 2 * width, 0);             \
            sums[(x >> 48) * SUM_COPIES + 3] += (double)read_weight(weights + 3 * width, 0);                      \
            sums[(y & 0xFFFF) * SUM_COPIES + 4] += (double)read_weight(weights + 4 * width, 0);                   \
            sums[(y >> 16 & 0xFFFF) * SUM_COPIES + 5] += (double)read_weight(weights + 5 * width, 0);             \
            sums[(y >> 32 & 0xFFFF) * SUM_COPIES + 6] += (double)read_weight(weights + 6 * width, 0);             \
            sums[(y >> 48) * SUM_COPIES + 7] += (double)read_weight(weights + 7 * width, 0);                      \
        }                                                                                                         \
        for (; i < count; i++, weights += width)                                                                  \
            sums[(size_t)cells[i] * SUM_COPIES + (size_t)i % SUM_COPIES] += (double)read_weight(weights, 0);      \
    }
ADD_WEIGHTS(add_floats, read_float, 4)
ADD_WEIGHTS(add_doubles, read_double, 8)
#undef ADD_WEIGHTS

/* Adds all weights of the range to sums side by side; there are fewer than 65 536 cells. */
static void sum_side_by_side(const ratings_t *a, const ratings_t *b, const weights_t *weights, ptrdiff_t start,
                             ptrdiff_t stop, double *sums)
{
    const int direct = !weights->swapped && weights->stride == rating_width(weights->kind), wide = is_wide(a, b);
    uint16_t cells[SUM_STAGE];
    double decoded[SUM_STAGE];
    for (; start < stop; start += SUM_STAGE) {
        const ptrdiff_t count = stop - start < SUM_STAGE ? stop - start : SUM_STAGE;
        const sum_ahead_t ahead = sum_ahead_of(a, b, weights, start);
        const char *const next = weights->data + start * weights->stride;
        ordered_cells(a, b, start, count, cells);
        if (direct && weights->kind == RATING_FLOAT32) {
            add_floats(cells, next, count, sums, &ahead, wide);
        } else if (direct) {
            add_doubles(cells, next, count, sums, &ahead, wide);
        } else {
            decode_weights(weights, start, count, decoded);
            add_doubles(cells, (const char *)decoded, count, sums, &ahead, wide);
        }
    }
}

/* int64 and float64 as they lie, eight pairs a step: below AVX-512, vectors do not compare 64 bits. Returns where it
   stopped; `start` if that is not what the columns are. */
static ptrdiff_t sum_longs(const ratings_t *a, const ratings_t *b, const weights_t *weights, ptrdiff_t start,
                           ptrdiff_t stop, double *sums)
{
    const char *p = rating_address(a, start), *q = rating_address(b, start), *w = weights->data + start * 8;
    const uint64_t lowest_a = a->lowest, lowest_b = b->lowest;
    const uint32_t n_a = (uint32_t)a->n_labels, n_b = (uint32_t)b->n_labels;
    const size_t row = (size_t)n_b + 1;
    if (!has_vector_level() || !is_plain_integer(a) || !is_plain_integer(b) || a->stride != 8 || b->stride != 8
        || weights->kind != RATING_FLOAT64 || weights->swapped || weights->stride != 8)
        return start;
    for (; start + 8 <= stop; start += 8, p += 64, q += 64, w += 64) {
#define SUM_ONE(k)                                                                                                 \
        sums[(code64(read64(p + 8 * k, 0), lowest_a, n_a) * row + code64(read64(q + 8 * k, 0), lowest_b, n_b))    \
             * SUM_COPIES + k] += read_double(w + 8 * k, 0);
        SUM_ONE(0) SUM_ONE(1) SUM_ONE(2) SUM_ONE(3) SUM_ONE(4) SUM_ONE(5) SUM_ONE(6) SUM_ONE(7)
#undef SUM_ONE
    }
    return start;
}

/* Adds the weights straight to the table. */
static void sum_into_table(const ratings_t *a, const ratings_t *b, const weights_t *weights, ptrdiff_t start,
                           ptrdiff_t stop, double *table)
{
    double decoded[BLOCK];
    size_t cells[BLOCK];
    for (; start < stop; start += BLOCK) {
        const ptrdiff_t count = stop - start < BLOCK ? stop - start : BLOCK;
        table_cells(a, b, start, count, cells);
        decode_weights(weights, start, count, decoded);
        for (ptrdiff_t i = 0; i < count; i++)
            table[cells[i]] += decoded[i];
    }
}

/* Adds the weights (float32 or float64) of the pairs start..stop-1 to their cells in table, laid out as in count_pairs. */
MAYBE_UNUSED static void sum_pairs(const ratings_t *a, const ratings_t *b, const weights_t *weights,
                                   ptrdiff_t start, ptrdiff_t stop, double *table)
{
    const size_t n_cells = ((size_t)a->n_labels + 1) * ((size_t)b->n_labels + 1);
    double few[256 * SUM_COPIES];
    double *sums = sums_side_by_side(n_cells, stop - start, sizeof *sums, few, sizeof few);
    if (!sums) {
        sum_into_table(a, b, weights, start, stop, table);
        return;
    }
    start = sum_longs(a, b, weights, start, stop, sums);
    sum_side_by_side(a, b, weights, start, stop, sums);
    for (size_t cell = 0; cell < n_cells; cell++)
        for (size_t k = 0; k < SUM_COPIES; k++)
            table[cell] += sums[cell * SUM_COPIES + k];
    if (sums != few)
        free(sums);
}

/* The same for integer weights: the sum of a cell is high[cell] * 2^32 + low[cell], exactly. */
MAYBE_UNUSED static void sum_pairs_int(const ratings_t *a, const ratings_t *b, const weights_t *weights,
                                       ptrdiff_t start, ptrdiff_t stop, int64_t *high, uint64_t *low)
{
    const size_t n_cells = ((size_t)a->n_labels + 1) * ((size_t)b->n_labels + 1);
    exact_sum_t few[128 * SUM_COPIES];
    size_t cells[BLOCK];
    exact_sum_t *sums = sums_side_by_side(n_cells, stop - start, sizeof *sums, few, sizeof few);
    for (; start < stop; start += BLOCK) {
        const ptrdiff_t count = stop - start < BLOCK ? stop - start : BLOCK;
        table_cells(a, b, start, count, cells);
        for (ptrdiff_t i = 0; i < count; i++) {
            const exact_sum_t weight = exact_weight(weights, start + i);
            if (sums) {
                exact_sum_t *sum = &sums[cells[i] * SUM_COPIES + (size_t)i % SUM_COPIES];
                sum->high += weight.high;
                sum->low += weight.low;
            } else {
                high[cells[i]] += weight.high;
                low[cells[i]] += weight.low;
            }
        }
    }
    if (!sums)
        return;
    for (size_t cell = 0; cell < n_cells; cell++)
        for (size_t k = 0; k < SUM_COPIES; k++) {
            high[cell] += sums[cell * SUM_COPIES + k].high;
            low[cell] += sums[cell * SUM_COPIES + k].low;
        }
    if (sums != few)
        free(sums);
}

#endif
