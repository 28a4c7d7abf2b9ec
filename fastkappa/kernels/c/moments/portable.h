/* Define the moments and sum them in portable C. */
#ifndef FASTKAPPA_MOMENTS_PORTABLE_H
#define FASTKAPPA_MOMENTS_PORTABLE_H

#include "../common/column.h"

/* high * 2^64 + low */
typedef struct { uint64_t low, high; } wide_sum_t;

typedef struct {
    uint64_t inside;       /* pairs in the sums */
    uint64_t outside;      /* pairs with one or two values outside the labels */
    wide_sum_t sum_a, sum_b, sum_aa, sum_bb, sum_ab;
} moments_t;

ALWAYS_INLINE void add_wide(wide_sum_t *sum, uint64_t value)
{
    sum->low += value;
    sum->high += sum->low < value;
}

/* The sums of a block, which cannot overflow, because BLOCK * 2^32 is far below 2^64. */
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

/* Computes the moments of any input. Codes are at most 2^16, and their products are computed in 64 bits. */
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

#endif
