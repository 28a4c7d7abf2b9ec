"""The measurements of raters or methods in a file, read for the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.cli.files.opening import Source
from fastkappa.cli.files.raters import LongColumns, RaterFiles
from fastkappa.cli.files.reading import Reading
from fastkappa.formatting import count_text
from fastkappa.ratings.rating_matrix import read_measurements
from fastkappa.sources.arrow_columns import in_one
from fastkappa.sources.source_ratings import RatingsError


def read_measured(
    source: Source, raters: Sequence[str] | LongColumns | RaterFiles, reading: Reading
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
    long = raters.columns if isinstance(raters, RaterFiles) else raters
    if not isinstance(long, LongColumns):
        arrays = reading.columns(source, (), scores=raters)
        reading.check_missing(source, arrays, (), "such items", "measurements")
        return {name: arrays[name] for name in long}
    named = long[:2]
    if isinstance(raters, RaterFiles):
        arrays = raters.read(reading, named, named, are_scores=True)
    else:
        arrays = reading.columns(source, (), named, text=named, scores=[long.rating])
    arrays = long.of_chosen(arrays)
    reading.check_missing(source, arrays, (), "such items", "measurements")
    found = _by_rater(arrays, long, reading)
    return {name: found[name] for name in long.chosen or sorted(found)}


def _by_rater(arrays: dict[str, Any], columns: LongColumns, reading: Reading) -> dict[str, Any]:
    """Return a column per rater of the rows of a file with a row per measurement."""
    item, rater, value = columns[:3]
    for name in (item, rater):
        if arrays[name].null_count:
            raise RatingsError(
                f"column {name!r} lacks {arrays[name].null_count} values: each row needs an item"
                " and a rater."
            )
    items, raters = (
        in_one(arrays[name].cast("string").dictionary_encode()) for name in (item, rater)
    )
    row_of, column_of = (array.indices.to_numpy() for array in (items, raters))
    names = raters.dictionary.to_pylist()
    (values,) = read_measurements([arrays[value]], [f"column {value!r}"])
    matrix = np.full((len(names), len(items.dictionary)), np.nan)
    cells = column_of.astype(np.int64) * matrix.shape[1] + row_of
    found, times = np.unique(cells, return_counts=True)
    if times.max(initial=1) > 1:
        row = int(np.flatnonzero(cells == found[times.argmax()])[1])
        raise RatingsError(
            f"rater {names[column_of[row]]!r} has more than one measurement of item"
            f" {items.dictionary[int(row_of[row])].as_py()!r}: give one row for each."
        )
    matrix[column_of, row_of] = values
    if not reading.drop_missing:
        _refuse_unmeasured(names, items.dictionary, np.isnan(matrix))
    return dict(zip(names, matrix))


def _refuse_unmeasured(raters: Sequence[str], items: Any, lacking: AnyArray) -> None:
    """Raise if a rater has not measured an item that others have."""
    if lacking.any():
        rater = int(lacking.any(axis=1).argmax())
        example = items[int(lacking[rater].argmax())].as_py()
        n = count_text(int(lacking[rater].sum()), "item")
        raise RatingsError(
            f"rater {raters[rater]!r} has no measurement of {n}, such as {example!r}. --missing"
            " drop leaves out items that were not measured by all."
        )
