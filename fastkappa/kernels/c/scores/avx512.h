/* Bins of contiguous scores with 64-byte vectors, 16 scores at a time.

   Rows are the same as everywhere, bit for bit: a difference and a product of doubles, each rounded, then the floor. Codes
   are widened to the lanes as they lie; a cell of the table is  row * (n_labels + 1) + code.

   Rows that are wanted are few intervals, for cuts are few: so scores are compared with the ends of each, instead of
   their rows being looked up one by one. */
#ifndef FASTKAPPA_SCORES_AVX512_H
#define FASTKAPPA_SCORES_AVX512_H

#include "../common/column.h"
#include "portable.h"

#if SIMD_HAS_X86
SIMD_BEGIN_AVX512

typedef struct {
    __m512d low, scale, last;
    __m512i outside;
} bins_512_t;

ALWAYS_INLINE bins_512_t bins_512(const bins_t *bins)
{
    bins_512_t result;
    result.low = _mm512_set1_pd(bins->low);
    result.scale = _mm512_set1_pd(bins->scale);
    result.last = _mm512_set1_pd(bins->n_inner);
    result.outside = _mm512_set1_epi32(bins->n_inner + 1);
    return result;
}

/* The row of each of 8 scores, less one; NaN and the infinities have any. */
ALWAYS_INLINE __m256i eight_rows_512(__m512d x, const bins_512_t *bins)
{
    const __m512d steps = _mm512_mul_pd(_mm512_sub_pd(x, bins->low), bins->scale);
    const __m512d inside = _mm512_min_pd(_mm512_max_pd(steps, _mm512_set1_pd(-1)), bins->last);
    return _mm512_cvt_roundpd_epi32(inside, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}

/* The row of each of 16 scores, less one. */
ALWAYS_INLINE __m512i sixteen_rows_512(const char *p, int kind, const bins_512_t *bins)
{
    enum { NOT_FINITE = 0x99 };
    __m512d first, second;
    __mmask16 not_finite;
    fetch_next_page(p);
    if (kind == COLUMN_FLOAT32) {
        const __m512 x = _mm512_loadu_ps(p);
        not_finite = _mm512_fpclass_ps_mask(x, NOT_FINITE);
        first = _mm512_cvtps_pd(_mm512_castps512_ps256(x));
        second = _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1));
    } else {
        fetch_next_page(p + 64);
        first = _mm512_loadu_pd(p);
        second = _mm512_loadu_pd(p + 64);
        not_finite = (__mmask16)(_mm512_fpclass_pd_mask(first, NOT_FINITE)
                                 | _mm512_fpclass_pd_mask(second, NOT_FINITE) << 8);
    }
    const __m512i rows = _mm512_inserti64x4(_mm512_castsi256_si512(eight_rows_512(first, bins)),
                                            eight_rows_512(second, bins), 1);
    return _mm512_mask_mov_epi32(rows, not_finite, bins->outside);
}

/* The codes of 16 contiguous integers of that width, n_labels for those outside. */
ALWAYS_INLINE __m512i sixteen_codes_512(const char *p, int width, uint64_t lowest, uint32_t n_labels)
{
    const __m512i outside = _mm512_set1_epi32((int)n_labels);
    fetch_next_page(p);
    if (width == 1) {
        const __m128i values = _mm_loadu_si128((const __m128i *)p);
        return _mm512_min_epu32(_mm512_cvtepu8_epi32(_mm_sub_epi8(values, _mm_set1_epi8((char)lowest))), outside);
    }
    if (width == 2) {
        const __m256i values = _mm256_loadu_si256((const __m256i *)p);
        return _mm512_min_epu32(_mm512_cvtepu16_epi32(_mm256_sub_epi16(values, _mm256_set1_epi16((short)lowest))), outside);
    }
    if (width == 4)
        return _mm512_min_epu32(_mm512_sub_epi32(_mm512_loadu_si512(p), _mm512_set1_epi32((int)lowest)), outside);
    const __m512i low = _mm512_set1_epi64((long long)lowest), limit = _mm512_set1_epi64((long long)n_labels);
    fetch_next_page(p + 64);
    const __m512i first = _mm512_min_epu64(_mm512_sub_epi64(_mm512_loadu_si512(p), low), limit);
    const __m512i second = _mm512_min_epu64(_mm512_sub_epi64(_mm512_loadu_si512(p + 64), low), limit);
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(first)), _mm512_cvtepi64_epi32(second), 1);
}

/* The cells of `count` items, a multiple of 16. */
ALWAYS_INLINE void cells_512(const char *scores, int kind, const char *codes, int width, uint64_t lowest, uint32_t n_labels,
                             ptrdiff_t count, const bins_t *bins, uint32_t *cells)
{
    const bins_512_t vectors = bins_512(bins);
    const __m512i columns = _mm512_set1_epi32((int)n_labels + 1);
    for (ptrdiff_t i = 0; i < count; i += 16) {
        const __m512i rows = sixteen_rows_512(scores + i * element_width(kind), kind, &vectors);
        const __m512i code = sixteen_codes_512(codes + i * width, width, lowest, n_labels);
        const __m512i cell = _mm512_add_epi32(_mm512_mullo_epi32(rows, columns), _mm512_add_epi32(code, columns));
        _mm512_storeu_si512(cells + i, cell);
    }
}

#define CELLS_512(name, kind, width)                                                                              \
    NEVER_INLINE void name(const char *scores, const char *codes, uint64_t lowest, uint32_t n_labels, ptrdiff_t count, \
                           const bins_t *bins, uint32_t *cells)                                                   \
    {                                                                                                             \
        cells_512(scores, kind, codes, width, lowest, n_labels, count, bins, cells);                              \
    }
CELLS_512(cells_512_floats_8, COLUMN_FLOAT32, 1)
CELLS_512(cells_512_floats_16, COLUMN_FLOAT32, 2)
CELLS_512(cells_512_floats_32, COLUMN_FLOAT32, 4)
CELLS_512(cells_512_floats_64, COLUMN_FLOAT32, 8)
CELLS_512(cells_512_doubles_8, COLUMN_FLOAT64, 1)
CELLS_512(cells_512_doubles_16, COLUMN_FLOAT64, 2)
CELLS_512(cells_512_doubles_32, COLUMN_FLOAT64, 4)
CELLS_512(cells_512_doubles_64, COLUMN_FLOAT64, 8)
#undef CELLS_512

/* The cells of items that lie so that vectors can load them; `count` is a multiple of 16. */
static void cells_of_block_512(const column_t *scores, const column_t *codes, ptrdiff_t start, ptrdiff_t count,
                               const bins_t *bins, uint32_t *cells)
{
    const char *x = element_address(scores, start), *y = element_address(codes, start);
    const uint32_t n = (uint32_t)codes->n_labels;
    if (scores->kind == COLUMN_FLOAT32)
        (codes->stride == 1 ? cells_512_floats_8 : codes->stride == 2 ? cells_512_floats_16
       : codes->stride == 4 ? cells_512_floats_32 : cells_512_floats_64)(x, y, codes->lowest, n, count, bins, cells);
    else
        (codes->stride == 1 ? cells_512_doubles_8 : codes->stride == 2 ? cells_512_doubles_16
       : codes->stride == 4 ? cells_512_doubles_32 : cells_512_doubles_64)(x, y, codes->lowest, n, count, bins, cells);
}

/* The least float that is not below a finite score. */
ALWAYS_INLINE float float_not_below(double score)
{
    const __m128 x = _mm_cvt_roundsd_ss(_mm_setzero_ps(), _mm_set_sd(score), _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
    return _mm_cvtss_f32(x);
}

/* Writes the scores in the intervals, and where they lie among `count`, a multiple of 16; returns how many they are.
   `out` and `places` have room for `count`. Nothing branches on a score: it would be mispredicted. */
static ptrdiff_t choose_512_floats(const char *scores, ptrdiff_t count, const interval_t *intervals, int n_intervals,
                                   char *out, uint32_t *places)
{
    float low[MOST_INTERVALS], end[MOST_INTERVALS];
    __m512i place = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    ptrdiff_t n = 0;
    for (int k = 0; k < n_intervals; k++) {
        low[k] = float_not_below(intervals[k].low);
        end[k] = float_not_below(intervals[k].end);
    }
    for (ptrdiff_t i = 0; i < count; i += 16, place = _mm512_add_epi32(place, _mm512_set1_epi32(16))) {
        const __m512 x = _mm512_loadu_ps(scores + i * 4);
        __mmask16 wanted = 0;
        fetch_next_page(scores + i * 4);
        for (int k = 0; k < n_intervals; k++) {
            const __mmask16 above = _mm512_cmp_ps_mask(x, _mm512_set1_ps(low[k]), _CMP_GE_OQ);
            wanted |= _mm512_mask_cmp_ps_mask(above, x, _mm512_set1_ps(end[k]), _CMP_LT_OQ);
        }
        _mm512_storeu_si512(places + n, _mm512_maskz_compress_epi32(wanted, place));
        _mm512_storeu_ps(out + n * 4, _mm512_maskz_compress_ps(wanted, x));
        n += (int)_mm_popcnt_u32(wanted);
    }
    return n;
}

static ptrdiff_t choose_512_doubles(const char *scores, ptrdiff_t count, const interval_t *intervals, int n_intervals,
                                    char *out, uint32_t *places)
{
    __m512i place = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    ptrdiff_t n = 0;
    for (ptrdiff_t i = 0; i < count; i += 8, place = _mm512_add_epi64(place, _mm512_set1_epi64(8))) {
        const __m512d x = _mm512_loadu_pd(scores + i * 8);
        __mmask8 wanted = 0;
        fetch_next_page(scores + i * 8);
        for (int k = 0; k < n_intervals; k++) {
            const __mmask8 above = _mm512_cmp_pd_mask(x, _mm512_set1_pd(intervals[k].low), _CMP_GE_OQ);
            wanted |= _mm512_mask_cmp_pd_mask(above, x, _mm512_set1_pd(intervals[k].end), _CMP_LT_OQ);
        }
        _mm256_storeu_si256((__m256i *)(places + n), _mm512_cvtepi64_epi32(_mm512_maskz_compress_epi64(wanted, place)));
        _mm512_storeu_pd(out + n * 8, _mm512_maskz_compress_pd(wanted, x));
        n += (int)_mm_popcnt_u32(wanted);
    }
    return n;
}
SIMD_END
#endif
#endif
