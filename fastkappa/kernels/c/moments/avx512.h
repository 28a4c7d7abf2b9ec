/* Compute moments for up to 256 labels with 64-byte vectors.

   Codes are narrowed to bytes as in common/avx512.h. The instruction vpsadbw adds bytes, and vpdpbusd multiplies
   unsigned by signed bytes and adds four products to an int32. A code is unsigned and can be above 127, so the signed
   factor is code - 128 (the code with its top bit flipped). A correction is added at the end:

       sum a * b  =  sum a * (b - 128)  +  128 * sum a

   The codes of each block are checked before its sums are used. A block with an out-of-range value
   is summed again, code by code. */
#ifndef FASTKAPPA_MOMENTS_AVX512_H
#define FASTKAPPA_MOMENTS_AVX512_H

#include "../common/avx512.h"
#include "../common/column.h"
#include "portable.h"

#if SIMD_HAS_X86
SIMD_BEGIN_AVX512

/* The number of vectors in a block. An int32 lane grows by at most 4 * 255 * 128 per vector, so it cannot overflow
   within 16384 vectors. */
enum { MOMENT_VECTORS = 64 };

ALWAYS_INLINE int64_t sum_of_int32_512(__m512i x)
{
    return _mm512_reduce_add_epi64(_mm512_add_epi64(
        _mm512_cvtepi32_epi64(_mm512_castsi512_si256(x)), _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(x, 1))));
}

/* Sums blocks of MOMENT_VECTORS * 64 pairs of contiguous integers of the given width. Returns the index of the first pair
   not summed. */
ALWAYS_INLINE ptrdiff_t moments_of_width_512(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop,
                                             moments_t *moments, int width)
{
    const ptrdiff_t n_pairs = MOMENT_VECTORS * 64;
    const __m512i zero = _mm512_setzero_si512(), flip = _mm512_set1_epi8((char)0x80);
    column_512_t column_a = column_512(a, start, width), column_b = column_512(b, start, width);
    for (; stop - start >= n_pairs; start += n_pairs) {
        __m512i sum_a = zero, sum_b = zero, sum_aa = zero, sum_bb = zero, sum_ab = zero;
        for (int v = 0; v < MOMENT_VECTORS; v++) {
            const __m512i codes_a = next_codes_512(&column_a, width, 0), codes_b = next_codes_512(&column_b, width, 0);
            const __m512i signed_a = _mm512_xor_si512(codes_a, flip), signed_b = _mm512_xor_si512(codes_b, flip);
            sum_a = _mm512_add_epi64(sum_a, _mm512_sad_epu8(codes_a, zero));
            sum_b = _mm512_add_epi64(sum_b, _mm512_sad_epu8(codes_b, zero));
            sum_aa = _mm512_dpbusd_epi32(sum_aa, codes_a, signed_a);
            sum_bb = _mm512_dpbusd_epi32(sum_bb, codes_b, signed_b);
            sum_ab = _mm512_dpbusd_epi32(sum_ab, codes_a, signed_b);
        }
        const int legal = all_legal_512(&column_a, width) & all_legal_512(&column_b, width);
        if (UNLIKELY(!legal)) {
            moments_of_blocks(a, b, start, start + n_pairs, moments);
            continue;
        }
        block_moments_t block;
        block.n = (uint64_t)n_pairs;
        block.a = (uint64_t)_mm512_reduce_add_epi64(sum_a);
        block.b = (uint64_t)_mm512_reduce_add_epi64(sum_b);
        block.aa = (uint64_t)sum_of_int32_512(sum_aa) + 128 * block.a;
        block.bb = (uint64_t)sum_of_int32_512(sum_bb) + 128 * block.b;
        block.ab = (uint64_t)sum_of_int32_512(sum_ab) + 128 * block.a;
        add_block_moments(moments, &block, block.n);
    }
    return start;
}

NEVER_INLINE ptrdiff_t moments_512(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, moments_t *moments)
{
    switch (a->stride) {
    case 1: return moments_of_width_512(a, b, start, stop, moments, 1);
    case 2: return moments_of_width_512(a, b, start, stop, moments, 2);
    case 4: return moments_of_width_512(a, b, start, stop, moments, 4);
    default: return moments_of_width_512(a, b, start, stop, moments, 8);
    }
}

SIMD_END
#endif
#endif
