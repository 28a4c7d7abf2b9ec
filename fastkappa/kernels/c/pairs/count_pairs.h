/* count_pairs: compute the confusion matrix of two columns with the fastest kernel that this machine supports. */
#ifndef FASTKAPPA_COUNT_PAIRS_H
#define FASTKAPPA_COUNT_PAIRS_H

#include "../common/column.h"
#include "../common/vector_levels.h"
#include "avx512.h"
#include "histogram.h"
#include "portable.h"

#define VECTOR_TEMPLATE "../pairs/vector.h"
#include "../common/each_vector_level.h"

/* Counts the pairs from `start` on in whole groups; a remainder is left uncounted. Returns the
   index of the first uncounted pair. */
typedef ptrdiff_t count_kernel_t(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table);

enum {
    FULL_GROUP = 1024,            /* a multiple of the group size of every kernel */
    BYTES_AT_ONCE = 16 * BLOCK    /* pairs narrowed to bytes at once; large, because starting a kernel takes time */
};

/* Returns the number of pairs below which setting up a kernel costs more than it saves. */
static ptrdiff_t small_call(void)
{
    return simd_level_current() == SIMD_AVX512 ? 160 : 896;
}

/* Returns the popcount kernel for contiguous integers of equal width. Returns NULL if no kernel
   supports this number of legal cells, or if one increment per pair is faster. The last cell needs
   no plane, so 33 cells take only four planes. */
static count_kernel_t *popcount_kernel(const column_t *a, const column_t *b)
{
    const uint64_t n_cells = a->n_labels * b->n_labels;
#if SIMD_HAS_X86
    if (simd_level_current() == SIMD_AVX512)
        return n_cells <= 196 ? count_popcount_512 : NULL;
#endif
#if SIMD_HAS_VECTORS && SIMD_HAS_X86
    if (simd_level_current() == SIMD_AVX2)
        return n_cells <= 100 ? count_popcount_avx2 : NULL;
    return n_cells <= 33 ? count_popcount_sse2 : NULL;
#elif SIMD_HAS_NEON
    if (simd_level_current() == SIMD_NEON)
        return n_cells <= 65 ? count_popcount_neon : NULL;
#endif
    (void)n_cells;
    return NULL;
}

/* Returns whether there is a popcount kernel for integers with gaps between them. */
static int takes_gaps(void)
{
    return simd_level_current() == SIMD_AVX512;
}

/* Narrows up to BYTES_AT_ONCE pairs to bytes and counts them. The last group is padded with pairs
   (0, 0), which are subtracted from the count afterwards. */
static void count_as_bytes(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t count, int64_t *table,
                           count_kernel_t *kernel)
{
    uint8_t codes_a[BYTES_AT_ONCE], codes_b[BYTES_AT_ONCE];
    const column_t bytes_a = column_of_bytes(a, codes_a), bytes_b = column_of_bytes(b, codes_b);
    const ptrdiff_t filled = (count + FULL_GROUP - 1) / FULL_GROUP * FULL_GROUP;
    for (ptrdiff_t i = 0; i < count; i += BLOCK) {
        const ptrdiff_t n = count - i < BLOCK ? count - i : BLOCK;
        decode_bytes(a, start + i, n, codes_a + i);
        decode_bytes(b, start + i, n, codes_b + i);
    }
    memset(codes_a + count, 0, (size_t)(filled - count));
    memset(codes_b + count, 0, (size_t)(filled - count));
    kernel(&bytes_a, &bytes_b, 0, filled, table);
    table[0] -= filled - count;
}

/* Adds pairs start..stop-1 to a row-major table of (a->n_labels + 1) x (b->n_labels + 1) counts. The last row and the last
   column count values outside the labels. */
MAYBE_UNUSED static void count_pairs(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop,
                                     int64_t *table)
{
    if (stop - start < small_call() || a->n_labels == 0 || b->n_labels == 0) {
        count_plain(a, b, start, stop, table);
        return;
    }
    count_kernel_t *kernel = NULL;
    if (codes_fit_byte(a) && codes_fit_byte(b))
        kernel = popcount_kernel(a, b);
    if (!kernel) {
        count_histogram(a, b, start, stop, table);
        return;
    }
    if (is_in_lanes(a) && is_in_lanes(b) && a->stride == b->stride
        && (takes_gaps() || (is_plain_integer(a) && is_plain_integer(b))))
        start = kernel(a, b, start, stop, table);
    while (stop - start >= small_call()) {
        const ptrdiff_t count = stop - start < BYTES_AT_ONCE ? stop - start : BYTES_AT_ONCE;
        count_as_bytes(a, b, start, count, table, kernel);
        start += count;
    }
    count_plain(a, b, start, stop, table);
}

#endif
