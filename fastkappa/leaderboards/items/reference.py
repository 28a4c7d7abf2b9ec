"""Read the reference column, such as the true labels, and pair other columns with it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.ratings.column import Column, refuse_masked, refuse_obstacles
from fastkappa.ratings.interop import warn_of_row_order
from fastkappa.ratings.lengths import CHECK_IDS, length_of, not_labels, share_few_ids
from fastkappa.ratings.missing import Missing, check_missing, refuse_missing, without
from fastkappa.ratings.read import (
    comparable,
    missing_or_odd,
    read_rated,
)

TRUTH = "y_true"
SCORES = (
    "Use optimal_thresholds to convert scores to labels, or decode_probabilities to convert"
    " probabilities of shape (n, k) to labels."
)


class Pair(NamedTuple):
    """The reference and another column, restricted to the items rated in both columns.

    ``items`` contains the positions of these items in the reference. None means all items.
    ``n_missing`` counts the items without a rating in the other column. ``n_extra`` counts ids of
    the other column that do not belong to any item. ``n_repeated`` counts ids that occur more than
    once in the other column.
    """

    columns: tuple[Column, Column]
    items: NDArray[np.intp] | None
    n_missing: int
    n_extra: int = 0
    n_repeated: int = 0

    def n_covered(self, n_items: int) -> int:
        """Return the number of items for which the other column has exactly one label."""
        return n_items - self.n_missing - self.n_repeated

    def too_few(self, n_items: int, min_coverage: float) -> str | None:
        """Return a message if the other column has too few items to be ranked, otherwise None."""
        n_covered = self.n_covered(n_items)
        coverage = n_covered / n_items
        if coverage >= min_coverage:
            return None
        failure = f"it has labels for only {n_covered} of the {n_items} items"
        if not n_covered:
            failure = f"it has a label for none of the {n_items} items"
        if share_few_ids(n_covered, n_items, n_covered + self.n_extra):
            return f"{failure}, and {self.n_extra} of its ids are unknown. {CHECK_IDS}"
        if not n_covered:
            return f"{failure}."
        return (
            f"{failure}, so its kappa is not comparable with a kappa computed for all items."
            f" Use min_coverage={math.floor(1000 * coverage) / 1000:g} to rank it anyway."
        )


class Reference:
    """The column with which all other columns are paired. It is read and checked once.

    With ``missing='drop'``, items without a rating in this column are left out of all columns.
    ``dropped`` is a mask of these items, and ``n_items`` is the number of remaining items. If
    ``labels`` are given, a column can mix strings and numbers, and can contain fractions if some
    labels are fractions.
    """

    def __init__(
        self, ratings: Any, missing: Missing, missing_codes: Sequence[Any], labels: Any
    ) -> None:
        check_missing(missing, missing_codes, labels)
        self._missing, self._missing_codes, self._labels = missing, missing_codes, labels
        with _naming(TRUTH):
            self.n_given = length_of(TRUTH, ratings)
            self._given, self._compared = ratings, None
            self.dropped = self._find_dropped(ratings, TRUTH)
            if self.dropped is not None:
                ratings = without(ratings, self.dropped)
            self.n_items = length_of(TRUTH, ratings)
            self.column = self._read(ratings, TRUTH)
            if self.column.obstacle:
                refuse_obstacles({TRUTH: self.column})
        is_integer = self.column.categories is None and self.column.label_dtype.kind in "iu"
        is_read_as_it_is = self.dropped is None and not len(missing_codes)
        self._is_plain = is_integer and is_read_as_it_is

    def beside(self, ratings: Any, name: str) -> Pair:
        """Pair this column with another, or raise if the two cannot be compared.

        Errors use ``name`` for the other column.
        """
        is_array = self._is_plain and type(ratings) is np.ndarray
        if is_array and ratings.dtype.kind in "iu" and ratings.shape == (self.n_items,):
            # Arrays of integers need no further check.
            return Pair((self.column, Column(ratings, ratings.dtype)), None, 0)
        with _naming(name):
            n_ratings = length_of(name, ratings)
            if n_ratings != self.n_given:
                raise ValueError(
                    f"{name} must have as many ratings as {TRUTH} ({self.n_given}), got"
                    f" {n_ratings}."
                )
            # The columns of a data frame share one index, so one warning is enough.
            if getattr(ratings, "index", None) is not self._compared:
                self._compared = getattr(ratings, "index", None)
                warn_of_row_order({TRUTH: self._given, name: ratings})
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
        """Return this column and another column, restricted to their common items.

        ``items`` contains the positions of these items in this column, and ``others`` contains
        their positions in the other column. If ``items`` is None, all items of this column are
        used. If both are None, the columns have the same items in the same order.
        """
        with _naming(name):
            n_ratings = length_of(name, ratings)
            if n_ratings != n_expected:
                raise ValueError(
                    f"{name} must have as many ratings as ids ({n_expected}), got {n_ratings}."
                )
            return self._paired(ratings, items, others, name)

    def _find_dropped(self, ratings: Any, name: str) -> NDArray[np.bool_] | None:
        """Return a mask of missing ratings to leave out, if any, or raise if none are allowed."""
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

    def _paired(
        self,
        ratings: Any,
        items: NDArray[np.intp] | None,
        others: NDArray[np.int64] | None,
        name: str,
    ) -> Pair:
        """Pair the items at positions ``items`` with the ratings at positions ``others``.

        None means all positions. If missing ratings are allowed, items without a rating are left
        out.
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
            # Without common items, there is nothing to compare, so the labels can be of any kind.
            nothing = self.column._replace(values=self.column.values[:0])
            return Pair((nothing, nothing), items, n_missing)
        column = self._read(ratings, name)
        if column.obstacle in ("continuous", "continuous-multioutput"):
            raise ValueError(f"{not_labels(name, column.obstacle, ratings)} {SCORES}")
        first, second = comparable((self.column, column), (TRUTH, name))
        if others is not None:
            second = second._replace(values=second.values.take(others))
        if n_lacking:
            first = first._replace(values=first.values[items])
        return Pair((first, second), items if n_lacking else None, n_missing)


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Prepend the name of a column to errors that do not mention it."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if name in str(error):
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name}: {error}") from error
