/* Few labels are looked up in registers: 64 slots of a byte each, and 16 labels. */
#ifndef FASTKAPPA_LABELS_AVX512_H
#define FASTKAPPA_LABELS_AVX512_H

#include "../common/column.h"
#include "hash.h"

#if SIMD_HAS_X86
enum { FEW_AT_ONCE = 32 };

ALWAYS_INLINE int fits_registers_512(const column_t *column, const label_hash_t *hash)
{
    return hash->n_labels <= 16 && hash->shift == 58 && hash->code_width == 1
        && is_plain_integer(column) && column->stride > 1;
}

SIMD_BEGIN_AVX512

/* Eight elements, signs extended. */
ALWAYS_INLINE __m512i load_wide_512(const char *p, int kind)
{
    switch (kind) {
    case COLUMN_INT16: return _mm512_cvtepi16_epi64(_mm_loadu_si128((const __m128i *)p));
    case COLUMN_UINT16: return _mm512_cvtepu16_epi64(_mm_loadu_si128((const __m128i *)p));
    case COLUMN_INT32: return _mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)p));
    case COLUMN_UINT32: return _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)p));
    default: return _mm512_loadu_si512(p);
    }
}

/* FEW_AT_ONCE elements at a time, up to those with one that is not in the slot which its hash names; returns how many. */
ALWAYS_INLINE ptrdiff_t look_up_kind_512(const char *p, int kind, const label_hash_t *hash, ptrdiff_t count, uint8_t *codes)
{
    const int width = element_width(kind);
    uint64_t labels[16] = {0};
    memcpy(labels, hash->labels, (hash->n_labels < 16 ? hash->n_labels + 1 : 16) * sizeof *labels);
    const __m512i slots = _mm512_loadu_si512(hash->slots);
    const __m512i low = _mm512_loadu_si512(labels), high = _mm512_loadu_si512(labels + 8);
    const __m512i multiplier = _mm512_set1_epi64((long long)hash->multiplier);
    ptrdiff_t i = 0;
    for (; i + FEW_AT_ONCE <= count; i += FEW_AT_ONCE) {
        __mmask8 others = 0;
        for (int j = 0; j < FEW_AT_ONCE; j += 8) {
            const __m512i value = load_wide_512(p + (i + j) * width, kind);
            const __m512i slot = _mm512_srli_epi64(_mm512_mullo_epi64(value, multiplier), 58);
            /* The upper bytes of each lane become the code of slot 0: they are cut off, and not looked at before. */
            const __m512i code = _mm512_permutexvar_epi8(slot, slots);
            others |= _mm512_cmpneq_epi64_mask(value, _mm512_permutex2var_epi64(low, code, high));
            _mm_storel_epi64((__m128i *)(codes + i + j), _mm512_cvtepi64_epi8(code));
        }
        if (UNLIKELY(others))
            break;
    }
    return i;
}

static ptrdiff_t look_up_few_512(const column_t *column, const label_hash_t *hash, ptrdiff_t start, ptrdiff_t stop, uint8_t *codes)
{
    const char *p = element_address(column, start);
    switch (column->kind) {
    case COLUMN_INT16: return look_up_kind_512(p, COLUMN_INT16, hash, stop - start, codes);
    case COLUMN_UINT16: return look_up_kind_512(p, COLUMN_UINT16, hash, stop - start, codes);
    case COLUMN_INT32: return look_up_kind_512(p, COLUMN_INT32, hash, stop - start, codes);
    case COLUMN_UINT32: return look_up_kind_512(p, COLUMN_UINT32, hash, stop - start, codes);
    default: return look_up_kind_512(p, COLUMN_INT64, hash, stop - start, codes);
    }
}

SIMD_END
#endif
#endif
