/* sum_moments: compute the sums for quadratic kappa without a table.

   Quadratic kappa depends only on the sums, the sums of squares and the sum of products of the codes. These are five exact
   integers, regardless of the number of labels.

       a  0 2 1      sum_a 3   sum_aa 0 + 4 + 1 = 5
       b  0 1 1      sum_b 2   sum_bb 0 + 1 + 1 = 2      sum_ab 0 + 2 + 1 = 3

   Pairs with an outside value are counted separately and left out of all sums. */
#ifndef FASTKAPPA_MOMENTS_H
#define FASTKAPPA_MOMENTS_H

#include "../common/column.h"
#include "../common/vector_levels.h"
#include "../narrow/narrow.h"
#include "avx512.h"
#include "portable.h"

#define VECTOR_TEMPLATE "../moments/vector.h"
#include "../common/each_vector_level.h"

#ifdef AT_VECTOR_LEVEL
/* Sums whole blocks of contiguous integers. Returns the index of the first pair not summed. */
static ptrdiff_t moments_vector(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, moments_t *moments)
{
    uint16_t codes_a[BLOCK], codes_b[BLOCK];
    uint8_t *const bytes_a = (uint8_t *)codes_a, *const bytes_b = (uint8_t *)codes_b;
    const int narrow = codes_fit_byte(a) && codes_fit_byte(b);
    if (!is_plain_integer(a) || !is_plain_integer(b) || a->n_labels == 0 || b->n_labels == 0
        || !codes_fit_word(a) || !codes_fit_word(b))
        return start;
    for (; stop - start >= BLOCK; start += BLOCK) {
        uint64_t sums[5];
        if (narrow ? !AT_VECTOR_LEVEL(pair_bytes, (a, b, start, BLOCK, bytes_a, bytes_b))
                   : !AT_VECTOR_LEVEL(pair_words, (a, b, start, BLOCK, codes_a, codes_b))) {
            moments_plain(a, b, start, start + BLOCK, moments);   /* a value is outside the labels */
            continue;
        }
        if (narrow)
            AT_VECTOR_LEVEL(sums_of_bytes, (bytes_a, bytes_b, BLOCK, sums));
        else
            AT_VECTOR_LEVEL(sums_of_words, (codes_a, codes_b, BLOCK, sums));
        const block_moments_t block = {BLOCK, sums[0], sums[1], sums[2], sums[3], sums[4]};
        add_block_moments(moments, &block, BLOCK);
    }
    return start;
}
#endif

/* Adds pairs start..stop-1 to the moments, which must initially be zero. There can be at most 65 536 labels. */
MAYBE_UNUSED static void sum_moments(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop,
                                     moments_t *moments)
{
#if SIMD_HAS_X86
    if (simd_level_current() == SIMD_AVX512 && is_plain_integer(a) && is_plain_integer(b) && a->stride == b->stride
        && codes_fit_byte(a) && codes_fit_byte(b) && a->n_labels > 0 && b->n_labels > 0)
        start = moments_512(a, b, start, stop, moments);
#endif
#ifdef AT_VECTOR_LEVEL
    if (has_vectors())
        start = moments_vector(a, b, start, stop, moments);
#endif
    moments_plain(a, b, start, stop, moments);
}

#endif
