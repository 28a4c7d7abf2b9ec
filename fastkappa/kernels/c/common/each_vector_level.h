/* Includes the file VECTOR_TEMPLATE once for each vector level that the compiler supports. In the template, NAME(x) appends the
   name of the level to x, VECTOR_BYTES is the width of a vector, and vector types have short names. This file has no include
   guard, because it is included once per template. */
#define bytes_t NAME(bytes_t)
#define words_t NAME(words_t)
#define ints_t NAME(ints_t)
#define longs_t NAME(longs_t)
#define reader_t NAME(reader_t)
#if SIMD_HAS_GNU
#pragma GCC diagnostic push
/* gcc warns that the calling convention for vectors depends on compiler options. All functions
   defined here are static, so the warning does not apply. */
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#if SIMD_HAS_VECTORS && SIMD_HAS_X86
#  define NAME(x) x##_sse2
#  define VECTOR_BYTES 16
#  include VECTOR_TEMPLATE
#  undef NAME
#  undef VECTOR_BYTES
SIMD_BEGIN_AVX2
#  define NAME(x) x##_avx2
#  define VECTOR_BYTES 32
#  include VECTOR_TEMPLATE
#  undef NAME
#  undef VECTOR_BYTES
SIMD_END
#elif SIMD_HAS_NEON
#  define NAME(x) x##_neon
#  define VECTOR_BYTES 16
#  include VECTOR_TEMPLATE
#  undef NAME
#  undef VECTOR_BYTES
#endif

#if SIMD_HAS_GNU
#pragma GCC diagnostic pop
#endif
#undef bytes_t
#undef words_t
#undef ints_t
#undef longs_t
#undef reader_t
#undef VECTOR_TEMPLATE
