/* Find the row of each score in a table of bins. The rows are described in bins.h. */
#ifndef FASTKAPPA_SCORES_PORTABLE_H
#define FASTKAPPA_SCORES_PORTABLE_H

#include <float.h>
#include <math.h>
#include "../common/column.h"
#include "../common/simd_level.h"
#include "../common/values.h"

typedef struct {
    double low, scale;
    int32_t n_inner;
} bins_t;

#define BIN_LOOPS(LEVEL)                                                                                       \
    static void rows_of_scores_##LEVEL(const double *scores, ptrdiff_t count, const bins_t *bins, uint32_t *rows) \
    {                                                                                                          \
        const double low = bins->low, scale = bins->scale, last = bins->n_inner;                               \
        const int32_t outside = bins->n_inner + 2;                                                             \
        for (ptrdiff_t i = 0; i < count; i++) {                                                                \
            double t = (scores[i] - low) * scale;                                                              \
            t = t < 0 ? -1.0 : t;                                                                              \
            t = t < last ? t : last;                                                                           \
            rows[i] = (uint32_t)(fabs(scores[i]) <= DBL_MAX ? (int32_t)t + 1 : outside);                       \
        }                                                                                                      \
    }

BIN_LOOPS(baseline)
#if SIMD_HAS_X86
SIMD_BEGIN_AVX2
BIN_LOOPS(avx2)
SIMD_END
SIMD_BEGIN_AVX512
BIN_LOOPS(avx512)
SIMD_END
#endif

/* Writes the row of each score in a block, and returns the scores as doubles. Unless the scores
   can be read as doubles in place, they are converted in `copies`, which must have room for a
   block. */
static const double *rows_of_block(const column_t *scores, ptrdiff_t start, ptrdiff_t count, const bins_t *bins,
                                   double *copies, uint32_t *rows)
{
    const double *x = copies;
    if (scores->kind == COLUMN_FLOAT64 && !scores->swapped && is_contiguous(scores)
        && (uintptr_t)element_address(scores, start) % sizeof(double) == 0)
        x = (const double *)element_address(scores, start);
    else
        read_doubles(scores, start, count, copies);
    AT_LEVEL(rows_of_scores, x, count, bins, rows);
    return x;
}

#endif
