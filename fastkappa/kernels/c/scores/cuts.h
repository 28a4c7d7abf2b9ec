/* Find the best cuts between sorted scores. Only fastkappa/shortcuts uses this header, because other kernels compute no
   statistics. */
#ifndef FASTKAPPA_SCORES_CUTS_H
#define FASTKAPPA_SCORES_CUTS_H

#include <math.h>
#include "../common/simd_level.h"

/* The number of possible places of a cut that are evaluated at a time. */
enum { PLACES = 128 };

/* Finds, for each cut c, the place j with the smallest f_c(j) = sum over y of
   steps[c][y] * prefix[y][j]. If several places tie, the first one is chosen. */
#define CUT_LOOPS(LEVEL)                                                                                       \
    static void least_places_##LEVEL(const double *prefix, ptrdiff_t n_places, ptrdiff_t n_labels,             \
                                     const double *steps, int64_t *positions, double *least)                   \
    {                                                                                                          \
        double values[PLACES];                                                                                 \
        for (ptrdiff_t c = 0; c < n_labels - 1; c++) least[c] = INFINITY;                                      \
        for (ptrdiff_t start = 0; start < n_places; start += PLACES) {                                         \
            const ptrdiff_t count = n_places - start < PLACES ? n_places - start : PLACES;                     \
            for (ptrdiff_t c = 0; c < n_labels - 1; c++) {                                                     \
                const double *p = prefix + start, *step = steps + c * n_labels;                                \
                for (ptrdiff_t j = 0; j < count; j++) values[j] = step[0] * p[j];                              \
                for (ptrdiff_t y = 1; y < n_labels; y++) {                                                     \
                    p += n_places;                                                                             \
                    for (ptrdiff_t j = 0; j < count; j++) values[j] += step[y] * p[j];                         \
                }                                                                                              \
                for (ptrdiff_t j = 0; j < count; j++)                                                          \
                    if (values[j] < least[c]) {                                                                \
                        least[c] = values[j];                                                                  \
                        positions[c] = start + j;                                                              \
                    }                                                                                          \
            }                                                                                                  \
        }                                                                                                      \
    }

CUT_LOOPS(baseline)
#if SIMD_HAS_X86
SIMD_BEGIN_AVX2
CUT_LOOPS(avx2)
SIMD_END
SIMD_BEGIN_AVX512
CUT_LOOPS(avx512)
SIMD_END
#endif

/* Searches for the best cuts by Dinkelbach's method, without a constraint on their order. If `known` is true, the search starts
   from the cuts in `positions`, and `ratio` contains their O and C (see fastkappa/thresholds/cuts/cut_programme.py). On return,
   `positions` and `ratio` describe the best cuts. `matrix` is n_labels x n_labels, `chance` has n_labels entries, and `work`
   has room for n_labels x (n_labels + 1) numbers. Returns the number of rounds, or 0 if the general path is needed because cuts
   are out of order or kappa is undefined. */
static int search_cuts(const double *prefix, ptrdiff_t n_places, ptrdiff_t n_labels, const double *matrix,
                       const double *chance, double *ratio, int64_t *positions, int known, double *work,
                       int64_t *candidates)
{
    double *steps = work, *least = work + n_labels * n_labels;
    for (int rounds = 1; rounds <= 100; rounds++) {
        for (ptrdiff_t c = 0; c < n_labels - 1; c++)
            for (ptrdiff_t y = 0; y < n_labels; y++) {
                const double here = matrix[y * n_labels + c] * ratio[1] - ratio[0] * chance[c];
                const double next = matrix[y * n_labels + c + 1] * ratio[1] - ratio[0] * chance[c + 1];
                steps[c * n_labels + y] = here - next;
            }
        AT_LEVEL(least_places, prefix, n_places, n_labels, steps, candidates, least);
        for (ptrdiff_t c = 1; c < n_labels - 1; c++)
            if (candidates[c] < candidates[c - 1])
                return 0;
        double observed = 0, by_chance = 0;
        for (ptrdiff_t y = 0; y < n_labels; y++) {
            double below = 0;
            for (ptrdiff_t c = 0; c < n_labels; c++) {
                const ptrdiff_t place = c < n_labels - 1 ? (ptrdiff_t)candidates[c] : n_places - 1;
                const double upto = prefix[y * n_places + place], cell = upto - below;
                observed += matrix[y * n_labels + c] * cell;
                by_chance += chance[c] * cell;
                below = upto;
            }
        }
        if (by_chance == 0)
            return 0;
        if ((known || rounds > 1) && observed * ratio[1] >= ratio[0] * by_chance)
            return rounds;
        memcpy(positions, candidates, (size_t)(n_labels - 1) * sizeof *positions);
        ratio[0] = observed;
        ratio[1] = by_chance;
    }
    return 0;
}

#endif
