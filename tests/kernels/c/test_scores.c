/* The kernels for scores against naive loops. Usage: test_scores [level name ...]; exit status 0 if all agree.
   Every array has just the room that is promised, so that a sanitizer sees a byte too many. */
#include <stdio.h>
#include <stdlib.h>
#include "kernels.h"
#include "naive.h"

static uint64_t seed = 88172645463325252ull;
static uint64_t rnd(void) { seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17; return seed; }
static long checks, failures;

static void expect(int right, const char *what, int level)
{
    checks++;
    if (!right && failures++ < 20) printf("WRONG: %s at level %s\n", what, simd_level_name(level));
}

typedef struct { char *memory; column_t column; } owned_t;

static void put(char *p, const void *value, int width, int swapped)
{
    for (int k = 0; k < width; k++) p[k] = ((const char *)value)[swapped ? width - 1 - k : k];
}

static owned_t room(int kind, ptrdiff_t n, int apart, int swapped)
{
    owned_t c;
    const int width = element_width(kind);
    const ptrdiff_t stride = width + apart, shift = (ptrdiff_t)(rnd() % 3);
    c.memory = malloc((size_t)(n ? (n - 1) * stride + width + shift : 1));
    c.column.data = c.memory + shift; c.column.stride = stride; c.column.kind = kind; c.column.swapped = swapped;
    c.column.lowest = 0; c.column.n_labels = 0;
    return c;
}

/* Only the bins get numbers near to zero or far from it. */
static double some_score(int any)
{
    static const double odd[] = {0.0, -0.0, 1.0, 0.5, 1e-30, 3e38, -3e38};
    if (rnd() % 50 == 0) return odd[rnd() % (any ? 7 : 4)];
    return ((double)(rnd() % 1000000) + (double)(rnd() % 1000000)) / 500000.0 - 2.0;
}

/* `x` gets the scores as doubles */
static owned_t scores_column(int kind, ptrdiff_t n, int apart, int swapped, int finite, double *x)
{
    static const double not_finite[] = {NAN, INFINITY, -INFINITY};
    owned_t c = room(kind, n, apart, swapped);
    for (ptrdiff_t i = 0; i < n; i++) {
        double score = !finite && rnd() % 97 == 0 ? not_finite[rnd() % 3] : some_score(!finite);
        char *p = (char *)c.column.data + i * c.column.stride;
        if (kind == COLUMN_FLOAT32) { const float f = (float)score; score = f; put(p, &f, 4, swapped); }
        else put(p, &score, 8, swapped);
        x[i] = score;
    }
    return c;
}

/* `y` gets the codes */
static owned_t codes_column(int kind, ptrdiff_t n, int apart, int swapped, int64_t lowest, uint32_t n_labels, uint32_t *y)
{
    owned_t c = room(kind, n, apart, swapped);
    c.column.lowest = (uint64_t)lowest; c.column.n_labels = n_labels;
    for (ptrdiff_t i = 0; i < n; i++) {
        y[i] = (uint32_t)(rnd() % n_labels);
        int64_t value = lowest + y[i];
        if (rnd() % 200 == 0) { value = lowest + n_labels + (int64_t)(rnd() % 2); y[i] = n_labels; }
        put((char *)c.column.data + i * c.column.stride, &value, element_width(kind), swapped);
    }
    return c;
}

static void test_bins(int level, int kind, int code_kind, ptrdiff_t n, int apart, int swapped, const bins_t *bins, int pattern)
{
    const uint32_t n_labels = 1 + (uint32_t)(rnd() % 60);
    const int64_t lowest = code_kind < COLUMN_UINT8 ? -5 : 3;
    const ptrdiff_t start = n > 9 ? 3 : 0, stop = n > 9 ? n - 2 : n, count = stop - start;
    double *x = malloc((size_t)(n + 1) * 8), *weights = malloc((size_t)(n + 1) * 8);
    uint32_t *y = malloc((size_t)(n + 1) * 4);
    owned_t scores = scores_column(kind, n, apart, swapped, 0, x);
    owned_t codes = codes_column(code_kind, n, apart, swapped, lowest, n_labels, y);
    const size_t rows = (size_t)bins->n_inner + 3, cells = rows * (n_labels + 1);
    uint32_t *table = calloc(cells, 4), *expected = calloc(cells, 4);
    double *sums = calloc(cells, 8), *expected_sums = calloc(cells, 8);
    double *least = malloc(rows * 8), *largest = malloc(rows * 8), *low = malloc(rows * 8), *high = malloc(rows * 8);
    uint8_t *wanted = malloc(rows);
    for (size_t r = 0; r < rows; r++) {
        least[r] = low[r] = INFINITY, largest[r] = high[r] = -INFINITY;
        wanted[r] = pattern == 0 ? r == 1 : pattern == 1 ? r % 3 == 0 : pattern == 2 ? 1 : r < 4 || (r > rows / 2 && r + 5 < rows);
    }
    for (ptrdiff_t i = start; i < stop; i++) {
        const size_t row = (size_t)naive_row(x[i], bins);
        weights[i] = (double)(1 + rnd() % 9);
        expected[row * (n_labels + 1) + y[i]]++;
        expected_sums[row * (n_labels + 1) + y[i]] += weights[i];
        if (x[i] < low[row]) low[row] = x[i];
        if (x[i] > high[row]) high[row] = x[i];
    }
    count_scores(&scores.column, &codes.column, weights, start, stop, bins, table, sums);
    expect(!memcmp(table, expected, cells * 4) && !memcmp(sums, expected_sums, cells * 8), "count_scores", level);
    range_scores(&scores.column, start, stop, bins, least, largest);
    expect(!memcmp(least, low, (rows - 1) * 8) && !memcmp(largest, high, (rows - 1) * 8), "range_scores", level);
    const int width = element_width(kind);
    char *out = malloc((size_t)(count * width + 1));
    uint16_t *out_codes = malloc((size_t)(count + 1) * 2);
    double *out_weights = malloc((size_t)(count + 1) * 8);
    const ptrdiff_t n_out = collect_scores(&scores.column, &codes.column, weights, start, stop, bins, wanted, out,
                                           out_codes, out_weights);
    ptrdiff_t k = 0;
    int right = 1;
    for (ptrdiff_t i = start; i < stop; i++) {
        if (!wanted[naive_row(x[i], bins)]) continue;
        if (k < n_out) {
            double got;
            if (width == 4) { float f; memcpy(&f, out + 4 * k, 4); got = f; } else memcpy(&got, out + 8 * k, 8);
            right &= (got == x[i] || (isnan(got) && isnan(x[i]))) && out_codes[k] == y[i] && out_weights[k] == weights[i];
        }
        k++;
    }
    expect(right && k == n_out, "collect_scores", level);
    /* grouped: each row's items in the order they had */
    int64_t *places = calloc(rows, 8), *next = calloc(rows, 8), *ends = calloc(rows, 8);
    for (ptrdiff_t i = start; i < stop; i++) next[naive_row(x[i], bins)]++;
    for (size_t r = 1; r < rows; r++) places[r] = places[r - 1] + next[r - 1];
    for (size_t r = 0; r < rows; r++) ends[r] = places[r] + next[r];
    memcpy(next, places, rows * 8);
    right = !group_scores(&scores.column, &codes.column, weights, start, stop, bins, places, ends, out, out_codes,
                          out_weights);
    for (ptrdiff_t i = start; i < stop; i++) {
        double got;
        k = next[naive_row(x[i], bins)]++;
        if (width == 4) { float f; memcpy(&f, out + 4 * k, 4); got = f; } else memcpy(&got, out + 8 * k, 8);
        right &= (got == x[i] || (isnan(got) && isnan(x[i]))) && out_codes[k] == y[i] && out_weights[k] == weights[i];
    }
    expect(right && !memcmp(places, next, rows * 8), "group_scores", level);
    /* rows that are full take nothing more: out has no room behind it */
    right = group_scores(&scores.column, &codes.column, weights, start, stop, bins, places, ends, out, out_codes,
                         out_weights) == count;
    expect(right && !memcmp(places, ends, rows * 8), "group_scores of full rows", level);
    free(places); free(next); free(ends);
    free(x); free(weights); free(y); free(scores.memory); free(codes.memory); free(table); free(expected); free(sums);
    free(expected_sums); free(least); free(largest); free(low); free(high); free(wanted); free(out); free(out_codes); free(out_weights);
}

typedef struct { double score; uint16_t code; } item_t;

static int by_score(const void *a, const void *b)
{
    const double x = ((const item_t *)a)->score, y = ((const item_t *)b)->score;
    return x < y ? -1 : x > y;
}

/* Labels of items in the order of their scores, summed; then kappa of thresholds from a table counted naively. */
static void test_order(int level, int kind, ptrdiff_t n, int apart, int swapped, uint32_t n_labels)
{
    double *x = malloc((size_t)n * 8), *back = malloc((size_t)n * 8);
    float *back_floats = malloc((size_t)n * 4);
    uint32_t *y = malloc((size_t)n * 4);
    uint16_t *codes_back = malloc((size_t)n * 2);
    item_t *items_in_order = malloc((size_t)n * sizeof *items_in_order);
    owned_t scores = scores_column(kind, n, apart, swapped, 1, x);
    owned_t codes = codes_column(COLUMN_INT32, n, apart, swapped, -2, n_labels, y);
    int right;
    for (ptrdiff_t i = 0; i < n; i++) {
        /* what is outside the labels has no place in the following */
        const item_t item = {kind == COLUMN_FLOAT32 ? (float)x[i] : x[i], (uint16_t)(y[i] == n_labels ? 0 : y[i])};
        items_in_order[i] = item;
    }
    qsort(items_in_order, (size_t)n, sizeof *items_in_order, by_score);
    for (ptrdiff_t i = 0; i < n; i++) {
        back[i] = items_in_order[i].score;
        back_floats[i] = (float)back[i];
        codes_back[i] = items_in_order[i].code;
    }
    const ptrdiff_t step = 1 + (ptrdiff_t)(rnd() % 100), n_steps = (n + step - 1) / step + 1;
    int64_t *places = malloc((size_t)n_steps * 8);
    double *prefix = malloc((size_t)n_steps * n_labels * 8), *turned = malloc((size_t)n_steps * n_labels * 8);
    double *below = malloc(n_labels * 8), *naive = calloc(n_labels, 8);
    for (ptrdiff_t j = 0; j < n_steps; j++) places[j] = j + 1 < n_steps ? j * step : n;
    accumulate_labels(codes_back, NULL, places, n_steps, (ptrdiff_t)n_labels, prefix, below);
    right = 1;
    for (ptrdiff_t j = 0, i = 0; j < n_steps; j++) {
        for (; i < places[j]; i++) naive[codes_back[i]]++;
        for (uint32_t c = 0; c < n_labels; c++) {
            right &= prefix[c * (size_t)n_steps + (size_t)j] == naive[c];
            turned[(size_t)j * n_labels + c] = prefix[c * (size_t)n_steps + (size_t)j];
        }
    }
    expect(right, "accumulate_labels", level);
    double *least_of_group = malloc((size_t)n_steps * 8);
    for (ptrdiff_t j = 0; j + 1 < n_steps; j++) {
        least_of_group[j] = back[places[j]];
        /* inside a group the order is any */
        for (ptrdiff_t i = places[j], k = places[j + 1] - 1; i < k; i++, k--) {
            const double score = back[i]; const float f = back_floats[i]; const uint16_t code = codes_back[i];
            back[i] = back[k]; back_floats[i] = back_floats[k]; codes_back[i] = codes_back[k];
            back[k] = score; back_floats[k] = f; codes_back[k] = code;
        }
    }
    if (n_labels > 1 && n_labels <= MOST_CUTS) {
        double *matrix = malloc(n_labels * n_labels * 8), *chance = calloc(n_labels, 8), *table = malloc(n_labels * n_labels * 8);
        double *work = malloc(n_labels * (n_labels + 1) * 8), thresholds[MOST_CUTS], ratio[] = {1, (double)n};
        int64_t *positions = malloc(n_labels * 8), *candidates = malloc(n_labels * 8);
        for (uint32_t a = 0; a < n_labels; a++) for (uint32_t b = 0; b < n_labels; b++) {
            matrix[a * n_labels + b] = ((double)a - b) * ((double)a - b);
            chance[b] += naive[a] * matrix[a * n_labels + b];
        }
        grouped_items_t items = {(const char *)(kind == COLUMN_FLOAT32 ? (void *)back_floats : (void *)back), kind,
                                 n_steps - 1, (ptrdiff_t)n_labels, codes_back, NULL, places, least_of_group, turned,
                                 matrix, chance};
        for (int t = 0; t < 20; t++) {
            double observed = 0, by_chance = 0;
            for (uint32_t c = 0; c + 1 < n_labels; c++) thresholds[c] = rnd() % 4 ? some_score(0) : back[rnd() % (uint64_t)n];
            for (ptrdiff_t i = 0; i < n; i++) {
                uint32_t given = 0;
                for (uint32_t c = 0; c + 1 < n_labels; c++) given += back[i] >= thresholds[c];
                observed += matrix[codes_back[i] * n_labels + given];
                by_chance += chance[given];
            }
            const double kappa = kappa_of_thresholds(&items, thresholds, (double)n, table);
            expect(by_chance == 0 ? isnan(kappa) : kappa == (by_chance - (double)n * observed) / by_chance, "kappa_of_thresholds", level);
        }
        if (search_cuts(prefix, n_steps, (ptrdiff_t)n_labels, matrix, chance, ratio, positions, 0, work, candidates)) {
            /* no cut moved on its own is better */
            right = 1;
            for (uint32_t c = 0; c + 1 < n_labels; c++) for (ptrdiff_t to = 0; to < n_steps; to++) {
                double observed = 0, by_chance = 0;
                if ((c && positions[c - 1] > to) || (c + 2 < n_labels && positions[c + 1] < to)) continue;
                for (uint32_t b = 0; b < n_labels; b++) for (uint32_t a = 0; a < n_labels; a++) {
                    const ptrdiff_t first = b == 0 ? 0 : b - 1 == c ? to : (ptrdiff_t)positions[b - 1];
                    const ptrdiff_t last = b + 1 == n_labels ? n_steps - 1 : b == c ? to : (ptrdiff_t)positions[b];
                    const double cell = prefix[a * (size_t)n_steps + (size_t)last] - prefix[a * (size_t)n_steps + (size_t)first];
                    observed += matrix[a * n_labels + b] * cell;
                    by_chance += chance[b] * cell;
                }
                right &= by_chance == 0 || observed * ratio[1] >= ratio[0] * by_chance;
            }
            expect(right, "search_cuts", level);
        }
        free(matrix); free(chance); free(table); free(work); free(positions); free(candidates);
    }
    free(x); free(back); free(back_floats); free(y); free(codes_back); free(items_in_order); free(scores.memory); free(codes.memory);
    free(places); free(least_of_group); free(prefix); free(turned); free(below); free(naive);
}

int main(int argc, char **argv)
{
    static const ptrdiff_t SIZES[] = {0, 1, 15, 16, 17, 63, 300, 1023, 1024, 1025, 2500};
    static const bins_t BINS[] = {{-1.5, 7.3, 21}, {0.25, 8.2e270, 5}, {-1e-3, 1e3, 2}, {-1.9, 70.0, 260}};
    for (int a = 1; a < argc; a++) {
        const int level = simd_level_named(argv[a]);
        if (level < 0 || simd_level_force(level) < 0) { printf("level %s is not available\n", argv[a]); return 1; }
        for (int s = 0; s < 11; s++) for (int kind = COLUMN_FLOAT32; kind <= COLUMN_FLOAT64; kind++)
            for (int form = 0; form < 3; form++) {
                const int apart = form == 1 ? 5 : 0, swapped = form == 2;
                for (int code_kind = 0; code_kind <= COLUMN_UINT64; code_kind++) for (int b = 0; b < 4; b++)
                    test_bins(level, kind, code_kind, SIZES[s], apart, swapped, &BINS[b], (int)(rnd() % 4));
                for (uint32_t n_labels = 1; n_labels < 90 && SIZES[s]; n_labels = n_labels * 2 + 1)
                    test_order(level, kind, SIZES[s], apart, swapped, n_labels);
            }
        printf("%s: %ld checks of scores, %ld failures\n", simd_level_name(level), checks, failures);
    }
    return failures != 0;
}
