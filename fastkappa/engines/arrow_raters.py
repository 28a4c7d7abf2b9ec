"""The columns of several raters in a file, as they are: not every question is one of pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fastkappa.engines.arrow_columns import is_string, need_pyarrow
from fastkappa.engines.arrow_files import (
    ARROW_FILE_MAGIC,
    DELIMITERS,
    check_columns,
    format_of,
    one_error,
)
from fastkappa.engines.ratings import RatingsError

# Of more groups nobody reads.
MOST_GROUPS = 2000


def read_columns(path: Path, columns: Sequence[str]) -> dict[str, Any]:
    """Return columns of a file, each an Arrow array whose missing ratings are null or NaN.

    Parameters
    ----------
    path : Path
        A file whose format its suffix tells, one of `fastkappa.engines.arrow_files.SUFFIXES`.
    columns : sequence of str
        The columns' names.

    Returns
    -------
    arrays : dict of pyarrow.ChunkedArray

    Raises
    ------
    RatingsError
        If the file cannot be read, has no rows, or a column is not there.
    ImportError
        If pyarrow is not installed.
    """
    pyarrow = need_pyarrow("cli", "reading files")
    with one_error(path, pyarrow):
        file_format = format_of(path)
        if path.is_dir():
            raise RatingsError(f"{path} is a directory, not a file.")
        if not path.exists():
            raise RatingsError(f"there is no file {path}.")
        if path.stat().st_size == 0:
            raise RatingsError(f"{path} is empty.")
        if file_format in DELIMITERS:
            table = _read_text(path, columns, DELIMITERS[file_format])
        else:
            table = (_read_parquet if file_format == "parquet" else _read_arrow)(path, columns)
            table.validate(full=True)
    if table.num_rows == 0:
        raise RatingsError(f"{path} has no rows.")
    return {name: table.column(name) for name in columns}


def split_by(group: Any, columns: Mapping[str, Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield each group with its rows of the columns, sorted; rows without a group are in none."""
    from pyarrow import compute

    groups = [value for value in group.unique().to_pylist() if value is not None and value == value]
    if len(groups) > MOST_GROUPS:
        raise RatingsError(
            f"there are {len(groups)} groups, more than the {MOST_GROUPS} that are told of."
        )
    for value in sorted(groups):
        rows = compute.equal(group, value)
        yield value, {name: column.filter(rows) for name, column in columns.items()}


def _read_text(path: Path, columns: Sequence[str], delimiter: str) -> Any:
    from pyarrow import csv

    # A field of free text beside the ratings may well have a line break in it.
    parse_options = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    with csv.open_csv(path, parse_options=parse_options) as reader:
        check_columns(path, columns, reader.schema.names)
    convert_options = csv.ConvertOptions(
        include_columns=list(columns), strings_can_be_null=True, auto_dict_encode=True
    )
    return csv.read_csv(path, parse_options=parse_options, convert_options=convert_options)


def _read_parquet(path: Path, columns: Sequence[str]) -> Any:
    from pyarrow import parquet

    schema = parquet.read_schema(path)
    check_columns(path, columns, schema.names)
    strings = [name for name in columns if is_string(schema.field(name).type)]
    with parquet.ParquetFile(path, read_dictionary=strings) as file:
        return file.read(columns=list(columns))


def _read_arrow(path: Path, columns: Sequence[str]) -> Any:
    import pyarrow

    with pyarrow.memory_map(str(path)) as source:
        is_file = source.read(len(ARROW_FILE_MAGIC)) == ARROW_FILE_MAGIC
        open_arrow = pyarrow.ipc.open_file if is_file else pyarrow.ipc.open_stream
        source.seek(0)
        names = open_arrow(source).schema.names
        check_columns(path, columns, names)
        source.seek(0)
        options = pyarrow.ipc.IpcReadOptions(
            included_fields=sorted(names.index(name) for name in columns)
        )
        return open_arrow(source, options=options).read_all()
