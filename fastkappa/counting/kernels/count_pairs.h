/* count_pairs: the confusion table of two columns of ratings, by the kernel that is fastest for them here. */
#ifndef FASTKAPPA_COUNT_PAIRS_H
#define FASTKAPPA_COUNT_PAIRS_H

#include "histogram.h"

typedef void count_kernel_t(const ratings_t *a, const ratings_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table);

enum { SMALL_CALL = 2048 }; /* below, setting up a kernel costs more than it saves */

/* The positional popcount for contiguous integers of one width with that many legal cells; NULL if there is none, or if
   an increment a pair is cheaper. The last cell costs nothing where it would be the only one of its plane. */
static count_kernel_t *popcount_kernel(uint64_t n_cells)
{
#if SIMD_HAS_X86
    if (simd_level_current() == SIMD_AVX512)
        return n_cells <= 256 ? count_popcount_512 : NULL;
    if (simd_level_current() == SIMD_AVX2)
        return n_cells <= 65 ? count_popcount_avx2 : NULL;
    return n_cells <= 33 ? count_popcount_sse2 : NULL;
#elif SIMD_HAS_NEON
    if (simd_level_current() == SIMD_NEON)
        return n_cells <= 65 ? count_popcount_neon : NULL;
#endif
    (void)n_cells;
    return NULL;
}

/* Columns that lie otherwise are narrowed to bytes block by block, and the bytes counted. */
static void count_by_blocks(const ratings_t *a, const ratings_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table,
                            count_kernel_t *kernel)
{
    uint8_t codes_a[4 * BLOCK], codes_b[4 * BLOCK];
    const ratings_t bytes_a = ratings_of_bytes(a, codes_a), bytes_b = ratings_of_bytes(b, codes_b);
    while (start < stop) {
        ptrdiff_t count = 0;
        for (; count < 4 * BLOCK && start < stop; ) {
            const ptrdiff_t n = stop - start < BLOCK ? stop - start : BLOCK;
            pair_bytes(a, b, start, n, codes_a + count, codes_b + count);
            count += n;
            start += n;
        }
        kernel(&bytes_a, &bytes_b, 0, count, table);
    }
}

/* Adds the pairs start..stop-1 to table, (a->n_labels + 1) x (b->n_labels + 1), row by row. The last row and the last
   column collect the ratings outside the labels. */
MAYBE_UNUSED static void count_pairs(const ratings_t *a, const ratings_t *b, ptrdiff_t start, ptrdiff_t stop,
                                     int64_t *table)
{
    if (stop - start < SMALL_CALL || a->n_labels == 0 || b->n_labels == 0) {
        count_plain(a, b, start, stop, table);
        return;
    }
    count_kernel_t *popcount = NULL;
    if (codes_fit_byte(a) && codes_fit_byte(b))
        popcount = popcount_kernel(a->n_labels * b->n_labels);
    if (!popcount)
        count_histogram(a, b, start, stop, table);
    else if (is_plain_integer(a) && is_plain_integer(b) && a->stride == b->stride)
        popcount(a, b, start, stop, table);
    else
        count_by_blocks(a, b, start, stop, table, popcount);
}

#endif
