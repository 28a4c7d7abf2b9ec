"""The cuts of an ordered table that maximise kappa, found exactly.

The rows of the table are groups of items in the order of their scores, its columns the
true labels. K - 1 cuts between rows give every item below the first cut label 0, and so
on. With disagreement weights w, totals R of the columns and their sum N,

    kappa = 1 - N * O / C,   O = sum of w[true, given],   C = sum of chance[given],
    chance[c] = sum_y R[y] * w[y, c]

and both O and C are sums over items. To minimise O / C is a fractional programme: with
the ratio of any solution, the cuts that minimise O - ratio * C have a lower ratio, unless
that one is the least (Dinkelbach). A cut after j rows adds f_c(j) to that difference: what
label c - 1 costs more than label c, summed over the rows below. So each cut may be put
where f_c is least, on its own, if only the cuts come out in order. For quadratic weights
they do; where they do not, and where labels must be given to some items at least, a
dynamic programme finds the best cuts in order (`ordered_cuts`).

Sums are of doubles. Where they round, the cuts that rounding leaves in doubt are compared
again in whole numbers (`whole_cuts`), so that the result is the optimum, not nearly so.

References
----------
W. Dinkelbach (1967). On nonlinear fractional programming. Management Science 13, 492-498.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.thresholds.cuts.in_order import Order, Positions, least_in_order, through_costs
from fastkappa.thresholds.cuts.whole_numbers import least_in_whole_numbers

Floats = NDArray[np.float64]
Ratio = tuple[float, float]

EPSILON = 2.0**-52
# Doubles hold every whole number up to here.
EXACT = 2.0**53
# The work grows with the square of the number of labels; from here on BLAS does it.
MOST_LABELS_BY_HAND = 32
# There were 7 rounds at most wherever it was tried; every one but the last is an improvement.
MOST_ROUNDS = 100


class Cuts(NamedTuple):
    """The best cuts of a table.

    ``positions`` tells how many rows lie below each cut. ``table`` is the confusion table,
    rows being the true labels. ``gap`` bounds how far kappa is from the optimum: 0.0 is a
    proof. ``ratio`` is O and C.
    """

    positions: Positions
    table: Floats
    ratio: Ratio
    rounds: int
    gap: float


class Programme:
    """What is to be minimised: the same for all tables of the same items.

    Parameters
    ----------
    totals : ndarray of shape (K,)
        The count, or the sum of item weights, of each true label.
    weights : ndarray of shape (K, K)
        Disagreement weights.
    min_class_size : int, default=0
        To how many items each label must be given at least.
    search : callable, default=None
        A compiled search for cuts that come out in order; see `best_cuts`.
    counts_whole : bool, default=True
        Whether tables hold whole counts where their totals are whole. Then ties are told
        in whole numbers.
    """

    def __init__(
        self,
        totals: Floats,
        weights: AnyArray,
        min_class_size: int = 0,
        search: Callable[..., int] | None = None,
        counts_whole: bool = True,
    ) -> None:
        matrix = weights.astype(np.float64)
        largest = float(matrix.max(initial=0))
        self.weights = weights
        # A power of two takes nothing from the digits, and keeps products in range.
        self.matrix = matrix * 2.0 ** -max(0, math.frexp(largest)[1] - 53)
        self.totals = totals
        self.n_labels = len(totals)
        self.min_class_size = min_class_size
        self.chance = totals @ self.matrix
        n = float(totals.sum())
        self.start = (1.0, n)
        self.whole = counts_whole and n < EXACT and bool((totals == np.rint(totals)).all())
        self.whole_weights = bool((matrix == np.rint(matrix)).all())
        self.search = search

    def steps(self, ratio: Ratio) -> Floats:
        """Return what an item of each label costs more if given label c - 1 and not c."""
        observed, chance = ratio
        cost = self.matrix * chance - observed * self.chance
        steps: Floats = (cost[:, :-1] - cost[:, 1:]).T
        return steps

    def rounding(self, ratio: Ratio) -> float:
        """Return a bound on the rounding errors of the f_c, all cuts taken together."""
        observed, chance = ratio
        costs = self.matrix * chance + observed * self.chance
        largest = 2 * float((self.totals @ costs).sum())
        if self.whole and self.whole_weights and largest < EXACT:
            # Whole numbers that no sum takes beyond what doubles hold.
            return 0.0
        return 4 * EPSILON * (self.n_labels + 8) * largest

    def ratio_of(self, table: Floats) -> Ratio:
        """Return O and C of a confusion table."""
        return float((self.matrix * table).sum()), float(self.chance @ table.sum(axis=0))

    def independent(self, values: Floats) -> bool:
        """Tell whether the cuts, each where it costs least, come out in order."""
        positions = values.argmin(axis=1)
        return not self.min_class_size and bool((positions[1:] >= positions[:-1]).all())

    def order(self, sizes: NDArray[np.int64]) -> Order:
        """Return the order that cuts after so many items must keep."""
        return Order(sizes, sizes, self.min_class_size)

    def gap(self, least: float, ratio: Ratio) -> float:
        """Return how far kappa can be from the optimum if O - ratio * C reaches ``least``."""
        # Kappa gains N * -least / (C * ratio[1]), and C is at least N times the lowest chance.
        lowest = float(self.chance.min()) * ratio[1]
        return max(0.0, -float(least)) / lowest if lowest > 0 else math.inf


def prefix_of(table: AnyArray) -> Floats:
    """Return, by label, how many items are in the rows below each place for a cut."""
    prefix = np.zeros((table.shape[1], len(table) + 1))
    np.cumsum(table.T, axis=1, out=prefix[:, 1:])
    return prefix


def _values(steps: Floats, prefix: Floats) -> Floats:
    """Return f_c at each place: ``steps @ prefix``, for few labels without the threads of BLAS."""
    if len(prefix) > MOST_LABELS_BY_HAND:
        product: Floats = steps @ prefix
        return product
    values: Floats = steps[:, :1] * prefix[0]
    for y in range(1, len(prefix)):
        values += steps[:, y : y + 1] * prefix[y]
    return values


def table_at(prefix: Floats, positions: Positions) -> Floats:
    """Return the confusion table of cuts, rows being the true labels."""
    below = np.zeros((len(prefix), len(positions) + 2))
    below[:, 1:-1] = prefix[:, positions]
    below[:, -1] = prefix[:, -1]
    return np.diff(below)


def best_cuts(
    programme: Programme,
    prefix: Floats,
    sizes: NDArray[np.int64],
    known: Positions | None = None,
) -> Cuts | None:
    """Return the best cuts of a table, or None where labels cannot be given often enough.

    Parameters
    ----------
    programme : Programme
    prefix : ndarray of shape (K, n_rows + 1)
        How many items of each label (or what weight of them) are in the rows below.
    sizes : ndarray of shape (n_rows + 1,)
        How many items are in the rows below.
    known : ndarray of shape (K - 1,), optional
        Good cuts, to begin with.
    """
    start = None
    if known is not None:
        table = table_at(prefix, known)
        start = Cuts(known, table, programme.ratio_of(table), 0, 0.0)
    found = _compiled_search(programme, prefix, start) or _search(programme, prefix, sizes, start)
    if found is None or found.ratio[1] == 0 or programme.rounding(found.ratio) == 0:
        return found
    return _certified(programme, prefix, sizes, found)


def _compiled_search(programme: Programme, prefix: Floats, start: Cuts | None) -> Cuts | None:
    """Return the best cuts as far as doubles can tell, or None where this is no simple case."""
    if (
        programme.search is None
        or programme.min_class_size
        or programme.n_labels > MOST_LABELS_BY_HAND
    ):
        return None
    if start is None:
        positions, ratio = np.empty(programme.n_labels - 1, np.int64), np.array(programme.start)
    else:
        positions, ratio = start.positions.astype(np.int64), np.array(start.ratio)
    rounds = programme.search(
        prefix, programme.matrix, programme.chance, ratio, positions, start is not None
    )
    if rounds == 0:
        return None
    observed, chance = ratio.tolist()
    return Cuts(positions, table_at(prefix, positions), (observed, chance), rounds, 0.0)


def _search(
    programme: Programme, prefix: Floats, sizes: NDArray[np.int64], best: Cuts | None
) -> Cuts | None:
    """Return the best cuts as far as doubles can tell."""
    ratio = best.ratio if best else programme.start
    for rounds in range(1, MOST_ROUNDS + 1):
        positions = _least(programme, _values(programme.steps(ratio), prefix), sizes)
        if positions is None:
            return None
        table = table_at(prefix, positions)
        new = programme.ratio_of(table)
        if best is not None and (new[1] == 0 or new[0] * ratio[1] >= ratio[0] * new[1]):
            return best._replace(rounds=rounds)
        if new[1] == 0 and programme.chance.any() and not programme.min_class_size:
            # No cuts are better than chance, and these leave kappa undefined: others do not.
            positions = _one_label(int(programme.chance.argmax()), programme.n_labels, len(sizes))
            table = table_at(prefix, positions)
            new = programme.ratio_of(table)
        best = Cuts(positions, table, new, rounds, 0.0)
        if new[1] == 0:
            return best
        ratio = new
    return best


def _one_label(label: int, n_labels: int, n_places: int) -> Positions:
    positions = np.zeros(n_labels - 1, np.intp)
    positions[label:] = n_places - 1
    return positions


def _least(programme: Programme, values: Floats, sizes: NDArray[np.int64]) -> Positions | None:
    """Return the cuts in order with the least sum of values."""
    if programme.independent(values):
        positions: Positions = values.argmin(axis=1)
        return positions
    return least_in_order(values, programme.order(sizes))


def _certified(programme: Programme, prefix: Floats, sizes: NDArray[np.int64], cuts: Cuts) -> Cuts:
    """Return the best cuts with a bound on what is missing, which is 0 for whole counts."""
    while True:
        values = _values(programme.steps(cuts.ratio), prefix)
        in_place = values[np.arange(len(values)), cuts.positions].sum()
        rounding = programme.rounding(cuts.ratio)
        doubtful = _doubtful(programme, values, sizes, rounding)
        certain = all(len(places) == 1 for places in doubtful)
        if certain and all(places[0] == p for places, p in zip(doubtful, cuts.positions)):
            return cuts
        positions = None
        if programme.whole:
            positions = least_in_whole_numbers(
                prefix, sizes, cuts.positions, doubtful, programme.weights, programme.min_class_size
            )
        if positions is None:
            least = sum(float(v[places].min()) for v, places in zip(values, doubtful))
            return cuts._replace(gap=programme.gap(least - in_place - 2 * rounding, cuts.ratio))
        if (positions == cuts.positions).all():
            return cuts
        table = table_at(prefix, positions)
        cuts = Cuts(positions, table, programme.ratio_of(table), cuts.rounds + 1, 0.0)


def _doubtful(
    programme: Programme, values: Floats, sizes: NDArray[np.int64], rounding: float
) -> list[Positions]:
    """Return where each cut may be, as far as rounding lets one tell."""
    costs = values
    if not programme.independent(values):
        costs = through_costs(values, programme.order(sizes))
    bound = costs.min(axis=1) + 2 * rounding
    return [np.flatnonzero(row <= most) for row, most in zip(costs, bound)]


def rows_worth_splitting(
    programme: Programme, prefix: Floats, sizes: NDArray[np.int64], cuts: Cuts
) -> NDArray[np.bool_]:
    """Tell which rows of a table could hold a better cut between their items.

    Whatever the order of its items, a cut inside a row costs no less than one before it,
    and all items that make it cheaper. The best cuts through a row with that bound are
    compared with the cuts found.
    """
    steps = programme.steps(cuts.ratio)
    values = _values(steps, prefix)
    bounds = values[:, :-1] + _values(np.minimum(steps, 0), np.diff(prefix))
    rounding = 2 * programme.rounding(cuts.ratio)
    worth: NDArray[np.bool_]
    if programme.independent(values):
        # In order or not, the other cuts cost no less than they do where each costs least.
        lowest = np.minimum(values.min(axis=1), bounds.min(axis=1))
        to_gain = values.min(axis=1).sum() - lowest.sum() + rounding
        worth = (bounds - lowest[:, None] <= to_gain).any(axis=0)
        return worth
    both = np.empty((len(values), 2 * values.shape[1] - 1))
    both[:, ::2] = values
    both[:, 1::2] = bounds
    # Between two rows as many items lie below as do; inside a row it is not known how many.
    at_least, at_most = np.repeat(sizes, 2)[:-1], np.repeat(sizes, 2)[1:]
    costs = through_costs(both, Order(at_least, at_most, programme.min_class_size))
    in_place = values[np.arange(len(values)), cuts.positions].sum()
    worth = (costs[:, 1::2] <= in_place + rounding).any(axis=0)
    return worth
