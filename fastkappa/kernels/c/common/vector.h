/* Read integers with 16- or 32-byte vectors and narrow their codes. This is a template; see each_vector_level.h. The
   template uses the vector types of gcc and clang, whose ordinary operators work on all lanes.

   The order of the pairs does not matter, as long as the codes of a pair stay together. Codes can therefore be narrowed by
   shifting:

       int64 lanes, four per vector:   v0 | v1 << 8 | v2 << 16 | ... | v7 << 56      32 codes in the bytes of one vector */

typedef uint8_t NAME(bytes_t) __attribute__((vector_size(VECTOR_BYTES)));
typedef uint16_t NAME(words_t) __attribute__((vector_size(VECTOR_BYTES)));
typedef uint32_t NAME(ints_t) __attribute__((vector_size(VECTOR_BYTES)));
typedef uint64_t NAME(longs_t) __attribute__((vector_size(VECTOR_BYTES)));

/* The state of one column while it is read. */
typedef struct {
    const char *next;
    uint64_t lowest;
    longs_t high;          /* OR of all codes: a bit above the low byte of a lane means that a value was not a label */
    bytes_t largest;       /* the largest code at each byte position */
    uint8_t limit;         /* the largest legal code */
} NAME(reader_t);

/* Returns a vector with `value` in each lane of the given width. The value must fit in a lane. */
ALWAYS_INLINE longs_t NAME(in_lanes)(uint64_t value, int lane)
{
    const uint64_t ones = lane == 1 ? 0x0101010101010101 : lane == 2 ? 0x0001000100010001 : lane == 4 ? 0x0000000100000001 : 1;
    return (longs_t){0} + ones * value;
}

ALWAYS_INLINE reader_t NAME(reader)(const column_t *column, ptrdiff_t start)
{
    reader_t reader;
    reader.next = element_address(column, start);
    reader.lowest = column->lowest;
    reader.high = (longs_t){0};
    reader.largest = (bytes_t){0};
    reader.limit = (uint8_t)(column->n_labels - 1);
    return reader;
}

/* Returns the next codes of elements of the given width, one per lane. */
ALWAYS_INLINE longs_t NAME(codes_of_width)(reader_t *reader, int width)
{
    longs_t values;
    memcpy(&values, reader->next, sizeof values);
    reader->next += VECTOR_BYTES;
    return width == 1 ? (longs_t)((bytes_t)values - (uint8_t)reader->lowest)
         : width == 2 ? (longs_t)((words_t)values - (uint16_t)reader->lowest)
         : width == 4 ? (longs_t)((ints_t)values - (uint32_t)reader->lowest)
                      : values - reader->lowest;
}

/* Returns the next VECTOR_BYTES codes as bytes, narrowed from elements of the given width. */
ALWAYS_INLINE bytes_t NAME(next_codes)(reader_t *reader, int width)
{
    longs_t narrow = NAME(codes_of_width)(reader, width), high = narrow;
#pragma GCC unroll 8
    for (int k = 1; k < width; k++) {
        const longs_t codes = NAME(codes_of_width)(reader, width);
        high |= codes;
        narrow |= codes << (8 * k);   /* legal codes fit in a byte, so they do not overlap */
    }
    reader->high |= high;
    reader->largest = NAME(max_bytes)(reader->largest, (bytes_t)narrow);
    return (bytes_t)narrow;
}

/* Returns whether all codes since the last call were legal. */
ALWAYS_INLINE int NAME(all_legal)(reader_t *reader, int width)
{
    const longs_t above = ~NAME(in_lanes)(0xFF, width);
    const longs_t outside = (longs_t)(reader->largest > reader->limit) | (width > 1 ? reader->high & above : (longs_t){0});
    reader->high = (longs_t){0};
    reader->largest = (bytes_t){0};
    return !NAME(any_bit)(outside);
}
