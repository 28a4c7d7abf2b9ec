"""Split chosen rows of a table between items with different scores."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import Floats
from fastkappa.kernels.contract import ScoreKernels
from fastkappa.thresholds.items.scored_items import Places
from fastkappa.thresholds.items.sorted_scores import SortedScores


class OpenRows(NamedTuple):
    """Some rows of a table, and all items of these rows, sorted by score."""

    rows: NDArray[np.intp]
    items: SortedScores

    def starts(self, n_below: Places) -> Places:
        """Return the index in ``items`` of each row's first item, and the end of the last row."""
        starts = np.zeros(len(self.rows) + 1, np.int64)
        np.cumsum(n_below[self.rows + 1] - n_below[self.rows], out=starts[1:])
        return starts

    def split(
        self, kernels: ScoreKernels, prefix: Floats, n_below: Places
    ) -> tuple[Floats, Places]:
        """Split these rows at all distinct scores. Return the new ``prefix`` and ``n_below``."""
        starts, places = self.starts(n_below), self.items.distinct_places()
        below = self.items.prefix_at(kernels, places)
        first = np.searchsorted(places, starts)
        is_inner = np.ones(len(places), bool)
        is_inner[first] = False
        of_row = np.repeat(np.arange(len(self.rows)), np.diff(first) - 1)
        row = self.rows[of_row]
        more = prefix[:, row] + (below[:, is_inner] - below[:, first[of_row]])
        more_below = n_below[row] + (places[is_inner] - starts[of_row])
        return (
            np.insert(prefix, row + 1, more, axis=1),
            np.insert(n_below, row + 1, more_below),
        )
