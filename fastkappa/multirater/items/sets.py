"""Read ratings that are sets of labels, and encode the distinct sets.

A list is read as the set of its labels, because exports and data frames contain lists instead of
sets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.formatting import count_text
from fastkappa.ratings.doubtful_labels import warn
from fastkappa.ratings.label_order import not_a_label
from fastkappa.ratings.missing import check_is_list, is_missing

SETS = (set, frozenset, list, tuple, np.ndarray)


class CodedSets(NamedTuple):
    """The raters' columns as codes starting at 1, masked where missing, and the sets in code order.

    ``sets`` is an array of shape (l,) that contains frozensets.
    """

    columns: list[Any]
    sets: AnyArray


def read_sets(
    columns: Sequence[Any], names: Sequence[str], labels: Any, missing_codes: Sequence[Any]
) -> CodedSets | None:
    """Encode ratings that are sets or lists. Return None for all other ratings.

    Raises
    ------
    ValueError
        If only some ratings are sets, if a set is not among the labels, or if ``missing_codes`` is
        not a list.
    """
    columns = [_with_python_lists(column) for column in columns]
    if not any(isinstance(_first(column), SETS) for column in columns):
        return None
    check_is_list(missing_codes)
    missing = [_frozen(code) for code in missing_codes]
    rows = [
        [_read(rating, name, missing) for rating in _objects(column)]
        for column, name in zip(columns, names)
    ]
    rated = [rating for row in rows for rating in row if rating is not None]
    if labels is None:
        _warn_of_empty(rated)
    known = sorted({*rated}, key=_by_size_and_members) if labels is None else _given(labels)
    codes = {rating: code for code, rating in enumerate(known, 1)}
    for row, name in zip(rows, names):
        for rating in row:
            if rating is not None and rating not in codes:
                raise not_a_label(name, repr(set(rating)))
    coded = [
        np.ma.masked_equal([0 if rating is None else codes[rating] for rating in row], 0)
        for row in rows
    ]
    sets = np.empty(len(known), object)
    sets[:] = known
    return CodedSets(coded, sets)


def _warn_of_empty(ratings: Sequence[frozenset[Any]]) -> None:
    """Warn about empty sets, which can be skipped items, if all other sets have one label.

    If there is only one label, an empty set means that the label does not apply.
    """
    distinct = {*ratings}
    if len(distinct) > 2 and {*map(len, distinct)} == {0, 1}:
        n_empty = ratings.count(frozenset())
        warn(
            f"{n_empty} of {count_text(len(ratings), 'rating')} are empty sets, and all others have"
            " exactly one label. An empty set counts as a rating without labels. If it stands for"
            " a missing rating, give missing_codes=[[]]."
        )


def _with_python_lists(column: Any) -> Any:
    """Return polars and pyarrow columns of lists as Python lists, and other columns unchanged."""
    dtype = str(getattr(column, "type", getattr(column, "dtype", ""))).lower()
    if not dtype.startswith(("list", "large_list", "fixed_size_list", "array(")):
        return column
    return column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()


def _objects(column: Any) -> Iterator[Any]:
    """Yield the values of a column, with None for masked entries."""
    return iter(column.tolist() if isinstance(column, np.ma.MaskedArray) else column)


def _first(column: Any) -> Any:
    """Return the first rating that is not missing, or None if the column cannot contain sets."""
    if not isinstance(column, (list, tuple)) and getattr(column, "dtype", None) != np.dtype(object):
        return None
    return next((rating for rating in _objects(column) if not _is_missing(rating)), None)


def _is_missing(rating: Any) -> bool:
    return not isinstance(rating, SETS) and is_missing(rating)


def _read(rating: Any, name: str, missing: list[Any]) -> frozenset[Any] | None:
    rating = _frozen(rating)
    if _is_missing(rating) or rating in missing:
        return None
    if not isinstance(rating, frozenset):
        raise ValueError(
            f"if one rating is a set, all ratings must be sets, but {name} also contains"
            f" {rating!r}. Write a single label as a set with one label."
        )
    return rating


def _given(labels: Any) -> list[frozenset[Any]]:
    given = [_frozen(label) for label in labels]
    for label in given:
        if not isinstance(label, frozenset):
            raise ValueError(f"labels must be sets, because the ratings are sets, got {label!r}.")
    if len(set(given)) < len(given):
        raise ValueError(f"labels must be distinct, got {list(map(set, given))!r}.")
    return given


def _frozen(value: Any) -> Any:
    """Convert a set or a list to a frozenset. Return any other value unchanged."""
    if not isinstance(value, SETS) or isinstance(value, frozenset):
        return value
    try:
        return frozenset(value.tolist() if isinstance(value, np.ndarray) else value)
    except TypeError as error:
        raise ValueError(
            "a rating that is a list must contain only labels, such as strings or numbers, got"
            f" {value!r}."
        ) from error


def _by_size_and_members(rating: frozenset[Any]) -> tuple[int, list[str]]:
    return len(rating), sorted(map(repr, rating))
