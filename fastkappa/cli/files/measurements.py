"""The measurements of raters or methods in a file, read for the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from warnings import warn

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.cli.files.opening import Source
from fastkappa.cli.files.raters import LongColumns, RaterFiles
from fastkappa.cli.files.reading import Reading
from fastkappa.formatting import count_text
from fastkappa.ratings.missing import find_missing, without
from fastkappa.ratings.rating_matrix import read_measurements
from fastkappa.sources.arrow_columns import in_one
from fastkappa.sources.source_ratings import RatingsError


class Measured(NamedTuple):
    """The measurements of each rater, by name, and the clusters of the items if there are any."""

    by_rater: dict[str, Any]
    clusters: Any = None


def read_measured(
    source: Source,
    raters: Sequence[str] | LongColumns | RaterFiles,
    reading: Reading,
    cluster: str | None = None,
) -> Measured:
    """Return the measurements of each rater, and the clusters in a column.

    Raises
    ------
    ValueError
        If the file cannot be read, a column is not there, measurements are missing or are no
        numbers, a rater has measured an item twice, or an item is in two clusters.
    ImportError
        If pyarrow is not installed.
    """
    long = raters.columns if isinstance(raters, RaterFiles) else raters
    values, named = ((long.rating,), long[:2]) if isinstance(long, LongColumns) else (long, ())
    if cluster in (*values, *named):
        raise RatingsError(f"--cluster must name another column, got {cluster!r}.")
    others = [*named, *([] if cluster is None else [cluster])]
    if isinstance(raters, RaterFiles):
        arrays = raters.read(reading, others, others, are_scores=True)
    else:
        arrays = reading.columns(source, (), others, text=others, scores=values)
    if isinstance(long, LongColumns):
        arrays = long.of_chosen(arrays)
    reading.check_missing(source, arrays, (), "such items", "measurements")
    if cluster is not None:
        arrays = _in_clusters(arrays, cluster)
    if isinstance(long, LongColumns):
        return _by_rater(arrays, long, reading, cluster)
    of_items = None if cluster is None else arrays[cluster]
    return Measured({name: arrays[name] for name in values}, of_items)


def _in_clusters(arrays: dict[str, Any], cluster: str) -> dict[str, Any]:
    """Return the rows that have a cluster, and warn of the others."""
    lacking = find_missing(arrays[cluster])
    if lacking is None or not lacking.any():
        return arrays
    n = count_text(int(lacking.sum()), "row")
    warn(f"{n} left out: no cluster in column {cluster!r}.", stacklevel=2)
    return {name: without(array, lacking) for name, array in arrays.items()}


def _by_rater(
    arrays: dict[str, Any], columns: LongColumns, reading: Reading, cluster: str | None
) -> Measured:
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
    clusters = None if cluster is None else _of_items(items, arrays[cluster])
    measured = dict(zip(names, matrix))
    return Measured({name: measured[name] for name in columns.chosen or sorted(names)}, clusters)


def _of_items(items: Any, clusters: Any) -> AnyArray:
    """Return the cluster of each item, or raise if its rows have different ones."""
    rows = np.array(clusters.to_pylist(), dtype=object)
    _, firsts = np.unique(items.indices.to_numpy(), return_index=True)
    of_items: AnyArray = rows[firsts]
    differ = np.flatnonzero(rows != of_items[items.indices.to_numpy()])
    if len(differ):
        row = int(differ[0])
        raise RatingsError(
            f"item {items[row].as_py()!r} is in two clusters, {rows[row]!r} and"
            f" {of_items[items.indices[row].as_py()]!r}."
        )
    return of_items


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
