"""Strings among ratings that are numbers: a header, a note or a code for missing ratings.

One such cell makes a string of every rating in its column, and the order of strings is
another than that of numbers.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from fastkappa.columns.column import Column
from fastkappa.columns.label_order import is_number

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
    counts = np.bincount(column.values, minlength=len(column.categories)).tolist()
    return odd_among(dict(zip(column.categories, counts)))


def odd_among(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the strings among numbers, given how often each string occurs."""
    odd = {string: n for string, n in counts.items() if n and not is_number(string)}
    return odd if 2 * sum(odd.values()) < sum(counts.values()) else {}


def are_odd(column: Column) -> NDArray[np.bool_] | None:
    """Return which ratings of a column are strings among its numbers, None if there are none."""
    odd = odd_strings(column)
    if not odd or column.categories is None:
        return None
    is_odd = np.array([label in odd for label in column.categories])
    found: NDArray[np.bool_] = is_odd[column.values]
    return found


def refuse_odd_strings(column: Column, name: str, remedy: str = REMEDY) -> None:
    """Raise if a column holds strings among its numbers; ``remedy`` is what the user can do."""
    odd = odd_strings(column)
    if odd:
        raise ValueError(describe_odd(odd, name, remedy))


def describe_odd(odd: Mapping[str, int], name: str, remedy: str) -> str:
    """Return the error about strings among numbers, which counts them."""
    few = list(odd.items())[:MOST_SHOWN]
    told = [f"{label!r} ({n} {'time' if n == 1 else 'times'})" for label, n in few]
    more = f" and {len(odd) - len(few)} more" if len(odd) > len(few) else ""
    return f"{name} holds numbers, and among them {', '.join(told)}{more}: {remedy}"
