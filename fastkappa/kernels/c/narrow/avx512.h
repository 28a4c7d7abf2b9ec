/* Narrow columns of any integer width, stride and byte order to small codes, 64 bytes at a time (AVX-512).

   In a contiguous column, the lowest label is subtracted from each value. The result is clipped to n_labels, so an outside
   value becomes exactly n_labels. The codes of several vectors are packed into one, as in common/avx512.h. Here the order
   matters, because the other column can have a different width. So a final permutation restores the order of the elements:

       int64, eight vectors pushed into one:   byte 0 of lane 0: element 0, byte 1 of lane 0: element 8, byte 2: element 16 ...
       so element r is in byte (r % 8) * 8 + r / 8.

   Strided or swapped elements are first copied to a small contiguous buffer. The strided elements span several vectors
   ("pieces"), and each byte of the copy comes from one piece. One masked vpermb per piece copies its bytes. All pieces use
   the same positions modulo 64. In this example, rows have three int16, and column 0 is wanted. A0 and A1 are the bytes of
   its first element:

       piece 0   A0 A1 .. .. .. .. B0 B1 .. .. .. .. C0 C1 ..      look up bytes 0 1 6 7 12 13 18 19 ... (modulo 64)
       piece 1   ...                                               and keep the bytes that come from this piece

   Swapped bytes are looked up in reverse order. With a negative stride, the look-up starts at the other end. Nothing else
   changes. */
#ifndef FASTKAPPA_NARROW_AVX512_H
#define FASTKAPPA_NARROW_AVX512_H

#include "../common/avx512.h"
#include "../common/column.h"

#if SIMD_HAS_X86
SIMD_BEGIN_AVX512

enum { MAX_PIECES = 8, MOST_APART = 8, FETCH_PIECES = 64 };

/* ---- contiguous ---- */

ALWAYS_INLINE __m512i cut_512(__m512i codes, __m512i limit, int width)
{
    return width == 1 ? _mm512_min_epu8(codes, limit)
         : width == 2 ? _mm512_min_epu16(codes, limit)
         : width == 4 ? _mm512_min_epu32(codes, limit)
                      : _mm512_min_epu64(codes, limit);
}

/* Returns the largest code: n_labels, or 255 for 256 one-byte labels, which need no clipping. */
ALWAYS_INLINE uint64_t largest_code_512(const column_t *column)
{
    return column->n_labels == 256 && element_width(column->kind) == 1 ? 255 : column->n_labels;
}

/* Returns the words first, first + 1, ... first + 31. */
ALWAYS_INLINE __m512i count_up_512(int first)
{
    const __m512i up = _mm512_cvtepu8_epi16(_mm256_set_epi64x(
        0x1f1e1d1c1b1a1918, 0x1716151413121110, 0x0f0e0d0c0b0a0908, 0x0706050403020100));
    return _mm512_add_epi16(up, _mm512_set1_epi16((short)first));
}

/* Packs two vectors of words below 256 into one vector of bytes. */
ALWAYS_INLINE __m512i bytes_of_words_512(__m512i low, __m512i high)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi16_epi8(low)), _mm512_cvtepi16_epi8(high), 1);
}

ALWAYS_INLINE unsigned log2_of_power(unsigned x)
{
    return x >= 64 ? 6 : x >= 32 ? 5 : x >= 16 ? 4 : x >= 8 ? 3 : x >= 4 ? 2 : x >= 2 ? 1 : 0;
}

/* Returns the position of each code of `out` bytes after packing. The final permutation uses this table, in units of one
   code. */
ALWAYS_INLINE __m512i order_512(int width, int out)
{
    const unsigned in_one = log2_of_power((unsigned)(width / out)), lanes = log2_of_power((unsigned)(64 / width));
    const __m512i lane_bits = _mm512_set1_epi16((short)((1 << lanes) - 1));
    __m512i order[2];
    for (int half = 0; half < 2; half++) {
        /* code r is in lane r % lanes, at position r / lanes within the lane */
        const __m512i r = count_up_512(32 * half);
        order[half] = _mm512_or_si512(_mm512_slli_epi16(_mm512_and_si512(r, lane_bits), in_one), _mm512_srli_epi16(r, lanes));
    }
    return out == 2 ? order[0] : bytes_of_words_512(order[0], order[1]);
}

/* Returns 64 / out codes of `out` bytes (1 or 2) from integers of `width` >= out bytes. */
ALWAYS_INLINE __m512i narrowed_512(const char *p, __m512i lowest, __m512i limit, __m512i order, int width, int out)
{
    __m512i narrow = _mm512_setzero_si512();
    for (int k = 0; k < width / out; k++) {
        const __m512i values = _mm512_loadu_si512(p + 64 * k);
        const __m512i codes = cut_512(width == 1 ? _mm512_sub_epi8(values, lowest)
                                    : width == 2 ? _mm512_sub_epi16(values, lowest)
                                    : width == 4 ? _mm512_sub_epi32(values, lowest)
                                                 : _mm512_sub_epi64(values, lowest), limit, width);
        if (width == out)
            narrow = codes;
        else if (out == 1)
            narrow = push_byte_512(narrow, codes, width);
        else
            narrow = width == 4 ? _mm512_shrdi_epi32(narrow, codes, 16) : _mm512_shrdi_epi64(narrow, codes, 16);
    }
    if (width == out)
        return narrow;
    return out == 1 ? _mm512_permutexvar_epi8(order, narrow) : _mm512_permutexvar_epi16(order, narrow);
}

#define NARROW_512(name, width, out, code_t, plain)                                                              \
    static void name(const column_t *column, ptrdiff_t start, ptrdiff_t count, code_t *codes)                    \
    {                                                                                                            \
        const __m512i lowest = broadcast_512(column->lowest, width);                                             \
        const __m512i limit = broadcast_512(largest_code_512(column), width);                                    \
        const __m512i order = order_512(width, out);                                                             \
        const ptrdiff_t step = 64 / out;                                                                         \
        const ptrdiff_t whole = count - count % step;                                                            \
        const char *p = element_address(column, start);                                                          \
        for (ptrdiff_t i = 0; i < whole; i += step)                                                              \
            _mm512_storeu_si512(codes + i, narrowed_512(p + i * width, lowest, limit, order, width, out));       \
        plain(column, start + whole, count - whole, codes + whole);                                              \
    }
NARROW_512(narrow_8_to_bytes_512, 1, 1, uint8_t, decode_bytes)
NARROW_512(narrow_16_to_bytes_512, 2, 1, uint8_t, decode_bytes)
NARROW_512(narrow_32_to_bytes_512, 4, 1, uint8_t, decode_bytes)
NARROW_512(narrow_64_to_bytes_512, 8, 1, uint8_t, decode_bytes)
NARROW_512(narrow_16_to_words_512, 2, 2, uint16_t, decode_words)
NARROW_512(narrow_32_to_words_512, 4, 2, uint16_t, decode_words)
NARROW_512(narrow_64_to_words_512, 8, 2, uint16_t, decode_words)
#undef NARROW_512

static void narrow_8_to_words_512(const column_t *column, ptrdiff_t start, ptrdiff_t count, uint16_t *codes)
{
    const __m256i lowest = _mm256_set1_epi8((char)column->lowest);
    const __m512i limit = broadcast_512(largest_code_512(column), 2);
    const ptrdiff_t whole = count - count % 32;
    const char *p = element_address(column, start);
    for (ptrdiff_t i = 0; i < whole; i += 32) {
        const __m256i differences = _mm256_sub_epi8(_mm256_loadu_si256((const __m256i *)(const void *)(p + i)), lowest);
        _mm512_storeu_si512(codes + i, _mm512_min_epu16(_mm512_cvtepu8_epi16(differences), limit));
    }
    decode_words(column, start + whole, count - whole, codes + whole);
}

/* ---- strided and swapped ---- */

/* The plan for collecting 64 bytes of strided elements. */
typedef struct {
    ptrdiff_t first;             /* offset in bytes of the lowest address from the first element; 0 or negative */
    ptrdiff_t advance;           /* distance to the next 64 bytes of elements */
    int pieces;                  /* number of vectors that the elements span */
    __m512i where;               /* the position of each byte of the copy within its piece */
    uint64_t mine[MAX_PIECES];   /* the bytes of the copy that come from each piece */
    uint64_t last;               /* mask of the existing bytes of the last piece; nothing beyond the elements is read */
} collect_512_t;

/* Returns whether the elements are close enough to collect. If they are further apart, decoding them one by one is faster. */
static int can_collect_512(const column_t *column)
{
    return !is_float(column->kind) && column->stride <= MOST_APART && column->stride >= -MOST_APART;
}

static collect_512_t collect_512(const column_t *column)
{
    collect_512_t collect;
    const ptrdiff_t width = element_width(column->kind), stride = column->stride, elements = 64 / width;
    const ptrdiff_t apart = stride < 0 ? -stride : stride;
    const ptrdiff_t span = (elements - 1) * apart + width;
    const unsigned shift = log2_of_power((unsigned)width);
    const __m512i byte_bits = _mm512_set1_epi16((short)(width - 1)), in_piece = _mm512_set1_epi16(63);
    __m512i offset[2], where[2];
    collect.first = stride < 0 ? (elements - 1) * stride : 0;
    collect.advance = elements * stride;
    collect.pieces = (int)((span + 63) >> 6);
    collect.last = span % 64 ? (1ull << (span % 64)) - 1 : ~0ull;
    for (int half = 0; half < 2; half++) {
        /* byte i of the copy is byte i % width of element i / width, counted from the other end if swapped */
        const __m512i i = count_up_512(32 * half);
        __m512i byte = _mm512_and_si512(i, byte_bits);
        if (column->swapped)
            byte = _mm512_xor_si512(byte, byte_bits);
        offset[half] = _mm512_add_epi16(_mm512_mullo_epi16(_mm512_srl_epi16(i, _mm_cvtsi32_si128((int)shift)),
                                                           _mm512_set1_epi16((short)stride)),
                                        _mm512_add_epi16(byte, _mm512_set1_epi16((short)-collect.first)));
        where[half] = _mm512_and_si512(offset[half], in_piece);
        offset[half] = _mm512_srli_epi16(offset[half], 6);
    }
    collect.where = bytes_of_words_512(where[0], where[1]);
    for (int k = 0; k < collect.pieces; k++) {
        const __m512i piece = _mm512_set1_epi16((short)k);
        collect.mine[k] = _mm512_cmpeq_epi16_mask(offset[0], piece)
                        | (uint64_t)_mm512_cmpeq_epi16_mask(offset[1], piece) << 32;
    }
    return collect;
}

/* A masked load reads nothing beyond the elements but is slow. If `inner`, more elements follow, and a plain load is safe. */
ALWAYS_INLINE __m512i collected_512(const collect_512_t *collect, const char *p, int inner)
{
    __m512i bytes = _mm512_setzero_si512();
    const int last = collect->pieces - 1;
    p += collect->first;
    for (int k = 0; k < last; k++)
        bytes = _mm512_mask_permutexvar_epi8(bytes, collect->mine[k], collect->where, _mm512_loadu_si512(p + 64 * k));
    const __m512i end = inner ? _mm512_loadu_si512(p + 64 * last) : _mm512_maskz_loadu_epi8(collect->last, p + 64 * last);
    return _mm512_mask_permutexvar_epi8(bytes, collect->mine[last], collect->where, end);
}

/* Copies up to BLOCK elements to `buffer`. Returns them as a contiguous column that begins with element `start`. */
static column_t copied_512(const column_t *column, ptrdiff_t start, ptrdiff_t count, char *buffer)
{
    const int width = element_width(column->kind);
    const collect_512_t collect = collect_512(column);
    const ptrdiff_t elements = 64 / width;
    const char *p = element_address(column, start);
    column_t copy = *column;
    ptrdiff_t i = 0;
    const int apart = column->stride >= width || column->stride <= -width; /* 64 bytes of elements span at least 64 bytes */
    for (; i + elements <= count; i += elements, p += collect.advance) {
        const int inner = apart && (column->stride > 0 ? i + 2 * elements <= count : i > 0);
        if (collect.pieces <= 4) /* with few pieces, memory is the bottleneck, so prefetching helps */
            for (int k = 0; k < collect.pieces; k++)
                FETCH((uintptr_t)p + (uintptr_t)(FETCH_PIECES * collect.advance + 64 * k));
        _mm512_storeu_si512(buffer + i * width, collected_512(&collect, p, inner));
    }
    for (; i < count; i++, p += column->stride)
        for (int k = 0; k < width; k++)
            buffer[i * width + k] = p[column->swapped ? width - 1 - k : k];
    copy.data = buffer;
    copy.stride = width;
    copy.swapped = 0;
    return copy;
}

/* ---- any layout; count <= BLOCK ---- */

#define NARROW_ANY_512(name, code_t, plain, from8, from16, from32, from64)                                      \
    static void name(const column_t *column, ptrdiff_t start, ptrdiff_t count, code_t *codes)                   \
    {                                                                                                           \
        char buffer[8 * BLOCK];                                                                                 \
        column_t copy;                                                                                          \
        if (!is_plain_integer(column)) {                                                                        \
            if (!can_collect_512(column)) {                                                                     \
                plain(column, start, count, codes);                                                             \
                return;                                                                                         \
            }                                                                                                   \
            copy = copied_512(column, start, count, buffer);                                                    \
            column = &copy;                                                                                     \
            start = 0;                                                                                          \
        }                                                                                                       \
        switch (column->stride) {                                                                               \
        case 1: from8(column, start, count, codes); break;                                                      \
        case 2: from16(column, start, count, codes); break;                                                     \
        case 4: from32(column, start, count, codes); break;                                                     \
        default: from64(column, start, count, codes); break;                                                    \
        }                                                                                                       \
    }
NARROW_ANY_512(narrow_to_bytes_512, uint8_t, decode_bytes, narrow_8_to_bytes_512, narrow_16_to_bytes_512,
               narrow_32_to_bytes_512, narrow_64_to_bytes_512)
NARROW_ANY_512(narrow_to_words_512, uint16_t, decode_words, narrow_8_to_words_512, narrow_16_to_words_512,
               narrow_32_to_words_512, narrow_64_to_words_512)
#undef NARROW_ANY_512

SIMD_END
#endif
#endif
