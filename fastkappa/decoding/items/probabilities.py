"""Read class probabilities from user input and process them in blocks of items."""

from __future__ import annotations

from collections.abc import Iterator
from reprlib import repr as short_repr
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, Floats, FloatTable
from fastkappa.ratings.column import refuse_masked
from fastkappa.ratings.interop import to_numpy
from fastkappa.ratings.item_weights import read_scaled_weights
from fastkappa.ratings.real_numbers import numbers_of_objects

# The largest accepted difference between a row's sum and 1. Rounding to float16 or to three
# decimals causes smaller differences.
TOLERANCE = 1e-3
# The number of probabilities to process at once. A block of this size and its temporary arrays fit
# in the processor's cache.
BLOCK = 1 << 15
SOFTMAX = (
    " If these are logits, apply a softmax. If they are counts or one-vs-rest probabilities, divide"
    " each row by its sum."
)


class Probabilities(NamedTuple):
    """Validated probabilities of shape (n, K) and the weights of the items.

    ``values`` is not copied. ``order`` contains the column index of each label, or is None if the
    columns are already in label order. ``weights`` are the user's weights times ``weight_scale``.
    """

    values: AnyArray
    order: AnyArray | None = None
    weights: Floats | None = None
    weight_scale: float = 1.0

    @property
    def n_labels(self) -> int:
        """The number of labels."""
        return int(self.values.shape[1])

    def in_order(self) -> AnyArray:
        """Return the (n, K) array of probabilities, with columns in label order."""
        return self.values if self.order is None else self.values[:, self.order]

    def part(self, step: int) -> Probabilities:
        """Return every ``step``-th item."""
        weights = None if self.weights is None else self.weights[::step]
        return self._replace(values=self.values[::step], weights=weights)

    def blocks(self) -> Iterator[tuple[slice, FloatTable]]:
        """Yield each range of items, and their probabilities in an array of shape (K, length)."""
        length = max(64, BLOCK // self.n_labels)
        for start in range(0, len(self.values), length):
            inside = slice(start, start + length)
            columns = self.values[inside].T
            if self.order is not None:
                columns = columns[self.order]
            yield inside, np.ascontiguousarray(columns, dtype=np.float64)

    def margins(self) -> Floats:
        """Return the weighted sum of each label's probabilities."""
        sums = np.zeros(self.n_labels)
        for inside, block in self.blocks():
            sums += block.sum(axis=1) if self.weights is None else block @ self.weights[inside]
        return sums

    def cheapest(self, costs: FloatTable, given: AnyArray) -> FloatTable:
        """Give each item the label with the lowest expected cost, and return the expected table.

        Row y, column c of ``costs`` is the cost of giving label c to an item with true label y. Row
        y, column c of the table is the expected number of items with true label y that get label c.
        The positions of the chosen labels are written to ``given``, an array of integers. Ties go
        to the lowest position.
        """
        table = np.zeros_like(costs)
        by_label = np.ascontiguousarray(costs.T)
        label = np.arange(len(costs), dtype=given.dtype)
        for inside, block in self.blocks():
            expected = by_label @ block
            least, chosen = expected[0], given[inside]
            chosen[:] = 0
            for position in label[1:]:
                # Later labels have higher positions, so the maximum overwrites earlier choices.
                cheaper = (expected[position] < least).astype(given.dtype)
                np.maximum(chosen, cheaper * position, out=chosen)
                np.minimum(least, expected[position], out=least)
            if self.weights is not None:
                # The block is not multiplied in place, because it can be a view of the user's
                # array.
                block = block * self.weights[inside]
            table += block @ (chosen == label[:, None]).astype(np.float64).T
        return table


def read_probabilities(values: Any, sample_weight: Any = None) -> Probabilities:
    """Read and validate class probabilities in one pass.

    Raises
    ------
    ValueError
        If ``values`` is not an array with one row per item and one column per label, if a
        probability is negative or not finite, if a row does not sum to 1, or if item weights
        are invalid.
    """
    refuse_masked(probabilities=values, sample_weight=sample_weight)
    array = to_numpy(values)
    if array.ndim == 1 or array.shape[1:] == (1,):
        raise ValueError(
            f"probabilities must have one column per label, got shape {array.shape}. For two"
            " labels, pass both columns: np.column_stack([1 - p, p]). For scores, use"
            " KappaRounder or optimal_thresholds."
        )
    if array.ndim != 2:
        got = f"shape {array.shape}" if array.ndim else short_repr(values)
        raise ValueError(
            f"probabilities must have one row per item and one column per label, got {got}."
        )
    if array.dtype.kind == "O":
        array = numbers_of_objects(array, "probabilities")
    if array.dtype.kind not in "iufb":
        raise ValueError(
            f"probabilities must contain real numbers, got an array of dtype {array.dtype}."
        )
    if 0 in array.shape:
        raise ValueError(f"probabilities must not be empty, got shape {array.shape}.")
    read = Probabilities(array)
    if sample_weight is not None:
        weights, scale, _ = read_scaled_weights(sample_weight, len(array))
        read = read._replace(weights=weights, weight_scale=scale)
    for inside, block in read.blocks():
        # NaN fails both comparisons
        if not (block.min() >= 0 and np.abs(block.sum(axis=0) - 1).max() <= TOLERANCE):
            raise _bad_row(inside.start, block)
    return read


def _bad_row(start: int, block: FloatTable) -> ValueError:
    """Return the error for the first invalid row of a block."""
    with np.errstate(invalid="ignore"):
        sums = block.sum(axis=0)
        bad = ~((block.min(axis=0) >= 0) & (np.abs(sums - 1) <= TOLERANCE))
    row = int(bad.argmax())
    entries = block[:, row]
    for problem, wrong in (("finite", ~np.isfinite(entries)), ("0 or more", ~(entries >= 0))):
        if wrong.any():
            column = int(wrong.argmax())
            return ValueError(
                f"probabilities must be {problem}, got {float(entries[column])} in row"
                f" {start + row}, column {column}.{'' if problem == 'finite' else SOFTMAX}"
            )
    remedy = SOFTMAX
    if np.allclose(sums, 100, rtol=0, atol=100 * TOLERANCE):
        remedy = " Divide percentages by 100."
    return ValueError(
        f"each row of probabilities must sum to 1, within {TOLERANCE}, got a sum of"
        f" {float(sums[row]):.6g} in row {start + row}.{remedy}"
    )
