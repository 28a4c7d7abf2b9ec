/* Read integers with 64-byte vectors, one integer per lane, and narrow their codes to bytes.
   Narrowing changes the order of the codes, which does not matter (see pairs/avx512.h). */
#ifndef FASTKAPPA_COMMON_AVX512_H
#define FASTKAPPA_COMMON_AVX512_H

#include "column.h"
#include "simd_level.h"

#if SIMD_HAS_X86
SIMD_BEGIN_AVX512

/* The stride can be larger than an element (see is_in_lanes). A lane is as wide as the stride, and
   the bytes above the element are ignored. Only the low byte of a lane is kept, and only the bits
   of the element are checked:

       an int16 every 4 bytes, lowest 1:   07 00 xx xx  - 1  =  06 00 yy yy     06 is the code, 00 is checked, yy is not

   With a stride of 16 bytes, only every other 64-bit lane contains an element. Two such vectors are
   combined into one ("halved"). */

/* The state of one column while a group is read. */
typedef struct {
    const char *next;
    __m512i lowest;      /* the lowest label, in each lane */
    __m512i high;        /* OR of all codes; a bit above the low byte means that a value was not a label */
    __m512i above;       /* mask of the element's bits above its low byte, in each lane */
    __m512i largest;     /* the largest code at each byte position */
    __m512i limit;       /* the largest legal code */
} column_512_t;

/* Returns a vector with `value` in each lane of the given width. */
ALWAYS_INLINE __m512i broadcast_512(uint64_t value, int width)
{
    return width == 1 ? _mm512_set1_epi8((char)value)
         : width == 2 ? _mm512_set1_epi16((short)value)
         : width == 4 ? _mm512_set1_epi32((int)value)
                      : _mm512_set1_epi64((long long)value);
}

ALWAYS_INLINE column_512_t column_512(const column_t *source, ptrdiff_t start, int width)
{
    const uint64_t element = ~(uint64_t)0 >> (64 - 8 * element_width(source->kind));
    column_512_t column;
    column.next = element_address(source, start);
    column.lowest = broadcast_512(source->lowest, width);
    column.above = broadcast_512(element & ~(uint64_t)0xFF, width);
    column.high = column.largest = _mm512_setzero_si512();
    column.limit = _mm512_set1_epi8((char)(source->n_labels - 1));
    return column;
}

ALWAYS_INLINE __m512i next_vector_512(column_512_t *column, int width)
{
    if (width == 1)
        fetch_next_page(column->next);
    const __m512i values = _mm512_loadu_si512(column->next);
    column->next += 64;
    return values;
}

/* Returns the next 64 / width codes, one per lane. Bytes above an element are not cleared. */
ALWAYS_INLINE __m512i next_lanes_512(column_512_t *column, int width, int halved)
{
    __m512i values = next_vector_512(column, width);
    if (halved)
        values = _mm512_unpacklo_epi64(values, next_vector_512(column, width));
    return width == 1 ? _mm512_sub_epi8(values, column->lowest)
         : width == 2 ? _mm512_sub_epi16(values, column->lowest)
         : width == 4 ? _mm512_sub_epi32(values, column->lowest)
                      : _mm512_sub_epi64(values, column->lowest);
}

/* Inserts a code into the top byte of each lane and moves the other bytes down by one, both with a single vpshrd. */
ALWAYS_INLINE __m512i push_byte_512(__m512i bytes, __m512i codes, int width)
{
    return width == 2 ? _mm512_shrdi_epi16(bytes, codes, 8)
         : width == 4 ? _mm512_shrdi_epi32(bytes, codes, 8)
                      : _mm512_shrdi_epi64(bytes, codes, 8);
}

ALWAYS_INLINE __m512i or3_512(__m512i x, __m512i y, __m512i z)
{
    return _mm512_ternarylogic_epi64(x, y, z, 0xFE);
}

/* Returns the next 64 codes as bytes, narrowed from `width` vectors with lanes of `width` bytes. The order of the codes
   depends only on the width, so the codes of two columns of equal width stay paired. */
ALWAYS_INLINE __m512i next_codes_512(column_512_t *column, int width, int halved)
{
    __m512i bytes = next_lanes_512(column, width, halved);
    if (width > 1) {
        __m512i codes = next_lanes_512(column, width, halved);
        column->high = or3_512(column->high, bytes, codes);
        bytes = push_byte_512(push_byte_512(bytes, bytes, width), codes, width);
        for (int k = 2; k < width; k += 2) {
            const __m512i first = next_lanes_512(column, width, halved), second = next_lanes_512(column, width, halved);
            column->high = or3_512(column->high, first, second);
            bytes = push_byte_512(push_byte_512(bytes, first, width), second, width);
        }
    }
    column->largest = _mm512_max_epu8(column->largest, bytes);
    return bytes;
}

/* Returns whether all codes since the last call were legal. */
ALWAYS_INLINE int all_legal_512(column_512_t *column, int width)
{
    int outside = _mm512_cmpgt_epu8_mask(column->largest, column->limit) != 0;
    if (width > 1)
        outside |= _mm512_test_epi64_mask(column->high, column->above) != 0;
    column->high = column->largest = _mm512_setzero_si512();
    return !outside;
}

SIMD_END
#endif
#endif
