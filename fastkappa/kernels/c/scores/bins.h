/* Count scores by bin and label, and collect or group the items in bins.

   Each score belongs to one of n_inner + 3 rows. Row 0 is for scores below `low`. Rows 1 .. n_inner are bins of equal width
   that start at `low`. Row n_inner + 1 is for scores above these bins, and the last row is for NaN and infinity. Rounding
   preserves the order: the higher of two scores is never in a lower row. */
#ifndef FASTKAPPA_SCORES_BINS_H
#define FASTKAPPA_SCORES_BINS_H

#include <float.h>
#include <math.h>
#include "../common/column.h"
#include "portable.h"

/* Adds items start .. stop-1 to `table`, and their weights, if any, to `sums`. Both have n_inner
   + 3 rows and n_labels + 1 columns. The last column is for codes outside the labels. */
static void count_scores(const column_t *scores, const column_t *codes, const double *weights, ptrdiff_t start,
                         ptrdiff_t stop, const bins_t *bins, uint32_t *table, double *sums)
{
    double copies[BLOCK];
    uint32_t rows[BLOCK], columns[BLOCK];
    const uint32_t width = (uint32_t)codes->n_labels + 1;
    for (; start < stop; start += BLOCK) {
        const ptrdiff_t count = stop - start < BLOCK ? stop - start : BLOCK;
        rows_of_block(scores, start, count, bins, copies, rows);
        decode(codes, start, count, columns);
        for (ptrdiff_t i = 0; i < count; i++) rows[i] = rows[i] * width + columns[i];
        for (ptrdiff_t i = 0; i < count; i++) table[rows[i]]++;
        if (weights)
            for (ptrdiff_t i = 0; i < count; i++) sums[rows[i]] += weights[start + i];
    }
}

/* Updates the smallest and the largest score of each row. */
static void range_scores(const column_t *scores, ptrdiff_t start, ptrdiff_t stop, const bins_t *bins, double *least,
                         double *largest)
{
    double copies[BLOCK];
    uint32_t rows[BLOCK];
    for (; start < stop; start += BLOCK) {
        const ptrdiff_t count = stop - start < BLOCK ? stop - start : BLOCK;
        const double *x = rows_of_block(scores, start, count, bins, copies, rows);
        for (ptrdiff_t i = 0; i < count; i++) {
            if (x[i] < least[rows[i]]) least[rows[i]] = x[i];
            if (x[i] > largest[rows[i]]) largest[rows[i]] = x[i];
        }
    }
}

/* Copies the score, code and weight of each item in a wanted row, and returns the number of these items. Each output array
   has room for stop - start items. Codes are 0 .. n_labels, where n_labels is below 2^16. */
static ptrdiff_t collect_scores(const column_t *scores, const column_t *codes, const double *weights, ptrdiff_t start,
                                ptrdiff_t stop, const bins_t *bins, const uint8_t *wanted, void *out, uint16_t *out_codes,
                                double *out_weights)
{
    double copies[BLOCK];
    uint32_t rows[BLOCK], chosen[BLOCK];
    uint16_t words[BLOCK];
    const int wide = element_width(scores->kind);
    ptrdiff_t n = 0;
    for (; start < stop; start += BLOCK) {
        const ptrdiff_t count = stop - start < BLOCK ? stop - start : BLOCK;
        char *own = (char *)out + n * wide;
        ptrdiff_t n_chosen = 0;
        const double *x = rows_of_block(scores, start, count, bins, copies, rows);
        for (ptrdiff_t i = 0; i < count; i++) {
            chosen[n_chosen] = (uint32_t)i;
            n_chosen += wanted[rows[i]] != 0;
        }
        for (ptrdiff_t k = 0; k < n_chosen; k++) {
            if (wide == 4) ((float *)own)[k] = (float)x[chosen[k]];
            else ((double *)own)[k] = x[chosen[k]];
        }
        if (n_chosen == 0)
            continue;
        decode_words(codes, start, count, words);
        for (ptrdiff_t k = 0; k < n_chosen; k++) out_codes[n + k] = words[chosen[k]];
        if (weights)
            for (ptrdiff_t k = 0; k < n_chosen; k++) out_weights[n + k] = weights[start + chosen[k]];
        n += n_chosen;
    }
    return n;
}

/* Copies items start .. stop-1, each to the next free place of its row. The places of a row start at `places[row]` and end
   before `ends[row]`. Returns the number of items for which there was no place, which is above 0 only if scores have changed
   since they were counted. Codes are 0 .. n_labels, where n_labels is below 2^16. */
static ptrdiff_t group_scores(const column_t *scores, const column_t *codes, const double *weights, ptrdiff_t start,
                              ptrdiff_t stop, const bins_t *bins, int64_t *places, const int64_t *ends, void *out,
                              uint16_t *out_codes, double *out_weights)
{
    double copies[BLOCK];
    uint32_t rows[BLOCK];
    uint16_t words[BLOCK];
    ptrdiff_t n_refused = 0;
    for (; start < stop; start += BLOCK) {
        const ptrdiff_t count = stop - start < BLOCK ? stop - start : BLOCK;
        const double *x = rows_of_block(scores, start, count, bins, copies, rows);
        decode_words(codes, start, count, words);
        for (ptrdiff_t i = 0; i < count; i++) {
            const int64_t place = places[rows[i]];
            if (place >= ends[rows[i]]) {
                n_refused++;
                continue;
            }
            places[rows[i]] = place + 1;
            if (scores->kind == COLUMN_FLOAT32) ((float *)out)[place] = (float)x[i];
            else ((double *)out)[place] = x[i];
            out_codes[place] = words[i];
            if (weights)
                out_weights[place] = weights[start + i];
        }
    }
    return n_refused;
}
#endif
