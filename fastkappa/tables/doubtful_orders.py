"""Detect columns whose rows probably do not match, and rows that are probably counted twice.

In a spreadsheet, one column can be sorted without the other. An export can contain the rows of an
earlier export. The two labels of each item can be sorted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.formatting import number_text
from fastkappa.ratings.column import Column
from fastkappa.ratings.doubtful_labels import warn
from fastkappa.ratings.label_order import is_alphabetical
from fastkappa.tables.doubtful_rows import (
    COPIED_BY_CHANCE,
    FEWEST_DIFFERENT,
    FEWEST_OF_PART,
    SHORTEST_RUN,
    Rows,
    warn_of_copied,
    warn_of_filled,
    warn_of_run,
    warn_of_shift,
)
from fastkappa.tables.table import kappa_of
from fastkappa.tables.two_codings import FEWEST_AT_END

# For most columns, this many ratings at the start show that no closer look is needed.
HEAD = 16
# Only this many rows at the start are searched for doubtful parts and repeated rows.
MOST_ROWS = 10_000
# With fewer than `FEWEST_ROWS` ratings, or fewer than `FEWEST_OF_SECOND` with the second most
# frequent label, equal ratings can be adjacent by chance.
FEWEST_ROWS, FEWEST_OF_SECOND = 20, 5
# At least this proportion of ratings must have the second most frequent label, so that a sample of
# a file also contains this label.
LEAST_OF_SECOND = 0.1
# The largest chi-square statistic attributed to chance, in standard deviations above its mean.
CHANCE = 2.0
# A warning about repeated rows requires at least `FEWEST_REPEATED` of them, and a probability below
# `BY_CHANCE` that they repeat by chance.
FEWEST_REPEATED, BY_CHANCE = 30, 1e-6
# Each row is represented by one byte: the first rater's byte plus `FACTOR` times the second
# rater's. NumPy multiplies by a zero-dimensional array faster than by a Python integer.
FACTOR = np.array(31, np.uint8)
# The shortest suspicious runs, as bytes: a run of agreements, and a run of ratings that repeat the
# row above.
COPIED, REPEATED = b"\1" * FEWEST_OF_PART, b"\1" * (SHORTEST_RUN - 1)
# The number of bytes that are checked together. They fit into the cache.
BYTES_AT_ONCE = 1 << 17
# The maximum number of places to check where the first rows seem to be repeated. If there are more,
# the labels are too frequent for a repetition to be evidence.
MOST_PLACES = 20
# A warning that the labels of each item are sorted requires at least `FEWEST_SORTED` disagreements,
# in at least `FEWEST_PAIRS` pairs of labels. Labels are assumed to be grades if quadratic kappa
# exceeds unweighted kappa by `ORDERED`. Of 20 000 simulated pairs of raters who gave grades, 27
# caused a warning. In all but 2 of these pairs, the bias was more than half a standard deviation.
FEWEST_SORTED, FEWEST_PAIRS, ORDERED = 30, 3, 0.05


def judge_order(
    table: AnyArray | Callable[[], AnyArray],
    first: Column,
    second: Column,
    names: tuple[str, str] = ("y1", "y2"),
    *,
    is_reference: bool = False,
) -> bool:
    """Warn if only one of two columns seems to be sorted, or if rows seem shifted or repeated.

    ``table`` contains or returns the counts of the two columns. If the first column
    ``is_reference``, it can be sorted without a warning, because items are often sorted by their
    true label. Return whether a warning was issued.
    """
    columns, places = (first.values, second.values), (1,) if is_reference else (0, 1)
    if len(columns[0]) < FEWEST_ROWS:
        return False
    is_sorted = False
    if any(is_grouped(columns[place][:HEAD].tolist()) for place in places):
        counts = table() if callable(table) else table
        is_sorted = judge_sorted_alone(counts, columns, names, places)
    return judge_rows([(first, second)], names) or is_sorted


def judge_sorted_alone(
    table: AnyArray,
    columns: Sequence[AnyArray],
    names: tuple[str, str],
    places: Sequence[int] = (0, 1),
    has_order_of_ids: Callable[[], bool] | None = None,
) -> bool:
    """Warn if only one of two columns seems to be sorted. Return whether a warning was issued.

    If one column was sorted without the other, the two columns agree only by chance. ``table``
    contains the counts of the two columns. ``places`` contains 0 if the first column should not be
    sorted, and 1 if the second should not. If rows were joined by ids, ``has_order_of_ids`` returns
    whether the rows are in the order of the ids. If they are not, whole rows were probably sorted,
    which is not a mistake.
    """

    def are_sorted() -> list[bool]:
        used = (np.count_nonzero(table.any(axis=axis)) for axis in (1, 0))
        found = [runs_in(own) == n_labels for own, n_labels in zip(columns, used)]
        is_one = sum(found) == 1 and found.index(True) in places
        return found if is_one and (has_order_of_ids is None or has_order_of_ids()) else []

    return judge_sorted(table, are_sorted, names)


def judge_rows(parts: Sequence[tuple[Column, Column]], names: Sequence[str]) -> bool:
    """Join the rows of all parts, and warn about doubtful sections and repeated rows.

    Each part contains the ratings of two raters. Return whether a warning was issued.
    """
    columns = [column for pair in parts for column in pair]
    if not columns or [column for column in columns if column.counts is not None]:
        return False
    if len(parts) == 1 and not [column for column in columns if column.categories is not None]:
        first, second = [column.values[:MOST_ROWS] for column in columns]
        return judge_codes(first, second, None, names)
    position: dict[Any, int] = {}
    numbers = [_numbered(column, position) for column in columns]
    first, second = (np.concatenate(own) for own in (numbers[::2], numbers[1::2]))
    return judge_codes(first, second, position.get(None), names)


def may_be_doubtful(pairs: Sequence[tuple[Column, Column]], n_labels: int) -> NDArray[np.bool_]:
    """Return a mask of the pairs of columns that `judge_order` must examine.

    The first column of all pairs is the same reference. `judge_order` cannot warn about any other
    pair. Checking many columns at once takes a tenth of the time of checking them one by one.
    """
    columns, n = [pairs[0][0], *(second for _, second in pairs)], len(pairs[0][0].values)
    if n < FEWEST_ROWS or any(first is not columns[0] for first, _ in pairs):
        return np.full(len(pairs), n >= FEWEST_ROWS)
    position: dict[Any, int] = {}
    are_coded = any(column.categories is not None for column in columns)
    numbers = [
        _numbered(column, position) if are_coded else column.values[:MOST_ROWS]
        for column in columns
    ]
    # If there are more labels than byte values, different labels can look equal, so no prediction
    # can be ruled out.
    if len(position) > 1 << 8:
        return np.full(len(pairs), True)
    first, n = _as_bytes(numbers[0]), len(numbers[0])
    repeats = first[1:] == first[:-1]
    has_run = REPEATED in repeats.tobytes()
    # If rows are repeated, so are their ratings in the first column.
    may_repeat = any(_places_of_head(first.tobytes()))
    found, at_once = [], max(1, BYTES_AT_ONCE // n)
    for start in range(1, len(numbers), at_once):
        own = numbers[start : start + at_once]
        others = np.empty((len(own), n), np.uint8)
        for row, codes in zip(others, own):
            row[:] = codes if codes.dtype.kind in "biu" else _as_bytes(codes)
        same = first == others
        doubtful = np.full(len(own), has_run)
        if COPIED in same.tobytes():
            n_same = _counts(same).tolist()
            doubtful |= [
                b"\1" * _shortest_copied(n, k) in row.tobytes() for row, k in zip(same, n_same)
            ]
        if may_repeat:
            texts = ((first + FACTOR * second).tobytes() for second in others)
            doubtful |= [any(_places_of_head(text)) for text in texts]
        above, below = (
            _counts(one == other)
            for one, other in ((first[:-1], others[:, 1:]), (first[1:], others[:, :-1]))
        )
        doubtful |= _differ(above, below, n - 1)
        own_repeats = others[:, 1:] == others[:, :-1]
        if REPEATED in own_repeats.tobytes():
            doubtful |= [REPEATED in row.tobytes() for row in own_repeats]
        n_repeats = _counts(own_repeats)
        doubtful |= _differ(np.count_nonzero(repeats), n_repeats, n - 1)
        # Sorted columns have fewer changes than labels.
        found.append(doubtful | (n - 1 - n_repeats < n_labels))
    return np.concatenate(found)


def _counts(masks: AnyArray) -> NDArray[np.int64]:
    """Return the number of true elements per row. A row has at most `MOST_ROWS` elements."""
    # 16-bit sums are four times as fast as np.count_nonzero.
    counts: AnyArray = np.add.reduce(masks.view(np.uint8), axis=1, dtype=np.uint16)
    return counts.astype(np.int64)


def _numbered(column: Column, position: dict[Any, int]) -> AnyArray:
    """Return the first ratings as numbers, and add new labels to ``position``."""
    if column.categories is None:
        column = with_categories(column._replace(values=column.values[:MOST_ROWS]))
    values = column.values[:MOST_ROWS]
    numbers = [position.setdefault(x, len(position)) for x in column.categories or ()]
    return values if numbers == [*range(len(numbers))] else np.array(numbers, int)[values]


def with_categories(column: Column) -> Column:
    """Return a column of codes with the same ratings."""
    if column.categories is not None:
        return column
    labels, codes = np.unique(column.values, return_inverse=True)
    return column._replace(values=codes, categories=labels.tolist())


def judge_codes(
    first: AnyArray, second: AnyArray, missing: int | None, names: Sequence[str]
) -> bool:
    """Warn if the order of rows of codes seems wrong. Return whether a warning was issued.

    Rows with the code ``missing`` are skipped.
    """
    places = None
    if missing is not None:
        places = np.flatnonzero((first != missing) & (second != missing))
        first, second = first[places], second[places]
    if len(first) < FEWEST_REPEATED:
        return False
    # Comparing bytes is much faster than comparing arrays. Since different labels can have equal
    # bytes, the rules below compare the rows themselves.
    low, high = _as_bytes(first), _as_bytes(second)
    text = (low + FACTOR * high).tobytes()
    # Check for repeated rows first, because they can also look like copied ratings.
    if text.find(text[:FEWEST_REPEATED], FEWEST_REPEATED) > 0:
        rows = Rows(np.array([first, second]), names, places)
        if _warn_of_repeated(text, rows):
            return True
    if rules := _doubtful_parts(low, high):
        codes = np.unique([first, second], return_inverse=True)[1].reshape(2, -1)
        # If the last rows are repeated, as in made-up data, the rows are not independent evidence.
        is_repeated = text.find(text[-FEWEST_REPEATED:]) < len(text) - FEWEST_REPEATED
        return not is_repeated and any(rule(Rows(codes, names, places)) for rule in rules)
    return False


def _as_bytes(codes: AnyArray) -> AnyArray:
    whole = codes if codes.dtype.kind in "biu" else codes.astype(np.int64)
    return whole.astype(np.uint8, copy=False)


def _doubtful_parts(first: AnyArray, second: AnyArray) -> list[Callable[[Rows], bool]]:
    """Return the rules that need a closer look at two columns of bytes.

    In ordinary columns, no rule needs a closer look. The check takes a few microseconds.
    """
    found: list[Callable[[Rows], bool]] = []
    n = len(first)
    same = first == second
    n_same = int(np.count_nonzero(same))
    upper, lower = first[:-1], first[1:]
    other_upper, other_lower = second[:-1], second[1:]
    # A shift adds matches with the row above or below, but not with both.
    above, below = upper == other_lower, lower == other_upper
    if _differ(np.count_nonzero(above), np.count_nonzero(below), n - 1):
        found.append(warn_of_shift)
    repeats, other_repeats = upper == lower, other_upper == other_lower
    if REPEATED in repeats.tobytes() or REPEATED in other_repeats.tobytes():
        found.append(warn_of_run)
    text = same.tobytes()
    if COPIED in text and b"\1" * _shortest_copied(n, n_same) in text:
        found.append(warn_of_copied)
    # A column that was filled down repeats the rating of the row above more often than the other
    # column does. The check is skipped if there are few disagreements.
    if n - n_same >= FEWEST_DIFFERENT:
        n_repeats, n_other = np.count_nonzero(repeats), np.count_nonzero(other_repeats)
        if _differ(n_repeats, n_other, n - 1):
            found.append(warn_of_filled)
    return found


def _differ(n_matches: Any, n_others: Any, n: int) -> Any:
    """Return whether two counts of matches among n items are clearly different."""
    return (n_matches - n_others) ** 2 > 2 * n


def _shortest_copied(n: int, n_same: int) -> int:
    """Return a lower limit for the length of a run of agreements that is not due to chance."""
    least, most = COPIED_BY_CHANCE - math.log(n), n - FEWEST_OF_PART
    # The run itself increases the proportion of agreements, so it is left out of the proportion.
    n_others = n_same - most
    if n_others > 0 and most * math.log(n_others / FEWEST_OF_PART) > least:
        return n + 1
    length = least / math.log(n_same / n) if n_same else math.inf
    if length >= n_same:
        return FEWEST_OF_PART
    return max(FEWEST_OF_PART, int(least / math.log((n_same - length) / (n - length))))


def _warn_of_repeated(text: bytes, rows: Rows) -> bool:
    """Warn if a later block repeats the first rows. ``text`` has a byte for each row.

    The block starts where the first copy ends, or extends to the last row. Rows that are repeated
    several times do not count, because made-up data can contain them. Successive rows with the same
    labels are counted as one row. Return whether a warning was issued.
    """
    n = rows.codes.shape[1]
    for start in islice(_places_of_head(text), MOST_PLACES):
        length = min(start, n - start)
        block, other, third = (rows.codes[:, i : i + length] for i in (0, start, 2 * start))
        if length < FEWEST_REPEATED or (block != other).any():
            continue
        n_third = third.shape[1]
        is_tiled = n_third > 0 and (block[:, :n_third] == third).all()
        if is_tiled or _repeats_itself(block):
            return False
        pairs = np.unique(rows.codes, axis=1, return_inverse=True)[1].reshape(-1)
        begins = np.append(True, pairs[1:] != pairs[:-1])
        proportion = np.bincount(pairs[begins]) / begins.sum()
        if n * np.exp(np.log(proportion[pairs[:length][begins[:length]]]).sum()) < BY_CHANCE:
            warn(
                f"the {length} items starting at position {rows.place(start)} have the same ratings"
                f" in {' and '.join(rows.names)} as the first {length} items, but are counted as"
                " separate items. If they are duplicates, for example because a later export was"
                " appended, remove them."
            )
            return True
    return False


def _repeats_itself(block: AnyArray) -> bool:
    """Return whether the rows of a block, given as columns, repeat a shorter block."""
    periods = range(1, block.shape[1] // 2 + 1)
    return any((block[:, n:] == block[:, :-n]).all() for n in periods)


def _places_of_head(text: bytes) -> Iterator[int]:
    """Yield the later positions at which the first bytes occur again."""
    place = text.find(text[:FEWEST_REPEATED], FEWEST_REPEATED)
    while place >= 0:
        yield place
        place = text.find(text[:FEWEST_REPEATED], place + 1)


def judge_sorted(
    table: AnyArray, are_sorted: Callable[[], list[bool]], names: tuple[str, str]
) -> bool:
    """Warn if only one of two columns is sorted by label, and they agree only by chance.

    ``are_sorted`` returns whether each column is sorted. Return whether a warning was issued.
    """
    of_each, n = (table.sum(axis=1), table.sum(axis=0)), table.sum()
    common = (of_each[0] > 0) & (of_each[1] > 0)
    # Columns of ids or scores have few labels in common with a column of ratings.
    if n < FEWEST_ROWS or table[np.ix_(common, common)].sum() < n / 2:
        return False
    counts = table[np.ix_(*(own > 0 for own in of_each))].astype(float)
    by_chance = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / n
    freedom = (len(counts) - 1) * (counts.shape[1] - 1)
    chi_square = float(((counts - by_chance) ** 2 / by_chance).sum())
    if chi_square > freedom + CHANCE * (2 * freedom) ** 0.5 or sum(found := are_sorted()) != 1:
        return False
    place = found.index(True)
    if np.sort(of_each[place])[-2] < max(FEWEST_OF_SECOND, LEAST_OF_SECOND * n):
        return False
    warn(
        f"{names[place]} is sorted but {names[1 - place]} is not, and they agree no more than"
        " expected by chance. Perhaps one of them was sorted or shuffled without the other. Check"
        " that both have the items in the same order."
    )
    return True


def runs_in(ratings: AnyArray) -> float:
    """Return the number of runs of equal ratings, or infinity if it is obviously large."""
    if not is_grouped(ratings[:HEAD].tolist()):
        return math.inf
    return int(np.count_nonzero(ratings[1:] != ratings[:-1])) + 1


def is_grouped(ratings: list[Any]) -> bool:
    """Return whether equal ratings are adjacent, as in a sorted column."""
    ended, last = set(), None
    for rating in ratings:
        if rating != last:
            if rating in ended:
                return False
            ended.add(rating)
            last = rating
    return True


def sorted_within(labels: AnyArray, table: AnyArray, names: tuple[str, str]) -> str | None:
    """Return the warning about a table in which the two labels of each item seem sorted.

    There is no warning if quadratic kappa is clearly higher than unweighted kappa, because one
    rater can give higher grades than the other, and close grades are then confused most. At least
    one label must often be in both columns, because one rater can give only the first or last
    label.
    """
    above, below = np.triu(table, 1), np.tril(table, -1)
    is_one_way = not (above.any() and below.any())
    if not is_one_way or not is_alphabetical(labels) or (labels[1:] < labels[:-1]).any():
        return None
    places, apart = np.arange(len(table)).astype(float), above + below
    given, weighted = (kappa_of(places, places, table + table.T, power) for power in (0, 2))
    n, n_in_both = apart.sum(), np.minimum(apart.sum(axis=0), apart.sum(axis=1)).max()
    is_rare = n < FEWEST_SORTED or np.count_nonzero(apart) < FEWEST_PAIRS
    if is_rare or n_in_both < FEWEST_AT_END or weighted >= given + ORDERED:
        return None
    a, b = names if above.any() else names[::-1]
    return (
        f"in all {number_text(n)} disagreements, the label of {a} comes before the label of {b} in"
        f" the alphabet. If the two labels of each item were sorted, {a} and {b} are not raters,"
        " and kappa is wrong: use the unsorted labels, or Scott's pi, which does not depend on the"
        " order."
    )
