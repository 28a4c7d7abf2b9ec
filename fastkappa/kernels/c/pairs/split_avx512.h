/* Count byte pairs with 140 to about 1200 cells by splitting them until positional popcount is cheap (AVX-512).

   A processor stores to one cache line per cycle, and an increment takes longer, because it reads first. The popcount of
   avx512.h stores nothing, but it needs three instructions per 64 pairs for every eight cells. So pairs are first split by
   cell, 64 at a time: the pairs selected by a mask are packed (vpcompressb) and appended to a bucket.

       24 labels, 576 cells    band 0: rows  0 ..  9    numbers 0 .. 239, a byte    windows of 64 cells: 0, 1, 2, 3
                               band 1: rows 10 .. 19    numbers 0 .. 239            windows 0, 1, 2, 3
                               band 2: rows 20 .. 23    numbers 0 .. 95             windows 0, 1

       pair (13, 5)            is number (13 - 10) * 24 + 5 = 77 of band 1 and goes to its bucket; when this has 1024 numbers,
                               77 goes to the bucket of window 1 as 77 - 64 = 13; when this has 1024, 8 planes are counted

   The time does not depend on how often cells repeat. Pairs with an outside value are collected separately. */
#ifndef FASTKAPPA_SPLIT_AVX512_H
#define FASTKAPPA_SPLIT_AVX512_H

#include <stdlib.h>

#include "../common/avx512.h"
#include "../common/column.h"
#include "avx512.h"
#include "histogram.h"

#if SIMD_HAS_X86
SIMD_BEGIN_AVX512

enum {
    CELLS_TO_SPLIT = 140,           /* with fewer cells, positional popcount alone is as fast */
    CELLS_TO_SPLIT_AMD = 200,
    PAIRS_TO_SPLIT = 1 << 16,       /* with fewer pairs, too many are left in the buckets and counted one by one */
    BAND_CELLS = 256,
    WINDOWS_OF_BAND = 4,
    PLANES_OF_WINDOW = 8,
    MOST_BANDS = 5,                 /* each band costs time and 18 KB; with 8 bands, one increment per pair is as fast */
    MOST_EVEN_BANDS_AMD = 2,        /* on AMD, if few pairs collide, increments are as fast from 3 bands on */
    MOST_ROWS = 64                  /* the numbers of the first cells of all rows fill one vector */
};

/* A bucket of cells. It contains less than a group, and has room for one more vector. */
typedef struct {
    uint8_t cells[GROUP_512 + LANES_512];
    size_t filled;
} bucket_512_t;

typedef struct {
    plane_512_t planes[PLANES_OF_WINDOW];
    bucket_512_t bucket;
    int until_flush;
} window_512_t;

typedef struct {
    window_512_t windows[WINDOWS_OF_BAND];
    bucket_512_t bucket;
} band_512_t;

/* ---- buckets ---- */

/* Appends the bytes selected by a mask. Returns whether the bucket now contains a whole group. */
ALWAYS_INLINE int append_512(bucket_512_t *bucket, __m512i cells, uint64_t mask)
{
    _mm512_storeu_si512(bucket->cells + bucket->filled, _mm512_maskz_compress_epi8(mask, cells));
    bucket->filled += (size_t)_mm_popcnt_u64(mask);
    return UNLIKELY(bucket->filled >= GROUP_512);
}

/* Removes the group and moves the bytes after it to the front. */
ALWAYS_INLINE void remove_group_512(bucket_512_t *bucket)
{
    _mm512_storeu_si512(bucket->cells, _mm512_loadu_si512(bucket->cells + GROUP_512));
    bucket->filled -= GROUP_512;
}

NEVER_INLINE void work_window_512(window_512_t *window)
{
    __m512i cells[TREE];
    for (int v = 0; v < TREE; v++)
        cells[v] = _mm512_loadu_si512(window->bucket.cells + LANES_512 * v);
    for (int p = 0; p < PLANES_OF_WINDOW; p++)
        add_to_plane_512(&window->planes[p], cells, p);
    if (--window->until_flush == 0) {
        flush_planes_512(window->planes, PLANES_OF_WINDOW);
        window->until_flush = GROUPS_PER_FLUSH;
    }
    remove_group_512(&window->bucket);
}

/* Splits the numbers of a band by window. The upper two bits of a number are its window. The planes use only the other
   bits. */
NEVER_INLINE void work_band_512(band_512_t *band)
{
    window_512_t *windows = band->windows;
    for (int i = 0; i < GROUP_512; i += LANES_512) {
        const __m512i cells = _mm512_loadu_si512(band->bucket.cells + i);
        const uint64_t upper = _mm512_movepi8_mask(cells), lower = _mm512_movepi8_mask(_mm512_add_epi8(cells, cells));
        const uint64_t masks[WINDOWS_OF_BAND] = {~upper & ~lower, ~upper & lower, upper & ~lower, upper & lower};
        for (int w = 0; w < WINDOWS_OF_BAND; w++)
            if (append_512(&windows[w].bucket, cells, masks[w]))
                work_window_512(&windows[w]);
    }
    remove_group_512(&band->bucket);
}

/* ---- the kernel ---- */

/* Returns whether splitting is the fastest way to count a range. */
static int best_split_512(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop)
{
    const uint64_t n_a = a->n_labels, n_b = b->n_labels;
    if (stop - start < PAIRS_TO_SPLIT || a->stride != 1 || b->stride != 1 || !is_plain_integer(a) || !is_plain_integer(b)
        || n_a > MOST_ROWS || n_b > BAND_CELLS || n_a * n_b < (is_amd_512() ? CELLS_TO_SPLIT_AMD : CELLS_TO_SPLIT))
        return 0;
    const uint64_t rows = BAND_CELLS / n_b;
    if (is_amd_512() && n_a > MOST_EVEN_BANDS_AMD * rows && !neighbours_collide(a, b, start, stop))
        return 0;
    return n_a <= MOST_BANDS * rows;
}

/* The codes of pairs with an outside value. */
typedef struct { bucket_512_t a, b; } outside_512_t;

NEVER_INLINE void count_outside_512(const outside_512_t *outside, size_t count, size_t n_a, size_t n_b, int64_t *table)
{
    for (size_t i = 0; i < count; i++) {
        const size_t code_a = outside->a.cells[i], code_b = outside->b.cells[i];
        table[(code_a < n_a ? code_a : n_a) * (n_b + 1) + (code_b < n_b ? code_b : n_b)]++;
    }
}

/* Splits whole vectors of pairs into bands of the given number of rows. Returns the index at which it stopped. */
static ptrdiff_t split_512(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, band_512_t *bands,
                           size_t n_bands, size_t rows, int64_t *table)
{
    const size_t n_a = (size_t)a->n_labels, n_b = (size_t)b->n_labels;
    uint8_t first_cells[MOST_ROWS] = {0};
    for (size_t row = 0; row < n_a; row++)
        first_cells[row] = (uint8_t)(row % rows * n_b);
    const __m512i first_cell = _mm512_loadu_si512(first_cells), rows_of_band = broadcast_512(rows, 1);
    const __m512i lowest_a = broadcast_512(a->lowest, 1), last_a = broadcast_512(n_a - 1, 1);
    const __m512i lowest_b = broadcast_512(b->lowest, 1), last_b = broadcast_512(n_b - 1, 1);
    const char *p = element_address(a, start), *q = element_address(b, start);
    outside_512_t outside;
    outside.a.filled = outside.b.filled = 0;
    for (; start + LANES_512 <= stop; start += LANES_512, p += LANES_512, q += LANES_512) {
        fetch_next_page(p);
        fetch_next_page(q);
        const __m512i codes_a = _mm512_sub_epi8(_mm512_loadu_si512(p), lowest_a);
        const __m512i codes_b = _mm512_sub_epi8(_mm512_loadu_si512(q), lowest_b);
        const __m512i cells = _mm512_add_epi8(_mm512_permutexvar_epi8(codes_a, first_cell), codes_b);
        uint64_t left = _mm512_cmple_epu8_mask(codes_a, last_a) & _mm512_cmple_epu8_mask(codes_b, last_b);
        if (UNLIKELY(~left)) {
            append_512(&outside.b, codes_b, ~left);
            if (append_512(&outside.a, codes_a, ~left)) {
                count_outside_512(&outside, GROUP_512, n_a, n_b, table);
                remove_group_512(&outside.a);
                remove_group_512(&outside.b);
            }
        }
        __m512i end = rows_of_band;
        for (size_t k = 0; k < n_bands; k++, end = _mm512_add_epi8(end, rows_of_band)) {
            const uint64_t below = _mm512_cmplt_epu8_mask(codes_a, end);
            if (append_512(&bands[k].bucket, cells, k + 1 < n_bands ? left & below : left))
                work_band_512(&bands[k]);
            left &= ~below;
        }
    }
    count_outside_512(&outside, outside.a.filled, n_a, n_b, table);
    return start;
}

/* Adds the counts of a band, and the numbers left in its buckets, to rows of the table. */
static void band_into_table_512(band_512_t *band, size_t n_cells, size_t n_b, int64_t *rows)
{
    int64_t cells[BAND_CELLS];
    for (int w = 0; w < WINDOWS_OF_BAND; w++) {
        plane_512_t *planes = band->windows[w].planes;
        flush_planes_512(planes, PLANES_OF_WINDOW);
        for (int p = 0; p < PLANES_OF_WINDOW; p++)
            _mm512_storeu_si512(cells + 8 * (PLANES_OF_WINDOW * w + p),
                                _mm512_add_epi64(planes[p].total, rest_of_plane_512(&planes[p])));
    }
    for (int w = -1; w < WINDOWS_OF_BAND; w++) {
        const bucket_512_t *bucket = w < 0 ? &band->bucket : &band->windows[w].bucket;
        for (size_t i = 0; i < bucket->filled; i++)
            cells[bucket->cells[i]]++;
    }
    for (size_t cell = 0; cell < n_cells; cell++)
        rows[cell / n_b * (n_b + 1) + cell % n_b] += cells[cell];
}

/* Counts whole vectors of a range by splitting. Returns the index at which it stopped, or `start` if memory is exhausted. */
static ptrdiff_t count_split_512(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table)
{
    const size_t n_a = (size_t)a->n_labels, n_b = (size_t)b->n_labels, rows = BAND_CELLS / n_b;
    const size_t n_bands = (n_a + rows - 1) / rows;
    char *memory = malloc(n_bands * sizeof(band_512_t) + 64);
    if (!memory)
        return start;
    band_512_t *bands = (band_512_t *)(void *)(memory + 64 - (uintptr_t)memory % 64); /* align vectors to 64 bytes */
    for (size_t k = 0; k < n_bands; k++) {
        bands[k].bucket.filled = 0;
        for (int w = 0; w < WINDOWS_OF_BAND; w++) {
            memset(bands[k].windows[w].planes, 0, sizeof bands[k].windows[w].planes);
            bands[k].windows[w].bucket.filled = 0;
            bands[k].windows[w].until_flush = GROUPS_PER_FLUSH;
        }
    }
    start = split_512(a, b, start, stop, bands, n_bands, rows, table);
    for (size_t k = 0; k < n_bands; k++) {
        const size_t n_rows = n_a - k * rows < rows ? n_a - k * rows : rows;
        band_into_table_512(&bands[k], n_rows * n_b, n_b, table + k * rows * (n_b + 1));
    }
    free(memory);
    return start;
}

SIMD_END
#endif
#endif
