"""Detect intervals that depend on one or two items, or that are unexpectedly wide."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from fastkappa.arrays import AnyArray
from fastkappa.formatting import count_text, label_text
from fastkappa.results.sentence import listed
from fastkappa.statistics.intervals.methods import root_quantile

FEW_ITEMS = 2
# A report explains an interval that is more than this many times as wide as the asymptotic
# interval.
MUCH_WIDER = 1.5
# The maximum number of other results that a line names.
MOST_OTHERS = 5


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


def also_true_of(others: Sequence[str]) -> str:
    """Return the end of a line about a result, which names the others that it also describes."""
    more = [f"{len(others) - MOST_OTHERS} more"] if others[MOST_OTHERS:] else []
    return f"; the same is true of {listed([*others[:MOST_OTHERS], *more])}" if others else ""


def wide_intervals(results: Iterable[tuple[str, Any]]) -> list[str]:
    """Return a line about intervals that are much wider than their standard errors suggest.

    ``results`` contains pairs of a name and a result of two or more raters. If the name is empty,
    the result is named after its coefficient. The line gives the ratio of the first of these
    intervals, and names the others.
    """
    found = []
    for name, one in results:
        low, high = one.interval
        # Undo a design effect below 1, which makes the standard error smaller but not score
        # intervals narrower.
        error = one.standard_error / min(1.0, math.sqrt(one.design_effect))
        width = 2 * root_quantile(one.confidence, one.freedom) * error
        if one.interval_method != "asymptotic" and high - low > MUCH_WIDER * width > 0:
            of = getattr(one, "method", "kappa")
            start = f"{name}: " if name else ""
            line = f"{start}the interval of {of} is {(high - low) / width:.1f} times"
            found.append((name or of, line))
    more = also_true_of([name for name, _ in found[1:]])
    than = "as wide as its standard error suggests"
    why = "because the data do not rule out larger disagreements"
    return [f"{line} {than}, {why}{more}" for _, line in found[:1]]
