/* Compute prefix sums per label over sorted items. */
#ifndef FASTKAPPA_SCORES_ACCUMULATE_H
#define FASTKAPPA_SCORES_ACCUMULATE_H

#include <stddef.h>
#include <stdint.h>

/* Writes to row y and column j of `prefix` the number of items with label y, or the sum of their
   weights, from item places[0] up to, but not including, item places[j]. `prefix` has n_labels
   rows and n_places columns. Codes of n_labels or more are ignored. */
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
