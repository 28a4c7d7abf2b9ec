/* Describe the memory layout of a column, and read columns in portable C.

   A value becomes the code value - lowest if this difference is in 0 .. n_labels-1. Otherwise the
   value is out of range, and its code is n_labels. The subtraction wraps, so one unsigned
   comparison checks both bounds:

       labels 3, 4, 5:  lowest = 3, n_labels = 3
           value              2   3   4   5   6
           value - lowest  2^64-1 0   1   2   3
           code               3   0   1   2   3    both 3s are out of range */
#ifndef FASTKAPPA_COLUMN_H
#define FASTKAPPA_COLUMN_H

#include "simd_level.h"

enum {
    COLUMN_INT8, COLUMN_INT16, COLUMN_INT32, COLUMN_INT64,
    COLUMN_UINT8, COLUMN_UINT16, COLUMN_UINT32, COLUMN_UINT64,
    COLUMN_FLOAT32, COLUMN_FLOAT64
};

typedef struct {
    const char *data;      /* address of element 0 */
    ptrdiff_t stride;      /* bytes from one element to the next; can be negative or 0 */
    int kind;              /* COLUMN_INT8 .. COLUMN_FLOAT64 (booleans are read as COLUMN_UINT8) */
    int swapped;           /* 1: the elements are in non-native byte order */
    uint64_t lowest;       /* the value with code 0 (modulo 2^64 if negative) */
    uint64_t n_labels;     /* below 2^32; legal codes are 0 .. n_labels-1, and any other value gets the code n_labels */
} column_t;

/* The number of elements in a block. Columns are decoded in blocks, which stay in the L1 cache. */
enum { BLOCK = 1024 };

ALWAYS_INLINE int element_width(int kind)
{
    static const int8_t widths[] = {1, 2, 4, 8, 1, 2, 4, 8, 4, 8};
    return widths[kind];
}

ALWAYS_INLINE int is_float(int kind)
{
    return kind >= COLUMN_FLOAT32;
}

ALWAYS_INLINE int is_contiguous(const column_t *column)
{
    return column->stride == element_width(column->kind);
}

/* Returns whether the integers can be loaded into vectors without a copy. */
ALWAYS_INLINE int is_plain_integer(const column_t *column)
{
    return is_contiguous(column) && !is_float(column->kind) && (!column->swapped || column->stride == 1);
}

/* Returns whether each element is an integer at the start of a lane of 1, 2, 4, 8 or 16 bytes. A lane of 2 bytes or more
   can have a gap after the element. */
ALWAYS_INLINE int is_in_lanes(const column_t *column)
{
    const ptrdiff_t stride = column->stride, width = element_width(column->kind);
    return !is_float(column->kind) && (!column->swapped || width == 1) && stride >= width
        && (stride == 1 || stride == 2 || stride == 4 || stride == 8 || stride == 16);
}

ALWAYS_INLINE const char *element_address(const column_t *column, ptrdiff_t i)
{
    return column->data + i * column->stride;
}

/* Returns whether all possible codes fit in a byte. 256 labels fit only if the elements are bytes, because then no value
   can be outside the labels. */
ALWAYS_INLINE int codes_fit_byte(const column_t *column)
{
    return column->n_labels <= 255 || (column->n_labels == 256 && element_width(column->kind) == 1);
}

ALWAYS_INLINE int codes_fit_word(const column_t *column)
{
    return column->n_labels <= 65535;
}

/* Returns the number of possible codes, including the code for out-of-range values. */
ALWAYS_INLINE size_t n_codes(const column_t *column)
{
    return column->n_labels == 256 && element_width(column->kind) == 1 ? 256 : (size_t)column->n_labels + 1;
}

/* Returns the bytes in `codes` as a contiguous column with the labels 0 .. n_labels-1. */
ALWAYS_INLINE column_t column_of_bytes(const column_t *column, const uint8_t *codes)
{
    column_t bytes = *column;
    bytes.data = (const char *)codes;
    bytes.stride = 1;
    bytes.kind = COLUMN_UINT8;
    bytes.swapped = 0;
    bytes.lowest = 0;
    return bytes;
}

/* Prefetches the address one page (4 KB) ahead, because the hardware prefetcher stops at the end of
   a page. On Zen 5, prefetching makes counting 5 to 15 % faster if the columns are in memory, and
   no slower if they are in a cache. With AVX-512, wide integers are not prefetched, because
   prefetching made counting pairs up to 50 % slower on Zen 4. The address can be beyond the column,
   because nothing is read from it. */
ALWAYS_INLINE void fetch_next_page(const char *address)
{
    FETCH((uintptr_t)address + 4096);
}

/* Elements can be unaligned, so each is read with memcpy. */

ALWAYS_INLINE uint16_t reversed16(uint16_t x) { return (uint16_t)((x >> 8) | (x << 8)); }
ALWAYS_INLINE uint32_t reversed32(uint32_t x)
{
    return ((uint32_t)reversed16((uint16_t)x) << 16) | reversed16((uint16_t)(x >> 16));
}
ALWAYS_INLINE uint64_t reversed64(uint64_t x)
{
    return ((uint64_t)reversed32((uint32_t)x) << 32) | reversed32((uint32_t)(x >> 32));
}

ALWAYS_INLINE uint8_t read8(const char *p, int swapped) { (void)swapped; return (uint8_t)*p; }
ALWAYS_INLINE uint16_t read16(const char *p, int swapped)
{
    uint16_t x; memcpy(&x, p, sizeof x); return swapped ? reversed16(x) : x;
}
ALWAYS_INLINE uint32_t read32(const char *p, int swapped)
{
    uint32_t x; memcpy(&x, p, sizeof x); return swapped ? reversed32(x) : x;
}
ALWAYS_INLINE uint64_t read64(const char *p, int swapped)
{
    uint64_t x; memcpy(&x, p, sizeof x); return swapped ? reversed64(x) : x;
}
ALWAYS_INLINE float read_float(const char *p, int swapped)
{
    const uint32_t bits = read32(p, swapped); float x; memcpy(&x, &bits, sizeof x); return x;
}
ALWAYS_INLINE double read_double(const char *p, int swapped)
{
    const uint64_t bits = read64(p, swapped); double x; memcpy(&x, &bits, sizeof x); return x;
}

/* All labels are within the range of the element's type, so the subtraction can wrap at the width of the element. */
ALWAYS_INLINE uint32_t code8(uint8_t x, uint64_t lowest, uint32_t n)
{
    const uint32_t code = (uint8_t)(x - (uint8_t)lowest); return code < n ? code : n;
}
ALWAYS_INLINE uint32_t code16(uint16_t x, uint64_t lowest, uint32_t n)
{
    const uint32_t code = (uint16_t)(x - (uint16_t)lowest); return code < n ? code : n;
}
ALWAYS_INLINE uint32_t code32(uint32_t x, uint64_t lowest, uint32_t n)
{
    const uint32_t code = x - (uint32_t)lowest; return code < n ? code : n;
}
ALWAYS_INLINE uint32_t code64(uint64_t x, uint64_t lowest, uint32_t n)
{
    const uint64_t code = x - lowest; return code < n ? (uint32_t)code : n;
}
/* A float can be a label only if it is an integer that int64 can represent. NaN and infinity
   cannot. */
ALWAYS_INLINE uint32_t code_double(double x, uint64_t lowest, uint32_t n)
{
    if (!(x >= -9223372036854775808.0 && x < 9223372036854775808.0))
        return n;
    const int64_t whole = (int64_t)x;
    return (double)whole == x ? code64((uint64_t)whole, lowest, n) : n;
}

/* A block */

#if SIMD_HAS_GNU
#  define UNROLL _Pragma("GCC unroll 8")
#else
#  define UNROLL
#endif

/* Writes codes without comparing each value with the labels, so that compilers can vectorise the loops. The first loop
   combines the bits of all codes by OR, and the second finds the largest code. Returns 0, with undefined codes, if a value
   is outside the labels. */
#define DECODE_INSIDE(name, code_t, value_t, read)                                                            \
    ALWAYS_INLINE int name##_inside(const char *p, ptrdiff_t step, ptrdiff_t count, uint64_t lowest,          \
                                    uint64_t n_labels, code_t *codes)                                         \
    {                                                                                                         \
        value_t bits = 0;                                                                                     \
        code_t largest = 0;                                                                                   \
        for (ptrdiff_t i = 0; i < count; i++) {                                                               \
            const value_t code = (value_t)(read(p + i * step, 0) - (value_t)lowest);                          \
            bits |= code;                                                                                     \
            codes[i] = (code_t)code;                                                                          \
        }                                                                                                     \
        for (ptrdiff_t i = 0; i < count; i++) largest = codes[i] > largest ? codes[i] : largest;              \
        return (code_t)bits == bits && largest < n_labels;                                                    \
    }

/* Two cases are vectorised: elements without gaps, and every second element of an array. */
#define DECODE_INTEGERS(name, code_t, value_t, read, code, width)                                             \
    DECODE_INSIDE(name, code_t, value_t, read)                                                                \
    MAYBE_UNUSED static void name(const column_t *column, ptrdiff_t start, ptrdiff_t count, code_t *codes)    \
    {                                                                                                         \
        const char *p = element_address(column, start);                                                       \
        const ptrdiff_t stride = column->stride;                                                              \
        const uint64_t lowest = column->lowest;                                                               \
        const uint32_t n = (uint32_t)column->n_labels;                                                        \
        if (!column->swapped && stride == width && name##_inside(p, width, count, lowest, n, codes))          \
            return;                                                                                           \
        if (!column->swapped && stride == 2 * width && name##_inside(p, 2 * width, count, lowest, n, codes))  \
            return;                                                                                           \
        for (ptrdiff_t i = 0; i < count; i++)                                                                 \
            codes[i] = (code_t)code(read(p + i * stride, column->swapped), lowest, n);                        \
    }
#define DECODE_FLOATS(name, code_t, read)                                                                     \
    MAYBE_UNUSED static void name(const column_t *column, ptrdiff_t start, ptrdiff_t count, code_t *codes)    \
    {                                                                                                         \
        const char *p = element_address(column, start);                                                       \
        const ptrdiff_t stride = column->stride;                                                              \
        const uint32_t n = (uint32_t)column->n_labels;                                                        \
        for (ptrdiff_t i = 0; i < count; i++)                                                                 \
            codes[i] = (code_t)code_double(read(p + i * stride, column->swapped), column->lowest, n);         \
    }

/* Writes the codes of `count` elements, beginning at `start`, for any kind, stride and byte order.
   Out-of-range values become n_labels, which must fit in code_t. */
#define DECODE(name, code_t)                                                                                  \
    DECODE_INTEGERS(name##_from8, code_t, uint8_t, read8, code8, 1)                                           \
    DECODE_INTEGERS(name##_from16, code_t, uint16_t, read16, code16, 2)                                       \
    DECODE_INTEGERS(name##_from32, code_t, uint32_t, read32, code32, 4)                                       \
    DECODE_INTEGERS(name##_from64, code_t, uint64_t, read64, code64, 8)                                       \
    DECODE_FLOATS(name##_from_float, code_t, read_float)                                                      \
    DECODE_FLOATS(name##_from_double, code_t, read_double)                                                    \
    MAYBE_UNUSED static void name(const column_t *column, ptrdiff_t start, ptrdiff_t count, code_t *codes)    \
    {                                                                                                         \
        switch (column->kind) {                                                                               \
        case COLUMN_INT8: case COLUMN_UINT8: name##_from8(column, start, count, codes); break;                \
        case COLUMN_INT16: case COLUMN_UINT16: name##_from16(column, start, count, codes); break;             \
        case COLUMN_INT32: case COLUMN_UINT32: name##_from32(column, start, count, codes); break;             \
        case COLUMN_INT64: case COLUMN_UINT64: name##_from64(column, start, count, codes); break;             \
        case COLUMN_FLOAT32: name##_from_float(column, start, count, codes); break;                           \
        default: name##_from_double(column, start, count, codes); break;                                      \
        }                                                                                                     \
    }
DECODE(decode, uint32_t)

DECODE(decode_bytes_baseline, uint8_t)
DECODE(decode_words_baseline, uint16_t)
#if SIMD_HAS_X86
SIMD_BEGIN_AVX2
DECODE(decode_bytes_avx2, uint8_t)
DECODE(decode_words_avx2, uint16_t)
SIMD_END
SIMD_BEGIN_AVX512
DECODE(decode_bytes_avx512, uint8_t)
DECODE(decode_words_avx512, uint16_t)
SIMD_END
#endif
#undef DECODE
#undef DECODE_FLOATS
#undef DECODE_INTEGERS
#undef DECODE_INSIDE

MAYBE_UNUSED static void decode_bytes(const column_t *column, ptrdiff_t start, ptrdiff_t count, uint8_t *codes)
{
    AT_LEVEL(decode_bytes, column, start, count, codes);
}

MAYBE_UNUSED static void decode_words(const column_t *column, ptrdiff_t start, ptrdiff_t count, uint16_t *codes)
{
    AT_LEVEL(decode_words, column, start, count, codes);
}

#endif
