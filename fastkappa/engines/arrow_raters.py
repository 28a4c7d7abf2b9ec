"""The columns of several raters in a file, as they are: not every question is one of pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from fastkappa.engines.arrow_columns import need_pyarrow
from fastkappa.engines.arrow_files import (
    DELIMITERS,
    OnProgress,
    arrow_batches,
    check_columns,
    format_of,
    ignore_progress,
    one_error,
    parquet_batches,
)
from fastkappa.engines.ratings import RatingsError

# Of more groups nobody reads.
MOST_GROUPS = 2000


def read_columns(
    path: Path, columns: Sequence[str], on_progress: OnProgress = ignore_progress
) -> dict[str, Any]:
    """Return columns of a file, each an Arrow array whose missing ratings are null or NaN.

    Parameters
    ----------
    path : Path
        A file whose format its suffix tells, one of `fastkappa.engines.arrow_files.SUFFIXES`.
    columns : sequence of str
        The columns' names.
    on_progress : callable
        Called every now and then with the number of bytes read so far.

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
            table = _read_text(path, columns, DELIMITERS[file_format], on_progress)
        else:
            read = parquet_batches if file_format == "parquet" else arrow_batches
            batches = list(read(path, columns, on_progress))
            # Without rows a file has no batch either.
            table = pyarrow.Table.from_batches(batches) if batches else pyarrow.table({})
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


def _read_text(path: Path, columns: Sequence[str], delimiter: str, on_progress: OnProgress) -> Any:
    import pyarrow
    from pyarrow import csv

    # A field of free text beside the ratings may well have a line break in it.
    parse_options = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    with csv.open_csv(path, parse_options=parse_options) as reader:
        check_columns(path, columns, reader.schema.names)
    convert_options = csv.ConvertOptions(
        include_columns=list(columns), strings_can_be_null=True, auto_dict_encode=True
    )
    with open(path, "rb") as file:
        source = pyarrow.PythonFile(_ToldFile(file, on_progress), mode="r")
        if path.name.lower().endswith(".gz"):
            source = pyarrow.CompressedInputStream(source, "gzip")
        return csv.read_csv(source, parse_options=parse_options, convert_options=convert_options)


class _ToldFile:
    """A file whose reading is told of."""

    def __init__(self, file: BinaryIO, on_progress: OnProgress) -> None:
        self._file, self._on_progress = file, on_progress

    @property
    def closed(self) -> bool:
        return self._file.closed

    def close(self) -> None:
        self._file.close()

    def read(self, n_bytes: int = -1) -> bytes:
        taken = self._file.read(n_bytes)
        self._on_progress(self._file.tell())
        return taken
