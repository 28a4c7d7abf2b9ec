"""Strings that are seldom meant: those among numbers, and labels that look alike.

A header, a note or a code for missing ratings among numbers makes a string of every rating
in its column, and the order of strings is another than that of numbers. A blank at the end
makes two labels of one.
"""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.exceptions import users_stacklevel
from fastkappa.ratings.column import Column
from fastkappa.ratings.label_order import is_number
from fastkappa.ratings.missing import spellings

MOST_SHOWN = 10
REMEDY = (
    "give missing='drop' or missing_codes= if they stand for missing ratings, or labels= if"
    " they are labels."
)


def odd_strings(column: Column) -> dict[str, int]:
    """Return the strings among a column's numbers, and how many ratings each has.

    There are none where no rating is a number, or where most are not.
    """
    if column.categories is None:
        return {}
    n_odd = sum(not is_number(label) for label in column.categories)
    if n_odd in (0, len(column.categories)):
        return {}
    counts = _times(column).tolist()
    return odd_among(dict(zip(column.categories, counts)))


def odd_among(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the strings among numbers, given how often each string occurs."""
    odd = {string: n for string, n in counts.items() if n and not is_number(string)}
    return odd if 2 * sum(odd.values()) < sum(counts.values()) else {}


def _times(column: Column) -> AnyArray:
    """Return how often each category occurs."""
    # A copy: bincount makes room for the largest code that it finds before it counts.
    return np.bincount(column.values.astype(np.intp), minlength=len(column.categories or ()))


def are_odd(column: Column) -> NDArray[np.bool_] | None:
    """Return which ratings of a column are strings among its numbers, None if there are none."""
    odd = odd_strings(column)
    if not odd or column.categories is None:
        return None
    is_odd = np.array([label in odd for label in column.categories])
    found: NDArray[np.bool_] = is_odd.take(column.values)
    return found


def refuse_odd_strings(column: Column, name: str, remedy: str = REMEDY) -> None:
    """Raise if a column holds strings among its numbers; ``remedy`` is what the user can do."""
    odd = odd_strings(column)
    if odd:
        raise ValueError(describe_odd(odd, name, remedy))


def refuse_odd_together(columns: Mapping[str, Column], missing_codes: Sequence[Any]) -> None:
    """Raise if the columns of several raters together hold strings among numbers."""
    codes = spellings(missing_codes)
    written = {label for column in columns.values() for label in column.categories or ()} - codes
    if len(set(map(is_number, written))) < 2:
        return
    counts = sum(map(_counts_of, columns.values()), Counter[Any]())
    odd = odd_among({label: n for label, n in counts.items() if label not in codes})
    if odd:
        names = [
            name
            for name, column in columns.items()
            if not odd.keys().isdisjoint(column.categories or ())
        ]
        remedy = (
            f"look at {', '.join(names)}, and give missing_codes= if they stand for missing"
            " ratings, or labels= if they are labels."
        )
        raise ValueError(describe_odd(odd, "the table of ratings", remedy))


def describe_odd(odd: Mapping[str, int], name: str, remedy: str) -> str:
    """Return the error about strings among numbers, which counts them."""
    few = list(odd.items())[:MOST_SHOWN]
    more = f" and {len(odd) - len(few)} more" if len(odd) > len(few) else ""
    return f"{name} holds numbers, and among them {_with_counts(few)}{more}: {remedy}"


def warn_of_lookalikes(columns: Mapping[str, Column]) -> None:
    """Warn of labels that differ in blanks or case alone, or in how a number is written."""
    written = {
        label
        for column in columns.values()
        for label in column.categories or ()
        if isinstance(label, str)
    }
    if len({str(_meaning(label)).casefold() for label in written}) == len(written):
        return
    of_each = [_counts_of(column) for column in columns.values()]
    total: Counter[Any] = sum(of_each, Counter())
    warn_of_counted_lookalikes(list(columns), total)
    _warn_of_case(list(columns), of_each, total)


def _counts_of(column: Column) -> Counter[Any]:
    """Return how often each category occurs, by name, without those that do not."""
    counts: Counter[Any] = Counter()
    for label, n in zip(column.categories or (), _times(column).tolist()):
        counts[label] += n
    return +counts


def _warn_of_case(
    names: Sequence[str], of_each: Sequence[Counter[Any]], total: Counter[Any]
) -> None:
    """Warn of labels that differ in case alone, unless a rater has both and so means both."""
    alike: dict[str, set[str]] = defaultdict(set)
    for label in total:
        if isinstance(label, str):
            alike[label.casefold()].add(label)
    doubtful = [
        sorted(labels)
        for labels in alike.values()
        if len(labels) > 1 and all(len(labels & own.keys()) < 2 for own in of_each)
    ]
    for labels in sorted(doubtful)[:MOST_SHOWN]:
        counts = [(label, total[label]) for label in labels]
        warnings.warn(
            f"{' and '.join(names)} have labels that differ in case alone, and are counted"
            f" apart: {_with_counts(counts)}. Write them alike if they are one label.",
            UserWarning,
            stacklevel=users_stacklevel(),
        )


def warn_of_counted_lookalikes(names: Sequence[str], ratings: Mapping[Any, int]) -> None:
    """Warn of labels that look alike, given how many ratings each has in the columns named."""
    alike: dict[str | float, list[tuple[str, int]]] = defaultdict(list)
    for label, n in sorted((label, n) for label, n in ratings.items() if isinstance(label, str)):
        if n:
            alike[_meaning(label)].append((label, n))
    for labels in [labels for labels in alike.values() if len(labels) > 1][:MOST_SHOWN]:
        blanks = len({label.strip() for label, _ in labels}) == 1
        how, remedy = ("blanks", "Strip") if blanks else ("how a number is written", "Write")
        have = "has" if len(names) == 1 else "have"
        warnings.warn(
            f"{' and '.join(names)} {have} labels that differ in {how} alone, and are counted"
            f" apart: {_with_counts(labels)}. {remedy} them {'' if blanks else 'alike '}if they are"
            " one label.",
            UserWarning,
            stacklevel=users_stacklevel(),
        )


def warn_of_unused_labels(labels: AnyArray, table: AnyArray, n_outside: int) -> None:
    """Warn of strings given as labels that no item has, where items are left out.

    ``table`` is that of the items. Numbers are often given as a whole scale: they are not typed.
    """
    if not n_outside or labels.dtype.kind not in "UTO":
        return
    used = table.any(axis=0) | table.any(axis=1)
    unused = [repr(label) for label in labels[~used].tolist() if isinstance(label, str)]
    if unused:
        warnings.warn(
            f"no item counted has a label given, {' or '.join(unused[:MOST_SHOWN])}, but"
            f" {n_outside} left out for a rating outside the labels: write labels as the ratings"
            " do.",
            UserWarning,
            stacklevel=users_stacklevel(),
        )


def _meaning(label: str) -> str | float:
    """Return a label without the blanks around it, and the number that it may be."""
    return float(label) if is_number(label) else label.strip()


def _with_counts(labels: list[tuple[Any, int]]) -> str:
    return ", ".join(f"{label!r} ({n} {'time' if n == 1 else 'times'})" for label, n in labels)
