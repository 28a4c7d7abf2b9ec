"""Detect intervals and tests that cannot be trusted because they depend on one or two items."""

from __future__ import annotations

from typing import Any

from fastkappa.arrays import AnyArray
from fastkappa.formatting import count_text, label_text

FEW_ITEMS = 2


def doubt_of(n_other: int, n: int, label: Any, items: str = "item") -> str:
    """Return why intervals and tests cannot be trusted, or an empty string if they can.

    Parameters
    ----------
    n_other : int
        The number of items with any rating other than the most frequent label.
    n : int
        The number of items.
    label : object
        The most frequent label, or None if the labels have no names.
    items : str, default='item'
        The singular noun for the items.

    Examples
    --------
    >>> from fastkappa.statistics.intervals.doubt import doubt_of
    >>> doubt_of(2, 40, "no")
    'only 2 of 40 items have a rating other than no, so intervals and tests cannot be trusted'
    >>> doubt_of(3, 40, "no")
    ''
    """
    if not 0 < n_other <= FEW_ITEMS:
        return ""
    have = "has" if n_other == 1 else "have"
    other = "the most frequent label" if label is None else label_text(label)
    return (
        f"only {n_other} of {count_text(n, items)} {have} a rating other than {other}, so intervals"
        " and tests cannot be trusted"
    )


def doubt_of_table(table: AnyArray, labels: AnyArray | None = None) -> str:
    """Return why intervals and tests of a table cannot be trusted, or "" if they can."""
    most = int((table.sum(axis=0) + table.sum(axis=1)).argmax())
    n = int(table.sum())
    label = None if labels is None else labels.tolist()[most]
    return doubt_of(n - int(table[most, most]), n, label)
