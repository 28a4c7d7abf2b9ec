"""Distinct rows of whole numbers, and how often each occurs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, IntTable

# The numbers packed into one word, as digits, stay below this.
WORD = 1 << 63
# Rows that are packed at a time.
BLOCK = 1 << 18


class DistinctRows:
    """Rows of whole numbers below ``base``, collected in blocks.

    Each row is packed into 63-bit words, as many numbers to a word as fit; the words are
    what is sorted. The rows that wait to be merged are never many more than the merged ones.

    Parameters
    ----------
    n_columns : int
        The length of a row.
    base : int
        Every number is from 0 to ``base - 1``.
    block : int, default=BLOCK
        Rows that may wait beyond the number of merged ones.
    """

    def __init__(self, n_columns: int, base: int, block: int = BLOCK) -> None:
        self._n_columns, self._base, self._block = n_columns, base, block
        self._per_word = 1
        while self._per_word < n_columns and base ** (self._per_word + 1) < WORD:
            self._per_word += 1
        n_words = -(-n_columns // self._per_word)
        self._words = np.empty((n_words, 0), np.int64)
        self._multiplicities = np.empty(0, np.int64)
        self._waiting: list[tuple[AnyArray, AnyArray]] = []
        self._n_waiting = 0

    def add(self, rows: AnyArray, multiplicities: AnyArray | None = None) -> None:
        """Add rows, of shape (n, n_columns), once each or as often as ``multiplicities`` say."""
        words = np.zeros((len(self._words), len(rows)), np.int64)
        for i in range(self._n_columns):
            word = words[i // self._per_word]
            word *= self._base
            word += rows[:, i]
        if multiplicities is None:
            multiplicities = np.ones(len(rows), np.int64)
        distinct = _merged(words, multiplicities)
        self._waiting.append(distinct)
        self._n_waiting += len(distinct[1])
        if self._n_waiting > len(self._multiplicities) + self._block:
            self._merge_waiting()

    def merge(self, other: DistinctRows) -> None:
        """Add the rows of another collection."""
        other._merge_waiting()
        self._waiting.append((other._words, other._multiplicities))

    def rows(self) -> tuple[AnyArray, IntTable]:
        """Return the distinct rows, sorted, and how often each occurs."""
        self._merge_waiting()
        rows = np.empty(
            (len(self._multiplicities), self._n_columns), np.min_scalar_type(self._base - 1)
        )
        words = self._words.copy()
        for i in reversed(range(self._n_columns)):
            word = words[i // self._per_word]
            rows[:, i] = word % self._base
            word //= self._base
        return rows, self._multiplicities

    def _merge_waiting(self) -> None:
        waiting = [(self._words, self._multiplicities), *self._waiting]
        words = np.concatenate([words for words, _ in waiting], axis=1)
        multiplicities = np.concatenate([multiplicities for _, multiplicities in waiting])
        self._words, self._multiplicities = _merged(words, multiplicities)
        self._waiting, self._n_waiting = [], 0


def distinct_rows(rows: AnyArray, block: int = BLOCK) -> tuple[AnyArray, IntTable]:
    """Return the distinct rows of an array of numbers from 0 on, and how often each occurs."""
    distinct = DistinctRows(rows.shape[1], int(rows.max(initial=0)) + 1, block)
    for start in range(0, len(rows), block):
        distinct.add(rows[start : start + block])
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
