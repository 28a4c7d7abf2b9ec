"""Read true labels and scores from the user's arrays, and prepare them for the kernels."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.exceptions import changed_meanwhile, users_stacklevel
from fastkappa.kernels.contract import PairKernels
from fastkappa.ratings.column import Column, refuse_masked, refuse_obstacles
from fastkappa.ratings.doubtful_labels import REMEDIES
from fastkappa.ratings.interop import warn_of_row_order
from fastkappa.ratings.item_weights import in_given_weights, read_scaled_weights
from fastkappa.ratings.label_order import is_alphabetical, sorted_strings, warn_of_order
from fastkappa.ratings.lengths import n_samples
from fastkappa.ratings.read import LEAVE_OUT, judge_labels, read_rated
from fastkappa.ratings.real_numbers import (
    as_float64,
    read_numbers,
    refuse_infinite,
    warn_of_codes,
    warn_of_codes_among_labels,
)
from fastkappa.tables.codecs import CHUNK, LabelRange
from fastkappa.tables.count import count_unknown
from fastkappa.tables.known_labels import KnownLabels

# If there are more than `MOST_LABELS` labels, and at least `FEWEST_PER_SCORE` times as many labels
# as distinct scores, the arguments were probably swapped.
MOST_LABELS, FEWEST_PER_SCORE = 20, 4
# The number of scores to examine for swapped arguments and for special codes (for missing scores,
# say).
SAMPLE = 1 << 16
SWAPPED = "Check that y_true and scores were not swapped: y_true comes first."
# Places between sorted items, each represented by the number of items below it.
Places = NDArray[np.int64]


class ScoredItems(NamedTuple):
    """Items with a true label, a score and optionally a weight.

    The label of item i is ``labels[codes[i] - lowest]``. ``scores`` are the user's float32 or
    float64 scores. They can contain NaN and infinity, which are rejected when the scores are
    counted or sorted. ``weights`` are positive float64 numbers: the user's weights times
    ``weight_scale``. ``counts_whole`` is True if tables contain int64 counts, not float64 sums.
    ``order_is_known`` is True if the order of the labels was given or declared.
    """

    scores: AnyArray
    codes: AnyArray
    lowest: int
    labels: AnyArray
    weights: AnyArray | None
    weight_scale: float
    counts_whole: bool
    order_is_known: bool

    @property
    def n_labels(self) -> int:
        """The number of labels."""
        return len(self.labels)

    def part(self, inside: slice) -> ScoredItems:
        """Return a view of a slice of the items."""
        return self._replace(
            scores=self.scores[inside],
            codes=self.codes[inside],
            weights=None if self.weights is None else self.weights[inside],
        )

    def overwrite(
        self, inside: slice, scores: AnyArray, codes: AnyArray, weights: AnyArray | None
    ) -> None:
        """Replace a slice of the items in place."""
        self.scores[inside] = scores
        self.codes[inside] = codes
        if self.weights is not None:
            self.weights[inside] = weights

    def warn_of_order(self, weights: str | None) -> None:
        """Warn if labels were assumed to be in alphabetical order, or if they are unevenly spaced.

        For any weights, thresholds depend on the order of the labels, even if there are only two.
        Spacing matters only if ``weights`` is given by name.
        """
        why, fewest = "The meaning of a threshold", 2
        if weights is not None and not is_alphabetical(self.labels):
            why, fewest = weights, 3
        level, is_known = users_stacklevel(), self.order_is_known
        warn_of_order(self.labels, why, level, fewest=fewest, is_known=is_known)

    def table_at(self, thresholds: AnyArray) -> AnyArray:
        """Return the confusion matrix at the given thresholds, summed item by item."""
        table = np.zeros(self.n_labels**2)
        for start in range(0, len(self.scores), CHUNK):
            chunk = slice(start, start + CHUNK)
            given = np.searchsorted(thresholds, self.scores[chunk], "right")
            codes = LabelRange(self.lowest, self.n_labels).codes(self.codes[chunk])
            refuse_codes_outside(codes, self.n_labels)
            cells = codes * self.n_labels + given
            weights = None if self.weights is None else self.weights[chunk]
            table += np.bincount(cells, weights, minlength=len(table))
        return table.reshape(self.n_labels, self.n_labels)

    def in_given_weights(self, table: AnyArray) -> AnyArray:
        """Convert a table to the dtype and the scale of the user's weights."""
        if self.counts_whole:
            return table.astype(np.int64)
        return in_given_weights(table, self.weight_scale)


def read_scored_items(
    kernels: PairKernels,
    y_true: Any,
    scores: Any,
    labels: Any,
    sample_weight: Any,
    num_threads: int,
) -> ScoredItems:
    """Read and validate scored items. Items of weight 0 are left out."""
    numbers = read_scores(scores)
    refuse_masked(y_true=y_true, labels=labels, sample_weight=sample_weight)
    n_items = n_samples(y_true)
    if n_items != len(numbers):
        raise ValueError(
            f"y_true and scores must have the same length, got {n_items} and {len(numbers)}."
        )
    if n_items == 0:
        raise ValueError("y_true and scores must not be empty, got no items.")
    warn_of_row_order({"y_true": y_true, "scores": scores, "sample_weight": sample_weight})
    some = numbers[:: max(1, n_items // SAMPLE)]
    warn_of_codes(some, float(some.min()), float(some.max()), "scores")
    column = read_rated(y_true, "y_true", (), labels)
    try:
        refuse_obstacles({"y_true": column})
    except ValueError as error:
        if column.obstacle != "continuous" or not _n_labels_in(numbers):
            raise
        raise ValueError(f"{error} {SWAPPED}") from None
    weights, scale, whole = None, 1.0, True
    if sample_weight is not None:
        weights, scale, whole = read_scaled_weights(sample_weight, n_items)
        if not weights.all():
            # Items of weight 0 are left out first, so that labels that occur only on these items
            # are not used.
            refuse_infinite_scores(numbers)
            kept = weights != 0
            weights, numbers = weights[kept], numbers[kept]
            column = column._replace(values=column.values[kept])
    remedies = REMEDIES._replace(odd_strings=LEAVE_OUT)
    meant, are_declared = judge_labels({"y_true": column}, labels, remedies)
    codes, lowest, found = _codes_of(kernels, column, meant, are_declared, num_threads)
    if meant is None:
        _warn_if_swapped(len(found), numbers)
        warn_of_codes_among_labels(found)
    return ScoredItems(numbers, codes, lowest, found, weights, scale, whole, meant is not None)


def _n_labels_in(scores: AnyArray) -> int:
    """Return the number of distinct scores if scores look like labels, or 0 otherwise.

    Scores look like labels if they have few distinct values, all of which are integers.
    """
    some = np.unique(scores[:: max(1, len(scores) // SAMPLE)])
    return len(some) if len(some) <= MOST_LABELS and (some == np.rint(some)).all() else 0


def _warn_if_swapped(n_labels: int, scores: AnyArray) -> None:
    """Warn that arguments were probably swapped if there are many labels but few scores."""
    n_scores = _n_labels_in(scores) if n_labels > MOST_LABELS else 0
    if n_scores and n_labels >= FEWEST_PER_SCORE * n_scores:
        warnings.warn(
            f"y_true has {n_labels} labels, but scores has only {n_scores} distinct values."
            f" {SWAPPED}",
            UserWarning,
            stacklevel=users_stacklevel(),
        )


def read_scores(scores: Any) -> AnyArray:
    """Return scores as a one-dimensional float32 or float64 array. Scores need not be finite.

    Raise ValueError for an integer that float64 would round, because rounding could make different
    scores equal.
    """
    numbers = read_numbers(scores, "scores")
    if numbers.dtype.kind == "f" and numbers.dtype.itemsize in (4, 8):
        return numbers
    if numbers.dtype.kind == "f" and numbers.dtype.itemsize == 2:
        return numbers.astype(np.float32)
    return as_float64(numbers, "scores")


def refuse_infinite_scores(scores: AnyArray) -> None:
    """Raise ValueError if a score is NaN or infinite."""
    for start in range(0, len(scores), CHUNK):
        refuse_infinite(scores[start : start + CHUNK], "scores", start)


def infinite_scores(scores: AnyArray) -> Exception:
    """Return the error to raise for scores that contain NaN or infinity."""
    try:
        refuse_infinite_scores(scores)
    except ValueError as error:
        return error
    return items_changed()


def items_changed() -> RuntimeError:
    """Return the error to raise if the items changed between two passes over them."""
    return changed_meanwhile("y_true or scores")


def refuse_codes_outside(codes: AnyArray, n_labels: int) -> None:
    """Raise RuntimeError if a code has no label, which means that the items have changed."""
    if int(codes.max()) >= n_labels:
        raise items_changed()


def _codes_of(
    kernels: PairKernels, column: Column, labels: Any, are_declared: bool, num_threads: int
) -> tuple[AnyArray, int, AnyArray]:
    """Return the codes of a column, the lowest code, and the labels.

    Raises
    ------
    ValueError
        If a rating is not among the labels.
    """
    is_plain = column.categories is None and column.values.dtype.kind in "iu"
    if labels is None:
        found = count_unknown(kernels, column, column, num_threads).rows
        labels = _labels_of(column, found)
        if is_plain and int(found[-1]) - int(found[0]) == len(found) - 1:
            return column.values, int(found[0]), labels
    known = KnownLabels(labels, column, column)
    known.are_declared = are_declared
    codec, positions = known.encode(column)
    code = np.append(positions, -1).astype(np.min_scalar_type(-len(known) - 1))
    encoded = np.empty(len(column.values), code.dtype)
    for start in range(0, len(encoded), CHUNK):
        encoded[start : start + CHUNK] = code[codec.codes(column.values[start : start + CHUNK])]
    if encoded.min() < 0:
        known.refuse_outside({"y_true": column})
    return encoded, 0, known.array


def _labels_of(column: Column, found: AnyArray) -> AnyArray:
    """Return the sorted labels found in a column, in the column's label dtype."""
    if column.categories is not None:
        return np.array(sorted_strings(column.categories[code] for code in found))
    is_date = column.label_dtype.kind in "mM"
    return found.view(column.label_dtype) if is_date else found.astype(column.label_dtype)
