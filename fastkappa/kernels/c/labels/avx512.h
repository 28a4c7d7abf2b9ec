/* Look up labels in registers if there are few labels. The registers contain 64 one-byte slots, and 16 labels in lanes that are
   as wide as the elements.

   The product that selects a slot has 64 bits (see look_up.h). If the lower 48 bits of its
   multiplier are 0, the upper 16 bits of the product depend only on the lower 16 bits of the value
   and the upper 16 bits of the multiplier. With such a multiplier, 16-bit lanes find the same slots
   as 64-bit lanes. */
#ifndef FASTKAPPA_LABELS_AVX512_H
#define FASTKAPPA_LABELS_AVX512_H

#include "../common/avx512.h"
#include "../common/column.h"
#include "hash.h"

#if SIMD_HAS_X86
enum { FEW_AT_ONCE = 32, FEW_LABELS = 16, SLOT_BITS = 6 };

/* Returns whether values of this kind can be equal to the label. */
ALWAYS_INLINE int fits_kind(uint64_t label, int kind)
{
    const int above = 64 - 8 * element_width(kind);
    return (kind >= COLUMN_UINT8 ? label << above >> above : (uint64_t)((int64_t)(label << above) >> above)) == label;
}

static int fits_registers_512(const column_t *column, const label_hash_t *hash)
{
    if (hash->n_labels > FEW_LABELS || hash->shift != 64 - SLOT_BITS || hash->code_width != 1
        || !is_plain_integer(column) || column->stride == 1
        || (column->stride < 8 && hash->multiplier << (8 * column->stride)))
        return 0;
    for (uint64_t code = 0; code < hash->n_labels; code++)
        if (!fits_kind(hash->labels[code], column->kind))
            return 0;
    return 1;
}

SIMD_BEGIN_AVX512

/* Looks up FEW_AT_ONCE elements at a time. Stops at a group with an element that is not in the slot
   selected by its hash, and returns the number of elements before the group. Codes are as wide as a
   lane, but only the low byte of a code is used. The other bytes are copies of slot 0. */
ALWAYS_INLINE ptrdiff_t look_up_width_512(const char *p, const label_hash_t *hash, ptrdiff_t count, uint8_t *codes, int width)
{
    char labels[8 * FEW_LABELS] = {0};
    for (uint64_t code = 0; code <= hash->n_labels && code < FEW_LABELS; code++)
        memcpy(labels + code * (uint64_t)width, &hash->labels[code], (size_t)width);
    /* If there are 16 labels, code 16 marks an empty slot and must select the first label. In wider
       lanes, an index has 4 bits, so 16 wraps to 0. In 16-bit lanes, an index has 5 bits, so the
       first label is repeated as entry 16. */
    if (width == 2)
        memcpy(labels + 2 * FEW_LABELS, &hash->labels[0], 2);
    const __m512i slots = _mm512_loadu_si512(hash->slots);
    const __m512i low = _mm512_loadu_si512(labels), high = _mm512_loadu_si512(labels + 64);
    const __m512i multiplier = broadcast_512(hash->multiplier >> (64 - 8 * width), width);
    ptrdiff_t i = 0;
    for (; i + FEW_AT_ONCE <= count; i += FEW_AT_ONCE) {
        uint64_t others = 0;
        for (int j = 0; j < FEW_AT_ONCE; j += 64 / width) {
            const __m512i value = _mm512_loadu_si512(p + (i + j) * width);
            if (width == 2) {
                const __m512i slot = _mm512_srli_epi16(_mm512_mullo_epi16(value, multiplier), 16 - SLOT_BITS);
                const __m512i code = _mm512_permutexvar_epi8(slot, slots);
                others |= _mm512_cmpneq_epi16_mask(value, _mm512_permutexvar_epi16(code, low));
                _mm256_storeu_si256((__m256i *)(void *)(codes + i + j), _mm512_cvtepi16_epi8(code));
            } else if (width == 4) {
                const __m512i slot = _mm512_srli_epi32(_mm512_mullo_epi32(value, multiplier), 32 - SLOT_BITS);
                const __m512i code = _mm512_permutexvar_epi8(slot, slots);
                others |= _mm512_cmpneq_epi32_mask(value, _mm512_permutexvar_epi32(code, low));
                _mm_storeu_si128((__m128i *)(void *)(codes + i + j), _mm512_cvtepi32_epi8(code));
            } else {
                const __m512i slot = _mm512_srli_epi64(_mm512_mullo_epi64(value, multiplier), 64 - SLOT_BITS);
                const __m512i code = _mm512_permutexvar_epi8(slot, slots);
                others |= _mm512_cmpneq_epi64_mask(value, _mm512_permutex2var_epi64(low, code, high));
                _mm_storel_epi64((__m128i *)(void *)(codes + i + j), _mm512_cvtepi64_epi8(code));
            }
        }
        if (UNLIKELY(others))
            break;
    }
    return i;
}

static ptrdiff_t look_up_few_512(const column_t *column, const label_hash_t *hash, ptrdiff_t start, ptrdiff_t stop, uint8_t *codes)
{
    const char *p = element_address(column, start);
    switch (column->stride) {
    case 2: return look_up_width_512(p, hash, stop - start, codes, 2);
    case 4: return look_up_width_512(p, hash, stop - start, codes, 4);
    default: return look_up_width_512(p, hash, stop - start, codes, 8);
    }
}

SIMD_END
#endif
#endif
