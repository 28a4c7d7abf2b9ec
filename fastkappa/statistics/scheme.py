"""Define weighting schemes, which compute the numerator D and the denominator E of kappa.

Kappa is D / E, with E = sum(w * outer(r, s)) and D = E - n * sum(w * c). Here, w are the
disagreement weights, c is a table of n items, and r and s are its margins. Each scheme computes D
and E as cheaply as its weights allow. For named weights, E is computed from the margins of l labels
in O(l) time.
"""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, get_args

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.statistics.tables import whole_numbers

# Sums below this bound cannot overflow int64, even after one more addition.
INT64_SAFE = float(1 << 62)

SchemeName: TypeAlias = Literal["linear", "quadratic"]
SCHEMES: tuple[SchemeName, ...] = get_args(SchemeName)


class TableSums(NamedTuple):
    """Tables of whole numbers and their sums, in dtypes that are wide enough to avoid overflow.

    Attributes
    ----------
    tables : ndarray of shape (..., l, l)
        The stack of tables.
    rows, columns : ndarray of shape (..., l)
        The margins of each table.
    n : ndarray of shape (...)
        The sum of each table, with dtype ``wide``.
    wide : type
        The dtype for products of two weighted sums: int64, or object for Python integers.
    """

    tables: AnyArray
    rows: AnyArray
    columns: AnyArray
    n: AnyArray
    wide: Any

    def widen(self, numbers: Any) -> AnyArray:
        """Return whole numbers in a dtype that is wide enough for their products."""
        return np.asarray(numbers).astype(self.wide, copy=False)

    def sum_of_products(self, left: AnyArray, right: AnyArray) -> AnyArray:
        """Return the products of two arrays, summed over the last axis."""
        return np.asarray(np.add.reduce(self.widen(left) * self.widen(right), axis=-1), self.wide)


def sums_of(tables: AnyArray, heaviest: float) -> TableSums:
    """Return tables and their sums in dtypes that suffice for weights of at most ``heaviest``."""
    wide: Any = object
    if tables.dtype != object:
        largest = float(tables.sum(axis=(-2, -1), dtype=np.float64).max(initial=0))
        if largest * heaviest >= INT64_SAFE:
            tables = tables.astype(object)
        elif 2 * largest * largest * heaviest < INT64_SAFE:
            wide = np.int64
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    return TableSums(tables, rows, columns, np.asarray(rows.sum(axis=-1)).astype(wide), wide)


class Scheme(Protocol):
    """A scheme of disagreement weights, which computes D and E for tables."""

    def matrix(self, n_labels: int) -> FloatTable:
        """Return the weights as a matrix of shape (l, l)."""
        ...

    def heaviest(self, n_labels: int) -> float:
        """Return an upper bound on the weights, or infinity if they do not fit in int64."""
        ...

    def difference_and_expected(self, sums: TableSums) -> tuple[AnyArray, AnyArray]:
        """Return D and E of each table, scaled to whole numbers by a common factor."""
        ...


class Nominal:
    """A weight of 1 for every disagreement."""

    def matrix(self, n_labels: int) -> FloatTable:
        """Return a matrix of ones, with zeros on the diagonal."""
        return 1 - np.eye(n_labels)

    def heaviest(self, n_labels: int) -> float:
        """Return 1, the largest weight."""
        return 1

    def difference_and_expected(self, sums: TableSums) -> tuple[AnyArray, AnyArray]:
        """Compute D and E from the diagonal and the margins."""
        agreeing = sums.widen(np.trace(sums.tables, axis1=-2, axis2=-1))
        by_chance = sums.sum_of_products(sums.rows, sums.columns)
        return sums.n * agreeing - by_chance, sums.n * sums.n - by_chance


class Linear:
    """Weights equal to the distance between the labels' positions."""

    def matrix(self, n_labels: int) -> FloatTable:
        """Return the matrix of distances."""
        position = np.arange(n_labels, dtype=np.float64)
        distance: FloatTable = np.abs(position[:, None] - position)
        return distance

    def heaviest(self, n_labels: int) -> float:
        """Return the number of labels, an upper bound on the weights."""
        return n_labels

    def difference_and_expected(self, sums: TableSums) -> tuple[AnyArray, AnyArray]:
        """Compute D and E, summing E over the cuts between adjacent labels."""
        position = np.arange(sums.tables.shape[-1]).astype(sums.tables.dtype)
        distance = np.abs(position[:, None] - position)
        observed = sums.widen((sums.tables * distance).sum(axis=(-2, -1)))
        below = [margin.cumsum(axis=-1)[..., :-1] for margin in (sums.rows, sums.columns)]
        above = [sums.n[..., None] - margin for margin in below]
        expected = sums.sum_of_products(below[0], above[1]) + sums.sum_of_products(
            below[1], above[0]
        )
        return expected - sums.n * observed, expected


class Quadratic:
    """Weights equal to the squared distance between the labels' positions."""

    def matrix(self, n_labels: int) -> FloatTable:
        """Return the matrix of squared distances."""
        squares: FloatTable = Linear().matrix(n_labels) ** 2
        return squares

    def heaviest(self, n_labels: int) -> float:
        """Return the square of the number of labels, an upper bound on the weights."""
        return n_labels**2

    def difference_and_expected(self, sums: TableSums) -> tuple[AnyArray, AnyArray]:
        """Compute D and E from the moments of the labels' positions."""
        position = np.arange(sums.tables.shape[-1], dtype=sums.tables.dtype)
        by_row, by_column = sums.rows * position, sums.columns * position
        # ndarray.sum also calls np.add.reduce, but through Python code, which is slower.
        add = np.add.reduce
        first, second = sums.widen(add(by_row, axis=-1)), sums.widen(add(by_column, axis=-1))
        squares = sums.widen(add((by_row + by_column) * position, axis=-1))
        products = sums.widen(add(add(sums.tables * position, axis=-1) * position, axis=-1))
        return (
            2 * (sums.n * products - first * second),
            sums.n * squares - 2 * first * second,
        )


class MatrixScheme:
    """Weights given as a validated matrix."""

    def __init__(self, weights: AnyArray) -> None:
        self._weights = weights
        self._whole = whole_numbers(weights)

    def matrix(self, n_labels: int) -> FloatTable:
        """Return the matrix of weights as float64."""
        # Convert to row-major order, because the array of a data frame can be column-major.
        return self._weights.astype(np.float64, order="C")

    def heaviest(self, n_labels: int) -> float:
        """Return the largest weight after scaling, or infinity if it does not fit in int64."""
        return float(self._whole.max(initial=1)) if self._whole.dtype != object else math.inf

    def difference_and_expected(self, sums: TableSums) -> tuple[AnyArray, AnyArray]:
        """Compute D and E from the matrix, in O(l^2) time."""
        exact = sums.tables.dtype == object
        weights = self._whole.astype(object) if exact else self._whole
        observed = sums.widen((sums.tables * weights).sum(axis=(-2, -1)))
        by_row = (weights * sums.columns[..., None, :]).sum(axis=-1)
        expected = sums.sum_of_products(sums.rows, by_row)
        return expected - sums.n * observed, expected


NAMED: dict[SchemeName | None, Scheme] = {
    None: Nominal(),
    "linear": Linear(),
    "quadratic": Quadratic(),
}
