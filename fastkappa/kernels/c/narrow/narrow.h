/* Narrow a block of a column to small codes, as fast as the SIMD level allows. An outside value becomes n_labels. */
#ifndef FASTKAPPA_NARROW_H
#define FASTKAPPA_NARROW_H

#include "../common/avx512.h"
#include "../common/column.h"
#include "../common/vector_levels.h"

#define VECTOR_TEMPLATE "../narrow/vector.h"
#include "../common/each_vector_level.h"

/* Pairs: the codes of a pair stay together, but the order of the pairs can change. */

/* The vector levels below AVX-512 handle whole vectors of contiguous integers without outside values. */
enum { VECTOR_PAIRS = 32 };  /* the number of pairs per call; a multiple of every VECTOR_BYTES */

/* Returns how many of `count` pairs can be read with vectors. Memory after the last element can be unreadable. */
ALWAYS_INLINE ptrdiff_t in_vectors(const column_t *a, const column_t *b, ptrdiff_t count)
{
    if (count > 0 && !(is_contiguous(a) && is_contiguous(b)))
        count--;
    return count - count % VECTOR_PAIRS;
}

/* Returns whether to read these columns with vectors. Elements that are 16 bytes apart are decoded faster one by one. With
   SSE2, columns of different widths are also decoded faster one by one. */
ALWAYS_INLINE int are_for_vectors(const column_t *a, const column_t *b)
{
    return has_vectors() && is_in_lanes(a) && is_in_lanes(b) && a->stride <= 8 && b->stride <= 8
        && (a->stride == b->stride || simd_level_current() != SIMD_BASELINE);
}

#if SIMD_HAS_X86
SIMD_BEGIN_AVX512
/* Writes the codes of `count` pairs (a multiple of 64) of equal width as bytes, as NAME(pair_codes) of narrow/vector.h does.
   Using this function saves a tenth of the time of a call for 1000 pairs. */
ALWAYS_INLINE int bytes_of_width_512(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t count, uint8_t *codes_a,
                                     uint8_t *codes_b, int width)
{
    column_512_t column_a = column_512(a, start, width), column_b = column_512(b, start, width);
    for (ptrdiff_t i = 0; i < count; i += 64) {
        _mm512_storeu_si512(codes_a + i, next_codes_512(&column_a, width, 0));
        _mm512_storeu_si512(codes_b + i, next_codes_512(&column_b, width, 0));
    }
    return all_legal_512(&column_a, width) & all_legal_512(&column_b, width);
}

static int pair_bytes_512(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t count, uint8_t *codes_a,
                          uint8_t *codes_b)
{
    switch (a->stride) {
    case 1: return bytes_of_width_512(a, b, start, count, codes_a, codes_b, 1);
    case 2: return bytes_of_width_512(a, b, start, count, codes_a, codes_b, 2);
    case 4: return bytes_of_width_512(a, b, start, count, codes_a, codes_b, 4);
    default: return bytes_of_width_512(a, b, start, count, codes_a, codes_b, 8);
    }
}
SIMD_END
#  define BYTES_IN_WIDE_VECTORS                                                                                   \
    if (simd_level_current() == SIMD_AVX512 && a->stride == b->stride && is_in_lanes(a) && is_in_lanes(b)         \
        && a->stride <= 8) {                                                                                      \
        const ptrdiff_t whole = in_vectors(a, b, count) / 64 * 64;                                                \
        if (pair_bytes_512(a, b, start, whole, codes_a, codes_b)) {                                               \
            start += whole; count -= whole; codes_a += whole; codes_b += whole;                                   \
        }                                                                                                         \
    }
#else
#  define BYTES_IN_WIDE_VECTORS
#endif
#ifdef AT_VECTOR_LEVEL
#  define PAIRS_IN_VECTORS(name)                                                                                  \
    if (are_for_vectors(a, b)) {                                                                                  \
        const ptrdiff_t whole = in_vectors(a, b, count);                                                          \
        if (AT_VECTOR_LEVEL(name, (a, b, start, whole, codes_a, codes_b))) {                                      \
            start += whole; count -= whole; codes_a += whole; codes_b += whole;                                   \
        }                                                                                                         \
    }
#else
#  define PAIRS_IN_VECTORS(name)
#endif
#define PAIR_CODES(name, code_t, narrow, in_wide_vectors)                                                         \
    static void name(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t count, code_t *codes_a,     \
                     code_t *codes_b)                                                                             \
    {                                                                                                             \
        in_wide_vectors                                                                                           \
        PAIRS_IN_VECTORS(name)                                                                                    \
        narrow(a, start, count, codes_a);                                                                         \
        narrow(b, start, count, codes_b);                                                                         \
    }
PAIR_CODES(pair_bytes, uint8_t, decode_bytes, BYTES_IN_WIDE_VECTORS)
PAIR_CODES(pair_words, uint16_t, decode_words, )
#undef PAIR_CODES
#undef BYTES_IN_WIDE_VECTORS
#undef PAIRS_IN_VECTORS

/* Computes cell = a * row + b, which must fit in cell_t. Compilers also vectorise the plain loop. At the AVX-512 level,
   however, sum_pairs took up to 2.7 times as long with only the plain loop. */
#ifdef AT_VECTOR_LEVEL
#  define CELLS_IN_VECTORS(name) AT_VECTOR_LEVEL(name, (a, b, i = count - count % VECTOR_PAIRS, row, cells))
#else
#  define CELLS_IN_VECTORS(name) (void)0
#endif
#define CELLS(name, code_t, cell_t)                                                                               \
    static void name(const code_t *a, const code_t *b, ptrdiff_t count, cell_t row, cell_t *cells)                \
    {                                                                                                             \
        ptrdiff_t i = 0;                                                                                          \
        CELLS_IN_VECTORS(name);                                                                                   \
        for (; i < count; i++) cells[i] = (cell_t)(a[i] * row + b[i]);                                            \
    }
CELLS(cells_of_bytes, uint8_t, uint16_t)
CELLS(short_cells_of_words, uint16_t, uint16_t)
CELLS(cells_of_words, uint16_t, uint32_t)
#undef CELLS
#undef CELLS_IN_VECTORS

#endif
