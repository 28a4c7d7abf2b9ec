"""Find the cheapest cuts in ascending order by dynamic programming over their positions.

``values[c, j]`` is the cost of cut c at position j, and the total cost is the sum over cuts.
Two cuts can be at the same position.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import Floats

Positions = NDArray[np.intp]


def least_in_order(values: Floats) -> Positions:
    """Return the ordered cuts with the least sum of values.

    Among cuts with the same sum, the last cut has the lowest position. If several cuts are still
    tied, the last cut but one has the lowest position, and so on.
    """
    forward = _forward(values)
    positions = np.empty(len(values), np.intp)
    end = values.shape[1]
    for c in reversed(range(len(values))):
        positions[c] = forward[c, :end].argmin()
        end = positions[c] + 1
    return positions


def through_costs(values: Floats) -> Floats:
    """Return the least sum of values of all ordered cuts, given that cut c is at position j."""
    # The backward pass is a forward pass with positions and cuts reversed.
    backward = _forward(values[::-1, ::-1])[::-1, ::-1]
    return _forward(values) + backward - values


def _forward(values: Floats) -> Floats:
    """Return the least sum of values of ordered cuts 0 to c, given that cut c is at position j."""
    forward = values.copy()
    for c in range(1, len(values)):
        forward[c] += np.minimum.accumulate(forward[c - 1])
    return forward
