/* look_up_labels: find the codes of arbitrary 64-bit labels in a hash table.

   The value is multiplied by an odd number. The upper bits of the product are well mixed, so they
   are used as the index of a slot. The slot contains the code of a label, and one comparison shows
   whether this label is equal to the value. If two labels have the same slot, the second is in the
   next free slot. An empty slot contains the code n, the number of labels:

       labels 10, 5000, -3    shift 61, 8 slots    code of each slot   3 0 3 2 3 3 1 3
                                                   label of each code  10 5000 -3, and 10 again for code 3

   Code n has the same label as code 0. The search for this label always ends before it reaches an
   empty slot, so an empty slot never matches. */
#ifndef FASTKAPPA_LOOK_UP_H
#define FASTKAPPA_LOOK_UP_H

#include "../common/column.h"
#include "../common/values.h"
#include "hash.h"
#include "avx512.h"

/* Codes */

#define LOOK_UP(name, code_t)                                                                                 \
    static ptrdiff_t name(const label_hash_t *hash, const uint64_t *values, ptrdiff_t count, code_t *codes)   \
    {                                                                                                         \
        const code_t *slots = (const code_t *)hash->slots;                                                    \
        const uint64_t *labels = hash->labels, multiplier = hash->multiplier;                                 \
        const int shift = hash->shift;                                                                        \
        const uint64_t last_slot = ~(uint64_t)0 >> shift;                                                     \
        const code_t n = (code_t)hash->n_labels;                                                              \
        ptrdiff_t n_unknown = 0;                                                                              \
        for (ptrdiff_t i = 0; i < count; i++) {                                                               \
            const uint64_t value = values[i];                                                                 \
            uint64_t slot = value * multiplier >> shift;                                                      \
            code_t code = slots[slot];                                                                        \
            if (UNLIKELY(labels[code] != value)) {                                                            \
                while (code != n && labels[code] != value)                                                    \
                    code = slots[slot = (slot + 1) & last_slot];                                              \
                n_unknown += code == n;                                                                       \
            }                                                                                                 \
            codes[i] = code;                                                                                  \
        }                                                                                                     \
        return n_unknown;                                                                                     \
    }
LOOK_UP(look_up_bytes, uint8_t)
LOOK_UP(look_up_words, uint16_t)
LOOK_UP(look_up_long, uint32_t)
#undef LOOK_UP

static ptrdiff_t look_up_values(const label_hash_t *hash, const uint64_t *values, ptrdiff_t count, char *codes)
{
    switch (hash->code_width) {
    case 1: return look_up_bytes(hash, values, count, (uint8_t *)codes);
    case 2: return look_up_words(hash, values, count, (uint16_t *)codes);
    default: return look_up_long(hash, values, count, (uint32_t *)codes);
    }
}

/* Prefetches the next block, so that memory is not idle while the current block is looked up. Without prefetching, looking up
   64-bit integers took 50 % longer. Memory beyond a column is never read. */
ALWAYS_INLINE void fetch_block(const char *address, ptrdiff_t n_bytes)
{
    for (ptrdiff_t i = 0; i < n_bytes; i += 64)
        FETCH((uintptr_t)address + (uintptr_t)i);
}

/* Writes the codes of values start..stop-1 to `codes`. A value that is not a label gets the code n_labels. Returns the
   number of values that are not labels. The fields `lowest` and `n_labels` of the column are ignored. */
MAYBE_UNUSED static ptrdiff_t look_up_labels(const column_t *column, const label_hash_t *hash, ptrdiff_t start,
                                             ptrdiff_t stop, char *codes)
{
    uint64_t values[BLOCK];
    ptrdiff_t n_unknown = 0;
#if SIMD_HAS_X86
    const int in_registers = simd_level_current() == SIMD_AVX512 && fits_registers_512(column, hash);
#endif
    while (start < stop) {
        ptrdiff_t count = stop - start < BLOCK ? stop - start : BLOCK;
#if SIMD_HAS_X86
        if (in_registers) {
            const ptrdiff_t taken = look_up_few_512(column, hash, start, stop, (uint8_t *)codes);
            start += taken;
            codes += taken;
            count = stop - start < FEW_AT_ONCE ? stop - start : FEW_AT_ONCE;
        }
#endif
        widen(column, start, count, values);
        if (count == BLOCK && is_contiguous(column))
            fetch_block(element_address(column, start + count), BLOCK * column->stride);
        n_unknown += look_up_values(hash, values, count, codes);
        start += count;
        codes += count * hash->code_width;
    }
    return n_unknown;
}

#endif
