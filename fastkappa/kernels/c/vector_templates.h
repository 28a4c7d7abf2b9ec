/* The templates, once for the target that vector_levels.h has just described. */
#include "vector_read.h"
#include "popcount_vector.h"
#include "cells_vector.h"
#include "sums_vector.h"
#undef bytes_t
#undef words_t
#undef ints_t
#undef longs_t
#undef reader_t
#undef NAME
#undef VECTOR_BYTES
