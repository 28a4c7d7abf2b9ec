/* sum_moments: compute the sums for quadratic kappa without a table.

   Quadratic kappa depends only on each column's sum of codes and sum of squared codes, and on the sum of products. These are
   five exact integers, regardless of the number of labels.

       a  0 2 1      sum_a 3   sum_aa 0 + 4 + 1 = 5
       b  0 1 1      sum_b 2   sum_bb 0 + 1 + 1 = 2      sum_ab 0 + 2 + 1 = 3

   Pairs with an out-of-range value are counted separately and left out of all sums. */
#ifndef FASTKAPPA_MOMENTS_H
#define FASTKAPPA_MOMENTS_H

#include "../common/column.h"
#include "avx512.h"
#include "portable.h"

/* Adds pairs start..stop-1 to the moments, which must initially be zero. There can be at most 65 535 labels. */
MAYBE_UNUSED static void sum_moments(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop,
                                     moments_t *moments)
{
#if SIMD_HAS_X86
    if (simd_level_current() == SIMD_AVX512 && is_plain_integer(a) && is_plain_integer(b) && a->stride == b->stride
        && codes_fit_byte(a) && codes_fit_byte(b) && a->n_labels > 0 && b->n_labels > 0)
        start = moments_512(a, b, start, stop, moments);
#endif
    moments_of_blocks(a, b, start, stop, moments);
}

#endif
