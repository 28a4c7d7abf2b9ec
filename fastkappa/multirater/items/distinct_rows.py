"""Distinct rows of small numbers, with the number of times that each occurs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, IntTable

# Numbers packed into one word stay below this.
WORD = 1 << 63
# Rows are packed a block at a time.
BLOCK = 1 << 18


class DistinctRows:
    """Rows of whole numbers below ``base``, collected block by block.

    Rows are packed into words of as many numbers as fit in 63 bits, to be sorted as such.
    What is waiting to be merged is at most as long as what has been.
    """

    def __init__(self, n_columns: int, base: int) -> None:
        self._n_columns, self._base = n_columns, base
        self._a_word = 1
        while self._a_word < n_columns and base ** (self._a_word + 1) < WORD:
            self._a_word += 1
        n_words = -(-n_columns // self._a_word)
        self._words = np.empty((n_words, 0), np.int64)
        self._multiplicities = np.empty(0, np.int64)
        self._waiting: list[tuple[AnyArray, AnyArray]] = []
        self._n_waiting = 0

    def add(self, rows: AnyArray, multiplicities: AnyArray | None = None) -> None:
        """Add rows, of shape (n, n_columns), once each or so many times."""
        words = np.zeros((len(self._words), len(rows)), np.int64)
        for i in range(self._n_columns):
            word = words[i // self._a_word]
            word *= self._base
            word += rows[:, i]
        if multiplicities is None:
            multiplicities = np.ones(len(rows), np.int64)
        distinct = _merged(words, multiplicities)
        self._waiting.append(distinct)
        self._n_waiting += len(distinct[1])
        if self._n_waiting > len(self._multiplicities) + BLOCK:
            self._merge()

    def take_over(self, other: DistinctRows) -> None:
        """Add what another one has collected."""
        other._merge()
        self._waiting.append((other._words, other._multiplicities))

    def rows(self) -> tuple[AnyArray, IntTable]:
        """Return the distinct rows, sorted, and how often each occurs."""
        self._merge()
        rows = np.empty((len(self._multiplicities), self._n_columns), _type(self._base))
        words = self._words.copy()
        for i in reversed(range(self._n_columns)):
            word = words[i // self._a_word]
            rows[:, i] = word % self._base
            word //= self._base
        return rows, self._multiplicities

    def _merge(self) -> None:
        waiting = [(self._words, self._multiplicities), *self._waiting]
        words = np.concatenate([words for words, _ in waiting], axis=1)
        multiplicities = np.concatenate([multiplicities for _, multiplicities in waiting])
        self._words, self._multiplicities = _merged(words, multiplicities)
        self._waiting, self._n_waiting = [], 0


def distinct_rows(rows: AnyArray) -> tuple[AnyArray, IntTable]:
    """Return the distinct rows of an array of whole numbers of 0 or more, and how often."""
    distinct = DistinctRows(rows.shape[1], int(rows.max(initial=0)) + 1)
    for start in range(0, len(rows), BLOCK):
        distinct.add(rows[start : start + BLOCK])
    return distinct.rows()


def _merged(words: AnyArray, multiplicities: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return the distinct columns of words, sorted, and the sums of their multiplicities."""
    if not len(multiplicities):
        return words, multiplicities
    order = np.lexsort(words[::-1]) if len(words) > 1 else np.argsort(words[0])
    words = words[:, order]
    first: NDArray[np.bool_] = np.ones(words.shape[1], bool)
    first[1:] = (words[:, 1:] != words[:, :-1]).any(axis=0)
    starts = np.flatnonzero(first)
    return words[:, starts], np.add.reduceat(multiplicities[order], starts)


def _type(base: int) -> np.dtype[np.unsignedinteger]:
    return np.min_scalar_type(base - 1)
