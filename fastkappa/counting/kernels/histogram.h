/* Counting pairs of many labels: one increment a pair, made as cheap as it can be.

   A block of pairs becomes cell numbers (vectorised, in the innermost cache); then each pair increments its cell. What
   costs is a pair that meets the counter which a pair just before it has changed: it waits for that store, and where such
   meetings are frequent but irregular (90 % of all pairs in one cell) the processor mispredicts them, five times the
   price. So there are several copies of the counters, side by side, used in turn, and added up at the end:

       8 copies    counters[cell * 8 + k], k = 0..7      pairs 0, 8, 16, ... use copy 0; 1, 9, 17, ... copy 1; ...

   Copies cost cache. So: 8 where they are small; else 1, or if a sample shows neighbours in one cell, 4 or 8.
   (Copies that lie side by side, not one after the other: at a distance of 2^k bytes they would share cache lines' sets.)

   A counter without copies is small, so that more of them stay in the cache: 16 bits, past 65 536 cells 8. When it wraps
   to 0, the 65 536 or 256 that it has lost go to the table. */
#ifndef FASTKAPPA_HISTOGRAM_H
#define FASTKAPPA_HISTOGRAM_H

#include <stdlib.h>

#include "narrow.h"

enum {
    FEW_CELLS = 512,                  /* 8 copies of 4 bytes: 16 KB */
    MANY_CELLS = 16384,               /* 8 copies of 4 bytes: 512 KB */
    SHORT_CELLS = 65536,              /* a cell number fits 16 bits */
    SAMPLE_PLACES = 16,
    SAMPLE_PAIRS = 32
};
static const ptrdiff_t HISTOGRAM_RANGE = (ptrdiff_t)1 << 22; /* pairs between two samples; 4-byte counters cannot wrap */

/* ---- cell numbers ---- */

/* The cell numbers of up to BLOCK pairs, in a table of n_codes(a) x n_codes(b). */
static void short_cells(const ratings_t *a, const ratings_t *b, ptrdiff_t start, ptrdiff_t count, uint16_t *cells)
{
    uint8_t codes_a[BLOCK], codes_b[BLOCK];
    pair_bytes(a, b, start, count, codes_a, codes_b);
    cells_of_bytes(codes_a, codes_b, count, (uint16_t)n_codes(b), cells);
}

static void long_cells(const ratings_t *a, const ratings_t *b, ptrdiff_t start, ptrdiff_t count, uint32_t *cells)
{
    uint16_t codes_a[BLOCK], codes_b[BLOCK];
    pair_words(a, b, start, count, codes_a, codes_b);
    cells_of_words(codes_a, codes_b, count, (uint32_t)n_codes(b), cells);
}

/* Is a pair often in the cell of the one or two before it? Looked at in a few places of the range. */
static int neighbours_collide(const ratings_t *a, const ratings_t *b, ptrdiff_t start, ptrdiff_t stop)
{
    uint32_t codes_a[SAMPLE_PAIRS], codes_b[SAMPLE_PAIRS];
    const ptrdiff_t apart = (stop - start - SAMPLE_PAIRS) / SAMPLE_PLACES;
    int collisions = 0;
    if (apart < 0)
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

/* ---- increments ---- */

/* What is read next, so that memory does not rest while counters are incremented: one cache line of each column for each
   eight pairs. Wide elements only (bytes come fast enough); an address beyond the column is looked at by no one. */
typedef struct { const char *a, *b; ptrdiff_t step_a, step_b; } ahead_t;

ALWAYS_INLINE ahead_t ahead_of(const ratings_t *a, const ratings_t *b, ptrdiff_t next)
{
    const ahead_t ahead = {rating_address(a, next), rating_address(b, next), 8 * a->stride, 8 * b->stride};
    return ahead;
}

ALWAYS_INLINE void fetch_ahead(const ahead_t *ahead, ptrdiff_t eighth)
{
#if SIMD_HAS_GNU
    __builtin_prefetch((const char *)((uintptr_t)ahead->a + (uintptr_t)(eighth * ahead->step_a)));
    __builtin_prefetch((const char *)((uintptr_t)ahead->b + (uintptr_t)(eighth * ahead->step_b)));
#else
    (void)ahead; (void)eighth;
#endif
}

/* Four 16-bit cell numbers are read at once. `increment(cell, k)` is one pair. */
#define ADD_SHORT(name, counter_t, increment)                                                                      \
    static void name(const uint16_t *cells, ptrdiff_t count, counter_t *counters, const ahead_t *ahead,           \
                     int64_t *table, size_t row, size_t table_row)                                                \
    {                                                                                                             \
        ptrdiff_t i = 0;                                                                                          \
        (void)table; (void)row; (void)table_row;                                                                  \
        for (; i + 8 <= count; i += 8) {                                                                          \
            uint64_t x, y;                                                                                        \
            memcpy(&x, cells + i, 8);                                                                             \
            memcpy(&y, cells + i + 4, 8);                                                                         \
            if (ahead) fetch_ahead(ahead, i / 8);                                                                 \
            increment((size_t)(x & 0xFFFF), 0);                                                                   \
            increment((size_t)(x >> 16 & 0xFFFF), 1);                                                             \
            increment((size_t)(x >> 32 & 0xFFFF), 2);                                                             \
            increment((size_t)(x >> 48), 3);                                                                      \
            increment((size_t)(y & 0xFFFF), 4);                                                                   \
            increment((size_t)(y >> 16 & 0xFFFF), 5);                                                             \
            increment((size_t)(y >> 32 & 0xFFFF), 6);                                                             \
            increment((size_t)(y >> 48), 7);                                                                      \
        }                                                                                                         \
        for (; i < count; i++)                                                                                    \
            increment((size_t)cells[i], 0);                                                                       \
    }
#define IN_EIGHT(cell, k) counters[(cell) * 8 + k]++
#define IN_FOUR(cell, k) counters[(cell) * 4 + k % 4]++
/* a 16-bit counter that wraps puts 65536 into the table */
#define IN_ONE(cell, k)                                                                                            \
    do {                                                                                                          \
        const size_t own = (cell);                                                                                \
        if (UNLIKELY(++counters[own] == 0)) table[own / row * table_row + own % row] += 65536;                    \
    } while (0)
ADD_SHORT(add_short_8, uint32_t, IN_EIGHT)
ADD_SHORT(add_short_4, uint32_t, IN_FOUR)
ADD_SHORT(add_short_1, uint16_t, IN_ONE)
#undef IN_EIGHT
#undef IN_FOUR
#undef IN_ONE
#undef ADD_SHORT

/* Byte counters; a wrap puts 256 into the table. */
#define ADD_LONG(name, copies)                                                                                     \
    static void name(const uint32_t *cells, ptrdiff_t count, uint8_t *counters, const ahead_t *ahead,             \
                     int64_t *table, size_t row, size_t table_row)                                                \
    {                                                                                                             \
        for (ptrdiff_t i = 0; i < count; i++) {                                                                   \
            const size_t cell = cells[i];                                                                         \
            if (ahead && i % 8 == 0)                                                                              \
                fetch_ahead(ahead, i / 8);                                                                        \
            if (UNLIKELY(++counters[cell * copies + (size_t)(i % copies)] == 0))                                  \
                table[cell / row * table_row + cell % row] += 256;                                                \
        }                                                                                                         \
    }
ADD_LONG(add_long_1, 1)
ADD_LONG(add_long_4, 4)
#undef ADD_LONG

/* ---- the kernels ---- */

/* Adds rows x columns counters, `copies` side by side, to the table. */
#define MERGE(name, counter_t)                                                                                     \
    static void name(const counter_t *counters, size_t copies, size_t rows, size_t columns, size_t table_row,     \
                     int64_t *table)                                                                              \
    {                                                                                                             \
        for (size_t i = 0; i < rows; i++)                                                                         \
            for (size_t j = 0; j < columns; j++, counters += copies) {                                            \
                int64_t sum = 0;                                                                                  \
                for (size_t k = 0; k < copies; k++)                                                               \
                    sum += counters[k];                                                                           \
                table[i * table_row + j] += sum;                                                                  \
            }                                                                                                     \
    }
MERGE(merge_counters, uint32_t)
MERGE(merge_short_counters, uint16_t)
MERGE(merge_byte_counters, uint8_t)
#undef MERGE

/* Is it worth fetching ahead? */
ALWAYS_INLINE int is_wide(const ratings_t *a, const ratings_t *b)
{
    return rating_width(a->kind) >= 4 || rating_width(b->kind) >= 4;
}

/* Up to 65 536 cells. */
static void count_short_range(const ratings_t *a, const ratings_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table)
{
    const size_t rows = n_codes(a), columns = n_codes(b), n_cells = rows * columns, table_row = (size_t)b->n_labels + 1;
    uint32_t few[FEW_CELLS * 8];
    uint16_t cells[BLOCK];
    void *counters = few;
    size_t copies = 8, size = sizeof(uint32_t);
    if (n_cells <= FEW_CELLS) {
        if ((size_t)(stop - start) < 4 * n_cells) {
            count_plain(a, b, start, stop, table);
            return;
        }
    } else {
        copies = !neighbours_collide(a, b, start, stop) ? 1 : n_cells <= MANY_CELLS ? 8 : 4;
        size = copies == 1 ? sizeof(uint16_t) : sizeof(uint32_t);
        counters = (size_t)(stop - start) >= n_cells / 4 * copies ? malloc(n_cells * copies * size) : NULL;
        if (!counters) {
            count_plain(a, b, start, stop, table);
            return;
        }
    }
    memset(counters, 0, n_cells * copies * size);
    for (ptrdiff_t i = start; i < stop; i += BLOCK) {
        const ptrdiff_t count = stop - i < BLOCK ? stop - i : BLOCK;
        const ahead_t next = ahead_of(a, b, i + count), *const ahead = is_wide(a, b) ? &next : NULL;
        short_cells(a, b, i, count, cells);
        if (copies == 8)
            add_short_8(cells, count, counters, ahead, table, columns, table_row);
        else if (copies == 4)
            add_short_4(cells, count, counters, ahead, table, columns, table_row);
        else
            add_short_1(cells, count, counters, ahead, table, columns, table_row);
    }
    if (copies == 1)
        merge_short_counters(counters, copies, rows, columns, table_row, table);
    else
        merge_counters(counters, copies, rows, columns, table_row, table);
    if (counters != few)
        free(counters);
}

/* More cells; at most 2^32. */
static void count_long_range(const ratings_t *a, const ratings_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table)
{
    const size_t rows = n_codes(a), columns = n_codes(b), n_cells = rows * columns, table_row = (size_t)b->n_labels + 1;
    const size_t copies = n_cells <= ((size_t)1 << 21) && neighbours_collide(a, b, start, stop) ? 4 : 1;
    uint32_t cells[BLOCK];
    uint8_t *counters = (size_t)(stop - start) >= n_cells / 2 ? calloc(n_cells, copies) : NULL;
    if (!counters) {
        count_plain(a, b, start, stop, table);
        return;
    }
    for (ptrdiff_t i = start; i < stop; i += BLOCK) {
        const ptrdiff_t count = stop - i < BLOCK ? stop - i : BLOCK;
        const ahead_t next = ahead_of(a, b, i + count), *const ahead = is_wide(a, b) ? &next : NULL;
        long_cells(a, b, i, count, cells);
        (copies == 4 ? add_long_4 : add_long_1)(cells, count, counters, ahead, table, columns, table_row);
    }
    merge_byte_counters(counters, copies, rows, columns, table_row, table);
    free(counters);
}

/* Any number of labels that leaves codes in 16 bits and cells in 32. */
static void count_histogram(const ratings_t *a, const ratings_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table)
{
    if (!codes_fit_word(a) || !codes_fit_word(b)) {
        count_plain(a, b, start, stop, table);
        return;
    }
    const int is_short = codes_fit_byte(a) && codes_fit_byte(b) && n_codes(a) * n_codes(b) <= SHORT_CELLS;
    while (start < stop) {
        /* what is left is one range if it is little more than one */
        const ptrdiff_t end = stop - start < 2 * HISTOGRAM_RANGE ? stop : start + HISTOGRAM_RANGE;
        (is_short ? count_short_range : count_long_range)(a, b, start, end, table);
        start = end;
    }
}

#endif
