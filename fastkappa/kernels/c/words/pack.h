/* pack_characters, pack_bytes: strings as words of 64 bits, filled up with zeros. n_bytes is a multiple of 8. */
#ifndef FASTKAPPA_PACK_WORDS_H
#define FASTKAPPA_PACK_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "../common/simd_level.h"

/* Processors fetch no further than to the end of a page, of 4096 bytes. */
#define CHARACTERS_AHEAD 1024

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

/* Returns eight characters as a byte each, and adds the bits of all, two at a time, to `all`. What is returned for characters
   of more than a byte is of no use. */
ALWAYS_INLINE uint64_t eight_characters(const uint32_t *characters, uint64_t *all)
{
    uint64_t word = 0, twos[4];
    for (int i = 0; i < 4; i++) {
        memcpy(twos + i, characters + 2 * i, 8);
        *all |= twos[i];
    }
    for (int i = 0; i < 2; i++) {
        /* In bytes, the highest first: 00 00 00 b 00 00 00 a; 00 d 00 b 00 c 00 a; -- -- -- -- d c b a */
        const uint64_t spread = twos[2 * i] | twos[2 * i + 1] << 16;
        word |= (uint64_t)(uint32_t)(spread | spread >> 24) << 32 * i;
    }
    return word;
}

/* Writes strings of `width` characters, as pack_characters does. Compilers unroll what they know the number of. */
ALWAYS_INLINE uint64_t pack_some(const uint32_t *characters, ptrdiff_t width, ptrdiff_t count, ptrdiff_t n_words, uint8_t *packed)
{
    uint64_t all = 0;
    ptrdiff_t i = 0;
#if SIMD_HAS_X86 || SIMD_HAS_NEON
    const ptrdiff_t last = 8 * (n_words - 1);
    /* The last word of a string is read beyond its end, but not beyond that of all strings. */
    const uint64_t inside = width ? ~(uint64_t)0 >> 8 * (last + 8 - width) : 0;
    for (; i < count && (count - i) * width >= last + 8; i++, characters += width)
        for (ptrdiff_t j = 0; j < n_words; j++, packed += 8) {
            FETCH(characters + 8 * j + CHARACTERS_AHEAD);
            uint64_t word = eight_characters(characters + 8 * j, &all);
            if (j == n_words - 1) word &= inside;
            memcpy(packed, &word, 8);
        }
#endif
    for (; i < count; i++, characters += width, packed += 8 * n_words)
        for (ptrdiff_t j = 0; j < 8 * n_words; j++) {
            if (j < width) all |= characters[j];
            packed[j] = j < width ? (uint8_t)characters[j] : 0;
        }
    return all;
}

/* Writes `count` strings of `width` characters of four bytes as one byte each, n_bytes a string: as many words as they
   take, and at least one. Returns whether all are ASCII: what is written is of no use otherwise. */
MAYBE_UNUSED static int pack_characters(const uint32_t *characters, ptrdiff_t width, ptrdiff_t count, ptrdiff_t n_bytes,
                                        uint8_t *packed)
{
    uint64_t all;
    if (n_bytes == 8) all = pack_some(characters, width, count, 1, packed);
    else if (n_bytes == 16) all = pack_some(characters, width, count, 2, packed);
    else all = pack_some(characters, width, count, n_bytes / 8, packed);
    return (uint32_t)(all | all >> 32) < 128;
}

/* Writes strings, which begin and end at `ends`, n_bytes each, and returns whether they are that short and among the data. Each
   end is read once, for another thread may write it meanwhile. */
#define PACK_BYTES(name, end_t)                                                                                  \
    ALWAYS_INLINE int some_##name(const end_t *ends, const uint8_t *data, ptrdiff_t n_data, ptrdiff_t count,     \
                                  ptrdiff_t n_bytes, uint8_t *packed)                                            \
    {                                                                                                            \
        ptrdiff_t stop = (ptrdiff_t)ends[0];                                                                     \
        if (stop < 0) return 0;                                                                                  \
        for (ptrdiff_t i = 0; i < count; i++, packed += n_bytes) {                                               \
            const ptrdiff_t start = stop;                                                                        \
            stop = (ptrdiff_t)ends[i + 1];                                                                       \
            if (UNLIKELY(stop < start || stop > n_data || stop - start > n_bytes)) return 0;                     \
            for (ptrdiff_t j = 0; j < n_bytes; j += 8) {                                                         \
                const ptrdiff_t left = stop - start - j;                                                         \
                uint64_t word = 0;                                                                               \
                if (left >= 8) memcpy(&word, data + start + j, 8);                                               \
                else if (left > 0) word = first_bytes(data + start + j, left, n_data - start - j);               \
                memcpy(packed + j, &word, 8);                                                                    \
            }                                                                                                    \
        }                                                                                                        \
        return 1;                                                                                                \
    }                                                                                                            \
    MAYBE_UNUSED static int name(const end_t *ends, const uint8_t *data, ptrdiff_t n_data, ptrdiff_t count,      \
                                 ptrdiff_t n_bytes, uint8_t *packed)                                             \
    {                                                                                                            \
        if (n_bytes == 8) return some_##name(ends, data, n_data, count, 8, packed);                              \
        if (n_bytes == 16) return some_##name(ends, data, n_data, count, 16, packed);                            \
        return some_##name(ends, data, n_data, count, n_bytes, packed);                                          \
    }
PACK_BYTES(pack_bytes_32, int32_t)
PACK_BYTES(pack_bytes_64, int64_t)
#undef PACK_BYTES

#endif
