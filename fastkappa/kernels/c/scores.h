/* Scores in order: keys to sort them by, the best cuts between them, kappa at given thresholds. */
#ifndef FASTKAPPA_SCORES_H
#define FASTKAPPA_SCORES_H

#include "bins.h"

/* ---- keys: whole numbers in the order of the scores, with room for a code below ---- */

/* Key 0 is `negative` in the order of all doubles; key n_negative is zero, and the next is the first positive score:
   key i is number positive + i in the order. So the many numbers next to zero that do not occur have no keys. */
typedef struct {
    uint64_t negative, n_negative, positive;
    int code_bits;
} key_layout_t;

/* Where f_c is least, for each cut c: f_c(j) = sum over y of steps[c][y] * prefix[y][j]. Of equal places, the first. */
enum { PLACES = 128, LANES = 8 };

#define SCORE_LOOPS(LEVEL)                                                                                     \
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
    }                                                                                                          \
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
                for (ptrdiff_t j = count; j < PLACES; j++) values[j] = INFINITY;                               \
                double lanes[LANES];                                                                           \
                for (int l = 0; l < LANES; l++) lanes[l] = values[l];                                          \
                for (ptrdiff_t j = LANES; j < PLACES; j += LANES)                                              \
                    for (int l = 0; l < LANES; l++) lanes[l] = values[j + l] < lanes[l] ? values[j + l] : lanes[l]; \
                double lowest = lanes[0];                                                                      \
                for (int l = 1; l < LANES; l++) lowest = lanes[l] < lowest ? lanes[l] : lowest;                \
                if (lowest < least[c]) {                                                                       \
                    ptrdiff_t j = 0;                                                                           \
                    while (values[j] != lowest) j++;                                                           \
                    least[c] = lowest;                                                                         \
                    positions[c] = start + j;                                                                  \
                }                                                                                              \
            }                                                                                                  \
        }                                                                                                      \
    }

SCORE_LOOPS(baseline)
#if SIMD_HAS_X86
SIMD_BEGIN_AVX2
SCORE_LOOPS(avx2)
SIMD_END
SIMD_BEGIN_AVX512
SCORE_LOOPS(avx512)
SIMD_END
#endif

/* Dinkelbach's rounds for cuts that need not be kept in order. `ratio` is O and C (see fastkappa/statistics/cuts.py) of
   the cuts in `positions` if these are `known`; both become those of the cuts found. `matrix` is n_labels x n_labels, `chance` has n_labels
   entries; `work` has room for n_labels * (n_labels + 1). Returns the number of rounds, or 0 if this is a case for the
   general way: cuts out of order, or kappa undefined. */
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

/* How many items of each label, or what weight of them, lie between places[0] and each place; prefix is
   n_labels x n_places. Codes are below n_labels. */
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

enum { KEYS_FIT, KEYS_TOO_LONG, KEYS_NOT_FINITE };

/* Writes the keys of n items, if the range of the scores leaves room for the codes. */
static int pack_scores(const column_t *scores, const column_t *codes, ptrdiff_t n, uint64_t *keys, key_layout_t *layout)
{
    double x[BLOCK];
    uint32_t words[BLOCK];
    uint64_t limits[] = {UINT64_MAX, 0, UINT64_MAX, 0};
    for (ptrdiff_t start = 0; start < n; start += BLOCK) {
        const ptrdiff_t count = n - start < BLOCK ? n - start : BLOCK;
        read_scores(scores, start, count, x);
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

/* The scores and the codes of n keys. */
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

/* ---- kappa at given thresholds ---- */

enum { MOST_CUTS = 64 };

/* Items in groups of which each lies above the one before; inside a group they are in any order. Group g is
   starts[g] .. starts[g + 1] - 1, its lowest score is least[g]. `prefix` has the sums of each label below each group, and
   those of all items: n_labels at a time. */
typedef struct {
    const char *scores;
    int kind;
    ptrdiff_t n_groups, n_labels;
    const uint16_t *codes;
    const double *weights;
    const int64_t *starts;
    const double *least, *prefix, *matrix, *chance;
} grouped_items_t;

/* How many groups begin below a threshold. The loop has no branch to be guessed wrong. */
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

/* Adds the items of a group that are below a threshold to the sums of the labels. Nothing branches on a score, for it would
   be guessed wrong. */
static void add_items_below(const grouped_items_t *items, ptrdiff_t group, double threshold, double *sums)
{
    const int64_t start = items->starts[group], stop = items->starts[group + 1];
    uint32_t counts[2][MOST_CUTS] = {{0}};
    if (items->weights) {
        for (int64_t i = start; i < stop; i++)
            sums[items->codes[i]] += score_at(items, i) < threshold ? items->weights[i] : 0.0;
        return;
    }
    /* In turn, so that a counter need not wait for itself. */
    for (int64_t i = start; i < stop; i++) counts[i & 1][items->codes[i]] += score_at(items, i) < threshold;
    for (ptrdiff_t y = 0; y < items->n_labels; y++) sums[y] += counts[0][y] + counts[1][y];
}

/* The confusion table of thresholds in any order, at most MOST_CUTS of them. */
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

/* Kappa of the thresholds; NaN where it is undefined. */
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
