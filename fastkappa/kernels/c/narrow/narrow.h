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

static void pair_bytes(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t count, uint8_t *codes_a, uint8_t *codes_b)
{
#ifdef AT_VECTOR_LEVEL
    if (has_vector_level() && is_in_lanes(a) && is_in_lanes(b)) {
        const ptrdiff_t whole = in_vectors(a, b, count);
        if (AT_VECTOR_LEVEL(pair_bytes, (a, b, start, whole, codes_a, codes_b))) {
            start += whole; count -= whole; codes_a += whole; codes_b += whole;
        }
    }
#endif
    narrow_to_bytes(a, start, count, codes_a);
    narrow_to_bytes(b, start, count, codes_b);
}

static void pair_words(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t count, uint16_t *codes_a, uint16_t *codes_b)
{
#ifdef AT_VECTOR_LEVEL
    if (has_vector_level() && is_in_lanes(a) && is_in_lanes(b)) {
        const ptrdiff_t whole = in_vectors(a, b, count);
        if (AT_VECTOR_LEVEL(pair_words, (a, b, start, whole, codes_a, codes_b))) {
            start += whole; count -= whole; codes_a += whole; codes_b += whole;
        }
    }
#endif
    narrow_to_words(a, start, count, codes_a);
    narrow_to_words(b, start, count, codes_b);
}

/* cell = a * row + b */
static void cells_of_bytes(const uint8_t *a, const uint8_t *b, ptrdiff_t count, uint16_t row, uint16_t *cells)
{
    ptrdiff_t i = 0;
#ifdef AT_VECTOR_LEVEL
    i = count - count % VECTOR_PAIRS;
    AT_VECTOR_LEVEL(cells_of_bytes, (a, b, i, row, cells));
#endif
    for (; i < count; i++)
        cells[i] = (uint16_t)(a[i] * row + b[i]);
}

static void cells_of_words(const uint16_t *a, const uint16_t *b, ptrdiff_t count, uint32_t row, uint32_t *cells)
{
    ptrdiff_t i = 0;
#ifdef AT_VECTOR_LEVEL
    i = count - count % VECTOR_PAIRS;
    AT_VECTOR_LEVEL(cells_of_words, (a, b, i, row, cells));
#endif
    for (; i < count; i++)
        cells[i] = a[i] * row + b[i];
}

/* The same where cells fit words, in the order of the codes. */
static void short_cells_of_words(const uint16_t *a, const uint16_t *b, ptrdiff_t count, uint16_t row, uint16_t *cells)
{
    ptrdiff_t i = 0;
#ifdef AT_VECTOR_LEVEL
    i = count - count % VECTOR_PAIRS;
    AT_VECTOR_LEVEL(short_cells_of_words, (a, b, i, row, cells));
#endif
    for (; i < count; i++)
        cells[i] = (uint16_t)(a[i] * row + b[i]);
}

#endif
