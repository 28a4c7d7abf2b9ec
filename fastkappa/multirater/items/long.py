"""Read and count ratings in long form: one row per rating, with its item and its rater.

Rows are sorted by item and rater, so that an item's ratings are adjacent. Missing ratings take up
no memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.choices import check_choice
from fastkappa.multirater.items.counts import as_patterns
from fastkappa.multirater.items.distinct_rows import BLOCK, DistinctRows, RowFinder
from fastkappa.multirater.items.doubtful_names import (
    warn_of_logins,
    warn_of_mistyped,
    warn_of_offset_ids,
    warn_of_split_items,
    warn_of_strangers,
)
from fastkappa.multirater.items.doubtful_raters import (
    MOST_JUDGED,
    judge_pairs,
    judge_raters,
    warn_of_added_votes,
    warn_of_derived,
    warn_of_unanimity,
)
from fastkappa.multirater.items.forms import (
    FEWEST_TRANSPOSED,
    UNRELATED,
    agreement_within,
    are_transposed,
    indicators,
    may_be_transposed,
)
from fastkappa.multirater.items.identified import Identified, identify
from fastkappa.multirater.items.rater_columns import (
    CHUNK,
    EncodedColumns,
    encode_columns,
)
from fastkappa.multirater.items.subjects import places, sorted_codes
from fastkappa.ratings.column import Column, label_of
from fastkappa.ratings.doubtful_labels import SOME_ITEMS, warn
from fastkappa.ratings.item_weights import read_clusters, warn_of_ids
from fastkappa.ratings.label_order import sorted_names
from fastkappa.ratings.lengths import n_samples, repeated_names
from fastkappa.ratings.missing import find_missing, without
from fastkappa.ratings.read import name_seen

# Items and raters are considered swapped if there are at most MOST_SWAPPED items and at least
# MOST_SWAPPED times as many raters. They are also considered swapped if there are more than
# MANY_RATERS raters and at least MANY_TIMES as many raters as items.
MOST_SWAPPED = 4
MANY_RATERS, MANY_TIMES = 50, 5
# What to do if a rater rated an item more than once.
Duplicates = Literal["error", "first", "last"]


class LongRatings(NamedTuple):
    """Ratings in long form, sorted by item and rater, without missing ratings.

    Attributes
    ----------
    n_items : int
        The number of items, including items without ratings.
    rater_names : tuple of str
        The names of the raters, sorted.
    n_labels : int
        The number of labels.
    ratings : ndarray of shape (n,)
        One number per rating: the rater's number, multiplied by ``n_labels``, plus the label's
        position.
    starts : ndarray of shape (n_rated + 1,)
        The index of each rated item's first rating, followed by ``n``.
    rated : ndarray of int of shape (n_rated,)
        The numbers of the items that have ratings.
    item_names : callable
        A function that returns the names of all items in the order of their numbers. Names are
        strings or whole numbers.
    clusters : Column or None
        The cluster of each item.
    n_rows, n_blank : int
        The number of rows that name an item and a rater, and the number of these rows without a
        rating.
    """

    n_items: int
    rater_names: tuple[str, ...]
    n_labels: int
    ratings: AnyArray
    starts: NDArray[np.intp]
    rated: AnyArray
    item_names: Callable[[], AnyArray]
    clusters: Column | None = None
    n_rows: int = 0
    n_blank: int = 0

    @property
    def items(self) -> AnyArray:
        """The names of all items, used to match them with the items of other ratings."""
        return self.item_names()

    def has_order_of_ids(self, n_items: int) -> bool:
        """Return whether the first rated items are sorted by name, comparing numbers by value."""
        names = [str(name) for name in self.items[self.rated[:n_items]].tolist()]
        return names == sorted_names(names)

    def profiles(self) -> list[tuple[AnyArray, IntTable]]:
        """Return the distinct profiles for each number of ratings, and how often each occurs."""
        found = []
        for length, _, blocks in self._blocks():
            distinct = DistinctRows(length, len(self.rater_names) * self.n_labels)
            for ratings in blocks:
                distinct.add(ratings)
            found.append(distinct.rows())
        return found

    def patterns(self) -> tuple[AnyArray, IntTable]:
        """Return an array of shape (P, l) with the distinct patterns, and how often each occurs."""
        found = []
        for length, _, blocks in self._blocks():
            distinct = DistinctRows(length, self.n_labels)
            for ratings in blocks:
                distinct.add(np.sort(ratings % self.n_labels, axis=1))
            found.append(as_patterns(*distinct.rows(), self.n_labels))
        counts, multiplicities = zip(*found)
        return np.concatenate(counts), np.concatenate(multiplicities)

    def places_of_profiles(self, profiles: Sequence[AnyArray]) -> AnyArray:
        """Return the index of each item's profile in ``profiles``, or -1 for unrated items."""
        found = np.full(self.n_items, -1)
        first = 0
        for rows, (_, items, blocks) in zip(profiles, self._blocks()):
            finder = RowFinder(rows, len(self.rater_names) * self.n_labels)
            found[items] = places(finder, len(rows), blocks)
            found[items] += first
            first += len(rows)
        return found

    def places_of_patterns(self, patterns: AnyArray) -> AnyArray:
        """Return the index of each item's pattern in ``patterns``, or -1 for unrated items."""
        found = np.full(self.n_items, -1)
        n_ratings = patterns.sum(axis=1, dtype=np.int64)
        for length, items, blocks in self._blocks():
            rows = np.flatnonzero(n_ratings == length)
            finder = RowFinder(sorted_codes(patterns[rows], length), self.n_labels)
            ordered = (np.sort(ratings % self.n_labels, axis=1) for ratings in blocks)
            found[items] = rows[places(finder, len(rows), ordered)]
        return found

    def first_codes(self, n_items: int) -> AnyArray:
        """Return the codes of the first rated items, with one row per rater.

        A code is the position of a label, or ``n_labels`` for a missing rating.
        """
        starts = self.starts[: n_items + 1]
        raters, codes = np.divmod(self.ratings[: starts[-1]], self.n_labels)
        found = np.full((len(self.rater_names), len(starts) - 1), self.n_labels)
        found[raters, np.repeat(np.arange(len(starts) - 1), np.diff(starts))] = codes
        return found

    def _blocks(self) -> Iterator[tuple[int, AnyArray, Iterator[AnyArray]]]:
        """Yield each number of ratings per item, the items with that number, and their ratings."""
        lengths = np.diff(self.starts)
        for length in np.unique(lengths).tolist():
            some = lengths == length
            yield length, self.rated[some], self._blocks_of(self.starts[:-1][some], length)

    def _blocks_of(self, starts: NDArray[np.intp], length: int) -> Iterator[AnyArray]:
        step = max(1, BLOCK // length)
        for i in range(0, len(starts), step):
            yield self.ratings[starts[i : i + step, None] + np.arange(length)]


def read_long(
    item: Any,
    rater: Any,
    rating: Any,
    cluster: Any,
    labels: Any,
    missing_codes: Sequence[Any],
    duplicates: Duplicates,
    names: Sequence[Any],
) -> tuple[EncodedColumns, LongRatings]:
    """Return the encoded column of ratings, and the ratings sorted by item and rater.

    ``names`` starts with the names of the columns of items, raters and ratings.

    Raises
    ------
    ValueError
        As in `encode_columns`. An error is also raised if the columns differ in length, if a rating
        has no item or no rater, if items or raters are not whole numbers, strings or dates, if
        there are fewer than two raters, if a rater rated an item twice and ``duplicates`` is
        'error', if an item is in two clusters, or if a row repeats the names.
    """
    check_choice("duplicates", duplicates, get_args(Duplicates))
    columns = {"item": item, "rater": rater, "rating": rating}
    _check_lengths(columns if cluster is None else {**columns, "cluster": cluster})
    given = encode_columns([rating], ["rating"], labels, missing_codes, "rating")
    found = _sorted_ratings(item, rater, cluster, given, duplicates, names)
    _warn_of_swapped(found)
    warn_of_logins(found.rater_names)
    codes, starts = found.ratings % found.n_labels, found.starts[:-1]
    n_ratings = np.diff(found.starts)
    lowest, highest = (ends.reduceat(codes, starts) for ends in (np.minimum, np.maximum))
    warn_of_unanimity(n_ratings, lowest, highest)
    if len(found.rater_names) > MOST_JUDGED:
        warn_of_added_votes(n_ratings, highest > lowest)
        return given, found
    codes = found.first_codes(SOME_ITEMS)
    warn_of_mistyped(found.rater_names, codes < found.n_labels)
    are_given = labels is not None
    are_recoded = warn_of_derived(codes, given.labels, found.rater_names) or judge_pairs(
        codes,
        given.reported,
        found.rater_names,
        are_given=are_given,
        has_order_of_ids=lambda: found.has_order_of_ids(codes.shape[1]),
    )
    if not are_given:
        times = np.bincount(found.ratings, minlength=len(found.rater_names) * found.n_labels)
        of_each = times.reshape(len(found.rater_names), found.n_labels)
        of_rater = dict(zip(found.rater_names, of_each))
        judge_raters(
            {name: given.labels[n > 0] for name, n in of_rater.items()},
            of_each.sum(axis=1).tolist(),
            lambda name: (given.labels * of_rater[name]).sum(dtype=float),
            are_recoded=are_recoded,
        )
    return given, found


def _sorted_ratings(
    item: Any,
    rater: Any,
    cluster: Any,
    given: EncodedColumns,
    duplicates: Duplicates,
    column_names: Sequence[Any],
) -> LongRatings:
    encoded, n_labels = given.raters[0], given.raters[0].n_labels
    codes = np.empty(encoded.rater.n_subjects, np.min_scalar_type(n_labels + 1))
    for start in range(0, len(codes), CHUNK):
        codes[start : start + CHUNK] = encoded.codes(start, start + CHUNK)
    nameless = _without_name({"item": item, "rater": rater}, codes == n_labels)
    if nameless is not None:
        item, rater = without(item, nameless), without(rater, nameless)
        codes = codes[~nameless]
    items, raters = identify(item, "item"), identify(rater, "rater")
    if raters.n_distinct < 2:
        raise ValueError(
            f"rater must have at least two different values, got {raters.shown(0)} in all"
            f" {len(codes)} rows."
        )
    names, n_raters = raters.names(), raters.n_distinct
    _refuse_repeated_names(column_names, items, raters, codes, given.labels)
    n_items, item_names = items.n_distinct, items.distinct
    clusters = None if cluster is None else clusters_of_items(cluster, items, nameless)
    rated = codes < n_labels
    if not rated.any():
        raise ValueError(
            f"rating must have a value in at least one row, but all {len(codes)} are missing."
        )
    pairs = items.numbers.astype(np.int64)
    pairs *= n_raters
    pairs += raters.numbers
    n_rows, n_blank = len(codes), int((~rated).sum())
    if n_blank:
        pairs, codes = pairs[rated], codes[rated]
    if (pairs[1:] <= pairs[:-1]).any():
        # A stable sort takes several times as long, so it is used only if the order of duplicates
        # matters.
        order = np.argsort(pairs, kind=None if duplicates == "error" else "stable")
        pairs, codes = pairs[order], codes[order]
        del order
        again = pairs[1:] == pairs[:-1]
        if again.any() and duplicates == "error":
            raise ValueError(_duplicates(pairs, codes, again, items, raters))
        if again.any():
            ends = [[False], again] if duplicates == "first" else [again, [False]]
            kept = ~np.concatenate(ends)
            pairs, codes = pairs[kept], codes[kept]
    are_split = warn_of_split_items(items, pairs, n_raters)
    warn_of_offset_ids(items, pairs, names)
    del items, raters
    ratings = (pairs % n_raters).astype(np.min_scalar_type(n_raters * n_labels - 1))
    pairs //= n_raters
    starts = np.concatenate([[0], np.flatnonzero(pairs[1:] != pairs[:-1]) + 1, [len(ratings)]])
    if not are_split:
        warn_of_strangers(names, ratings, starts)
    ratings *= n_labels
    ratings += codes
    rated = pairs[starts[:-1]].astype(np.int32)
    return LongRatings(
        n_items, names, n_labels, ratings, starts, rated, item_names, clusters, n_rows, n_blank
    )


def _refuse_repeated_names(
    names: Sequence[Any], items: Identified, raters: Identified, codes: AnyArray, labels: AnyArray
) -> None:
    """Raise if some rows repeat the column names, and their rater occurs in no other row."""
    item, rater, rating = map(name_seen, names[:3])
    titled = [i for i, name in enumerate(raters.names()) if name_seen(name) == rater]
    rows = np.flatnonzero(np.isin(raters.numbers, titled)).tolist() if titled else []
    found = {
        (name_seen(items.name_of(row)), *map(name_seen, labels[codes[row] : codes[row] + 1]))
        for row in rows
    }
    if found == {(item, rating)} and 2 * len(rows) < len(codes):
        raise ValueError(repeated_names(names[:3], len(rows)))


def _warn_of_swapped(ratings: LongRatings) -> None:
    """Warn if the columns of items and raters were probably swapped.

    There are then many raters but very few items, or ratings agree within raters and not within
    items.
    """
    n_raters, n_items, n_labels = len(ratings.rater_names), ratings.n_items, ratings.n_labels
    fewest = max(FEWEST_TRANSPOSED, MOST_SWAPPED * n_items)
    are_many = n_raters > MANY_RATERS and n_raters >= MANY_TIMES * n_items
    is_found = n_items > 1 and (are_many or (n_items <= MOST_SWAPPED and n_raters >= fewest))
    reason = f"there are {n_raters} raters and {n_items} items"
    if may_be_transposed(n_raters, n_items * n_labels):
        codes = ratings.first_codes(n_items)
        of_items, of_raters = agreement_within(indicators(codes, n_labels))
        if are_transposed(of_items, of_raters, n_items):
            is_found, reason = True, f"{reason}, and ratings agree within raters, not within items"
        is_found &= not of_items > max(UNRELATED, of_raters)
    if is_found:
        warn(
            f"{reason}, as if the columns of items and raters were swapped. Check item= and rater=,"
            " or --item and --rater on the command line."
        )


def clusters_of_items(cluster: Any, items: Identified, dropped: Any = None) -> Column:
    """Return a column with the cluster of each item. ``dropped`` masks rows without an item."""
    n_rows = len(items.numbers if dropped is None else dropped)
    of_rows = read_clusters(cluster, n_rows, "rows", "cluster", dropped)
    first = np.zeros(items.n_distinct, np.intp)
    first[items.numbers] = np.arange(len(items.numbers))
    of_items = of_rows._replace(values=of_rows.values[first])
    differ = of_rows.values != of_items.values[items.numbers]
    for row in np.flatnonzero(differ)[:1].tolist():
        number = int(items.numbers[row])
        raise ValueError(
            f"cluster must be the same in all rows of an item, but item {items.shown(number)} is"
            f" in clusters {label_of(of_rows, row)} and {label_of(of_rows, int(first[number]))}. If"
            " each cluster numbers its own items, add the cluster to each id."
        )
    warn_of_ids(of_items)
    return of_items


def _check_lengths(columns: dict[str, Any]) -> None:
    """Raise unless all columns have one entry per row."""
    for name, column in columns.items():
        if isinstance(column, (str, bytes)):
            raise ValueError(
                f"{name} must be an array with one entry per rating, got {column!r}. To use the"
                " name of a column, pass the frame or file as the first argument."
            )
    lengths = {name: n_samples(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{n} of {name}" for name, n in lengths.items())
        raise ValueError(f"item, rater and rating must have the same length, got {found}.")


def _without_name(columns: dict[str, Any], unrated: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Return a mask of the rows without an item or rater, or None if there are none.

    Raise if such a row has a rating.
    """
    nameless: NDArray[np.bool_] | None = None
    for name, column in columns.items():
        missing = find_missing(column)
        if missing is None:
            continue
        lost = missing & ~unrated
        if lost.any():
            raise ValueError(
                f"{name} is missing in {int(lost.sum())} of {len(lost)} rows that have a rating,"
                f" first in row {int(np.argmax(lost))}. Add the item and the rater of each rating,"
                " or leave out these rows."
            )
        nameless = missing if nameless is None else nameless | missing
    return nameless


def _duplicates(
    pairs: AnyArray,
    codes: AnyArray,
    again: NDArray[np.bool_],
    items: Identified,
    raters: Identified,
) -> str:
    """Return the error message about raters who rated an item more than once."""
    first = int(np.argmax(again))
    item, rater = divmod(int(pairs[first]), raters.n_distinct)
    several = pairs[1:][again]
    n_pairs = len(np.unique(several))
    differ = again & (codes[1:] != codes[:-1])
    # The rows are sorted by item and rater, but not by code. All ratings of an item by one rater
    # are equal if each equals the next.
    n_differ = len(np.unique(pairs[1:][differ]))
    n_times = int((pairs == pairs[first]).sum())
    found = f"rater {raters.shown(rater)} has {n_times} ratings of item {items.shown(item)}"
    if n_pairs > 1:
        found += f", and {n_pairs - 1} more pairs of rater and item have several ratings"
    remedy = "use duplicates='first' or 'last' to keep one rating"
    if not n_differ:
        return f"{found}, all of them equal. Leave out the repeated rows, or {remedy} per pair."
    if n_pairs == 1:
        return f"{found}, and they differ: {remedy}."
    return f"{found}. In {n_differ} of the {n_pairs} pairs, the ratings differ: {remedy} per pair."
