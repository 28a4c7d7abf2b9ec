"""Ratings in long form: a row per rating, which says who rated what and how.

Rows are sorted by item and rater, so that an item's ratings lie together. No array has a cell
for a rating that is not there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from reprlib import repr as short_repr
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.columns.column import Column, label_of, read_column
from fastkappa.columns.label_order import sorted_strings
from fastkappa.columns.lengths import n_samples
from fastkappa.columns.missing import find_missing, without
from fastkappa.columns.odd_strings import warn_of_lookalikes
from fastkappa.multirater.items.columns import CHUNK, EncodedColumns, EncodedRater, encode_columns
from fastkappa.multirater.items.counts import as_patterns
from fastkappa.multirater.items.distinct_rows import BLOCK, DistinctRows

# A span of whole numbers so many times as long as their column has a look-up table.
LOOKUP_PER_ROW = 4


class Identified(NamedTuple):
    """The items or the raters of all rows: a number for each, and where its name is."""

    name: str
    column: Column
    numbers: NDArray[np.int32]
    n_distinct: int

    def shown(self, number: int) -> str:
        """Return the name of one as a message shows it."""
        return label_of(self.column, int(np.argmax(self.numbers == number)))

    def names(self) -> tuple[str, ...]:
        """Return the names of all."""
        first = np.zeros(self.n_distinct, np.intp)
        first[self.numbers] = np.arange(len(self.numbers))
        categories = self.column.categories
        values = self.column.values[first]
        if categories is not None:
            return tuple(categories[code] for code in values.tolist())
        if self.column.label_dtype.kind in "mM":
            return tuple(map(str, values.view(self.column.label_dtype)))
        are_booleans = self.column.label_dtype.kind == "b"
        read = bool if are_booleans else int
        return tuple(str(read(value)) for value in values.tolist())


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
    """

    n_items: int
    rater_names: tuple[str, ...]
    n_labels: int
    ratings: AnyArray
    starts: NDArray[np.intp]

    def profiles(self) -> list[tuple[AnyArray, IntTable]]:
        """Return the distinct profiles of each number of ratings, and how many items have each."""
        found = []
        for length, blocks in self._blocks():
            distinct = DistinctRows(length, len(self.rater_names) * self.n_labels)
            for ratings in blocks:
                distinct.add(ratings)
            found.append(distinct.rows())
        return found

    def patterns(self) -> tuple[AnyArray, IntTable]:
        """Return the distinct patterns, counts of shape (P, l), and how many items have each."""
        found = []
        for length, blocks in self._blocks():
            distinct = DistinctRows(length, self.n_labels)
            for ratings in blocks:
                distinct.add(np.sort(ratings % self.n_labels, axis=1))
            found.append(as_patterns(*distinct.rows(), self.n_labels))
        counts, multiplicities = zip(*found)
        return np.concatenate(counts), np.concatenate(multiplicities)

    def _blocks(self) -> Iterator[tuple[int, Iterator[AnyArray]]]:
        """Yield each number of ratings that an item has, and these items' ratings in blocks."""
        lengths = np.diff(self.starts)
        for length in np.unique(lengths).tolist():
            yield length, self._blocks_of(self.starts[:-1][lengths == length], length)

    def _blocks_of(self, starts: NDArray[np.intp], length: int) -> Iterator[AnyArray]:
        step = max(1, BLOCK // length)
        for i in range(0, len(starts), step):
            yield self.ratings[starts[i : i + step, None] + np.arange(length)]


def read_long(
    item: Any, rater: Any, rating: Any, labels: Any, missing_codes: Sequence[Any]
) -> tuple[EncodedColumns, LongRatings]:
    """Return a column of ratings with its labels, and the same sorted by item and rater.

    Raises
    ------
    ValueError
        As by `encode_columns`, and if the columns differ in length, a rating has no item or no
        rater, items or raters are not whole numbers, strings or dates, there are fewer than two
        raters, or a rater has rated an item twice.
    """
    _check_lengths({"item": item, "rater": rater, "rating": rating})
    given = encode_columns([rating], ["rating"], labels, missing_codes, "rating")
    return given, _sorted_ratings(item, rater, given.raters[0])


def _sorted_ratings(item: Any, rater: Any, encoded: EncodedRater) -> LongRatings:
    n_labels = encoded.n_labels
    codes = np.empty(encoded.rater.n_subjects, np.min_scalar_type(n_labels + 1))
    for start in range(0, len(codes), CHUNK):
        codes[start : start + CHUNK] = encoded.codes(start, start + CHUNK)
    nameless = _without_name({"item": item, "rater": rater}, codes == n_labels)
    if nameless is not None:
        item, rater = without(item, nameless), without(rater, nameless)
        codes = codes[~nameless]
    items, raters = _identify(item, "item"), _identify(rater, "rater")
    warn_of_lookalikes({"rater": raters.column})
    if raters.n_distinct < 2:
        raise ValueError(
            f"rater must name two raters or more, got {raters.shown(0)} in all {len(codes)} rows."
        )
    names, n_items, n_raters = raters.names(), items.n_distinct, raters.n_distinct
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
    del items, raters
    ratings = (pairs % n_raters).astype(np.min_scalar_type(n_raters * n_labels - 1))
    pairs //= n_raters
    starts = np.flatnonzero(pairs[1:] != pairs[:-1]) + 1
    ratings *= n_labels
    ratings += codes
    return LongRatings(
        n_items, names, n_labels, ratings, np.concatenate([[0], starts, [len(ratings)]])
    )


def _check_lengths(columns: dict[str, Any]) -> None:
    """Raise unless the columns have one entry a row each."""
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
    """Return a number for each distinct entry of a column, in their order."""
    column = read_column(given, name)
    if column.obstacle is not None:
        got = "numbers with fractions" if column.obstacle == "continuous" else short_repr(given)
        raise ValueError(f"{name} must hold whole numbers, strings or dates, got {got}.")
    values = column.values
    if column.categories is not None:
        used = np.zeros(len(column.categories), bool)
        used[values] = True
        found = [column.categories[code] for code in np.flatnonzero(used).tolist()]
        if column.declared is None:
            found = sorted_strings(found)
        # A dictionary may hold a name twice.
        position = {entry: i for i, entry in enumerate(dict.fromkeys(found))}
        lookup = np.array([position.get(entry, 0) for entry in column.categories], np.int32)
        return Identified(name, column, lookup[values], len(position))
    if values.dtype.kind == "f":
        values = values.astype(np.int64)
    lowest, highest = values.min(), values.max()
    span = int(highest) - int(lowest) + 1
    if span <= LOOKUP_PER_ROW * len(values):
        present = np.zeros(span, bool)
        for start in range(0, len(values), CHUNK):
            present[_offsets(values[start : start + CHUNK], lowest)] = True
        lookup = np.cumsum(present, dtype=np.int32) - np.int32(1)
        numbers = np.empty(len(values), np.int32)
        for start in range(0, len(values), CHUNK):
            numbers[start : start + CHUNK] = lookup[_offsets(values[start : start + CHUNK], lowest)]
        return Identified(name, column, numbers, int(lookup[-1]) + 1)
    distinct = np.unique(values)
    numbers = np.empty(len(values), np.int32)
    for start in range(0, len(values), CHUNK):
        chunk = values[start : start + CHUNK]
        numbers[start : start + CHUNK] = np.searchsorted(distinct, chunk)
    return Identified(name, column, numbers, len(distinct))


def _offsets(values: AnyArray, lowest: Any) -> AnyArray:
    """Return how far values lie above the lowest, which narrow types cannot hold."""
    if values.dtype.itemsize < 8:
        values, lowest = values.astype(np.int64), int(lowest)
    offsets: AnyArray = values - lowest
    return offsets


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
