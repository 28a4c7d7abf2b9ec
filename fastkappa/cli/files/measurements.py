"""The measurements of raters or methods in a file, read for the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fastkappa.cli.files.opening import Source
from fastkappa.cli.files.raters import LongColumns
from fastkappa.cli.files.reading import Reading
from fastkappa.ratings.rating_matrix import read_measurements
from fastkappa.sources.arrow_columns import in_one
from fastkappa.sources.source_ratings import RatingsError


def read_measured(
    source: Source, raters: Sequence[str] | LongColumns, reading: Reading
) -> dict[str, Any]:
    """Return the measurements of each rater, by name.

    Raises
    ------
    ValueError
        If the file cannot be read, a column is not there, measurements are missing or are no
        numbers, or a rater has measured an item twice.
    ImportError
        If pyarrow is not installed.
    """
    is_long = isinstance(raters, LongColumns)
    measured, names = (raters[2:], raters[:2]) if isinstance(raters, LongColumns) else (raters, ())
    arrays = reading.columns(source, (), names, text=names, scores=measured)
    reading.check_missing(source, arrays, (), "such items", "measurements")
    if is_long:
        return _by_rater(arrays, *names, *measured)
    return {name: arrays[name] for name in measured}


def _by_rater(arrays: dict[str, Any], item: str, rater: str, value: str) -> dict[str, Any]:
    """Return a column per rater of the rows of a file with a row per measurement."""
    for name in (item, rater):
        if arrays[name].null_count:
            raise RatingsError(
                f"column {name!r} lacks {arrays[name].null_count} values: each row needs an item"
                " and a rater."
            )
    items, raters = (
        in_one(arrays[name].cast("string").dictionary_encode()) for name in (item, rater)
    )
    rows, columns = (array.indices.to_numpy() for array in (items, raters))
    names = raters.dictionary.to_pylist()
    (values,) = read_measurements([arrays[value]], [f"column {value!r}"])
    matrix = np.full((len(names), len(items.dictionary)), np.nan)
    cells = columns.astype(np.int64) * matrix.shape[1] + rows
    found, times = np.unique(cells, return_counts=True)
    if times.max(initial=1) > 1:
        row = int(np.flatnonzero(cells == found[times.argmax()])[1])
        raise RatingsError(
            f"rater {names[columns[row]]!r} has more than one measurement of item"
            f" {items.dictionary[int(rows[row])].as_py()!r}: give one row for each."
        )
    matrix[columns, rows] = values
    order = np.argsort(names)
    return {names[j]: matrix[j] for j in order.tolist()}
