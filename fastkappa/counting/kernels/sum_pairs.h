#ifndef S_H
#define S_H
#include "count_pairs.h"
static void sum_pairs(const ratings_t *a, const ratings_t *b, const ratings_t *w, ptrdiff_t start, ptrdiff_t stop, double *table)
{ uint64_t x; for (ptrdiff_t i = start; i < stop; i++) table[code_of(a, i) * (b->n_labels + 1) + code_of(b, i)] += as_double(w, i, &x); }
static void sum_pairs_exactly(const ratings_t *a, const ratings_t *b, const ratings_t *w, ptrdiff_t start, ptrdiff_t stop, int64_t *high, int64_t *low)
{ uint64_t x; for (ptrdiff_t i = start; i < stop; i++) { uint64_t c = code_of(a, i) * (b->n_labels + 1) + code_of(b, i); as_double(w, i, &x); high[c] += w->kind < RATING_UINT8 ? (int64_t)x >> 32 : (int64_t)(x >> 32); low[c] += (int64_t)(x & 0xFFFFFFFFu); } }
#endif
