"""Find the labels with the highest expected kappa by minimising a cost per item.

Let P[i, y] be the probability that item i has label y, w the weights and v the item weights. Define

    R[y] = sum_i v[i] P[i, y],   N = sum R,   chance[c] = sum_y R[y] w[y, c] / N.

Let p[i] be the label given to item i. In the expected table, row y, column c is the sum of
v[i] P[i, y] over the items that are given label c. The row sums are always R, so

    kappa = 1 - O / C,   O = sum_i v[i] sum_y P[i, y] w[y, p[i]],   C = sum_i v[i] chance[p[i]]

Both O and C are sums over items, and the term of an item depends only on its own label. Minimising
O / C is a fractional programme. Dinkelbach's method starts from the ratio O / C of an arbitrary
assignment of labels. The labels that minimise O - ratio * C have an O / C below this ratio, unless
the ratio is already minimal. No constraint links the items, so the cost of each item is minimised
separately: item i gets the label c with the smallest sum_y P[i, y] costs[y, c], where

    costs[y, c] = w[y, c] - ratio * chance[c].

These K x K costs are enough to label new items. For quadratic weights, an item gets the label
nearest to mean + (E - mean) / kappa. Here E is the expected label of the item, mean is the average
of E over all items, and kappa = 1 - ratio is the highest possible kappa.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, Floats, FloatTable
from fastkappa.decoding.items.probabilities import Probabilities

# If there are at least twice this many items, the search starts from the ratio found for a
# subsample of about this size.
ITEMS_TO_BEGIN_WITH = 1 << 16
# The largest number of rounds. In trials, at most 8 were needed. Every round except the last raises
# kappa.
MOST_ROUNDS = 100
# If the best kappa is at most this value, it is attributed to rounding: no choice of labels is
# better than chance.
NO_KAPPA = 1e-12


class Solution(NamedTuple):
    """The chosen labels (as positions), their expected table, and the costs that determine them."""

    given: AnyArray
    table: FloatTable
    costs: FloatTable


def solve(items: Probabilities, matrix: FloatTable) -> Solution:
    """Return the labels with the highest expected kappa.

    If no assignment of labels has a kappa above 0, or if kappa is undefined, each item gets the
    label with the least expected disagreement.
    """
    largest = float(matrix.max())
    # Scaling by a power of two is exact, and keeps products in range.
    exponent = math.frexp(largest)[1]
    scaled = np.ldexp(matrix, -exponent)
    given = np.empty(len(items.values), np.min_scalar_type(items.n_labels - 1))
    found = _best(items, scaled, given)
    if found is None:
        costs = scaled.copy()
        if np.count_nonzero(totals := items.margins()) > 1:
            # If all chosen labels had a chance cost of 0, kappa would be undefined, so such labels
            # are given a high cost.
            costs[:, totals @ scaled == 0] = 2.0
        return Solution(given, items.cheapest(costs, given), np.ldexp(costs, exponent))
    table, costs = found
    return Solution(given, table, np.ldexp(costs, exponent))


def _best(
    items: Probabilities, matrix: FloatTable, given: AnyArray
) -> tuple[FloatTable, FloatTable] | None:
    """Return the table with the highest kappa, and the costs, or None if no kappa exceeds 0."""
    totals = items.margins()
    chance = totals @ matrix / totals.sum()
    if np.count_nonzero(totals) < 2 or not chance.any():
        return None
    ratio = None
    step = len(given) // ITEMS_TO_BEGIN_WITH
    costs = matrix - chance
    if step > 1:
        some = items.part(step)
        begun = _best(some, matrix, np.empty(len(some.values), given.dtype))
        costs = costs if begun is None else matrix - _ratio(begun[0], matrix, chance) * chance
    before = costs
    for _ in range(MOST_ROUNDS):
        table = items.cheapest(costs, given)
        new = _ratio(table, matrix, chance)
        if ratio is not None and not new < ratio:
            if not table.sum(axis=0) @ chance:
                # The latest round chose only labels whose chance cost is 0, so kappa is undefined.
                # The labels of the previous round are equally good, and are used instead.
                costs = before
                table = items.cheapest(costs, given)
            break
        if not new < 1 - NO_KAPPA:
            return None
        ratio, before = new, costs
        costs = matrix - ratio * chance
    return table, costs


def _ratio(table: FloatTable, matrix: FloatTable, chance: Floats) -> float:
    """Return O / C for an expected table, or 1 if C is 0."""
    by_chance = float(table.sum(axis=0) @ chance)
    return float((matrix * table).sum()) / by_chance if by_chance else 1.0
