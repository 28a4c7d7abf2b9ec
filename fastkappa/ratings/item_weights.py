"""Read the weights of items, passed as ``sample_weight``, and their clusters."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastkappa.arrays import CHUNK, LARGEST_EXACT, AnyArray
from fastkappa.ratings.column import Column, bits_of, check_finite, read_column
from fastkappa.ratings.doubtful_labels import warn, warn_of_lookalikes
from fastkappa.ratings.interop import to_numpy
from fastkappa.ratings.label_order import are_different
from fastkappa.ratings.lengths import length_of, not_labels
from fastkappa.ratings.missing import (
    blanks_as_none,
    find_missing,
    have_blanks,
    missing_ratings,
    without,
)
from fastkappa.ratings.real_numbers import comma_hint

# Larger item weights are scaled down, because the product of three sums of weights must be finite.
LARGEST_WEIGHT = 2.0**60
BEYOND_FLOAT64 = "the sums of sample_weight are too large for float64: scale the weights down."
ONE_ITEM_EACH = (
    "each cluster has one item, so the items count as independent. Check that the clusters are not"
    " item ids."
)


def read_sample_weight(sample_weight: Any, n_items: int) -> AnyArray:
    """Return the weights of ``n_items`` items as an array of integers or floats.

    NaN and infinity are accepted here. If a sum is not finite, `check_finite_weights` rejects them.
    """
    weights = to_numpy(sample_weight)
    if weights.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{weights}\n")
    if weights.dtype.kind not in "iufb":
        try:
            weights = weights.astype(np.float64)
        except (TypeError, ValueError) as error:
            hint = comma_hint(weights.ravel())
            raise ValueError(f"sample_weight must contain numbers: {error}.{hint}") from error
    if weights.ndim != 1:
        raise ValueError(
            f"Sample weights must be 1D array or scalar, got {weights.ndim}D array. Expected"
            f" either a scalar value or a 1D array of length {n_items}."
        )
    if len(weights) != n_items:
        raise ValueError(
            f"sample_weight must have one weight for each of the {n_items} items, got"
            f" {len(weights)}."
        )
    if weights.dtype.kind == "b":
        return bits_of(weights)
    if weights.dtype.kind == "f" and weights.dtype.itemsize not in (4, 8):
        return weights.astype(np.float64)
    return weights


def as_numbers_of_items(weights: AnyArray) -> AnyArray:
    """Return item weights as whole numbers, or raise if they cannot be counts of items."""
    # Above LARGEST_EXACT, float64 cannot represent every integer.
    if weights.dtype.kind == "f" and (np.abs(weights) <= LARGEST_EXACT).all():
        whole = weights.astype(np.int64)
        weights = whole if (whole == weights).all() else weights
    if weights.dtype.kind == "f" or (weights.dtype.kind == "i" and weights.min(initial=0) < 0):
        raise ValueError(
            "sample_weight must be non-negative whole numbers, because standard errors are based on"
            " the number of items that each row represents. cohen_kappa_score accepts any weights,"
            " and leaderboard computes bootstrap intervals for any weights."
        )
    return weights


def check_finite_weights(weights: AnyArray) -> None:
    """Raise if a weight is not finite. Do nothing if only the sum of the weights overflowed."""
    check_finite(weights, "sample_weight")


def check_some_weight(weights: AnyArray) -> None:
    """Raise if all item weights are zero."""
    if not any(weights[start : start + CHUNK].any() for start in range(0, len(weights), CHUNK)):
        raise ValueError("Sample weights must contain at least one non-zero number.")


def read_scaled_weights(sample_weight: Any, n_items: int) -> tuple[AnyArray, float, bool]:
    """Return the scaled weights, their scale, and whether their sums are exact integers.

    The given weights, which must be finite and non-negative, are multiplied by the scale.
    """
    given = read_sample_weight(sample_weight, n_items)
    check_finite_weights(given)
    if given.min() < 0:
        raise ValueError(f"sample_weight must not contain negative numbers, got {given.min()}.")
    check_some_weight(given)
    weights = given.astype(np.float64)
    largest = float(weights.max())
    if 1 / LARGEST_WEIGHT < largest < LARGEST_WEIGHT:
        return weights, 1.0, given.dtype.kind != "f" and float(weights.sum()) < LARGEST_EXACT
    # Scaling by a power of two does not round the weights, and kappa does not depend on the scale.
    scale = 2.0 ** min(-int(np.frexp(largest)[1]), 1022)
    return weights * scale, scale, False


def in_given_weights(sums: AnyArray, scale: float) -> AnyArray:
    """Convert sums of scaled weights back to the scale of the given weights.

    Raises
    ------
    OverflowError
        If a sum is too large for float64.
    """
    with np.errstate(over="ignore"):
        given: AnyArray = sums / scale
    if not np.isfinite(given).all():
        raise OverflowError(BEYOND_FLOAT64)
    return given


def read_clusters(
    clusters: Any, n_items: int, of: str, name: str = "clusters", dropped: Any = None
) -> Column:
    """Return the column that identifies each item's cluster.

    ``of`` is the word for items in errors. ``dropped`` is a mask of items to leave out. Errors
    count positions among all items.

    Raises
    ------
    ValueError
        If the number of clusters differs from the number of items, or if a cluster is missing or
        cannot be a label.
    """
    n_given = length_of(name, clusters)
    if n_given != n_items:
        raise ValueError(
            f"{name} must have an entry for each of the {n_items} {of}, got {n_given}."
        )
    missing, kept = find_missing(clusters), clusters
    if dropped is not None:
        missing = None if missing is None else missing & ~dropped
        kept = without(clusters, dropped)
    if missing is not None and missing.any():
        remedy = f"leave out these {of}, or assign each to its own cluster."
        raise ValueError(missing_ratings(name, missing, remedy))
    column = read_column(kept, name)
    if column.obstacle:
        raise ValueError(not_labels(name, column.obstacle, kept))
    if have_blanks(column.categories):
        return read_clusters(blanks_as_none(clusters), n_items, of, name, dropped)
    warn_of_lookalikes({name: column}, "name")
    warn_of_ids(column)
    if column.values.dtype.kind == "f":
        return column._replace(values=column.values.astype(np.int64))
    return column


def warn_of_ids(clusters: Column, noun: str = "cluster") -> None:
    """Warn if the values of a column of clusters are all different."""
    if not clusters.obstacle and are_different(clusters.values, clusters.categories):
        warn(ONE_ITEM_EACH.replace("cluster", noun))
