/* Counting pairs of some 100 to 256 cells: one increment for two pairs (AVX-512).

   A processor stores to one cache line a cycle, so that an increment a pair costs a cycle at least (measured on Zen 5:
   4.2 GHz, 0.236 ns a store to changing lines, 0.12 ns a pair where two pairs share one). The
   cells of avx512.h are bytes, and two neighbouring bytes read as one number say where two pairs lie: they are
   counted together, in one of 65 536 counters.

       cells  4 7 7 0     are the numbers  4 + 256 * 7 = 1796   and  7 + 256 * 0 = 7     counters[1796]++, counters[7]++

   Then cell c has the counts of all numbers with c in the low byte, and of all with c in the high byte. A counter has 8
   bits, so that more of them stay in the cache; when it wraps to 0, the 256 that it has lost go to both its cells.

   Where many pairs lie in few cells, an increment waits for the one before: then positional popcount is faster. More than
   256 cells would need 2^24 counters and more, which is why an increment a pair is all that histogram.h can do. */
#ifndef FASTKAPPA_TWOS_AVX512_H
#define FASTKAPPA_TWOS_AVX512_H

#include "../common/avx512.h"
#include "../common/column.h"
#include "avx512.h"
#include "histogram.h"
#include "portable.h"

#if SIMD_HAS_X86
SIMD_BEGIN_AVX512

enum {
    BYTE_CELLS = 256,
    TWOS = BYTE_CELLS * BYTE_CELLS,
    CELLS_IN_TWOS = 160,            /* fewer are counted as fast by positional popcount, */
    PAIRS_IN_TWOS = 1 << 18         /* and so are fewer pairs: the counters take time to clear and to add up */
};

typedef struct {
    uint8_t counters[TWOS];
    int64_t cells[BYTE_CELLS];   /* what the counters have lost, and at last all */
} twos_t;

ALWAYS_INLINE void count_two(twos_t *twos, size_t number)
{
    if (UNLIKELY(++twos->counters[number] == 0)) {
        twos->cells[number & 0xFF] += 256;
        twos->cells[number >> 8] += 256;
    }
}

ALWAYS_INLINE void count_twos(twos_t *twos, const uint8_t *cells)
{
    for (int i = 0; i < LANES_512; i += 8) {
        uint64_t numbers;
        memcpy(&numbers, cells + i, sizeof numbers);
        count_two(twos, numbers & 0xFFFF);
        count_two(twos, numbers >> 16 & 0xFFFF);
        count_two(twos, numbers >> 32 & 0xFFFF);
        count_two(twos, numbers >> 48);
    }
}

/* Adds what is in the counters to the cells. */
static void split_twos(twos_t *twos, size_t n_cells)
{
    uint32_t low[BYTE_CELLS] = {0};
    for (size_t high = 0; high < n_cells; high++) {
        const uint8_t *counters = twos->counters + BYTE_CELLS * high;
        uint32_t sum = 0;
        for (size_t cell = 0; cell < BYTE_CELLS; cell++) {
            low[cell] += counters[cell];
            sum += counters[cell];
        }
        twos->cells[high] += sum;
    }
    for (size_t cell = 0; cell < n_cells; cell++)
        twos->cells[cell] += low[cell];
}

/* Whole groups of contiguous bytes; returns where it stopped. As in count_groups_512, the next group is read while one is
   counted. */
static ptrdiff_t count_groups_in_twos(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop,
                                      twos_t *twos, int64_t *table)
{
    column_512_t column_a = column_512(a, start, 1), column_b = column_512(b, start, 1);
    const __m512i factor = _mm512_set1_epi16((short)b->n_labels);
    const ptrdiff_t n_groups = (stop - start) / GROUP_512;
    uint8_t buffers[2][GROUP_512];
    /* round -1 reads the first group and counts none */
    for (ptrdiff_t group = -1; group < n_groups; group++, start += GROUP_512) {
        const uint8_t *cells = buffers[group & 1];
        uint8_t *next = buffers[(group & 1) ^ 1];
        const int legal = all_legal_512(&column_a, 1) & all_legal_512(&column_b, 1);
        const int counted = group >= 0 && LIKELY(legal), more = group + 1 < n_groups;
        for (int v = 0; v < TREE; v++) {
            if (LIKELY(more))
                _mm512_storeu_si512(next + LANES_512 * v, next_cells_512(&column_a, &column_b, factor, 1, 0));
            if (LIKELY(counted))
                count_twos(twos, cells + LANES_512 * v);
        }
        if (UNLIKELY(!legal))
            count_plain(a, b, start - GROUP_512, start, table);
    }
    return start - GROUP_512;
}

/* A range of contiguous bytes, at most 256 cells: whole groups; returns where it stopped. */
static ptrdiff_t count_in_twos_512(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table)
{
    const size_t n_a = (size_t)a->n_labels, n_b = (size_t)b->n_labels;
    twos_t *twos = calloc(1, sizeof *twos);
    if (!twos)
        return count_popcount_512(a, b, start, stop, table);
    start = count_groups_in_twos(a, b, start, stop, twos, table);
    split_twos(twos, n_a * n_b);
    for (size_t i = 0; i < n_a; i++)
        for (size_t j = 0; j < n_b; j++)
            table[i * (n_b + 1) + j] += twos->cells[i * n_b + j];
    free(twos);
    return start;
}

/* Two columns of integers in lanes of one width, at most 256 cells, by the faster way: whole groups; returns where it
   stopped. Wider elements than bytes are read no faster than positional popcount counts them. */
static ptrdiff_t count_few_512(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table)
{
    while (a->stride == 1 && a->n_labels * b->n_labels >= CELLS_IN_TWOS && stop - start >= PAIRS_IN_TWOS) {
        const ptrdiff_t end = stop - start < 2 * HISTOGRAM_RANGE ? stop : start + HISTOGRAM_RANGE;
        start = (neighbours_collide(a, b, start, end) ? count_popcount_512 : count_in_twos_512)(a, b, start, end, table);
    }
    return count_popcount_512(a, b, start, stop, table);
}

SIMD_END
#endif
#endif
