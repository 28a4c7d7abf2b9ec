"""Count Dask frames and arrays on the Dask workers.

A worker counts each partition or chunk into a table. The workers also sum the tables, a few at a
time, and return only the final table. If a worker is lost, Dask repeats its tasks and discards the
results of the first attempt, so no item is counted twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastkappa.sources.arrow_batches import count_parts, parts_of_arrays
from fastkappa.sources.arrow_files import check_columns
from fastkappa.sources.frames import count_frame as count_frame_here
from fastkappa.sources.source_ratings import RatingsError
from fastkappa.sources.source_table import SourceTable

# The number of tables that one task sums.
FAN_IN = 8


def count_frame(table: SourceTable, frame: Any) -> None:
    """Count a Dask frame, partition by partition."""
    if not hasattr(frame, "to_delayed") or not hasattr(frame, "columns"):
        raise TypeError(
            "source must be a Dask frame, or a mapping of names to one-dimensional Dask arrays,"
            f" got {type(frame)}."
        )
    names = table.names
    check_columns("the frame", names, list(frame.columns))
    _count_delayed(table, _partition_counted, [(part,) for part in frame[names].to_delayed()])


def is_array(column: Any) -> bool:
    """Return whether a column is a Dask array, without importing Dask."""
    return type(column).__module__.startswith("dask.array")


def count_arrays(table: SourceTable, arrays: dict[Any, Any]) -> None:
    """Count one-dimensional Dask arrays, chunk by chunk."""
    from dask import array as dask_array

    taken = {name: dask_array.asarray(column) for name, column in arrays.items()}
    for name, array in taken.items():
        if array.ndim != 1:
            raise RatingsError(f"column {name!r} must be one-dimensional, got shape {array.shape}.")
    lengths = {name: array.shape[0] for name, array in taken.items()}
    # Unknown lengths are NaN. They are skipped here, because the lengths of the chunks are compared
    # later.
    if len({length for length in lengths.values() if length == length}) > 1:
        raise RatingsError(f"the columns have different lengths: {lengths}.")
    pairs = [part for array in taken.values() for part in (array, "i")]
    _, aligned = dask_array.core.unify_chunks(*pairs)
    chunks = zip(*(array.to_delayed().tolist() for array in aligned))
    _count_delayed(table, _chunk_counted, list(chunks))


def _count_delayed(table: SourceTable, count: Any, parts: Sequence[tuple[Any, ...]]) -> None:
    from dask import delayed

    counted = delayed(count, pure=True)
    merged = delayed(_merged, pure=True)
    empty = table.empty_copy()
    tables = [counted(empty, *part) for part in parts]
    while len(tables) > 1:
        tables = [merged(tables[i : i + FAN_IN]) for i in range(0, len(tables), FAN_IN)]
    for part in tables:
        table.merge(part.compute())


def _partition_counted(empty: SourceTable, frame: Any) -> SourceTable:
    table = empty.empty_copy()
    count_frame_here(table, frame, 1)
    return table


def _chunk_counted(empty: SourceTable, *chunks: Any) -> SourceTable:
    table = empty.empty_copy()
    count_parts(table, parts_of_arrays(table, dict(zip(table.names, chunks)), "chunks of "))
    return table


def _merged(tables: Sequence[SourceTable]) -> SourceTable:
    total = tables[0].empty_copy()
    for table in tables:
        total.merge(table)
    return total
