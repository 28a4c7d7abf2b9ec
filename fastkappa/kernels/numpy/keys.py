"""Count pairs of few labels in NumPy by combining several pairs into one key.

`numpy.bincount` takes the same time per key, regardless of how many pairs a key combines. In a
table of c cells, the cell number of a pair is a digit below c. A key has as many digits as fit:

    labels 0..5, 36 cells:  pairs (1, 2)  (0, 5)  (5, 5)  are the digits  8  5  35
    key = (8 * 36 + 5) * 36 + 35 = 10583, one of 36**3 = 46656 possible keys

The counts of the keys form an array of shape (36, 36, 36). Summing this array over two axes gives
the counts of the cells for the third digit. A key can combine any pairs, so its digits are taken
from different parts of a chunk. Combining two digits needs no arithmetic, because two adjacent
bytes can be read as one 16-bit number. The base is then 256 instead of c.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, IntTable

# The number of pairs counted at a time. The temporary arrays stay in the L2 cache.
CHUNK = 1 << 18
# The number of bytes of a column read at a time. These bytes stay in the L2 cache.
PIECE = 1 << 18
# The largest number of table cells. A digit is the index of a cell, and must fit in 8 bits.
MOST_CELLS = 1 << 8
# The largest number of different keys: a key must fit in 16 bits.
MOST_KEYS = 1 << 16
# With fewer pairs than this, counting pairs one by one is faster than counting keys.
LEAST_PAIRS = 1 << 14


class Keys:
    """Count pairs by counting keys that each combine ``n_digits`` pairs."""

    def __init__(self, n_rows: int, n_columns: int, n_digits: int, n_pairs: int) -> None:
        self.n_rows, self.n_columns, self.n_digits = n_rows, n_columns, n_digits
        self.n_cells = n_rows * n_columns
        # Keys are written in this base. All their digits are below `n_cells`.
        self.base = 256 if n_digits == 2 else self.n_cells
        self.counts = np.zeros(self.n_cells * self.base ** (n_digits - 1), np.int64)
        length = min(n_pairs, CHUNK)
        self.digits, self.bytes = np.empty(length, np.uint8), np.empty(PIECE, np.uint8)
        self.keys = np.empty(length // n_digits, np.uint16)
        self.wide_keys = np.empty(length // n_digits, np.intp)

    def chunk_length(self, n_pairs: int) -> int:
        """Return how many pairs to add next. At the end, too few pairs can remain to fill a key."""
        length = min(n_pairs, CHUNK)
        return length - length % self.n_digits or length

    def add(self, first: AnyArray, lowest_first: int, second: AnyArray, lowest_second: int) -> bool:
        """Count a chunk, or return False if a key is incomplete or a rating is not a label."""
        n_pairs = len(first)
        if n_pairs % self.n_digits:
            return False
        digits = self.digits[:n_pairs]
        length = PIECE // max(first.dtype.itemsize, second.dtype.itemsize)
        for begin in range(0, n_pairs, length):
            piece = slice(begin, begin + length)
            # Strided ratings are copied, because ratings are read up to three times.
            a, b = np.ascontiguousarray(first[piece]), np.ascontiguousarray(second[piece])
            if not _are_codes(a, lowest_first, self.n_rows):
                return False
            if not _are_codes(b, lowest_second, self.n_columns):
                return False
            rows = digits[piece]
            np.multiply(self._as_bytes(a), np.uint8(self.n_columns % 256), out=rows)
            rows += self._as_bytes(b)
        # Bytes wrap around modulo 256, so the cell number of the lowest labels can be subtracted at
        # the end.
        digits -= np.uint8((lowest_first * self.n_columns + lowest_second) % 256)
        # Another thread could have changed the ratings to values that are not labels.
        if digits.max() >= self.n_cells:
            return False
        wide_keys = self.wide_keys[: n_pairs // self.n_digits]
        wide_keys[:] = digits.view(np.uint16) if self.n_digits == 2 else self._keys(digits)
        self.counts += np.bincount(wide_keys, minlength=len(self.counts))
        return True

    def table(self) -> IntTable:
        """Return the table of all counted pairs."""
        cells = np.zeros(self.n_cells, np.int64)
        counts = self.counts
        for _ in range(self.n_digits):
            by_digit = counts.reshape(-1, len(counts) // self.n_cells)
            cells += by_digit.sum(axis=1)
            # All digits are below `n_cells`, so all dropped entries are 0.
            counts = by_digit.sum(axis=0)[: self.n_cells ** (self.n_digits - 1)]
        return cells.reshape(self.n_rows, self.n_columns)

    def _keys(self, digits: NDArray[np.uint8]) -> NDArray[np.uint16]:
        """Return keys, each composed of one digit from each part of a chunk."""
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
    """Return how many pairs to combine into a key, or 0 if keys are not worthwhile."""
    n_cells = n_rows * n_columns
    if not 1 < n_cells <= MOST_CELLS or n_pairs < LEAST_PAIRS:
        return 0
    n_digits = 1
    # Another digit is worthwhile only if there are many more pairs than possible keys.
    while n_cells ** (n_digits + 1) <= min(MOST_KEYS, n_pairs // 16):
        n_digits += 1
    return n_digits


def _are_codes(ratings: AnyArray, lowest: int, n_codes: int) -> bool:
    if lowest == 0 and n_codes <= 128 and ratings.dtype.kind in "iu":
        # Negative ratings become large numbers when viewed as unsigned integers, so one comparison
        # is enough.
        return bool(ratings.view(ratings.dtype.str.replace("i", "u")).max() < n_codes)
    # Comparisons of Python numbers are exact, and comparisons with NaN are false.
    return bool(lowest <= ratings.min().item() and ratings.max().item() < lowest + n_codes)
