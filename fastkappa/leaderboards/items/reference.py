"""The first column that many others are paired with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.columns.column import Column, n_samples, read_column, refuse_masked
from fastkappa.columns.pair import read_columns


class Reference:
    """The first column that all others are paired with, read and checked once."""

    def __init__(self, ratings: Any, name: str) -> None:
        self._ratings, self._name = ratings, name
        with _naming(name):
            self.n_items = n_samples(ratings)
            refuse_masked(**{name: ratings})
            self.column = read_column(ratings, name)
            if self.column.obstacle:
                read_columns(ratings, ratings, (name, name))
        self._is_plain = self.column.categories is None and self.column.label_dtype.kind in "iub"

    def beside(self, ratings: Any, name: str) -> tuple[Column, Column]:
        """Return this column and another one as comparable columns, or raise.

        An error names the other column by ``name``.
        """
        is_array = self._is_plain and type(ratings) is np.ndarray
        if is_array and ratings.dtype.kind in "iu" and ratings.shape == (self.n_items,):
            # An array of integers needs no further checks.
            return self.column, Column(ratings, ratings.dtype)
        with _naming(name):
            return self._read_beside(ratings, name)

    def _read_beside(self, ratings: Any, name: str) -> tuple[Column, Column]:
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
        """Return whether a column has to be converted together with this one, or refused."""
        dates = {self.column.label_dtype.kind, column.label_dtype.kind} & set("mM")
        has_strings = [one.categories is not None for one in (self.column, column)]
        return bool(column.obstacle or dates or has_strings[0] != has_strings[1])

    def matched(
        self,
        ratings: Any,
        n_expected: int,
        items: AnyArray | None,
        others: AnyArray | None,
        name: str,
    ) -> tuple[Column, Column]:
        """Return this column and another one, restricted to the items that both have.

        ``items`` are the positions of these items in this column, ``others`` those in the other
        one; None for both means all items, in the same order.
        """
        with _naming(name):
            n_ratings = n_samples(ratings)
            if n_ratings != n_expected:
                raise ValueError(
                    f"{name} must have one rating for each of its {n_expected} ids, got"
                    f" {n_ratings}."
                )
            if items is None or others is None:
                return self.beside(ratings, name)
            if len(items) == 0:
                # Without items there is nothing to compare, whatever the labels are.
                nothing = self.column._replace(values=self.column.values[:0])
                return nothing, nothing
            first, second = self.column, read_column(ratings, name)
            if self._is_other_kind(second):
                first, second = read_columns(self._ratings, ratings, (self._name, name))
        if len(items) < self.n_items:
            first = first._replace(values=first.values[items])
        return first, second._replace(values=second.values[others])


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
