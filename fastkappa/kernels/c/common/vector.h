/* Read integers with 16- or 32-byte vectors and narrow their codes. This is a template; see each_vector_level.h. The
   template uses the vector types of gcc and clang, whose ordinary operators work on all lanes.

   The order of the pairs does not matter, as long as the codes of a pair stay together. Codes can therefore be narrowed by
   shifting:

       int64 lanes, four per vector:   v0 | v1 << 8 | v2 << 16 | ... | v7 << 56      32 codes in the bytes of one vector

   To keep the pairs of two columns of different widths together, the narrower column is first widened to the lanes of the
   other.

   The stride can be larger than an element (is_in_lanes), up to 8 bytes. A lane is then as wide as the stride, and the
   bytes between elements are masked out. */

typedef uint8_t NAME(bytes_t) __attribute__((vector_size(VECTOR_BYTES)));
typedef uint16_t NAME(words_t) __attribute__((vector_size(VECTOR_BYTES)));
typedef uint32_t NAME(ints_t) __attribute__((vector_size(VECTOR_BYTES)));
typedef uint64_t NAME(longs_t) __attribute__((vector_size(VECTOR_BYTES)));

/* These vector types have as many narrow elements as a full vector has wide lanes: for example, bytes_for_words_t has as
   many bytes as a vector has words. */
typedef uint8_t NAME(bytes_for_words_t) __attribute__((vector_size(VECTOR_BYTES / 2)));
typedef uint8_t NAME(bytes_for_ints_t) __attribute__((vector_size(VECTOR_BYTES / 4)));
typedef uint8_t NAME(bytes_for_longs_t) __attribute__((vector_size(VECTOR_BYTES / 8)));
typedef uint16_t NAME(words_for_ints_t) __attribute__((vector_size(VECTOR_BYTES / 2)));
typedef uint16_t NAME(words_for_longs_t) __attribute__((vector_size(VECTOR_BYTES / 4)));
typedef uint32_t NAME(ints_for_longs_t) __attribute__((vector_size(VECTOR_BYTES / 2)));

/* The state of one column while it is read. */
typedef struct {
    const char *next;
    uint64_t lowest;
    int width;             /* bytes from one element to the next */
    longs_t element;       /* mask of the element's bits, in each lane */
    longs_t high;          /* OR of all codes: a bit above the narrow code means that a code was outside */
    bytes_t largest;       /* the largest code at each byte position (one-byte codes only) */
    words_t too_large;     /* lanes in which a code was too large have all bits set (two-byte codes only) */
    uint16_t limit;        /* the largest legal code */
} NAME(reader_t);

/* Returns a vector with `value` in each lane of the given width. The value must fit in a lane. */
ALWAYS_INLINE longs_t NAME(in_lanes)(uint64_t value, int lane)
{
    const uint64_t ones = lane == 1 ? 0x0101010101010101 : lane == 2 ? 0x0001000100010001 : lane == 4 ? 0x0000000100000001 : 1;
    return (longs_t){0} + ones * value;
}

/* Returns a mask of the bits of an element in each lane of the given width. */
ALWAYS_INLINE longs_t NAME(element_in_lanes)(const column_t *column, int lane)
{
    const int bits = 8 * element_width(column->kind);
    return NAME(in_lanes)(bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1, lane);
}

ALWAYS_INLINE reader_t NAME(reader)(const column_t *column, ptrdiff_t start)
{
    reader_t reader;
    reader.next = element_address(column, start);
    reader.lowest = column->lowest;
    reader.width = (int)column->stride;
    reader.element = (longs_t){0} - 1;
    reader.high = (longs_t){0};
    reader.largest = (bytes_t){0};
    reader.too_large = (words_t){0};
    reader.limit = (uint16_t)(column->n_labels - 1);
    return reader;
}

/* Returns the next codes, for elements that fill their lanes. */
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

/* Returns the next codes, for elements that are narrower than their lanes. */
ALWAYS_INLINE longs_t NAME(codes_in_gaps)(reader_t *reader, int width)
{
    fetch_next_page(reader->next);
    return NAME(codes_of_width)(reader, width) & reader->element;
}

/* Reads contiguous narrow elements and widens them to the width of the lanes. The subtraction wraps at the width of the
   element. */
#define WIDENED(type, element_t, lanes_t)                                            \
    {                                                                                \
        NAME(type) values;                                                           \
        memcpy(&values, reader->next, sizeof values);                                \
        reader->next += sizeof values;                                               \
        values = values - (element_t)reader->lowest;                                 \
        return (longs_t)__builtin_convertvector(values, lanes_t) & reader->element;  \
    }
ALWAYS_INLINE longs_t NAME(codes_in_lanes)(reader_t *reader, int lane)
{
    if (reader->width >= lane)
        return NAME(codes_in_gaps)(reader, lane);
    if (lane == 2)
        WIDENED(bytes_for_words_t, uint8_t, words_t)
    if (lane == 4) {
        if (reader->width == 1)
            WIDENED(bytes_for_ints_t, uint8_t, ints_t)
        WIDENED(words_for_ints_t, uint16_t, ints_t)
    }
    if (reader->width == 1)
        WIDENED(bytes_for_longs_t, uint8_t, longs_t)
    if (reader->width == 2)
        WIDENED(words_for_longs_t, uint16_t, longs_t)
    WIDENED(ints_for_longs_t, uint32_t, longs_t)
}
#undef WIDENED

/* Returns the next VECTOR_BYTES / out codes of `out` bytes each, narrowed from lanes of `lane` bytes. `mixed` is 0 if the
   elements are known to be as wide as the lanes. */
ALWAYS_INLINE longs_t NAME(next_codes)(reader_t *reader, int lane, int out, int mixed)
{
    longs_t narrow = mixed ? NAME(codes_in_lanes)(reader, lane) : NAME(codes_of_width)(reader, lane);
    longs_t high = narrow;
#pragma GCC unroll 8
    for (int k = out; k < lane; k += out) {
        const longs_t codes = mixed ? NAME(codes_in_lanes)(reader, lane) : NAME(codes_of_width)(reader, lane);
        high |= codes;
        narrow |= codes << (8 * k);   /* legal codes fit in `out` bytes, so they do not overlap */
    }
    if (lane > out)
        reader->high |= high;
    if (out == 1)
        reader->largest = NAME(max_bytes)(reader->largest, (bytes_t)narrow);
    else
        reader->too_large |= (words_t)((words_t)narrow > reader->limit);
    return narrow;
}

/* Returns whether all codes since the last call were legal. */
ALWAYS_INLINE int NAME(all_legal)(reader_t *reader, int lane, int out)
{
    const uint64_t above_narrow = out == 1 ? (lane == 2 ? 0xFF00FF00FF00FF00 : lane == 4 ? 0xFFFFFF00FFFFFF00 : 0xFFFFFFFFFFFFFF00)
                                           : (lane == 4 ? 0xFFFF0000FFFF0000 : 0xFFFFFFFFFFFF0000);
    longs_t outside = out == 1 ? (longs_t)(reader->largest > (uint8_t)reader->limit) : (longs_t)reader->too_large;
    if (lane > out)
        outside |= reader->high & above_narrow;
    reader->high = (longs_t){0};
    reader->largest = (bytes_t){0};
    reader->too_large = (words_t){0};
    return !NAME(any_bit)(outside);
}
