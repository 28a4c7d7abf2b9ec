"""Read several files, or the files in a folder, as one source with pyarrow."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from warnings import catch_warnings

from fastkappa.formatting import first_of_many
from fastkappa.kernels.threads import resolve_num_threads
from fastkappa.ratings.doubtful_labels import FEWEST_IDS, MOST_SHOWN, warn
from fastkappa.ratings.interop import checked
from fastkappa.ratings.labels import first_rounded, rounded_label
from fastkappa.sources.arrow_batches import Batch, batches_of, judge_files
from fastkappa.sources.arrow_columns import in_one, text_of_bytes
from fastkappa.sources.arrow_files import (
    BATCH,
    DELIMITERS,
    SUFFIXES,
    OnProgress,
    check_columns,
    check_file,
    column_names,
    count_file,
    count_parquet,
    count_text,
    file_batches,
    format_of,
    ignore_progress,
    naming,
    naming_part,
    read_columns,
    selected,
)
from fastkappa.sources.arrow_paths import Paths, copied, remote_files, reports_of
from fastkappa.sources.source_ratings import RatingsError
from fastkappa.sources.source_table import SourceTable
from fastkappa.sources.text.text_format import PLAIN, TextFormat, n_lines, opened_text
from fastkappa.sources.text.unread_columns import displaced, judge_frame

# The formats of binary files, which do not consist of lines of text.
BINARY = ("parquet", "arrow")
READ_AHEAD = 4
# How error messages describe the values of each Arrow type.
HELD = {
    "int64": "integers",
    "double": "numbers",
    "bool": "booleans",
    "string": "strings",
    "null": "no values",
}
EVERY_BYTE = bytes(range(128, 256))
# The size in bytes up to which all columns of a Parquet, Arrow or JSON file are checked. In larger
# files, only the required columns are read.
MOST_JUDGED = 1 << 20
# Two files that are joined by id are checked for displaced rows only if each has at most this many
# bytes.
MOST_COMPARED = 1 << 24
# The number of characters to decode at a time when checking whether a file is UTF-8.
DECODED = 1 << 12


def count_files(
    table: SourceTable,
    files: Sequence[Path],
    on_progress: OnProgress = ignore_progress,
    text_format: TextFormat = PLAIN,
    num_threads: int | None = None,
) -> None:
    """Count a file, or several files in one format, as one source.

    The suffixes determine the format, and ``text_format`` describes text files. Progress is
    reported as the number of bytes read from all files.

    Raises
    ------
    RatingsError
        If a file cannot be read, a column does not exist, ratings cannot be class labels, or the
        files have different formats.
    ImportError
        If pyarrow is not installed.
    """
    threads = resolve_num_threads(num_threads)
    file_format = _format_of_all(files)
    for file in files:
        with naming(file):
            check_file(file)
    reports = reports_of(files, on_progress)
    if file_format in DELIMITERS:
        count_text(table, files, file_format, text_format, reports, threads)
        return
    if text_format != PLAIN:
        raise RatingsError(
            "sep, encoding and decimal apply only to text files, but the format of"
            f" {files[0]} is {file_format}: omit these options."
        )
    for file, report in zip(files, reports):
        _judge_file(file, table.columns.rated, table.columns.keys)
        with naming(file) if len(files) == 1 else naming_part(file):
            count_file(table, file, file_format, report, threads)
            table.check_kinds()
            if len(files) > 1:
                table.end_part(file)


def count_remote(
    table: SourceTable, source: Paths, filesystem: Any, text_format: TextFormat, num_threads: int
) -> None:
    """Count files in a pyarrow file system, as `count_files` counts local files.

    Only the required columns of Parquet files are read. Other files are first copied locally.

    Raises
    ------
    RatingsError, ImportError
        As in `count_files`.
    TypeError
        If ``filesystem`` is not a pyarrow file system.
    """
    files = remote_files(source, filesystem)
    if _format_of_all([Path(file) for file in files], are_local=False) != "parquet":
        with copied(files, filesystem) as copies:
            count_files(table, copies, text_format=text_format, num_threads=num_threads)
        return
    for name in files:
        file = Path(name)
        with naming_part(file):
            count_parquet(table, file, partial(filesystem.open_input_file, name))
            table.check_kinds()
            table.end_part(file)


def batches_of_dataset(table: SourceTable, dataset: Any) -> Iterator[Batch]:
    """Yield the columns to count from a pyarrow dataset."""
    check_columns("the dataset", table.names, dataset.schema.names)
    _check_fragments(dataset, table.names)
    batches = dataset.to_batches(
        columns=table.names, batch_size=BATCH, batch_readahead=READ_AHEAD, fragment_readahead=1
    )
    yield from batches_of(table, map(checked, batches))


def _check_fragments(dataset: Any, columns: Sequence[Any]) -> None:
    """Raise if a file of a dataset lacks a column, because pyarrow would fill it with nulls."""
    from pyarrow.dataset import get_partition_keys

    try:
        fragments = dataset.get_fragments()
    except ValueError:
        # A filtered dataset does not expose its files, so they cannot be checked.
        return
    for fragment in fragments:
        there = dict.fromkeys(fragment.physical_schema.names)
        there.update(get_partition_keys(fragment.partition_expression))
        check_columns(getattr(fragment, "path", "the dataset"), columns, list(there))


def columns_of_files(
    files: Sequence[Path],
    columns: Sequence[str],
    on_progress: OnProgress = ignore_progress,
    *,
    rated: Sequence[str] = (),
    **options: Any,
) -> dict[str, Any]:
    """Return columns of a file, or of several files in one format, as `read_columns` does.

    Warn if the labels in the columns ``rated`` differ between files. ``options`` are passed to
    `read_columns`.

    Raises
    ------
    RatingsError
        If a file cannot be read, a column does not exist or contains text that is not UTF-8, or
        there are no rows.
    """
    _format_of_all(files)
    reports = reports_of(files, on_progress)
    keys = [
        name for name in columns if name in (*options.get("text", ()), *options.get("strings", ()))
    ]
    for file in files:
        _judge_file(file, [name for name in columns if name not in keys], keys)
    parts = [read_columns(file, columns, report, **options) for file, report in zip(files, reports)]
    for file, part in zip(files, parts):
        for name, column in part.items():
            if "binary" in str(column.type):
                part[name] = text_of_bytes(column, f"{name!r} of {file}")
    whole = joined(parts, columns, files, rated)
    if not len(whole[columns[0]]):
        has = "has" if len(files) == 1 else "have"
        raise RatingsError(f"{first_of_many(list(map(str, files)), MOST_SHOWN)} {has} no rows.")
    return whole


def _judge_file(file: Path, rated: Sequence[str], keys: Sequence[str]) -> None:
    """Judge all columns of a small Parquet, Arrow or JSON file, as `judge_frame` does."""
    if format_of(file) not in (*BINARY, "json") or not 0 < file.stat().st_size <= MOST_JUDGED:
        return
    import pyarrow

    # Ignore errors here: if a required column cannot be read, reading it later raises the error.
    with suppress(ValueError), naming(file):
        there = column_names(file)
        batches = file_batches(file, format_of(file), there, ignore_progress)
        judge_frame(pyarrow.Table.from_batches(batches), there, rated, keys)


def columns_of_arrow(source: Any, columns: Sequence[Any]) -> dict[Any, Any]:
    """Return columns of a pyarrow table, batch, reader or dataset, as one array per column."""
    check_columns("the table", columns, source.schema.names)
    if hasattr(source, "get_fragments"):
        _check_fragments(source, columns)
        source = source.to_table(columns=list(columns))
    elif hasattr(source, "read_next_batch"):
        import pyarrow

        # Drop unneeded columns of a stream to save memory.
        schema = pyarrow.schema([source.schema.field(name) for name in columns])
        source = pyarrow.Table.from_batches(selected(source, columns), schema)
    return {name: in_one(source.column(name)) for name in columns}


def joined(
    parts: Sequence[dict[str, Any]],
    columns: Sequence[str],
    files: Sequence[Any] = (),
    rated: Sequence[str] = (),
) -> dict[str, Any]:
    """Concatenate the columns of several parts.

    Integers become floats if the same column has floats in another part. ``files`` are the files
    that the parts come from, for the errors. Warn if the labels in the columns ``rated`` differ
    between parts.
    """
    import pyarrow

    if len(parts) == 1:
        return parts[0]
    judge_files(files, parts, rated)
    beside = [{name: part[name] for name in columns} for part in parts]
    for name in columns:
        if any(pyarrow.types.is_floating(part[name].type) for part in beside):
            for part in beside:
                part[name] = _as_floats(part[name], name)
    whole = {}
    for name in columns:
        arrays = [part[name] for part in beside]
        tables = [pyarrow.table({name: array}) for array in arrays]
        try:
            whole[name] = pyarrow.concat_tables(tables, promote_options="permissive").column(name)
        except pyarrow.ArrowException as error:
            types = [str(getattr(array.type, "value_type", array.type)) for array in arrays]
            # In the error, name the first file with each type.
            found = dict(zip(types[::-1], files[::-1]))
            held = [f"{HELD.get(one, one)} in {file}" for one, file in reversed(found.items())]
            raise RatingsError(
                f"column {name!r} has {' and '.join(held) or error}: use the same type in all"
                " files."
            ) from error
    return whole


def _as_floats(column: Any, name: str) -> Any:
    """Return an integer column as float64, or raise if an integer would be rounded.

    Other columns are returned unchanged. pyarrow's own cast rejects all integers beyond 2**53, even
    integers that float64 represents exactly.
    """
    import pyarrow

    if not pyarrow.types.is_integer(column.type):
        return column
    numbers = column.drop_null().to_numpy()
    position = first_rounded(numbers)
    if position is not None:
        raise RatingsError(str(rounded_label(int(numbers[position]), f"column {name!r}")))
    return column.cast(pyarrow.float64(), safe=False)


def warn_of_copies(files: Sequence[Path], *, fewest_rows: int = FEWEST_IDS) -> None:
    """Warn about files that have the same content as another file.

    Files with fewer than ``fewest_rows`` rows are ignored, because they could be empty or identical
    by chance.
    """
    there = filter(Path.is_file, files)
    groups = [sorted(there, key=lambda file: (len(file.name), file))]
    # Compare the sizes of the files first and their contents second, so that few files have to be
    # read.
    for key in (os.path.getsize, _digest):
        groups = [same for group in groups for same in _with_same(group, key)]
    groups = [group for group in groups if _n_rows(group[0]) >= fewest_rows]
    copies = [f"{copy} equals {original}" for original, *others in groups for copy in others]
    if copies:
        listed = first_of_many(copies, MOST_SHOWN)
        warn(
            f"some files have the same content as other files, but all are counted: {listed}."
            " If a file is only a copy, remove it."
        )


def warn_of_displaced(
    files: Mapping[str, Path], id_column: str, used: Collection[str | None], text_format: TextFormat
) -> None:
    """Warn if files that are joined by id contain the same texts, but assigned to different ids.

    The ids are then probably row numbers of files in different orders. The keys of ``files`` are
    their names in the warning. Each small file is compared with the first file, except in the
    columns ``used``.
    """
    (name, first), *others = files.items()
    # Ignore errors here: if a file cannot be read, reading it later raises the error.
    with suppress(ValueError):
        there = [one for one in column_names(first, text_format) if one not in (id_column, *used)]
        for other_name, other in others if there else ():
            names = [one for one in column_names(other, text_format) if one in there]
            if not names or max(first.stat().st_size, other.stat().st_size) > MOST_COMPARED:
                continue
            own, theirs = (_by_id(file, id_column, names, text_format) for file in (first, other))
            shared = [one for one in own if one in theirs]
            for i, column in enumerate(names) if all(map(str.isdecimal, shared)) else ():
                found = displaced(*([rows[one][i] for one in shared] for rows in (own, theirs)))
                if found and 2 * found[1] > found[0]:
                    warn(
                        f"{name} and {other_name} have the same values in column {column!r}, but"
                        f" {found[1]} of these {found[0]} values have a different {id_column!r} in"
                        f" each file. If {id_column!r} is only a row number, join the files by"
                        f" {column!r} instead."
                    )
                    return


def _by_id(
    file: Path, id_column: str, columns: Sequence[str], text_format: TextFormat
) -> dict[str, tuple[str, ...]]:
    """Return the texts in columns of a file, by id."""
    names = [id_column, *columns]
    with catch_warnings(action="ignore"):
        arrays = read_columns(file, names, text=names, text_format=text_format)
    ids, *texts = ([*map(str, arrays[name].to_pylist())] for name in names)
    return dict(zip(ids, zip(*texts)))


def _with_same(files: Sequence[Path], key: Callable[[Path], Any]) -> list[list[Path]]:
    """Return the groups of two or more files that have the same key."""
    if len(files) < 2:
        return []
    found: dict[Any, list[Path]] = {}
    for file in files:
        found.setdefault(key(file), []).append(file)
    return [group for group in found.values() if len(group) > 1]


def _digest(file: Path) -> bytes:
    with open(file, "rb") as data:
        return hashlib.file_digest(data, "blake2b").digest()


def _n_rows(file: Path) -> int:
    """Return the number of rows in a file. In a text file, the first line is not counted."""
    if format_of(file) not in BINARY:
        return n_lines(file) - 1
    with naming(file):
        return sum(map(len, file_batches(file, format_of(file), (), ignore_progress)))


def _format_of_all(files: Sequence[Path], *, are_local: bool = True) -> str:
    """Return the format that all files have, or raise. Warn about copies among local files."""
    formats = sorted({format_of(file) for file in files})
    if len(formats) > 1:
        folder = Path(os.path.commonpath([file.parent for file in files]))
        between = "" if all(file.parent == folder for file in files) else "**/"
        names = [file.name.lower() for file in files]
        suffixes = [suffix for suffix in SUFFIXES if any(own.endswith(suffix) for own in names)]
        patterns = [repr(str(folder / f"{between}*{suffix}")) for suffix in suffixes]
        raise RatingsError(
            f"the files must all have the same format, but their formats are"
            f" {' and '.join(formats)}: count {', '.join(patterns[:-1])} and {patterns[-1]}"
            " separately, and add the counts. On the command line, save the counts of each pattern"
            " with --save, and add them with fastkappa merge."
        )
    if are_local and len(files) > 1:
        warn_of_copies(files)
    return formats[0]


def with_encoding_of(text_format: TextFormat, files: Sequence[Path]) -> TextFormat:
    """Return the format of the text files, without the given encoding if they are all UTF-8.

    An encoding with one byte per character can decode any file, so a wrong encoding raises no
    error. But text with special characters in such an encoding is rarely valid UTF-8.
    """
    encoding = text_format.encoding
    if encoding is None or len(EVERY_BYTE.decode(encoding, "replace")) < len(EVERY_BYTE):
        return text_format
    if any(not file.exists() or is_not_utf8(file) for file in files):
        return text_format
    return text_format._replace(encoding=None)


def is_not_utf8(file: Path) -> bool:
    """Return whether a file is a readable text file that is not UTF-8."""
    with suppress(OSError, RatingsError):
        if format_of(file) in DELIMITERS:
            with opened_text(file, None) as text:
                try:
                    while text.read(DECODED):
                        continue
                except UnicodeError:
                    return True
    return False
