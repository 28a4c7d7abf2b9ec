"""Build the hash table in which kernels look up labels that are far apart.

Each label is multiplied by a constant. The upper bits of the product, which are well mixed, select
the label's slot. Several multipliers are tried, and the one with the fewest collisions is used.
With few labels, some multiplier usually avoids all collisions. A label whose slot is taken is
placed in the next free slot.

If there are few labels and all of them fit in 16 or 32 bits, only the upper 16 or 32 bits of the
multipliers are set. Vector instructions can then compute slots in lanes of 16 or 32 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.kernels.contract import LabelHash

# Up to `FEW_LABELS` labels share 2**`FEW_SLOT_BITS` slots, which fit in vector registers.
FEW_LABELS, FEW_SLOT_BITS = 16, 6
# More than `FEW_LABELS` labels share at least 2**`LEAST_SLOT_BITS` slots.
LEAST_SLOT_BITS = 12
# With up to this many labels, all slots fit in the L1 cache.
MANY_LABELS = 1 << 10
# The smallest number of slots per label: `SLOTS_A_LABEL` for up to `MANY_LABELS` labels, and
# `FEWER_SLOTS_A_LABEL` for more.
SLOTS_A_LABEL, FEWER_SLOTS_A_LABEL = 32, 8
# The number of multipliers to try. With many labels, only `FEWER_TRIES` are tried, because a few
# collisions cost little.
TRIES, FEWER_TRIES = 64, 4
ALL_BITS = (1 << 64) - 1
_MULTIPLIERS = [pow(0x9E3779B97F4A7C15, i, 1 << 64) for i in range(1, TRIES + 1)]


def code_type(n_labels: int) -> Any:
    """Return the smallest dtype for codes up to ``n_labels``, the code for unknown labels."""
    return next(t for t in (np.uint8, np.uint16, np.uint32) if n_labels <= np.iinfo(t).max)


def make_hash(labels: AnyArray) -> LabelHash:
    """Return a hash table that maps distinct 64-bit integers to their positions."""
    bits_of_labels = labels.view(np.uint64)
    n_labels = len(labels)
    few = n_labels <= FEW_LABELS
    a_label = SLOTS_A_LABEL if n_labels <= MANY_LABELS else FEWER_SLOTS_A_LABEL
    unused = 64 - _width(labels) if few else 0
    n_bits = FEW_SLOT_BITS if few else max(LEAST_SLOT_BITS, (a_label * n_labels - 1).bit_length())
    shift = 64 - n_bits
    fewest = n_labels
    for multiplier in _MULTIPLIERS[: TRIES if n_labels <= 8 * FEW_LABELS else FEWER_TRIES]:
        multiplier = multiplier << unused & ALL_BITS
        wanted = (bits_of_labels * np.uint64(multiplier)) >> np.uint64(shift)
        in_order = np.sort(wanted)
        n_met = int(np.count_nonzero(in_order[1:] == in_order[:-1]))
        if n_met < fewest:
            fewest, best, slot_of = n_met, multiplier, wanted
        if n_met == 0:
            break
    slots = _placed(slot_of.astype(np.intp), n_bits, code_type(n_labels))
    # An empty slot has the code `n_labels`, whose label is a copy of the first label. The copy is
    # never found, because a look-up of the first label ends at the label's own slot.
    return LabelHash(best, shift, slots, np.append(bits_of_labels, bits_of_labels[:1]))


def _width(labels: AnyArray) -> int:
    """Return the fewest bits (16, 32 or 64) that hold all labels as signed or unsigned integers."""
    signed = labels.view(np.int64)
    least, largest = int(signed.min()), int(signed.max())
    for width in (16, 32):
        half = 1 << (width - 1)
        shift = 0 if least >= 0 else half
        if least + shift >= 0 and largest + shift < 2 * half:
            return width
    return 64


def _placed(slot_of: NDArray[np.intp], n_bits: int, dtype: Any) -> AnyArray:
    """Return the code in each slot. A label whose slot is taken goes in the next free slot."""
    n_labels = len(slot_of)
    slots = np.full(1 << n_bits, n_labels, dtype)
    waiting = np.arange(n_labels)
    while len(waiting):
        free = waiting[slots[slot_of[waiting]] == n_labels]
        slots[slot_of[free]] = free
        waiting = waiting[slots[slot_of[waiting]] != waiting]
        slot_of[waiting] = (slot_of[waiting] + 1) & ((1 << n_bits) - 1)
    return slots
