/* Every kernel against a naive loop. Usage: test_kernels [ONE_IN] [level name ...]; exit status 0 if all agree. ONE_IN, a number,
   leaves so many checks out that one in ONE_IN is made: for where instructions are emulated. */
#include <math.h>
#include <stdio.h>
#include "kernels.h"
#include "naive.h"

static uint64_t seed = 88172645463325252ull;
static uint64_t rnd(void) { seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17; return seed; }
static long checks, failures;
static uint64_t one_in = 1;

static void put(char *p, int kind, int swapped, uint64_t value, int whole)
{
    char bytes[8];
    const int width = element_width(kind);
    if (kind == COLUMN_FLOAT32) { float f = (float)(int64_t)value; if (!whole) f = f + 0.5f; memcpy(bytes, &f, 4); }
    else if (kind == COLUMN_FLOAT64) { double f = (double)(int64_t)value; if (!whole) f = f + 0.5; memcpy(bytes, &f, 8); }
    else memcpy(bytes, &value, (size_t)width);
    for (int k = 0; k < width; k++) p[k] = bytes[swapped ? width - 1 - k : k];
}

typedef struct { char *memory; column_t column; } owned_t;

enum { OUTSIDE_NONE, OUTSIDE_RARE, OUTSIDE_HALF, OUTSIDE_ALL };

static uint64_t type_span(int kind) { return is_float(kind) ? ~0ull : element_width(kind) == 8 ? ~0ull : (1ull << (8 * element_width(kind))); }

/* exact allocation, so that the sanitizer sees a byte too many; alignment is odd on purpose */
static owned_t column(int kind, ptrdiff_t step, int swapped, uint64_t lowest, uint64_t n_labels, ptrdiff_t n, int outside, int same)
{
    owned_t c;
    const int width = element_width(kind);
    const ptrdiff_t stride = step, apart = stride < 0 ? -stride : stride;
    const size_t size = n ? (size_t)((n - 1) * apart + width) : 1;
    const size_t shift = rnd() % 3;
    c.memory = malloc(size + shift);
    memset(c.memory, 0x5A, size + shift);
    c.column.data = c.memory + shift + (stride < 0 && n ? (n - 1) * apart : 0);
    c.column.stride = stride; c.column.kind = kind; c.column.swapped = swapped;
    c.column.lowest = lowest; c.column.n_labels = n_labels;
    const uint64_t fixed = n_labels ? rnd() % n_labels : 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        uint64_t code = !n_labels ? 0 : same ? fixed : rnd() % n_labels;
        int whole = 1, out = !n_labels || outside == OUTSIDE_ALL || (outside == OUTSIDE_HALF && (rnd() >> 20 & 1)) || (outside == OUTSIDE_RARE && rnd() % 3000 == 0);
        if (out) {
            switch (rnd() >> 30 & 3) {
            case 0: code = n_labels; break;
            case 1: code = 0 - (uint64_t)1; break;
            case 2: code = rnd() >> (rnd() & 31); break;
            default: code = n_labels + 256; whole = 0; break;
            }
        }
        put(c.memory + shift + (stride < 0 ? (n - 1 - i) * apart : i * apart), kind, swapped, lowest + code, whole);
    }
    return c;
}

static void check(int level, const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, const char *what)
{
    const size_t rows = a->n_labels + 1, columns = b->n_labels + 1;
    int64_t *expected = calloc(rows * columns, 8), *table = malloc(rows * columns * 8);
    moments_t m, e; memset(&m, 0, sizeof m); memset(&e, 0, sizeof e);
    for (size_t i = 0; i < rows * columns; i++) table[i] = 7;
    for (ptrdiff_t i = start; i < stop; i++) {
        const uint64_t x = naive_code(a, i), y = naive_code(b, i);
        expected[x * columns + y]++;
        if (x < a->n_labels && y < b->n_labels) { e.inside++; e.sum_a.low += x; e.sum_b.low += y; e.sum_aa.low += x * x; e.sum_bb.low += y * y; e.sum_ab.low += x * y; } else e.outside++;
    }
    count_pairs(a, b, start, stop, table);
    if (codes_fit_word(a) && codes_fit_word(b)) sum_moments(a, b, start, stop, &m);
    else m = e;
    int wrong = 0;
    for (size_t i = 0; i < rows * columns; i++) wrong |= table[i] != expected[i] + 7;
    wrong |= memcmp(&m, &e, sizeof m) ? 2 : 0;
    checks++;
    if (wrong && failures++ < 20)
        printf("WRONG(%d) %s: level %s kinds %d %d strides %ld %ld swapped %d %d lowest %lld %lld labels %lu %lu n %ld..%ld\n", wrong, what, simd_level_name(level),
               a->kind, b->kind, (long)a->stride, (long)b->stride, a->swapped, b->swapped, (long long)a->lowest, (long long)b->lowest,
               (unsigned long)a->n_labels, (unsigned long)b->n_labels, (long)start, (long)stop);
    free(expected); free(table);
}

static void check_weights(int level, const column_t *a, const column_t *b, ptrdiff_t n)
{
    const size_t rows = a->n_labels + 1, columns = b->n_labels + 1, cells = rows * columns;
    for (int kind = 0; kind <= COLUMN_FLOAT64; kind++) for (int form = 0; form < 3; form++) {
        const int width = element_width(kind), swapped = form == 1;
        const ptrdiff_t stride = form == 2 ? 2 * width + 1 : width;
        char *memory = malloc((size_t)(n * stride + 1));
        for (ptrdiff_t i = 0; i < n * stride; i++) memory[i] = (char)rnd();
        if (is_float(kind)) for (ptrdiff_t i = 0; i < n; i++) put(memory + i * stride, kind, swapped, rnd() % 1000, 1);
        column_t w = {memory, stride, kind, swapped, 0, 0};
        int wrong = 0;
        int64_t *counts = calloc(cells, 8), *pairs = calloc(cells, 8);
        for (ptrdiff_t i = 0; i < n; i++) pairs[naive_code(a, i) * columns + naive_code(b, i)]++;
        if (is_float(kind)) {
            double *t = calloc(cells, 8), *e = calloc(cells, 8);
            for (ptrdiff_t i = 0; i < n; i++) { const char *p = memory + i * stride; e[naive_code(a, i) * columns + naive_code(b, i)] += kind == COLUMN_FLOAT32 ? (double)read_float(p, swapped) : read_double(p, swapped); }
            sum_pairs(a, b, &w, 0, n, counts, t);
            wrong = memcmp(t, e, cells * 8) != 0; /* whole numbers: exact */
            free(t); free(e);
        } else {
            int64_t *h = calloc(cells, 8); uint64_t *l = calloc(cells, 8); __int128 *e = calloc(cells, 16);
            for (ptrdiff_t i = 0; i < n; i++) {
                unsigned char x[8] = {0}; uint64_t u = 0; const char *p = memory + i * stride;
                for (int k = 0; k < width; k++) x[k] = (unsigned char)p[swapped ? width - 1 - k : k];
                memcpy(&u, x, 8);
                e[naive_code(a, i) * columns + naive_code(b, i)] += kind == COLUMN_INT8 ? (int8_t)u : kind == COLUMN_INT16 ? (int16_t)u : kind == COLUMN_INT32 ? (int32_t)u : kind == COLUMN_INT64 ? (int64_t)u : (__int128)u;
            }
            sum_pairs_int(a, b, &w, 0, n, counts, h, l);
            for (size_t i = 0; i < cells; i++) wrong |= (__int128)h[i] * 4294967296 + (__int128)l[i] != e[i];
            free(h); free(l); free(e);
        }
        wrong |= memcmp(counts, pairs, cells * 8) != 0;
        free(memory); free(counts); free(pairs);
        checks++;
        if (wrong && failures++ < 20) printf("WRONG weights level %s kind %d form %d labels %lu %lu n %ld\n", simd_level_name(level), kind, form, (unsigned long)a->n_labels, (unsigned long)b->n_labels, (long)n);
    }
}

static void pair_test(int level, int ka, int kb, ptrdiff_t sa, ptrdiff_t sb, int wa, int wb, uint64_t la, uint64_t lb, uint64_t na, uint64_t nb, ptrdiff_t n, int outside, int same, const char *what)
{
    if (rnd() % one_in || !fits(ka, la, na ? na : 1) || !fits(kb, lb, nb ? nb : 1)) return;
    owned_t a = column(ka, sa, wa, la, na, n, outside, same), b = column(kb, sb, wb, lb, nb, n, outside, same);
    check(level, &a.column, &b.column, 0, n, what);
    if (n > 5) check(level, &a.column, &b.column, 3, n - 2, what);
    if (n <= 5000 && na <= 300 && nb <= 300 && rnd() % 16 == 0) check_weights(level, &a.column, &b.column, n);
    free(a.memory); free(b.memory);
}

/* a matrix of n rows that lies row by row, or column by column */
static void rows_test(int level, int ka, int kb, ptrdiff_t step, int swapped, uint64_t lowest, uint64_t na, uint64_t nb, ptrdiff_t n, ptrdiff_t m, int outside, int by_columns)
{
    if (rnd() % one_in || !fits(ka, 0, na ? na : 1) || !fits(kb, lowest, nb ? nb : 1)) return;
    owned_t a = column(ka, element_width(ka), 0, 0, na, n, outside, 0), b = column(kb, step, swapped, lowest, nb, n * m, outside, 0);
    const size_t cells = (size_t)((na + 1) * (nb + 1));
    column_t row = b.column;
    const ptrdiff_t row_stride = by_columns ? step : m * step, start = n > 5 ? 3 : 0, stop = n > 5 ? n - 2 : n;
    if (by_columns) row.stride = n * step;
    int64_t *tables = malloc((size_t)m * cells * 8), *expected = malloc((size_t)m * cells * 8);
    for (size_t i = 0; i < (size_t)m * cells; i++) tables[i] = expected[i] = 7;
    for (ptrdiff_t i = start; i < stop; i++) for (ptrdiff_t c = 0; c < m; c++)
        expected[(size_t)c * cells + naive_code(&a.column, i) * (nb + 1) + naive_code(&b.column, by_columns ? c * n + i : i * m + c)]++;
    const size_t n_counters = (size_t)row_counters(&a.column, &row), groups = (size_t)(m + ROW_WIDTH - 1) / ROW_WIDTH;
    uint8_t *counts = malloc(n_counters ? n_counters : 1);
    uint32_t *sums = malloc(n_counters ? 4 * n_counters * groups : 4);
    count_rows(&a.column, &row, row_stride, m, start, stop, tables, counts, sums);
    checks++;
    if (memcmp(tables, expected, (size_t)m * cells * 8) && failures++ < 20)
        printf("WRONG rows: level %s kinds %d %d step %ld swapped %d lowest %lld labels %lu %lu n %ld m %ld\n", simd_level_name(level), ka, kb, (long)step, swapped, (long long)lowest, (unsigned long)na, (unsigned long)nb, (long)n, (long)m);
    free(tables); free(expected); free(counts); free(sums); free(a.memory); free(b.memory);
}

static const uint64_t LABELS[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 17, 22, 23, 64, 100, 255, 256, 257, 1000, 5000};
static const uint64_t LOWEST[] = {0, 1, (uint64_t)-3, (uint64_t)-128, 1000000000000000ull, 0x8000000000000000ull, 0xFFFFFFFFFFFFFFFFull - 5100, 200, (uint64_t)-1};
static const ptrdiff_t SIZES[] = {0, 1, 2, 63, 64, 65, 300, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 5000, 31 * 1024 - 1, 31 * 1024, 32 * 1024 + 1};
#define COUNT(x) (int)(sizeof(x) / sizeof *(x))

int main(int argc, char **argv)
{
    if (argc > 1 && atoi(argv[1]) > 0) { one_in = (uint64_t)atoi(argv[1]); argc--; argv++; }
    for (int i = 1; i < argc; i++)
        if (simd_level_force(simd_level_named(argv[i])) < 0) { printf("level %s is not available\n", argv[i]); return 1; }
    for (int level = 0; level < SIMD_LEVELS; level++) {
        int wanted = argc < 2;
        for (int i = 1; i < argc; i++) wanted |= simd_level_named(argv[i]) == level;
        if (!wanted) continue;
        if (simd_level_force(level) < 0) { printf("%s: not available here\n", simd_level_name(level)); continue; }
        checks = 0;
        /* every kind pair x labels x outside */
        for (int ka = 0; ka <= COLUMN_FLOAT64; ka++) for (int kb = 0; kb <= COLUMN_FLOAT64; kb++)
            for (int l = 0; l < COUNT(LABELS); l++) {
                if (LABELS[l] > 300 && ka != kb && rnd() % 8) continue;
                for (int outside = 0; outside < 4; outside++) {
                    if (ka != kb && rnd() % 2) continue;
                    pair_test(level, ka, kb, element_width(ka), element_width(kb), 0, 0, 0, 0, LABELS[l], LABELS[l], LABELS[l] > 300 ? 5000 : 4500, outside, 0, "kinds");
                    if (!is_float(ka) && LABELS[l] < 300) pair_test(level, ka, kb, element_width(ka), element_width(kb), 0, 0, (uint64_t)-3, 1, LABELS[l], LABELS[LABELS[l] % 11], 4500, outside, 0, "offsets");
                }
            }
        /* every size */
        for (ptrdiff_t n = 0; n <= 300; n++) for (int k = 0; k < 8; k++)
            pair_test(level, k, k, element_width(k), element_width(k), 0, 0, 0, 0, 5, 5, n, OUTSIDE_RARE, 0, "small");
        for (int s = 0; s < COUNT(SIZES); s++) for (int k = 0; k <= COLUMN_FLOAT64; k++) for (int l = 0; l < 18; l += 2)
            pair_test(level, k, k, element_width(k), element_width(k), 0, 0, 0, 0, LABELS[l], LABELS[l], SIZES[s], rnd() % 8 ? OUTSIDE_NONE : OUTSIDE_RARE, 0, "sizes");
        /* offsets */
        for (int o = 0; o < COUNT(LOWEST); o++) for (int p = 0; p < COUNT(LOWEST); p++) for (int k = 0; k < 8; k++) for (int outside = 0; outside < 4; outside++)
            pair_test(level, k, rnd() % 2 ? k : (int)(rnd() % 10), element_width(k), 11, 0, 0, LOWEST[o], LOWEST[p], LABELS[rnd() % 14], LABELS[rnd() % 14], 3000, outside, 0, "lowest");
        /* strides, byte order */
        static const ptrdiff_t STEPS[] = {0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 24, 31, 32, 40, 64, 80, 100, 129, 256, 1000, -1, -2, -3, -4, -8, -9, -16, -24, -100, -300};
        for (int s = 0; s < COUNT(STEPS); s++) for (int k = 0; k <= COLUMN_FLOAT64; k++) for (int swapped = 0; swapped < 2; swapped++) for (int l = 0; l < 4; l++) {
            static const uint64_t few[] = {5, 12, 64, 300};
            const int kb = rnd() % 2 ? k : (int)(rnd() % 10);
            /* overlapping elements hold no particular values: fine, the naive loop reads the same */
            pair_test(level, k, kb, STEPS[s], rnd() % 2 ? STEPS[s] : STEPS[rnd() % (uint64_t)COUNT(STEPS)], swapped, (int)(rnd() & 1), 1, 0, few[l], few[l], 3100, (int)(rnd() % 3), 0, "strides");
        }
        /* every number of cells, none of them outside */
        for (uint64_t cells = 1; cells < 260; cells++) for (uint64_t nb = 1; nb * nb <= cells; nb++)
            if (cells % nb == 0) pair_test(level, COLUMN_INT16, COLUMN_INT16, 2, 2, 0, 0, 0, 0, cells / nb, nb, 4500, OUTSIDE_NONE, 0, "cells");
        /* rectangles, no labels */
        for (int t = 0; t < 400; t++) {
            const uint64_t na = rnd() % (t % 2 ? 40 : 12), nb = rnd() % (t % 3 ? 40 : 300);
            const int k = (int)(rnd() % 10);
            pair_test(level, k, rnd() % 2 ? k : (int)(rnd() % 10), element_width(k), 8, 0, 0, 0, 0, na, nb, 2500 + (ptrdiff_t)(rnd() % 5000), (int)(rnd() % 4), 0, "rectangles");
        }
        /* large, identical: the counters' limits */
        for (int l = 0; l < COUNT(LABELS); l++) for (int same = 0; same < 2; same++) for (int k = 0; k < 8; k++) {
            if (k != COLUMN_UINT8 && k != COLUMN_INT64 && l % 4) continue;
            pair_test(level, k, k, element_width(k), element_width(k), 0, 0, 0, 0, LABELS[l], LABELS[l], l % 5 == 0 && k > 2 ? 1000003 : 100000, rnd() % 4 ? OUTSIDE_NONE : OUTSIDE_RARE, same, "large");
        }
        /* many cells of bytes, in long columns */
        for (int t = 0; t < 32; t++) {
            const uint64_t na = t < 4 ? 6 + (uint64_t)t : 11 + rnd() % 56, most = 5 * (256 / na), nb = t < 4 ? 256 - rnd() % 6 : 1 + rnd() % (most < 256 ? most : 256);
            pair_test(level, t % 3 ? COLUMN_UINT8 : COLUMN_INT8, COLUMN_UINT8, 1, 1, 0, 0, t % 4 ? 0 : (uint64_t)-3, 1, na, nb, 65536 + (ptrdiff_t)(rnd() % 300000), t % 8 < 4 ? OUTSIDE_NONE : t % 4, t % 5 == 4, "many cells");
        }
        /* integers that begin lanes, with gaps: both columns alike, so that they are read without a copy */
        for (int t = 0; t < 600; t++) {
            const ptrdiff_t stride = (ptrdiff_t)2 << (rnd() % 4);
            const int ka = (int)(rnd() % 8), kb = (int)(rnd() % 8);
            if (element_width(ka) > stride || element_width(kb) > stride) continue;
            const uint64_t na = LABELS[rnd() % 17], nb = LABELS[rnd() % 17];
            pair_test(level, ka, kb, stride, stride, 0, 0, t % 5 ? 0 : (uint64_t)-3, t % 3 ? 0 : 1, na, nb, 1000 + (ptrdiff_t)(rnd() % 5000), (int)(rnd() % 4), 0, "gaps");
        }
        /* matrices */
        static const ptrdiff_t ROWS[] = {0, 1, 7, 254, 255, 256, 600}, WIDTHS[] = {1, 2, 31, 63, 64, 65, 100, 127, 128, 129, 300};
        for (int r = 0; r < COUNT(ROWS); r++) for (int w = 0; w < COUNT(WIDTHS); w++) for (int t = 0; t < 12; t++) {
            const int k = (int)(rnd() % 10);
            const ptrdiff_t width = element_width(k), steps[] = {width, width, 2 * width, -width, 11};
            rows_test(level, (int)(rnd() % 10), k, steps[rnd() % 5], rnd() % 4 == 0, t % 3 ? 0 : (uint64_t)-3, rnd() % (MOST_ROW_LABELS + 1), rnd() % (MOST_ROW_LABELS + 1), ROWS[r], WIDTHS[w], (int)(rnd() % 4), t % 5 == 0);
        }
        rows_test(level, COLUMN_UINT8, COLUMN_UINT8, 1, 0, 0, 1, 1, 70000, 40, OUTSIDE_NONE, 0);
        pair_test(level, COLUMN_INT16, COLUMN_UINT8, 2, 1, 0, 0, 0, 0, 20, 70000 % 251, 100000, OUTSIDE_RARE, 0, "large");
        pair_test(level, COLUMN_INT32, COLUMN_INT32, 4, 4, 0, 0, 0, 0, 2, 70000, 300000, OUTSIDE_RARE, 0, "wide");
        pair_test(level, COLUMN_INT64, COLUMN_INT64, 8, 8, 0, 0, 0, 0, 2, 65536, 300000, OUTSIDE_RARE, 0, "wide");
        printf("%s: %ld checks, %ld failures\n", simd_level_name(level), checks, failures);
        fflush(stdout);
    }
    return failures != 0;
}
