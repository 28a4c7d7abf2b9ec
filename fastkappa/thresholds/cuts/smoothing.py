"""Smooth label proportions along the order of the scores.

The rows of a table are groups of items in the order of their scores, as in `cut_programme`. The
label of an item is random, but the probability of each label changes slowly with the score. So the
proportion of a label in each row is replaced by an average over neighbouring rows. A moving average
over ranks is applied twice, so its weights form a triangle.

A moving average applied twice to a step function is a second difference of the function's second
integral, so the work does not depend on the width of the average. A row of n items, or an item with
weight n, counts as n single items.
"""

from __future__ import annotations

import numpy as np

from fastkappa.arrays import Floats

# Proportions are averaged over FACTOR * n**(4/5) ranks on each side, for n ranks in total. The
# factor was chosen in simulations of ordinal data (bench/studies/rounding.py). The exponent comes
# from kernel regression.
FACTOR = 0.3


def smoothed_prefix(prefix: Floats, n_items: float) -> Floats:
    """Return the expected label counts below each position, from smoothed proportions.

    Parameters
    ----------
    prefix : ndarray of shape (K, n_rows + 1)
        The count, or the sum of item weights, of each label in the rows below. Each row has
        at least one item.
    n_items : float
        The number of items, or the effective number of items if they are weighted.

    Returns
    -------
    prefix : ndarray of shape (K, n_rows + 1)

    Examples
    --------
    >>> import numpy as np
    >>> from fastkappa.thresholds.cuts.smoothing import smoothed_prefix
    >>> smoothed_prefix(np.array([[0.0, 1, 2, 2, 2], [0, 0, 0, 1, 2]]), 4).round(3)
    array([[0.   , 1.   , 1.848, 2.   , 2.   ],
           [0.   , 0.   , 0.152, 1.   , 2.   ]])
    """
    below = prefix.sum(axis=0)
    total = float(below[-1])
    reach = min(1.0, FACTOR * n_items**-0.2) * total
    proportions = np.diff(prefix) / np.diff(below)
    # Mirroring the proportions at both ends preserves the label totals.
    backwards = proportions[:, ::-1]
    mirrored = np.concatenate([backwards, proportions, backwards], axis=1)
    ends = np.concatenate([-below[:0:-1], below, 2 * total - below[-2::-1]])
    thrice = _Integral(ends, mirrored, 3)
    around = thrice(below - reach) - 2 * thrice(below) + thrice(below + reach)
    smooth = (around - around[:, :1]) / (reach * reach)
    # The smoothed totals are replaced by the totals of the labels, which are known exactly.
    smooth[:, -1] = prefix[:, -1]
    return np.ascontiguousarray(smooth)


class _Integral:
    """The repeated integral of step functions, evaluated at any place."""

    def __init__(self, ends: Floats, steps: Floats, times: int) -> None:
        self._ends = ends
        # The coefficients, highest power first, of the polynomial that is the integral within a
        # step.
        self._coefficients = [steps]
        widths = np.diff(ends)
        for _ in range(times):
            n = len(self._coefficients)
            raised = [part / (n - i) for i, part in enumerate(self._coefficients)]
            start = np.zeros_like(steps)
            gained = _polynomial([*raised, start], widths)
            np.cumsum(gained[:, :-1], axis=1, out=start[:, 1:])
            self._coefficients = [*raised, start]

    def __call__(self, places: Floats) -> Floats:
        step = np.searchsorted(self._ends, places, side="right") - 1
        step = np.clip(step, 0, len(self._ends) - 2)
        return _polynomial(
            [part[:, step] for part in self._coefficients], places - self._ends[step]
        )


def _polynomial(coefficients: list[Floats], x: Floats) -> Floats:
    value = coefficients[0]
    for part in coefficients[1:]:
        value = value * x + part
    return value
