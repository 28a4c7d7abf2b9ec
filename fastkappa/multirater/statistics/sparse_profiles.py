"""Store profiles of many raters with few ratings per subject, without the missing ratings.

Profiles with the same number of ratings m are the rows of an array of shape (P_m, m). A rating is
the number rater * l + code. The ratings of a row are sorted by rater.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb
from typing import TypeAlias

import numpy as np

from fastkappa.arrays import AnyArray, Floats, IntTable
from fastkappa.multirater.statistics.profiles import Profiles
from fastkappa.multirater.statistics.unseen import most_rows

# The number of values to process at a time.
BLOCK = 1 << 18
# The largest number of cells in the tables of all pairs: 1 GB of counts.
MOST_CELLS = 1 << 27


class SparseProfiles:
    """The distinct profiles, and the number of subjects with each.

    Parameters
    ----------
    parts : sequence of tuple
        Profiles with the same number of ratings, of shape (P_m, m), and the number of subjects with
        each, of shape (P_m,).
    n_raters, n_labels : int
        The number of raters and of labels.
    """

    def __init__(
        self, parts: Sequence[tuple[AnyArray, IntTable]], n_raters: int, n_labels: int
    ) -> None:
        self.parts = [ratings for ratings, _ in parts]
        self.n_raters, self.n_labels = n_raters, n_labels
        self.multiplicities: AnyArray = np.concatenate([counts for _, counts in parts])
        self.n_ratings: IntTable = np.repeat(
            [ratings.shape[1] for ratings in self.parts], [len(part) for part in self.parts]
        )

    def with_unseen(self, n_features: int) -> Profiles | None:
        """Add the possible unseen profiles to these, or return None if there are too many."""
        if len(self.multiplicities) > most_rows(n_features):
            return None
        return self.dense.with_unseen(n_features)

    @property
    def dense(self) -> Profiles:
        """These profiles as dense profiles, which have a code for each missing rating."""
        codes = self.codes_of(np.arange(len(self.multiplicities)))
        return Profiles(codes, self.multiplicities, self.n_labels)

    def codes_of(self, rows: AnyArray) -> AnyArray:
        """Return the codes of the selected profiles, or ``n_labels`` for a missing rating."""
        codes = np.full(
            (len(rows), self.n_raters), self.n_labels, np.min_scalar_type(self.n_labels)
        )
        first = 0
        for part in self.parts:
            some = np.flatnonzero((rows >= first) & (rows < first + len(part)))
            raters, labels = np.divmod(part[rows[some] - first].astype(np.intp), self.n_labels)
            codes[some[:, None], raters] = labels
            first += len(part)
        return codes

    def distances(self, between: Floats) -> Floats:
        """Return the sum of the distances over a profile's ordered pairs of ratings."""
        total = np.empty(len(self.multiplicities))
        for rows, ratings in self._blocks(self.n_labels):
            counts = np.zeros((len(ratings), self.n_labels))
            place = np.arange(len(ratings))
            for codes in (ratings % self.n_labels).T:
                # A column has one code per row, so this statement never increments a cell twice.
                counts[place, codes] += 1
            total[rows] = ((counts @ between) * counts).sum(axis=1)
        return total

    def margins(self, multiplicities: AnyArray) -> AnyArray:
        """Return the number of subjects per rater and label, of shape (..., R, l)."""
        samples = multiplicities.reshape(-1, multiplicities.shape[-1])
        counts = np.zeros((len(samples), self.n_raters * self.n_labels), multiplicities.dtype)
        for rows, ratings in self._blocks():
            for sample, total in zip(samples, counts):
                np.add.at(total, ratings, sample[rows, None])
        return counts.reshape(*multiplicities.shape[:-1], self.n_raters, self.n_labels)

    def sums(self, values: Floats) -> Floats:
        """Return the sum of ``values``, of shape (R, l), over each profile's ratings."""
        total = np.empty(len(self.multiplicities))
        for rows, ratings in self._blocks():
            total[rows] = values.reshape(-1)[ratings].sum(axis=1)
        return total

    def tables(self, multiplicities: AnyArray) -> AnyArray:
        """Return the tables of all pairs of raters, of shape (..., R (R - 1) / 2, l, l).

        Raises
        ------
        ValueError
            If they have more than ``MOST_CELLS`` cells.
        """
        n_pairs = comb(self.n_raters, 2)
        n_cells = n_pairs * self.n_labels**2
        if n_cells > MOST_CELLS:
            raise ValueError(
                f"the {n_pairs} pairs of {self.n_raters} raters have {n_cells} cells in their"
                f" tables of {self.n_labels} labels, more than the {MOST_CELLS} that"
                " light_kappa and pairwise_kappa support: leave out raters, or merge labels."
                " The other coefficients need no such tables."
            )
        samples = multiplicities.reshape(-1, multiplicities.shape[-1])
        tables = np.zeros((len(samples), n_cells), multiplicities.dtype)
        for rows, cells in self._pairs():
            for sample, table in zip(samples, tables):
                np.add.at(table, cells, sample[rows, None])
        shape = n_pairs, self.n_labels, self.n_labels
        return tables.reshape(*multiplicities.shape[:-1], *shape)

    def pair_sums(self, values: Floats) -> Floats:
        """Return the sum of ``values``, shaped as `tables`, over each profile's pairs."""
        total = np.zeros(len(self.multiplicities))
        for rows, cells in self._pairs():
            total[rows] += values.reshape(-1)[cells].sum(axis=1)
        return total

    def cells_of_pairs(self) -> Iterator[tuple[AnyArray, AnyArray]]:
        """Yield profile indices and their cells in the flattened `tables`, many pairs at once."""
        rows, cells = [np.zeros(0, np.intp)], [np.zeros(0, np.intp)]
        for some, of_pairs in self._pairs():
            rows.append(np.repeat(np.arange(some.start, some.stop), of_pairs.shape[1]))
            cells.append(of_pairs.ravel())
        yield np.concatenate(rows), np.concatenate(cells)

    def _blocks(self, width: int = 1) -> Iterator[tuple[slice, AnyArray]]:
        """Yield blocks of profiles, small enough for ``width`` numbers or all ratings of each."""
        first = 0
        for part in self.parts:
            step = max(1, BLOCK // max(part.shape[1], width))
            for start in range(0, len(part), step):
                ratings = part[start : start + step].astype(np.intp)
                yield slice(first + start, first + start + len(ratings)), ratings
            first += len(part)

    def _pairs(self) -> Iterator[tuple[slice, AnyArray]]:
        """Yield blocks of profiles with the cells of their pairs in the tables of all pairs."""
        n_raters, n_labels = self.n_raters, self.n_labels
        for rows, ratings in self._blocks():
            raters, codes = np.divmod(ratings, n_labels)
            # Pairs of earlier raters come first, then the pairs of this rater, in order.
            before = raters * (2 * n_raters - raters - 1) // 2 - raters - 1
            for i in range(ratings.shape[1] - 1):
                cells = before[:, i, None] + raters[:, i + 1 :]
                cells *= n_labels
                cells += codes[:, i, None]
                cells *= n_labels
                cells += codes[:, i + 1 :]
                yield rows, cells


# Profiles are dense or sparse.
RaterProfiles: TypeAlias = Profiles | SparseProfiles
