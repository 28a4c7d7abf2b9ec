/* Small codes of a block of a column, by the fastest way that the level in use has. Exact: outside becomes n_labels. */
#ifndef FASTKAPPA_NARROW_H
#define FASTKAPPA_NARROW_H

#include "../common/column.h"
#include "../common/vector_levels.h"
#include "avx512.h"

#define VECTOR_TEMPLATE "../narrow/vector.h"
#include "../common/each_vector_level.h"

/* count <= BLOCK in both. */
static void narrow_to_bytes(const column_t *column, ptrdiff_t start, ptrdiff_t count, uint8_t *codes)
{
#if SIMD_HAS_X86
    if (simd_level_current() == SIMD_AVX512) {
        narrow_to_bytes_512(column, start, count, codes);
        return;
    }
#endif
    decode_bytes(column, start, count, codes);
}

static void narrow_to_words(const column_t *column, ptrdiff_t start, ptrdiff_t count, uint16_t *codes)
{
#if SIMD_HAS_X86
    if (simd_level_current() == SIMD_AVX512) {
        narrow_to_words_512(column, start, count, codes);
        return;
    }
#endif
    decode_words(column, start, count, codes);
}

/* ---- pairs: a and b stay together, the order of pairs is left open ---- */

/* The vector levels below AVX-512 take whole vectors of contiguous integers, if all are inside. */
enum { VECTOR_PAIRS = 32 };  /* a multiple of every VECTOR_BYTES */

/* How many of that many pairs to take in vectors: behind the last element there may be nothing to read. */
ALWAYS_INLINE ptrdiff_t in_vectors(const column_t *a, const column_t *b, ptrdiff_t count)
{
    if (count > 0 && !(is_contiguous(a) && is_contiguous(b)))
        count--;
    return count - count % VECTOR_PAIRS;
}

/* Are these columns for them? Elements 16 bytes apart, and at SSE2 those of two widths, are decoded faster one by one. */
ALWAYS_INLINE int are_for_vectors(const column_t *a, const column_t *b)
{
    return has_vector_level() && is_in_lanes(a) && is_in_lanes(b) && a->stride <= 8 && b->stride <= 8
        && (a->stride == b->stride || simd_level_current() != SIMD_BASELINE);
}

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
#define PAIR_CODES(name, code_t, narrow)                                                                          \
    static void name(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t count, code_t *codes_a,     \
                     code_t *codes_b)                                                                             \
    {                                                                                                             \
        PAIRS_IN_VECTORS(name)                                                                                    \
        narrow(a, start, count, codes_a);                                                                         \
        narrow(b, start, count, codes_b);                                                                         \
    }
PAIR_CODES(pair_bytes, uint8_t, narrow_to_bytes)
PAIR_CODES(pair_words, uint16_t, narrow_to_words)
#undef PAIR_CODES
#undef PAIRS_IN_VECTORS

/* cell = a * row + b, which fits cell_t. Compilers make vectors of the plain loop too, but with it alone sums took up to 2.7
   times the time at AVX-512. */
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
