/* Pack scores and codes into sort keys: integers in the order of the scores, with the code in the low bits. */
#ifndef FASTKAPPA_SCORES_KEYS_H
#define FASTKAPPA_SCORES_KEYS_H

#include <float.h>
#include "../common/column.h"
#include "../common/simd_level.h"
#include "order.h"
#include "portable.h"

/* Key i < n_negative is number negative + i in the order of all doubles. Key n_negative is zero. A larger key i is number
   positive + i. So the many numbers close to zero that do not occur have no keys. */
typedef struct {
    uint64_t negative, n_negative, positive;
    int code_bits;
} key_layout_t;

#define KEY_LOOPS(LEVEL)                                                                                       \
    static void order_scores_##LEVEL(const double *scores, ptrdiff_t count, uint64_t *keys, uint64_t *limits)  \
    {                                                                                                          \
        uint64_t first = limits[0], last_negative = limits[1], first_positive = limits[2], last = limits[3];   \
        for (ptrdiff_t i = 0; i < count; i++) {                                                                \
            const uint64_t order = order_of(scores[i]);                                                        \
            const uint64_t negative = order & SIGN ? 0 : order, positive = order > SIGN ? order : UINT64_MAX;  \
            first = order < first ? order : first;                                                             \
            last = order > last ? order : last;                                                                \
            last_negative = negative > last_negative ? negative : last_negative;                               \
            first_positive = positive < first_positive ? positive : first_positive;                            \
            keys[i] = order;                                                                                   \
        }                                                                                                      \
        limits[0] = first, limits[1] = last_negative, limits[2] = first_positive, limits[3] = last;            \
    }                                                                                                          \
    static void pack_codes_##LEVEL(uint64_t *keys, const uint32_t *codes, ptrdiff_t count, const key_layout_t *layout) \
    {                                                                                                          \
        const uint64_t negative = layout->negative, positive = layout->positive, zero = SIGN - layout->n_negative; \
        const int bits = layout->code_bits;                                                                    \
        for (ptrdiff_t i = 0; i < count; i++)                                                                  \
            keys[i] = ((keys[i] - (keys[i] > SIGN ? positive : keys[i] & SIGN ? zero : negative)) << bits) | codes[i]; \
    }                                                                                                          \
    static void unpack_keys_##LEVEL(const uint64_t *keys, ptrdiff_t count, const key_layout_t *layout, double *scores, \
                                    uint16_t *codes)                                                           \
    {                                                                                                          \
        const uint64_t negative = layout->negative, n_negative = layout->n_negative, positive = layout->positive; \
        const int bits = layout->code_bits;                                                                    \
        const uint64_t code_mask = ((uint64_t)1 << bits) - 1;                                                  \
        for (ptrdiff_t i = 0; i < count; i++) {                                                                \
            const uint64_t key = keys[i] >> bits;                                                              \
            const uint64_t order = key + (key < n_negative ? negative : positive);                             \
            scores[i] = score_of_order(key == n_negative ? SIGN : order);                                      \
        }                                                                                                      \
        for (ptrdiff_t i = 0; i < count; i++) codes[i] = (uint16_t)(keys[i] & code_mask);                      \
    }

KEY_LOOPS(baseline)
#if SIMD_HAS_X86
SIMD_BEGIN_AVX2
KEY_LOOPS(avx2)
SIMD_END
SIMD_BEGIN_AVX512
KEY_LOOPS(avx512)
SIMD_END
#endif

enum { KEYS_FIT, KEYS_TOO_LONG, KEYS_NOT_FINITE };

/* Writes the keys of n items if the scores and the codes fit in 64 bits. */
static int pack_scores(const column_t *scores, const column_t *codes, ptrdiff_t n, uint64_t *keys, key_layout_t *layout)
{
    double x[BLOCK];
    uint32_t words[BLOCK];
    uint64_t limits[] = {UINT64_MAX, 0, UINT64_MAX, 0};
    for (ptrdiff_t start = 0; start < n; start += BLOCK) {
        const ptrdiff_t count = n - start < BLOCK ? n - start : BLOCK;
        read_doubles(scores, start, count, x);
        AT_LEVEL(order_scores, x, count, keys + start, limits);
    }
    const uint64_t first = limits[0], last_negative = limits[1], first_positive = limits[2], last = limits[3];
    if (first < order_of(-DBL_MAX) || last > order_of(DBL_MAX))
        return KEYS_NOT_FINITE;
    const int any_negative = !(first & SIGN), any_positive = last > SIGN;
    const uint64_t n_negative = any_negative ? last_negative - first + 1 : 0;
    const uint64_t n_positive = any_positive ? last - first_positive + 1 : 0;
    layout->code_bits = 1;
    while (codes->n_labels >> layout->code_bits) layout->code_bits++;
    layout->negative = first;
    layout->n_negative = n_negative;
    layout->positive = first_positive - n_negative - 1;
    const uint64_t n_keys = n_negative + 1 + n_positive;
    if (n_keys < n_negative || n_keys >> (64 - layout->code_bits))
        return KEYS_TOO_LONG;
    for (ptrdiff_t start = 0; start < n; start += BLOCK) {
        const ptrdiff_t count = n - start < BLOCK ? n - start : BLOCK;
        decode(codes, start, count, words);
        AT_LEVEL(pack_codes, keys + start, words, count, layout);
    }
    return KEYS_FIT;
}

/* Unpacks n keys into scores and codes. */
static void unpack_scores(const uint64_t *keys, ptrdiff_t n, const key_layout_t *layout, int kind, void *scores,
                          uint16_t *codes)
{
    double x[BLOCK];
    for (ptrdiff_t start = 0; start < n; start += BLOCK) {
        const ptrdiff_t count = n - start < BLOCK ? n - start : BLOCK;
        double *out = kind == COLUMN_FLOAT64 ? (double *)scores + start : x;
        AT_LEVEL(unpack_keys, keys + start, count, layout, out, codes + start);
        if (kind == COLUMN_FLOAT32)
            for (ptrdiff_t i = 0; i < count; i++) ((float *)scores)[start + i] = (float)x[i];
    }
}

#endif
