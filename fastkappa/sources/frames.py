"""Count data frames and relations through narwhals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.exceptions import library_needed
from fastkappa.sources.arrow_batches import count_parts, parts_of_arrays
from fastkappa.sources.arrow_columns import of_series
from fastkappa.sources.arrow_files import check_columns, need_pyarrow
from fastkappa.sources.source_ratings import (
    LARGEST_NUMBER_OF_LABELS,
    NO_TYPE,
    AxisLabels,
    Key,
    RatingsError,
    key_of,
    no_label,
    no_weights,
    order_of,
    refuse_infinite,
    refuse_missing_weights,
    refuse_negative,
)
from fastkappa.sources.source_table import Columns, SourceTable

# The largest number of cells that an engine can return: the size of the largest table, including a
# row and a column for missing ratings.
MOST_CELLS = (LARGEST_NUMBER_OF_LABELS + 1) ** 2
INT64_MAX = (1 << 63) - 1
NO_LABELS = ("Binary", "Duration", "Time")


def count_frame(table: SourceTable, source: Any, num_threads: int) -> bool:
    """Count a frame or relation, and return True, or False if narwhals does not support it.

    Raises
    ------
    ImportError
        If narwhals or pyarrow is missing.
    """
    use = f"counting the ratings of {type(source)}"
    with library_needed(use, "narwhals", "fastkappa[frames]"):
        import narwhals

    try:
        frame = narwhals.from_native(source, pass_through=True)
    except narwhals.exceptions.DuplicateError as error:
        check_columns("the frame", table.names, list(source.columns))
        reason = " ".join(str(error).split())
        raise RatingsError(f"the frame cannot be read: {reason}.") from error
    if not isinstance(frame, (narwhals.DataFrame, narwhals.LazyFrame)):
        return False
    for name in table.names:
        if not isinstance(name, str):
            raise TypeError(f"column names must be strings, got {name!r}.")
    if isinstance(frame, narwhals.LazyFrame) or _counts_faster(frame, table.columns):
        _count_by_engine(table, frame.lazy())
    else:
        need_pyarrow("frames", "counting the ratings of a data frame")
        _count_in_memory(table, frame, num_threads)
    return True


def collect_columns(
    source: Any, names: Sequence[Any]
) -> tuple[Any, dict[Any, tuple[str, ...] | None]] | None:
    """Load columns of a frame or relation into memory, or return None for other objects.

    Also return the ordered labels of each Enum column, and None for each other column.

    Raises
    ------
    ImportError
        If narwhals is missing.
    """
    with library_needed(f"reading the ratings of {type(source)}", "narwhals", "fastkappa[frames]"):
        import narwhals

    frame = narwhals.from_native(source, pass_through=True)
    if not isinstance(frame, (narwhals.DataFrame, narwhals.LazyFrame)):
        return None
    schema = frame.collect_schema()
    check_columns("the frame", names, schema.names())
    taken = frame.select(*names)
    if isinstance(taken, narwhals.LazyFrame):
        taken = _collected(taken)
    else:
        taken = narwhals.from_native(taken.to_arrow())
    orders = {
        name: dtype.categories if isinstance(dtype := schema[name], narwhals.Enum) else None
        for name in names
    }
    return taken.to_native(), orders


def _collected(frame: Any) -> Any:
    # By default, polars would read the whole input into memory.
    return frame.collect(**{"engine": "streaming"} if frame.implementation.is_polars() else {})


def _counts_faster(frame: Any, columns: Columns) -> bool:
    """Return whether the engine of a frame counts its columns faster than the kernels do.

    Only polars is faster, and only for strings. For other types, the kernels are at least as fast
    as polars, and at least ten times as fast for numbers.
    """
    import narwhals

    return bool(frame.implementation.is_polars()) and any(
        frame.schema.get(name) == narwhals.String for name in (columns.y1, columns.y2)
    )


def _count_in_memory(table: SourceTable, frame: Any, num_threads: int) -> None:
    names = table.names
    check_columns("the frame", names, frame.columns)
    frame = frame.select(names)
    _note_orders(table, frame.schema)

    arrays = {name: of_series(frame[name], name, table.codes) for name in names}
    count_parts(table, parts_of_arrays(table, arrays), num_threads)


def _count_by_engine(table: SourceTable, frame: Any) -> None:
    """Let the engine count the items, and add the returned cells to the table."""
    import narwhals

    columns = table.columns
    schema = frame.collect_schema()
    check_columns("the frame", table.names, schema.names())
    roles = {"layer": columns.group, "first": columns.y1, "second": columns.y2}
    roles = {role: name for role, name in roles.items() if name is not None}
    for name in roles.values():
        dtype = schema[name]
        if dtype.is_nested() or str(dtype).partition("(")[0] in NO_LABELS:
            raise RatingsError(no_label(name, dtype))
    _note_orders(table, schema)
    selected = [narwhals.col(name).alias(role) for role, name in roles.items()]
    figures = [narwhals.len().alias("n")]
    if columns.weight is not None:
        selected.append(_weight(schema[columns.weight], columns.weight).alias("weight"))
        weight = narwhals.col("weight")
        figures += [
            weight.sum().alias("sum"),
            weight.count().alias("n_weights"),
            weight.min().alias("least"),
            weight.max().alias("most"),
        ]
    grouped = frame.select(*selected).group_by(*roles).agg(*figures).head(MOST_CELLS + 1)
    collected = _collected(grouped)
    if len(collected) > MOST_CELLS:
        raise RatingsError(
            f"columns {columns.y1!r} and {columns.y2!r} have more than {MOST_CELLS} different"
            " pairs of ratings, which is too many for a table. Check that both columns contain"
            " ratings."
        )
    _add_cells(table, {name: collected[name].to_list() for name in collected.columns})


def _note_orders(table: SourceTable, schema: Any) -> None:
    """Record the orders declared by polars or DuckDB Enums and by ordered categoricals."""
    import narwhals

    for axis in table.axes[1:]:
        dtype = schema[axis.column]
        if isinstance(dtype, narwhals.Enum):
            axis.note_order(order_of(_noted(axis, dtype.categories)), table.remedies)


def _weight(dtype: Any, column: Any) -> Any:
    """Return item weights in a type that can be summed."""
    import narwhals

    if dtype.is_integer() or dtype == narwhals.Boolean:
        return narwhals.col(column).cast(narwhals.Int64)
    if dtype.is_numeric():
        return narwhals.col(column).cast(narwhals.Float64)
    raise RatingsError(no_weights(column, dtype))


def _add_cells(table: SourceTable, cells: dict[str, list[Any]]) -> None:
    """Add cells to a table, given their groups, ratings, and counts or sums."""
    n = [int(count) for count in cells["n"]]
    keys = [
        _noted(axis, cells.get(role, [None] * len(n)))
        for axis, role in zip(table.axes, ("layer", "first", "second"))
    ]
    sums = None
    if "sum" in cells:
        sums = _sums(cells, n, table.columns.weight)
    table.add_cells((keys[0], keys[1], keys[2]), np.array(n, np.int64), sums)


def _noted(axis: AxisLabels, labels: Sequence[Any]) -> list[Key]:
    """Return the keys of an axis's labels, and record the types of these labels."""
    pairs = [key_of(label, axis.column, axis.has_fractions) for label in labels]
    for dtype in dict.fromkeys(dtype for _, dtype in pairs if dtype != NO_TYPE):
        axis.note(dtype)
    return [key for key, _ in pairs]


def _sums(cells: dict[str, list[Any]], n: list[int], column: Any) -> AnyArray:
    """Return the sums of weights, or raise if a weight is invalid."""
    refuse_missing_weights(sum(n) - sum(map(int, cells["n_weights"])), column)
    refuse_negative(min(cells["least"], default=0), column)
    if any(isinstance(total, float) for total in cells["sum"]):
        return refuse_infinite(np.array(cells["sum"], np.float64), column)
    # Overflow is checked here, because not every engine reports it.
    for most, count in zip(cells["most"], n):
        if int(most) * count > INT64_MAX:
            raise OverflowError(
                f"the weights in column {column!r} are as large as {most}, so their sum can"
                " overflow int64: use float weights."
            )
    return np.array([int(total) for total in cells["sum"]], np.int64)
