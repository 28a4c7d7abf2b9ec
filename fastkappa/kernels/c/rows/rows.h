/* Count the pairs that one column forms with each column of a row-major matrix.

   A row of the matrix is compared with each label, many columns at a time. Each column has one byte
   counter per pair of labels. Each match adds 1 to the column's counter for the matching label and
   the row's label in the first column. The counters are added to wider sums after at most 255 rows,
   before a byte can overflow. The matrix does not need to be transposed. Every rating is compared
   with every label, so this kernel is only for few labels. */
#ifndef FASTKAPPA_ROWS_H
#define FASTKAPPA_ROWS_H

#include "../common/column.h"
#include "../common/simd_level.h"

enum { MOST_ROW_LABELS = 16, ROW_WIDTH = 128, ROW_VECTOR = 64, ROWS_OF_BYTES = 255 };

#if SIMD_HAS_GNU || defined(_MSC_VER)
#  define ROW_RESTRICT __restrict
#else
#  define ROW_RESTRICT
#endif

#define ROW_LOOPS(LEVEL)                                                                                       \
    /* counts the code of each column in one row; `count` is rounded up to whole vectors */                    \
    static void add_row_##LEVEL(const uint8_t *ROW_RESTRICT codes, ptrdiff_t count, uint32_t n_codes,          \
                                uint8_t *ROW_RESTRICT counts)                                                  \
    {                                                                                                          \
        for (ptrdiff_t start = 0; start < count; start += ROW_VECTOR)                                          \
            for (uint32_t code = 0; code < n_codes; code++) {                                                  \
                uint8_t *ROW_RESTRICT own = counts + code * ROW_WIDTH + start;                                 \
                const uint8_t *ROW_RESTRICT row = codes + start;                                               \
                for (int c = 0; c < ROW_VECTOR; c++) own[c] = (uint8_t)(own[c] + (row[c] == (uint8_t)code));   \
            }                                                                                                  \
    }                                                                                                          \
    static void widen_counts_##LEVEL(const uint8_t *ROW_RESTRICT counts, ptrdiff_t count, uint32_t *ROW_RESTRICT sums) \
    {                                                                                                          \
        for (ptrdiff_t i = 0; i < count; i++) sums[i] += counts[i];                                            \
    }

ROW_LOOPS(baseline)
#if SIMD_HAS_X86
SIMD_BEGIN_AVX2
ROW_LOOPS(avx2)
SIMD_END
SIMD_BEGIN_AVX512
ROW_LOOPS(avx512)
SIMD_END
#endif

/* Returns the number of byte counters that count_rows needs, which is also the number of 32-bit sums per ROW_WIDTH
   columns. */
static ptrdiff_t row_counters(const column_t *first, const column_t *row)
{
    return (ptrdiff_t)((first->n_labels + 1) * row->n_labels) * ROW_WIDTH;
}

/* Adds the sums of the first `count` of ROW_WIDTH columns to the tables of these columns.
   `n_rows` contains the number of rows with each label of the first column. Rows in which a
   column has none of the n_second labels are counted as outside the labels. */
static void add_row_sums(const uint32_t *sums, const uint32_t *n_rows, ptrdiff_t n_first, ptrdiff_t n_second, ptrdiff_t count,
                         int64_t *tables)
{
    const ptrdiff_t width = n_second + 1, n_cells = (n_first + 1) * width;
    for (ptrdiff_t a = 0; a <= n_first; a++)
        for (ptrdiff_t c = 0; c < count; c++) {
            int64_t *cells = tables + c * n_cells + a * width;
            int64_t outside = n_rows[a];
            for (ptrdiff_t b = 0; b < n_second; b++) {
                const uint32_t sum = sums[(a * n_second + b) * ROW_WIDTH + c];
                cells[b] += sum;
                outside -= sum;
            }
            cells[n_second] += outside;
        }
}

/* Counts the pairs that items start..stop-1 of the first column form with each column of a matrix,
   and adds them to one table per column. `row` is the first row of the matrix, and `row_stride` is
   the distance between rows in bytes. There are at most MOST_ROW_LABELS labels. `counts` has room
   for row_counters() bytes, and `sums` has room for the same number of 32-bit integers per group of
   ROW_WIDTH columns. */
static void count_rows(const column_t *first, const column_t *row, ptrdiff_t row_stride, ptrdiff_t n_columns,
                       ptrdiff_t start, ptrdiff_t stop, int64_t *tables, uint8_t *counts, uint32_t *sums)
{
    const ptrdiff_t n_counters = row_counters(first, row), n_first = (ptrdiff_t)first->n_labels;
    const ptrdiff_t n_second = (ptrdiff_t)row->n_labels, n_cells = (n_first + 1) * (n_second + 1);
    const ptrdiff_t n_groups = (n_columns + ROW_WIDTH - 1) / ROW_WIDTH;
    uint8_t labels[ROWS_OF_BYTES], codes[ROW_WIDTH];
    while (start < stop) {
        /* with at most 2^30 rows at a time, the 32-bit sums cannot overflow */
        const ptrdiff_t end = stop - start < (1 << 30) ? stop : start + (1 << 30);
        uint32_t n_rows[MOST_ROW_LABELS + 1] = {0};
        memset(sums, 0, (size_t)(n_groups * n_counters) * sizeof *sums);
        for (; start < end; start += ROWS_OF_BYTES) {
            const ptrdiff_t n = end - start < ROWS_OF_BYTES ? end - start : ROWS_OF_BYTES;
            decode_bytes(first, start, n, labels);
            for (ptrdiff_t r = 0; r < n; r++) n_rows[labels[r]]++;
            for (ptrdiff_t g = 0; g < n_groups; g++) {
                const ptrdiff_t left = n_columns - g * ROW_WIDTH, count = left < ROW_WIDTH ? left : ROW_WIDTH;
                column_t part = *row;
                part.data += start * row_stride + g * ROW_WIDTH * row->stride;
                memset(counts, 0, (size_t)n_counters);
                memset(codes, 0xFF, sizeof codes);  /* invalid codes after the last column */
                for (ptrdiff_t r = 0; r < n; r++, part.data += row_stride) {
                    decode_bytes(&part, 0, count, codes);
                    AT_LEVEL(add_row, codes, count, (uint32_t)n_second, counts + labels[r] * n_second * ROW_WIDTH);
                }
                AT_LEVEL(widen_counts, counts, n_counters, sums + g * n_counters);
            }
        }
        start = end;
        for (ptrdiff_t g = 0; g < n_groups; g++) {
            const ptrdiff_t left = n_columns - g * ROW_WIDTH;
            add_row_sums(sums + g * n_counters, n_rows, n_first, n_second, left < ROW_WIDTH ? left : ROW_WIDTH,
                         tables + g * ROW_WIDTH * n_cells);
        }
    }
}
#endif
