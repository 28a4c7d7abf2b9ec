"""The ratings of several raters, read from each of the forms they come in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.columns.labels import distinct
from fastkappa.columns.missing import is_missing
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.kernels.threads import available_threads
from fastkappa.multirater.items.columns import columns_of, encode, find_labels, read_raters
from fastkappa.multirater.items.count_tables import read_counts, read_labels, table_labels
from fastkappa.multirater.items.counts import (
    count_patterns,
    count_profiles,
    count_rater_pairs,
    patterns_of,
    profiles_are_few,
)
from fastkappa.multirater.items.distinct_rows import distinct_rows
from fastkappa.multirater.statistics.patterns import Patterns
from fastkappa.multirater.statistics.profiles import Profiles
from fastkappa.statistics.tables import as_counts

# Distinct rows, and how many subjects have each.
CountedRows: TypeAlias = tuple[AnyArray, IntTable]


@dataclass(frozen=True, eq=False, repr=False)
class Ratings:
    """The ratings that two or more raters gave to the same subjects, or to some of them.

    Make one with `from_array`, `from_raters`, `from_table` or `from_counts`. Ratings are
    counted once, when the first coefficient needs them: do not change the arrays before.

    Attributes
    ----------
    labels : ndarray of shape (l,)
        The labels, in the order that weights refer to.
    n_subjects : int
        How many subjects there are, rated or not.
    n_raters : int
        How many raters there are; for counts, the most that rated one subject.
    rater_names : tuple of str or None
        The raters' names, or None if it is not known who gave which rating.
    """

    labels: AnyArray
    n_subjects: int
    n_raters: int
    rater_names: tuple[str, ...] | None
    _count_profiles: Callable[[], CountedRows] | None = None
    _count_patterns: Callable[[], CountedRows] | None = None
    _count_pairs: Callable[[], IntTable] | None = None

    @classmethod
    def from_array(
        cls, ratings: Any, *, labels: Any = None, missing_codes: Sequence[Any] = ()
    ) -> Ratings:
        """Return the ratings of an array or frame: a row per subject, a column per rater.

        Parameters
        ----------
        ratings : array-like of shape (n_subjects, n_raters)
            A NumPy array, a list of rows, or a data frame of pandas, polars or pyarrow, with
            columns as for `fastkappa.confusion_counts`. Fractions may be labels too.
            Missing ratings are None, NaN, NaT, NA, null or masked.
        labels : array-like of shape (l,), default=None
            All possible labels, in order. None takes those that occur, sorted.
        missing_codes : sequence, default=()
            Values that stand for a missing rating, such as -1 or "unknown".

        Returns
        -------
        ratings : Ratings

        Raises
        ------
        ValueError
            If there are no subjects, fewer than two raters or no ratings, or if a rating is
            not one of the labels or cannot be a label.

        Examples
        --------
        >>> from fastkappa import Ratings
        >>> Ratings.from_array([[1, 1, 2], [2, None, 2], [3, 3, 9]], missing_codes=[9])
        <Ratings: 3 subjects, 3 raters, 2 of 9 ratings missing, labels [1, 2, 3]>
        """
        columns, names = columns_of(ratings)
        if names is None:
            names = [f"rater {i}" for i in range(1, len(columns) + 1)]
        return cls._of_columns(columns, names, labels, missing_codes, "ratings")

    @classmethod
    def from_raters(
        cls,
        raters: Sequence[Any] | Mapping[str, Any],
        *,
        labels: Any = None,
        missing_codes: Sequence[Any] = (),
    ) -> Ratings:
        """Return the ratings of a list of raters, each with one rating per subject.

        Parameters
        ----------
        raters : sequence of array-likes of shape (n_subjects,), or dict of them by name
            The raters' ratings, of the same subjects in the same order.
        labels, missing_codes
            As for `from_array`.

        Returns
        -------
        ratings : Ratings

        Raises
        ------
        ValueError
            As for `from_array`, and if the raters' lists differ in length.

        Examples
        --------
        >>> from fastkappa import Ratings
        >>> Ratings.from_raters({"Ann": ["a", "b"], "Ben": ["a", None], "Cat": ["b", "b"]})
        <Ratings: 2 subjects, 3 raters, 1 of 6 ratings missing, labels ['a', 'b']>
        """
        if isinstance(raters, Mapping):
            columns, names = list(raters.values()), [str(name) for name in raters]
        elif isinstance(raters, (str, bytes)) or not hasattr(raters, "__iter__"):
            raise ValueError(f"raters must be a list or a dict of columns, got {raters!r}.")
        else:
            columns = list(raters)
            names = [f"rater {i}" for i in range(1, len(columns) + 1)]
        return cls._of_columns(columns, names, labels, missing_codes, "raters")

    @classmethod
    def from_table(cls, table: ArrayLike, *, labels: Any = None) -> Ratings:
        """Return the ratings of two raters from the table that counts them.

        Parameters
        ----------
        table : array-like of shape (l, l)
            Counts of subjects; rows are the first rater's ratings.
        labels : array-like of shape (l,), default=None
            The labels of rows and columns. None takes the column names of a data frame, such
            as one of `pandas.crosstab`, and 0 to l - 1 for other tables.

        Returns
        -------
        ratings : Ratings

        Raises
        ------
        ValueError
            If the table is not square or empty, has counts that are negative or not whole,
            or does not match the labels.

        Examples
        --------
        >>> from fastkappa import Ratings
        >>> Ratings.from_table([[20, 5], [10, 15]])
        <Ratings: 50 subjects, 2 raters, none of 100 ratings missing, labels [0, 1]>
        """
        counts = as_counts(table).astype(np.int64)
        found = np.argwhere(counts)
        profiles = found.astype(np.min_scalar_type(len(counts)))
        return cls(
            table_labels(table, labels, len(counts), "table"),
            int(counts.sum()),
            2,
            ("rater 1", "rater 2"),
            _count_profiles=lambda: (profiles, counts[tuple(found.T)]),
        )

    @classmethod
    def from_counts(cls, counts: Any, *, labels: Any = None) -> Ratings:
        """Return ratings from counts of how many raters gave each label.

        Parameters
        ----------
        counts : array-like of shape (n_subjects, l)
            How many raters gave each label to each subject. Subjects may differ in their
            number of raters.
        labels : array-like of shape (l,), default=None
            The labels of the columns. None takes the column names of a data frame, and 0 to
            l - 1 for other tables.

        Returns
        -------
        ratings : Ratings
            They do not say who gave which rating, so `conger_kappa`, `light_kappa` and
            `pairwise_kappa` raise an error.

        Raises
        ------
        ValueError
            If the counts are not a table of whole numbers of 0 or more, are all 0, or do
            not match the labels.

        Examples
        --------
        >>> from fastkappa import Ratings
        >>> Ratings.from_counts([[3, 0], [1, 2], [0, 3]], labels=["no", "yes"])
        <Ratings: 3 subjects, 3 raters, none of 9 ratings missing, labels ['no', 'yes']>
        """
        table = read_counts(counts)
        return cls(
            table_labels(counts, labels, table.shape[1], "counts"),
            len(table),
            int(table.sum(axis=1).max()),
            None,
            _count_patterns=lambda: distinct_rows(table),
        )

    @classmethod
    def of(cls, ratings: Any) -> Ratings:
        """Return `Ratings` unchanged, and read anything else by `from_array`."""
        return ratings if isinstance(ratings, cls) else cls.from_array(ratings)

    @classmethod
    def _of_columns(
        cls,
        columns: list[Any],
        names: list[str],
        labels: Any,
        missing_codes: Sequence[Any],
        argument: str,
    ) -> Ratings:
        if len(columns) < 2:
            raise ValueError(f"{argument} must be those of two raters or more, got {len(columns)}.")
        if isinstance(missing_codes, (str, bytes)) or not hasattr(missing_codes, "__iter__"):
            raise ValueError(f"missing_codes must be a list of ratings, got {missing_codes!r}.")
        codes_of_missing = [code for code in missing_codes if not is_missing(code)]
        kernels, threads = get_kernels(), available_threads()
        raters = read_raters(columns, names)
        n_subjects = raters[0].n_subjects
        if n_subjects == 0:
            raise ValueError(f"{argument} must not be empty, got no subjects.")
        if labels is None:
            occurring = find_labels(kernels, raters, threads)
            known = occurring[~_among(occurring, codes_of_missing)]
            if not len(known):
                raise ValueError(f"{argument} must not all be missing, got {n_subjects} subjects.")
        else:
            known = read_labels(labels)
            distinct([*known.tolist(), *codes_of_missing])
        encoded = encode(raters, known, codes_of_missing)
        few = profiles_are_few(encoded)
        return cls(
            known,
            n_subjects,
            len(columns),
            tuple(names),
            partial(count_profiles, kernels, encoded, threads),
            None if few else partial(count_patterns, kernels, encoded, threads),
            None if few else partial(count_rater_pairs, kernels, encoded, threads),
        )

    @cached_property
    def patterns(self) -> Patterns:
        """How many raters gave each label: the distinct patterns, and their subjects."""
        if self._count_patterns is not None:
            return Patterns(*self._count_patterns())
        profiles = self.profiles("patterns")
        return Patterns(*patterns_of(profiles.codes, profiles.multiplicities, len(self.labels)))

    def profiles(self, wanted_by: str) -> Profiles:
        """Return each rater's ratings: the distinct profiles, and how many subjects have each.

        Raises
        ------
        ValueError
            If it is not known who gave which rating.
        """
        if self._count_profiles is None:
            raise ValueError(
                f"{wanted_by} must know who gave which rating, got counts of ratings alone;"
                " fleiss_kappa, gwet_ac1, randolph_kappa and krippendorff_alpha take them."
            )
        return self._profiles

    def pair_tables(self, wanted_by: str) -> IntTable:
        """Return the tables of all pairs of raters, with a row and column for missing ratings."""
        if self._count_pairs is not None:
            return self._count_pairs()
        profiles = self.profiles(wanted_by)
        tables: IntTable = profiles.tables(profiles.multiplicities)
        return tables

    @cached_property
    def _profiles(self) -> Profiles:
        assert self._count_profiles is not None
        return Profiles(*self._count_profiles(), len(self.labels))

    @property
    def n_missing(self) -> int:
        """How many ratings are missing; for counts, compared with the most for one subject."""
        n_ratings = int(self.patterns.multiplicities @ self.patterns.n_ratings)
        return self.n_subjects * self.n_raters - n_ratings

    @property
    def n_paired(self) -> int:
        """How many subjects have two ratings or more."""
        return int(self.patterns.multiplicities @ self.patterns.paired)

    def __repr__(self) -> str:
        n = self.n_subjects * self.n_raters
        names = self.labels.tolist()
        labels = names if len(names) <= 10 else f"{names[0]!r} to {names[-1]!r} ({len(names)})"
        return (
            f"<Ratings: {self.n_subjects} subjects, {self.n_raters} raters,"
            f" {self.n_missing or 'none'} of {n} ratings missing, labels {labels}>"
        )


def _among(labels: AnyArray, codes: list[Any]) -> NDArray[np.bool_]:
    """Return which labels are among the codes of missing ratings."""
    if labels.dtype.kind in "mM":
        return np.isin(labels, np.array(codes, labels.dtype))
    return np.array([label in codes for label in labels.tolist()], bool)
