"""Create inputs for kernel tests: ratings in every layout, guarded tables, and slow counts."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
RATING_TYPES = (*INTEGERS, "float32", "float64")
GUARD = 64
SENTINEL = -6_148_914_691_236_517_206  # 0xAAAA...


class ScoredArrays(NamedTuple):
    """Items with scores, as the score kernels read and write them."""

    scores: Any
    codes: Any
    lowest: int = 0
    n_labels: int = 3
    weights: Any = None


def room_for(n: int, weighted: bool = True, dtype: Any = np.float64) -> ScoredArrays:
    """Return uninitialized arrays for n items, which a kernel can fill."""
    weights = np.empty(n) if weighted else None
    return ScoredArrays(np.empty(n, dtype), np.empty(n, np.uint16), weights=weights)


class GuardedTable:
    """A table inside a larger buffer. The rest of the buffer must not change."""

    def __init__(self, shape: tuple[int, int], dtype: Any = np.int64, seed: int = 0) -> None:
        self.buffer = np.full(shape[0] * shape[1] + 2 * GUARD, SENTINEL, np.int64).view(dtype)
        self.table = self.buffer[GUARD:-GUARD].reshape(shape)
        # Kernels add to a table, so the table starts with random values that they must keep.
        self.before = np.random.default_rng(seed).integers(0, 1000, shape).astype(dtype)
        self.table[:] = self.before

    def added(self) -> Any:
        guards = np.concatenate([self.buffer[:GUARD], self.buffer[-GUARD:]]).view(np.int64)
        assert (guards == SENTINEL).all(), "a kernel wrote out of bounds"
        return self.table - self.before


def code_of(rating: float, lowest: int, n_codes: int) -> int:
    code = int(rating) - lowest
    return code if 0 <= code < n_codes else n_codes


def codes_of(ratings: Any, lowest: int, n_codes: int, start: int, stop: int) -> list[int]:
    return [code_of(rating, lowest, n_codes) for rating in ratings[start:stop].tolist()]


def cells_of(
    first: Any, second: Any, lowest: tuple[int, int], shape: Any, part: tuple[int, int]
) -> list[tuple[int, int]]:
    return list(
        zip(
            codes_of(first, lowest[0], shape[0] - 1, *part),
            codes_of(second, lowest[1], shape[1] - 1, *part),
            strict=True,
        )
    )


def slow_count_pairs(
    first: Any, second: Any, lowest: tuple[int, int], shape: Any, part: tuple[int, int]
) -> Any:
    table, items = np.zeros(shape, np.int64), slice(*part)
    pairs = Counter(zip(first[items].tolist(), second[items].tolist(), strict=True))
    for (a, b), count in pairs.items():
        row = code_of(a, lowest[0], shape[0] - 1)
        table[row, code_of(b, lowest[1], shape[1] - 1)] += count
    return table


def ratings(dtype: str, n: int, seed: int, low: int = 0, high: int = 7) -> Any:
    """Return random ratings. The codes 5 and 6 do not fit in a table of five labels."""
    return np.random.default_rng(seed).integers(low, high, n).astype(dtype)


def spaced(values: Any, step: int) -> Any:
    """Return a strided view of the values, ``step`` items apart, with other values in between."""
    wide = np.full(len(values) * abs(step) + 1, 3, values.dtype)
    view = wide[:: abs(step)][: len(values)] if step > 0 else wide[::step][: len(values)]
    view[:] = values
    return view


def unaligned(values: Any) -> Any:
    return np.frombuffer(b"\0" + values.tobytes(), values.dtype, offset=1)


def read_only(values: Any) -> Any:
    view = values.copy()
    view.flags.writeable = False
    return view


def field(values: Any) -> Any:
    """Return a field of packed records, unaligned unless its items are single bytes."""
    records = np.zeros(len(values), [("pad", "i1"), ("rating", values.dtype), ("end", "i2")])
    records["rating"] = values
    return records["rating"]


def in_columns(values: Any) -> Any:
    matrix = np.full((len(values), 3), 2, values.dtype)
    matrix[:, 1] = values
    return matrix[:, 1]


LAYOUTS = {
    "contiguous": lambda values: values,
    "step 2": lambda values: spaced(values, 2),
    "step 3": lambda values: spaced(values, 3),
    "reversed": lambda values: spaced(values, -1),
    "step -2": lambda values: spaced(values, -2),
    "swapped": lambda values: values.astype(values.dtype.newbyteorder("S")),
    "swapped, step 2": lambda values: spaced(values.astype(values.dtype.newbyteorder("S")), 2),
    "read-only": read_only,
    "unaligned": unaligned,
    "field": field,
    "column of a matrix": in_columns,
}


LOWEST = {
    "far": (10**15, "int64"),
    "below zero": (-3, "int64"),
    "below zero, int8": (-3, "int8"),
    "least int8": (-128, "int8"),
    "greatest int8": (123, "int8"),
    "least int16": (-(2**15), "int16"),
    "least int32": (-(2**31), "int32"),
    "greatest int32": (2**31 - 5, "int32"),
    "least int64": (-(2**63), "int64"),
    "greatest int64": (2**63 - 5, "int64"),
    "greatest uint8": (251, "uint8"),
    "greatest uint32": (2**32 - 5, "uint32"),
    "above int64": (2**63 - 2, "uint64"),
    "greatest uint64": (2**64 - 5, "uint64"),
    "below zero, float32": (-3, "float32"),
    "far, float32": (2**23, "float32"),
    "far, float64": (10**15, "float64"),
    "least float64": (-(2**53), "float64"),
}
