/* A column of any kind, made of bytes: how its elements lie in memory, and which labels they have. */
#ifndef ANY_COLUMN_H
#define ANY_COLUMN_H
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include "kernels.h"
#include "naive.h"

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

typedef struct { const uint8_t *next, *end; uint64_t seed; } stream_t;

static uint64_t take(stream_t *stream, uint64_t below)
{
    uint64_t value = 0;
    for (uint64_t limit = below - 1; limit; limit >>= 8)
        value = value << 8 | (stream->next < stream->end ? *stream->next++ : 0);
    return value % below;
}

/* More than the bytes hold: from a generator that they have set. */
static uint64_t more(stream_t *stream)
{
    stream->seed ^= stream->seed << 13; stream->seed ^= stream->seed >> 7; stream->seed ^= stream->seed << 17;
    return stream->seed;
}

/* The memory of the columns, which another thread may change until it is let go. */
typedef struct { volatile unsigned char *memory; size_t size; } memory_t;
enum { MOST_MEMORIES = 4 };
typedef struct { memory_t all[MOST_MEMORIES]; atomic_int n; } memories_t;
#ifndef LET_GO
#define LET_GO(memories) ((memories)->n = 0)
#endif

static int failed(const char *what)
{
    fprintf(stderr, "WRONG: %s at level %s\n", what, simd_level_name(simd_level_current()));
    abort();
}
#define EXPECT(right, what) ((right) ? 0 : failed(what))

static char *new_memory(memories_t *memories, size_t size)
{
    char *memory = malloc(size ? size : 1);
    memory_t *own = &memories->all[memories->n];
    own->memory = (volatile unsigned char *)memory;
    own->size = size;
    memories->n++;
    return memory;
}

/* Elements of a kind, `stride` apart, in memory of their own. */
static column_t elements(stream_t *stream, memories_t *memories, int kind, ptrdiff_t n, int plain)
{
    const int width = element_width(kind);
    const ptrdiff_t strides[] = {width, width, width, width, 2, 4, 8, 16, -width, 0, width + 3, 2 * width};
    column_t column;
    memset(&column, 0, sizeof column);
    ptrdiff_t stride = plain ? width : strides[take(stream, COUNT_OF(strides))];
    if (stride > 0 && stride < width) stride = width;
    const ptrdiff_t apart = stride < 0 ? -stride : stride;
    const size_t shift = plain ? 0 : (size_t)take(stream, 3), size = n ? (size_t)((n - 1) * apart + width) : 0;
    char *memory = new_memory(memories, shift + size);
    for (size_t i = 0; i < shift + size; i++) memory[i] = (char)(more(stream) >> 32);
    column.data = memory + shift + (stride < 0 && n ? (n - 1) * apart : 0);
    column.stride = stride; column.kind = kind; column.swapped = plain ? 0 : take(stream, 5) == 4;
    return column;
}

static void put_element(const column_t *column, ptrdiff_t i, int64_t whole)
{
    char bytes[8];
    const int width = element_width(column->kind);
    char *p = (char *)(uintptr_t)column->data + i * column->stride;
    if (column->kind == COLUMN_FLOAT32) { const float f = (float)whole; memcpy(bytes, &f, 4); }
    else if (column->kind == COLUMN_FLOAT64) { const double f = (double)whole; memcpy(bytes, &f, 8); }
    else memcpy(bytes, &whole, (size_t)width);
    for (int k = 0; k < width; k++) p[k] = bytes[column->swapped ? width - 1 - k : k];
}

/* A column of labels: mostly legal ones, or what the bytes say, or all the same. */
static column_t labels(stream_t *stream, memories_t *memories, int kind, ptrdiff_t n, uint64_t most)
{
    static const uint64_t NUMBERS[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 20, 31, 33, 64, 100, 128,
                                       255, 256, 257, 300, 700, 2000, 65535, 65536, 70000};
    column_t column = elements(stream, memories, kind, n, 0);
    column.n_labels = NUMBERS[take(stream, COUNT_OF(NUMBERS))];
    if (column.n_labels > most) column.n_labels = most;
    column.lowest = take(stream, 3) ? take(stream, 4) : (uint64_t)0 - take(stream, 200);
    if (!fits(kind, column.lowest, column.n_labels)) {
        column.lowest = 0;
        if (column.n_labels > 127) column.n_labels = 127;
    }
    const uint64_t one_outside = take(stream, 2) ? 0 : 1 + take(stream, 3000);
    const int alike = take(stream, 4) == 3, raw = take(stream, 6) == 5;
    for (ptrdiff_t i = 0; i < n && !raw && column.n_labels; i++) {
        const uint64_t chance = more(stream) >> 20;
        if (one_outside && chance % one_outside == 0) continue;     /* what lies there already */
        put_element(&column, i, (int64_t)(column.lowest + (alike ? 0 : chance % column.n_labels)));
    }
    /* the first elements are what the fuzzer itself has set */
    for (ptrdiff_t i = 0; i < n && stream->next + 8 < stream->end && take(stream, 8); i++)
        put_element(&column, i, (int64_t)take(stream, 1 << 16) - 300);
    return column;
}

static ptrdiff_t how_many(stream_t *stream)
{
    switch (take(stream, 8)) {
    case 0: return (ptrdiff_t)take(stream, 20);
    case 1: return 16400 + (ptrdiff_t)take(stream, 2000);
    case 2: return take(stream, 24) ? 3000 : 262144 + (ptrdiff_t)take(stream, 3000);
    default: return (ptrdiff_t)take(stream, 2600);
    }
}
#endif
