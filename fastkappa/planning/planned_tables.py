"""Construct the tables on which plans are based, from kappa and the raters' margins.

A planned table is a mixture of independence and the maximum agreement that the margins allow. For
two labels, it is the only table with the given kappa and margins. For more labels, the mixture is
an assumption. The table of a pilot study replaces this assumption: if the planned kappa is higher
than the pilot's, the pilot is mixed with maximum agreement, and otherwise with independence.
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from fastkappa.arrays import FloatTable
from fastkappa.statistics.inference import delta_error, gradient, terms_of
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.tables import as_table, warn_of_sums
from fastkappa.statistics.transport import closest_tables
from fastkappa.statistics.weights import Weights, as_weights

Margins: TypeAlias = tuple[FloatTable, FloatTable]
# A plan requires at least this proportion of items outside the most frequent cell.
LEAST_OUTSIDE = 1e-6
BALANCED = (0.5, 0.5)  # the default rates


def as_margins(rates: Any) -> Margins:
    """Return the proportions of each rater's labels, or raise if they are invalid."""
    try:
        first, second = (np.asarray(rate, dtype=np.float64) for rate in rates)
    except (TypeError, ValueError) as error:
        raise ValueError(f"rates must be a pair of numbers or of arrays, got {rates!r}.") from error
    if first.ndim == second.ndim == 0:
        first, second = (np.array([rate, 1 - rate]) for rate in (first, second))
    if first.ndim != 1 or first.shape != second.shape or len(first) < 2:
        raise ValueError(
            "rates must be two numbers, or two arrays with one proportion per label, got shapes"
            f" {first.shape} and {second.shape}."
        )
    for margin in (first, second):
        if not (margin >= 0).all() or abs(margin.sum() - 1) > 1e-9:
            raise ValueError(f"rates must be proportions that sum to 1, got {margin.tolist()}.")
    return first, second


def as_pilot(pilot: Any, weights: Weights) -> FloatTable:
    """Return the counts of a pilot study as proportions, or raise if its kappa is not above 0."""
    table = as_table(pilot, "pilot")
    warn_of_sums(table, "pilot")
    counts = table.astype(np.float64)
    kappa = float(kappas(counts, as_weights(weights, len(counts))))
    if not kappa > 0:
        raise ValueError(f"pilot must be a table with a kappa above 0, got a kappa of {kappa:.4g}.")
    return np.asarray(counts / counts.sum())


def planned_table(
    name: str,
    kappa: float,
    margins: Margins,
    weights: Weights,
    pilot: FloatTable | None = None,
) -> FloatTable:
    """Return the planned table as proportions, in an array of shape (l, l).

    The table is the mixture of independence and maximum agreement that has this kappa. If a
    ``pilot`` with these margins is given, it replaces independence or, if ``kappa`` is below the
    pilot's kappa, maximum agreement. Error messages refer to ``kappa`` by ``name``.
    """
    if not isinstance(kappa, Real) or not -1 <= kappa <= 1:
        raise ValueError(f"{name} must be a number between -1 and 1, got {kappa!r}.")
    by_chance = np.outer(*margins)
    checked = as_weights(weights, len(by_chance))
    closest = closest_tables(by_chance, checked)
    largest = float(kappas(closest, checked))
    if math.isnan(largest):
        raise ValueError(
            "rates must allow some disagreement by chance, because kappa is undefined without it,"
            f" got {' and '.join(str(margin.tolist()) for margin in margins)}."
        )
    if kappa > largest + 1e-12:
        raise ValueError(
            f"{name} can be at most {largest:.4f} for raters with these rates, got {kappa!r}."
        )
    # Among tables with the same margins, kappa is a linear function of the cells, so mixtures of
    # two tables have every kappa in between.
    (low, least), (high, most) = (by_chance, 0.0), (closest, largest)
    if pilot is not None:
        of_pilot = float(kappas(pilot, checked))
        if kappa < of_pilot:
            high, most = pilot, of_pilot
        else:
            low, least = pilot, of_pilot
    part = min((kappa - least) / (most - least), 1.0) if most > least else 0.0
    proportions: FloatTable = low + part * (high - low)
    if proportions.min() < -1e-12:
        raise ValueError(
            f"{name} is too low for raters with these rates, got {kappa!r}. Use a value closer to"
            " 0."
        )
    return np.maximum(proportions, 0)


def outside_most_frequent(proportions: FloatTable) -> float:
    """Return the proportion of items outside the most frequent cell, or raise if it is too small.

    Kappa depends on the items outside this cell. The search for the most likely table is accurate
    to about 1e-9 of all items. This is at most 0.1 % of the items outside the cell if they make up
    at least 1e-6 of all items.
    """
    most_frequent = np.unravel_index(proportions.argmax(), proportions.shape)
    others = proportions.copy()
    others[most_frequent] = 0
    outside = float(others.sum())
    if outside < LEAST_OUTSIDE:
        raise ValueError(
            "rates are too close to 0 and 1 to plan a study. Both raters are expected to give the"
            f" same label to all items except a proportion of {outside:.1g}. Plan for a sample in"
            " which the other labels are more frequent."
        )
    return outside


def error_of_one_item(proportions: FloatTable, weights: Weights) -> float:
    """Return sqrt(n) times the standard error of kappa, for a table of proportions."""
    terms = terms_of(proportions, weights)
    return float(delta_error(terms.proportions, gradient(terms), np.ones(())))
