"""Convert strings to codes by hashing, in order of first occurrence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray

# The number of strings in a chunk, which stay in the cache.
CHUNK = 1 << 14
SLOTS = 1 << 12


def strings_array(strings: list[Any]) -> AnyArray:
    """Convert strings to an array, of objects if a string ends in NUL, which NumPy would strip."""
    return np.array(strings, object if any(string[-1:] == "\0" for string in strings) else None)


class _Codes(dict[Any, int]):
    """A dictionary that assigns the next code to each new key."""

    def __missing__(self, key: Any) -> int:
        code = self[key] = len(self)
        return code

    def of(self, strings: Sequence[Any]) -> NDArray[np.int32]:
        return np.fromiter(map(self.__getitem__, strings), np.int32, len(strings))


def codes_of_objects(strings: AnyArray | Sequence[Any]) -> tuple[NDArray[np.int32], list[Any]]:
    """Return the codes of Python objects, and the object that belongs to each code.

    Raises
    ------
    TypeError
        If an object cannot be hashed.
    """
    known = _Codes()
    codes = np.empty(len(strings), np.int32)
    for start in range(0, len(strings), CHUNK):
        chunk = strings[start : start + CHUNK]
        codes[start : start + CHUNK] = known.of(
            chunk.tolist() if isinstance(chunk, np.ndarray) else chunk
        )
    return codes, list(known)


def codes_of_fixed_width(strings: AnyArray) -> tuple[NDArray[np.int32], list[str]]:
    """Return the codes of a NumPy array of strings, and the string that belongs to each code.

    A hash, the sum of a string's characters times odd numbers, selects a slot. The slot contains
    the code of an earlier string, and one comparison shows whether both strings are equal. Only
    unequal strings are looked up in a Python dictionary.
    """
    width = strings.dtype.itemsize // 4
    native = strings.dtype.newbyteorder("=")
    multipliers = np.random.default_rng(0).integers(1, 1 << 63, width, dtype=np.uint64) | 1
    known = _Codes()
    slots = np.zeros(SLOTS, np.int32)
    seen = np.zeros(1, native)
    codes = np.empty(len(strings), np.int32)
    for start in range(0, len(strings), CHUNK):
        chunk = np.ascontiguousarray(strings[start : start + CHUNK], native)
        characters = chunk.view(np.uint32).reshape(len(chunk), width)
        # Only the upper bits of the sum depend on every character.
        slot = ((characters @ multipliers) >> np.uint64(64 - 12)).astype(np.intp)
        guess = slots[slot]
        other = np.flatnonzero(seen[guess] != chunk) if known else np.arange(len(chunk))
        if len(other):
            guess[other] = known.of(chunk[other].tolist())
            slots[slot[other]] = guess[other]
            seen = np.array(list(known), native)
        codes[start : start + CHUNK] = guess
    return codes, list(known)
