/* Compute prefix sums per label over sorted items. */
#ifndef FASTKAPPA_SCORES_ACCUMULATE_H
#define FASTKAPPA_SCORES_ACCUMULATE_H

#include <stddef.h>
#include <stdint.h>

/* Writes the cumulative count, or sum of weights, of each label at each place, starting from 0 at places[0]. `prefix`
   is n_labels x n_places. All codes must be below n_labels. */
static void accumulate_labels(const uint16_t *codes, const double *weights, const int64_t *places, ptrdiff_t n_places,
                              ptrdiff_t n_labels, double *prefix, double *below)
{
    for (ptrdiff_t y = 0; y < n_labels; y++) prefix[y * n_places] = below[y] = 0;
    for (ptrdiff_t j = 1; j < n_places; j++) {
        for (int64_t i = places[j - 1]; i < places[j]; i++)
            if (codes[i] < n_labels) below[codes[i]] += weights ? weights[i] : 1.0;
        for (ptrdiff_t y = 0; y < n_labels; y++) prefix[y * n_places + j] = below[y];
    }
}

#endif
