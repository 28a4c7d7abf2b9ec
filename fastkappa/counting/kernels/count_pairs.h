#ifndef C_H
#define C_H
#include "ratings.h"
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
#endif
