"""Detect data that were passed as one column per rater but have another form."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import suppress
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, Floats
from fastkappa.multirater.items.rater_columns import CHUNK, EncodedRater
from fastkappa.ratings.column import Column
from fastkappa.ratings.doubtful_labels import FEWEST_IDS, are_ids
from fastkappa.ratings.rating_matrix import Rater
from fastkappa.ratings.real_numbers import number_rows


class OtherForm(NamedTuple):
    """A warning that data seem to have another form, and whether the reason is a column of ids."""

    warning: str
    has_ids: bool = False


COUNTS = OtherForm(
    "every row of ratings has the same sum and some entries are 0, as in a table of counts, but"
    " each column was read as a rater. If the entries count the raters who gave each label, use"
    " Ratings.from_counts(ratings). If not, use Ratings.from_array(ratings)."
)
ONE_HOT = OtherForm(
    "every row of ratings has exactly one 1, as if there were one column per label, but each"
    " column was read as a rater. Pass one column of labels per rater, such as"
    " numpy.argmax(ratings, axis=1)."
)
TABLE = OtherForm(
    "ratings have as many rows as columns, and their numbers hardly repeat, as in a table that"
    " counts pairs of labels, but each column was read as a rater. If the entries count the"
    " subjects of two raters, use Ratings.from_table(ratings). If not, use"
    " Ratings.from_array(ratings)."
)
# With fewer rows than this, equal row sums are too often a coincidence.
FEWEST_ROWS = 3
# Ratings are assumed to be transposed if the agreement within rows is at most `UNRELATED` above
# chance, and the agreement within columns is at least ``LEAST_TRANSPOSED + 1 / n_subjects``. Of 11
# 000 simulated matrices of raters with different preferences, 5 caused a warning. Fewer columns
# than `FEWEST_TRANSPOSED` are always read as raters. Matrices with more than `MOST_TRANSPOSED`
# indicators are not checked.
FEWEST_TRANSPOSED, UNRELATED, LEAST_TRANSPOSED, MOST_TRANSPOSED = 8, 0.1, 0.25, 100_000
# Two columns without a repeated pair of values are not ratings by two raters if independent raters
# would be expected to repeat at least this many pairs. With 7 expected repeats, the probability of
# no repeat is about exp(-7), or one in a thousand. If raters agree, the probability is even
# smaller.
REPEATED_BY_CHANCE = 7.0
# A table with more labels than this has many small counts, which often repeat by chance.
LARGEST_TABLE = 10
# Measurements that number the rows are ids if the correlation with each other column is smaller.
MOST_CORRELATED = 0.5
# The search for a repeated pair begins with the first SOME_ROWS rows, which are nearly always
# enough to find one in ratings. If they contain none, the first MOST_ROWS rows are searched.
SOME_ROWS, MOST_ROWS = 1 << 8, 1 << 20


def other_form(raters: Sequence[Rater], *, may_be_counts: bool) -> OtherForm | None:
    """Return the form that ratings seem to have, or None for one column per rater."""
    n_subjects = raters[0].n_subjects
    largest = largest_count(raters) if may_be_counts else 0
    if largest > 1:
        return COUNTS
    if largest and len(raters) > 2 and n_subjects >= FEWEST_IDS:
        return ONE_HOT
    if look_long(raters):
        return OtherForm(
            f"ratings have three columns, and two of them never repeat a pair of values in"
            f" {n_subjects} rows. This is typical of columns of items and raters, but each column"
            " was read as a rater. If one column contains items and one contains raters, use"
            " Ratings.from_long. If not, use Ratings.from_array(ratings)."
        )
    return form_of_ids(raters)


def form_of_labels(encoded: Sequence[EncodedRater], *, are_given: bool) -> OtherForm | None:
    """Return the form that labels seem to have, or None for one column of labels per rater.

    Only labels are checked for the form of a confusion matrix, because measurements of a few
    subjects can look like such a matrix.
    """
    raters = [one.rater for one in encoded]
    if not are_given and look_like_table(raters):
        return TABLE
    found = other_form(raters, may_be_counts=not are_given)
    n_subjects, n_labels = raters[0].n_subjects, encoded[0].n_labels
    if found is None and may_be_transposed(len(raters), n_subjects * n_labels):
        # Ratings that are not labels raise an error later.
        with suppress(ValueError):
            codes = np.stack([one.codes(0, n_subjects) for one in encoded])
            return form_of_rows(indicators(codes, n_labels))
    return found


def may_be_transposed(n_raters: int, n_numbers: int) -> bool:
    """Return whether to call `agreement_within`. Each rater has ``n_numbers`` numbers."""
    return n_raters >= FEWEST_TRANSPOSED and n_raters * n_numbers <= MOST_TRANSPOSED


def indicators(codes: AnyArray, n_labels: int) -> Floats:
    """Return indicators of the labels. Code ``n_labels`` stands for a missing rating."""
    of_labels = np.arange(n_labels)[:, None, None] == codes
    return np.where(codes < n_labels, of_labels, np.nan)


def agreement_within(numbers: AnyArray) -> tuple[float, float]:
    """Return the agreement above chance within subjects and within raters.

    ``numbers`` contains indicators of labels, or measurements, and has the shape (..., n_raters,
    n_subjects).
    """
    with warnings.catch_warnings(action="ignore"):
        total = np.nanvar(numbers, axis=(-1, -2)).sum()
        of_subjects, of_raters = (
            float(1 - np.nanmean(np.nanvar(numbers, axis, ddof=1), axis=-1).sum() / total)
            for axis in (-2, -1)
        )
    return of_subjects, of_raters


def are_transposed(of_subjects: float, of_raters: float, n_subjects: int) -> bool:
    """Return whether ratings agree so much more within raters that they seem to be transposed."""
    return of_subjects <= UNRELATED and of_raters >= LEAST_TRANSPOSED + 1 / n_subjects


def form_of_rows(numbers: AnyArray) -> OtherForm | None:
    """Return the form with one row per rater if ratings agree within columns and not within rows.

    ``numbers`` are as in `agreement_within`.
    """
    n_raters, n_subjects = numbers.shape[-2:]
    if not are_transposed(*agreement_within(numbers), n_subjects):
        return None
    return OtherForm(
        f"ratings have {n_subjects} rows, read as subjects, and {n_raters} columns, read"
        " as raters, but ratings agree within columns and not within rows. If ratings have one row"
        " per rater, transpose them, as with ratings.T. If not, use Ratings.from_array(ratings)."
    )


def form_of_ids(raters: Sequence[Rater]) -> OtherForm | None:
    """Return the form of ratings with a column of ids, or None if no column looks like ids."""
    n_subjects = raters[0].n_subjects
    ids = ids_among([rater.column.values for rater in raters], n_subjects)
    if ids is None:
        return None
    return OtherForm(
        f"{raters[ids].name} has a different value in each of the {n_subjects} rows, like ids,"
        " but was read as a rater. If it contains ids of items, leave it out. If not, use"
        " Ratings.from_array(ratings).",
        has_ids=True,
    )


def form_of_row_numbers(columns: Sequence[AnyArray], names: Sequence[str]) -> OtherForm | None:
    """Return the form of measurements with a column that numbers the rows, or None."""
    for place, (name, values) in enumerate(zip(names, columns)):
        if len(values) < FEWEST_IDS or not number_rows(values):
            continue
        others = [own for i, own in enumerate(columns) if i != place]
        pairs = [np.stack([values, own])[:, ~np.isnan(own)] for own in others]
        with np.errstate(all="ignore"):
            if all(not abs(np.corrcoef(pair)[0, 1]) >= MOST_CORRELATED for pair in pairs):
                return OtherForm(
                    f"{name} numbers the rows, but was read as a rater. If it contains ids of"
                    " items, leave it out.",
                    has_ids=True,
                )
    return None


def ids_among(columns: Sequence[AnyArray], n_subjects: int) -> int | None:
    """Return the position of a column that looks like subject ids, or None if no column does."""
    if n_subjects < FEWEST_IDS:
        return None
    never = [len(values) == n_subjects and _never_repeats(values) for values in columns]
    if not any(never):
        return None
    others = [values[:MOST_ROWS] for values, own in zip(columns, never) if not own]
    most_values = max((len(np.unique(values)) for values in others), default=0)
    n_seen = min(n_subjects, MOST_ROWS)
    return never.index(True) if are_ids(n_seen, most_values, n_seen) else None


def ids_in_counts(counts: AnyArray, columns: Sequence[Any]) -> str | None:
    """Return the warning about a named column that looks like ids, or None if no column does."""
    ids = ids_among(list(counts.T), len(counts))
    if ids is None:
        return None
    return (
        f"column {columns[ids]!r} of counts has a different number in each of the {len(counts)}"
        " rows, like ids, but was read as a label. If it contains ids of items, leave it out."
    )


def _never_repeats(values: AnyArray) -> bool:
    return all(len(np.unique(some)) == len(some) for some in (values[:SOME_ROWS], values))


def look_long(raters: Sequence[Rater]) -> bool:
    """Return whether three columns look like items, raters and ratings.

    In long form, two of the columns never contain the same pair of values twice. In addition,
    values must occur so often (at least twice on average) that even raters who agree only by chance
    would be expected to repeat several pairs.
    """
    if len(raters) != 3:
        return False
    columns = [r.column for r in raters if r.missing is None and r.column.obstacle is None]
    return any(_identify_rows(first, second) for first, second in combinations(columns, 2))


def _identify_rows(first: Column, second: Column) -> bool:
    """Return whether two columns identify each row together but not individually."""
    if not _all_differ(first.values[:SOME_ROWS], second.values[:SOME_ROWS]):
        return False
    columns = [column.values[:MOST_ROWS] for column in (first, second)]
    n = len(columns[0])
    numbers = [len(np.unique(values)) for values in columns]
    if min(numbers) < 2 or 2 * max(numbers) > n:
        return False
    by_chance = n * (n - 1) / 2 / (numbers[0] * numbers[1])
    return by_chance >= REPEATED_BY_CHANCE and _all_differ(*columns)


def _all_differ(first: AnyArray, second: AnyArray) -> bool:
    """Return whether no pair of values occurs twice."""
    _, a = np.unique(first, return_inverse=True)
    distinct, b = np.unique(second, return_inverse=True)
    return len(np.unique(a * len(distinct) + b)) == len(first)


def largest_count(raters: Sequence[Rater]) -> int:
    """Return the largest count if ratings look like counts of raters per label, otherwise 0.

    Ratings look like counts if there are at least three rows of non-negative whole numbers without
    missing values, every row has the same sum, and the numbers include 0. Ratings that start at 1
    never look like counts. Other ratings look like counts only by chance, and the more the raters
    agree, the less likely this is. If each row contains a single 1 and is 0 otherwise, the largest
    count is 1. Other rows of 0 and 1 are not considered counts.
    """
    if raters[0].n_subjects < FEWEST_ROWS or not all(map(_may_be_counts, raters)):
        return 0
    total, smallest, largest = None, 1, 1
    for start in range(0, raters[0].n_subjects, CHUNK):
        rows: AnyArray = np.stack(
            [rater.column.values[start : start + CHUNK].astype(np.int64) for rater in raters]
        )
        sums = rows.sum(axis=0)
        total = sums[0] if total is None else total
        smallest, largest = min(smallest, rows.min()), max(largest, rows.max())
        if smallest < 0 or (sums != total).any():
            return 0
    return int(largest) if smallest == 0 and (largest > 1 or total == 1) else 0


def look_like_table(raters: Sequence[Rater]) -> bool:
    """Return whether ratings look like the confusion matrix of two raters.

    A confusion matrix is square, few of its counts occur more than once, and the largest count of
    each row and column is on the diagonal. In real ratings with as many raters as subjects, most
    labels would repeat.
    """
    n = raters[0].n_subjects
    if n != len(raters) or n < 2 or n > LARGEST_TABLE or not all(map(_may_be_counts, raters)):
        return False
    table = np.stack([rater.column.values for rater in raters])
    present = table[table != 0]
    if table.min() < 0 or table.max() <= n * n or 2 * len(np.unique(present)) <= len(present):
        return False
    largest = np.maximum(table.max(axis=0), table.max(axis=1))
    return bool((table.diagonal() == largest).all())


def _may_be_counts(rater: Rater) -> bool:
    column = rater.column
    return rater.missing is None and column.categories is None and column.label_dtype.kind in "biuf"
