/* Sum the codes of a block and their products with vectors. This is a template; see common/each_vector_level.h.

   multiply_add(x, y), defined in vector_levels.h, multiplies words below 2^15 and adds each two adjacent products to an int.
   Two-byte codes are split, code = low + 256 * high, and so are their products:

       a * b  =  a.low * b.low  +  256 * (a.low * b.high + a.high * b.low)  +  65536 * a.high * b.high

   An int grows by at most 4 * 255 * 255 per vector. The sums of a block of 1024 pairs therefore stay far below 2^31. */

/* Entry 0 is the sum of the products of two low bytes, entry 1 of a low and a high byte, and entry 2 of two high bytes. */
typedef struct { ints_t a[2], b[2], aa[3], bb[3], ab[3]; } NAME(sums_t);
#define sums_t NAME(sums_t)

ALWAYS_INLINE uint64_t NAME(sum_of_ints)(ints_t x)
{
    uint64_t sum = 0;
    for (int i = 0; i < VECTOR_BYTES / 4; i++)
        sum += x[i];
    return sum;
}

ALWAYS_INLINE void NAME(add_products)(sums_t *sums, words_t x, words_t y, int wide)
{
    const words_t one = (words_t){0} + 1;
    const words_t x0 = wide ? x & 0xFF : x, y0 = wide ? y & 0xFF : y;
#define PRODUCT NAME(multiply_add)
    sums->a[0] += PRODUCT(x0, one);
    sums->b[0] += PRODUCT(y0, one);
    sums->aa[0] += PRODUCT(x0, x0);
    sums->bb[0] += PRODUCT(y0, y0);
    sums->ab[0] += PRODUCT(x0, y0);
    if (wide) {
        const words_t x1 = x >> 8, y1 = y >> 8;
        sums->a[1] += PRODUCT(x1, one);
        sums->b[1] += PRODUCT(y1, one);
        sums->aa[1] += PRODUCT(x0, x1) * 2;
        sums->bb[1] += PRODUCT(y0, y1) * 2;
        sums->ab[1] += PRODUCT(x0, y1) + PRODUCT(x1, y0);
        sums->aa[2] += PRODUCT(x1, x1);
        sums->bb[2] += PRODUCT(y1, y1);
        sums->ab[2] += PRODUCT(x1, y1);
    }
#undef PRODUCT
}

/* Combines the partial sums. `result` receives the sums of a, b, a * a, b * b and a * b. */
ALWAYS_INLINE void NAME(put_together)(const sums_t *sums, uint64_t result[5])
{
    result[0] = NAME(sum_of_ints)(sums->a[0]) + 256 * NAME(sum_of_ints)(sums->a[1]);
    result[1] = NAME(sum_of_ints)(sums->b[0]) + 256 * NAME(sum_of_ints)(sums->b[1]);
    const ints_t *const products[3] = {sums->aa, sums->bb, sums->ab};
    for (int i = 0; i < 3; i++)
        result[2 + i] = NAME(sum_of_ints)(products[i][0]) + 256 * NAME(sum_of_ints)(products[i][1])
                      + 65536 * NAME(sum_of_ints)(products[i][2]);
}

/* `count` must be a multiple of VECTOR_BYTES, and at most BLOCK. */
static void NAME(sums_of_bytes)(const uint8_t *a, const uint8_t *b, ptrdiff_t count, uint64_t result[5])
{
    sums_t sums;
    memset(&sums, 0, sizeof sums);
    for (ptrdiff_t i = 0; i < count; i += VECTOR_BYTES) {
        words_t x, y;
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        NAME(add_products)(&sums, x & 0xFF, y & 0xFF, 0);
        NAME(add_products)(&sums, x >> 8, y >> 8, 0);
    }
    NAME(put_together)(&sums, result);
}

static void NAME(sums_of_words)(const uint16_t *a, const uint16_t *b, ptrdiff_t count, uint64_t result[5])
{
    sums_t sums;
    memset(&sums, 0, sizeof sums);
    for (ptrdiff_t i = 0; i < count; i += VECTOR_BYTES / 2) {
        words_t x, y;
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        NAME(add_products)(&sums, x, y, 1);
    }
    NAME(put_together)(&sums, result);
}
#undef sums_t
