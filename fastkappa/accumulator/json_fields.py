"""Tallies as plain values that JSON can hold, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastkappa.accumulator.exact_sums import UNIT_BITS
from fastkappa.accumulator.weighted_table import Tally
from fastkappa.arrays import AnyArray

VERSION = 1


def tally_to_fields(tally: Tally) -> dict[str, Any]:
    """Return a tally as numbers, strings and lists.

    The sums of weights are whole multiples of ``2**weight_exponent``, as coarse as they can be.
    """
    labels = tally.labels
    is_date = labels.dtype.kind in "mM"
    exponent, sums = 0, tally.sums
    if sums.any():
        zeros = min((int(n) & -int(n)).bit_length() - 1 for n in sums.flat if n)
        exponent, sums = zeros - UNIT_BITS, sums // (1 << zeros)
    return {
        "version": VERSION,
        "labels": (labels.view(np.int64) if is_date else labels).tolist(),
        "label_dtype": labels.dtype.str,
        "counts": tally.plain.tolist(),
        "weighted_counts": tally.weighted.tolist(),
        "weight_sums": [[int(n) for n in row] for row in sums],
        "weight_exponent": exponent,
        "n_float_weights": tally.n_float,
        "n_outside": tally.n_outside,
    }


def tally_from_fields(fields: dict[str, Any]) -> Tally:
    """Return the tally that `tally_to_fields` took apart.

    Raises
    ------
    KeyError, OverflowError, TypeError, ValueError
        If the fields are not what they must be.
    """
    if fields["version"] != VERSION:
        raise ValueError(f"version {fields['version']!r} is not known")
    dtype = np.dtype(fields["label_dtype"])
    labels = np.array(fields["labels"], np.int64 if dtype.kind in "mM" else dtype)
    labels = labels.view(dtype) if dtype.kind in "mM" else labels
    if labels.ndim != 1 or len(set(labels.tolist())) < len(labels):
        raise ValueError(f"labels are no list of different labels: {fields['labels']!r}")
    exponent = _whole(fields["weight_exponent"])
    if not -UNIT_BITS <= exponent <= UNIT_BITS:
        raise ValueError(f"weight_exponent is {exponent}")
    plain = _square(fields["counts"], len(labels), "counts")
    weighted = _square(fields["weighted_counts"], len(labels), "weighted_counts")
    sums = _square(fields["weight_sums"], len(labels), "weight_sums")
    tally = Tally(
        labels,
        plain.astype(np.int64),
        weighted.astype(np.int64),
        sums * (1 << (UNIT_BITS + exponent)),
        _whole(fields["n_float_weights"]),
        _whole(fields["n_outside"]),
    )
    if tally.sums[tally.weighted == 0].any():
        raise ValueError("weight_sums are of pairs that weighted_counts does not have")
    least = min(tally.n_float, tally.n_outside, plain.min(initial=0), weighted.min(initial=0))
    if least < 0:
        raise ValueError(f"counts cannot be negative, and one is {least}")
    return tally


def _square(rows: Any, n_labels: int, name: str) -> AnyArray:
    table = np.empty((n_labels, n_labels), object)
    if len(rows) != n_labels or any(len(row) != n_labels for row in rows):
        raise ValueError(f"{name} are not {n_labels} by {n_labels} numbers")
    for i, row in enumerate(rows):
        table[i] = [_whole(number) for number in row]
    return table


def _whole(number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, int):
        raise ValueError(f"{number!r} is no whole number")
    return number
