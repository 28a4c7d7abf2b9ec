"""Find the cuts of an ordered table that maximise kappa.

The rows of the table are groups of items in the order of their scores, and its columns are
the true labels. With K labels, there are K - 1 cuts between rows. Items below the first cut
get label 0, items between the first and the second cut get label 1, and so on. With
disagreement weights w, column totals R and their sum N,

    kappa = 1 - N * O / C,   O = sum of w[true, given],   C = sum of chance[given],
    chance[c] = sum_y R[y] * w[y, c]

Both O and C are sums over items, so minimising O / C is a fractional programme. Dinkelbach's
method starts from the ratio O / C of any cuts. The cuts that minimise O - ratio * C have a lower
ratio, unless the current ratio is already minimal. This step is repeated until the ratio is
minimal.

Placing cut c after j rows adds f_c(j) to O - ratio * C, where f_c(j) is the cost of label c - 1
minus the cost of label c, summed over the items in the rows below the cut. If the positions that
minimise each f_c separately are in ascending order, they are the solution. With quadratic weights,
these positions are always in order. If they are not in order, dynamic programming finds the best
cuts in ascending order (`in_order`).

Sums are float64. If rounding errors could change the result and all counts are integers, the cuts
are compared again in integer arithmetic (`exact_ties`), so that the result is exactly optimal.

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

from fastkappa.arrays import LARGEST_EXACT, AnyArray, Floats
from fastkappa.thresholds.cuts.exact_ties import break_ties_exactly
from fastkappa.thresholds.cuts.in_order import Positions, least_in_order, through_costs

Ratio = tuple[float, float]

EPSILON = 2.0**-52
# With more labels than this, BLAS is used, because the work grows with the square of the number of
# labels.
MOST_LABELS_BY_HAND = 32
# The maximum number of rounds. No trial needed more than 7. Every round except the last improves
# the cuts.
MOST_ROUNDS = 100


class Cuts(NamedTuple):
    """The best cuts of a table.

    ``positions`` contains the number of rows below each cut. ``table`` is the confusion matrix,
    with one row per true label. ``ratio`` is the pair (O, C). ``gap`` is an upper bound on the
    difference between the optimal kappa and the kappa of the cuts. A gap of 0.0 means that the cuts
    are proven optimal.
    """

    positions: Positions
    table: Floats
    ratio: Ratio
    rounds: int
    gap: float


class Programme:
    """The objective to minimise, which is the same for all tables that count the same items.

    Parameters
    ----------
    totals : ndarray of shape (K,)
        The count, or the sum of item weights, of each true label.
    weights : ndarray of shape (K, K)
        Disagreement weights.
    search : callable, default=None
        A compiled search for cuts. Its result is used only if the cuts can be found separately.
    counts_whole : bool, default=True
        Whether integer totals imply that all entries of a table are integers. If the entries are
        integers, ties are broken in integer arithmetic.
    """

    def __init__(
        self,
        totals: Floats,
        weights: AnyArray,
        search: Callable[..., int] | None = None,
        counts_whole: bool = True,
    ) -> None:
        matrix = weights.astype(np.float64)
        largest = float(matrix.max(initial=0))
        self.weights = weights
        # Scaling by a power of two is exact, and keeps products in range.
        self.matrix = matrix * 2.0 ** -max(0, math.frexp(largest)[1] - 53)
        self.totals = totals
        self.n_labels = len(totals)
        self.chance = totals @ self.matrix
        n = float(totals.sum())
        self.start = (1.0, n)
        self.whole = counts_whole and n < LARGEST_EXACT and bool((totals == np.rint(totals)).all())
        self.whole_weights = bool((matrix == np.rint(matrix)).all())
        self.search = search

    def steps(self, ratio: Ratio) -> Floats:
        """Return label c - 1's cost minus label c's cost, for each cut c and true label."""
        observed, chance = ratio
        cost = self.matrix * chance - observed * self.chance
        steps: Floats = (cost[:, :-1] - cost[:, 1:]).T
        return steps

    def rounding(self, ratio: Ratio) -> float:
        """Return a bound on the rounding error of the sum of all f_c."""
        observed, chance = ratio
        costs = self.matrix * chance + observed * self.chance
        largest = 2 * float((self.totals @ costs).sum())
        if self.whole and self.whole_weights and largest < LARGEST_EXACT:
            # All f_c and their sum are integers that float64 represents exactly.
            return 0.0
        return 4 * EPSILON * (self.n_labels + 8) * largest

    def ratio_of(self, table: Floats) -> Ratio:
        """Return O and C of a confusion matrix."""
        return float((self.matrix * table).sum()), float(self.chance @ table.sum(axis=0))

    def independent(self, values: Floats) -> bool:
        """Return whether the positions that minimise each f_c are in ascending order."""
        positions = values.argmin(axis=1)
        return bool((positions[1:] >= positions[:-1]).all())

    def gap(self, least: float, ratio: Ratio) -> float:
        """Return an upper bound on the gain in kappa if O - ratio * C can fall to ``least``."""
        # The gain in kappa is N * -least / (C * ratio[1]). C is at least N times the smallest value
        # of ``chance``.
        lowest = float(self.chance.min()) * ratio[1]
        return max(0.0, -float(least)) / lowest if lowest > 0 else math.inf


def prefix_of(table: AnyArray) -> Floats:
    """Return, per label and position, the number of items in the rows below the position."""
    prefix = np.zeros((table.shape[1], len(table) + 1))
    np.cumsum(table.T, axis=1, out=prefix[:, 1:])
    return prefix


def _values(steps: Floats, prefix: Floats) -> Floats:
    """Return f_c at each position: ``steps @ prefix``, computed by BLAS only for many labels."""
    if len(prefix) > MOST_LABELS_BY_HAND:
        product: Floats = steps @ prefix
        return product
    values: Floats = steps[:, :1] * prefix[0]
    for y in range(1, len(prefix)):
        values += steps[:, y : y + 1] * prefix[y]
    return values


def table_at(prefix: Floats, positions: Positions) -> Floats:
    """Return the confusion matrix for cuts at these positions, with one row per true label."""
    below = np.zeros((len(prefix), len(positions) + 2))
    below[:, 1:-1] = prefix[:, positions]
    below[:, -1] = prefix[:, -1]
    return np.diff(below)


def best_cuts(programme: Programme, prefix: Floats, known: Positions | None = None) -> Cuts:
    """Return the best cuts of a table.

    Parameters
    ----------
    programme : Programme
    prefix : ndarray of shape (K, n_rows + 1)
        The number of items, or the sum of their weights, per label in the rows below each position.
    known : ndarray of shape (K - 1,), optional
        Good cuts to start from.
    """
    start = None if known is None else _cuts_at(programme, prefix, known, 0)
    found = _compiled_search(programme, prefix, start) or _search(programme, prefix, start)
    if found.ratio[1] == 0 or programme.rounding(found.ratio) == 0:
        return found
    return _certified(programme, prefix, found)


def _cuts_at(programme: Programme, prefix: Floats, positions: Positions, rounds: int) -> Cuts:
    table = table_at(prefix, positions)
    return Cuts(positions, table, programme.ratio_of(table), rounds, 0.0)


def _compiled_search(programme: Programme, prefix: Floats, start: Cuts | None) -> Cuts | None:
    """Return the best cuts up to rounding, or None if the compiled search does not apply."""
    if programme.search is None or programme.n_labels > MOST_LABELS_BY_HAND:
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


def _search(programme: Programme, prefix: Floats, best: Cuts | None) -> Cuts:
    """Return the best cuts up to rounding."""
    ratio = best.ratio if best else programme.start
    for rounds in range(1, MOST_ROUNDS + 1):
        values = _values(programme.steps(ratio), prefix)
        positions: Positions = values.argmin(axis=1)
        if not programme.independent(values):
            positions = least_in_order(values)
        new = _cuts_at(programme, prefix, positions, rounds)
        if best is not None and (
            new.ratio[1] == 0 or new.ratio[0] * ratio[1] >= ratio[0] * new.ratio[1]
        ):
            return best._replace(rounds=rounds)
        if new.ratio[1] == 0 and programme.chance.any():
            # No cuts are better than chance, and kappa is undefined for the best cuts. Therefore,
            # give all items one label, for which kappa is defined.
            positions = np.zeros(programme.n_labels - 1, np.intp)
            positions[int(programme.chance.argmax()) :] = prefix.shape[1] - 1
            new = _cuts_at(programme, prefix, positions, rounds)
        best = new
        if new.ratio[1] == 0:
            return best
        ratio = new.ratio
    assert best is not None
    return best


def _certified(programme: Programme, prefix: Floats, cuts: Cuts) -> Cuts:
    """Return the best cuts and their gap. For integer counts with few ties, the gap is 0."""
    while True:
        values = _values(programme.steps(cuts.ratio), prefix)
        in_place = values[np.arange(len(values)), cuts.positions].sum()
        rounding = programme.rounding(cuts.ratio)
        # The candidates are the positions of each cut that are optimal within rounding errors.
        costs = values if programme.independent(values) else through_costs(values)
        bound = costs.min(axis=1) + 2 * rounding
        candidates = [np.flatnonzero(row <= most) for row, most in zip(costs, bound)]
        certain = all(len(own) == 1 for own in candidates)
        if certain and all(own[0] == p for own, p in zip(candidates, cuts.positions)):
            return cuts
        positions = None
        if programme.whole:
            positions = break_ties_exactly(prefix, cuts.positions, candidates, programme.weights)
        if positions is None:
            least = sum(float(row[own].min()) for row, own in zip(values, candidates))
            return cuts._replace(gap=programme.gap(least - in_place - 2 * rounding, cuts.ratio))
        if (positions == cuts.positions).all():
            return cuts
        cuts = _cuts_at(programme, prefix, positions, cuts.rounds + 1)


def rows_worth_splitting(programme: Programme, prefix: Floats, cuts: Cuts) -> NDArray[np.bool_]:
    """Return a mask of the rows in which a cut between two items might be better.

    A cut inside a row costs at least as much as a cut before the row, plus the contributions of all
    items in the row that make the cut cheaper. Splitting a row is worthwhile only if cuts with this
    minimum cost are better than the cuts already found.
    """
    steps = programme.steps(cuts.ratio)
    values = _values(steps, prefix)
    bounds = values[:, :-1] + _values(np.minimum(steps, 0), np.diff(prefix))
    rounding = 2 * programme.rounding(cuts.ratio)
    worth: NDArray[np.bool_]
    if programme.independent(values):
        # If one cut is inside a row, every other cut still costs at least its own minimum.
        lowest = np.minimum(values.min(axis=1), bounds.min(axis=1))
        to_gain = values.min(axis=1).sum() - lowest.sum() + rounding
        worth = (bounds - lowest[:, None] <= to_gain).any(axis=0)
        return worth
    # Costs of cuts between rows alternate with bounds for cuts inside rows.
    both = np.empty((len(values), 2 * values.shape[1] - 1))
    both[:, ::2] = values
    both[:, 1::2] = bounds
    in_place = values[np.arange(len(values)), cuts.positions].sum()
    worth = (through_costs(both)[:, 1::2] <= in_place + rounding).any(axis=0)
    return worth
