"""Files, folders of files, datasets and streams, read by pyarrow a batch at a time."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from fastkappa.engines.arrow_columns import add_table, is_text, need_pyarrow
from fastkappa.engines.arrow_text import TextTable
from fastkappa.engines.ratings import RatingsError
from fastkappa.engines.running_table import RunningTable

SUFFIXES = {
    ".csv": "csv",
    ".csv.gz": "csv",
    ".tsv": "tsv",
    ".tsv.gz": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
DELIMITERS = {"csv": ",", "tsv": "\t"}
ARROW_FILE_MAGIC = b"ARROW1"
COLUMNS_TOLD = 20
# Rows of a batch, and batches read ahead of the count.
BATCH = 1 << 18
READ_AHEAD = 4

OnProgress = Callable[[int], None]


def ignore_progress(n_bytes: int) -> None:
    """Take note that so many bytes of a file have been read."""


def count_path(tally: RunningTable, path: Path, on_progress: OnProgress = ignore_progress) -> None:
    """Count a file, or all files of a folder, whose format the suffix tells.

    Raises
    ------
    RatingsError
        If it cannot be read, a column is not there, or ratings are no class labels.
    ImportError
        If pyarrow is not installed.
    """
    pyarrow = need_pyarrow("cli", "reading files")
    with one_error(path, pyarrow):
        if path.is_dir():
            _count_folder(tally, path)
            return
        file_format = format_of(path)
        if not path.exists():
            raise RatingsError(f"there is no file {path}.")
        if path.stat().st_size == 0:
            raise RatingsError(f"{path} is empty.")
        if file_format in DELIMITERS:
            _count_text(tally, [path], DELIMITERS[file_format], on_progress)
        else:
            read = parquet_batches if file_format == "parquet" else arrow_batches
            for batch in read(path, tally.columns.distinct(), on_progress):
                add_table(tally, batch, 1)
                del batch  # here and below: the next one is read into its memory


def count_dataset(tally: RunningTable, dataset: Any) -> None:
    """Count a dataset of pyarrow's."""
    columns = tally.columns.distinct()
    check_columns("the dataset", columns, dataset.schema.names)
    batches = dataset.to_batches(
        columns=columns, batch_size=BATCH, batch_readahead=READ_AHEAD, fragment_readahead=1
    )
    for batch in batches:
        add_table(tally, batch, 1)


def count_stream(tally: RunningTable, batches: Iterable[Any], names: Sequence[str]) -> None:
    """Count what a reader of record batches gives."""
    check_columns("the stream", tally.columns.distinct(), names)
    for batch in batches:
        add_table(tally, batch, 1)


def format_of(path: Path) -> str:
    """Return the format that a file's suffix tells."""
    name = path.name.lower()
    for suffix, file_format in SUFFIXES.items():
        if name.endswith(suffix):
            return file_format
    raise RatingsError(
        f"the format of {path} is not known by its suffix {path.suffix!r}; those known are"
        f" {', '.join(SUFFIXES)}."
    )


def check_columns(source: Any, wanted: Sequence[Any], there: Sequence[Any]) -> None:
    """Raise if a column is not there, or is there more than once."""
    for name in wanted:
        if list(there).count(name) > 1:
            raise RatingsError(f"{source} has {list(there).count(name)} columns named {name!r}.")
        if name in there:
            continue
        by_lower_case = {str(column).lower(): column for column in reversed(there)}
        nearest = difflib.get_close_matches(str(name).lower(), by_lower_case, n=1)
        hint = f" Did you mean {by_lower_case[nearest[0]]!r}?" if nearest else ""
        told = ", ".join(map(repr, there[:COLUMNS_TOLD]))
        more = len(there) - COLUMNS_TOLD
        rest = f" and {more} more" if more > 0 else ""
        raise RatingsError(f"{source} has no column {name!r}; it has {told}{rest}.{hint}")


def _count_folder(tally: RunningTable, folder: Path) -> None:
    """Count all files of a folder, at whatever depth; 'name=value' folders are a column."""
    from pyarrow import dataset

    files = [
        file
        for file in sorted(folder.rglob("*"))
        if file.is_file()
        and file.name.lower().endswith(tuple(SUFFIXES))
        # Spark and others write their notes beside the data under such names.
        and not file.name.startswith((".", "_"))
    ]
    formats = sorted({format_of(file) for file in files})
    if len(formats) != 1:
        there = f"files of the formats {' and '.join(formats)}" if formats else "no file"
        raise RatingsError(
            f"{folder} has {there}; a folder is read if all its files are of one format known"
            f" by suffix: {', '.join(SUFFIXES)}."
        )
    if formats[0] in DELIMITERS:
        _count_text(tally, files, DELIMITERS[formats[0]], ignore_progress)
        return
    opened = partial(
        dataset.dataset,
        [str(file) for file in files],
        partitioning="hive",
        partition_base_dir=str(folder),
    )
    whole = opened(format="ipc" if formats[0] == "arrow" else "parquet")
    check_columns(folder, tally.columns.distinct(), whole.schema.names)
    if formats[0] == "parquet":
        strings = [
            name for name in tally.columns.distinct() if is_text(whole.schema.field(name).type)
        ]
        options = dataset.ParquetReadOptions(dictionary_columns=strings)
        whole = opened(format=dataset.ParquetFileFormat(read_options=options))
    count_dataset(tally, whole)


def _count_text(
    tally: RunningTable, files: Sequence[Path], delimiter: str, on_progress: OnProgress
) -> None:
    texts = TextTable(tally)
    for file in files:
        check = partial(check_columns, file, tally.columns.distinct())
        texts.add(file, delimiter, check, on_progress)
    texts.add_to(tally)


def parquet_batches(path: Path, columns: Sequence[str], on_progress: OnProgress) -> Iterator[Any]:
    """Yield columns of a Parquet file a batch at a time, strings as dictionaries."""
    from pyarrow import parquet

    schema = parquet.read_schema(path)
    check_columns(path, columns, schema.names)
    strings = [name for name in columns if is_text(schema.field(name).type)]
    size, n_read = path.stat().st_size, 0
    with parquet.ParquetFile(path, read_dictionary=strings) as file:
        n_rows = file.metadata.num_rows
        for batch in file.iter_batches(BATCH, columns=list(columns)):
            n_read += len(batch)
            yield batch
            del batch
            on_progress(size * n_read // max(n_rows, 1))


def arrow_batches(path: Path, columns: Sequence[str], on_progress: OnProgress) -> Iterator[Any]:
    """Yield columns of an Arrow file or stream a batch at a time."""
    import pyarrow

    with pyarrow.OSFile(str(path)) as source:
        is_file = source.read(len(ARROW_FILE_MAGIC)) == ARROW_FILE_MAGIC
        open_arrow = pyarrow.ipc.open_file if is_file else pyarrow.ipc.open_stream
        source.seek(0)
        names = open_arrow(source).schema.names
        check_columns(path, columns, names)
        source.seek(0)
        options = pyarrow.ipc.IpcReadOptions(
            included_fields=sorted(names.index(name) for name in columns)
        )
        reader = open_arrow(source, options=options)
        size, n_batches = path.stat().st_size, 0 if not is_file else reader.num_record_batches
        batches = (reader.get_batch(i) for i in range(n_batches)) if is_file else reader
        for i, batch in enumerate(batches):
            # Such a file is taken at its word: text that is not UTF-8, or a code without a
            # rating, shows here only.
            batch.validate(full=True)
            yield batch
            on_progress(size * (i + 1) // n_batches if is_file else source.tell())


@contextmanager
def one_error(path: Path, pyarrow: Any) -> Iterator[None]:
    """Turn whatever goes wrong while a file is read into an error that names the file."""
    try:
        yield
    except RatingsError:
        raise
    except UnicodeDecodeError as error:
        raise RatingsError(f"{path} cannot be read: it is not UTF-8 text ({error}).") from error
    except (OSError, pyarrow.ArrowException, IndexError, KeyError) as error:
        # The last two come from metadata of a Parquet file that contradict each other.
        reason = " ".join(str(error).split()).rstrip(".")
        raise RatingsError(f"{path} cannot be read: {reason}.") from error
