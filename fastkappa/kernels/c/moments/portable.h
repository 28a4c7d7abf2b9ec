/* Define the moments and sum them in plain loops, which are compiled once per level. */
#ifndef FASTKAPPA_MOMENTS_PORTABLE_H
#define FASTKAPPA_MOMENTS_PORTABLE_H

#include "../common/column.h"

/* high * 2^64 + low */
typedef struct { uint64_t low, high; } wide_sum_t;

typedef struct {
    uint64_t inside;       /* pairs in the sums */
    uint64_t outside;      /* pairs with at least one value outside the labels */
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

/* With at most this many labels, products of codes are below 2^20, and their sums over a block fit in 32 bits. */
enum { FEW_CODES = 1 << 10 };

/* Sums a block of codes. With few labels, products are first summed in 32 bits. If the block
   contains an out-of-range value, the block is summed again without the pairs that contain such values. */
#define BLOCK_MOMENTS(LEVEL)                                                                                      \
    static block_moments_t inside_moments_##LEVEL(const uint16_t *a, const uint16_t *b, ptrdiff_t count,          \
                                                  uint16_t n_a, uint16_t n_b)                                     \
    {                                                                                                             \
        int32_t sum_a = 0, sum_b = 0, sum_aa = 0, sum_bb = 0, sum_ab = 0;                                         \
        uint16_t outside = 0;                                                                                     \
        for (ptrdiff_t i = 0; i < count; i++) {                                                                   \
            const int16_t x = (int16_t)a[i], y = (int16_t)b[i];                                                   \
            outside |= (uint16_t)((a[i] >= n_a) | (b[i] >= n_b));                                                 \
            sum_a += x;                                                                                           \
            sum_b += y;                                                                                           \
            sum_aa += x * x;                                                                                      \
            sum_bb += y * y;                                                                                      \
            sum_ab += x * y;                                                                                      \
        }                                                                                                         \
        const block_moments_t block = {outside ? 0 : (uint64_t)count, (uint64_t)sum_a, (uint64_t)sum_b,           \
                                       (uint64_t)sum_aa, (uint64_t)sum_bb, (uint64_t)sum_ab};                     \
        return block;                                                                                             \
    }                                                                                                             \
    static void block_moments_##LEVEL(const uint16_t *a, const uint16_t *b, ptrdiff_t count, uint16_t n_a,        \
                                      uint16_t n_b, block_moments_t *block)                                       \
    {                                                                                                             \
        if (n_a > 0 && n_b > 0 && n_a <= FEW_CODES && n_b <= FEW_CODES) {                                         \
            *block = inside_moments_##LEVEL(a, b, count, n_a, n_b);                                               \
            if (block->n)                                                                                         \
                return;                                                                                           \
        }                                                                                                         \
        block_moments_t sums = {0, 0, 0, 0, 0, 0};                                                                \
        for (ptrdiff_t i = 0; i < count; i++) {                                                                   \
            const uint32_t mask = 0 - (uint32_t)((a[i] < n_a) & (b[i] < n_b)), x = a[i] & mask, y = b[i] & mask;  \
            sums.n += mask & 1;                                                                                   \
            sums.a += x;                                                                                          \
            sums.b += y;                                                                                          \
            sums.aa += (uint64_t)x * x;                                                                           \
            sums.bb += (uint64_t)y * y;                                                                           \
            sums.ab += (uint64_t)x * y;                                                                           \
        }                                                                                                         \
        *block = sums;                                                                                            \
    }
BLOCK_MOMENTS(baseline)
#if SIMD_HAS_X86
SIMD_BEGIN_AVX2
BLOCK_MOMENTS(avx2)
SIMD_END
SIMD_BEGIN_AVX512
BLOCK_MOMENTS(avx512)
SIMD_END
#endif
#undef BLOCK_MOMENTS

/* Sums columns of any kind, with at most 65 535 labels. Compilers vectorise the loops over blocks. */
static void moments_of_blocks(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, moments_t *moments)
{
    uint16_t codes_a[BLOCK], codes_b[BLOCK];
    for (; start < stop; start += BLOCK) {
        const ptrdiff_t count = stop - start < BLOCK ? stop - start : BLOCK;
        block_moments_t block;
        decode_words(a, start, count, codes_a);
        decode_words(b, start, count, codes_b);
        AT_LEVEL(block_moments, codes_a, codes_b, count, (uint16_t)a->n_labels, (uint16_t)b->n_labels, &block);
        add_block_moments(moments, &block, (uint64_t)count);
    }
}

#endif
