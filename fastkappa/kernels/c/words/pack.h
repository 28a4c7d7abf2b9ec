/* pack_characters, pack_bytes: strings as words of 64 bits, filled up with zeros. n_bytes is a multiple of 8. */
#ifndef FASTKAPPA_PACK_WORDS_H
#define FASTKAPPA_PACK_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "../common/simd_level.h"

/* Writes `count` strings of `width` characters of four bytes as one byte each, n_bytes a string. Returns whether
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

/* Returns the first `length` of 8 bytes, at most 7, and zeros; `readable` says how many may be read. */
ALWAYS_INLINE uint64_t first_bytes(const uint8_t *data, ptrdiff_t length, ptrdiff_t readable)
{
    uint64_t word = 0;
#if SIMD_HAS_X86 || SIMD_HAS_NEON
    if (LIKELY(readable >= 8)) {
        memcpy(&word, data, 8);
        return word & (((uint64_t)1 << 8 * length) - 1);
    }
#else
    (void)readable;
#endif
    memcpy(&word, data, (size_t)length);
    return word;
}

/* Writes strings, which begin and end at `ends`, the last of them before `n_data`; none is longer than n_bytes. */
#define PACK_BYTES(name, end_t)                                                                                  \
    MAYBE_UNUSED static void name(const end_t *ends, const uint8_t *data, ptrdiff_t n_data, ptrdiff_t count,     \
                                  ptrdiff_t n_bytes, uint8_t *packed)                                            \
    {                                                                                                            \
        for (ptrdiff_t i = 0; i < count; i++) {                                                                  \
            const ptrdiff_t length = (ptrdiff_t)(ends[i + 1] - ends[i]);                                         \
            for (ptrdiff_t j = 0; j < n_bytes; j += 8) {                                                         \
                const ptrdiff_t start = (ptrdiff_t)ends[i] + j;                                                  \
                uint64_t word = 0;                                                                               \
                if (length - j >= 8) memcpy(&word, data + start, 8);                                             \
                else if (length > j) word = first_bytes(data + start, length - j, n_data - start);               \
                memcpy(packed + j, &word, 8);                                                                    \
            }                                                                                                    \
            packed += n_bytes;                                                                                   \
        }                                                                                                        \
    }
PACK_BYTES(pack_bytes_32, int32_t)
PACK_BYTES(pack_bytes_64, int64_t)
#undef PACK_BYTES

#endif
