"""Compute the quadratic kappa of continuous predictions without a confusion matrix.

Let S(.) denote the sum over items weighted by w, with y and p centred, and let W = sum(w). Then

    kappa = 2 * S(y*p) / (S(y*y) + S(p*p) + W * (mean(y) - mean(p))**2)

The arrays are read three times: to find the smallest and largest numbers, the means, and the three
sums. They are read in chunks that fit in the cache. NumPy sums each chunk pairwise, and `math.fsum`
adds the sums of the chunks.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, Floats
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.measurements.other_forms import are_row_numbers
from fastkappa.ratings.doubtful_labels import warn
from fastkappa.ratings.interop import warn_of_row_order
from fastkappa.ratings.item_weights import check_some_weight, read_sample_weight
from fastkappa.ratings.real_numbers import (
    read_numbers,
    refuse_extreme,
    refuse_infinite,
    refuse_rounded,
    warn_of_codes,
)

CHUNK = 1 << 14


def continuous_kappa(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Compute the quadratic weighted kappa between two arrays of arbitrary numbers.

    For integers, the value equals the quadratic weighted kappa of a confusion matrix whose labels
    are all integers from the smallest to the largest number. In general, kappa is ``1 - d / e``,
    where d is the mean squared difference and e is the value of d that would be expected if the
    arrays were independent. Kappa also equals Lin's concordance correlation coefficient if
    variances are divided by n, not by n - 1.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The true values, as finite integers or floats.
    y_pred : array-like of shape (n_samples,)
        The predictions, on the same scale as the true values.
    sample_weight : array-like of shape (n_samples,), default=None
        Nonnegative item weights.

    Returns
    -------
    kappa : float
        Quadratic weighted kappa, between -1 and 1. It is 0 if either array is constant. However, if
        all numbers in both arrays are equal, kappa is undefined: NaN is returned, and an
        ``UndefinedMetricWarning`` is issued.

    Raises
    ------
    ValueError
        If the lengths differ, if there are no items, if an argument is not one-dimensional, not
        numeric or not finite, or if weights are negative or all 0.

    Notes
    -----
    Numbers of all types are centred and summed in float64, so neither a large offset nor a large
    number of items reduces precision. The arrays are copied one chunk at a time, not as a whole.

    References
    ----------
    D. Vaughn and D. Justice (2015). On the direct maximization of quadratic weighted
    kappa. arXiv:1509.07107.

    L. I-K. Lin (1989). A concordance correlation coefficient to evaluate reproducibility.
    Biometrics 45, 255-268.

    Examples
    --------
    >>> from fastkappa import cohen_kappa_score
    >>> from fastkappa.measurements import continuous_kappa
    >>> round(continuous_kappa([1, 2, 3, 4], [1.5, 1.5, 3.5, 3.5]), 12)
    0.888888888889
    >>> round(continuous_kappa([1, 2, 3, 3], [1, 3, 3, 2]), 12)
    0.636363636364
    >>> round(cohen_kappa_score([1, 2, 3, 3], [1, 3, 3, 2], weights="quadratic"), 12)
    0.636363636364
    """
    items = _read(y_true, y_pred, sample_weight)
    truth = _limits(items.truth, "y_true", items.weights)
    predictions = _limits(items.predictions, "y_pred", items.weights)
    refuse_rounded(items.truth, *truth, "y_true")
    refuse_rounded(items.predictions, *predictions, "y_pred")
    both = items.truth, items.predictions
    for name, own, other in (("y_true", *both), ("y_pred", *both[::-1])):
        if are_row_numbers(own, other):
            warn(f"{name} numbers the items, as ids do. Check that it is the right column.")
    warn_of_codes(items.truth, *truth, "y_true")
    warn_of_codes(items.predictions, *predictions, "y_pred")
    if truth.constant or predictions.constant:
        if truth != predictions:
            return 0.0
        warnings.warn(
            "kappa is undefined because all numbers in y_true and y_pred equal"
            f" {truth.lowest}, so no difference is expected by chance.",
            undefined_metric_warning(),
            stacklevel=2,
        )
        return math.nan
    refuse_extreme("y_true and y_pred", max(map(abs, (*truth, *predictions))))
    return _kappa(items)


class _Items(NamedTuple):
    """The items as arrays. Weights are nonnegative and not all 0."""

    truth: AnyArray
    predictions: AnyArray
    weights: AnyArray | None


class _Limits(NamedTuple):
    lowest: float
    highest: float

    @property
    def constant(self) -> bool:
        return self.lowest == self.highest


def _read(y_true: Any, y_pred: Any, sample_weight: Any) -> _Items:
    warn_of_row_order({"y_true": y_true, "y_pred": y_pred, "sample_weight": sample_weight})
    truth, predictions = read_numbers(y_true, "y_true"), read_numbers(y_pred, "y_pred")
    if len(truth) != len(predictions):
        raise ValueError(
            f"y_true and y_pred must have the same length, got {len(truth)} and"
            f" {len(predictions)} items."
        )
    if len(truth) == 0:
        raise ValueError("y_true and y_pred must have at least one item, got none.")
    if sample_weight is None:
        return _Items(truth, predictions, None)
    weights = read_sample_weight(sample_weight, len(truth))
    limits = _limits(weights, "sample_weight", None)
    if limits.lowest < 0:
        raise ValueError(f"sample_weight must not contain negative numbers, got {limits.lowest}.")
    check_some_weight(weights)
    refuse_extreme("sample_weight", limits.highest)
    return _Items(truth, predictions, weights)


def _limits(numbers: AnyArray, name: str, weights: AnyArray | None) -> _Limits:
    """Return the range of the numbers with nonzero weight. All numbers must be finite."""
    lowest, highest = math.inf, -math.inf
    for start in range(0, len(numbers), CHUNK):
        chunk = _floats(numbers[start : start + CHUNK])
        least, largest = float(chunk.min()), float(chunk.max())
        if not math.isfinite(least) or not math.isfinite(largest):
            refuse_infinite(chunk, name, start)
        if weights is not None:
            chunk = chunk[weights[start : start + CHUNK] != 0]
            least = float(chunk.min(initial=math.inf))
            largest = float(chunk.max(initial=-math.inf))
        lowest, highest = min(lowest, least), max(highest, largest)
    return _Limits(lowest, highest)


def _floats(numbers: AnyArray) -> Floats:
    # NumPy's overflow warning is suppressed because infinite numbers raise an error later.
    with np.errstate(over="ignore"):
        return numbers.astype(np.float64, copy=False)


def _kappa(items: _Items) -> float:
    parts: list[tuple[float, ...]] = [
        (len(y), y.sum(), p.sum()) if w is None else (w.sum(), (w * y).sum(), (w * p).sum())
        for y, p, w in _chunks(items)
    ]
    total, first, second = (math.fsum(sums) for sums in zip(*parts))
    mean_true, mean_pred = first / total, second / total
    parts = []
    for y, p, w in _chunks(items):
        y, p = y - mean_true, p - mean_pred
        wy, wp = (y, p) if w is None else (w * y, w * p)
        parts.append((wy.sum(), wp.sum(), (wy * y).sum(), (wp * p).sum(), (wy * p).sum()))
    # Because the means are rounded, the sums of the centred numbers are not exactly 0. The terms
    # below correct for this error.
    rest_true, rest_pred, squares_true, squares_pred, products = (
        math.fsum(sums) for sums in zip(*parts)
    )
    squares_true -= rest_true * rest_true / total
    squares_pred -= rest_pred * rest_pred / total
    products -= rest_true * rest_pred / total
    apart = (mean_true - mean_pred) + (rest_true - rest_pred) / total
    kappa = 2 * products / (squares_true + squares_pred + total * apart * apart)
    return max(-1.0, min(1.0, kappa))


def _chunks(items: _Items) -> Iterator[tuple[Floats, Floats, Floats | None]]:
    """Yield chunks of true values, predictions and weights, without items of weight 0."""
    for start in range(0, len(items.truth), CHUNK):
        chunk = slice(start, start + CHUNK)
        y, p = _floats(items.truth[chunk]), _floats(items.predictions[chunk])
        if items.weights is None:
            yield y, p, None
            continue
        some = items.weights[chunk] != 0
        w = _floats(items.weights[chunk])
        # Items with weight 0 are left out. Their numbers can be too large to compute with, because
        # `_limits` ignores such items.
        yield (y, p, w) if some.all() else (y[some], p[some], w[some])
