"""Strings among ratings that are numbers: a header, a note or a code for missing ratings.

One such cell makes a string of every rating in its column, and the order of strings is
another than that of numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.columns.column import Column
from fastkappa.columns.label_order import is_number

MOST_SHOWN = 10
REMEDY = (
    "give missing='drop' or missing_codes= if they stand for missing ratings, or labels= if"
    " they are labels."
)


def odd_strings(*columns: Column, missing_codes: Iterable[Any] = ()) -> dict[str, int]:
    """Return the strings among the numbers of columns, and how many ratings each has.

    There are none where no rating is a number, or where most are not. Ratings that are
    among ``missing_codes`` do not count.
    """
    of_strings = [column for column in columns if column.categories is not None]
    labels = {label for column in of_strings for label in column.categories or ()}
    odd = {label for label in labels if not is_number(label)}
    if not odd or len(odd) == len(labels):
        return {}
    counts: Counter[str] = Counter()
    for column in of_strings:
        categories = column.categories or []
        found = np.bincount(column.values, minlength=len(categories)).tolist()
        for label, n in zip(categories, found):
            counts[label] += n
    for code in missing_codes:
        counts.pop(code, None)
    n_odd = {label: n for label, n in counts.items() if n and label in odd}
    return n_odd if 2 * sum(n_odd.values()) < sum(counts.values()) else {}


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
        raise ValueError(f"{name} holds numbers, and among them {counted(odd)}: {remedy}")


def counted(odd: dict[str, int]) -> str:
    """Return strings as a message shows them, with how many ratings each has."""
    few = list(odd.items())[:MOST_SHOWN]
    shown = [f"{label!r} ({n} {'time' if n == 1 else 'times'})" for label, n in few]
    more = f" and {len(odd) - len(few)} more" if len(odd) > len(few) else ""
    return f"{', '.join(shown)}{more}"
