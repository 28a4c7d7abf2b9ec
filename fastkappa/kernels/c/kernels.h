/* All kernels of fastkappa; include this one. */
#ifndef FASTKAPPA_KERNELS_H
#define FASTKAPPA_KERNELS_H
#include "count_pairs.h"
#include "sum_pairs.h"
#include "moments.h"
#include "rows.h"
#endif
