"""Detect intervals that depend on one or two items, or that are unexpectedly wide."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.formatting import count_text, figure, interval_text, label_text, p_text
from fastkappa.results.sentence import listed
from fastkappa.statistics.inference import chi_square_p
from fastkappa.statistics.intervals.methods import root_quantile
from fastkappa.statistics.intervals.tested import Asymptotic, Together, linear

FEW_ITEMS = 2
# A report explains an interval that is more than this many times as wide as the asymptotic
# interval.
MUCH_WIDER = 1.5
# With at least `ENOUGH_ITEMS` items, or `ENOUGH_IN_GROUP` per group for a common value, asymptotic
# intervals cover at least 93 % if the raters are never more than one label apart and no label is
# rarer than 5 % (docs/evidence/intervals.md).
ENOUGH_ITEMS, ENOUGH_IN_GROUP = 200, 1000
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
    """Return the end of a line about a result. It names other results that the line describes."""
    more = [f"{len(others) - MOST_OTHERS} more"] if others[MOST_OTHERS:] else []
    return f"; the same is true of {listed([*others[:MOST_OTHERS], *more])}" if others else ""


class Wide(NamedTuple):
    """A score interval that is much wider than its standard error suggests.

    Attributes
    ----------
    of : str
        The name of the estimate.
    ratio : float
        The width, divided by the width that the standard error suggests.
    instead : str
        The result of the asymptotic method. It is empty for estimates of a single coefficient,
        because their reports contain the standard error.
    """

    of: str
    ratio: float
    instead: str = ""


def wide(of: str, interval: tuple[float, float], expected: float, instead: str = "") -> Wide | None:
    """Describe an interval if it is much wider than ``expected``; otherwise, return None."""
    width = interval[1] - interval[0]
    return Wide(of, width / expected, instead) if width > MUCH_WIDER * expected > 0 else None


def wide_common(
    of: str,
    interval: tuple[float, float],
    quantile: float,
    confidence: float,
    strata: Sequence[Any],
    correlation: FloatTable | None,
) -> Wide | None:
    """Describe the interval for the common kappa of all strata if it is much too wide."""
    methods = {one.method for one in strata}
    if strata[0].weights is None or methods == {"asymptotic"} or not all(s.error for s in strata):
        return None
    near = Together([linear(one.tested()) for one in strata], correlation)
    low, high = near.values_at(quantile, -quantile)
    plain = [Asymptotic(np.array([one.value]), np.array([one.error])) for one in strata]
    together, normal = Together(plain, correlation), root_quantile(confidence, math.inf)
    value, *ends = together.values_at(0.0, normal, -normal)
    p = chi_square_p(together.at(value).statistic, len(strata) - 1)
    found = f"{figure(value)} ({interval_text((ends[0], ends[1]))})"
    instead = f"{found}, with {p_text(p)} for equality"
    return wide(of, interval, high - low, instead)


def wide_intervals(results: Iterable[tuple[str, Any]]) -> list[str]:
    """Return a line about weighted intervals much wider than their standard errors suggest.

    Without weights, no disagreement is larger than another, and if few items disagree, asymptotic
    intervals are inaccurate.

    ``results`` contains pairs of a name and a result: an agreement of two or more raters, or a
    comparison. If the name is empty, the result is named after its estimate. The line gives the
    ratio of the first of these intervals, names the others, and gives the results of asymptotic
    comparisons.
    """
    found = [(name, one) for name, result in results if (one := _wide(result)) is not None]
    if not found:
        return []
    (name, one), *others = found
    start = f"{name}: " if name else ""
    more = also_true_of([name or other.of for name, other in others])
    gives = [f"{name or other.of} {other.instead}" for name, other in found if other.instead]
    several = "; ..." if gives[MOST_OTHERS:] else ""
    which = (
        f". The asymptotic method gives {'; '.join(gives[:MOST_OTHERS])}{several}" if gives else ""
    )
    return [
        f"{start}the interval of {one.of} is {one.ratio:.1f} times as wide as its standard error"
        f" suggests, because the data do not rule out larger disagreements{more}. Use"
        " interval_method='asymptotic' only if the raters can be trusted never to be more than one"
        f" label apart, no label is rarer than 5 %, and there are at least {ENOUGH_ITEMS} items"
        f" (for a common value, {ENOUGH_IN_GROUP} per group){which}"
    ]


def _wide(result: Any) -> Wide | None:
    if hasattr(result, "_wide"):
        known: Wide | None = result._wide
        return known
    name = getattr(result, "method", "kappa")
    # The name of Krippendorff's alpha contains its level instead of weights.
    is_weighted = result.weights is not None or (name.endswith(")") and "(nominal)" not in name)
    if result.interval_method == "asymptotic" or not is_weighted:
        return None
    # Undo a design effect below 1, which makes the standard error smaller but not score intervals
    # narrower.
    error = result.standard_error / min(1.0, math.sqrt(result.design_effect))
    expected = 2 * root_quantile(result.confidence, result.freedom) * error
    return wide(name, result.interval, expected)
