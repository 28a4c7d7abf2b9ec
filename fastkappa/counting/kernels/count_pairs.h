#ifndef FASTKAPPA_COUNT_PAIRS_H
#define FASTKAPPA_COUNT_PAIRS_H
#include <stdint.h>
#include <stddef.h>
#include <string.h>
enum { RATING_INT8, RATING_INT16, RATING_INT32, RATING_INT64, RATING_UINT8, RATING_UINT16, RATING_UINT32, RATING_UINT64, RATING_FLOAT32, RATING_FLOAT64 };
typedef struct { const char *data; ptrdiff_t stride; int kind; int swapped; uint64_t lowest; uint64_t n_labels; } ratings_t;
static inline double as_double(const ratings_t *r, ptrdiff_t i, uint64_t *bits)
{
    const char *p = r->data + i * r->stride; unsigned char b[8]; int size = r->kind == RATING_FLOAT32 ? 4 : r->kind == RATING_FLOAT64 ? 8 : 1 << (r->kind & 3);
    for (int k = 0; k < size; k++) b[k] = (unsigned char)p[r->swapped ? size - 1 - k : k];
    switch (r->kind) {
#define C(K, T) case K: { T v; memcpy(&v, b, sizeof v); *bits = (uint64_t)(int64_t)v; return (double)v; }
    C(RATING_INT8, int8_t) C(RATING_INT16, int16_t) C(RATING_INT32, int32_t) C(RATING_INT64, int64_t)
    C(RATING_UINT8, uint8_t) C(RATING_UINT16, uint16_t) C(RATING_UINT32, uint32_t) C(RATING_UINT64, uint64_t)
    C(RATING_FLOAT32, float) default: C(RATING_FLOAT64, double)
    }
}
static inline uint64_t code_of(const ratings_t *r, ptrdiff_t i) { uint64_t v; as_double(r, i, &v); v -= r->lowest; return v < r->n_labels ? v : r->n_labels; }
static void count_pairs(const ratings_t *a, const ratings_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table)
{ for (ptrdiff_t i = start; i < stop; i++) table[code_of(a, i) * (b->n_labels + 1) + code_of(b, i)]++; }
static void sum_pairs(const ratings_t *a, const ratings_t *b, const ratings_t *w, ptrdiff_t start, ptrdiff_t stop, double *table)
{ uint64_t x; for (ptrdiff_t i = start; i < stop; i++) table[code_of(a, i) * (b->n_labels + 1) + code_of(b, i)] += as_double(w, i, &x); }
static void sum_pairs_exactly(const ratings_t *a, const ratings_t *b, const ratings_t *w, ptrdiff_t start, ptrdiff_t stop, int64_t *high, int64_t *low)
{ uint64_t x; for (ptrdiff_t i = start; i < stop; i++) { uint64_t c = code_of(a, i) * (b->n_labels + 1) + code_of(b, i); as_double(w, i, &x); high[c] += w->kind < RATING_UINT8 ? (int64_t)x >> 32 : (int64_t)(x >> 32); low[c] += (int64_t)(x & 0xFFFFFFFFu); } }
#endif
