"""Read files, datasets and streams with pyarrow, batch by batch."""

from __future__ import annotations

import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from fastkappa.choices import did_you_mean
from fastkappa.exceptions import library_needed
from fastkappa.formatting import first_of_many
from fastkappa.ratings.interop import checked
from fastkappa.ratings.label_order import have_equal_numbers
from fastkappa.sources.arrow_batches import (
    Batch,
    batches_of,
    count_parts,
    folder_values,
    with_values,
)
from fastkappa.sources.arrow_columns import is_string
from fastkappa.sources.arrow_json import json_batches, json_names
from fastkappa.sources.source_ratings import RatingsError
from fastkappa.sources.source_table import SourceTable
from fastkappa.sources.text.arrow_text import NO_LABELS, read_text, text_file
from fastkappa.sources.text.no_text import advice_on
from fastkappa.sources.text.odd_lines import warn_of_odd_lines
from fastkappa.sources.text.text_format import DELIMITERS_TRIED, PLAIN, TextFile, TextFormat
from fastkappa.sources.text.text_table import TextTable

SUFFIXES = {
    ".csv": "csv",
    ".csv.gz": "csv",
    ".tsv": "tsv",
    ".tsv.gz": "tsv",
    ".txt": "txt",
    ".txt.gz": "txt",
    ".jsonl": "json",
    ".jsonl.gz": "json",
    ".ndjson": "json",
    ".ndjson.gz": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
# The delimiters of text files, by format. The delimiter of .txt files is inferred from the first
# line.
DELIMITERS = {"csv": ",", "tsv": "\t", "txt": ""}
ARROW_FILE_MAGIC = b"ARROW1"
COLUMNS_LISTED = 20
# If a file has one column, and the name of this column contains one of these characters, then the
# file was read with the wrong separator.
SEPARATORS = DELIMITERS_TRIED.strip(" ")
READ_PARTITIONS = (
    " To use the names of folders as a column, convert text files to Parquet, or in Python, give"
    " pyarrow.dataset.dataset(folder, format=..., partitioning='hive')."
)
# The number of rows per batch.
BATCH = 1 << 18

# A function that is called repeatedly with the number of bytes read so far.
OnProgress = Callable[[int], None]


def ignore_progress(n_bytes: int) -> None:
    """Do nothing; this is the default progress callback."""


def need_pyarrow(extra: str, use: str) -> Any:
    """Return pyarrow, or raise an error that names the extra to install."""
    with library_needed(use, "pyarrow", f"fastkappa[{extra}]"):
        import pyarrow
    return pyarrow


def read_columns(
    path: Path,
    columns: Sequence[str],
    on_progress: OnProgress = ignore_progress,
    *,
    text: Sequence[str] = (),
    strings: Sequence[str] = (),
    text_format: TextFormat = PLAIN,
    as_written: bool = False,
    labels: Mapping[str, Collection[str]] = NO_LABELS,
) -> dict[str, Any]:
    """Return columns of a file as Arrow arrays. Missing ratings are null or NaN.

    Parameters
    ----------
    path : Path
        A file whose suffix is one of `SUFFIXES`.
    columns : sequence of str
        The names of the columns.
    on_progress : callable
        Called repeatedly with the number of bytes read so far.
    text : sequence of str
        Columns of a text file to read as text, so that "01" differs from "1".
    strings : sequence of str
        Text columns in which most values differ. These columns are never dictionary-encoded. In
        Parquet files, they can contain text that is not UTF-8.
    text_format : TextFormat, optional
        The format of a text file that is not UTF-8 or whose suffix does not imply the delimiter.
    as_written : bool, default=False
        Whether all strings in the columns ``text`` count as values, even "NA".
    labels : dict of collections of str
        For each column of a text file, strings such as "NA" that do not count as missing.

    Returns
    -------
    arrays : dict of pyarrow.ChunkedArray

    Raises
    ------
    RatingsError
        If the file cannot be read, or a column does not exist.
    ImportError
        If pyarrow is not installed.
    """
    with opened(path) as file_format:
        if file_format in DELIMITERS:
            check = partial(check_columns, path, columns)
            file = text_file(path, DELIMITERS[file_format], text_format, check)
            codes = [name for name in labels if have_equal_numbers(labels[name])]
            warn_of_odd_lines(file, columns, [*text, *strings])
            names = [*text, *codes]
            table = read_text(file, columns, on_progress, names, strings, not as_written, labels)
        else:
            import pyarrow

            batches = list(file_batches(path, file_format, columns, on_progress, strings))
            # Use one table per batch, because schemas can differ. An empty file has no batches.
            tables = [pyarrow.Table.from_batches([batch]) for batch in batches]
            tables = tables or [pyarrow.table({})]
            table = pyarrow.concat_tables(tables, promote_options="permissive")
            # Strings that are only compared need not be valid UTF-8, so they are not checked.
            for name in set(table.column_names) - set(strings):
                table.column(name).validate(full=True)
    return {name: table.column(name) for name in columns}


def column_names(path: Path, text_format: TextFormat = PLAIN) -> list[str]:
    """Return the names of a file's columns. Raise the same errors as `read_columns`."""
    with opened(path) as file_format:
        if file_format in DELIMITERS:
            return text_file(path, DELIMITERS[file_format], text_format).names
        if file_format == "json":
            return json_names(path)
        import pyarrow
        from pyarrow import parquet

        if file_format == "parquet":
            return list(parquet.read_schema(path).names)
        with pyarrow.OSFile(str(path)) as source:
            return list(_arrow_reader(source).schema.names)


@contextmanager
def opened(path: Path) -> Iterator[str]:
    """Check a file and yield its format. Errors raised in the ``with`` block name the file.

    Raises
    ------
    RatingsError
        If the file cannot be read.
    ImportError
        If pyarrow is not installed.
    """
    with naming(path):
        file_format = format_of(path)
        check_file(path)
        yield file_format


def check_file(path: Path) -> None:
    """Raise if a file does not exist, is empty, or is a directory."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise RatingsError(f"there is no file {path}.") from None
    if stat.S_ISDIR(status.st_mode):
        raise RatingsError(f"{path} is a directory, not a file.")
    if status.st_size == 0:
        raise RatingsError(f"{path} is empty.")


def batches_of_stream(table: SourceTable, stream: Any, names: Sequence[str]) -> Iterator[Batch]:
    """Yield the columns to count from a record batch reader."""
    check_columns("the stream", table.names, names)
    yield from batches_of(table, map(checked, selected(stream, table.names)))


def selected(stream: Iterable[Any], columns: Sequence[Any]) -> Iterator[Any]:
    """Yield the given columns of record batches, whose schemas can differ."""
    for batch in stream:
        check_columns("a record batch", columns, batch.schema.names)
        yield batch.select(list(columns))


def format_of(path: Path) -> str:
    """Return the format of a file, according to its suffix."""
    name = path.name.lower()
    for suffix, file_format in SUFFIXES.items():
        if name.endswith(suffix):
            return file_format
    if not path.exists():
        raise RatingsError(f"there is no file or folder {path}.")
    if path.is_dir():
        raise RatingsError(f"{path} is a directory, not a file.")
    raise RatingsError(
        f"the suffix {path.suffix!r} of {path} is unknown; the known suffixes are"
        f" {', '.join(SUFFIXES)}.{advice_on(path)}"
    )


def check_columns(source: Any, wanted: Sequence[Any], there: Sequence[Any]) -> None:
    """Raise if a column does not exist or exists more than once."""
    for name in wanted:
        if list(there).count(name) > 1:
            times = list(there).count(name)
            raise RatingsError(f"{source} has {times} columns named {name!r}: rename all but one.")
        if name in there:
            continue
        listed = first_of_many(list(map(repr, there)), COLUMNS_LISTED)
        found = [sign for sign in SEPARATORS if len(there) == 1 and sign in str(there[0])]
        hint = f" Use sep={found[0]!r} to split it." if found else did_you_mean(name, there)
        if any(part.startswith(f"{name}=") for part in Path(str(source)).parts):
            hint = READ_PARTITIONS
        raise RatingsError(f"{source} has no column {name!r}; it has {listed}.{hint}")


def count_text(
    table: SourceTable,
    paths: Sequence[Path],
    file_format: str,
    text_format: TextFormat,
    reports: Sequence[OnProgress],
    num_threads: int,
) -> None:
    """Count text files. The type chosen for a column can represent its ratings in all files."""
    opened: list[TextFile] = []
    if table.wanted is not None:
        table.wanted.decimal = text_format.decimal
    texts = TextTable(table, has_files=len(paths) > 1)
    name = naming if len(paths) == 1 else naming_part
    for path in paths:
        # All files use the delimiter of the first file.
        delimiter = opened[0].delimiter if opened else DELIMITERS[file_format]
        check = partial(check_columns, path, table.names)
        with name(path):
            opened.append(text_file(path, delimiter, text_format, check))
            first_rows = warn_of_odd_lines(opened[-1], table.names, table.columns.keys)
            texts.add_first_rows(first_rows)
    with_reports = list(zip(opened, reports))
    if not all(texts.add_lines(*each, num_threads) for each in with_reports):
        texts = TextTable(table, has_files=len(paths) > 1)
        for file, report in with_reports:
            with name(file.path):
                texts.add(file, report)
    texts.add_to(table)


def count_file(
    table: SourceTable, path: Path, file_format: str, on_progress: OnProgress, num_threads: int
) -> None:
    """Count a Parquet, Arrow or JSON Lines file."""
    if file_format == "parquet":
        import pyarrow

        opener = partial(pyarrow.OSFile, str(path))
        count_parquet(table, path, opener, on_progress, num_threads)
    else:
        batches = file_batches(path, file_format, table.names, on_progress)
        count_parts(table, [lambda: batches_of(table, batches)])


def count_parquet(
    table: SourceTable,
    path: Path,
    opener: Callable[[], Any],
    on_progress: OnProgress = ignore_progress,
    num_threads: int = 1,
) -> None:
    """Count the Parquet file that ``opener`` opens. Each idle thread takes the next row group."""
    from pyarrow import parquet

    with opener() as source:
        metadata, n_bytes = parquet.read_metadata(source), source.size()
    there = metadata.schema.to_arrow_schema().names
    lacking = {*table.names}.difference(there)
    values = folder_values(path, lacking) if lacking else {}
    names = [name for name in table.names if name not in values] if values else table.names
    check_columns(path, names, there)
    n_read = 0
    use_threads = metadata.num_row_groups == 1 and metadata.num_rows > BATCH

    def row_group(i: int) -> Iterator[Batch]:
        nonlocal n_read
        with _opened_parquet(path, opener, names, metadata=metadata) as file:
            rows = {"row_groups": [i], "columns": names, "use_threads": use_threads}
            for batch in file.iter_batches(BATCH, **rows):
                n_read += len(batch)
                on_progress(n_bytes * n_read // metadata.num_rows)
                yield from batches_of(table, with_values([batch], values) if values else [batch])
                del batch

    count_parts(table, [partial(row_group, i) for i in range(metadata.num_row_groups)], num_threads)


def file_batches(
    path: Path,
    file_format: str,
    columns: Sequence[str],
    on_progress: OnProgress,
    as_strings: Sequence[str] = (),
) -> Iterator[Any]:
    """Iterate over batches of columns from a Parquet, Arrow or JSON Lines file."""
    lacking = {*columns}.difference(column_names(path)) if folder_values(path, columns) else ()
    if values := folder_values(path, lacking):
        own = [name for name in columns if name not in values]
        return with_values(file_batches(path, file_format, own, on_progress, as_strings), values)
    if file_format == "parquet":
        return _parquet_batches(path, columns, on_progress, as_strings)
    if file_format == "json":
        return json_batches(path, columns, on_progress, partial(check_columns, path, columns))
    return _arrow_batches(path, columns, on_progress)


@contextmanager
def _opened_parquet(
    path: Path,
    opener: Callable[[], Any],
    columns: Sequence[str],
    as_strings: Sequence[str] = (),
    metadata: Any = None,
) -> Iterator[Any]:
    """Open a Parquet file, and check that it has the given columns.

    String columns are dictionary-encoded, except those in ``as_strings``.
    """
    from pyarrow import parquet

    with opener() as source:
        metadata = metadata or parquet.read_metadata(source)
        schema = metadata.schema.to_arrow_schema()
        check_columns(path, columns, schema.names)
        # Only string columns are encoded. Columns that are dictionaries already keep the order of
        # their values.
        coded = [name for name in columns if name not in as_strings]
        strings = [name for name in coded if is_string(schema.field(name).type)]
        yield parquet.ParquetFile(source, metadata=metadata, read_dictionary=strings)


def _parquet_batches(
    path: Path, columns: Sequence[str], on_progress: OnProgress, as_strings: Sequence[str]
) -> Iterator[Any]:
    """Yield columns of a Parquet file in batches.

    String columns are dictionary-encoded, except those in ``as_strings``.
    """
    import pyarrow

    with _opened_parquet(path, partial(pyarrow.OSFile, str(path)), columns, as_strings) as file:
        # Starting threads takes longer than reading a small file.
        use_threads = file.metadata.num_rows > BATCH
        yield from file.read(list(columns), use_threads=use_threads).to_batches()
    on_progress(path.stat().st_size)


def _arrow_batches(path: Path, columns: Sequence[str], on_progress: OnProgress) -> Iterator[Any]:
    """Yield columns of an Arrow file or stream in batches."""
    import pyarrow

    with pyarrow.OSFile(str(path)) as source:
        names = _arrow_reader(source).schema.names
        check_columns(path, columns, names)
        included = sorted(names.index(name) for name in columns)
        reader = _arrow_reader(source, included_fields=included)
        size, n_batches = source.size(), getattr(reader, "num_record_batches", None)
        batches = reader if n_batches is None else map(reader.get_batch, range(n_batches))
        for i, batch in enumerate(batches, 1):
            on_progress(source.tell() if n_batches is None else size * i // n_batches)
            # Arrow does not validate batches by default, and only full validation detects invalid
            # UTF-8 and out-of-range dictionary codes.
            batch.validate(full=True)
            yield batch


def _arrow_reader(source: Any, **options: Any) -> Any:
    """Return a reader for an Arrow file or an Arrow stream, depending on the first bytes."""
    from pyarrow import ipc

    source.seek(0)
    is_file = source.read(len(ARROW_FILE_MAGIC)) == ARROW_FILE_MAGIC
    source.seek(0)
    open_arrow = ipc.open_file if is_file else ipc.open_stream
    return open_arrow(source, options=ipc.IpcReadOptions(**options))


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Convert an error raised while reading a file into an error that names the file."""
    pyarrow = need_pyarrow("cli", "reading files")
    try:
        yield
    except RatingsError:
        raise
    except UnicodeDecodeError as error:
        raise RatingsError(f"{path} cannot be read: it is not UTF-8 text ({error}).") from error
    except (OSError, pyarrow.ArrowException, IndexError, KeyError) as error:
        # pyarrow raises IndexError or KeyError if the metadata of a Parquet file is inconsistent.
        reason = " ".join(str(error).split()).rstrip(".")
        if "UTF8" in reason:
            reason = f"it is not UTF-8 text ({reason})"
        raise RatingsError(f"{path} cannot be read: {reason}.") from error


@contextmanager
def naming_part(path: Path) -> Iterator[None]:
    """Name the file, one of several, in all errors raised while it is read or counted."""
    try:
        with naming(path):
            yield
    except ValueError as error:
        if str(path) in str(error):
            raise
        raise RatingsError(f"{path}: {error}") from error
