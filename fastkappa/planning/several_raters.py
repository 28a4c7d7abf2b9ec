"""Plan studies of Fleiss' kappa, with raters who agree on some items and guess on the others.

An item is represented by a row of counts: the number of raters who gave each label. With
probability p, all raters give the same label. Otherwise each rater draws a label at random. Either
way, the labels have the same expected proportions. For such items, Fleiss' kappa equals p, for any
weights. For two labels, Altaye, Donner and Klar (2001) and Rotondi and Donner (2012) call this the
common correlation model.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.statistics import distributions
from fastkappa.statistics.weights import Weights, disagreement_matrix

MOST_ROWS = 10_000
ROUNDING = 1e-12  # the rounding error of a variance, relative to the mean square
STEP = 1e-3  # step of a proportion, relative to its scale


class Rows(NamedTuple):
    """Distinct rows of counts, of shape (m, l), and their expected proportions, of shape (m,)."""

    counts: FloatTable
    proportions: FloatTable


def planned_rows(kappa: float, margin: FloatTable, n_raters: int) -> Rows:
    """Return the possible rows of counts for an item, and their expected proportions.

    Examples
    --------
    Three raters and two labels, as in Altaye, Donner and Klar (2001):

    >>> import numpy as np
    >>> from fastkappa.planning.several_raters import planned_rows
    >>> rows = planned_rows(0.4, np.array([0.3, 0.7]), 3)
    >>> rows.proportions.round(4)
    array([0.4858, 0.2646, 0.1134, 0.1362])
    """
    n_labels = len(margin)
    n_rows = math.comb(n_raters + n_labels - 1, n_labels - 1)
    if n_rows > MOST_ROWS:
        raise ValueError(
            f"n_raters is too large for {n_labels} labels, got {n_raters!r}. An item can have"
            f" {n_rows} different combinations of ratings, but a plan supports at most {MOST_ROWS}."
            " Plan with fewer raters or labels."
        )
    counts = np.array(_compositions(n_raters, n_labels), np.float64)
    ways = [
        math.factorial(n_raters) / math.prod(math.factorial(int(count)) for count in row)
        for row in counts
    ]
    guessed = np.array(ways) * np.prod(margin**counts, axis=1)
    agreed = (counts == n_raters) @ margin
    proportions = kappa * agreed + (1 - kappa) * guessed
    if proportions.min() < 0:
        raise ValueError(
            f"kappa is too low for {n_raters} raters with these rates, got {kappa!r}. Use a value"
            " closer to 0."
        )
    return Rows(counts, proportions)


def is_agreed(rows: Rows) -> AnyArray:
    """Return a mask of the rows in which all raters give the same label."""
    return np.asarray(np.count_nonzero(rows.counts, axis=1) == 1)


def agreed_by_all(kappa: float, margin: FloatTable, n_raters: int) -> float:
    """Return the expected proportion of items on which all raters agree."""
    return max(0.0, float(kappa + (1 - kappa) * (margin**n_raters).sum()))


def _compositions(total: int, n_parts: int) -> list[list[int]]:
    if n_parts == 1:
        return [[total]]
    return [
        [first, *rest]
        for first in range(total + 1)
        for rest in _compositions(total - first, n_parts - 1)
    ]


def features(rows: Rows, weights: Weights) -> FloatTable:
    """Return the pairwise products of each row's disagreement and label proportions.

    The array has shape (m, (l + 1)**2). Fleiss' kappa and its standard error depend only on the
    means of these products over the items.
    """
    counts = rows.counts
    n_raters = counts[0].sum()
    matrix = disagreement_matrix(weights, counts.shape[1])
    by_row = ((counts @ matrix) * counts).sum(axis=1) / (n_raters * (n_raters - 1))
    vectors = np.column_stack([by_row, counts / n_raters])
    return np.asarray(vectors[:, :, None] * vectors[:, None, :]).reshape(len(counts), -1)


def kappas_and_deviations(means: FloatTable, weights: Weights) -> tuple[FloatTable, FloatTable]:
    """Return Fleiss' kappa and its standard error for one item, from the means of the `features`.

    ``means`` has shape (k, (l + 1)**2), and both results have shape (k,).
    """
    products, first = _products(means)
    observed, margins = first[:, 0], first[:, 1:]
    matrix = disagreement_matrix(weights, margins.shape[1])
    by_label = margins @ (matrix + matrix.T) / 2
    expected = (margins * by_label).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = observed / expected
        # The derivative of kappa contains a factor of 2 because the expected agreement is quadratic
        # in the margins.
        slope = np.column_stack([-np.ones(len(first)), 2 * ratio[:, None] * by_label])
        slope /= expected[:, None]
        squares = ((slope[:, None, :] @ products)[:, 0] * slope).sum(axis=1)
        variance = squares - (slope * first).sum(axis=1) ** 2
        # If all items have the same row, the variance is 0, and the computed value is a rounding
        # error.
        variance = np.where(variance > ROUNDING * squares, variance, 0 * squares)
    return 1 - ratio, np.sqrt(variance)


def _products(means: FloatTable) -> tuple[FloatTable, FloatTable]:
    """Return the mean products as matrices, and the means of their factors."""
    size = math.isqrt(means.shape[1])
    products = means.reshape(-1, size, size)
    return products, products[:, :, 1:].sum(axis=2)  # the proportions of labels sum to 1


def error_of_one_item(rows: Rows, weights: Weights) -> float:
    """Return sqrt(n) times the standard error of Fleiss' kappa, or raise if it is 0."""
    if not rows.proportions[~is_agreed(rows)].any():
        raise ValueError(
            "kappa must be below 1 for more than two raters, because with full agreement,"
            " Fleiss' kappa has a standard error of 0 and an interval of zero width."
        )
    _, deviations = kappas_and_deviations(rows.proportions[None] @ features(rows, weights), weights)
    return float(deviations[0])


def z_of(means: FloatTable, n_raters: int, null_kappa: float, weights: Weights) -> FloatTable:
    """Return the statistic for testing kappa = kappa0, divided by sqrt(n), with shape (k,).

    The result is the difference kappa - kappa0, divided by the standard error for one item. For
    kappa0 = 0 without weights, the divisor is the null standard error (Fleiss, Nee and Landis
    1979), as in `fleiss_kappa`. The result is NaN if the standard error is 0. ``means`` holds the
    means of the `features`.
    """
    values, deviations = kappas_and_deviations(means, weights)
    if null_kappa == 0 and weights is None:
        deviations = _null_deviations(_products(means)[1][:, 1:], n_raters)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(deviations > 0, (values - null_kappa) / deviations, np.nan)


def _null_deviations(margins: FloatTable, n_raters: float) -> FloatTable:
    """Return the null standard error for one item, for each row of label proportions."""
    both = margins * (1 - margins)
    total = both.sum(axis=1)
    inside = total**2 - (both * (1 - 2 * margins)).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.sqrt(2 * np.maximum(inside, 0) / (n_raters * (n_raters - 1))) / total)


class Variation(NamedTuple):
    """The terms of a statistic's mean (value + bias / n) and variance (deviation**2 / n)."""

    value: float
    deviation: float
    bias: float


def variation_of_z(rows: Rows, null_kappa: float, weights: Weights) -> Variation:
    """Return the `Variation` of z / sqrt(n), using central differences as derivatives."""
    used = np.flatnonzero(rows.proportions)
    weight, of_rows = rows.proportions[used], features(rows, weights)
    n_raters = int(rows.counts[0].sum())
    # Each step has a minimum size, because smaller steps for rare rows would be lost to rounding.
    step = STEP * np.maximum(weight, float(rows.proportions[~is_agreed(rows)].sum()))
    means = rows.proportions @ of_rows
    moved = step[:, None] * of_rows[used]
    value = float(z_of(means[None], n_raters, null_kappa, weights)[0])
    # Proportions must sum to 1, so they are rescaled. Rescaling subtracts the mean derivative from
    # each derivative.
    up, down = (
        z_of((means + sign * moved) / (1 + sign * step[:, None]), n_raters, null_kappa, weights)
        for sign in (1, -1)
    )
    slopes = (up - down) / (2 * step)
    # Because of the rescaling, even a linear statistic has a second derivative. The term 2 * slopes
    # removes this effect.
    bends = (up + down - 2 * value) / step**2 + 2 * slopes
    deviation = np.sqrt((weight * slopes**2).sum())
    return Variation(value, float(deviation), float((weight * bends).sum() / 2))


def critical_value(n: float, tail: float) -> float:
    """Return the critical value of sqrt(n) z, from Student's t distribution."""
    if math.isinf(n):
        return distributions.t_quantile(1 - tail, n)
    if n < 2:
        return math.inf
    return distributions.t_quantile(1 - tail, n - 1) * math.sqrt(n / (n - 1))
