"""The first column that many others are paired with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.ratings.column import Column, refuse_masked, refuse_obstacles
from fastkappa.ratings.interop import warn_of_row_order
from fastkappa.ratings.lengths import length_of, not_labels
from fastkappa.ratings.missing import Missing, check_missing, refuse_missing, without
from fastkappa.ratings.read import (
    comparable,
    missing_or_odd,
    read_rated,
)

SCORES = (
    "optimal_thresholds finds the thresholds that make labels of scores, and"
    " decode_probabilities makes labels of probabilities of shape (n, k)."
)


class Pair(NamedTuple):
    """The reference and another column, on the items that both have.

    ``items`` are the positions of these items in the reference, fewer than all, None for all;
    ``n_missing`` is the number of items whose rating in the other column is missing, ``n_extra``
    that of its ids of no item, ``n_repeated`` that of ids that it has more than once.
    """

    columns: tuple[Column, Column]
    items: NDArray[np.intp] | None
    n_missing: int
    n_extra: int = 0
    n_repeated: int = 0

    def n_covered(self, n_items: int) -> int:
        """Return how many of the items the other column has a label for, once."""
        return n_items - self.n_missing - self.n_repeated


class Reference:
    """The first column that all others are paired with, read and checked once.

    With ``missing='drop'`` its own missing ratings are left out of all columns: ``dropped`` has
    them, and ``n_items`` counts the others. With ``labels``, strings among numbers are labels, and
    so are numbers with fractions if some of them are.
    """

    def __init__(
        self,
        ratings: Any,
        name: str,
        *,
        missing: Missing = "raise",
        missing_codes: Sequence[Any] = (),
        labels: Any = (),
    ) -> None:
        check_missing(missing)
        self._name, self._missing, self._missing_codes = name, missing, missing_codes
        self._labels = labels
        with _naming(name):
            self.n_given = length_of(name, ratings)
            self._given, self._compared = ratings, None
            self.dropped = self._find_dropped(ratings, name)
            if self.dropped is not None:
                ratings = without(ratings, self.dropped)
            self.n_items = length_of(name, ratings)
            self.column = self._read(ratings, name)
            if self.column.obstacle:
                refuse_obstacles({name: self.column})
        is_integer = self.column.categories is None and self.column.label_dtype.kind in "iub"
        is_read_as_it_is = self.dropped is None and not len(missing_codes)
        self._is_plain = is_integer and is_read_as_it_is

    def beside(self, ratings: Any, name: str) -> Pair:
        """Return this column and another one as comparable columns, or raise.

        An error names the other column by ``name``.
        """
        is_array = self._is_plain and type(ratings) is np.ndarray
        if is_array and ratings.dtype.kind in "iu" and ratings.shape == (self.n_items,):
            # An array of integers needs no further checks.
            return Pair((self.column, Column(ratings, ratings.dtype)), None, 0)
        with _naming(name):
            n_ratings = length_of(name, ratings)
            if n_ratings != self.n_given:
                raise ValueError(
                    f"{name} must have one rating for each of the {self.n_given} of {self._name},"
                    f" got {n_ratings}."
                )
            # The columns of a frame have one index, and are warned of once.
            if getattr(ratings, "index", None) is not self._compared:
                self._compared = getattr(ratings, "index", None)
                warn_of_row_order({self._name: self._given, name: ratings})
            if self.dropped is not None:
                ratings = without(ratings, self.dropped)
            return self._paired(ratings, None, None, name)

    def matched(
        self,
        ratings: Any,
        n_expected: int,
        items: NDArray[np.intp] | None,
        others: NDArray[np.int64] | None,
        name: str,
    ) -> Pair:
        """Return this column and another one, restricted to the items that both have.

        ``items`` are the positions of these items in this column, ``others`` those in the other
        one. None for ``items`` means all of these, None for both the same items in both.
        """
        with _naming(name):
            n_ratings = length_of(name, ratings)
            if n_ratings != n_expected:
                raise ValueError(
                    f"{name} must have one rating for each of its {n_expected} ids, got"
                    f" {n_ratings}."
                )
            return self._paired(ratings, items, others, name)

    def _find_dropped(self, ratings: Any, name: str) -> NDArray[np.bool_] | None:
        """Return which ratings are missing and to be left out, or raise if they may not be."""
        if self._missing == "drop":
            return missing_or_odd(ratings, self._missing_codes, name, self._labels is None)
        refuse_masked(**{name: ratings})
        if len(self._missing_codes):
            refuse_missing({name: ratings}, None, self._missing_codes)
        return None

    def _read(self, ratings: Any, name: str) -> Column:
        try:
            return read_rated(ratings, name, self._missing_codes, self._labels)
        except ValueError as error:
            refuse_missing({name: ratings}, error)
            raise

    def _read_beside(self, ratings: Any, name: str) -> tuple[Column, Column]:
        column = self._read(ratings, name)
        if column.obstacle in ("continuous", "continuous-multioutput"):
            raise ValueError(f"{not_labels(name, column.obstacle, ratings)} {SCORES}")
        first, second = comparable((self.column, column), (self._name, name))
        return first, second

    def _paired(
        self,
        ratings: Any,
        items: NDArray[np.intp] | None,
        others: NDArray[np.int64] | None,
        name: str,
    ) -> Pair:
        """Return the pair of some items, whose ratings are at the positions ``others``.

        None stands for all of either. Items that miss a rating are left out if they may.
        """
        dropped, n_missing = self._find_dropped(ratings, name), 0
        if dropped is not None:
            items = np.arange(self.n_items) if items is None else items
            others = np.arange(self.n_items) if others is None else others
            rated = ~dropped[others]
            items, n_missing = items[rated], int((~rated).sum())
            others = np.cumsum(~dropped)[others[rated]] - 1
            ratings = without(ratings, dropped)
        n_lacking = 0 if items is None else self.n_items - len(items)
        if n_lacking and n_lacking == self.n_items:
            # Without items there is nothing to compare, whatever the labels are.
            nothing = self.column._replace(values=self.column.values[:0])
            return Pair((nothing, nothing), items, n_missing)
        first, second = self._read_beside(ratings, name)
        if others is not None:
            second = second._replace(values=second.values.take(others))
        if n_lacking:
            first = first._replace(values=first.values[items])
        return Pair((first, second), items if n_lacking else None, n_missing)


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Add the name of a column to errors that lack it."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if name in str(error):
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name}: {error}") from error
