"""The kernels for words in NumPy; see `fastkappa.kernels.contract`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.kernels.contract import WordTable

Words = NDArray[np.uint64]

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
    slots = _slots(table, words)
    found[:] = table.slots[slots]
    left = np.flatnonzero(found >= 0)
    while len(left):
        left = left[_differ(table.words[found[left]], words[left])]
        slots[left] = (slots[left] + 1) & (len(table.slots) - 1)
        found[left] = table.slots[slots[left]]
        left = left[found[left] >= 0]


def put_words(table: WordTable, found: NDArray[np.int64]) -> None:
    """Put the ids into the slots, all of them empty; ``found`` has the first place of each."""
    slots = _slots(table, table.words)
    left = np.arange(len(found))
    while len(left):
        free = left[table.slots[slots[left]] < 0][::-1]
        # Of several for a slot the one that is written last has it: the first of them.
        table.slots[slots[free]] = free
        found[left] = table.slots[slots[left]]
        left = left[_differ(table.words[found[left]], table.words[left])]
        slots[left] = (slots[left] + 1) & (len(table.slots) - 1)


def _slots(table: WordTable, words: Words) -> NDArray[np.intp]:
    sums = words[:, 0] * table.multipliers[0]
    for j in range(1, words.shape[1]):
        sums += words[:, j] * table.multipliers[j]
    sums ^= sums >> np.uint64(32)
    sums *= table.multipliers[words.shape[1]]
    slots: NDArray[np.intp] = (sums >> np.uint64(table.shift)).astype(np.intp)
    return slots


def _differ(words: Words, others: Words) -> NDArray[np.bool_]:
    differ: NDArray[np.bool_] = words[:, 0] != others[:, 0]
    # Column by column: any(axis=1) takes several times as long.
    for j in range(1, words.shape[1]):
        differ |= words[:, j] != others[:, j]
    return differ
