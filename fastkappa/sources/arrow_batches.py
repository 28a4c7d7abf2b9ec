"""Split Arrow columns into batches, and count the batches in threads."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from fastkappa.kernels.threads import ItemRanges, run_in_threads
from fastkappa.ratings.doubtful_labels import warn_of_lookalikes
from fastkappa.ratings.label_order import sorted_names
from fastkappa.sources.arrow_columns import (
    are_lists,
    as_array,
    in_one,
    ratings_of,
    weights_of,
)
from fastkappa.sources.batches import add_ratings
from fastkappa.sources.source_ratings import STRINGS, RatingsError, column_of, refuse_many_groups
from fastkappa.sources.source_table import SourceTable
from fastkappa.tables import doubtful_tables

# The number of items in a slice: small enough to keep temporary arrays small, and large enough to
# spend little time in Python.
SLICE = 1 << 18
# The value in the name of a folder for missing values, by the convention of Hive.
NULL_FOLDER = "__HIVE_DEFAULT_PARTITION__"
# Some rows of a source, as a mapping from column names to Arrow arrays.
Batch = dict[Any, Any]
# A part of a source, as a function that returns its batches. One thread reads all of them.
Part = Callable[[], Iterable[Batch]]


def count_parts(table: SourceTable, parts: Sequence[Part], num_threads: int = 1) -> None:
    """Count the batches in the parts of a source. Each idle thread takes the next part.

    If there is only one part, all threads count each of its batches together.
    """
    n_before = table.n_rows
    if len(parts) <= 1 or num_threads == 1:
        for i, part in enumerate(parts):
            table.place = n_before, i
            _count_batches(table, part, num_threads)
        return

    def work(ranges: ItemRanges) -> SourceTable:
        own = table.empty_copy()
        while bounds := ranges.take(1):
            own.place = n_before, bounds[0]
            _count_batches(own, parts[bounds[0]], 1)
        return own

    for own in run_in_threads(work, len(parts), max(1, min(num_threads, len(parts)))):
        table.merge(own)


def parts_of_arrays(table: SourceTable, columns: Mapping[Any, Any], what: str = "") -> list[Part]:
    """Split arrays of any library into parts. An error about lengths contains the text ``what``."""
    import pyarrow

    arrays = {name: as_array(columns[name], name, table.codes) for name in table.names}
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise RatingsError(f"the columns have {what}different lengths: {lengths}.")
    return parts_of_rows(table, pyarrow.table([*arrays.values()], [*map(str, arrays)]))


def parts_of_rows(table: SourceTable, rows: Any) -> list[Part]:
    """Split the rows of an Arrow table or record batch into parts.

    ``rows`` must have only the columns that ``table`` counts. Integers without weights or groups
    are counted in place. For other columns, temporary arrays are needed, and slicing the rows keeps
    these arrays small.
    """
    from pyarrow.types import is_integer

    names = table.names
    is_in_place = table.columns.weight is None and table.columns.group is None
    if is_in_place and all(map(is_integer, rows.schema.types)):
        batches = rows.to_batches() if hasattr(rows, "to_batches") else [rows]
        return [lambda: (dict(zip(names, batch.columns)) for batch in batches)]

    def part(start: int) -> list[Batch]:
        return [dict(zip(names, rows.slice(start, SLICE).columns))]

    return [partial(part, start) for start in range(0, max(len(rows), 1), SLICE)]


def batches_of(table: SourceTable, record_batches: Iterable[Any]) -> Iterator[Batch]:
    """Yield the columns to count from record batches."""
    for rows in record_batches:
        for part in parts_of_rows(table, rows.select(table.names)):
            yield from part()
        del rows  # Let the next batch reuse the memory.


def folder_values(path: Path, columns: Collection[Any]) -> dict[str, str | None]:
    """Return the values that folders such as day=1 give to columns that a file lacks."""
    pairs = [part.partition("=")[::2] for part in path.parts[:-1] if "=" in part]
    found = {name: unquote(value) for name, value in pairs if name in columns}
    return {name: None if value == NULL_FOLDER else value for name, value in found.items()}


def with_values(batches: Iterable[Any], values: Mapping[str, str | None]) -> Iterator[Any]:
    """Yield record batches with additional columns of strings, each of which has a single value."""
    import pyarrow

    for rows in batches:
        for name, value in values.items():
            column = pyarrow.repeat(pyarrow.scalar(value, pyarrow.string()), len(rows))
            rows = rows.append_column(name, column)
        yield rows


def _count_batches(table: SourceTable, part: Part, num_threads: int) -> None:
    for batch in part():
        add_arrays(table, batch, num_threads)
        batch.clear()  # Let the next batch reuse the memory.


def add_arrays(table: SourceTable, arrays: Batch, num_threads: int = 1) -> None:
    """Count the items in a batch of Arrow arrays or chunked arrays."""
    columns = table.columns
    names = {columns.y1, columns.y2}
    if columns.group is not None:
        names.add(columns.group)
    rated = {axis.column: axis.has_fractions for axis in table.axes[1:]}
    read = {name: ratings_of(in_one(arrays[name]), name, rated.get(name, False)) for name in names}
    weights = None
    if columns.weight is not None:
        weights = weights_of(in_one(arrays[columns.weight]), columns.weight)
    add_ratings(
        table,
        read[columns.y1],
        read[columns.y2],
        weights=weights,
        groups=None if columns.group is None else read[columns.group],
        num_threads=num_threads,
    )


def split_by(name: str, columns: Mapping[str, Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield each group in column ``name``, in sorted order, with the rows of that group.

    Rows without a group are dropped.
    """
    from pyarrow import compute

    group = columns[name]
    groups = [value for value in group.unique().to_pylist() if value is not None and value == value]
    refuse_many_groups(len(groups), name)
    if all(isinstance(value, str) for value in groups):
        groups = sorted_names(groups)
        n_rows = {count["values"]: count["counts"] for count in group.value_counts().to_pylist()}
        counts = np.array([n_rows[value] for value in groups], np.int64)
        column = column_of(groups, STRINGS, counts=counts)
        warn_of_lookalikes({f"column {name!r}": column}, "name")
    else:
        groups.sort()
    for value in groups:
        rows = compute.equal(group, value)
        yield value, {each: column.filter(rows) for each, column in columns.items()}


def single_labels(column: Any) -> Any:
    """Replace each list with its label, or with null if it is empty.

    Return the column unchanged if it does not contain lists, or if a list has several labels.
    """
    from pyarrow import compute

    if not are_lists(column):
        return column
    lengths = compute.list_value_length(column)
    if compute.max(lengths).as_py() not in (0, 1):
        return column
    return compute.list_element(compute.if_else(compute.equal(lengths, 0), None, column), 0)


def judge_files(
    files: Sequence[Any], parts: Sequence[Mapping[str, Any]], rated: Sequence[str]
) -> None:
    """Warn if the labels in the columns ``rated`` differ between files."""
    from pyarrow.types import is_nested

    names = [name for name in rated if not any(is_nested(part[name].type) for part in parts)]
    found = []
    for file, columns in zip(files, parts):
        counts = [columns[name].drop_null().value_counts().to_pylist() for name in names]
        ratings = [{each["values"]: each["counts"] for each in own} for own in counts]
        found.append(doubtful_tables.Part(str(file), ratings))
    if names:
        doubtful_tables.judge_parts(found, names)
