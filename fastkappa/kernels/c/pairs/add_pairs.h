/* Count pairs of contiguous integers of equal width with one increment per pair. While some pairs
   are counted, the cells of the next pairs are computed, so that loads and increments do not wait
   for each other. This is a template; see common/each_vector_level.h. The AVX-512 level also uses
   the AVX2 version, because counting is memory-bound on Zen 4.

   Each cell is computed as a 16-bit word in the lane of its elements. The cells of several vectors are packed side by side:

       int64 lanes, four per vector:   c0 | c1 << 16 | c2 << 32 | c3 << 48,   c = (a - lowest) * row + (b - lowest)

   The upper bytes of a legal code are 0, so a single comparison of bytes detects out-of-range
   values. */

/* Computes the cells of the next STEP_PAIRS pairs, but not in the order of the pairs. Each lane of
   a limit contains the largest legal code. Returns 0 and leaves the cells undefined if a value is
   outside the labels. */
ALWAYS_INLINE int NAME(cells_of_step)(reader_t *a, reader_t *b, bytes_t limit_a, bytes_t limit_b, uint16_t row, int width,
                                      uint16_t *cells)
{
    bytes_t largest_a = {0}, largest_b = {0};
    for (int i = 0; i < STEP_PAIRS(width) * width; i += 64) {
        FETCH((uintptr_t)a->next + (uintptr_t)(FETCH_BYTES + i));
        FETCH((uintptr_t)b->next + (uintptr_t)(FETCH_BYTES + i));
    }
    for (int i = 0; i < STEP_PAIRS(width); i += VECTOR_BYTES / 2) {
        longs_t made = {0};
#pragma GCC unroll 4
        for (int k = 0; k < width; k += 2) {
            const longs_t x = NAME(codes_of_width)(a, width), y = NAME(codes_of_width)(b, width);
            largest_a = NAME(max_bytes)(largest_a, (bytes_t)x);
            largest_b = NAME(max_bytes)(largest_b, (bytes_t)y);
            if (width == 1) {
                const words_t odd = ((words_t)x >> 8) * row + ((words_t)y >> 8);
                memcpy(cells + i, &odd, sizeof odd);
                i += VECTOR_BYTES / 2;
                made = (longs_t)(((words_t)x & 0xFF) * row + ((words_t)y & 0xFF));
            } else {
                made |= (longs_t)((words_t)x * row + (words_t)y) << (8 * k);
            }
        }
        memcpy(cells + i, &made, sizeof made);
    }
    return !NAME(any_bit)((longs_t)((NAME(max_bytes)(largest_a, limit_a) ^ limit_a)
                                  | (NAME(max_bytes)(largest_b, limit_b) ^ limit_b)));
}

/* Counts pairs in whole steps and stops before the first step that contains an out-of-range value.
   Pairs left over after the last whole step are not counted. Returns the index of the first
   uncounted pair. */
#define ADD_PAIRS_OF_WIDTH(name, copies)                                                                          \
    ALWAYS_INLINE ptrdiff_t name(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop,           \
                                 uint32_t *counters, int width)                                                   \
    {                                                                                                             \
        reader_t reader_a = NAME(reader)(a, start), reader_b = NAME(reader)(b, start);                            \
        const bytes_t limit_a = (bytes_t)NAME(in_lanes)(a->n_labels - 1, width);                                  \
        const bytes_t limit_b = (bytes_t)NAME(in_lanes)(b->n_labels - 1, width);                                  \
        const uint16_t row = (uint16_t)n_short_codes(b);                                                          \
        ptrdiff_t n_steps = (stop - start) / STEP_PAIRS(width), made = 0;                                         \
        uint16_t buffers[STEPS_AHEAD + 1][STEP_PAIRS(1)];                                                         \
        for (ptrdiff_t step = -STEPS_AHEAD; step < n_steps; step++) {                                             \
            if (LIKELY(made < n_steps)) {                                                                         \
                uint16_t *next = buffers[made & STEPS_AHEAD];                                                     \
                if (UNLIKELY(!NAME(cells_of_step)(&reader_a, &reader_b, limit_a, limit_b, row, width, next)))     \
                    n_steps = made;                                                                               \
                made++;                                                                                           \
            }                                                                                                     \
            if (LIKELY(step >= 0)) {                                                                              \
                const uint16_t *cells = buffers[step & STEPS_AHEAD];                                              \
                for (int j = 0; j < STEP_PAIRS(width); j += 8)                                                    \
                    UNROLL for (int k = 0; k < 8; k++)                                                            \
                        counters[(size_t)cells[j + k] * copies + (size_t)(k % copies)]++;                         \
            }                                                                                                     \
        }                                                                                                         \
        return start + n_steps * STEP_PAIRS(width);                                                               \
    }
#define ADD_PAIRS(name, of_width, copies)                                                                         \
    ADD_PAIRS_OF_WIDTH(of_width, copies)                                                                          \
    NEVER_INLINE ptrdiff_t name(const column_t *a, const column_t *b, ptrdiff_t start, ptrdiff_t stop,            \
                                uint32_t *counters)                                                               \
    {                                                                                                             \
        switch (a->stride) {                                                                                      \
        case 1: return of_width(a, b, start, stop, counters, 1);                                                  \
        case 2: return of_width(a, b, start, stop, counters, 2);                                                  \
        case 4: return of_width(a, b, start, stop, counters, 4);                                                  \
        default: return of_width(a, b, start, stop, counters, 8);                                                 \
        }                                                                                                         \
    }
ADD_PAIRS(NAME(add_pairs_8), NAME(add_pairs_8_of_width), 8)
ADD_PAIRS(NAME(add_pairs_1), NAME(add_pairs_1_of_width), 1)
#undef ADD_PAIRS
#undef ADD_PAIRS_OF_WIDTH
