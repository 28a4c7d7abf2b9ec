/* sum_pairs: the table of summed item weights, instead of counts.

   One addition a pair, as in histogram.h, with the same copies of the sums side by side, for an addition to the cell of
   the pair before waits for that one: eight copies are eight chains of additions that do not wait for each other.

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

enum { SUM_COPIES = 8 };

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

/* The usual case, read as it lies: contiguous integers of one width and contiguous weights; count is a multiple of 8. */
#define SUM_DIRECT(name, read, code, width, read_weight, weight_width)                                               \
    static void name(const ratings_t *a, const ratings_t *b, const weights_t *weights, ptrdiff_t start,             \
                     ptrdiff_t count, double *sums)                                                                 \
    {                                                                                                               \
        const char *p = rating_address(a, start), *q = rating_address(b, start);                                    \
        const char *w = weights->data + start * weight_width;                                                       \
        const uint64_t lowest_a = a->lowest, lowest_b = b->lowest;                                                  \
        const uint32_t n_a = (uint32_t)a->n_labels, n_b = (uint32_t)b->n_labels;                                    \
        const size_t row = (size_t)n_b + 1;                                                                         \
        for (; count > 0; count -= 8, p += 8 * width, q += 8 * width, w += 8 * weight_width) {                      \
            SUM_ONE(0, read, code, width, read_weight, weight_width)                                                \
            SUM_ONE(1, read, code, width, read_weight, weight_width)                                                \
            SUM_ONE(2, read, code, width, read_weight, weight_width)                                                \
            SUM_ONE(3, read, code, width, read_weight, weight_width)                                                \
            SUM_ONE(4, read, code, width, read_weight, weight_width)                                                \
            SUM_ONE(5, read, code, width, read_weight, weight_width)                                                \
            SUM_ONE(6, read, code, width, read_weight, weight_width)                                                \
            SUM_ONE(7, read, code, width, read_weight, weight_width)                                                \
        }                                                                                                           \
    }
#define SUM_ONE(k, read, code, width, read_weight, weight_width)                                                     \
    sums[(code(read(p + k * width, 0), lowest_a, n_a) * row + code(read(q + k * width, 0), lowest_b, n_b)) * SUM_COPIES + k] \
        += (double)read_weight(w + k * weight_width, 0);
SUM_DIRECT(sum_direct_8, read8, code8, 1, read_double, 8)
SUM_DIRECT(sum_direct_16, read16, code16, 2, read_double, 8)
SUM_DIRECT(sum_direct_32, read32, code32, 4, read_double, 8)
SUM_DIRECT(sum_direct_64, read64, code64, 8, read_double, 8)
SUM_DIRECT(sum_direct_8_float, read8, code8, 1, read_float, 4)
SUM_DIRECT(sum_direct_16_float, read16, code16, 2, read_float, 4)
SUM_DIRECT(sum_direct_32_float, read32, code32, 4, read_float, 4)
SUM_DIRECT(sum_direct_64_float, read64, code64, 8, read_float, 4)
#undef SUM_ONE
#undef SUM_DIRECT

/* Returns where it stopped; `start` if the columns do not lie that way. */
static ptrdiff_t sum_direct(const ratings_t *a, const ratings_t *b, const weights_t *weights,
                            ptrdiff_t start, ptrdiff_t stop, double *sums)
{
    const ptrdiff_t count = (stop - start) / SUM_COPIES * SUM_COPIES;
    const int is_short = weights->kind == RATING_FLOAT32;
    if (!is_plain_integer(a) || !is_plain_integer(b) || a->stride != b->stride || weights->swapped
        || weights->stride != rating_width(weights->kind) || count <= 0)
        return start;
    switch (a->stride) {
    case 1: (is_short ? sum_direct_8_float : sum_direct_8)(a, b, weights, start, count, sums); break;
    case 2: (is_short ? sum_direct_16_float : sum_direct_16)(a, b, weights, start, count, sums); break;
    case 4: (is_short ? sum_direct_32_float : sum_direct_32)(a, b, weights, start, count, sums); break;
    default: (is_short ? sum_direct_64_float : sum_direct_64)(a, b, weights, start, count, sums); break;
    }
    return start + count;
}

/* Adds the weights (float32 or float64) of the pairs start..stop-1 to their cells in table, laid out as in count_pairs. */
MAYBE_UNUSED static void sum_pairs(const ratings_t *a, const ratings_t *b, const weights_t *weights,
                                   ptrdiff_t start, ptrdiff_t stop, double *table)
{
    const size_t n_cells = ((size_t)a->n_labels + 1) * ((size_t)b->n_labels + 1);
    double few[256 * SUM_COPIES], decoded[BLOCK];
    size_t cells[BLOCK];
    double *sums = sums_side_by_side(n_cells, stop - start, sizeof *sums, few, sizeof few);
    if (sums)
        start = sum_direct(a, b, weights, start, stop, sums);
    for (; start < stop; start += BLOCK) {
        const ptrdiff_t count = stop - start < BLOCK ? stop - start : BLOCK;
        table_cells(a, b, start, count, cells);
        decode_weights(weights, start, count, decoded);
        if (sums) {
            for (ptrdiff_t i = 0; i < count; i++)
                sums[cells[i] * SUM_COPIES + (size_t)i % SUM_COPIES] += decoded[i];
        } else {
            for (ptrdiff_t i = 0; i < count; i++)
                table[cells[i]] += decoded[i];
        }
    }
    if (!sums)
        return;
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
