"""Where each of some words stands in a column of them: a hash table, a column at a time.

What finds its slot taken goes to the next table, which is for those alone. More than half of the
slots are free, so each table leaves a fifth of what the one before it left, or less. NumPy has no
hash table, and sorting takes several times as long.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Ids that nobody chose need some ten tables of a million words.
MOST_TABLES = 64
# A range of numbers with no more than so many gaps a number is a table of its own.
WIDEST_RANGE = 4
# The words of an id are added up, each multiplied by the next odd number of these.
MULTIPLIERS = np.random.default_rng(0).integers(1, 1 << 63, 64, dtype=np.uint64) * 2 + 1

Words = NDArray[np.uint64]


class _Table(NamedTuple):
    """The positions of words by their slot.

    An empty slot has position 0: the word there is not the one that is looked for, or it is found.
    """

    positions: NDArray[np.int32]
    shift: np.uint64
    multiplier: np.uint64

    def slots(self, hashes: Words) -> NDArray[np.int64]:
        slots: NDArray[np.int64] = ((hashes * self.multiplier) >> self.shift).view(np.int64)
        return slots

    def look_up(self, hashes: Words) -> NDArray[np.int64]:
        """Return the position at the slot of each hash."""
        return self.positions.take(self.slots(hashes)).astype(np.int64)


class Places:
    """The places of n words of 64 k bits.

    Attributes
    ----------
    repeated : list of int
        Positions of words that stand at another position, too.
    """

    def __init__(self, words: Words) -> None:
        self._words = words
        self.repeated: list[int] = []
        self._tables: list[_Table] = []
        self._range = _range_of(words)
        if self._range is None:
            self._fill_tables()
        else:
            lowest, positions = self._range
            slots = words[:, 0] - lowest
            positions[slots] = np.arange(len(words))
            self.repeated = np.flatnonzero(positions[slots] != np.arange(len(words))).tolist()

    def find(self, parts: Iterable[Words]) -> NDArray[np.int64]:
        """Return the place of each of the words, -1 for those that are not there.

        They come a part at a time, so that what is made of it stays in the cache, and may have
        another width than those of the places: what is missing is 0.
        """
        places = [np.empty(0, np.int64)]
        left: list[NDArray[np.int64]] = []
        rest: list[Words] = []
        n_words = 0
        for part in parts:
            words, fits = self._of_own_width(part)
            found = self._in_range(words) if self._range else self._in_first_table(words)
            differ = self._differ(found, words) if self._tables else found < 0
            found[differ if fits is None else differ | ~fits] = -1
            places.append(found)
            if self._tables:
                some = np.flatnonzero(differ if fits is None else differ & fits)
                left.append(some + n_words)
                rest.append(words[some])
            n_words += len(words)
        all_places = np.concatenate(places)
        if left:
            self._find_rest(all_places, np.concatenate(left), np.concatenate(rest))
        return all_places

    def _of_own_width(self, words: Words) -> tuple[Words, NDArray[np.bool_] | None]:
        """Return words as wide as those of the places, and which of them fit."""
        n_more = words.shape[1] - self._words.shape[1]
        if n_more > 0:
            k = self._words.shape[1]
            fits: NDArray[np.bool_] = words[:, k:].max(axis=1) == 0
            return np.ascontiguousarray(words[:, :k]), fits
        return (np.pad(words, ((0, 0), (0, -n_more))) if n_more else words), None

    def _in_range(self, words: Words) -> NDArray[np.int64]:
        assert self._range is not None
        lowest, positions = self._range
        # What is below the range is far above it as an unsigned number.
        slots = np.minimum(words[:, 0] - lowest, np.uint64(len(positions) - 1))
        found: NDArray[np.int64] = positions.take(slots.view(np.int64)).astype(np.int64)
        return found

    def _in_first_table(self, words: Words) -> NDArray[np.int64]:
        if not self._tables:
            return np.full(len(words), -1, np.int64)
        return self._tables[0].look_up(_hashes(words))

    def _find_rest(self, places: NDArray[np.int64], left: NDArray[np.int64], words: Words) -> None:
        """Write the places of words that are not in the first table, ``left`` being where."""
        hashes = _hashes(words)
        for table in self._tables[1:]:
            if not len(left):
                return
            found = table.look_up(hashes)
            differ = self._differ(found, words)
            places[left[~differ]] = found[~differ]
            left, words, hashes = left[differ], words[differ], hashes[differ]

    def _differ(self, places: NDArray[np.int64], words: Words) -> NDArray[np.bool_]:
        """Return which words are not those at the places."""
        differ = self._words.take(places, axis=0) != words
        found: NDArray[np.bool_] = differ[:, 0]
        # Column by column: any(axis=1) takes several times as long.
        for j in range(1, differ.shape[1]):
            found = found | differ[:, j]
        return found

    def _fill_tables(self) -> None:
        """Fill the tables, one after the other.

        Raises
        ------
        OverflowError
            If too many words have the same hash: somebody chose them so.
        """
        left = np.arange(len(self._words))
        hashes = _hashes(self._words)
        while len(left):
            if len(self._tables) == MOST_TABLES:
                raise OverflowError("too many words have the same hash")
            n_bits = max(4, len(left).bit_length() + 1)
            table = _Table(
                np.zeros(1 << n_bits, np.int32),
                np.uint64(64 - n_bits),
                MULTIPLIERS[len(self._tables)],
            )
            table.positions[table.slots(hashes)] = left
            self._tables.append(table)
            winners = table.look_up(hashes)
            lost = np.flatnonzero(winners != left)
            alone = self._differ(winners[lost], self._words[left[lost]])
            self.repeated += left[lost[~alone]].tolist()
            left, hashes = left[lost[alone]], hashes[lost[alone]]


def _range_of(words: Words) -> tuple[np.uint64, NDArray[np.int32]] | None:
    """Return the lowest of numbers close together, and an empty table of those up to the highest.

    The last place of the table is for all numbers beyond it.
    """
    if words.shape[1] != 1 or not len(words):
        return None
    numbers = words.view(np.int64)
    lowest, highest = int(numbers.min()), int(numbers.max())
    if highest - lowest > WIDEST_RANGE * len(words) + 64:
        return None
    return np.uint64(lowest % (1 << 64)), np.full(highest - lowest + 2, -1, np.int32)


def _hashes(words: Words) -> Words:
    hashes: Words = words[:, 0] * MULTIPLIERS[0]
    for j in range(1, words.shape[1]):
        hashes += words[:, j] * MULTIPLIERS[j]
    hashes ^= hashes >> np.uint64(32)
    return hashes
