"""Recognise ratings of another form that were given as a column per rater."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.multirater.items.rater_columns import CHUNK
from fastkappa.ratings.column import Column
from fastkappa.ratings.doubtful_labels import FEWEST_IDS, are_ids
from fastkappa.ratings.rating_matrix import Rater


class OtherForm(NamedTuple):
    """The warning about what looks like ratings of another form, and whether that is for ids."""

    warning: str
    has_ids: bool = False


COUNTS = OtherForm(
    "every row of ratings has the same sum and some are 0, as in a table of counts, but they were"
    " read as a column per rater: give Ratings.from_counts(ratings) if they count the raters that"
    " gave each label, Ratings.from_array(ratings) if not."
)
TABLE = OtherForm(
    "ratings have as many rows as columns, and their numbers hardly repeat, as in a table that"
    " counts pairs of labels, but they were read as a column per rater: give"
    " Ratings.from_table(ratings) if they count the subjects of two raters,"
    " Ratings.from_array(ratings) if not."
)
# In fewer rows equal sums are too often a coincidence.
FEWEST_ROWS = 3
# Fewer columns than this are raters, however few subjects there are.
FEWEST_TRANSPOSED = 8
# Independent raters would repeat so many pairs of labels; that they repeat none has a
# probability of about exp(-7), one in a thousand, and a smaller one the more they agree.
REPEATED_BY_CHANCE = 7.0
# A table of more labels has cells of few items, which repeat.
LARGEST_TABLE = 10
# Rows that are looked at for a repeated pair: first some, for nearly all ratings have one there.
SOME_ROWS, MOST_ROWS = 1 << 8, 1 << 20


def other_form(raters: Sequence[Rater], *, may_be_counts: bool) -> OtherForm | None:
    """Return the form that ratings look like, None for a column per rater."""
    n_subjects = raters[0].n_subjects
    if may_be_counts and look_like_counts(raters):
        return COUNTS
    if len(raters) >= max(FEWEST_TRANSPOSED, 2 * n_subjects):
        return OtherForm(
            f"ratings have {n_subjects} rows, read as subjects, and {len(raters)} columns, read as"
            " raters: transpose them or give Ratings.from_raters(ratings) if they have a row per"
            " rater, Ratings.from_array(ratings) if not."
        )
    if look_long(raters):
        return OtherForm(
            f"ratings have three columns and {n_subjects} rows, and two columns never hold the same"
            " pair twice, as the items and raters of a row per rating, but they were read as a"
            " column per rater: give Ratings.from_long if one column says what was rated and one"
            " who rated it, Ratings.from_array(ratings) if not."
        )
    return form_of_ids(raters)


def form_of_labels(raters: Sequence[Rater], *, are_given: bool) -> OtherForm | None:
    """Return the form that ratings look like, None for a column of labels per rater.

    Measurements of few subjects can look like a table of two raters; labels cannot.
    """
    if not are_given and look_like_table(raters):
        return TABLE
    return other_form(raters, may_be_counts=not are_given)


def form_of_ids(raters: Sequence[Rater]) -> OtherForm | None:
    """Return the form with a column of ids, None if no rater looks like ids."""
    n_subjects = raters[0].n_subjects
    ids = ids_among([rater.column.values for rater in raters], n_subjects)
    if ids is None:
        return None
    return OtherForm(
        f"{raters[ids].name} holds another value in each of the {n_subjects} rows, as ids do,"
        " but was read as a rater: leave it out if it says what was rated, give"
        " Ratings.from_array(ratings) if not.",
        has_ids=True,
    )


def ids_among(columns: Sequence[AnyArray], n_subjects: int) -> int | None:
    """Return the position of a column that looks like ids of the subjects, None if none does."""
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
    """Return the warning about a named column that looks like ids, None if none does."""
    ids = ids_among(list(counts.T), len(counts))
    if ids is None:
        return None
    return (
        f"column {columns[ids]!r} of counts holds another number in each of the {len(counts)} rows,"
        " as ids do, but was read as a label: leave it out if it says what was rated."
    )


def _never_repeats(values: AnyArray) -> bool:
    return all(len(np.unique(some)) == len(some) for some in (values[:SOME_ROWS], values))


def look_long(raters: Sequence[Rater]) -> bool:
    """Return whether three columns look like items, raters and ratings.

    They do if two of them never hold the same pair of values twice, although both hold each
    value twice or more on average, and so often that raters who do not agree at all would
    have repeated several pairs.
    """
    if len(raters) != 3:
        return False
    columns = [r.column for r in raters if r.missing is None and r.column.obstacle is None]
    return any(_identify_rows(first, second) for first, second in combinations(columns, 2))


def _identify_rows(first: Column, second: Column) -> bool:
    """Return whether two columns together tell rows apart, which their values alone would not."""
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


def look_like_counts(raters: Sequence[Rater]) -> bool:
    """Return whether ratings look like counts of how many raters gave each label.

    They do if there are three rows or more, all ratings are whole numbers of 0 or more, none
    is missing, every row has the same sum, some rating is 0, and some is 2 or more. Ratings
    that start at 1, or are only 0 and 1, never do; others do by chance alone, and less so the
    more the raters agree.
    """
    if raters[0].n_subjects < FEWEST_ROWS or not all(map(_may_be_counts, raters)):
        return False
    total, smallest, largest = None, 1, 1
    for start in range(0, raters[0].n_subjects, CHUNK):
        rows: AnyArray = np.stack(
            [rater.column.values[start : start + CHUNK].astype(np.int64) for rater in raters]
        )
        sums = rows.sum(axis=0)
        total = sums[0] if total is None else total
        smallest, largest = min(smallest, rows.min()), max(largest, rows.max())
        if smallest < 0 or (sums != total).any():
            return False
    return smallest == 0 and largest >= 2


def look_like_table(raters: Sequence[Rater]) -> bool:
    """Return whether ratings look like the table of two raters.

    It is square, most of its counts differ, and most items of each label are on the diagonal.
    Ratings of so few subjects, and of as many raters, would repeat most of the labels.
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
    return rater.missing is None and column.categories is None and column.label_dtype.kind in "iuf"
