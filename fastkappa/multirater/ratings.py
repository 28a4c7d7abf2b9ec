"""What several raters gave to the same subjects, in each of the forms it comes in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from reprlib import repr as short_repr
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.columns.checks import check_labels
from fastkappa.columns.interop import to_numpy
from fastkappa.columns.labels import distinct
from fastkappa.columns.missing import is_missing
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.kernels.threads import available_threads
from fastkappa.multirater.items.columns import columns_of, encode, find_labels, read_raters
from fastkappa.multirater.items.distinct_rows import distinct_rows
from fastkappa.multirater.items.patterns import (
    count_patterns,
    count_profiles,
    count_rater_pairs,
    patterns_of,
    profiles_are_few,
)
from fastkappa.multirater.statistics.chance_corrected import Patterns
from fastkappa.multirater.statistics.profiles import Profiles
from fastkappa.statistics.tables import as_counts

Counted = tuple[AnyArray, IntTable]


@dataclass(frozen=True, eq=False, repr=False)
class Ratings:
    """The ratings that two raters or more gave to the same subjects, or to some of them.

    Make one with `from_array`, `from_raters`, `from_table` or `from_counts`. Ratings are
    counted when a coefficient first needs them, and once for all coefficients: do not
    change the arrays before.

    Attributes
    ----------
    labels : ndarray of shape (l,)
        The labels, in the order that weights refer to.
    n_subjects : int
        How many subjects there are, rated or not.
    n_raters : int
        How many raters there are; of counts, the most that rated a subject.
    rater_names : tuple of str or None
        The raters' names, or None where it is not known who gave which rating.
    """

    labels: AnyArray
    n_subjects: int
    n_raters: int
    rater_names: tuple[str, ...] | None
    _count_profiles: Callable[[], Counted] | None = None
    _count_patterns: Callable[[], Counted] | None = None
    _count_pairs: Callable[[], IntTable] | None = None

    @classmethod
    def from_array(
        cls, ratings: Any, *, labels: Any = None, missing_codes: Sequence[Any] = ()
    ) -> Ratings:
        """Return the ratings of an array or frame with a row a subject and a column a rater.

        Parameters
        ----------
        ratings : array-like of shape (n_subjects, n_raters)
            A NumPy array, a list of rows, or a data frame of pandas, polars or pyarrow. Its
            columns are as `fastkappa.confusion_counts` takes them. Numbers that are not
            whole are labels too. Missing ratings are None, NaN, NaT, NA, null or masked.
        labels : array-like of shape (l,), default=None
            All the labels there are, in their order. None takes those that occur, sorted.
        missing_codes : sequence, default=()
            Ratings that stand for a missing one, such as -1 or "unknown".

        Returns
        -------
        ratings : Ratings

        Raises
        ------
        ValueError
            If there are no subjects, fewer than two raters or no ratings, or a rating is
            none of the labels or no label at all.

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
        """Return the ratings of a list of raters, each with a rating a subject.

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
            As `from_array` does, and if the raters' ratings are not as many each.

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
        """Return the ratings of two raters that a table counts.

        Parameters
        ----------
        table : array-like of shape (l, l)
            Counts of subjects; rows are the first rater's ratings.
        labels : array-like of shape (l,), default=None
            The labels of rows and columns; None takes those of a data frame, `pandas.crosstab`
            say, and numbers others from 0.

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
        labels = _labels_of_frame(table) if labels is None else labels
        found = np.argwhere(counts)
        profiles = found.astype(np.min_scalar_type(len(counts)))
        return cls(
            _labels_of_counts(labels, len(counts), "table"),
            int(counts.sum()),
            2,
            ("rater 1", "rater 2"),
            _count_profiles=lambda: (profiles, counts[tuple(found.T)]),
        )

    @classmethod
    def from_counts(cls, counts: Any, *, labels: Any = None) -> Ratings:
        """Return the ratings of which it is counted how many raters gave which label.

        Parameters
        ----------
        counts : array-like of shape (n_subjects, l)
            How many raters gave each label to each subject. They need not be as many for
            every subject.
        labels : array-like of shape (l,), default=None
            The labels of the columns; None takes the names of a data frame's columns, and
            numbers others from 0.

        Returns
        -------
        ratings : Ratings
            Who gave which rating is not known: `conger_kappa`, `light_kappa` and
            `pairwise_kappa` refuse it.

        Raises
        ------
        ValueError
            If the counts are no table of whole numbers of 0 or more, are all 0, or do not
            match the labels.

        Examples
        --------
        >>> from fastkappa import Ratings
        >>> Ratings.from_counts([[3, 0], [1, 2], [0, 3]], labels=["no", "yes"])
        <Ratings: 3 subjects, 3 raters, none of 9 ratings missing, labels ['no', 'yes']>
        """
        table = _whole_counts(counts)
        labels = _labels_of_frame(counts) if labels is None else labels
        return cls(
            _labels_of_counts(labels, table.shape[1], "counts"),
            len(table),
            int(table.sum(axis=1).max()),
            None,
            _count_patterns=lambda: distinct_rows(table),
        )

    @classmethod
    def of(cls, ratings: Any) -> Ratings:
        """Return ratings as they are, and what is not `Ratings` as `from_array` reads it."""
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
            known = _checked_labels(labels)
            distinct([*known.tolist(), *codes_of_missing])
        codes = encode(raters, known, codes_of_missing)
        few = profiles_are_few(codes)
        return cls(
            known,
            n_subjects,
            len(columns),
            tuple(names),
            partial(count_profiles, kernels, codes, threads),
            None if few else partial(count_patterns, kernels, codes, threads),
            None if few else partial(count_rater_pairs, kernels, codes, threads),
        )

    @cached_property
    def patterns(self) -> Patterns:
        """How many raters gave which labels, with the number of subjects of each pattern."""
        if self._count_patterns is not None:
            return Patterns(*self._count_patterns())
        profiles = self.profiles("patterns")
        return Patterns(*patterns_of(profiles.codes, profiles.multiplicities, len(self.labels)))

    def profiles(self, wanted_by: str) -> Profiles:
        """Return what each rater gave, with the number of subjects of each profile.

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
        """How many ratings are missing; of counts, how many fewer than the most there are."""
        return self.n_subjects * self.n_raters - self._n_ratings

    @property
    def n_paired(self) -> int:
        """How many subjects have two ratings or more, and can tell of agreement."""
        return int(self.patterns.multiplicities @ self.patterns.paired)

    @property
    def _n_ratings(self) -> int:
        return int(self.patterns.multiplicities @ self.patterns.n_ratings)

    def __repr__(self) -> str:
        n = self.n_subjects * self.n_raters
        names = self.labels.tolist()
        labels = names if len(names) <= 10 else f"{names[0]!r} to {names[-1]!r} ({len(names)})"
        return (
            f"<Ratings: {self.n_subjects} subjects, {self.n_raters} raters,"
            f" {self.n_missing or 'none'} of {n} ratings missing, labels {labels}>"
        )


def _among(labels: AnyArray, codes: list[Any]) -> NDArray[np.bool_]:
    """Return which labels are codes of missing ratings."""
    if labels.dtype.kind in "mM":
        return np.isin(labels, np.array(codes, labels.dtype))
    return np.array([label in codes for label in labels.tolist()], bool)


def _checked_labels(labels: Any) -> AnyArray:
    array = to_numpy(labels)
    if array.ndim != 1 or not len(array):
        raise ValueError(f"labels must be a list of one or more, got {short_repr(labels)}.")
    check_labels(array)
    return array


def _labels_of_frame(frame: Any) -> list[Any] | None:
    """Return the names of a data frame's columns, None for what has none."""
    library = type(frame).__module__.partition(".")[0]
    if library in ("pandas", "polars") and hasattr(frame, "columns"):
        return list(frame.columns)
    return None


def _labels_of_counts(labels: Any, n_labels: int, argument: str) -> AnyArray:
    if labels is None:
        return np.arange(n_labels)
    array = _checked_labels(labels)
    if len(array) != n_labels:
        raise ValueError(
            f"labels must be {n_labels}, one a column of {argument}, got {len(array)}."
        )
    distinct(array.tolist())
    return array


def _whole_counts(given: Any) -> IntTable:
    if isinstance(given, np.ma.MaskedArray) and np.ma.is_masked(given):
        raise ValueError("counts must not have masked entries.")
    counts = to_numpy(given)
    if counts.ndim != 2 or counts.dtype.kind not in "iufb":
        shape = f"an array of shape {counts.shape}"
        numbers = counts.dtype.kind in "iufb" and counts.ndim
        raise ValueError(
            "counts must be a table of numbers with a row a subject and a column a label, got"
            f" {shape if numbers else short_repr(given)}."
        )
    if not counts.size:
        raise ValueError(f"counts must not be empty, got the shape {counts.shape}.")
    wrong = ~((counts >= 0) & (counts == np.floor(counts)) & (counts < 1 << 31))
    if wrong.any():
        raise ValueError(
            f"counts must be whole numbers of 0 or more, got {counts[wrong][0]} among them."
        )
    if not counts.any():
        raise ValueError(f"counts must not all be 0, got the shape {counts.shape}.")
    return counts.astype(np.int64)
