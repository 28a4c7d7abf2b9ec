"""The `Ratings` class, which reads the ratings of several raters from any common form."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastkappa.arrays import AnyArray
from fastkappa.exceptions import users_stacklevel
from fastkappa.multirater.counted_ratings import Counted, of_counts, of_long, of_raters, of_table
from fastkappa.multirater.items.count_tables import read_counts, table_labels
from fastkappa.multirater.items.forms import OtherForm, form_of_labels, ids_in_counts
from fastkappa.multirater.items.long import Duplicates, read_long
from fastkappa.multirater.items.rater_columns import encode_columns
from fastkappa.multirater.statistics.patterns import Patterns
from fastkappa.multirater.statistics.profiles import RaterPairs
from fastkappa.multirater.statistics.sparse_profiles import RaterProfiles
from fastkappa.ratings.interop import names_of
from fastkappa.ratings.label_order import is_order_of_table_known
from fastkappa.ratings.labels import names_of_columns
from fastkappa.ratings.missing import check_is_list
from fastkappa.ratings.rating_matrix import columns_of
from fastkappa.statistics.tables import counts_given, judge_sums_of_counts


@dataclass(frozen=True, eq=False, repr=False)
class Ratings:
    """The ratings of the same subjects by two or more raters. Ratings may be missing.

    Create ratings with `from_array`, `from_raters`, `from_long`, `from_table` or `from_counts`.
    Ratings are counted when the first coefficient is computed. Until then, do not modify the input.

    Attributes
    ----------
    labels : ndarray of shape (l,)
        The labels. A matrix of weights must have its rows and columns in this order.
    n_subjects : int
        The number of subjects, including subjects without ratings.
    n_raters : int
        The number of raters. For counts, this is the largest number of ratings for a subject.
    rater_names : tuple of str or None
        The raters' names, or None if it is unknown who gave which rating.
    order_is_known : bool
        True if ``labels`` was given or the ratings declare an order. If False, labels are sorted.
    counted : Counted
        The distinct rows of ratings, from which coefficients are computed.
    """

    labels: AnyArray
    n_subjects: int
    n_raters: int
    rater_names: tuple[str, ...] | None
    order_is_known: bool
    counted: Counted
    _values: AnyArray | None = None
    _form: OtherForm | None = None

    @classmethod
    def from_array(
        cls,
        ratings: Any,
        *,
        labels: Any = None,
        missing_codes: Sequence[Any] = (),
        clusters: Any = None,
    ) -> Ratings:
        """Read ratings from an array or frame with one row per subject and one column per rater.

        Parameters
        ----------
        ratings : array-like of shape (n_subjects, n_raters)
            A NumPy array, a list of rows, or a pandas, polars or pyarrow data frame. The columns
            can have any type that `fastkappa.confusion_counts` accepts. Labels can be fractional
            numbers. None, NaN, NaT, NA, null and masked entries count as missing ratings. A rating
            can be a set of labels, and an empty set is a valid rating.
        labels : array-like of shape (l,), default=None
            All possible labels, in order. By default, if the ratings declare labels, as ordered
            categoricals and Python enums do, all declared labels are used, including those that do
            not occur. If no labels are declared, the labels that occur are used. They are sorted by
            value if all are numbers, and alphabetically otherwise.
        missing_codes : sequence, default=()
            Values that stand for a missing rating, such as -1 or "unknown".
        clusters : array-like of shape (n_subjects,), default=None
            The cluster of each subject, such as the patient if subjects are lesions. Clusters can
            have any type that ratings can have. All standard errors treat clusters as independent
            units. If None, subjects are treated as independent.

        Returns
        -------
        ratings : Ratings

        Raises
        ------
        ValueError
            If there are no subjects, no ratings or fewer than two raters, if a rating is not a
            valid label, if raters declare different orders, if ratings mix numbers with strings
            that are neither labels nor missing codes, or if there is not one cluster per subject.

        Examples
        --------
        >>> from fastkappa import Ratings
        >>> Ratings.from_array([[1, 1, 2], [2, None, 2], [3, 3, 9]], missing_codes=[9])
        <Ratings: 3 items, 3 raters, 2 of 9 ratings missing, labels [1, 2, 3]>
        """
        columns, names = columns_of(ratings)
        if names is None:
            names = [f"rater {i}" for i in range(1, len(columns) + 1)]
        return cls._of_columns(columns, names, labels, missing_codes, clusters, "ratings")

    @classmethod
    def from_raters(
        cls,
        raters: Sequence[Any] | Mapping[str, Any],
        *,
        labels: Any = None,
        missing_codes: Sequence[Any] = (),
        clusters: Any = None,
    ) -> Ratings:
        """Read ratings from one list per rater, each with one rating per subject.

        Parameters
        ----------
        raters : sequence or dict of array-likes of shape (n_subjects,)
            Each rater's ratings of the same subjects, in the same order. The keys of a dict,
            or the names of the Series in a sequence, are used as the raters' names.
        labels, missing_codes, clusters
            As in `from_array`.

        Returns
        -------
        ratings : Ratings

        Raises
        ------
        ValueError
            As in `from_array`. An error is also raised if the raters' lists differ in length.

        Examples
        --------
        >>> from fastkappa import Ratings
        >>> Ratings.from_raters({"Ann": ["a", "b"], "Ben": ["a", None], "Cat": ["b", "b"]})
        <Ratings: 2 items, 3 raters, 1 of 6 ratings missing, labels ['a', 'b']>
        """
        if isinstance(raters, Mapping):
            columns, names = list(raters.values()), [str(name) for name in raters]
        elif isinstance(raters, (str, bytes)) or not hasattr(raters, "__iter__"):
            raise ValueError(f"raters must be a list or a dict of columns, got {raters!r}.")
        elif hasattr(raters, "columns"):
            raise ValueError(
                "raters must be a list or a dict of columns, got a data frame:"
                " use Ratings.from_array, with frame.T if each rater has a row."
            )
        else:
            columns = list(raters)
            names = list(names_of(columns, [f"rater {i}" for i in range(1, len(columns) + 1)]))
        given = cls._of_columns(columns, names, labels, missing_codes, clusters, "raters")
        if given._form is not None and given._form.has_ids:
            given.warn_of_form()
        return given

    @classmethod
    def from_long(
        cls,
        source: Any = None,
        *,
        item: Any,
        rater: Any,
        rating: Any,
        cluster: Any = None,
        labels: Any = None,
        missing_codes: Sequence[Any] = (),
        duplicates: Duplicates = "error",
    ) -> Ratings:
        """Read ratings in long form: one row per rating, with its item and its rater.

        Memory use depends on the number of ratings, not on the number of items or raters.

        Parameters
        ----------
        source : path, data frame, table, dataset, relation or mapping, default=None
            Anything that `fastkappa.confusion_from_source` accepts. To pass the columns as arrays,
            leave ``source`` as None.
        item, rater, rating : str, or array-likes of shape (n,) without a source
            The names of the columns in ``source``, or the columns as arrays. Items and raters are
            whole numbers, strings or dates. Ratings can be sets in a list or an object array.
        cluster : str, or array-like of shape (n,) without a source, default=None
            The column that contains each item's cluster, as a name or an array; see `from_array`.
        labels, missing_codes
            As in `from_array`. Missing codes apply only to ratings.
        duplicates : {'error', 'first', 'last'}, default='error'
            What to do if a rater rated an item more than once: raise an error, or keep the first or
            the last rating that is not missing.

        Returns
        -------
        ratings : Ratings
            The subjects are the distinct items. Raters are sorted by name, and numbers within names
            are compared by value. If a rater has no row for an item, that rating is missing.

        Raises
        ------
        ValueError
            As in `from_array`, or if a rating has no item or rater, if an item is in two clusters,
            if a file cannot be read, or, by default, if a rater rated an item twice.
        TypeError, ImportError
            As in `fastkappa.confusion_from_source`.

        Examples
        --------
        >>> from fastkappa import Ratings
        >>> triples = [("t1", "Ann", "yes"), ("t1", "Ben", "no"), ("t2", "Cat", "yes")]
        >>> items, raters, ratings = zip(*triples)
        >>> Ratings.from_long(item=items, rater=raters, rating=ratings)
        <Ratings: 2 items, 3 raters, 3 of 6 ratings missing, labels ['no', 'yes']>
        """
        columns = item, rater, rating, cluster
        names = columns if source is not None else names_of(columns, ("item", "rater", "rating"))
        if source is not None:
            # Imported here because only this method reads files and frames.
            from fastkappa.sources.any_source import read_triples

            columns = read_triples(source, *columns, labels)
        given, long = read_long(*columns, labels, missing_codes, duplicates, names)
        return cls(
            given.reported,
            long.n_items,
            len(long.rater_names),
            long.rater_names,
            given.order_is_known,
            of_long(long),
            given.labels,
        )

    @classmethod
    def from_table(cls, table: ArrayLike, *, labels: Any = None) -> Ratings:
        """Read the ratings of two raters from their confusion matrix.

        Parameters
        ----------
        table : array-like of shape (l, l)
            The number of subjects for each pair of labels. Rows are the first rater's labels.
        labels : array-like of shape (l,), default=None
            The labels of the rows and columns. For a data frame, pass its column names in the
            intended order. By default, the labels of a data frame are its column names, which are
            sorted if they are unsorted numbers. The default labels of other tables are 0 to l - 1.

        Returns
        -------
        ratings : Ratings

        Raises
        ------
        ValueError
            If the table is empty or not square, contains counts that are negative or not whole, or
            does not match the labels.

        Examples
        --------
        >>> from fastkappa import Ratings
        >>> Ratings.from_table([[20, 5], [10, 15]])
        <Ratings: 50 items, 2 raters, none of 100 ratings missing, labels [0, 1]>
        """
        counts = counts_given(table).astype(np.int64)
        names, order = table_labels(table, labels, counts.sum(axis=0) + counts.sum(axis=1), "table")
        if order is not None:
            counts = counts[np.ix_(order, order)]
        return cls(
            names,
            int(counts.sum()),
            2,
            ("rater 1", "rater 2"),
            is_order_of_table_known(table, labels, names),
            of_table(counts),
        )

    @classmethod
    def from_counts(cls, counts: Any, *, labels: Any = None, clusters: Any = None) -> Ratings:
        """Read ratings from a table of counts: how many raters gave each label to each subject.

        Parameters
        ----------
        counts : array-like of shape (n_subjects, l)
            The number of raters who gave each label to each subject. Subjects can have different
            numbers of ratings.
        labels : array-like of shape (l,), default=None
            The labels of the columns. For a data frame, pass its column names in the intended
            order. The default is a data frame's sorted column names, or 0 to l - 1.
        clusters : array-like of shape (n_subjects,), default=None
            As in `from_array`.

        Returns
        -------
        ratings : Ratings
            `conger_kappa`, `light_kappa` and `pairwise_kappa` raise an error for these ratings,
            because counts do not show who gave which rating.

        Raises
        ------
        ValueError
            If the counts are not a table of non-negative whole numbers, are all 0, do not match the
            labels, or include totals, such as those that `pandas.crosstab` adds.

        Warns
        -----
        UserWarning
            If a named column looks like a column of ids, as described in `fleiss_kappa`, or if the
            last column is the sum of the others.

        Examples
        --------
        >>> from fastkappa import Ratings
        >>> Ratings.from_counts([[3, 0], [1, 2], [0, 3]], labels=["no", "yes"])
        <Ratings: 3 items, 3 raters, none of 9 ratings missing, labels ['no', 'yes']>
        """
        table = read_counts(counts)
        columns = names_of_columns(counts)
        rows = [""] if columns is None else getattr(counts, "index", [""])
        judge_sums_of_counts(table, list(rows)[-1], "" if columns is None else columns[-1])
        if columns is not None:
            ids = ids_in_counts(table, columns)
            if ids is not None:
                warnings.warn(ids, stacklevel=2)
        names, order = table_labels(counts, labels, table.sum(axis=0), "counts")
        if order is not None:
            table = table[:, order]
        n_raters = int(table.sum(axis=1).max())
        return cls(
            names,
            len(table),
            n_raters,
            None,
            is_order_of_table_known(counts, labels, names),
            of_counts(table, n_raters, clusters),
        )

    @classmethod
    def of(
        cls,
        ratings: Any,
        labels: Any = None,
        missing_codes: Sequence[Any] = (),
        clusters: Any = None,
    ) -> Ratings:
        """Return ``ratings`` if it is already a `Ratings` object; otherwise, call `from_array`.

        A ``UserWarning`` is issued if the data look like counts, or appear to have one row per
        rater or one row per rating, as described in `fleiss_kappa`.
        """
        check_is_list(missing_codes)
        if isinstance(ratings, cls):
            if labels is not None or clusters is not None or len(missing_codes):
                raise ValueError(
                    "labels, missing_codes and clusters must not be passed with a Ratings object:"
                    " pass them to Ratings.from_array or another constructor instead."
                )
            return ratings
        given = cls.from_array(
            ratings, labels=labels, missing_codes=missing_codes, clusters=clusters
        )
        given.warn_of_form()
        return given

    @classmethod
    def _of_columns(
        cls,
        columns: list[Any],
        names: list[str],
        labels: Any,
        missing_codes: Sequence[Any],
        clusters: Any,
        argument: str,
    ) -> Ratings:
        if len(columns) < 2:
            raise ValueError(f"{argument} must have at least two raters, got {len(columns)}.")
        given = encode_columns(columns, names, labels, missing_codes, argument)
        raters, read = given.raters, [one.rater for one in given.raters]
        return cls(
            given.reported,
            read[0].n_subjects,
            len(columns),
            tuple(names),
            given.order_is_known,
            of_raters(raters, clusters),
            given.labels,
            form_of_labels(raters, are_given=labels is not None),
        )

    def warn_of_form(self) -> None:
        """Warn if the ratings look like another kind of data, such as counts per label."""
        if self._form is not None:
            warnings.warn(self._form.warning, stacklevel=users_stacklevel())

    @property
    def label_values(self) -> AnyArray:
        """The labels or, if they are members of a Python enum, the values of these members."""
        return self.labels if self._values is None else self._values

    @property
    def patterns(self) -> Patterns:
        """The distinct patterns (number of raters per label) and the frequency of each pattern."""
        return self.counted.patterns

    def profiles(self, wanted_by: str) -> RaterProfiles:
        """Return the distinct profiles (each rater's label) and the frequency of each profile.

        Raises
        ------
        ValueError
            If it is unknown who gave which rating.
        """
        self._check_raters(wanted_by)
        return self.counted.profiles

    def rater_pairs(self, wanted_by: str) -> RaterPairs:
        """Return the confusion matrix of each rater pair, and each rater's number of subjects."""
        self._check_raters(wanted_by)
        return self.counted.rater_pairs()

    def _check_raters(self, wanted_by: str) -> None:
        if not self.counted.knows_raters:
            raise ValueError(
                f"{wanted_by} needs to know which rater gave which rating, but counts do not show"
                " this. For counts, use fleiss_kappa, gwet_ac1, randolph_kappa or"
                " krippendorff_alpha."
            )

    @property
    def n_missing(self) -> int:
        """The number of missing ratings: ``n_subjects * n_raters`` minus the number of ratings."""
        n_ratings = int(self.patterns.multiplicities @ self.patterns.n_ratings)
        return self.n_subjects * self.n_raters - n_ratings

    @property
    def n_paired(self) -> int:
        """The number of subjects with at least two ratings."""
        return int(self.patterns.multiplicities @ self.patterns.paired)

    def __repr__(self) -> str:
        n = self.n_subjects * self.n_raters
        names = self.labels.tolist()
        labels = names if len(names) <= 10 else f"{names[0]!r} to {names[-1]!r} ({len(names)})"
        return (
            f"<Ratings: {self.n_subjects} items, {self.n_raters} raters,"
            f" {self.n_missing or 'none'} of {n} ratings missing, labels {labels}>"
        )
