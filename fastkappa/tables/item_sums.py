"""Combine the kernels' sums of item weights, and check them for overflow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.ratings.item_weights import (
    BEYOND_FLOAT64,
    check_finite_weights,
    check_some_weight,
)

INT64_MAX = (1 << 63) - 1


def whole_sums(high: AnyArray, low: AnyArray) -> AnyArray:
    """Return ``high * 2**32 + low`` as int64, or as Python integers if int64 could overflow."""
    fits = np.abs(high).max(initial=0) < 1 << 30 and low.max(initial=0) < 1 << 62
    wide = np.int64 if fits else object
    total: AnyArray = high.astype(wide) * (1 << 32) + low.astype(wide)
    return total


def checked_sums(sums: Sequence[AnyArray], weights: AnyArray) -> AnyArray:
    """Combine sums into one table, or raise if a sum is not finite or all weights are zero."""
    if weights.dtype.kind == "f":
        (table,) = sums
        if not np.isfinite(table).all():
            check_finite_weights(weights)
            raise OverflowError(BEYOND_FLOAT64)
    else:
        table = whole_sums(*sums)
    if not table.any():
        check_some_weight(weights)
    return table


def as_int64(table: AnyArray, what: str) -> AnyArray:
    """Convert a table of Python integers to int64, or raise if a sum does not fit."""
    if table.dtype != object:
        return table
    try:
        return table.astype(np.int64)
    except OverflowError as error:
        raise OverflowError(
            f"the sums of {what} reach {np.abs(table).max()}, which is beyond int64: pass {what} as"
            " floats."
        ) from error


def add_exactly(first: AnyArray, second: AnyArray) -> AnyArray:
    """Add two tables of sums, or raise if the result does not fit in int64."""
    total: AnyArray = first + second
    if "f" in (first.dtype.kind, second.dtype.kind) or not first.size:
        return total
    limit = max(abs(int(bound(table))) for table in (first, second) for bound in (np.min, np.max))
    if limit > INT64_MAX // 2:
        total = as_int64(first.astype(object) + second.astype(object), "item weights")
    return total


def refuse_weighted_and_not(first: bool | None, second: bool | None) -> None:
    """Raise if one of two tables contains sums of weights and the other contains counts.

    An argument is True for sums, False for counts, and None if the table can be added to either.
    """
    if {first, second} == {True, False}:
        raise ValueError(
            "weighted and unweighted counts cannot be added: pass sample_weight= for all items,"
            " with 1 for unweighted items."
        )
