/* Compute kappa at given thresholds. Only fastkappa/shortcuts uses this header, because other kernels compute no statistics. */
#ifndef FASTKAPPA_SCORES_EVALUATE_H
#define FASTKAPPA_SCORES_EVALUATE_H

#include <math.h>
#include "../common/column.h"

enum { MOST_CUTS = 64 };

/* Items grouped by score. The groups are in ascending order of score, and the order of the items
   within a group is arbitrary. Group g consists of items starts[g] .. starts[g + 1] - 1, and its
   lowest score is least[g]. For each group, `prefix` contains one sum per label over all earlier
   groups. The sums over all groups come last. */
typedef struct {
    const char *scores;
    int kind;
    ptrdiff_t n_groups, n_labels;
    const uint16_t *codes;
    const double *weights;
    const int64_t *starts;
    const double *least, *prefix, *matrix, *chance;
} grouped_items_t;

/* Returns the number of groups that begin below a threshold. The loop has no branch that the processor could mispredict. */
static ptrdiff_t groups_below(const grouped_items_t *items, double threshold)
{
    ptrdiff_t first = 0, length = items->n_groups;
    while (length > 1) {
        const ptrdiff_t half = length / 2;
        first += items->least[first + half - 1] < threshold ? half : 0;
        length -= half;
    }
    return first + (length == 1 && items->least[first] < threshold);
}

ALWAYS_INLINE double score_at(const grouped_items_t *items, int64_t i)
{
    return items->kind == COLUMN_FLOAT32 ? ((const float *)items->scores)[i] : ((const double *)items->scores)[i];
}

/* For each label, adds the number or total weight of a group's items with scores below a threshold
   to `sums`. The loops do not branch on scores, because the processor would mispredict such
   branches. */
static void add_items_below(const grouped_items_t *items, ptrdiff_t group, double threshold, double *sums)
{
    const int64_t start = items->starts[group], stop = items->starts[group + 1];
    uint32_t counts[2][MOST_CUTS + 1] = {{0}};
    if (items->weights) {
        for (int64_t i = start; i < stop; i++)
            sums[items->codes[i]] += score_at(items, i) < threshold ? items->weights[i] : 0.0;
        return;
    }
    /* Alternate between two copies of the counters, so that an increment does not wait for the previous one. */
    for (int64_t i = start; i < stop; i++) counts[i & 1][items->codes[i]] += score_at(items, i) < threshold;
    for (ptrdiff_t y = 0; y < items->n_labels; y++) sums[y] += counts[0][y] + counts[1][y];
}

/* Computes the confusion table at up to MOST_CUTS thresholds in any order. */
static void table_of_thresholds(const grouped_items_t *items, const double *thresholds, double *table)
{
    const ptrdiff_t n_labels = items->n_labels, n_cuts = n_labels - 1;
    double cuts[MOST_CUTS], below[MOST_CUTS + 1] = {0};
    for (ptrdiff_t c = 0; c < n_cuts; c++) {
        ptrdiff_t k = c;
        for (; k > 0 && cuts[k - 1] > thresholds[c]; k--) cuts[k] = cuts[k - 1];
        cuts[k] = thresholds[c];
    }
    for (ptrdiff_t c = 0; c < n_labels; c++) {
        const ptrdiff_t n_below = c < n_cuts ? groups_below(items, cuts[c]) : items->n_groups;
        const ptrdiff_t last = c < n_cuts && n_below > 0 ? n_below - 1 : n_below;
        double upto[MOST_CUTS + 1];
        memcpy(upto, items->prefix + last * n_labels, (size_t)n_labels * sizeof *upto);
        if (last < n_below)
            add_items_below(items, last, cuts[c], upto);
        for (ptrdiff_t y = 0; y < n_labels; y++) table[y * n_labels + c] = upto[y] - below[y];
        memcpy(below, upto, (size_t)n_labels * sizeof *below);
    }
}

/* Returns kappa at the thresholds, or NaN if kappa is undefined. */
static double kappa_of_thresholds(const grouped_items_t *items, const double *thresholds, double n, double *table)
{
    const ptrdiff_t n_labels = items->n_labels;
    double observed = 0, by_chance = 0;
    table_of_thresholds(items, thresholds, table);
    for (ptrdiff_t y = 0; y < n_labels; y++)
        for (ptrdiff_t c = 0; c < n_labels; c++) {
            observed += items->matrix[y * n_labels + c] * table[y * n_labels + c];
            by_chance += items->chance[c] * table[y * n_labels + c];
        }
    return by_chance == 0 ? NAN : (by_chance - n * observed) / by_chance;
}
#endif
