/* Include all kernels of fastkappa. Each header includes everything that it needs, so an extension module can also include the
   header of a single kernel. */
#ifndef FASTKAPPA_KERNELS_H
#define FASTKAPPA_KERNELS_H
#include "common/range.h"
#include "csv_lines/count_lines.h"
#include "labels/look_up.h"
#include "moments/moments.h"
#include "pairs/count_pairs.h"
#include "pairs/sum_pairs.h"
#include "rows/rows.h"
#include "scores/accumulate.h"
#include "scores/bins.h"
#include "scores/cuts.h"
#include "scores/evaluate.h"
#endif
