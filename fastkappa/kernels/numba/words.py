"""The kernels for words compiled by numba; see `fastkappa.kernels.contract`."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from fastkappa.kernels.contract import WordTable
from fastkappa.kernels.numba.loops import compile_lazily

njit = numba.njit(nogil=True)

place_numbers = None
count_lines = None


@compile_lazily
def pack_characters(characters: Any, packed: Any) -> bool:
    """Write each character as a byte, zeros after them, and return whether all are ASCII."""
    every = np.uint32(0)
    for i in range(len(packed)):
        for j in range(characters.shape[1]):
            every |= characters[i, j]
            packed[i, j] = characters[i, j]
        packed[i, characters.shape[1] :] = 0
    return bool(every < 128)


@compile_lazily
def pack_bytes(ends: Any, data: Any, packed: Any) -> None:
    """Write the bytes from ``ends[i]`` to ``ends[i + 1]`` to row i, zeros after them."""
    for i in range(len(packed)):
        length = ends[i + 1] - ends[i]
        for j in range(length):
            packed[i, j] = data[ends[i] + j]
        packed[i, length:] = 0


def find_words(table: WordTable, words: NDArray[np.uint64], found: NDArray[np.int64]) -> None:
    """Write the place of each id in the table to ``found``, -1 for those that are not there."""
    _find(table.words, table.multipliers, table.slots, np.uint64(table.shift), words, found)


def put_words(table: WordTable, found: NDArray[np.int64]) -> None:
    """Put the ids into the slots, all of them empty; ``found`` has the first place of each."""
    _put(table.words, table.multipliers, table.slots, np.uint64(table.shift), found)


@njit
def _slot(multipliers: Any, shift: Any, words: Any) -> Any:
    total = np.uint64(0)
    for j in range(len(words)):
        total += words[j] * multipliers[j]
    return ((total ^ (total >> np.uint64(32))) * multipliers[len(words)]) >> shift


@njit
def _are_same(words: Any, others: Any) -> bool:
    differ = np.uint64(0)
    for j in range(len(words)):
        differ |= words[j] ^ others[j]
    return bool(differ == 0)


@compile_lazily
def _find(own: Any, multipliers: Any, slots: Any, shift: Any, words: Any, found: Any) -> None:
    one, last_slot = np.uint64(1), np.uint64(len(slots) - 1)
    for i in range(len(words)):
        slot = _slot(multipliers, shift, words[i])
        while slots[slot] >= 0 and not _are_same(own[slots[slot]], words[i]):
            slot = (slot + one) & last_slot
        found[i] = slots[slot]


@compile_lazily
def _put(own: Any, multipliers: Any, slots: Any, shift: Any, found: Any) -> None:
    one, last_slot = np.uint64(1), np.uint64(len(slots) - 1)
    for i in range(len(own)):
        slot = _slot(multipliers, shift, own[i])
        while slots[slot] >= 0 and not _are_same(own[slots[slot]], own[i]):
            slot = (slot + one) & last_slot
        if slots[slot] < 0:
            slots[slot] = i
        found[i] = slots[slot]
