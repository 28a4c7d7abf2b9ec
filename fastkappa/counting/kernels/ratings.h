#ifndef R_H
#define R_H
#include <stdint.h>
#include <stddef.h>
#include <string.h>
enum { RATING_INT8, RATING_INT16, RATING_INT32, RATING_INT64, RATING_UINT8, RATING_UINT16, RATING_UINT32, RATING_UINT64, RATING_FLOAT32, RATING_FLOAT64 };
typedef struct { const char *data; ptrdiff_t stride; int kind; int swapped; uint64_t lowest; uint64_t n_labels; } ratings_t;
#endif
