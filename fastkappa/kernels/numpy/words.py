"""The kernels for words in NumPy; see `fastkappa.kernels.contract`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.kernels.contract import WordTable

Words = NDArray[np.uint64]
ONE, HALF = np.uint64(1), np.uint64(32)

# NumPy would take longer than what reads files.
place_numbers = None
count_lines = None


def pack_characters(characters: NDArray[np.uint32], packed: NDArray[np.uint8]) -> bool:
    """Write each character as a byte, zeros after them, and return whether all are ASCII."""
    width = characters.shape[1]
    packed[:, :width] = characters
    packed[:, width:] = 0
    return bool(characters.max(initial=0) < 128)


def pack_bytes(ends: AnyArray, data: NDArray[np.uint8], packed: NDArray[np.uint8]) -> None:
    """Write the bytes from ``ends[i]`` to ``ends[i + 1]`` to row i, zeros after them."""
    lengths = np.diff(ends)
    some = data[ends[0] : ends[-1]]
    packed[:] = 0
    if len(lengths) and (lengths == lengths[0]).all():
        packed[:, : lengths[0]] = some.reshape(len(lengths), lengths[0])
    else:
        packed[np.arange(packed.shape[1]) < lengths[:, None]] = some


def find_words(table: WordTable, words: Words, found: NDArray[np.int64]) -> None:
    """Write the place of each id in the table to ``found``, -1 for those that are not there."""
    mixed = _mixed(table, words)
    slots = mixed >> np.uint64(table.shift)
    found[:] = _places(table, slots)
    left = np.flatnonzero(found >= 0)
    while len(left):
        left = left[_differ(table.words[found[left]], words[left])]
        slots[left] = (slots[left] + ONE) % np.uint64(len(table.slots))
        found[left] = _places(table, slots[left])
        left = left[found[left] >= 0]


def put_words(table: WordTable, found: NDArray[np.int64]) -> None:
    """Put the ids into the slots, all of them empty; ``found`` has the first place of each."""
    mixed = _mixed(table, table.words)
    slots = mixed >> np.uint64(table.shift)
    left = np.arange(len(found))
    while len(left):
        free = left[table.slots[slots[left]] == 0][::-1]
        # Of several for a slot the one that is written last has it: the first of them.
        upper = mixed[free].astype(np.uint32) & ~_bits_of_place(table)
        table.slots[slots[free]] = upper | (free + 1).astype(np.uint32)
        found[left] = _places(table, slots[left])
        left = left[_differ(table.words[found[left]], table.words[left])]
        slots[left] = (slots[left] + ONE) % np.uint64(len(table.slots))


def put_values(values: AnyArray, places: NDArray[np.int64], column: AnyArray) -> None:
    """Write each value to its place in a column of its type; none at a place below 0."""
    there = places >= 0
    column[places[there]] = values[there]


def _mixed(table: WordTable, words: Words) -> Words:
    sums: Words = words[:, 0] * table.multipliers[0]
    for j in range(1, words.shape[1]):
        sums += words[:, j] * table.multipliers[j]
    sums ^= sums >> HALF
    sums *= table.multipliers[words.shape[1]]
    return sums


def _bits_of_place(table: WordTable) -> np.uint32:
    return np.uint32(len(table.slots) // 2 - 1)


def _places(table: WordTable, slots: Words) -> NDArray[np.int64]:
    """Return the places that slots have, -1 for empty ones."""
    places: NDArray[np.int64] = (table.slots[slots] & _bits_of_place(table)).astype(np.int64) - 1
    return places


def _differ(words: Words, others: Words) -> NDArray[np.bool_]:
    differ: NDArray[np.bool_] = words[:, 0] != others[:, 0]
    # Column by column: any(axis=1) takes several times as long.
    for j in range(1, words.shape[1]):
        differ |= words[:, j] != others[:, j]
    return differ
