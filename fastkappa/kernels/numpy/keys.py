"""Few labels in NumPy: several pairs are one key, so that one count does for all of them.

`numpy.bincount` takes the same time for every key, however much the key says. With c cells
in the table a pair is a digit below c, and as many digits as fit make a key:

    labels 0..5, 36 cells:  pairs (1, 2)  (0, 5)  (5, 5)  are the digits  8  5  35
    key = (8 * 36 + 5) * 36 + 35 = 10583, one of 36**3 = 46656

The keys' counts, an array of shape (36, 36, 36), are summed over two axes for the cells of
one digit, and so for each. Which pairs share a key does not matter: they come from the
parts of a chunk. Two digits need no arithmetic: the bytes of two neighbours are read as
one number, as if there were 256 cells.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, IntTable

# Pairs that are counted at once, and bytes of ratings that are read at once: they and what
# is made of them stay in the second-level cache.
CHUNK = 1 << 18
PIECE = 1 << 18
# A pair's digit has 8 bits, a key has 16.
MOST_CELLS = 1 << 8
MOST_KEYS = 1 << 16
# Fewer pairs are counted faster as they are.
LEAST_PAIRS = 1 << 14


class Keys:
    """Counts of keys of ``n_digits`` pairs each, for ``n_pairs`` pairs or more."""

    def __init__(self, n_rows: int, n_columns: int, n_digits: int, n_pairs: int) -> None:
        self.n_rows, self.n_columns, self.n_digits = n_rows, n_columns, n_digits
        self.n_cells = n_rows * n_columns
        # Digits are below `n_cells`, and numbers are made of them to this base.
        self.base = 256 if n_digits == 2 else self.n_cells
        self.counts = np.zeros(self.n_cells * self.base ** (n_digits - 1), np.int64)
        length = min(n_pairs, CHUNK)
        self.digits, self.bytes = np.empty(length, np.uint8), np.empty(PIECE, np.uint8)
        self.keys = np.empty(length // n_digits, np.uint16)
        self.wide_keys = np.empty(length // n_digits, np.intp)

    def chunk_length(self, n_pairs: int) -> int:
        """Return how many of the pairs to add next; the last few are too few for a key."""
        length = min(n_pairs, CHUNK)
        return length - length % self.n_digits or length

    def add(self, first: AnyArray, lowest_first: int, second: AnyArray, lowest_second: int) -> bool:
        """Count a chunk; leave it if it is too short or a rating is no label."""
        n_pairs = len(first)
        if n_pairs % self.n_digits:
            return False
        digits = self.digits[:n_pairs]
        length = PIECE // max(first.dtype.itemsize, second.dtype.itemsize)
        for begin in range(0, n_pairs, length):
            piece = slice(begin, begin + length)
            # Ratings are read up to three times, so those with gaps are copied.
            a, b = np.ascontiguousarray(first[piece]), np.ascontiguousarray(second[piece])
            if not _are_codes(a, lowest_first, self.n_rows):
                return False
            if not _are_codes(b, lowest_second, self.n_columns):
                return False
            rows = digits[piece]
            np.multiply(self._as_bytes(a), np.uint8(self.n_columns % 256), out=rows)
            rows += self._as_bytes(b)
        # Bytes are modulo 256, so the cell of the lowest labels may be subtracted last.
        digits -= np.uint8((lowest_first * self.n_columns + lowest_second) % 256)
        # Ratings that another thread changes may be none by now.
        if digits.max() >= self.n_cells:
            return False
        wide_keys = self.wide_keys[: n_pairs // self.n_digits]
        wide_keys[:] = digits.view(np.uint16) if self.n_digits == 2 else self._keys(digits)
        self.counts += np.bincount(wide_keys, minlength=len(self.counts))
        return True

    def table(self) -> IntTable:
        """Return the table of all pairs counted."""
        cells = np.zeros(self.n_cells, np.int64)
        counts = self.counts
        for _ in range(self.n_digits):
            by_digit = counts.reshape(-1, len(counts) // self.n_cells)
            cells += by_digit.sum(axis=1)
            # What is beyond the cells never occurs.
            counts = by_digit.sum(axis=0)[: self.n_cells ** (self.n_digits - 1)]
        return cells.reshape(self.n_rows, self.n_columns)

    def _keys(self, digits: NDArray[np.uint8]) -> NDArray[np.uint16]:
        """Return the keys whose digits are those of the parts of a chunk."""
        parts = digits.reshape(self.n_digits, -1)
        keys = self.keys[: parts.shape[1]]
        keys[:] = parts[0]
        for part in parts[1:]:
            keys *= np.uint16(self.n_cells)
            keys += part
        return keys

    def _as_bytes(self, ratings: AnyArray) -> NDArray[np.uint8]:
        """Return ratings modulo 256."""
        if ratings.dtype.itemsize == 1:
            return ratings.view(np.uint8)
        cut = self.bytes[: len(ratings)]
        cut[:] = ratings.astype(np.int64) if ratings.dtype.kind == "f" else ratings
        return cut


def digits_a_key(n_rows: int, n_columns: int, n_pairs: int) -> int:
    """Return how many pairs to make a key of, or 0 if they are not worth it."""
    n_cells = n_rows * n_columns
    if not 1 < n_cells <= MOST_CELLS or n_pairs < LEAST_PAIRS:
        return 0
    n_digits = 1
    # A table of counts that is not much smaller than the number of pairs is not worth it.
    while n_cells ** (n_digits + 1) <= min(MOST_KEYS, n_pairs // 16):
        n_digits += 1
    return n_digits


def _are_codes(ratings: AnyArray, lowest: int, n_codes: int) -> bool:
    if lowest == 0 and n_codes <= 128 and ratings.dtype.kind in "iu":
        # Read as unsigned, negative ratings are large.
        return bool(ratings.view(ratings.dtype.str.replace("i", "u")).max() < n_codes)
    # As Python numbers: all comparisons are exact, and those with NaN are false.
    return bool(lowest <= ratings.min().item() and ratings.max().item() < lowest + n_codes)
