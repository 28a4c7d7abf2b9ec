"""Detect intervals that depend on one or two items, or that are unexpectedly wide."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from fastkappa.arrays import AnyArray
from fastkappa.formatting import count_text, label_text
from fastkappa.statistics.intervals.methods import root_quantile

FEW_ITEMS = 2
# A report explains an interval that is more than this many times as wide as the asymptotic
# interval.
MUCH_WIDER = 1.5


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


def wide_intervals(results: Iterable[tuple[str, Any]]) -> list[str]:
    """Return a line about intervals that are much wider than their standard errors suggest.

    ``results`` contains pairs of the beginning of the line and a result of two or more raters. The
    line describes the first of these intervals.
    """
    found = []
    for start, one in results:
        low, high = one.interval
        # Undo a design effect below 1, which makes the standard error smaller but not score
        # intervals narrower.
        error = one.standard_error / min(1.0, math.sqrt(one.design_effect))
        width = 2 * root_quantile(one.confidence, one.freedom) * error
        if one.interval_method != "asymptotic" and high - low > MUCH_WIDER * width > 0:
            of = getattr(one, "method", "kappa")
            found.append(f"{start}the interval of {of} is {(high - low) / width:.1f} times")
    more = f"; the same is true of {len(found) - 1} more" if found[1:] else ""
    than = "as wide as its standard error suggests"
    why = "because the data do not rule out larger disagreements"
    return [f"{one} {than}, {why}{more}" for one in found[:1]]
