/* Define the vector levels SSE2, AVX2 and NEON, with three operations that the compilers' vector types do not provide:

     max_bytes(x, y)     the larger byte of each pair of bytes
     bit_of_cell(cell)   1 << (cell & 7) for each byte; cells are below 128
     any_bit(x)          whether any bit is set */
#ifndef FASTKAPPA_VECTOR_LEVELS_H
#define FASTKAPPA_VECTOR_LEVELS_H

#include "column.h"
#include "simd_level.h"

#if SIMD_HAS_GNU
#pragma GCC diagnostic push
/* gcc warns that the calling convention for vectors depends on compiler options. All functions
   defined here are static, so the warning does not apply. */
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#if SIMD_HAS_VECTORS && SIMD_HAS_X86

/* SSE2, the baseline */
typedef uint8_t sse2_bytes_t __attribute__((vector_size(16)));
typedef uint16_t sse2_words_t __attribute__((vector_size(16)));
typedef uint32_t sse2_ints_t __attribute__((vector_size(16)));
typedef uint64_t sse2_longs_t __attribute__((vector_size(16)));

ALWAYS_INLINE sse2_bytes_t max_bytes_sse2(sse2_bytes_t x, sse2_bytes_t y)
{
    return (sse2_bytes_t)_mm_max_epu8((__m128i)x, (__m128i)y);
}

ALWAYS_INLINE int any_bit_sse2(sse2_longs_t x)
{
    return _mm_movemask_epi8(_mm_cmpeq_epi8((__m128i)x, _mm_setzero_si128())) != 0xFFFF;
}

/* SSE2 has no byte shuffle, so 1 is shifted left by one if bit 0 of the cell is set, by two more if
   bit 1 is set, and by four more if bit 2 is set. For cell 6, 1 is shifted by 2 + 4. No byte
   overflows. */
ALWAYS_INLINE sse2_bytes_t bit_of_cell_sse2(sse2_bytes_t cell)
{
    const sse2_bytes_t second = (sse2_bytes_t)((cell & 2) == 2), third = (sse2_bytes_t)((cell & 4) == 4);
    sse2_bytes_t bit = (cell & 1) + 1;
    bit = ((sse2_bytes_t)((sse2_words_t)bit << 2) & second) | (bit & ~second);
    return ((sse2_bytes_t)((sse2_words_t)bit << 4) & third) | (bit & ~third);
}

/* AVX2 */
SIMD_BEGIN_AVX2
typedef uint8_t avx2_bytes_t __attribute__((vector_size(32)));
typedef uint16_t avx2_words_t __attribute__((vector_size(32)));
typedef uint32_t avx2_ints_t __attribute__((vector_size(32)));
typedef uint64_t avx2_longs_t __attribute__((vector_size(32)));

ALWAYS_INLINE avx2_bytes_t max_bytes_avx2(avx2_bytes_t x, avx2_bytes_t y)
{
    return (avx2_bytes_t)_mm256_max_epu8((__m256i)x, (__m256i)y);
}

ALWAYS_INLINE int any_bit_avx2(avx2_longs_t x)
{
    return !_mm256_testz_si256((__m256i)x, (__m256i)x);
}

ALWAYS_INLINE avx2_bytes_t bit_of_cell_avx2(avx2_bytes_t cell)
{
    const __m256i bits = _mm256_set1_epi64x((long long)0x8040201008040201); /* 1, 2, 4 .. 128, looked up by the low four bits of a cell */
    return (avx2_bytes_t)_mm256_shuffle_epi8(bits, (__m256i)cell);
}
SIMD_END

#elif SIMD_HAS_NEON

/* aarch64 */
typedef uint8_t neon_bytes_t __attribute__((vector_size(16)));
typedef uint16_t neon_words_t __attribute__((vector_size(16)));
typedef uint32_t neon_ints_t __attribute__((vector_size(16)));
typedef uint64_t neon_longs_t __attribute__((vector_size(16)));

ALWAYS_INLINE neon_bytes_t max_bytes_neon(neon_bytes_t x, neon_bytes_t y)
{
    return (neon_bytes_t)vmaxq_u8((uint8x16_t)x, (uint8x16_t)y);
}

ALWAYS_INLINE int any_bit_neon(neon_longs_t x)
{
    return vmaxvq_u32((uint32x4_t)x) != 0;
}

ALWAYS_INLINE neon_bytes_t bit_of_cell_neon(neon_bytes_t cell)
{
    return (neon_bytes_t)vshlq_u8(vdupq_n_u8(1), vreinterpretq_s8_u8((uint8x16_t)(cell & 7)));
}

#endif

#if SIMD_HAS_GNU
#pragma GCC diagnostic pop
#endif

/* Calls function_avx2 (also for AVX-512), function_sse2 or function_neon. */
#if SIMD_HAS_VECTORS && SIMD_HAS_X86
#  define AT_VECTOR_LEVEL(function, arguments) \
       (simd_level_current() == SIMD_BASELINE ? function##_sse2 arguments : function##_avx2 arguments)
#elif SIMD_HAS_NEON
#  define AT_VECTOR_LEVEL(function, arguments) function##_neon arguments
#endif

/* Returns whether the level in use has vector functions. */
ALWAYS_INLINE int has_vectors(void)
{
#if SIMD_HAS_X86
    return SIMD_HAS_VECTORS;
#else
    return SIMD_HAS_NEON && simd_level_current() == SIMD_NEON;
#endif
}

/* the functions that read columns at each of these levels */
#define VECTOR_TEMPLATE "vector.h"
#include "each_vector_level.h"

#endif
