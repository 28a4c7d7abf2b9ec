"""Store profiles without their missing ratings, for many raters and few ratings per subject.

Profiles with the same number of ratings m are the rows of an array of shape (P_m, m). A rating is
stored as the integer rater * l + code, where l is the number of labels. The ratings in a row are
sorted by rater.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.multirater.statistics.profiles import Profiles
from fastkappa.multirater.statistics.rated_profiles import RatedProfiles
from fastkappa.multirater.statistics.unseen import most_rows


class SparseProfiles(RatedProfiles):
    """The distinct profiles, and the number of subjects with each profile.

    Parameters
    ----------
    parts : sequence of tuple
        For each number of ratings m, an array of profiles, of shape (P_m, m), and the number of
        subjects with each profile, of shape (P_m,).
    n_raters, n_labels : int
        The number of raters and the number of labels.
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
        """Return these profiles and possible unseen profiles, or None if there are too many."""
        if len(self.multiplicities) > most_rows(n_features):
            return None
        return self.dense.with_unseen(n_features)

    @property
    def dense(self) -> Profiles:
        """The same profiles in dense form, with a special code for missing ratings."""
        codes = self.codes_of(np.arange(len(self.multiplicities)))
        return Profiles(codes, self.multiplicities, self.n_labels)

    def codes_of(self, rows: AnyArray) -> AnyArray:
        """Return the codes of the selected profiles, with ``n_labels`` for each missing rating."""
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

    @property
    def by_size(self) -> list[tuple[IntTable, AnyArray]]:
        ends = np.cumsum([len(part) for part in self.parts])
        return [(np.arange(end - len(part), end), part) for end, part in zip(ends, self.parts)]


RaterProfiles: TypeAlias = Profiles | SparseProfiles
