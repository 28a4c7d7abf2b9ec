"""Detect columns whose rows probably do not match, and rows that are probably counted twice.

In a spreadsheet, one column can be sorted or shifted without the other. An export can contain the
rows of an earlier export.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from operator import eq, ne
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.ratings.column import Column
from fastkappa.ratings.doubtful_labels import warn
from fastkappa.tables.two_codings import (
    BETTER,
    EVIDENCE,
    LEAST_REPEATS,
    NEAR,
    is_predicted,
    kappa_of,
)

# For most columns, this many ratings at the start show that no closer look is needed.
HEAD = 16
# Shifted and repeated rows are searched for only among this many rows at the start.
MOST_ROWS = 10_000
# With fewer ratings, or fewer ratings with the second most frequent label, equal ratings can be
# adjacent by chance.
FEWEST_ROWS, FEWEST_OF_SECOND = 20, 5
# At least this proportion of ratings must have the second most frequent label, so that a sample of
# a file also contains it.
LEAST_OF_SECOND = 0.1
# The largest chi-square statistic attributed to chance, in standard deviations above its mean.
CHANCE = 2.0
# For a warning about repeated rows, the smallest number of such rows, and the largest probability
# that they repeat by chance.
FEWEST_REPEATED, BY_CHANCE = 30, 1e-6
# The first rows are compared with the rows at no more than this many later places. If they occur at
# more places, their labels are too frequent to be evidence.
MOST_PLACES = 20


def judge_order(
    table: AnyArray, first: Column, second: Column, names: tuple[str, str] = ("y1", "y2")
) -> None:
    """Warn if only one of two columns seems to be sorted, or if rows seem shifted or repeated.

    If one column was sorted without the other, they agree only by chance. ``table`` contains the
    counts of the two columns.
    """

    def are_sorted() -> list[bool]:
        used = (np.count_nonzero(table.any(axis=axis)) for axis in (1, 0))
        columns = (first.values, second.values)
        return [runs_in(own) == n_labels for own, n_labels in zip(columns, used)]

    if len(first.values) < FEWEST_ROWS:
        return
    if any(is_grouped(column.values[:HEAD].tolist()) for column in (first, second)):
        judge_sorted(table, are_sorted, names)
    judge_rows(first, second, names)


def judge_rows(first: Column, second: Column, names: Sequence[str]) -> bool:
    """Warn if rows seem to be shifted or repeated, and return whether there is a warning."""
    if first.counts is not None or not len(first.values):
        return False
    own, others = _comparable(first, second)
    return judge_codes(own, others, names)


def _comparable(first: Column, second: Column) -> list[AnyArray]:
    """Return the first ratings of two columns as numbers that are equal for equal labels."""
    values = [column.values[:MOST_ROWS] for column in (first, second)]
    if first.categories is None and second.categories is None:
        return values
    position: dict[Any, int] = {}
    for i, column in enumerate((first, second)):
        labels, codes = column.categories, values[i]
        if labels is None:
            distinct, codes = np.unique(codes, return_inverse=True)
            labels = distinct.tolist()
        values[i] = np.array([position.setdefault(x, len(position)) for x in labels])[codes]
    return values


def judge_codes(first: AnyArray, second: AnyArray, names: Sequence[str]) -> bool:
    """Warn if rows of codes seem to be shifted or repeated. Return whether there is a warning."""
    if _looks_shifted(first[:HEAD].tolist(), second[:HEAD].tolist()):
        return _warn_of_shift(first, second, names)
    return _warn_of_repeated(first, second, names)


def _looks_shifted(first: list[Any], second: list[Any]) -> bool:
    """Return whether most ratings equal the other rater's ratings one row above or below."""
    above, level, below = (
        sum(map(eq, *rows)) for rows in ((first, second[1:]), (first, second), (first[1:], second))
    )
    return bool(max(above, below) > max(level, len(first) // 2))


def _warn_of_shift(first: AnyArray, second: AnyArray, names: Sequence[str]) -> bool:
    """Warn if raters agree only after one column is moved by one row.

    Return whether there is a warning. There is none if each rating predicts the next, as in a
    repeated cycle. A shift then looks like different codes for the labels.
    """
    n = len(first)
    labels, together = np.unique([first, second], return_inverse=True)
    codes, side = together.reshape(2, n), len(labels)
    places = np.arange(side).astype(float)

    def pairs(rows: AnyArray, columns: AnyArray) -> AnyArray:
        return np.bincount(rows * side + columns, minlength=side * side).reshape(side, side)

    given, down, up = (
        kappa_of(places, places, pairs(rows, columns), 0)
        for rows, columns in (
            codes,
            (codes[0, 1:], codes[1, :-1]),
            (codes[0, :-1], codes[1, 1:]),
        )
    )
    better = max(down, up)
    if better < max(NEAR, given + BETTER) or n * better**2 < 2 * EVIDENCE:
        return False
    # If few items lack the most frequent label, these items can be adjacent by chance.
    if n - np.bincount(codes[0]).max() < LEAST_REPEATS:
        return False
    if is_predicted(pairs(codes[0, 1:], codes[0, :-1])):
        return False
    warn(
        f"{names[1]} seems to be shifted by one row: unweighted kappa is {given:.2f}, and would be"
        f" {better:.2f} with {names[1]} moved one row {'down' if down > up else 'up'}. Check that"
        " both ratings in each row are of the same item."
    )
    return True


def _warn_of_repeated(first: AnyArray, second: AnyArray, names: Sequence[str]) -> bool:
    """Warn if a block of rows repeats the first rows. Return whether there is a warning.

    The block starts where the first copy ends, or extends to the last row. Rows that are repeated
    several times, as in made-up data, are not evidence. Successive rows with the same labels are
    counted as one row.
    """
    n = len(first)
    for start in islice(_places_of_head(first, second), MOST_PLACES):
        length = min(start, n - start)
        block, other, third = (
            np.array([first[i : i + length], second[i : i + length]]) for i in (0, start, 2 * start)
        )
        if length < FEWEST_REPEATED or (block != other).any():
            continue
        n_third = third.shape[1]
        is_tiled = n_third > 0 and (block[:, :n_third] == third).all()
        if is_tiled or _repeats_itself(block):
            return False
        pairs = np.unique(np.array([first, second]), axis=1, return_inverse=True)[1].reshape(-1)
        begins = np.append(True, pairs[1:] != pairs[:-1])
        proportion = np.bincount(pairs[begins]) / begins.sum()
        if n * np.exp(np.log(proportion[pairs[:length][begins[:length]]]).sum()) < BY_CHANCE:
            warn(
                f"{length} items, from position {start} on, repeat the first {length} ratings of"
                f" {' and '.join(names)}, but are counted as other items: leave them out if they"
                " are the same items, for example because a later export was appended."
            )
            return True
    return False


def _repeats_itself(block: AnyArray) -> bool:
    """Return whether the rows of a block, given as columns, repeat a shorter block."""
    periods = range(1, block.shape[1] // 2 + 1)
    return any((block[:, n:] == block[:, :-n]).all() for n in periods)


def _places_of_head(first: AnyArray, second: AnyArray) -> Iterator[int]:
    """Yield the positions below the first rows at which the same rows can start again."""
    # Searching bytes takes a tenth of the time of comparing arrays. Callers then compare the rows,
    # because different pairs of labels can have equal bytes.
    low, high = (
        (own if own.dtype.kind in "biu" else own.astype(np.int64)).astype(np.uint8, copy=False)
        for own in (first, second)
    )
    text = (low + 31 * high).tobytes()
    place = text.find(text[:FEWEST_REPEATED], FEWEST_REPEATED)
    while place >= 0:
        yield place
        place = text.find(text[:FEWEST_REPEATED], place + 1)


def judge_sorted(
    table: AnyArray, are_sorted: Callable[[], list[bool]], names: tuple[str, str]
) -> None:
    """Warn if only one of two columns is sorted by label, and they agree only by chance.

    ``are_sorted`` returns whether each column is sorted.
    """
    of_each, n = (table.sum(axis=1), table.sum(axis=0)), table.sum()
    common = (of_each[0] > 0) & (of_each[1] > 0)
    # Columns of ids or scores have few labels in common with a column of ratings.
    if n < FEWEST_ROWS or table[np.ix_(common, common)].sum() < n / 2:
        return
    counts = table[np.ix_(*(own > 0 for own in of_each))].astype(float)
    by_chance = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / n
    freedom = (len(counts) - 1) * (counts.shape[1] - 1)
    chi_square = float(((counts - by_chance) ** 2 / by_chance).sum())
    if chi_square > freedom + CHANCE * (2 * freedom) ** 0.5 or sum(found := are_sorted()) != 1:
        return
    place = found.index(True)
    if np.sort(of_each[place])[-2] >= max(FEWEST_OF_SECOND, LEAST_OF_SECOND * n):
        warn(
            f"{names[place]} is sorted, {names[1 - place]} is not, and they agree no more than"
            " expected by chance. Perhaps one of them was sorted or shuffled alone: check that"
            " both have the items in the same order."
        )


def runs_in(ratings: AnyArray) -> float:
    """Return the number of runs of equal ratings, or infinity if it is obviously large."""
    if not is_grouped(ratings[:HEAD].tolist()):
        return math.inf
    return int(np.count_nonzero(ratings[1:] != ratings[:-1])) + 1


def is_grouped(ratings: list[Any]) -> bool:
    """Return whether equal ratings are adjacent, as in a sorted column."""
    n_runs: int = 1 + sum(map(ne, ratings, ratings[1:]))
    return n_runs == len(set(ratings))
