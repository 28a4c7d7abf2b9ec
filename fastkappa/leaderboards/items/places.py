"""Where each of some words stands in a column of them: a hash table, or a range of numbers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from fastkappa.counting.lines import empty_word_table
from fastkappa.kernels.contract import WordTable
from fastkappa.kernels.dispatch import get_kernels, word_kernels
from fastkappa.leaderboards.items.ids import CHUNK, FIRST

# A range of numbers with no more than so many gaps a number is a table of its own.
WIDEST_RANGE = 4

Words = NDArray[np.uint64]


class Places:
    """The places of n words of 64 k bits.

    Attributes
    ----------
    repeated : list of int
        Positions of words that stand at a position before it, too.
    """

    def __init__(self, words: Words) -> None:
        self._words = words
        self._kernels = word_kernels(get_kernels())
        self._range = _range_of(words)
        self._table: WordTable | None = None
        if self._range is None:
            first = self._fill_table()
        else:
            lowest, positions = self._range
            slots = words[:, 0] - lowest
            positions[slots[::-1]] = np.arange(len(words))[::-1]
            first = positions[slots].astype(np.int64)
        self.repeated: list[int] = (
            [] if are_in_order(first) else np.flatnonzero(first != np.arange(len(words))).tolist()
        )

    @property
    def table(self) -> WordTable:
        """The hash table of the words; for a range of numbers it is made when it is asked for."""
        if self._table is None:
            self._fill_table()
        assert self._table is not None
        return self._table

    def _fill_table(self) -> NDArray[np.int64]:
        """Put the words into a hash table, and return the first place of each."""
        table, first = empty_word_table(self._words), np.empty(len(self._words), np.int64)
        self._kernels.put_words(table, first)
        self._table = table
        return first

    def find(self, n: int, parts: Iterable[Words]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the place of each of n words, -1 for those that are not there, and those taken.

        They come a part at a time, so that what is made of it stays in the cache, and may have
        another width than those of the places: what is missing is 0.
        """
        found, are_taken = np.empty(n, np.int64), np.zeros(len(self._words), np.bool_)
        start = 0
        for part in parts:
            here = found[start : start + len(part)]
            words, too_long = self._of_own_width(part)
            if self._range is None:
                self._kernels.find_words(self.table, words, here)
            else:
                lowest, positions = self._range
                # What is below the range is far above it as an unsigned number.
                slots = np.minimum(words[:, 0] - lowest, np.uint64(len(positions) - 1))
                here[:] = positions.take(slots.view(np.int64), mode="clip")
            if too_long is not None:
                here[too_long] = -1
            self._kernels.put_values(np.ones(len(part), np.bool_), here, are_taken)
            start += len(part)
        return found, are_taken

    def _of_own_width(self, words: Words) -> tuple[Words, NDArray[np.bool_] | None]:
        """Return words as wide as those of the places, and which of them are too long for it."""
        k = self._words.shape[1]
        n_more = words.shape[1] - k
        if n_more > 0:
            too_long: NDArray[np.bool_] = words[:, k:].max(axis=1) > 0
            return np.ascontiguousarray(words[:, :k]), too_long
        return (np.pad(words, ((0, 0), (0, -n_more))) if n_more else words), None


def are_in_order(places: NDArray[np.int64]) -> bool:
    """Return whether places are 0, 1, 2 and so on."""
    start, n = 0, FIRST
    while start < len(places):
        some = places[start : start + n]
        if not np.array_equal(some, np.arange(start, start + len(some))):
            return False
        start, n = start + n, CHUNK
    return True


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
