/* The hash table of labels that `look_up_labels` searches, filled by tables/label_hash.py. */
#ifndef FASTKAPPA_LABEL_HASH_H
#define FASTKAPPA_LABEL_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t multiplier;
    int shift;                /* 64 minus the binary logarithm of the number of slots */
    int code_width;           /* bytes per code: 1, 2 or 4 */
    const void *slots;        /* 2^(64 - shift) codes; an empty slot contains n_labels, and at least one slot is empty */
    const uint64_t *labels;   /* the label of each code; entry n_labels repeats the first label */
    uint64_t n_labels;
} label_hash_t;

#endif
