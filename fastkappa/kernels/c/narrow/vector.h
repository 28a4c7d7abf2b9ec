/* Convert pairs to narrow codes, and codes to cell numbers, with vectors. This is a template; see
   common/each_vector_level.h. */

/* Writes the codes of `count` pairs (a multiple of VECTOR_BYTES) as bytes or words. The order of the pairs changes, but the
   codes of a pair stay together. Lanes are as wide as the wider element. Returns 0 and leaves the codes undefined if a value is
   outside the labels. */
ALWAYS_INLINE int NAME(pair_codes)(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t count,
                                   char *codes_a, char *codes_b, int lane, int out)
{
    reader_t reader_a = NAME(reader)(a, start), reader_b = NAME(reader)(b, start);
    reader_a.element = NAME(element_in_lanes)(a, lane);
    reader_b.element = NAME(element_in_lanes)(b, lane);
    for (ptrdiff_t i = 0; i < count * out; i += VECTOR_BYTES) {
        const longs_t x = NAME(next_codes)(&reader_a, lane, out, 1);
        const longs_t y = NAME(next_codes)(&reader_b, lane, out, 1);
        memcpy(codes_a + i, &x, sizeof x);
        memcpy(codes_b + i, &y, sizeof y);
    }
    return NAME(all_legal)(&reader_a, lane, out) & NAME(all_legal)(&reader_b, lane, out);
}

static int NAME(pair_bytes)(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t count, uint8_t *codes_a, uint8_t *codes_b)
{
    char *x = (char *)codes_a, *y = (char *)codes_b;
    switch (a->stride > b->stride ? a->stride : b->stride) {
    case 1: return NAME(pair_codes)(a, b, start, count, x, y, 1, 1);
    case 2: return NAME(pair_codes)(a, b, start, count, x, y, 2, 1);
    case 4: return NAME(pair_codes)(a, b, start, count, x, y, 4, 1);
    default: return NAME(pair_codes)(a, b, start, count, x, y, 8, 1);
    }
}

static int NAME(pair_words)(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t count, uint16_t *codes_a, uint16_t *codes_b)
{
    char *x = (char *)codes_a, *y = (char *)codes_b;
    switch (a->stride > b->stride ? a->stride : b->stride) {
    case 1: case 2: return NAME(pair_codes)(a, b, start, count, x, y, 2, 2);
    case 4: return NAME(pair_codes)(a, b, start, count, x, y, 4, 2);
    default: return NAME(pair_codes)(a, b, start, count, x, y, 8, 2);
    }
}

/* Computes cell = a * row + b for `count` pairs (a multiple of VECTOR_BYTES). The order of the cells changes: in each vector,
   the cells of bytes with even addresses come first, then the cells of bytes with odd addresses. */
static void NAME(cells_of_bytes)(const uint8_t *a, const uint8_t *b, ptrdiff_t count, uint16_t row, uint16_t *cells)
{
    for (ptrdiff_t i = 0; i < count; i += VECTOR_BYTES) {
        words_t x, y;
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        const words_t even = (x & 0xFF) * row + (y & 0xFF), odd = (x >> 8) * row + (y >> 8);
        memcpy(cells + i, &even, sizeof even);
        memcpy(cells + i + VECTOR_BYTES / 2, &odd, sizeof odd);
    }
}

static void NAME(cells_of_words)(const uint16_t *a, const uint16_t *b, ptrdiff_t count, uint32_t row, uint32_t *cells)
{
    for (ptrdiff_t i = 0; i < count; i += VECTOR_BYTES / 2) {
        ints_t x, y;
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        const ints_t even = (x & 0xFFFF) * row + (y & 0xFFFF), odd = (x >> 16) * row + (y >> 16);
        memcpy(cells + i, &even, sizeof even);
        memcpy(cells + i + VECTOR_BYTES / 4, &odd, sizeof odd);
    }
}

/* Computes cells as 16-bit words. `count` is a multiple of VECTOR_BYTES / 2, and the order stays the same. */
static void NAME(short_cells_of_words)(const uint16_t *a, const uint16_t *b, ptrdiff_t count, uint16_t row, uint16_t *cells)
{
    for (ptrdiff_t i = 0; i < count; i += VECTOR_BYTES / 2) {
        words_t x, y;
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        const words_t cell = x * row + y;
        memcpy(cells + i, &cell, sizeof cell);
    }
}
