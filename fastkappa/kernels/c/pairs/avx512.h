/* Count pairs of columns with few labels by positional popcount (AVX-512), which avoids one increment per pair.

   One increment per pair costs a cycle. Positional popcount processes 64 pairs at once, one per byte of a vector:

   1. Narrow. The order of the pairs does not matter, as long as the codes of a pair stay together. Therefore, eight vectors
      of int64 codes can be shifted and OR-ed into one vector of bytes: v0 | v1 << 8 | v2 << 16 | ... (next_codes_512).

   2. Key.  cell = code_a * n_labels_b + code_b, one byte per pair.
      A "plane" is a group of eight cells: plane p has cells 8p .. 8p+7. A table look-up (vpermb) turns the cells into the
      bits of plane p: bit c of the byte is set if the pair is in cell 8p + c.

          three labels: cells 0..8        pair (a, b)   cell   plane 0     plane 1
                                             (0, 1)       1    00000010   00000000
                                             (1, 1)       4    00010000   00000000
                                             (2, 2)       8    00000000   00000001

   3. Add bits by position.  Three vectors of weight 1 become one vector of weight 1 (the sum bits: x ^ y ^ z) and one of
      weight 2 (the carries: the majority of x, y, z). A tree of such adders reduces 16 vectors to one vector of weight 16
      per plane. The vectors of weights 1, 2, 4 and 8 that remain are kept in the plane and added to the next 16 vectors.

   4. Count. Only the vector of weight 16 is counted, once per 16 input vectors. The 8 x 8 bits of that vector are
      transposed (GFNI), so that each byte contains the bits of one cell. The set bits of each byte are added to byte
      counters, which are flushed before they can overflow.

   Each plane costs three instructions per 64 pairs. The last cell needs no plane, because all
   remaining pairs belong to it. With labels 0..2, as above, a single plane is enough.

   Before a group of 1024 pairs is counted, the largest code and the bits lost in narrowing are
   checked. A group with an out-of-range value is counted by the portable kernel instead. */
#ifndef FASTKAPPA_PAIRS_AVX512_H
#define FASTKAPPA_PAIRS_AVX512_H

#include "../common/avx512.h"
#include "../common/column.h"
#include "portable.h"

#if SIMD_HAS_X86
SIMD_BEGIN_AVX512

enum {
    LANES_512 = 64,                    /* pairs in a vector */
    TREE = 16,                         /* vectors added by one tree of adders */
    GROUP_512 = LANES_512 * TREE,      /* pairs between bounds checks */
    MAX_PLANES_512 = 32,               /* enough for 256 cells, because a cell is a byte */
    WINDOW_PLANES = 7,                 /* planes processed together if there are more than 8 */
    WINDOW_CELLS = 8 * WINDOW_PLANES,
    GROUPS_PER_FLUSH = 31              /* byte counters grow by at most 8 per group: 31 * 8 = 248 fits, 32 * 8 does not */
};

typedef struct {
    __m512i ones, twos, fours, eights; /* uncounted bits of weights 1, 2, 4 and 8 */
    __m512i bytes;                     /* byte counters of weight 16; byte 8j + c counts cell c */
    __m512i total;                     /* the counts of the cells of the plane, as int64 */
} plane_512_t;

/* Adds three vectors of equal weight. Writes the bits of that weight to `sum`, and returns the carries, which have
   twice the weight. */
ALWAYS_INLINE __m512i add_bits_512(__m512i *sum, __m512i x, __m512i y)
{
    const __m512i carry = _mm512_ternarylogic_epi64(*sum, x, y, 0xE8); /* majority */
    *sum = _mm512_ternarylogic_epi64(*sum, x, y, 0x96);                /* x ^ y ^ z */
    return carry;
}

/* Transposes the bits of each group of 8 bytes into one byte per bit position, and counts the bits of each byte. */
ALWAYS_INLINE __m512i bits_by_position_512(__m512i bits)
{
    const __m512i identity = _mm512_set1_epi64((int64_t)0x8040201008040201);
    /* The instruction multiplies vectors by a matrix. If the bits are the matrix and the identity
       provides the vectors, the product is the transpose. */
    return _mm512_popcnt_epi8(_mm512_gf2p8affine_epi64_epi8(identity, bits, 0));
}

/* Sums byte counters into eight int64, one per cell. Byte 8j + c belongs to cell c. */
ALWAYS_INLINE __m512i sums_by_cell_512(__m512i bytes)
{
    /* byte 8j + c moves to position 8c + j, so the bytes of a cell are adjacent, and vpsadbw adds adjacent bytes */
    const __m512i turn = _mm512_set_epi64(
        0x3f372f271f170f07, 0x3e362e261e160e06, 0x3d352d251d150d05, 0x3c342c241c140c04,
        0x3b332b231b130b03, 0x3a322a221a120a02, 0x3931292119110901, 0x3830282018100800);
    return _mm512_sad_epu8(_mm512_permutexvar_epi8(turn, bytes), _mm512_setzero_si512());
}

/* If there are more cells than a look-up table has entries (64), the cells are processed in windows
   of 56 cells (7 planes). Cells outside the window become 63, and entry 63 is 0 in each table. The
   subtraction wraps, so one minimum handles both bounds. */
ALWAYS_INLINE void cells_of_window_512(__m512i *local, const __m512i *cells, int window)
{
    const __m512i first = _mm512_set1_epi8((char)(window * WINDOW_CELLS)), none = _mm512_set1_epi8(63);
    for (int v = 0; v < TREE; v++)
        local[v] = _mm512_min_epu8(_mm512_sub_epi8(cells[v], first), none);
}

/* Adds 16 vectors of cells to plane p of a window. */
ALWAYS_INLINE void add_to_plane_512(plane_512_t *plane, const __m512i *cells, int p)
{
    const __m512i bit_of_cell = _mm512_set1_epi64((int64_t)0x8040201008040201); /* byte c is 1 << (c & 7) */
    const __m512i table = _mm512_maskz_mov_epi8(0xFFull << (8 * p), bit_of_cell);
    __m512i ones = plane->ones, twos = plane->twos, fours = plane->fours, eights = plane->eights;
    __m512i two_a, two_b, four_a, four_b, eight_a, eight_b;
#define BITS(i) _mm512_permutexvar_epi8(cells[i], table)
    two_a = add_bits_512(&ones, BITS(0), BITS(1));
    two_b = add_bits_512(&ones, BITS(2), BITS(3));
    four_a = add_bits_512(&twos, two_a, two_b);
    two_a = add_bits_512(&ones, BITS(4), BITS(5));
    two_b = add_bits_512(&ones, BITS(6), BITS(7));
    four_b = add_bits_512(&twos, two_a, two_b);
    eight_a = add_bits_512(&fours, four_a, four_b);
    two_a = add_bits_512(&ones, BITS(8), BITS(9));
    two_b = add_bits_512(&ones, BITS(10), BITS(11));
    four_a = add_bits_512(&twos, two_a, two_b);
    two_a = add_bits_512(&ones, BITS(12), BITS(13));
    two_b = add_bits_512(&ones, BITS(14), BITS(15));
    four_b = add_bits_512(&twos, two_a, two_b);
    eight_b = add_bits_512(&fours, four_a, four_b);
#undef BITS
    const __m512i sixteens = add_bits_512(&eights, eight_a, eight_b);
    plane->ones = ones;
    plane->twos = twos;
    plane->fours = fours;
    plane->eights = eights;
    plane->bytes = _mm512_add_epi8(plane->bytes, bits_by_position_512(sixteens));
}

/* Processes plane p. Planes are numbered across all windows. `local` contains the cells of the
   current window. */
ALWAYS_INLINE void work_plane_512(plane_512_t *planes, const __m512i *cells, __m512i *local, int p, int windows)
{
    if (!windows) {
        add_to_plane_512(&planes[p], cells, p);
    } else {
        if (p % WINDOW_PLANES == 0)
            cells_of_window_512(local, cells, p / WINDOW_PLANES);
        add_to_plane_512(&planes[p], local, p % WINDOW_PLANES);
    }
}

/* Adds the byte counters to the totals, and resets the counters to 0. */
ALWAYS_INLINE void flush_planes_512(plane_512_t *planes, int n_planes)
{
    for (int p = 0; p < n_planes; p++) {
        planes[p].total = _mm512_add_epi64(planes[p].total, _mm512_slli_epi64(sums_by_cell_512(planes[p].bytes), 4));
        planes[p].bytes = _mm512_setzero_si512();
    }
}

/* Counts the bits that remain in the adders, and returns the counts multiplied by the bits' weights. */
ALWAYS_INLINE __m512i rest_of_plane_512(const plane_512_t *plane)
{
    const __m512i ones = sums_by_cell_512(bits_by_position_512(plane->ones));
    const __m512i twos = sums_by_cell_512(bits_by_position_512(plane->twos));
    const __m512i fours = sums_by_cell_512(bits_by_position_512(plane->fours));
    const __m512i eights = sums_by_cell_512(bits_by_position_512(plane->eights));
    return _mm512_add_epi64(
        _mm512_add_epi64(ones, _mm512_slli_epi64(twos, 1)),
        _mm512_add_epi64(_mm512_slli_epi64(fours, 2), _mm512_slli_epi64(eights, 3)));
}

/* Returns the next 64 cells. For legal codes, code_a * n_labels_b fits in a byte, so one 16-bit multiplication handles two
   codes. */
ALWAYS_INLINE __m512i next_cells_512(column_512_t *a, column_512_t *b, __m512i n_labels_b, int width, int halved)
{
    const __m512i codes_a = next_codes_512(a, width, halved);
    const __m512i codes_b = next_codes_512(b, width, halved);
    return _mm512_add_epi8(_mm512_mullo_epi16(codes_a, n_labels_b), codes_b);
}

/* The kernel */

/* Adds the counts of the planes to the table. If the last cell has no plane, its count is n minus
   the counts of the other cells. */
static void planes_into_table_512(const plane_512_t *planes, int n_planes, size_t n_a, size_t n_b, int64_t n, int64_t *table)
{
    int64_t cells[8 * MAX_PLANES_512];
    for (int p = 0; p < n_planes; p++)
        _mm512_storeu_si512(cells + 8 * p, _mm512_add_epi64(planes[p].total, rest_of_plane_512(&planes[p])));
    size_t cell = 0;
    for (size_t i = 0; i < n_a; i++)
        for (size_t j = 0; j < n_b; j++, cell++) {
            const int64_t count = cell < 8 * (size_t)n_planes ? cells[cell] : n;
            n -= count;
            table[i * (n_b + 1) + j] += count;
        }
}

/* Counts the pairs from `start` on in whole groups, and returns the index of the first uncounted
   pair. The cells of the next group are read while the planes of the current group are processed,
   so that loads overlap with the additions. */
ALWAYS_INLINE ptrdiff_t count_groups_512(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop,
                                         int64_t *table, int width, int halved, int windows)
{
    const ptrdiff_t n_groups = (stop - start) / GROUP_512;
    const size_t n_a = (size_t)a->n_labels, n_b = (size_t)b->n_labels;
    const int n_planes = (int)((n_a * n_b + 6) / 8); /* planes for all cells except the last */
    if (n_groups <= 0)
        return start;

    plane_512_t planes[MAX_PLANES_512];
    __m512i buffers[2][TREE], local[TREE];
    memset(local, 0, sizeof local);
    for (int p = 0; p < n_planes; p++)
        planes[p].ones = planes[p].twos = planes[p].fours = planes[p].eights = planes[p].bytes = planes[p].total =
            _mm512_setzero_si512();
    column_512_t column_a = column_512(a, start, width), column_b = column_512(b, start, width);
    const __m512i factor = _mm512_set1_epi16((short)n_b);

    int64_t counted = 0;
    int until_flush = GROUPS_PER_FLUSH;
    for (int v = 0; v < TREE; v++)
        buffers[0][v] = next_cells_512(&column_a, &column_b, factor, width, halved);
    for (ptrdiff_t group = 0; group < n_groups; group++) {
        const __m512i *cells = buffers[group & 1];
        __m512i *next = buffers[(group & 1) ^ 1];
        const int legal = all_legal_512(&column_a, width) & all_legal_512(&column_b, width);
        int p = 0, due = 0;
        if (LIKELY(legal)) {
            counted += GROUP_512;
        } else {
            const ptrdiff_t from = start + group * GROUP_512;
            count_plain(a, b, from, from + GROUP_512, table);
            p = n_planes;
        }
        if (LIKELY(group + 1 < n_groups)) {
            for (int v = 0; v < TREE; v++) {
                next[v] = next_cells_512(&column_a, &column_b, factor, width, halved);
                for (due += n_planes; due >= TREE && p < n_planes; due -= TREE, p++)
                    work_plane_512(planes, cells, local, p, windows);
            }
        }
        for (; p < n_planes; p++)
            work_plane_512(planes, cells, local, p, windows);
        if (--until_flush == 0) {
            flush_planes_512(planes, n_planes);
            until_flush = GROUPS_PER_FLUSH;
        }
    }
    flush_planes_512(planes, n_planes);
    planes_into_table_512(planes, n_planes, n_a, n_b, counted, table);
    return start + n_groups * GROUP_512;
}

#define COUNT_GROUPS_512(name, width, halved, windows)                                                              \
    NEVER_INLINE ptrdiff_t name(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table) \
    {                                                                                                               \
        return count_groups_512(a, b, start, stop, table, width, halved, windows);                                  \
    }
COUNT_GROUPS_512(count_groups_512_8, 1, 0, 0)
COUNT_GROUPS_512(count_groups_512_16, 2, 0, 0)
COUNT_GROUPS_512(count_groups_512_32, 4, 0, 0)
COUNT_GROUPS_512(count_groups_512_64, 8, 0, 0)
COUNT_GROUPS_512(count_groups_512_128, 8, 1, 0)
COUNT_GROUPS_512(count_groups_512_8_more, 1, 0, 1)
COUNT_GROUPS_512(count_groups_512_16_more, 2, 0, 1)
COUNT_GROUPS_512(count_groups_512_32_more, 4, 0, 1)
COUNT_GROUPS_512(count_groups_512_64_more, 8, 0, 1)
COUNT_GROUPS_512(count_groups_512_128_more, 8, 1, 1)
#undef COUNT_GROUPS_512

/* Counts the pairs of two columns in whole groups; a remainder is left uncounted. The columns must
   contain integers in lanes of equal width, and there can be at most 256 cells. Returns the index
   of the first uncounted pair. */
static ptrdiff_t count_popcount_512(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table)
{
    const int more = a->n_labels * b->n_labels > 64; /* look-ups use only 6 bits of a cell: 64 would look like 0 */
    if (!is_contiguous(a) || !is_contiguous(b))
        stop--; /* the memory after the last element may be unreadable */
    switch (a->stride) {
    case 1: return (more ? count_groups_512_8_more : count_groups_512_8)(a, b, start, stop, table);
    case 2: return (more ? count_groups_512_16_more : count_groups_512_16)(a, b, start, stop, table);
    case 4: return (more ? count_groups_512_32_more : count_groups_512_32)(a, b, start, stop, table);
    case 8: return (more ? count_groups_512_64_more : count_groups_512_64)(a, b, start, stop, table);
    default: return (more ? count_groups_512_128_more : count_groups_512_128)(a, b, start, stop, table);
    }
}

SIMD_END
#endif
#endif
