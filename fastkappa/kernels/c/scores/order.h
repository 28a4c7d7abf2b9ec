/* Convert doubles to integers in the same order. */
#ifndef FASTKAPPA_SCORES_ORDER_H
#define FASTKAPPA_SCORES_ORDER_H

#include <stdint.h>
#include <string.h>
#include "../common/simd_level.h"

static const uint64_t SIGN = (uint64_t)1 << 63;

ALWAYS_INLINE uint64_t order_of(double score)
{
    uint64_t bits;
    score += 0.0;                        /* -0.0 becomes 0.0 */
    memcpy(&bits, &score, sizeof bits);
    return bits & SIGN ? ~bits : bits | SIGN;
}

ALWAYS_INLINE double score_of_order(uint64_t order)
{
    const uint64_t bits = order & SIGN ? order & ~SIGN : ~order;
    double score;
    memcpy(&score, &bits, sizeof score);
    return score;
}
#endif
