"""The ratings of two raters, whose labels can be compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.columns.column import Column, read_column
from fastkappa.columns.label_order import LabelOrder
from fastkappa.columns.labels import common_unit, in_unit
from fastkappa.columns.odd_strings import REMEDY, refuse_odd_strings


def read_columns(
    y1: Any,
    y2: Any,
    names: tuple[str, str],
    read: Callable[[Any, str], Column] = read_column,
) -> tuple[Column, Column]:
    """Return two columns whose labels can be compared."""
    columns = read(y1, names[0]), read(y2, names[1])
    return comparable(*columns, names, REMEDY if read is read_column else None)


def comparable(
    first: Column, second: Column, names: tuple[str, str], remedy: str | None = REMEDY
) -> tuple[Column, Column]:
    """Return two columns whose labels can be compared, or raise.

    ``remedy`` is what the user can do about strings among numbers; None does not name them.
    """
    if first.obstacle or second.obstacle:
        _refuse(first, second)
    if (first.categories is None) != (second.categories is None) and len(first.values):
        if remedy is not None:
            refuse_odd_strings(first, names[0], remedy)
            refuse_odd_strings(second, names[1], remedy)
        advice = "" if remedy is None else " Make the strings numbers, or the numbers strings."
        raise ValueError(
            "Mix of label input types (string and number); Got"
            f" {_distinct_labels(first)} and {_distinct_labels(second)}.{advice}"
        )
    kinds = {first.label_dtype.kind, second.label_dtype.kind}
    if kinds & set("mM"):
        if len(kinds) > 1:
            raise ValueError(
                f"Mix of label input types ({first.label_dtype} and {second.label_dtype})."
            )
        unit = common_unit([*_dates_of(first), *_dates_of(second)])
        first, second = _in_unit(first, unit, names[0]), _in_unit(second, unit, names[1])
    return first, second


def _distinct_labels(column: Column) -> AnyArray:
    """Return the labels that occur, for an error to show."""
    distinct_values = np.unique(column.values)
    if column.categories is not None:
        return np.array(sorted(column.categories[code] for code in distinct_values))
    return distinct_values.astype(column.label_dtype)


def _dates_of(column: Column) -> list[AnyArray]:
    """Return the dates of a column, and those that its order declares."""
    return [column.values.view(column.label_dtype), *(column.declared or ())]


def _in_unit(column: Column, unit: np.dtype[Any], name: str) -> Column:
    dates, *order = (in_unit(array, unit, name) for array in _dates_of(column))
    return Column(dates.view(np.int64), unit, declared=LabelOrder(*order) if order else None)


def _refuse(first: Column, second: Column) -> None:
    """Raise for ratings that are no class labels, in scikit-learn's words."""
    types = [
        column.obstacle or ("binary" if len(np.unique(column.values)) <= 2 else "multiclass")
        for column in (first, second)
    ]
    if types[0] != types[1]:
        raise ValueError(
            f"Classification metrics can't handle a mix of {types[0]} and {types[1]} targets"
        )
    raise ValueError(f"{types[0]} is not supported")
