/* One element as the kernels must read it, written without any regard to speed. */
#ifndef NAIVE_H
#define NAIVE_H
#include <math.h>
#include "kernels.h"

static uint64_t naive_code(const column_t *r, ptrdiff_t i)
{
    unsigned char b[8] = {0};
    const char *p = r->data + i * r->stride;
    const int width = element_width(r->kind);
    for (int k = 0; k < width; k++) b[k] = (unsigned char)p[r->swapped ? width - 1 - k : k];
    uint64_t u = 0; memcpy(&u, b, 8);
    int64_t v;
    switch (r->kind) {
    case COLUMN_INT8: v = (int8_t)u; break;
    case COLUMN_INT16: v = (int16_t)u; break;
    case COLUMN_INT32: v = (int32_t)u; break;
    case COLUMN_FLOAT32: { float f; memcpy(&f, b, 4); if (!(f >= -9.2233720368547758e18f && f < 9.2233720368547758e18f) || f != truncf(f)) return r->n_labels; v = (int64_t)f; break; }
    case COLUMN_FLOAT64: { double f; memcpy(&f, b, 8); if (!(f >= -9.2233720368547758e18 && f < 9.2233720368547758e18) || f != trunc(f)) return r->n_labels; v = (int64_t)f; break; }
    default: v = (int64_t)u; break;
    }
    const uint64_t code = (uint64_t)v - r->lowest;
    return code < r->n_labels ? code : r->n_labels;
}

/* Can elements of that kind hold all the labels? Columns keep to this. */
static int fits(int kind, uint64_t lowest, uint64_t n)
{
    const int64_t low = (int64_t)lowest;
    switch (kind) {
    case COLUMN_INT8: return low >= -128 && low + (int64_t)n - 1 <= 127;
    case COLUMN_INT16: return low >= -32768 && low + (int64_t)n - 1 <= 32767;
    case COLUMN_INT32: return low >= INT32_MIN && low + (int64_t)n - 1 <= INT32_MAX;
    case COLUMN_INT64: return (int64_t)(lowest + n - 1) >= low;
    case COLUMN_UINT8: return lowest + n - 1 >= lowest && lowest + n - 1 <= 255;
    case COLUMN_UINT16: return lowest + n - 1 >= lowest && lowest + n - 1 <= 65535;
    case COLUMN_UINT32: return lowest + n - 1 >= lowest && lowest + n - 1 <= 0xFFFFFFFFu;
    case COLUMN_UINT64: return lowest + n - 1 >= lowest;
    case COLUMN_FLOAT32: return low > -(1 << 23) && low + (int64_t)n < (1 << 23);
    default: return low > -(1ll << 52) && low + (int64_t)n < (1ll << 52);
    }
}

static double naive_score(const column_t *scores, ptrdiff_t i)
{
    const char *p = scores->data + i * scores->stride;
    return scores->kind == COLUMN_FLOAT32 ? (double)read_float(p, scores->swapped) : read_double(p, scores->swapped);
}

static int naive_row(double x, const bins_t *bins)
{
    if (!isfinite(x)) return bins->n_inner + 2;
    const double step = (x - bins->low) * bins->scale;
    return step < 0 ? 0 : step < bins->n_inner ? (int)step + 1 : bins->n_inner + 1;
}
#endif
