/* The labels that `look_up_labels` finds, as tables/label_hash.py places them. */
#ifndef FASTKAPPA_LABEL_HASH_H
#define FASTKAPPA_LABEL_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t multiplier;
    int shift;                /* 64 minus the logarithm of the number of slots */
    int code_width;           /* bytes of a code: 1, 2 or 4 */
    const void *slots;        /* 2^(64 - shift) codes; that of an empty slot is n_labels, and at least one is empty */
    const uint64_t *labels;   /* n_labels + 1 labels by code; the last one repeats the first */
    uint64_t n_labels;
} label_hash_t;

#endif
