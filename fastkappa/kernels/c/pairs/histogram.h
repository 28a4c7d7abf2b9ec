/* Count pairs of columns with many labels, with one increment per pair, as cheaply as possible.

   A block of pairs is converted to cell numbers (vectorised, in the L1 cache). After that, each pair increments the counter of
   its cell. An increment is slow if an earlier pair has just changed the same counter, because the increment waits for that
   store. If such collisions are frequent but irregular (for example, 90 % of all pairs in one cell), the processor mispredicts
   them, and an increment costs five times as much. To avoid collisions, several copies of the counters are used in rotation and
   added up at the end:

       8 copies    counters[cell * 8 + k], k = 0..7      pairs 0, 8, 16, ... use copy 0; 1, 9, 17, ... copy 1; ...

   Copies take up cache space. Therefore, 8 copies are used only if there are few counters, or if a sample of the pairs shows
   collisions and there are at most 65 536 cells. The copies of a counter are adjacent, because copies 2^k bytes apart would
   compete for the same cache sets.

   If the counters do not fit in the L1 cache, loading a counter evicts other data. Cell numbers are
   therefore computed for only a few pairs at a time (COUNT_STAGE). With 256 labels, counting was
   50 % slower if 1024 cell numbers were computed at a time, presumably because their buffer was
   evicted. For plain integers of equal width, the cells of the next pairs are computed while other
   pairs are counted (see add_pairs.h). On Zen 3, this overlap saved 20 to 33 % of the time. On
   Zen 4, the overlap saved half of the time for int64 and for colliding pairs. If there are too few
   pairs for separate counters to be worthwhile, the pairs are counted directly in the table.

   With up to 65 536 cells, a counter has 32 bits, although smaller counters can be faster, because
   more of them fit in the cache. In trials on Zen 4 with 40 to 256 labels, counters of 16 or 8 bits
   saved 0 to 20 % of the time if raters agreed on most items, and up to 50 % if the labels were
   spread evenly. With more than 65 536 cells, a counter has 8 bits. Whenever such a counter wraps
   to 0, 256 is added to the table. */
#ifndef FASTKAPPA_HISTOGRAM_H
#define FASTKAPPA_HISTOGRAM_H

#include <stdlib.h>

#include "../common/column.h"
#include "../common/vector_levels.h"
#include "portable.h"

enum {
    FEW_CELLS = 512,                  /* 8 copies of this many 4-byte counters take up 16 KB */
    MOST_SHORT_LABELS = 256,          /* the largest number of labels per column for which cell numbers fit in 16 bits */
    COUNT_STAGE = 512,                /* pairs whose cells are computed before any are counted; divides BLOCK */
    SAMPLE_PLACES = 16,
    SAMPLE_PAIRS = 32
};
/* The number of pairs that are counted together, after one sample of them has been checked for
   collisions. With this many pairs, 4-byte counters cannot wrap. */
static const ptrdiff_t HISTOGRAM_RANGE = (ptrdiff_t)1 << 23;

/* Cell numbers */

/* Returns the number of rows (or columns) of counters for a column. With 256 labels, a byte cannot
   represent the code for out-of-range values, so there are no counters for this code. */
ALWAYS_INLINE size_t n_short_codes(const column_t *column)
{
    return column->n_labels == MOST_SHORT_LABELS ? MOST_SHORT_LABELS : n_codes(column);
}

/* Computes cell = a * row + b, which must fit in cell_t. Compilers vectorise these loops. */
#define CELLS(name, code_t, cell_t)                                                                               \
    static void name(const code_t *a, const code_t *b, ptrdiff_t count, cell_t row, cell_t *cells)                \
    {                                                                                                             \
        for (ptrdiff_t i = 0; i < count; i++) cells[i] = (cell_t)(a[i] * row + b[i]);                             \
    }
#define CELL_LOOPS(LEVEL)                                                                                         \
    CELLS(cells_of_bytes_##LEVEL, uint8_t, uint16_t)                                                              \
    CELLS(short_cells_of_words_##LEVEL, uint16_t, uint16_t)                                                       \
    CELLS(cells_of_words_##LEVEL, uint16_t, uint32_t)
CELL_LOOPS(baseline)
#if SIMD_HAS_X86
SIMD_BEGIN_AVX2
CELL_LOOPS(avx2)
SIMD_END
SIMD_BEGIN_AVX512
CELL_LOOPS(avx512)
SIMD_END
#endif
#undef CELL_LOOPS
#undef CELLS

/* Computes the cell numbers of up to COUNT_STAGE pairs, for n_short_codes(a) x n_short_codes(b)
   counters. Returns 0 and leaves the cell numbers undefined if there are out-of-range values but no
   counters for them. */
static int short_cells(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t count, uint16_t *cells)
{
    if (codes_fit_byte(a) && codes_fit_byte(b)) {
        uint8_t codes_a[COUNT_STAGE], codes_b[COUNT_STAGE];
        decode_bytes(a, start, count, codes_a);
        decode_bytes(b, start, count, codes_b);
        AT_LEVEL(cells_of_bytes, codes_a, codes_b, count, (uint16_t)n_short_codes(b), cells);
        return 1;
    }
    uint16_t codes_a[COUNT_STAGE], codes_b[COUNT_STAGE], all = 0;
    decode_words(a, start, count, codes_a);
    decode_words(b, start, count, codes_b);
    for (ptrdiff_t i = 0; i < count; i++)
        all |= codes_a[i] | codes_b[i];
    AT_LEVEL(short_cells_of_words, codes_a, codes_b, count, (uint16_t)n_short_codes(b), cells);
    return all < MOST_SHORT_LABELS;
}

/* Computes the cell numbers of up to BLOCK pairs, for a table of n_codes(a) x n_codes(b). */
static void long_cells(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t count, uint32_t *cells)
{
    uint16_t codes_a[BLOCK], codes_b[BLOCK];
    decode_words(a, start, count, codes_a);
    decode_words(b, start, count, codes_b);
    AT_LEVEL(cells_of_words, codes_a, codes_b, count, (uint32_t)n_codes(b), cells);
}

/* Returns whether many pairs in a sample of the range are in the same cell as one of the two pairs before them. */
static int neighbours_collide(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop)
{
    uint32_t codes_a[SAMPLE_PAIRS], codes_b[SAMPLE_PAIRS];
    const ptrdiff_t apart = (stop - start - SAMPLE_PAIRS) / SAMPLE_PLACES;
    int collisions = 0;
    if (stop - start < SAMPLE_PAIRS)
        return 0;
    for (int place = 0; place < SAMPLE_PLACES; place++) {
        decode(a, start + place * apart, SAMPLE_PAIRS, codes_a);
        decode(b, start + place * apart, SAMPLE_PAIRS, codes_b);
        for (int i = 2; i < SAMPLE_PAIRS; i++)
            collisions += (codes_a[i] == codes_a[i - 1] && codes_b[i] == codes_b[i - 1])
                       || (codes_a[i] == codes_a[i - 2] && codes_b[i] == codes_b[i - 2]);
    }
    return collisions > SAMPLE_PLACES * SAMPLE_PAIRS / 16;
}

/* Increments */

#define ADD_SHORT(name, copies)                                                                                   \
    static void name(const uint16_t *cells, ptrdiff_t count, uint32_t *counters)                                  \
    {                                                                                                             \
        ptrdiff_t i = 0;                                                                                          \
        for (; i + 8 <= count; i += 8)                                                                            \
            UNROLL for (ptrdiff_t k = 0; k < 8; k++)                                                              \
                counters[(size_t)cells[i + k] * copies + (size_t)(k % copies)]++;                                 \
        for (; i < count; i++)                                                                                    \
            counters[(size_t)cells[i] * copies]++;                                                                \
    }
ADD_SHORT(add_short_8, 8)
ADD_SHORT(add_short_1, 1)
#undef ADD_SHORT

/* Increments byte counters. Whenever a counter wraps to 0, adds 256 to the table. */
static void add_long(const uint32_t *cells, ptrdiff_t count, uint8_t *counters, int64_t *table, size_t row, size_t table_row)
{
    UNROLL for (ptrdiff_t i = 0; i < count; i++) {
        const size_t cell = cells[i];
        if (UNLIKELY(++counters[cell] == 0))
            table[cell / row * table_row + cell % row] += 256;
    }
}

/* The following functions count pairs while they compute the cells of the next pairs. */

enum {
    STEPS_AHEAD = 3,   /* steps between computing cells and counting them; one less than a power of 2 */
    FETCH_BYTES = 2048 /* distance of the prefetch in bytes */
};
/* Steps are short, so that the processor can overlap the cell computations of one step with the increments of another. */
#define STEP_PAIRS(width) ((width) == 1 ? 32 : 16)

#define VECTOR_TEMPLATE "../pairs/add_pairs.h"
#include "../common/each_vector_level.h"

/* Returns whether add_pairs.h supports these columns. */
ALWAYS_INLINE int are_for_steps(const column_t *a, const column_t *b)
{
    return has_vectors() && is_plain_integer(a) && is_plain_integer(b) && a->stride == b->stride;
}

/* Counts the pairs from `start` on while computing the cells of the next pairs. Stops before the
   first step that is incomplete or contains an out-of-range value, and returns the index of the
   first uncounted pair. At SIMD levels that do not support this method, no pair is counted. */
#ifdef AT_VECTOR_LEVEL
#  define ADD_STEPS(name) if (are_for_steps(a, b)) return AT_VECTOR_LEVEL(name, (a, b, start, stop, counters));
#else
#  define ADD_STEPS(name)
#endif
#define ADD_PAIRS(name)                                                                                           \
    static ptrdiff_t name(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, uint32_t *counters) \
    {                                                                                                             \
        ADD_STEPS(name)                                                                                           \
        (void)a, (void)b, (void)stop, (void)counters;                                                             \
        return start;                                                                                             \
    }
ADD_PAIRS(add_pairs_8)
ADD_PAIRS(add_pairs_1)
#undef ADD_PAIRS
#undef ADD_STEPS

/* The kernels */

/* Adds rows x columns counters, with `copies` adjacent copies each, to the table. */
#define MERGE(name, counter_t, copies)                                                                            \
    static void name(const counter_t *counters, size_t rows, size_t columns, size_t table_row, int64_t *table)    \
    {                                                                                                             \
        for (size_t i = 0; i < rows; i++, table += table_row, counters += columns * copies)                       \
            for (size_t j = 0; j < columns; j++)                                                                  \
                for (size_t k = 0; k < copies; k++)                                                               \
                    table[j] += counters[j * copies + k];                                                         \
    }
MERGE(merge_short_8, uint32_t, 8)
MERGE(merge_short_1, uint32_t, 1)
MERGE(merge_long, uint8_t, 1)
#undef MERGE

/* Counts a range of items of two columns with up to 256 labels each. */
static void count_short_range(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table)
{
    const size_t rows = n_short_codes(a), columns = n_short_codes(b), n_cells = rows * columns;
    const size_t table_row = (size_t)b->n_labels + 1;
    uint32_t few[FEW_CELLS * 8];
    uint16_t cells[COUNT_STAGE];
    uint32_t *counters = few;
    size_t copies = 8;
    if (n_cells <= FEW_CELLS && (size_t)(stop - start) < 4 * n_cells) {
        count_plain(a, b, start, stop, table);
        return;
    }
    /* int64 columns take up so much cache that 8 copies of even a few counters hardly fit. */
    if (n_cells > FEW_CELLS || (a->stride == 8 && are_for_steps(a, b)))
        copies = neighbours_collide(a, b, start, stop) ? 8 : 1;
    if (n_cells > FEW_CELLS) {
        counters = (size_t)(stop - start) >= n_cells / 4 * copies ? malloc(n_cells * copies * sizeof *counters) : NULL;
        if (!counters) {
            count_plain(a, b, start, stop, table);
            return;
        }
    }
    memset(counters, 0, n_cells * copies * sizeof *counters);
    for (ptrdiff_t i = start, count; i < stop; i += count) {
        count = (copies == 8 ? add_pairs_8 : add_pairs_1)(a, b, i, stop, counters) - i;
        if (count)
            continue;
        count = stop - i < COUNT_STAGE ? stop - i : COUNT_STAGE;
        if (LIKELY(short_cells(a, b, i, count, cells)))
            (copies == 8 ? add_short_8 : add_short_1)(cells, count, counters);
        else
            count_plain(a, b, i, i + count, table);
    }
    (copies == 8 ? merge_short_8 : merge_short_1)(counters, rows, columns, table_row, table);
    if (counters != few)
        free(counters);
}

/* Counts a range of items of two columns in up to 2^32 cells. At least one column has more than 256
   labels. */
static void count_long_range(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table)
{
    const size_t rows = n_codes(a), columns = n_codes(b), n_cells = rows * columns, table_row = (size_t)b->n_labels + 1;
    uint32_t cells[BLOCK];
    uint8_t *counters = (size_t)(stop - start) >= n_cells / 2 ? calloc(n_cells, 1) : NULL;
    if (!counters) {
        count_plain(a, b, start, stop, table);
        return;
    }
    for (ptrdiff_t i = start; i < stop; i += BLOCK) {
        const ptrdiff_t count = stop - i < BLOCK ? stop - i : BLOCK;
        long_cells(a, b, i, count, cells);
        add_long(cells, count, counters, table, columns, table_row);
    }
    merge_long(counters, rows, columns, table_row, table);
    free(counters);
}

/* Counts columns whose codes fit in 16 bits and whose cells fit in 32 bits. */
static void count_histogram(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table)
{
    if (!codes_fit_word(a) || !codes_fit_word(b)) {
        count_plain(a, b, start, stop, table);
        return;
    }
    const int is_short = a->n_labels <= MOST_SHORT_LABELS && b->n_labels <= MOST_SHORT_LABELS;
    while (start < stop) {
        /* if fewer than two ranges of pairs remain, count them as one range */
        const ptrdiff_t end = stop - start < 2 * HISTOGRAM_RANGE ? stop : start + HISTOGRAM_RANGE;
        (is_short ? count_short_range : count_long_range)(a, b, start, end, table);
        start = end;
    }
}

#endif
