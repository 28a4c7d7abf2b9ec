/* largest_differences: find the largest difference between two rows in each column of a matrix. Each pair of rows has a
   factor that scales its differences.

       rows  1 4      factors  0 0      largest  |3 - 1| * 2 = 4   |4 - 4| * 2 = 0
             3 4               2 0

   Compilers vectorise the inner loop. */
#ifndef FASTKAPPA_LARGEST_DIFFERENCES_H
#define FASTKAPPA_LARGEST_DIFFERENCES_H

#include <math.h>
#include <stddef.h>
#include <string.h>
#include "../common/simd_level.h"

/* 256 columns of a few hundred rows stay in the cache. */
#define COLUMNS_AT_ONCE 256

/* Updates `largest` with the differences of rows start..stop-1 from all rows before them. Each of these rows has n_factors
   factors; factor j scales its difference from row j. */
MAYBE_UNUSED static void largest_differences(const float *rows, ptrdiff_t n_columns, const float *factors, ptrdiff_t n_factors,
                                             ptrdiff_t start, ptrdiff_t stop, float *largest)
{
    for (ptrdiff_t first = 0; first < n_columns; first += COLUMNS_AT_ONCE) {
        const ptrdiff_t count = n_columns - first < COLUMNS_AT_ONCE ? n_columns - first : COLUMNS_AT_ONCE;
        /* The compiler knows that a local array does not alias the others. */
        float found[COLUMNS_AT_ONCE];
        memcpy(found, largest + first, (size_t)count * sizeof *found);
        for (ptrdiff_t i = start; i < stop; i++) {
            const float *row = rows + i * n_columns + first;
            for (ptrdiff_t j = 0; j < i; j++) {
                const float *other = rows + j * n_columns + first, factor = factors[(i - start) * n_factors + j];
                for (ptrdiff_t k = 0; k < count; k++) {
                    const float difference = fabsf((row[k] - other[k]) * factor);
                    found[k] = difference > found[k] ? difference : found[k];
                }
            }
        }
        memcpy(largest + first, found, (size_t)count * sizeof *found);
    }
}

#endif
