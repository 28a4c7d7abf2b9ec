"""Find the cheapest cuts in order by dynamic programming over their positions.

``values[c, j]`` is the cost of cut c at position j, and the total cost is the sum over cuts.
Two cuts can be at the same position, unless each label needs a minimum number of items.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import Floats

Positions = NDArray[np.intp]


class Order(NamedTuple):
    """Bounds on the number of items below each position, and the minimum number per label.

    All items are below the last position.
    """

    at_least: NDArray[np.int64]
    at_most: NDArray[np.int64]
    min_class_size: int

    def last_before(self) -> Positions:
        """Return the last position allowed for the cut before a cut at each position.

        The result is -1 if no position is allowed.
        """
        here = np.arange(len(self.at_most))
        if not self.min_class_size:
            return here
        room = np.searchsorted(self.at_least, self.at_most - self.min_class_size, "right") - 1
        return np.minimum(room, here)

    def first_after(self) -> Positions:
        """Return the first position allowed for the next cut after a cut at each position.

        The result is the number of positions if no position is allowed.
        """
        here = np.arange(len(self.at_most))
        if not self.min_class_size:
            return here
        room = np.searchsorted(self.at_most, self.at_least + self.min_class_size, "left")
        return np.maximum(room, here)

    def for_first(self) -> NDArray[np.bool_]:
        """Return a mask of the positions that the first cut can have."""
        return self.at_most >= self.min_class_size

    def for_last(self) -> NDArray[np.bool_]:
        """Return a mask of the positions that the last cut can have."""
        above: NDArray[np.int64] = self.at_most[-1] - self.at_least
        return above >= self.min_class_size


def least_in_order(values: Floats, order: Order) -> Positions | None:
    """Return the ordered cuts with the least sum of values, or None if no cuts are allowed.

    Ties are resolved in favour of the lowest position of the last cut, then of the cut before it,
    and so on.
    """
    before = order.last_before()
    forward = _forward(values, order)
    forward[-1, ~order.for_last()] = np.inf
    positions = np.empty(len(values), np.intp)
    end = values.shape[1]
    for c in reversed(range(len(values))):
        positions[c] = forward[c, :end].argmin() if end else 0
        if not end or forward[c, positions[c]] == np.inf:
            return None
        end = before[positions[c]] + 1
    return positions


def through_costs(values: Floats, order: Order) -> Floats:
    """For all c and j, return the least sum of values of ordered cuts with cut c at position j."""
    # The backward pass is a forward pass with positions and cuts reversed.
    forward = _forward(values, order)
    after = order.first_after()
    backward = np.where(order.for_last(), values[-1], np.inf)
    costs = np.empty_like(values)
    costs[-1] = forward[-1] + backward - values[-1]
    for c in reversed(range(len(values) - 1)):
        best = np.append(np.minimum.accumulate(backward[::-1])[::-1], np.inf)
        backward = values[c] + best[after]
        costs[c] = forward[c] + backward - values[c]
    return costs


def _forward(values: Floats, order: Order) -> Floats:
    """For all c and j, return the least sum of values of cuts 0 to c with cut c at position j."""
    before = order.last_before()
    forward = np.empty_like(values)
    forward[0] = np.where(order.for_first(), values[0], np.inf)
    for c in range(1, len(values)):
        best = np.append(np.minimum.accumulate(forward[c - 1]), np.inf)
        forward[c] = values[c] + best[before]
    return forward
