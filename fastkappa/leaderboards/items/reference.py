"""The column that many others are counted against."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.columns.column import Column, n_samples, read_column, refuse_masked
from fastkappa.columns.pair import read_columns


class Reference:
    """The column that all others are counted against, read and judged once."""

    def __init__(self, ratings: Any, name: str) -> None:
        self._ratings, self._name = ratings, name
        with _said_of(name):
            self.n_items = n_samples(ratings)
            refuse_masked(**{name: ratings})
            self.column = read_column(ratings, name)
            if self.column.obstacle:
                read_columns(ratings, ratings, (name, name))
        self._is_plain = self.column.categories is None and self.column.label_dtype.kind in "iub"

    def beside(self, ratings: Any, name: str) -> tuple[Column, Column]:
        """Return this column and another one, when they are known to be comparable.

        What is wrong with the other one is said by its name.
        """
        is_array = self._is_plain and type(ratings) is np.ndarray
        if is_array and ratings.dtype.kind in "iu" and ratings.shape == (self.n_items,):
            # There is nothing to judge in an array of integers.
            return self.column, Column(ratings, ratings.dtype)
        with _said_of(name):
            return self._compared(ratings, name)

    def _compared(self, ratings: Any, name: str) -> tuple[Column, Column]:
        n_items = n_samples(ratings)
        if n_items != self.n_items:
            raise ValueError(
                f"{name} must have one rating for each of the {self.n_items} of {self._name}, got"
                f" {n_items}."
            )
        refuse_masked(**{name: ratings})
        column = read_column(ratings, name)
        if self._is_other_kind(column):
            return read_columns(self._ratings, ratings, (self._name, name))
        return self.column, column

    def _is_other_kind(self, column: Column) -> bool:
        """Tell a column that has to be made comparable with this one, or to be refused."""
        dates = {self.column.label_dtype.kind, column.label_dtype.kind} & set("mM")
        of_words = [one.categories is not None for one in (self.column, column)]
        return bool(column.obstacle or dates or of_words[0] != of_words[1])

    def matched(
        self,
        ratings: Any,
        n_expected: int,
        items: AnyArray | None,
        others: AnyArray | None,
        name: str,
    ) -> tuple[Column, Column]:
        """Return this column and another one, for the items that are ``others`` of the other.

        ``items`` are their positions in this one; None for both stands for all, in order.
        """
        with _said_of(name):
            n_ratings = n_samples(ratings)
            if n_ratings != n_expected:
                raise ValueError(
                    f"{name} must have one rating for each of its {n_expected} ids, got"
                    f" {n_ratings}."
                )
            if items is None or others is None:
                return self.beside(ratings, name)
            if len(items) == 0:
                # No item is left: what there was need not be comparable.
                nothing = self.column._replace(values=self.column.values[:0])
                return nothing, nothing
            first, second = self.column, read_column(ratings, name)
            if self._is_other_kind(second):
                first, second = read_columns(self._ratings, ratings, (self._name, name))
        if len(items) < self.n_items:
            first = first._replace(values=first.values[items])
        return first, second._replace(values=second.values[others])


@contextmanager
def _said_of(name: str) -> Iterator[None]:
    """Have whatever is wrong with a column said by its name."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if name in str(error):
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name}: {error}") from error
