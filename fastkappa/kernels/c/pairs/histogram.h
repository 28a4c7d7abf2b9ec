/* Counting pairs of many labels: one increment a pair, made as cheap as it can be.

   A block of pairs becomes cell numbers (vectorised, in the innermost cache); then each pair increments its cell. What
   costs is a pair that meets the counter which a pair just before it has changed: it waits for that store, and where such
   meetings are frequent but irregular (90 % of all pairs in one cell) the processor mispredicts them, five times the
   price. So there are several copies of the counters, side by side, used in turn, and added up at the end:

       8 copies    counters[cell * 8 + k], k = 0..7      pairs 0, 8, 16, ... use copy 0; 1, 9, 17, ... copy 1; ...

   Copies cost cache. So: 8 where they are small; else 1, or if a sample shows neighbours in one cell, 4 or 8.
   (Copies that lie side by side, not one after the other: at a distance of 2^k bytes they would share cache lines' sets.)

   Many counters do not fit the innermost cache, and each that comes in pushes something out. So cells are made ready for
   few pairs at a time (COUNT_STAGE): with 1024, 256 labels were half as slow again, presumably for their buffer is pushed out.
   Where it can be, cells are made while others are counted: of all plain integers of one width (see add_pairs.h), which saved
   a fifth to a third on Zen 3, and half of int64 and of collisions on Zen 4; of bytes that need one copy, 64 at a time at AVX-512.
   Few pairs go straight into the table.

   One copy of more than 8192 cells has counters of 16 bits, or of 8 where pairs are spread evenly, so that more of them stay in
   the cache. (Of 4096 cells they are no faster on Emerald Rapids, and in one process of twelve half as fast, for a reason
   unknown. On Zen 5 they save a tenth to a fifth from 512 cells on. On Zen 3 an increment of less than 4 bytes takes twice the
   time of one of 4 in the innermost cache.) To watch each for a wrap costs a fifth more; so no one does, and they are emptied
   before one is likely. A wrap shows all the same: it takes 256 (65 536) from their sum, which is to be the number of pairs, and
   those are then counted again:

       181 labels     65 024 pairs in 16 bits     cannot wrap; the fullest counter has 11
                     693 248 pairs in 8 bits      the fullest counter has 43; their sum is 693 248: none has wrapped

   Past 65 536 cells a counter has 8 bits and is watched: when it wraps to 0, the 256 that it has lost go to the table. */
#ifndef FASTKAPPA_HISTOGRAM_H
#define FASTKAPPA_HISTOGRAM_H

#include <stdlib.h>

#include "../common/column.h"
#include "../narrow/narrow.h"
#include "portable.h"

enum {
    FEW_CELLS = 512,                  /* 8 copies of 4 bytes: 16 KB */
    MOST_WIDE_CELLS = 8192,           /* 1 copy of 4 bytes: 32 KB; more are counted in 2 bytes or 1 */
    MOST_WIDE_CELLS_IN_STEPS = 16384, /* the same below AVX-512 where pairs are counted while cells are made */
    MANY_CELLS = 16384,               /* 8 copies of 4 bytes: 512 KB */
    MOST_SHORT_LABELS = 256,          /* of each column: a cell number fits 16 bits */
    COUNT_STAGE = 512,                /* pairs between making cells and incrementing them; divides BLOCK */
    FIRST_UNWATCHED = 65536 - COUNT_STAGE, /* pairs that no counter of 16 bits can wrap with */
    MOST_UNWATCHED = 1 << 22,         /* pairs that may have to be counted again */
    PAIRS_A_CELL = 8,                 /* at least, for counters to be emptied that often */
    SAMPLE_PLACES = 16,
    SAMPLE_PAIRS = 32
};
static const ptrdiff_t HISTOGRAM_RANGE = (ptrdiff_t)1 << 23; /* pairs between two samples; 4-byte counters cannot wrap */

/* ---- cell numbers ---- */

/* Rows or columns of counters. Where 256 labels leave no byte for an outside code, that is not counted there. */
ALWAYS_INLINE size_t n_short_codes(const column_t *column)
{
    return column->n_labels == MOST_SHORT_LABELS ? MOST_SHORT_LABELS : n_codes(column);
}

#if SIMD_HAS_X86
SIMD_BEGIN_AVX512
/* The cell numbers of 64 pairs: those of the bytes with even places, then the others. */
ALWAYS_INLINE void store_cells_512(__m512i codes_a, __m512i codes_b, __m512i row, uint16_t *cells)
{
    const __m512i low_bytes = broadcast_512(0xFF, 2);
    const __m512i even_a = _mm512_and_si512(codes_a, low_bytes), even_b = _mm512_and_si512(codes_b, low_bytes);
    const __m512i odd_a = _mm512_srli_epi16(codes_a, 8), odd_b = _mm512_srli_epi16(codes_b, 8);
    _mm512_storeu_si512(cells, _mm512_add_epi16(_mm512_mullo_epi16(even_a, row), even_b));
    _mm512_storeu_si512(cells + 32, _mm512_add_epi16(_mm512_mullo_epi16(odd_a, row), odd_b));
}

/* The next 64 codes of contiguous bytes; outside ones become n_labels. */
ALWAYS_INLINE __m512i cut_bytes_512(column_512_t *column, __m512i largest)
{
    return cut_512(_mm512_sub_epi8(next_vector_512(column, 1), column->lowest), largest, 1);
}

/* The cell numbers of contiguous integers of one width, count a multiple of 64, in an order of their own. Returns 0, and
   leaves them undefined, if a value wider than a byte is outside. */
ALWAYS_INLINE int cells_of_width_512(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t count, uint16_t *cells,
                                     int width)
{
    column_512_t column_a = column_512(a, start, width), column_b = column_512(b, start, width);
    const __m512i largest_a = broadcast_512(largest_code_512(a), 1), largest_b = broadcast_512(largest_code_512(b), 1);
    const __m512i row = broadcast_512(n_short_codes(b), 2);
    for (ptrdiff_t i = 0; i < count; i += 64) {
        const __m512i codes_a = width == 1 ? cut_bytes_512(&column_a, largest_a) : next_codes_512(&column_a, width, 0);
        const __m512i codes_b = width == 1 ? cut_bytes_512(&column_b, largest_b) : next_codes_512(&column_b, width, 0);
        store_cells_512(codes_a, codes_b, row, cells + i);
    }
    return all_legal_512(&column_a, width) & all_legal_512(&column_b, width);
}

static int cells_of_columns_512(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t count, uint16_t *cells)
{
    switch (a->stride) {
    case 1: return cells_of_width_512(a, b, start, count, cells, 1);
    case 2: return cells_of_width_512(a, b, start, count, cells, 2);
    case 4: return cells_of_width_512(a, b, start, count, cells, 4);
    default: return cells_of_width_512(a, b, start, count, cells, 8);
    }
}
SIMD_END
#endif

/* The cell numbers of up to COUNT_STAGE pairs, in counters of n_short_codes(a) x n_short_codes(b). Returns 0, and leaves
   them undefined, if there is an outside code that has no counters. */
static int short_cells(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t count, uint16_t *cells)
{
#if SIMD_HAS_X86
    if (simd_level_current() == SIMD_AVX512 && count % 64 == 0 && is_plain_integer(a) && is_plain_integer(b)
        && a->stride == b->stride && cells_of_columns_512(a, b, start, count, cells))
        return 1;
#endif
    if (codes_fit_byte(a) && codes_fit_byte(b)) {
        uint8_t codes_a[COUNT_STAGE], codes_b[COUNT_STAGE];
        pair_bytes(a, b, start, count, codes_a, codes_b);
        cells_of_bytes(codes_a, codes_b, count, (uint16_t)n_short_codes(b), cells);
        return 1;
    }
    uint16_t codes_a[COUNT_STAGE], codes_b[COUNT_STAGE], all = 0;
    pair_words(a, b, start, count, codes_a, codes_b);
    for (ptrdiff_t i = 0; i < count; i++)
        all |= codes_a[i] | codes_b[i];
    short_cells_of_words(codes_a, codes_b, count, (uint16_t)n_short_codes(b), cells);
    return all < MOST_SHORT_LABELS;
}

/* The cell numbers of up to BLOCK pairs, in a table of n_codes(a) x n_codes(b). */
static void long_cells(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t count, uint32_t *cells)
{
    uint16_t codes_a[BLOCK], codes_b[BLOCK];
    pair_words(a, b, start, count, codes_a, codes_b);
    cells_of_words(codes_a, codes_b, count, (uint32_t)n_codes(b), cells);
}

/* Is a pair often in the cell of the one or two before it? Looked at in a few places of the range. */
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

/* ---- increments ---- */

/* What is read next, so that memory does not rest while counters are incremented: one cache line of each column for each
   eight pairs. Wide elements only (bytes come fast enough); an address beyond the column is looked at by no one. */
typedef struct { const char *a, *b; ptrdiff_t step_a, step_b; } ahead_t;

ALWAYS_INLINE ahead_t ahead_of(const column_t *a, const column_t *b, ptrdiff_t next)
{
    const ahead_t ahead = {element_address(a, next), element_address(b, next), 8 * a->stride, 8 * b->stride};
    return ahead;
}

ALWAYS_INLINE void fetch_ahead(const ahead_t *ahead, ptrdiff_t eighth)
{
    FETCH((uintptr_t)ahead->a + (uintptr_t)(eighth * ahead->step_a));
    FETCH((uintptr_t)ahead->b + (uintptr_t)(eighth * ahead->step_b));
}

#define ADD_SHORT(name, counter_t, copies)                                                                        \
    static void name(const uint16_t *cells, ptrdiff_t count, counter_t *counters, const ahead_t *ahead)           \
    {                                                                                                             \
        ptrdiff_t i = 0;                                                                                          \
        for (; i + 8 <= count; i += 8) {                                                                          \
            if (ahead) fetch_ahead(ahead, i / 8);                                                                 \
            UNROLL for (ptrdiff_t k = 0; k < 8; k++)                                                              \
                counters[(size_t)cells[i + k] * copies + (size_t)(k % copies)]++;                                 \
        }                                                                                                         \
        for (; i < count; i++)                                                                                    \
            counters[(size_t)cells[i] * copies]++;                                                                \
    }
ADD_SHORT(add_short_8, uint32_t, 8)
ADD_SHORT(add_short_4, uint32_t, 4)
ADD_SHORT(add_short_1, uint32_t, 1)
ADD_SHORT(add_short_words, uint16_t, 1)
ADD_SHORT(add_short_bytes, uint8_t, 1)
#undef ADD_SHORT

/* Byte counters; a wrap puts 256 into the table. */
#define ADD_LONG(name, copies)                                                                                    \
    static void name(const uint32_t *cells, ptrdiff_t count, uint8_t *counters, const ahead_t *ahead,               \
                     int64_t *table, size_t row, size_t table_row)                                                \
    {                                                                                                             \
        for (ptrdiff_t i = 0; i < count; i += 8) {                                                                \
            const ptrdiff_t end = count - i < 8 ? count : i + 8;                                                  \
            if (ahead) fetch_ahead(ahead, i / 8);                                                                 \
            UNROLL for (ptrdiff_t j = i; j < end; j++) {                                                          \
                const size_t cell = cells[j];                                                                     \
                if (UNLIKELY(++counters[cell * copies + (size_t)(j % copies)] == 0))                              \
                    table[cell / row * table_row + cell % row] += 256;                                            \
            }                                                                                                     \
        }                                                                                                         \
    }
ADD_LONG(add_long_1, 1)
ADD_LONG(add_long_4, 4)
#undef ADD_LONG

/* ---- increments while cells are made ---- */

#if SIMD_HAS_X86
SIMD_BEGIN_AVX512
/* Adds contiguous bytes, 64 pairs at a time; returns where it stopped. Of 64 pairs, the cells are made while the 64 before
   are counted. */
#define ADD_BYTES(name, counter_t)                                                                                \
    static ptrdiff_t name(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, counter_t *counters) \
    {                                                                                                             \
        column_512_t column_a = column_512(a, start, 1), column_b = column_512(b, start, 1);                      \
        const __m512i largest_a = broadcast_512(largest_code_512(a), 1);                                          \
        const __m512i largest_b = broadcast_512(largest_code_512(b), 1);                                          \
        const __m512i row = broadcast_512(n_short_codes(b), 2);                                                   \
        const ptrdiff_t n_vectors = (stop - start) / 64;                                                          \
        uint16_t buffers[2][64];                                                                                  \
        /* round -1 makes the first cells and counts none */                                                      \
        for (ptrdiff_t i = -1; i < n_vectors; i++) {                                                              \
            const uint16_t *cells = buffers[i & 1];                                                               \
            if (LIKELY(i + 1 < n_vectors))                                                                        \
                store_cells_512(cut_bytes_512(&column_a, largest_a), cut_bytes_512(&column_b, largest_b), row,    \
                                buffers[(i + 1) & 1]);                                                            \
            if (LIKELY(i >= 0))                                                                                   \
                for (int j = 0; j < 64; j += 8)                                                                   \
                    UNROLL for (int k = 0; k < 8; k++)                                                            \
                        counters[cells[j + k]]++;                                                                 \
        }                                                                                                         \
        return start + 64 * n_vectors;                                                                            \
    }
ADD_BYTES(add_pairs_1_512, uint32_t)
ADD_BYTES(add_pairs_to_words_512, uint16_t)
ADD_BYTES(add_pairs_to_bytes_512, uint8_t)
#undef ADD_BYTES
SIMD_END
#endif

enum {
    STEPS_AHEAD = 3,   /* cells are made that many steps before they are counted; one less than a power of 2 */
    FETCH_BYTES = 2048 /* and memory is asked for that far ahead */
};
/* Few pairs a step, for cells of one step and increments of another are to be in the processor at once. */
#define STEP_PAIRS(width) ((width) == 1 ? 32 : 16)

#define VECTOR_TEMPLATE "../pairs/add_pairs.h"
#include "../common/each_vector_level.h"

/* Are these columns for add_pairs.h? */
ALWAYS_INLINE int are_for_steps(const column_t *a, const column_t *b)
{
    return has_vectors() && is_plain_integer(a) && is_plain_integer(b) && a->stride == b->stride;
}

/* Are they contiguous bytes, at AVX-512? */
ALWAYS_INLINE int are_byte_columns_512(const column_t *a, const column_t *b)
{
    return simd_level_current() == SIMD_AVX512 && is_plain_integer(a) && is_plain_integer(b) && a->stride == 1
        && b->stride == 1;
}

/* Adds pairs from `start` on while it makes cells, where there is such a way; returns where it stopped: at a step with a
   value outside, or where less than a step is left. */
#if SIMD_HAS_X86
#  define ADD_BYTES(name) if (are_byte_columns_512(a, b)) return name##_512(a, b, start, stop, counters);
#else
#  define ADD_BYTES(name)
#endif
#ifdef AT_VECTOR_LEVEL
#  define ADD_STEPS(name) if (are_for_steps(a, b)) return AT_VECTOR_LEVEL(name, (a, b, start, stop, counters));
#else
#  define ADD_STEPS(name)
#endif
#define ADD_PAIRS(name, counter_t, ...)                                                                           \
    static ptrdiff_t name(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, counter_t *counters) \
    {                                                                                                             \
        __VA_ARGS__                                                                                               \
        (void)a, (void)b, (void)stop, (void)counters;                                                             \
        return start;                                                                                             \
    }
ADD_PAIRS(add_pairs_8, uint32_t, ADD_STEPS(add_pairs_8))
ADD_PAIRS(add_pairs_1, uint32_t, ADD_BYTES(add_pairs_1) ADD_STEPS(add_pairs_1))
ADD_PAIRS(add_pairs_to_words, uint16_t, ADD_BYTES(add_pairs_to_words) ADD_STEPS(add_pairs_to_words))
ADD_PAIRS(add_pairs_to_bytes, uint8_t, ADD_BYTES(add_pairs_to_bytes) ADD_STEPS(add_pairs_to_bytes))
ADD_PAIRS(add_pairs_to_table, int64_t, ADD_STEPS(add_pairs_to_table))
#undef ADD_PAIRS
#undef ADD_BYTES
#undef ADD_STEPS

/* ---- the kernels ---- */

/* Adds rows x columns counters, `copies` side by side, to the table. */
#define MERGE(name, counter_t, copies)                                                                            \
    static void name(const counter_t *counters, size_t rows, size_t columns, size_t table_row, int64_t *table)    \
    {                                                                                                             \
        for (size_t i = 0; i < rows; i++, table += table_row, counters += columns * copies)                       \
            for (size_t j = 0; j < columns; j++)                                                                  \
                for (size_t k = 0; k < copies; k++)                                                               \
                    table[j] += counters[j * copies + k];                                                         \
    }
MERGE(merge_short_8, uint32_t, 8)
MERGE(merge_short_4, uint32_t, 4)
MERGE(merge_short_1, uint32_t, 1)
MERGE(merge_words, uint16_t, 1)
MERGE(merge_long_4, uint8_t, 4)
MERGE(merge_long_1, uint8_t, 1)
#undef MERGE

/* Is it worth fetching ahead? */
ALWAYS_INLINE int is_wide(const column_t *a, const column_t *b)
{
    return (element_width(a->kind) >= 4 || element_width(b->kind) >= 4) && a->stride <= 8 && b->stride <= 8;
}

/* The sum of the counters of up to MOST_UNWATCHED pairs, and the largest of them. */
#define LOOK_AT(name, counter_t)                                                                                  \
    static ptrdiff_t name(const counter_t *counters, size_t n_cells, unsigned *largest)                           \
    {                                                                                                             \
        uint32_t sum = 0;                                                                                         \
        counter_t most = 0;                                                                                       \
        for (size_t cell = 0; cell < n_cells; cell++) {                                                           \
            sum += counters[cell];                                                                                \
            most = counters[cell] > most ? counters[cell] : most;                                                 \
        }                                                                                                         \
        *largest = most;                                                                                          \
        return (ptrdiff_t)sum;                                                                                    \
    }
LOOK_AT(look_at_words, uint16_t)
LOOK_AT(look_at_bytes, uint8_t)
#undef LOOK_AT

/* Up to 256 labels each, where pairs do not collide: one copy of counters of 8 or 16 bits that no one watches. A pair is in
   the table for good only when its block is, so that it is counted once even if another thread changes it. */
static void count_unwatched(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table)
{
    const size_t rows = n_short_codes(a), columns = n_short_codes(b), n_cells = rows * columns;
    const size_t table_row = (size_t)b->n_labels + 1;
    uint16_t cells[COUNT_STAGE];
    uint16_t *words = (size_t)(stop - start) >= n_cells / 4 ? malloc(n_cells * sizeof *words) : NULL;
    uint8_t *bytes = (uint8_t *)words;
    if (!words) {
        count_plain(a, b, start, stop, table);
        return;
    }
    /* emptied once where a second time would be felt */
    ptrdiff_t block = stop - start < 4 * FIRST_UNWATCHED ? 4 * FIRST_UNWATCHED : FIRST_UNWATCHED;
    /* with so few pairs, to empty twice as much would be felt, too */
    int in_bytes = (size_t)(stop - start) < 2 * n_cells, met_outside = 0;
    while (start < stop) {
        ptrdiff_t end = stop - start < block ? stop : start + block, i = start, counted = 0;
        const int may_wrap = in_bytes || end - start > FIRST_UNWATCHED;
        unsigned largest = 0;
        memset(words, 0, n_cells * (in_bytes ? sizeof *bytes : sizeof *words));
        for (ptrdiff_t count; i < end; i += count) {
            count = (in_bytes ? add_pairs_to_bytes(a, b, i, end, bytes) : add_pairs_to_words(a, b, i, end, words)) - i;
            counted += count;
            if (count)
                continue;
            const ahead_t next = ahead_of(a, b, i + BLOCK), *const ahead = is_wide(a, b) ? &next : NULL;
            count = end - i < COUNT_STAGE ? end - i : COUNT_STAGE;
            if (LIKELY(short_cells(a, b, i, count, cells))) {
                if (in_bytes)
                    add_short_bytes(cells, count, bytes, ahead);
                else
                    add_short_words(cells, count, words, ahead);
                counted += count;
            } else {
                met_outside = 1;
                if (may_wrap)
                    end = i; /* the block ends here, and the next one cannot wrap */
                else
                    count_plain(a, b, i, i + count, table);
            }
        }
        ptrdiff_t sum = counted;
        if (may_wrap || end < stop)
            sum = in_bytes ? look_at_bytes(bytes, n_cells, &largest) : look_at_words(words, n_cells, &largest);
        if (sum == counted) {
            if (in_bytes)
                merge_long_1(bytes, rows, columns, table_row, table);
            else
                merge_words(words, rows, columns, table_row, table);
            start = end;
            /* the next block: until the largest counter is half full */
            const int64_t share = block / ((int64_t)largest + 1), in_a_byte = share << 7, in_a_word = share << 15;
            in_bytes = in_a_byte >= FIRST_UNWATCHED && in_a_byte >= PAIRS_A_CELL * (int64_t)n_cells;
            const int64_t most = in_bytes ? in_a_byte : in_a_word;
            block = most > MOST_UNWATCHED ? MOST_UNWATCHED : (ptrdiff_t)most / COUNT_STAGE * COUNT_STAGE;
        } else {
            block = 0;
        }
        if (block < FIRST_UNWATCHED || met_outside) {
            block = FIRST_UNWATCHED;
            in_bytes = 0;
        }
    }
    free(words);
}

/* Straight into the table, whose rows are those of the counters, in steps: few pairs for the cells, for which to look whether
   pairs collide, to empty counters and to add them up would take longer. */
static void count_in_table(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table)
{
    for (ptrdiff_t count; start < stop; start += count) {
        count = add_pairs_to_table(a, b, start, stop, table) - start;
        if (count)
            continue;
        count = stop - start < COUNT_STAGE ? stop - start : COUNT_STAGE;
        count_plain(a, b, start, start + count, table);
    }
}

/* Up to 256 labels each. */
static void count_short_range(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table)
{
    const size_t rows = n_short_codes(a), columns = n_short_codes(b), n_cells = rows * columns;
    const size_t table_row = (size_t)b->n_labels + 1;
    uint32_t few[FEW_CELLS * 8];
    uint16_t cells[COUNT_STAGE];
    uint32_t *counters = few;
    size_t copies = 8;
    const int in_steps = are_for_steps(a, b);
    const int in_table = in_steps && columns == table_row; /* 256 labels may have no row for an outside code */
    if ((size_t)(stop - start) < (n_cells <= FEW_CELLS ? 4 : in_table ? 2 : 0) * n_cells) {
        (in_table ? count_in_table : count_plain)(a, b, start, stop, table);
        return;
    }
    /* what int64 columns bring into the cache leaves little of it to counters, however few */
    const int are_longs_in_steps = in_steps && a->stride == 8;
    if (n_cells > FEW_CELLS || are_longs_in_steps) {
        copies = !neighbours_collide(a, b, start, stop) ? 1 : n_cells <= MANY_CELLS || in_steps ? 8 : 4;
        const size_t most_wide = are_longs_in_steps ? 0 : in_steps && has_vector_level() ? MOST_WIDE_CELLS_IN_STEPS : MOST_WIDE_CELLS;
        if (copies == 1 && (n_cells > most_wide || is_amd_512())) {
            count_unwatched(a, b, start, stop, table);
            return;
        }
    }
    if (n_cells > FEW_CELLS) {
        counters = (size_t)(stop - start) >= n_cells / 4 * copies ? malloc(n_cells * copies * sizeof *counters) : NULL;
        if (!counters) {
            count_plain(a, b, start, stop, table);
            return;
        }
    }
    memset(counters, 0, n_cells * copies * sizeof *counters);
    for (ptrdiff_t i = start, count; i < stop; i += count) {
        count = copies == 4 ? 0 : (copies == 8 ? add_pairs_8 : add_pairs_1)(a, b, i, stop, counters) - i;
        if (count)
            continue;
        const ahead_t next = ahead_of(a, b, i + BLOCK), *const ahead = is_wide(a, b) ? &next : NULL;
        count = stop - i < COUNT_STAGE ? stop - i : COUNT_STAGE;
        if (LIKELY(short_cells(a, b, i, count, cells)))
            (copies == 8 ? add_short_8 : copies == 4 ? add_short_4 : add_short_1)(cells, count, counters, ahead);
        else
            count_plain(a, b, i, i + count, table);
    }
    (copies == 8 ? merge_short_8 : copies == 4 ? merge_short_4 : merge_short_1)(counters, rows, columns, table_row, table);
    if (counters != few)
        free(counters);
}

/* More cells; at most 2^32. */
static void count_long_range(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table)
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
    (copies == 4 ? merge_long_4 : merge_long_1)(counters, rows, columns, table_row, table);
    free(counters);
}

/* Any number of labels that leaves codes in 16 bits and cells in 32. */
static void count_histogram(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table)
{
    if (!codes_fit_word(a) || !codes_fit_word(b)) {
        count_plain(a, b, start, stop, table);
        return;
    }
    const int is_short = a->n_labels <= MOST_SHORT_LABELS && b->n_labels <= MOST_SHORT_LABELS;
    while (start < stop) {
        /* what is left is one range if it is little more than one */
        const ptrdiff_t end = stop - start < 2 * HISTOGRAM_RANGE ? stop : start + HISTOGRAM_RANGE;
        (is_short ? count_short_range : count_long_range)(a, b, start, end, table);
        start = end;
    }
}

#endif
