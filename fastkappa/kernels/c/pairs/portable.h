/* Count pairs in portable C: decode a block of each column, then increment the table once per pair.

   This kernel handles any input, including out-of-range values, which have their own row and
   column. Faster kernels use it for the last few pairs, and for blocks with out-of-range values. */
#ifndef FASTKAPPA_PAIRS_PORTABLE_H
#define FASTKAPPA_PAIRS_PORTABLE_H

#include "../common/column.h"

/* Counts contiguous integers, the usual case in a small call, without decoding them into a copy. */
#define COUNT_DIRECT(name, read, code, width)                                                                 \
    static void name(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t count, int64_t *table)  \
    {                                                                                                         \
        const char *p = element_address(a, start), *q = element_address(b, start);                            \
        const uint64_t lowest_a = a->lowest, lowest_b = b->lowest;                                            \
        const uint32_t n_a = (uint32_t)a->n_labels, n_b = (uint32_t)b->n_labels;                              \
        const size_t row = (size_t)n_b + 1;                                                                   \
        for (ptrdiff_t i = 0; i < count; i++)                                                                 \
            table[code(read(p + i * width, 0), lowest_a, n_a) * row + code(read(q + i * width, 0), lowest_b, n_b)]++; \
    }
COUNT_DIRECT(count_direct8, read8, code8, 1)
COUNT_DIRECT(count_direct32, read32, code32, 4)
COUNT_DIRECT(count_direct64, read64, code64, 8)
#undef COUNT_DIRECT

static void count_decoded(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t count, int64_t *table)
{
    uint32_t codes_a[BLOCK], codes_b[BLOCK];
    const size_t row = (size_t)b->n_labels + 1;
    while (count > 0) {
        const ptrdiff_t n = count < BLOCK ? count : BLOCK;
        decode(a, start, n, codes_a);
        decode(b, start, n, codes_b);
        for (ptrdiff_t i = 0; i < n; i++)
            table[codes_a[i] * row + codes_b[i]]++;
        start += n;
        count -= n;
    }
}

static void count_plain(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table)
{
    const ptrdiff_t count = stop - start;
    if (count <= 0)
        return;
    if (is_plain_integer(a) && is_plain_integer(b) && a->stride == b->stride && a->stride != 2) {
        switch (a->stride) {
        case 1: count_direct8(a, b, start, count, table); return;
        case 4: count_direct32(a, b, start, count, table); return;
        default: count_direct64(a, b, start, count, table); return;
        }
    }
    count_decoded(a, b, start, count, table);
}

#endif
