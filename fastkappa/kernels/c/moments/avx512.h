/* Sum moments with 64-byte vectors.

   With up to 256 labels, codes are narrowed to bytes as in common/avx512.h. The instruction vpsadbw adds bytes, and
   vpdpbusd multiplies unsigned by signed bytes and adds four products to an int32. A code is unsigned and can be above 127,
   so the signed factor is code - 128 (the code with its top bit flipped). A correction is added at the end:

       sum a * b  =  sum a * (b - 128)  +  128 * sum a

   With more labels, 32-bit codes are multiplied to 64-bit products (vpmuludq).

   Bounds are checked for each block before its sums are used. A block with an outside value is redone in portable C. */
#ifndef FASTKAPPA_MOMENTS_AVX512_H
#define FASTKAPPA_MOMENTS_AVX512_H

#include "../common/avx512.h"
#include "../common/column.h"
#include "../narrow/avx512.h"
#include "portable.h"

#if SIMD_HAS_X86
SIMD_BEGIN_AVX512

/* The number of vectors in a block. An int32 lane grows by at most 4 * 255 * 128 per vector, so it cannot overflow in 16
   384 vectors. */
enum { MOMENT_VECTORS = 64 };

ALWAYS_INLINE int64_t sum_of_int32_512(__m512i x)
{
    return _mm512_reduce_add_epi64(_mm512_add_epi64(
        _mm512_cvtepi32_epi64(_mm512_castsi512_si256(x)), _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(x, 1))));
}

/* Sums blocks of MOMENT_VECTORS * 64 pairs; both columns are integers in lanes of the given width. Returns the index at which
   it stopped. */
ALWAYS_INLINE ptrdiff_t byte_moments_512(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop,
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
            moments_plain(a, b, start, start + n_pairs, moments);
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

/* The sums, in 64-bit lanes. */
typedef struct { __m512i a, b, aa, bb, ab, largest_a, largest_b; } lanes_512_t;

ALWAYS_INLINE void add_to_lanes_512(lanes_512_t *sums, __m512i a, __m512i b)
{
    sums->largest_a = _mm512_max_epu64(sums->largest_a, a);
    sums->largest_b = _mm512_max_epu64(sums->largest_b, b);
    sums->a = _mm512_add_epi64(sums->a, a);
    sums->b = _mm512_add_epi64(sums->b, b);
    sums->aa = _mm512_add_epi64(sums->aa, _mm512_mul_epu32(a, a));
    sums->bb = _mm512_add_epi64(sums->bb, _mm512_mul_epu32(b, b));
    sums->ab = _mm512_add_epi64(sums->ab, _mm512_mul_epu32(a, b));
}

/* Sums int32 or int64 columns with any number of labels. Products of illegal codes may be truncated, but a block with such
   codes is redone. */
ALWAYS_INLINE ptrdiff_t lane_moments_512(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop,
                                         moments_t *moments, int width)
{
    const ptrdiff_t n_pairs = 4096 / width * 8, vectors = n_pairs * width / 64;
    const __m512i zero = _mm512_setzero_si512(), even = _mm512_set1_epi64(0xFFFFFFFF);
    column_512_t column_a = column_512(a, start, width), column_b = column_512(b, start, width);
    for (; stop - start >= n_pairs; start += n_pairs) {
        lanes_512_t sums = {zero, zero, zero, zero, zero, zero, zero};
        for (ptrdiff_t v = 0; v < vectors; v++) {
            const __m512i codes_a = next_lanes_512(&column_a, width, 0), codes_b = next_lanes_512(&column_b, width, 0);
            if (width == 8) {
                add_to_lanes_512(&sums, codes_a, codes_b);
            } else {
                add_to_lanes_512(&sums, _mm512_and_si512(codes_a, even), _mm512_and_si512(codes_b, even));
                add_to_lanes_512(&sums, _mm512_srli_epi64(codes_a, 32), _mm512_srli_epi64(codes_b, 32));
            }
        }
        if (UNLIKELY(_mm512_reduce_max_epu64(sums.largest_a) >= a->n_labels
                     || _mm512_reduce_max_epu64(sums.largest_b) >= b->n_labels)) {
            moments_plain(a, b, start, start + n_pairs, moments);
            continue;
        }
        block_moments_t block;
        block.n = (uint64_t)n_pairs;
        block.a = (uint64_t)_mm512_reduce_add_epi64(sums.a);
        block.b = (uint64_t)_mm512_reduce_add_epi64(sums.b);
        block.aa = (uint64_t)_mm512_reduce_add_epi64(sums.aa);
        block.bb = (uint64_t)_mm512_reduce_add_epi64(sums.bb);
        block.ab = (uint64_t)_mm512_reduce_add_epi64(sums.ab);
        add_block_moments(moments, &block, block.n);
    }
    return start;
}

#define MOMENTS_512(name, kernel, width)                                                                           \
    NEVER_INLINE ptrdiff_t name(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, moments_t *moments) \
    {                                                                                                              \
        return kernel(a, b, start, stop, moments, width);                                                          \
    }
MOMENTS_512(byte_moments_512_8, byte_moments_512, 1)
MOMENTS_512(byte_moments_512_16, byte_moments_512, 2)
MOMENTS_512(byte_moments_512_32, byte_moments_512, 4)
MOMENTS_512(byte_moments_512_64, byte_moments_512, 8)
MOMENTS_512(lane_moments_512_32, lane_moments_512, 4)
MOMENTS_512(lane_moments_512_64, lane_moments_512, 8)
#undef MOMENTS_512

/* Sums columns with other layouts or different widths, which are first narrowed to bytes block by block. */
static ptrdiff_t staged_moments_512(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, moments_t *moments)
{
    enum { STAGE = MOMENT_VECTORS * 64 };
    uint8_t codes_a[STAGE], codes_b[STAGE];
    const column_t bytes_a = column_of_bytes(a, codes_a), bytes_b = column_of_bytes(b, codes_b);
    for (; stop - start >= STAGE; start += STAGE) {
        for (ptrdiff_t i = 0; i < STAGE; i += BLOCK) {
            narrow_to_bytes_512(a, start + i, BLOCK, codes_a + i);
            narrow_to_bytes_512(b, start + i, BLOCK, codes_b + i);
        }
        byte_moments_512_8(&bytes_a, &bytes_b, 0, STAGE, moments);
    }
    return start;
}

static void moments_512(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, moments_t *moments)
{
    const int alike = is_in_lanes(a) && is_in_lanes(b) && a->stride == b->stride && a->stride <= 8;
    const int contiguous = is_contiguous(a) && is_contiguous(b);
    if (a->n_labels > 0 && b->n_labels > 0) {
        if (codes_fit_byte(a) && codes_fit_byte(b)) {
            const ptrdiff_t end = stop - !contiguous;   /* the memory after the last element can be unreadable */
            if (!alike)
                start = staged_moments_512(a, b, start, stop, moments);
            else
                start = (a->stride == 1 ? byte_moments_512_8 : a->stride == 2 ? byte_moments_512_16
                       : a->stride == 4 ? byte_moments_512_32 : byte_moments_512_64)(a, b, start, end, moments);
        } else if (alike && contiguous && a->stride >= 4) {
            start = (a->stride == 4 ? lane_moments_512_32 : lane_moments_512_64)(a, b, start, stop, moments);
        }
    }
    moments_plain(a, b, start, stop, moments);
}

SIMD_END
#endif
#endif
