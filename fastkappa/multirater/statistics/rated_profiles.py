"""Compute sums over the ratings in distinct profiles, which can be dense or sparse.

A profile lists each rater's rating of a subject. Profiles with the same number of ratings, m, are
processed in blocks, which are arrays of shape (P, m). A rating is stored as the number rater * l +
code, and the ratings in a row are sorted by rater.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from math import comb

import numpy as np

from fastkappa.arrays import AnyArray, Floats, IntTable

# The number of values to process at a time.
BLOCK = 1 << 18
# The largest number of cells in the tables of all pairs: 1 GB of counts.
MOST_CELLS = 1 << 27


class RatedProfiles(ABC):
    """The distinct profiles, and the number of subjects with each profile.

    Attributes
    ----------
    n_raters, n_labels : int
        The number of raters and the number of labels.
    multiplicities : ndarray of shape (P,)
        The number of subjects with each profile.
    """

    n_raters: int
    n_labels: int
    multiplicities: AnyArray

    @property
    @abstractmethod
    def by_size(self) -> list[tuple[IntTable, AnyArray]]:
        """For each number of ratings, the indices of the profiles, and their ratings."""

    def distances(self, between: Floats) -> Floats:
        """Return, for each profile, the sum of the distances over its ordered pairs of ratings."""
        total = np.empty(len(self.multiplicities))
        for rows, ratings in self._blocks(self.n_labels):
            counts = np.zeros((len(ratings), self.n_labels))
            place = np.arange(len(ratings))
            for codes in (ratings % self.n_labels).T:
                # Each row has one code in this column, so no cell is incremented twice here.
                counts[place, codes] += 1
            total[rows] = ((counts @ between) * counts).sum(axis=1)
        return total

    def margins(self, multiplicities: AnyArray) -> AnyArray:
        """Return an array of shape (..., R, l): how many subjects each rater gave each label."""
        samples = multiplicities.reshape(-1, multiplicities.shape[-1])
        counts = np.zeros((len(samples), self.n_raters * self.n_labels), multiplicities.dtype)
        for rows, ratings in self._blocks():
            for sample, total in zip(samples, counts):
                _add(total, ratings, sample[rows])
        return counts.reshape(*multiplicities.shape[:-1], self.n_raters, self.n_labels)

    def sums(self, values: Floats) -> Floats:
        """Return, for each profile, the sum of ``values`` over its ratings.

        ``values`` has the shape (R, l).
        """
        total = np.empty(len(self.multiplicities))
        for rows, ratings in self._blocks():
            total[rows] = values.reshape(-1)[ratings].sum(axis=1)
        return total

    def tables(self, multiplicities: AnyArray) -> AnyArray:
        """Return the tables of all pairs of raters: an array of shape (..., R (R - 1) / 2, l, l).

        Raises
        ------
        ValueError
            If the tables have more than ``MOST_CELLS`` cells.
        """
        n_pairs = comb(self.n_raters, 2)
        n_cells = n_pairs * self.n_labels**2
        if n_cells > MOST_CELLS:
            raise ValueError(
                f"with {self.n_labels} labels, the tables for the {n_pairs} pairs of raters would"
                f" have {n_cells} cells in total, but light_kappa and pairwise_kappa support at"
                f" most {MOST_CELLS}. Leave out raters, merge labels, or use another coefficient."
            )
        samples = multiplicities.reshape(-1, multiplicities.shape[-1])
        tables = np.zeros((len(samples), n_cells), multiplicities.dtype)
        for rows, cells in self._pairs():
            for sample, table in zip(samples, tables):
                _add(table, cells, sample[rows])
        shape = n_pairs, self.n_labels, self.n_labels
        return tables.reshape(*multiplicities.shape[:-1], *shape)

    def pair_sums(self, values: Floats) -> Floats:
        """Return, for each profile, the sum of ``values`` over its pairs of ratings.

        ``values`` has the same shape as the result of `tables`.
        """
        total = np.zeros(len(self.multiplicities))
        for rows, cells in self._pairs():
            total[rows] += values.reshape(-1)[cells].sum(axis=1)
        return total

    def cells_of_pairs(self) -> tuple[AnyArray, AnyArray]:
        """Return the profile index and the cell of every pair of ratings.

        Cells are indices into the flattened result of `tables`.
        """
        rows, cells = [np.zeros(0, np.intp)], [np.zeros(0, np.intp)]
        for some, of_pairs in self._pairs():
            rows.append(np.repeat(some, of_pairs.shape[1]))
            cells.append(of_pairs.ravel())
        return np.concatenate(rows), np.concatenate(cells)

    def _blocks(self, width: int = 1) -> Iterator[tuple[IntTable, AnyArray]]:
        """Yield blocks of profiles, small enough to store ``width`` values per profile."""
        for rows, ratings in self.by_size:
            step = max(1, BLOCK // max(ratings.shape[1], width))
            for start in range(0, len(rows), step):
                some = slice(start, start + step)
                yield rows[some], ratings[some].astype(np.intp)

    def _pairs(self) -> Iterator[tuple[IntTable, AnyArray]]:
        """Yield blocks of profiles, with the cell of `tables` that each pair of ratings is in."""
        n_raters, n_labels = self.n_raters, self.n_labels
        for rows, ratings in self._blocks():
            raters, codes = np.divmod(ratings, n_labels)
            # Pairs are numbered by their first rater, and then by their second rater.
            before = raters * (2 * n_raters - raters - 1) // 2 - raters - 1
            for i in range(ratings.shape[1] - 1):
                cells = before[:, i, None] + raters[:, i + 1 :]
                cells *= n_labels
                cells += codes[:, i, None]
                cells *= n_labels
                cells += codes[:, i + 1 :]
                yield rows, cells


def _add(totals: AnyArray, cells: AnyArray, counts: AnyArray) -> None:
    """Add each row's count to all of its cells. ``cells`` has the shape (rows, m)."""
    np.add.at(totals, cells.ravel(), np.repeat(counts, cells.shape[1]))
