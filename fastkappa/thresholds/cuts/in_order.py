"""Find the cheapest ascending sequence of cuts by dynamic programming over their positions.

``values[c, j]`` is the cost of placing cut c at position j. The total cost is the sum over all
cuts. Two cuts can be at the same position.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import Floats

Positions = NDArray[np.intp]


def least_in_order(values: Floats) -> Positions:
    """Return the positions of the ordered cuts with the lowest total cost.

    Ties are broken by the lowest position of the last cut, then by the lowest position of the
    second-to-last cut, and so on.
    """
    forward = _forward(values)
    positions = np.empty(len(values), np.intp)
    end = values.shape[1]
    for c in reversed(range(len(values))):
        positions[c] = forward[c, :end].argmin()
        end = positions[c] + 1
    return positions


def through_costs(values: Floats) -> Floats:
    """Return, for each c and j, the lowest total cost of ordered cuts with cut c at position j."""
    # The backward pass is a forward pass with positions and cuts reversed.
    backward = _forward(values[::-1, ::-1])[::-1, ::-1]
    return _forward(values) + backward - values


def _forward(values: Floats) -> Floats:
    """Return, for each c and j, the lowest cost of ordered cuts 0 to c with cut c at position j."""
    forward = values.copy()
    for c in range(1, len(values)):
        forward[c] += np.minimum.accumulate(forward[c - 1])
    return forward
