/* Count pairs in portable C: decode a block of each column, then increment the table once per pair.

   This kernel handles any input, including outside values, which have their own row and column. Faster kernels use it for the
   last few pairs, and for blocks with outside values. */
#ifndef FASTKAPPA_PAIRS_PORTABLE_H
#define FASTKAPPA_PAIRS_PORTABLE_H

#include "../common/column.h"

static void count_plain(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table)
{
    uint32_t codes_a[BLOCK], codes_b[BLOCK];
    const size_t row = (size_t)b->n_labels + 1;
    for (; start < stop; start += BLOCK) {
        const ptrdiff_t n = stop - start < BLOCK ? stop - start : BLOCK;
        decode(a, start, n, codes_a);
        decode(b, start, n, codes_b);
        for (ptrdiff_t i = 0; i < n; i++)
            table[codes_a[i] * row + codes_b[i]]++;
    }
}

#endif
