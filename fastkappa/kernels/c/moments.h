/* sum_moments: what quadratic kappa needs, without a table.

   Quadratic kappa depends on the codes only through their sums, sums of squares and sum of products: five numbers, for any
   number of labels, in exact integers.

       a  0 2 1      sum_a 3   sum_aa 0 + 4 + 1 = 5
       b  0 1 1      sum_b 2   sum_bb 0 + 1 + 1 = 2      sum_ab 0 + 2 + 1 = 3

   Pairs with a value outside are counted, and left out of all sums. */
#ifndef FASTKAPPA_MOMENTS_H
#define FASTKAPPA_MOMENTS_H

#include "narrow.h"

/* high * 2^64 + low */
typedef struct { uint64_t low, high; } wide_sum_t;

typedef struct {
    uint64_t inside;       /* pairs in the sums */
    uint64_t outside;      /* pairs of which one value or both are outside the labels */
    wide_sum_t sum_a, sum_b, sum_aa, sum_bb, sum_ab;
} moments_t;

ALWAYS_INLINE void add_wide(wide_sum_t *sum, uint64_t value)
{
    sum->low += value;
    sum->high += sum->low < value;
}

/* Sums of a block, which cannot overflow: BLOCK * 2^32 is far below 2^64. */
typedef struct { uint64_t n, a, b, aa, bb, ab; } block_moments_t;

static void add_block_moments(moments_t *moments, const block_moments_t *block, uint64_t count)
{
    moments->inside += block->n;
    moments->outside += count - block->n;
    add_wide(&moments->sum_a, block->a);
    add_wide(&moments->sum_b, block->b);
    add_wide(&moments->sum_aa, block->aa);
    add_wide(&moments->sum_bb, block->bb);
    add_wide(&moments->sum_ab, block->ab);
}

/* The plain way, for every input. Codes up to 2^16; products of two fit 32 bits unsigned, and are taken in 64. */
static void moments_plain(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, moments_t *moments)
{
    uint32_t codes_a[BLOCK], codes_b[BLOCK];
    const uint32_t n_a = (uint32_t)a->n_labels, n_b = (uint32_t)b->n_labels;
    for (; start < stop; start += BLOCK) {
        const ptrdiff_t count = stop - start < BLOCK ? stop - start : BLOCK;
        block_moments_t block = {0, 0, 0, 0, 0, 0};
        decode(a, start, count, codes_a);
        decode(b, start, count, codes_b);
        for (ptrdiff_t i = 0; i < count; i++) {
            const uint64_t legal = (codes_a[i] < n_a) & (codes_b[i] < n_b);
            const uint64_t mask = 0 - legal;
            const uint64_t x = codes_a[i] & mask, y = codes_b[i] & mask;
            block.n += legal;
            block.a += x;
            block.b += y;
            block.aa += x * x;
            block.bb += y * y;
            block.ab += x * y;
        }
        add_block_moments(moments, &block, (uint64_t)count);
    }
}

#include "moments_avx512.h"

#ifdef AT_VECTOR_LEVEL
/* Whole blocks of contiguous integers at the other vector levels; returns where it stopped. */
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
            moments_plain(a, b, start, start + BLOCK, moments);   /* a value was outside */
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

/* Adds the pairs start..stop-1 to the moments (all zero at first). At most 65 536 labels. */
MAYBE_UNUSED static void sum_moments(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop,
                                     moments_t *moments)
{
#if SIMD_HAS_X86
    if (simd_level_current() == SIMD_AVX512) {
        moments_512(a, b, start, stop, moments);
        return;
    }
#endif
#ifdef AT_VECTOR_LEVEL
    if (has_vector_level())
        start = moments_vector(a, b, start, stop, moments);
#endif
    moments_plain(a, b, start, stop, moments);
}

#endif
