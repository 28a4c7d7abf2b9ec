/* pack_characters, pack_bytes: strings as words of 64 bits, filled up with zeros. */
#ifndef FASTKAPPA_PACK_WORDS_H
#define FASTKAPPA_PACK_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "../common/simd_level.h"

/* Writes `count` strings of `width` characters of four bytes as one byte each; `n_bytes` is a multiple of 8. Returns whether
   all are ASCII: what is written is of no use otherwise. */
MAYBE_UNUSED static int pack_characters(const uint32_t *characters, ptrdiff_t width, ptrdiff_t count, ptrdiff_t n_bytes,
                                        uint8_t *packed)
{
    uint32_t all = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        for (ptrdiff_t j = 0; j < width; j++) {
            all |= characters[j];
            packed[j] = (uint8_t)characters[j];
        }
        memset(packed + width, 0, (size_t)(n_bytes - width));
        characters += width;
        packed += n_bytes;
    }
    return all < 128;
}

/* Writes strings, which begin and end at `ends`; none is longer than n_bytes. */
#define PACK_BYTES(name, end_t)                                                                                  \
    MAYBE_UNUSED static void name(const end_t *ends, const uint8_t *data, ptrdiff_t count, ptrdiff_t n_bytes, uint8_t *packed) \
    {                                                                                                            \
        for (ptrdiff_t i = 0; i < count; i++) {                                                                  \
            const size_t length = (size_t)(ends[i + 1] - ends[i]);                                               \
            memcpy(packed, data + ends[i], length);                                                              \
            memset(packed + length, 0, (size_t)n_bytes - length);                                                \
            packed += n_bytes;                                                                                   \
        }                                                                                                        \
    }
PACK_BYTES(pack_bytes_32, int32_t)
PACK_BYTES(pack_bytes_64, int64_t)
#undef PACK_BYTES

#endif
