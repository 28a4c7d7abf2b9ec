/* find_words, put_words: the places of ids in a table, each id being some words of 64 bits.

   The words of an id, each times an odd number, are added up; the upper bits of the sum, mixed, name a slot. In the lower of
   its 32 bits, one fewer than name a slot, the slot has 1 + the place of the id that is there, and in the upper ones those of
   the mixed sum's lower 32; it is 0 if it is empty. An id whose slot was taken is in the next free one, the first after the
   last. More than half of the slots are free, so that most ids are in their own. Slots and words lie all over the
   memory, so those of several ids are fetched at a time; the words of hardly any but the right place are. */
#ifndef FASTKAPPA_FIND_WORDS_H
#define FASTKAPPA_FIND_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include "../common/simd_level.h"

/* Enough to keep memory busy: 64 took half as long again with a million ids (Zen 5), no less with some thousands. */
#define WORDS_AT_ONCE 256

typedef struct {
    const uint64_t *words; /* of the places, n_words each */
    ptrdiff_t n_words;
    const uint64_t *multipliers; /* one for each word, and one for the sum */
    uint32_t *slots;             /* 2**(64 - shift) of them */
    int shift;
} places_t;

ALWAYS_INLINE uint64_t mixed_words(const places_t *places, const uint64_t *words, ptrdiff_t n_words)
{
    uint64_t sum = 0;
    for (ptrdiff_t j = 0; j < n_words; j++) sum += words[j] * places->multipliers[j];
    return (sum ^ sum >> 32) * places->multipliers[n_words];
}

/* The bits of a slot that are for a place. */
ALWAYS_INLINE uint32_t bits_of_place(const places_t *places)
{
    return (uint32_t)(~(uint64_t)0 >> places->shift >> 1);
}

/* Goes on from a slot to the first that is empty or has the bits of a mixed sum, and returns its place, -1 if it is empty. */
ALWAYS_INLINE int64_t next_place(const places_t *places, uint64_t mixed, uint64_t *slot)
{
    const uint64_t last_slot = ~(uint64_t)0 >> places->shift;
    const uint32_t bits = bits_of_place(places);
    while (places->slots[*slot] && (places->slots[*slot] ^ (uint32_t)mixed) > bits) *slot = (*slot + 1) & last_slot;
    return (int64_t)(places->slots[*slot] & bits) - 1;
}

ALWAYS_INLINE int are_words_at(const places_t *places, int64_t place, const uint64_t *words, ptrdiff_t n_words)
{
    const uint64_t *own = places->words + place * n_words;
    for (ptrdiff_t j = 0; j < n_words; j++)
        if (own[j] != words[j]) return 0;
    return 1;
}

/* Goes on from the place of a slot to that of the words, -1 if they are not there. */
ALWAYS_INLINE int64_t place_of_words(const places_t *places, const uint64_t *words, ptrdiff_t n_words, uint64_t mixed,
                                     uint64_t *slot, int64_t place)
{
    const uint64_t last_slot = ~(uint64_t)0 >> places->shift;
    while (place >= 0 && !are_words_at(places, place, words, n_words)) {
        *slot = (*slot + 1) & last_slot;
        place = next_place(places, mixed, slot);
    }
    return place;
}

/* Finds at most WORDS_AT_ONCE ids. */
ALWAYS_INLINE void find_some(const places_t *places, const uint64_t *words, ptrdiff_t n_words, ptrdiff_t count, int64_t *found)
{
    uint64_t mixed[WORDS_AT_ONCE], slot[WORDS_AT_ONCE];
    for (ptrdiff_t i = 0; i < count; i++) {
        mixed[i] = mixed_words(places, words + i * n_words, n_words);
        slot[i] = mixed[i] >> places->shift;
        FETCH(places->slots + slot[i]);
    }
    for (ptrdiff_t i = 0; i < count; i++) {
        found[i] = next_place(places, mixed[i], slot + i);
        if (found[i] >= 0) FETCH(places->words + found[i] * n_words);
    }
    for (ptrdiff_t i = 0; i < count; i++)
        found[i] = place_of_words(places, words + i * n_words, n_words, mixed[i], slot + i, found[i]);
}

/* Writes the place of each of `count` ids, -1 for one that is not there. */
MAYBE_UNUSED static void find_words(const places_t *places, const uint64_t *words, ptrdiff_t count, int64_t *found)
{
    const ptrdiff_t n_words = places->n_words;
    for (ptrdiff_t i = 0; i < count; i += WORDS_AT_ONCE) {
        const ptrdiff_t some = count - i < WORDS_AT_ONCE ? count - i : WORDS_AT_ONCE;
        /* Compilers unroll what they know the number of. */
        if (n_words == 1) find_some(places, words + i, 1, some, found + i);
        else if (n_words == 2) find_some(places, words + i * 2, 2, some, found + i);
        else find_some(places, words + i * n_words, n_words, some, found + i);
    }
}

/* Puts the ids of the places into their slots, which are empty, and writes the first place that each of them has. */
MAYBE_UNUSED static void put_words(const places_t *places, ptrdiff_t count, int64_t *found)
{
    const ptrdiff_t n_words = places->n_words;
    uint64_t mixed[WORDS_AT_ONCE];
    for (ptrdiff_t start = 0; start < count; start += WORDS_AT_ONCE) {
        const ptrdiff_t some = count - start < WORDS_AT_ONCE ? count - start : WORDS_AT_ONCE;
        for (ptrdiff_t i = 0; i < some; i++) {
            mixed[i] = mixed_words(places, places->words + (start + i) * n_words, n_words);
            FETCH(places->slots + (mixed[i] >> places->shift));
        }
        for (ptrdiff_t i = 0; i < some; i++) {
            const ptrdiff_t own = start + i;
            uint64_t slot = mixed[i] >> places->shift;
            const int64_t place = next_place(places, mixed[i], &slot);
            found[own] = place_of_words(places, places->words + own * n_words, n_words, mixed[i], &slot, place);
            if (found[own] >= 0) continue;
            places->slots[slot] = ((uint32_t)mixed[i] & ~bits_of_place(places)) | (uint32_t)(own + 1);
            found[own] = own;
        }
    }
}

#endif
