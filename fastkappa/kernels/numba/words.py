"""The kernels for words compiled by numba; see `fastkappa.kernels.contract`."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from fastkappa.kernels.contract import WordTable
from fastkappa.kernels.numba.loops import compile_lazily

njit = numba.njit(nogil=True)
HALF = np.uint64(32)

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
    stop = ends[0]
    for i in range(len(packed)):
        # Read once: another thread may write another end meanwhile.
        start, stop = stop, ends[i + 1]
        if not 0 <= start <= stop <= len(data) or stop - start > packed.shape[1]:
            raise ValueError("strings must be among the data and have room")
        packed[i, : stop - start] = data[start:stop]
        packed[i, stop - start :] = 0


def find_words(table: WordTable, words: NDArray[np.uint64], found: NDArray[np.int64]) -> None:
    """Write the place of each id in the table to ``found``, -1 for those that are not there."""
    _find(table.words, table.multipliers, table.slots, np.uint64(table.shift), words, found)


def put_words(table: WordTable, found: NDArray[np.int64]) -> None:
    """Put the ids into the slots, all of them empty; ``found`` has the first place of each."""
    _put(table.words, table.multipliers, table.slots, np.uint64(table.shift), found)


@compile_lazily
def put_values(values: Any, places: Any, column: Any) -> None:
    """Write each value to its place in a column of its type; none at a place below 0."""
    for i in range(len(places)):
        if 0 <= places[i] < len(column):
            column[places[i]] = values[i]


@njit
def _mixed(multipliers: Any, words: Any) -> Any:
    total = np.uint64(0)
    for j in range(len(words)):
        total += words[j] * multipliers[j]
    return (total ^ (total >> HALF)) * multipliers[len(words)]


@njit
def _are_same(words: Any, others: Any) -> bool:
    differ = np.uint64(0)
    for j in range(len(words)):
        differ |= words[j] ^ others[j]
    return bool(differ == 0)


@njit
def _slot_of(own: Any, slots: Any, shift: Any, words: Any, mixed: Any) -> Any:
    """Return the slot of an id, or an empty one."""
    one, last_slot = np.uint64(1), np.uint64(len(slots) - 1)
    slot = mixed >> shift
    while slots[slot] != 0:
        # Words lie all over the memory: those that the bits tell apart are not looked at.
        may_be_here = (slots[slot] ^ np.uint32(mixed)) <= _bits_of_place(slots)
        if may_be_here and _are_same(own[_place(slots, slot)], words):
            break
        slot = (slot + one) & last_slot
    return slot


@njit
def _bits_of_place(slots: Any) -> Any:
    return np.uint32(len(slots) // 2 - 1)


@njit
def _place(slots: Any, slot: Any) -> Any:
    return np.int64(slots[slot] & _bits_of_place(slots)) - 1


@compile_lazily
def _find(own: Any, multipliers: Any, slots: Any, shift: Any, words: Any, found: Any) -> None:
    for i in range(len(words)):
        mixed = _mixed(multipliers, words[i])
        found[i] = _place(slots, _slot_of(own, slots, shift, words[i], mixed))


@compile_lazily
def _put(own: Any, multipliers: Any, slots: Any, shift: Any, found: Any) -> None:
    for i in range(len(own)):
        mixed = _mixed(multipliers, own[i])
        slot = _slot_of(own, slots, shift, own[i], mixed)
        if slots[slot] == 0:
            slots[slot] = (np.uint32(mixed) & ~_bits_of_place(slots)) | np.uint32(i + 1)
        found[i] = _place(slots, slot)
