"""Strings that are seldom meant: those among numbers, and labels that look alike.

A header, a note or a code for missing ratings among numbers makes a string of every rating
in its column, and the order of strings is another than that of numbers. A blank at the end
makes two labels of one.
"""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
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
    times = _times(column)
    odd = {string: n for string, n in times.items() if n and not is_number(string)}
    return odd if 2 * sum(odd.values()) < sum(times.values()) else {}


def _times(column: Column) -> Counter[Any]:
    """Return how often each category occurs; one that is there twice has the sum."""
    categories, counts = column.categories or [], column.counts
    if counts is None:
        # A copy: bincount makes room for the largest code that it finds before it counts.
        n = np.bincount(column.values.astype(np.intp), minlength=len(categories))
    else:
        n = np.zeros(len(categories), np.int64)
        np.add.at(n, column.values, counts)
    times: Counter[Any] = Counter()
    for label, found in zip(categories, n.tolist()):
        times[label] += found
    return times


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
        raise _odd_strings_error(odd, name, remedy)


def refuse_odd_together(columns: Mapping[str, Column], missing_codes: Sequence[Any]) -> None:
    """Raise if the columns of several raters together hold strings among numbers."""
    codes = spellings(missing_codes)
    written = {label for column in columns.values() for label in column.categories or ()} - codes
    if len(set(map(is_number, written))) < 2:
        return
    counts = sum(map(_times, columns.values()), Counter[Any]())
    kept = [label for label in counts if label not in codes]
    n_ratings = np.array([counts[label] for label in kept])
    odd = odd_strings(Column(np.arange(len(kept)), np.dtype(object), kept, counts=n_ratings))
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
        raise _odd_strings_error(odd, "the table of ratings", remedy)


def _odd_strings_error(odd: Mapping[str, int], name: str, remedy: str) -> ValueError:
    """Return the error about strings among numbers, which counts them."""
    few = list(odd.items())[:MOST_SHOWN]
    more = f" and {len(odd) - len(few)} more" if len(odd) > len(few) else ""
    return ValueError(f"{name} holds numbers, and among them {_with_counts(few)}{more}: {remedy}")


def warn_of_lookalikes(columns: Mapping[str, Column]) -> None:
    """Warn of labels that differ in blanks or case alone, or in how a number is written.

    Two cases are no mistake where one rater has both.
    """
    written = {
        label
        for column in columns.values()
        for label in column.categories or ()
        if isinstance(label, str)
    }
    if len({str(_meaning(label)).casefold() for label in written}) == len(written):
        return
    of_each = [+_times(column) for column in columns.values()]
    total: Counter[Any] = sum(of_each, Counter())
    found = []
    for labels in _alike(total, _meaning):
        if len({label.strip() for label in labels}) == 1:
            found.append(("blanks", labels, "Strip them"))
        else:
            found.append(("how a number is written", labels, "Write them alike"))
    found.extend(
        ("case", labels, "Write them alike")
        for labels in _alike(total, str.casefold)
        if all(len(own.keys() & set(labels)) < 2 for own in of_each)
    )
    have = "has" if len(columns) == 1 else "have"
    for how, labels, remedy in found[:MOST_SHOWN]:
        warnings.warn(
            f"{' and '.join(columns)} {have} labels that differ in {how} alone, and are counted"
            f" apart: {_with_counts([(label, total[label]) for label in labels])}. {remedy} if they"
            " are one label.",
            UserWarning,
            stacklevel=users_stacklevel(),
        )


def _alike(labels: Iterable[Any], meaning: Callable[[str], str | float]) -> list[list[str]]:
    """Return the labels, sorted, of each meaning that several of them have."""
    alike: dict[str | float, list[str]] = defaultdict(list)
    for label in sorted(label for label in labels if isinstance(label, str)):
        alike[meaning(label)].append(label)
    return [labels for labels in alike.values() if len(labels) > 1]


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
