"""Rows of a table, split between items of different scores."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.kernels.contract import ScoreKernels
from fastkappa.thresholds.items.sorted_scores import SortedScores, ascending

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


class OpenRows(NamedTuple):
    """Some rows of a table, with their items in order: those are all of ``inside``."""

    rows: NDArray[np.intp]
    inside: SortedScores

    def starts(self, sizes: Places) -> Places:
        """Return where in ``inside`` each row begins, and where the last one ends."""
        starts = np.zeros(len(self.rows) + 1, np.int64)
        np.cumsum(sizes[self.rows + 1] - sizes[self.rows], out=starts[1:])
        return starts

    def split(
        self, kernels: ScoreKernels, prefix: Floats, sizes: Places, n_parts: int | None
    ) -> tuple[Floats, Places, OpenRows]:
        """Return prefix sums and sizes of the table with these rows split, and their parts.

        Rows are split between all different scores or, if ``n_parts`` is given, into about
        so many parts.
        """
        starts = self.starts(sizes)
        if n_parts is None:
            places = self.inside.distinct_places()
        else:
            spread = self.inside.even_places(n_parts)
            places = ascending(np.sort(np.concatenate([spread, starts])))
        below = self.inside.prefix_at(kernels, places)
        if len(sizes) == 2:
            return below, places, OpenRows(np.arange(len(places) - 1), self.inside)
        first = np.searchsorted(places, starts)
        n_parts_of = np.diff(first)
        is_inner = np.ones(len(places), bool)
        is_inner[first] = False
        of_row = np.repeat(np.arange(len(self.rows)), n_parts_of - 1)
        row = self.rows[of_row]
        more = prefix[:, row] + (below[:, is_inner] - below[:, first[of_row]])
        more_sizes = sizes[row] + (places[is_inner] - starts[of_row])
        # A row moves up by the parts that the rows below it have become, less themselves.
        parts = np.repeat(self.rows - np.arange(len(self.rows)), n_parts_of)
        parts += np.arange(len(parts))
        is_new = np.zeros(len(sizes) + len(row), bool)
        is_new[parts[is_inner[:-1]]] = True
        return (
            _merged(prefix, more, is_new),
            _merged(sizes, more_sizes, is_new),
            OpenRows(parts, self.inside),
        )

    def only(self, sizes: Places, wanted: AnyArray) -> OpenRows:
        """Return the rows that are wanted, of all rows of the table."""
        kept = wanted[self.rows]
        rows = self.rows[kept]
        inside = self.inside.chosen(np.repeat(kept, np.diff(self.starts(sizes))))
        return OpenRows(rows, inside)


def _merged(old: AnyArray, new: AnyArray, is_new: NDArray[np.bool_]) -> AnyArray:
    """Return the columns of two arrays in the order that ``is_new`` tells."""
    merged = np.empty((*old.shape[:-1], len(is_new)), old.dtype)
    merged[..., is_new] = new
    merged[..., ~is_new] = old
    return merged
