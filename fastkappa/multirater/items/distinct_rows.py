"""Find the distinct rows of an array of whole numbers, and count how often each row occurs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, IntTable

# The numbers of a row are packed into words. Each word is a whole number below this limit.
WORD = 1 << 63
# The number of rows packed at a time.
BLOCK = 1 << 18


class DistinctRows:
    """A collection of distinct rows of whole numbers below ``base``, filled block by block.

    Each row is packed into 63-bit words, with as many numbers per word as possible. The words are
    sorted. New rows are merged in batches that grow with the number of rows already merged.

    Parameters
    ----------
    n_columns : int
        The length of a row.
    base : int
        All numbers are from 0 to ``base - 1``.
    """

    def __init__(self, n_columns: int, base: int) -> None:
        self._n_columns, self._base = n_columns, base
        self._per_word = _per_word(n_columns, base)
        n_words = -(-n_columns // self._per_word)
        self._words = np.empty((n_words, 0), np.int64)
        self._multiplicities = np.empty(0, np.int64)
        self._waiting: list[tuple[AnyArray, AnyArray]] = []
        self._n_waiting = 0

    def add(self, rows: AnyArray, multiplicities: AnyArray | None = None) -> None:
        """Add rows of shape (n, n_columns). Without ``multiplicities``, each row counts once."""
        words = _packed(rows, self._base, self._per_word)
        if multiplicities is None:
            multiplicities = np.ones(len(rows), np.int64)
        distinct = _merged(words, multiplicities)
        self._waiting.append(distinct)
        self._n_waiting += len(distinct[1])
        if self._n_waiting > len(self._multiplicities) + BLOCK:
            self._merge_waiting()

    def merge(self, other: DistinctRows) -> None:
        """Add the rows of another collection."""
        other._merge_waiting()
        self._waiting.append((other._words, other._multiplicities))

    def rows(self) -> tuple[AnyArray, IntTable]:
        """Return the distinct rows in sorted order, and how often each occurs."""
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


class RowFinder:
    """A search index that finds the position of a row among distinct rows.

    Parameters
    ----------
    rows : ndarray of int of shape (P, n_columns)
        Distinct rows of numbers from 0 to ``base - 1``, in any order.
    base : int

    Examples
    --------
    >>> import numpy as np
    >>> from fastkappa.multirater.items.distinct_rows import RowFinder
    >>> finder = RowFinder(np.array([[2, 0], [1, 1]]), 3)
    >>> finder.places(np.array([[1, 1], [2, 0], [2, 2]]))
    array([ 1,  0, -1])
    """

    def __init__(self, rows: AnyArray, base: int) -> None:
        self._base = base
        keys = _keys(rows, base)
        self._places = np.argsort(keys)
        self._keys = keys[self._places]

    def places(self, rows: AnyArray) -> IntTable:
        """Return the index of each row among the distinct rows, or -1 for unknown rows."""
        keys = _keys(rows, self._base)
        found = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[found] == keys, self._places[found], -1)


def distinct_rows(rows: AnyArray) -> tuple[AnyArray, IntTable]:
    """Return the distinct rows of an array of non-negative numbers, and how often each occurs."""
    distinct = DistinctRows(rows.shape[1], int(rows.max(initial=0)) + 1)
    for start in range(0, len(rows), BLOCK):
        distinct.add(rows[start : start + BLOCK])
    return distinct.rows()


def _per_word(n_columns: int, base: int) -> int:
    """Return how many numbers fit into one word."""
    found = 1
    while found < n_columns and base ** (found + 1) < WORD:
        found += 1
    return found


def _packed(rows: AnyArray, base: int, per_word: int) -> AnyArray:
    """Pack rows into an array of words of shape (n_words, n)."""
    n_columns = rows.shape[1]
    words = np.zeros((-(-n_columns // per_word), len(rows)), np.int64)
    for i in range(n_columns):
        word = words[i // per_word]
        word *= base
        word += rows[:, i]
    return words


def _keys(rows: AnyArray, base: int) -> AnyArray:
    """Return one key per row: a number, or a byte string if a row has several words."""
    words = _packed(rows, base, _per_word(rows.shape[1], base))
    if len(words) == 1:
        return np.asarray(words[0])
    return np.ascontiguousarray(words.T.astype(">i8")).view(f"S{8 * len(words)}")[:, 0]


def _merged(words: AnyArray, multiplicities: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return the distinct columns of words in sorted order, and their total multiplicities."""
    if not len(multiplicities):
        return words, multiplicities
    order = np.lexsort(words[::-1]) if len(words) > 1 else np.argsort(words[0])
    words = words[:, order]
    first: NDArray[np.bool_] = np.ones(words.shape[1], bool)
    first[1:] = (words[:, 1:] != words[:, :-1]).any(axis=0)
    starts = np.flatnonzero(first)
    return words[:, starts], np.add.reduceat(multiplicities[order], starts)
