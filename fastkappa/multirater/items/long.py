"""Ratings in long form: a row per rating, which says who rated what and how.

Rows are sorted by item and rater, so that an item's ratings lie together. No array has a cell
for a rating that is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from reprlib import repr as short_repr
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, IntTable, offsets_from
from fastkappa.exceptions import changed_meanwhile
from fastkappa.multirater.items.counts import as_patterns
from fastkappa.multirater.items.distinct_rows import BLOCK, DistinctRows, RowFinder
from fastkappa.multirater.items.rater_columns import (
    CHUNK,
    EncodedColumns,
    EncodedRater,
    encode_columns,
)
from fastkappa.multirater.items.subjects import places, sorted_codes
from fastkappa.ratings.column import Column, label_of, read_column
from fastkappa.ratings.doubtful_labels import MOST_SHOWN, MOST_TYPED, warn, warn_of_lookalikes
from fastkappa.ratings.interop import codes_of_foreign, dictionary_of_pyarrow
from fastkappa.ratings.label_order import sorted_strings
from fastkappa.ratings.labels import alike_among
from fastkappa.ratings.lengths import n_samples
from fastkappa.ratings.missing import find_missing, without
from fastkappa.ratings.read import read_clusters
from fastkappa.tables.doubtful_tables import MOST_JUDGED, judge_raters

# A span of whole numbers so many times as long as their column has a look-up table.
LOOKUP_PER_ROW = 4


class Identified(NamedTuple):
    """The items or the raters of all rows: a number for each, and the name of that of a row."""

    numbers: NDArray[np.int32]
    distinct: AnyArray
    name_of: Callable[[int], Any]

    @property
    def n_distinct(self) -> int:
        """How many there are."""
        return len(self.distinct)

    def shown(self, number: int) -> str:
        """Return the name of one as a message shows it."""
        return repr(self.name_of(int(np.argmax(self.numbers == number))))

    def names(self) -> tuple[str, ...]:
        """Return the names of all."""
        rows = np.zeros(self.n_distinct, np.intp)
        rows[self.numbers] = np.arange(len(self.numbers))
        return tuple(str(self.name_of(row)) for row in rows.tolist())


class LongRatings(NamedTuple):
    """Ratings in long form, sorted by item and rater, without the missing ones.

    Attributes
    ----------
    n_items : int
        How many items there are, rated or not.
    rater_names : tuple of str
        The raters, sorted.
    n_labels : int
        How many labels there are.
    ratings : ndarray of shape (n,)
        The number of the rater, times ``n_labels``, plus the position of the label.
    starts : ndarray of shape (n_rated + 1,)
        Where the ratings of each item begin that has any, and ``n``.
    rated : ndarray of int of shape (n_rated,)
        The numbers of these items.
    items : ndarray of shape (n_items,)
        The names of all items by their number: strings, whole numbers, or those of dates.
    clusters : Column or None
        The cluster of each item.
    """

    n_items: int
    rater_names: tuple[str, ...]
    n_labels: int
    ratings: AnyArray
    starts: NDArray[np.intp]
    rated: AnyArray
    items: AnyArray
    clusters: Column | None = None

    def profiles(self) -> list[tuple[AnyArray, IntTable]]:
        """Return the distinct profiles of each number of ratings, and how many items have each."""
        found = []
        for length, _, blocks in self._blocks():
            distinct = DistinctRows(length, len(self.rater_names) * self.n_labels)
            for ratings in blocks:
                distinct.add(ratings)
            found.append(distinct.rows())
        return found

    def patterns(self) -> tuple[AnyArray, IntTable]:
        """Return the distinct patterns, counts of shape (P, l), and how many items have each."""
        found = []
        for length, _, blocks in self._blocks():
            distinct = DistinctRows(length, self.n_labels)
            for ratings in blocks:
                distinct.add(np.sort(ratings % self.n_labels, axis=1))
            found.append(as_patterns(*distinct.rows(), self.n_labels))
        counts, multiplicities = zip(*found)
        return np.concatenate(counts), np.concatenate(multiplicities)

    def places_of_profiles(self, profiles: Sequence[AnyArray]) -> AnyArray:
        """Return where the profile of each item is among the distinct ones, -1 if it has none."""
        found = np.full(self.n_items, -1)
        first = 0
        for rows, (_, items, blocks) in zip(profiles, self._blocks()):
            finder = RowFinder(rows, len(self.rater_names) * self.n_labels)
            found[items] = places(finder, len(rows), blocks)
            found[items] += first
            first += len(rows)
        return found

    def places_of_patterns(self, patterns: AnyArray) -> AnyArray:
        """Return where the pattern of each item is among the distinct ones, -1 if it has none."""
        found = np.full(self.n_items, -1)
        n_ratings = patterns.sum(axis=1, dtype=np.int64)
        for length, items, blocks in self._blocks():
            rows = np.flatnonzero(n_ratings == length)
            finder = RowFinder(sorted_codes(patterns[rows], length), self.n_labels)
            ordered = (np.sort(ratings % self.n_labels, axis=1) for ratings in blocks)
            found[items] = rows[places(finder, len(rows), ordered)]
        return found

    def _blocks(self) -> Iterator[tuple[int, AnyArray, Iterator[AnyArray]]]:
        """Yield each number of ratings that an item has, these items, and ratings in blocks."""
        lengths = np.diff(self.starts)
        for length in np.unique(lengths).tolist():
            some = lengths == length
            yield length, self.rated[some], self._blocks_of(self.starts[:-1][some], length)

    def _blocks_of(self, starts: NDArray[np.intp], length: int) -> Iterator[AnyArray]:
        step = max(1, BLOCK // length)
        for i in range(0, len(starts), step):
            yield self.ratings[starts[i : i + step, None] + np.arange(length)]


def read_long(
    item: Any, rater: Any, rating: Any, cluster: Any, labels: Any, missing_codes: Sequence[Any]
) -> tuple[EncodedColumns, LongRatings]:
    """Return a column of ratings with its labels, and the same sorted by item and rater.

    Raises
    ------
    ValueError
        As by `encode_columns`, and if the columns differ in length, a rating has no item or no
        rater, items or raters are not whole numbers, strings or dates, there are fewer than two
        raters, a rater has rated an item twice, or an item is in two clusters.
    """
    columns = {"item": item, "rater": rater, "rating": rating}
    _check_lengths(columns if cluster is None else {**columns, "cluster": cluster})
    given = encode_columns([rating], ["rating"], labels, missing_codes, "rating")
    found = _sorted_ratings(item, rater, cluster, given.raters[0])
    if labels is None and len(found.rater_names) <= MOST_JUDGED:
        n_ratings = np.bincount(found.ratings, minlength=len(found.rater_names) * found.n_labels)
        of_each = n_ratings.reshape(len(found.rater_names), found.n_labels)
        of_rater = dict(zip(found.rater_names, of_each))
        judge_raters(
            {name: given.labels[n > 0] for name, n in of_rater.items()},
            of_each.sum(axis=1).tolist(),
            lambda name: (given.labels * of_rater[name]).sum(dtype=float),
        )
    return given, found


def _sorted_ratings(item: Any, rater: Any, cluster: Any, encoded: EncodedRater) -> LongRatings:
    n_labels = encoded.n_labels
    codes = np.empty(encoded.rater.n_subjects, np.min_scalar_type(n_labels + 1))
    for start in range(0, len(codes), CHUNK):
        codes[start : start + CHUNK] = encoded.codes(start, start + CHUNK)
    nameless = _without_name({"item": item, "rater": rater}, codes == n_labels)
    if nameless is not None:
        item, rater = without(item, nameless), without(rater, nameless)
        cluster = None if cluster is None else without(cluster, nameless)
        codes = codes[~nameless]
    items, raters = _identify(item, "item"), _identify(rater, "rater")
    if raters.n_distinct < 2:
        raise ValueError(
            f"rater must name two raters or more, got {raters.shown(0)} in all {len(codes)} rows."
        )
    names, n_raters = raters.names(), raters.n_distinct
    item_names = items.distinct
    clusters = None if cluster is None else _clusters_of(cluster, items)
    rated = codes < n_labels
    if not rated.any():
        raise ValueError(f"rating must not be missing in all rows, got {len(codes)} rows.")
    pairs = items.numbers.astype(np.int64)
    pairs *= n_raters
    pairs += raters.numbers
    if not rated.all():
        pairs, codes = pairs[rated], codes[rated]
    if (pairs[1:] <= pairs[:-1]).any():
        order = np.argsort(pairs)
        pairs, codes = pairs[order], codes[order]
        del order
        again = pairs[1:] == pairs[:-1]
        if again.any():
            raise ValueError(_duplicates(pairs, codes, again, items, raters))
    _warn_of_split_items(items, pairs, n_raters)
    del items, raters
    ratings = (pairs % n_raters).astype(np.min_scalar_type(n_raters * n_labels - 1))
    pairs //= n_raters
    starts = np.concatenate([[0], np.flatnonzero(pairs[1:] != pairs[:-1]) + 1, [len(ratings)]])
    ratings *= n_labels
    ratings += codes
    rated = pairs[starts[:-1]].astype(np.int32)
    return LongRatings(
        len(item_names), names, n_labels, ratings, starts, rated, item_names, clusters
    )


def _warn_of_split_items(items: Identified, pairs: AnyArray, n_raters: int) -> None:
    """Warn of items whose names look alike and that no rater has both rated, as if they were one.

    ``pairs`` are an item times the number of raters plus a rater each, sorted.
    """
    starts = np.searchsorted(pairs, np.arange(items.n_distinct + 1) * n_raters)
    # The name of an item that all raters have rated is written in one way.
    parts = np.flatnonzero(np.diff(starts) < n_raters)
    if not 2 <= len(parts) <= MOST_TYPED or not isinstance(items.name_of(0), str):
        return
    rows = np.zeros(items.n_distinct, np.intp)
    rows[items.numbers] = np.arange(len(items.numbers))
    number = {items.name_of(int(rows[i])): i for i in parts.tolist()}

    def are_one(names: Sequence[str]) -> bool:
        raters = [
            pairs[starts[i] : starts[i + 1]] % n_raters for i in map(number.__getitem__, names)
        ]
        together = np.concatenate(raters)
        return len(np.unique(together)) == len(together)

    split = list(filter(are_one, alike_among(number)))
    if split:
        shown = "; ".join(", ".join(map(ascii, names)) for names in split[:MOST_SHOWN])
        warn(
            f"item has {len(split)} names that look alike, but are those of different items, each"
            f" with ratings by other raters: {shown}. Write them alike if they are one item."
        )


def _clusters_of(cluster: Any, items: Identified) -> Column:
    """Return the column of the items' clusters."""
    of_rows = read_clusters(cluster, len(items.numbers), "rows", "cluster")
    first = np.zeros(items.n_distinct, np.intp)
    first[items.numbers] = np.arange(len(items.numbers))
    values = of_rows.values[first]
    differ = of_rows.values != values[items.numbers]
    if differ.any():
        number = int(items.numbers[int(differ.argmax())])
        raise ValueError(
            f"cluster must be the same in all rows of an item, but item {items.shown(number)} is"
            f" in {label_of(of_rows, int(differ.argmax()))} and in"
            f" {label_of(of_rows, int(first[number]))}."
        )
    return of_rows._replace(values=values)


def _check_lengths(columns: dict[str, Any]) -> None:
    """Raise unless each column has one entry per row."""
    for name, column in columns.items():
        if isinstance(column, (str, bytes)):
            raise ValueError(
                f"{name} must be an array with an entry per rating, got {column!r}; the name of a"
                " column needs the frame or file that has it, given first."
            )
    lengths = {name: n_samples(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{n} of {name}" for name, n in lengths.items())
        raise ValueError(f"item, rater and rating must have an entry per row each, got {found}.")


def _without_name(columns: dict[str, Any], unrated: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Return which rows have no item or no rater, None if all have; they have no rating either."""
    nameless: NDArray[np.bool_] | None = None
    for name, column in columns.items():
        missing = find_missing(column)
        if missing is None:
            continue
        lost = missing & ~unrated
        if lost.any():
            raise ValueError(
                f"{name} is missing in {int(lost.sum())} of {len(lost)} rows although there is a"
                f" rating, first in row {int(np.argmax(lost))}: say what was rated and by whom, or"
                " leave these rows out."
            )
        nameless = missing if nameless is None else nameless | missing
    return nameless


def _identify(given: Any, name: str) -> Identified:
    """Return a number for each distinct entry of a column; those of raters are in order."""
    # What strings become for the sake of a table of labels, a million items need not.
    in_arrow = None
    if name == "item" and type(given).__module__.startswith("pyarrow"):
        in_arrow = dictionary_of_pyarrow(given, name)
    if in_arrow is not None:
        codes, dictionary, _ = in_arrow
        if len(dictionary.unique()) == len(dictionary):
            numbers, n_distinct = _numbers_of(codes)
            return Identified(numbers, n_distinct, lambda row: dictionary[int(codes[row])].as_py())
    coded = codes_of_foreign(given, name)
    if coded is not None:
        return _identify_codes(*coded, name)
    column = read_column(given, name)
    if column.obstacle is not None:
        got = "numbers with fractions" if column.obstacle == "continuous" else short_repr(given)
        raise ValueError(f"{name} must hold whole numbers, strings or dates, got {got}.")
    if column.categories is not None:
        return _identify_codes(column.values, column.categories, column.declared is not None, name)
    values, dtype = column.values, column.label_dtype
    kind = {"b": bool, "f": int}.get(dtype.kind)

    def name_of(row: int) -> Any:
        if dtype.kind in "mM":
            return str(values[row : row + 1].view(dtype)[0])
        return values[row].item() if kind is None else kind(values[row])

    numbers, distinct = _numbers_of(values.astype(np.int64) if dtype.kind == "f" else values)
    return Identified(numbers, distinct, name_of)


def _identify_codes(codes: AnyArray, categories: Any, is_ordered: bool, name: str) -> Identified:
    """Return the numbers of codes; a declared order is kept."""
    used = np.zeros(len(categories), bool)
    # A copy where NumPy would check the codes themselves and then look at them again.
    used[codes.copy() if codes.dtype == np.intp else codes] = True
    found = [categories[code] for code in np.flatnonzero(used).tolist()]
    # A dictionary may hold a name twice.
    position = dict.fromkeys(found)
    if name == "rater":
        are_strings = all(isinstance(entry, str) for entry in position)
        if not is_ordered:
            position = dict.fromkeys(sorted_strings(position) if are_strings else sorted(position))
        if are_strings:
            warn_of_lookalikes({name: Column(codes, np.dtype(object), list(categories))}, "name")
    lookup = np.zeros(len(categories), np.int32)
    if len(position) == len(found) and name != "rater":
        lookup[used] = np.arange(len(found))
    else:
        place = {entry: i for i, entry in enumerate(position)}
        lookup[used] = [place[entry] for entry in found]
    distinct = np.empty(len(position), object)
    distinct[:] = list(position)
    return Identified(lookup.take(codes), distinct, lambda row: categories[codes[row]])


def _numbers_of(values: AnyArray) -> tuple[NDArray[np.int32], AnyArray]:
    """Return the position of each whole number among the distinct ones, and these."""
    numbers = np.empty(len(values), np.int32)
    lowest = int(values.min())
    span = int(values.max()) - lowest + 1
    if span <= LOOKUP_PER_ROW * len(values):
        present = np.zeros(span, bool)
        for start in range(0, len(values), CHUNK):
            present[_offsets(values[start : start + CHUNK], lowest, span)] = True
        lookup = np.cumsum(present, dtype=np.int32) - np.int32(1)
        for start in range(0, len(values), CHUNK):
            offsets = _offsets(values[start : start + CHUNK], lowest, span)
            numbers[start : start + CHUNK] = lookup[offsets]
        occurring = np.flatnonzero(present).astype(np.uint64) + np.uint64(lowest % (1 << 64))
        return numbers, occurring.astype(values.dtype)
    distinct = np.unique(values)
    for start in range(0, len(values), CHUNK):
        numbers[start : start + CHUNK] = np.searchsorted(distinct, values[start : start + CHUNK])
    if numbers.max() >= len(distinct):
        raise changed_meanwhile("items or raters")
    return numbers, distinct


def _offsets(values: AnyArray, lowest: int, span: int) -> NDArray[np.int64]:
    """Return how far values lie above the lowest, which is how far those of the span can."""
    offsets = offsets_from(values, lowest)
    if int(offsets.max()) >= span:
        raise changed_meanwhile("items or raters")
    return offsets.view(np.int64)


def _duplicates(
    pairs: AnyArray,
    codes: AnyArray,
    again: NDArray[np.bool_],
    items: Identified,
    raters: Identified,
) -> str:
    """Return the error about raters who have rated an item more than once."""
    first = int(np.argmax(again))
    item, rater = divmod(int(pairs[first]), raters.n_distinct)
    several = pairs[1:][again]
    n_pairs = len(np.unique(several))
    differ = again & (codes[1:] != codes[:-1])
    # Sorted by pair, but not by code: equal neighbours everywhere means equal ratings.
    n_differ = len(np.unique(pairs[1:][differ]))
    n_times = int((pairs == pairs[first]).sum())
    found = f"rater {raters.shown(rater)} has {n_times} ratings of item {items.shown(item)}"
    if n_pairs > 1:
        found += f", and {n_pairs - 1} more pairs of rater and item have several"
    if not n_differ:
        return f"{found}, all of them equal: leave out the repeated rows."
    if n_pairs == 1:
        return f"{found}, and they differ: keep one of them."
    return f"{found}; those of {n_differ} of the {n_pairs} pairs differ: keep one rating of each."
