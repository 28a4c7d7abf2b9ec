/* Count pairs by positional popcount with 16- or 32-byte vectors. Read avx512.h first.

   These vectors have no 64-entry look-up and no three-way logic, so this version differs as follows:

   - The bits of plane p are (cell >> 3 == p) & (1 << (cell & 7)), with both sides of & computed once per vector.
   - An adder needs five plain operations, so the tree is one level deeper (32 vectors), and one vector in 32 is counted.
   - The bits of that vector are counted by shifting: counter[c] += (bits >> c) & 1. A byte counter cannot overflow
     within 255 groups.

   This is a template; see common/each_vector_level.h. */

#define plane_t NAME(plane_t)

enum {
    NAME(GROUP) = VECTOR_BYTES * 32,   /* pairs between bounds checks */
    NAME(MAX_PLANES) = 16
};
#define GROUP_PAIRS NAME(GROUP)

typedef struct {
    bytes_t ones, twos, fours, eights, sixteens;   /* uncounted bits of weights 1, 2, 4, 8 and 16 */
    bytes_t counters[8];                           /* counts of the set bits of weight 32, per cell and byte */
    int64_t total[8];
} plane_t;

/* Adding bits */

ALWAYS_INLINE bytes_t NAME(add_bits)(bytes_t *sum, bytes_t x, bytes_t y)
{
    const bytes_t half = x ^ y;   /* computed without the sum, to keep the chain of dependent sums short */
    const bytes_t carry = (x & y) | (half & *sum);
    *sum ^= half;
    return carry;
}

/* The cells of one vector. Each cell is given by the number of its plane and its bit in the
   plane. */
typedef struct { bytes_t plane, bit; } NAME(cells_t);
#define cells_t NAME(cells_t)

/* Adds 16 vectors of weight 1, and returns a vector of weight 16. */
ALWAYS_INLINE bytes_t NAME(add_16)(plane_t *state, const cells_t *cells, bytes_t p)
{
    bytes_t two_a, two_b, four_a, four_b, eight_a, eight_b;
#define BITS(i) ((bytes_t)(cells[i].plane == p) & cells[i].bit)
#define ADD NAME(add_bits)
    two_a = ADD(&state->ones, BITS(0), BITS(1));
    two_b = ADD(&state->ones, BITS(2), BITS(3));
    four_a = ADD(&state->twos, two_a, two_b);
    two_a = ADD(&state->ones, BITS(4), BITS(5));
    two_b = ADD(&state->ones, BITS(6), BITS(7));
    four_b = ADD(&state->twos, two_a, two_b);
    eight_a = ADD(&state->fours, four_a, four_b);
    two_a = ADD(&state->ones, BITS(8), BITS(9));
    two_b = ADD(&state->ones, BITS(10), BITS(11));
    four_a = ADD(&state->twos, two_a, two_b);
    two_a = ADD(&state->ones, BITS(12), BITS(13));
    two_b = ADD(&state->ones, BITS(14), BITS(15));
    four_b = ADD(&state->twos, two_a, two_b);
    eight_b = ADD(&state->fours, four_a, four_b);
    return ADD(&state->eights, eight_a, eight_b);
#undef BITS
}

/* Adds the 32 vectors of a group to plane p. */
ALWAYS_INLINE void NAME(add_to_plane)(plane_t *plane, const cells_t *cells, int p)
{
    const bytes_t number = (bytes_t){0} + (uint8_t)p;
    plane_t state;
    state.ones = plane->ones; state.twos = plane->twos; state.fours = plane->fours; state.eights = plane->eights;
    const bytes_t sixteen_a = NAME(add_16)(&state, cells, number);
    const bytes_t sixteen_b = NAME(add_16)(&state, cells + 16, number);
    const bytes_t bits = ADD(&plane->sixteens, sixteen_a, sixteen_b);
    plane->ones = state.ones; plane->twos = state.twos; plane->fours = state.fours; plane->eights = state.eights;
    for (int c = 0; c < 8; c++)
        plane->counters[c] += (bytes_t)((words_t)bits >> c) & 1;
#undef ADD
}

static int64_t NAME(sum_of_bytes)(bytes_t x)
{
    uint8_t bytes[VECTOR_BYTES];
    int64_t sum = 0;
    memcpy(bytes, &x, sizeof x);
    for (int i = 0; i < VECTOR_BYTES; i++)
        sum += bytes[i];
    return sum;
}

static void NAME(flush_planes)(plane_t *planes, int n_planes)
{
    for (int p = 0; p < n_planes; p++)
        for (int c = 0; c < 8; c++) {
            planes[p].total[c] += 32 * NAME(sum_of_bytes)(planes[p].counters[c]);
            planes[p].counters[c] = (bytes_t){0};
        }
}

static void NAME(flush_rests)(plane_t *planes, int n_planes)
{
    for (int p = 0; p < n_planes; p++) {
        const bytes_t rests[5] = {planes[p].ones, planes[p].twos, planes[p].fours, planes[p].eights, planes[p].sixteens};
        for (int weight = 0; weight < 5; weight++)
            for (int c = 0; c < 8; c++)
                planes[p].total[c] += NAME(sum_of_bytes)((bytes_t)((words_t)rests[weight] >> c) & 1) << weight;
    }
}

/* Returns the next cells. One 16-bit multiplication handles two codes, because code_a * n_labels_b is below 256. */
ALWAYS_INLINE cells_t NAME(next_cells)(reader_t *a, reader_t *b, uint16_t n_labels_b, int width)
{
    const bytes_t codes_a = NAME(next_codes)(a, width);
    const bytes_t codes_b = NAME(next_codes)(b, width);
    const bytes_t cell = (bytes_t)((words_t)codes_a * n_labels_b) + codes_b;
    cells_t cells;
    cells.plane = (bytes_t)((words_t)cell >> 3) & 0x1F;
    cells.bit = NAME(bit_of_cell)(cell);
    return cells;
}

/* The kernel */

ALWAYS_INLINE ptrdiff_t NAME(count_groups)(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop,
                                           int64_t *table, int width)
{
    const ptrdiff_t n_groups = (stop - start) / GROUP_PAIRS;
    const size_t n_a = (size_t)a->n_labels, n_b = (size_t)b->n_labels;
    const int n_planes = (int)((n_a * n_b + 6) / 8); /* planes for all cells except the last */
    if (n_groups <= 0)
        return start;

    plane_t planes[NAME(MAX_PLANES)];
    cells_t buffers[2][32];
    memset(planes, 0, (size_t)n_planes * sizeof *planes);
    reader_t column_a = NAME(reader)(a, start), column_b = NAME(reader)(b, start);

    int64_t counted = 0;
    int until_flush = 255;
    for (int v = 0; v < 32; v++)
        buffers[0][v] = NAME(next_cells)(&column_a, &column_b, (uint16_t)n_b, width);
    for (ptrdiff_t group = 0; group < n_groups; group++) {
        const cells_t *cells = buffers[group & 1];
        cells_t *next = buffers[(group & 1) ^ 1];
        const int legal = NAME(all_legal)(&column_a, width) & NAME(all_legal)(&column_b, width);
        int p = 0, due = 0;
        if (LIKELY(legal)) {
            counted += GROUP_PAIRS;
        } else {
            const ptrdiff_t from = start + group * GROUP_PAIRS;
            count_plain(a, b, from, from + GROUP_PAIRS, table);
            p = n_planes;
        }
        if (LIKELY(group + 1 < n_groups)) {
            /* process one plane after every few vectors, so that memory is read in the meantime */
            for (int v = 0; v < 32; v++) {
                next[v] = NAME(next_cells)(&column_a, &column_b, (uint16_t)n_b, width);
                for (due += n_planes; due >= 32; due -= 32)
                    if (p < n_planes) {
                        NAME(add_to_plane)(&planes[p], cells, p);
                        p++;
                    }
            }
        }
        for (; p < n_planes; p++)
            NAME(add_to_plane)(&planes[p], cells, p);
        if (--until_flush == 0) {
            NAME(flush_planes)(planes, n_planes);
            until_flush = 255;
        }
    }
    NAME(flush_planes)(planes, n_planes);
    NAME(flush_rests)(planes, n_planes);
    size_t cell = 0;
    for (size_t i = 0; i < n_a; i++)
        for (size_t j = 0; j < n_b; j++, cell++) {
            /* if the last cell has no plane, the remaining pairs belong to it */
            const int64_t count = cell < 8 * (size_t)n_planes ? planes[cell / 8].total[cell % 8] : counted;
            counted -= count;
            table[i * (n_b + 1) + j] += count;
        }
    return start + n_groups * GROUP_PAIRS;
}

/* A separate function for each width reduces register pressure. */
#define COUNT_GROUPS(name, width)                                                                                   \
    NEVER_INLINE ptrdiff_t name(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table) \
    {                                                                                                               \
        return NAME(count_groups)(a, b, start, stop, table, width);                                                 \
    }
COUNT_GROUPS(NAME(count_groups_8), 1)
COUNT_GROUPS(NAME(count_groups_16), 2)
COUNT_GROUPS(NAME(count_groups_32), 4)
COUNT_GROUPS(NAME(count_groups_64), 8)
#undef COUNT_GROUPS

/* Counts the pairs of two columns in whole groups; a remainder is left uncounted. The columns must
   contain contiguous integers of equal width, and there can be at most 8 * MAX_PLANES + 1 cells.
   Returns the index of the first uncounted pair. */
static ptrdiff_t NAME(count_popcount)(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop, int64_t *table)
{
    switch (a->stride) {
    case 1: return NAME(count_groups_8)(a, b, start, stop, table);
    case 2: return NAME(count_groups_16)(a, b, start, stop, table);
    case 4: return NAME(count_groups_32)(a, b, start, stop, table);
    default: return NAME(count_groups_64)(a, b, start, stop, table);
    }
}

#undef plane_t
#undef cells_t
#undef GROUP_PAIRS
