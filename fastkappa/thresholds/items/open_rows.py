"""Split chosen rows of a table between items with different scores."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, Floats
from fastkappa.kernels.contract import ScoreKernels
from fastkappa.thresholds.items.scored_items import Places
from fastkappa.thresholds.items.sorted_scores import SortedScores, ascending


class OpenRows(NamedTuple):
    """Some rows of a table, with all their items sorted by score."""

    rows: NDArray[np.intp]
    items: SortedScores

    def starts(self, n_below: Places) -> Places:
        """Return the index in ``items`` of each row's first item, and the end of the last row."""
        starts = np.zeros(len(self.rows) + 1, np.int64)
        np.cumsum(n_below[self.rows + 1] - n_below[self.rows], out=starts[1:])
        return starts

    def split(
        self, kernels: ScoreKernels, prefix: Floats, n_below: Places, n_parts: int | None
    ) -> tuple[Floats, Places, OpenRows]:
        """Split these rows, and return the new ``prefix``, ``n_below`` and parts.

        Rows are split between all distinct scores or, if ``n_parts`` is given, into about
        that many parts in total.
        """
        starts = self.starts(n_below)
        if n_parts is None:
            places = self.items.distinct_places()
        else:
            spread = self.items.even_places(n_parts)
            places = ascending(np.sort(np.concatenate([spread, starts])))
        below = self.items.prefix_at(kernels, places)
        if len(n_below) == 2:
            return below, places, OpenRows(np.arange(len(places) - 1), self.items)
        first = np.searchsorted(places, starts)
        n_parts_of = np.diff(first)
        is_inner = np.ones(len(places), bool)
        is_inner[first] = False
        of_row = np.repeat(np.arange(len(self.rows)), n_parts_of - 1)
        row = self.rows[of_row]
        more = prefix[:, row] + (below[:, is_inner] - below[:, first[of_row]])
        more_below = n_below[row] + (places[is_inner] - starts[of_row])
        # If an earlier row is split into m parts, the index of a row increases by m - 1.
        parts = np.repeat(self.rows - np.arange(len(self.rows)), n_parts_of)
        parts += np.arange(len(parts))
        is_new = np.zeros(len(n_below) + len(row), bool)
        is_new[parts[is_inner[:-1]]] = True
        return (
            _merged(prefix, more, is_new),
            _merged(n_below, more_below, is_new),
            OpenRows(parts, self.items),
        )

    def only(self, n_below: Places, wanted: AnyArray) -> OpenRows:
        """Return only the wanted rows. ``wanted`` has one entry per row of the table."""
        kept = wanted[self.rows]
        rows = self.rows[kept]
        return OpenRows(rows, self.items.chosen(np.repeat(kept, np.diff(self.starts(n_below)))))


def _merged(old: AnyArray, new: AnyArray, is_new: NDArray[np.bool_]) -> AnyArray:
    """Merge the columns of two arrays, taking the next new column where ``is_new`` is true."""
    merged = np.empty((*old.shape[:-1], len(is_new)), old.dtype)
    merged[..., is_new] = new
    merged[..., ~is_new] = old
    return merged
