"""Read folders of files, and several files as one source, with pyarrow."""

from __future__ import annotations

import filecmp
import os
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import chain, groupby, repeat
from pathlib import Path
from typing import Any

from fastkappa.formatting import first_of_many
from fastkappa.kernels.threads import resolve_num_threads
from fastkappa.ratings.doubtful_labels import MOST_SHOWN, warn
from fastkappa.ratings.labels import first_rounded, rounded_label
from fastkappa.sources.arrow_batches import count_parts
from fastkappa.sources.arrow_columns import in_one, is_string
from fastkappa.sources.arrow_files import (
    DELIMITERS,
    IN_FOLDERS,
    OnProgress,
    batches_of_dataset,
    check_columns,
    check_file,
    columns_of_arrow,
    count_file,
    count_text,
    files_of,
    format_of,
    ignore_progress,
    naming,
    need_pyarrow,
    read_columns,
)
from fastkappa.sources.arrow_paths import Paths, copied, files_at, remote_files, reports_of
from fastkappa.sources.source_ratings import RatingsError
from fastkappa.sources.source_table import SourceTable
from fastkappa.sources.text.arrow_text import NO_LABELS
from fastkappa.sources.text.text_format import PLAIN, TextFormat

# pyarrow can read a whole folder of files in these formats.
OF_DATASETS = ("parquet", "arrow")
# Operating systems add such texts to the name of a copy: " (1)", " - Copy (2)" or "Kopie von ".
OF_COPIES = re.compile(
    r"^(copy of|kopie von|copie de|copia de) |[ _]\(\d+\)$"
    r"|[ _-]+\(?(\w+ )?(copy|kopie|copie|copia)\)?( ?\(?\d+\)?)?$",
    re.IGNORECASE,
)


def count_files(
    table: SourceTable,
    files: Sequence[Path],
    on_progress: OnProgress = ignore_progress,
    text_format: TextFormat = PLAIN,
    num_threads: int | None = None,
) -> None:
    """Count a file, a folder, or several files in one format, as one source.

    Formats are known from suffixes, and ``text_format`` describes text files. Progress is reported
    in bytes of all files.

    Raises
    ------
    RatingsError
        If a file cannot be read, a column does not exist, ratings cannot be class labels, or the
        files have several formats.
    ImportError
        If pyarrow is not installed.
    """
    folder, threads = files[0], resolve_num_threads(num_threads)
    with naming(folder if len(files) == 1 else folder.parent):
        if folder.is_dir():
            files = files_of(folder)
            file_format = _format_of_all(str(folder), files)
            if file_format in OF_DATASETS:
                whole = _dataset_of(folder, files, file_format, table.names)
                parts = _by_type(whole, table.names)
                count_parts(
                    table, [lambda: chain(*(batches_of_dataset(table, part) for part in parts))]
                )
                return
        else:
            file_format = _format_of_all("the files", files)
            for file in files:
                check_file(file)
        reports = [on_progress] if len(files) == 1 else reports_of(files, on_progress)
        if file_format in DELIMITERS:
            count_text(table, files, file_format, text_format, reports, threads)
            return
    for file, report in zip(files, reports):
        with naming(file):
            count_file(table, file, file_format, report, threads)


def count_remote(table: SourceTable, source: Paths, filesystem: Any, num_threads: int) -> None:
    """Count files of another pyarrow file system, as `count_files` counts local files.

    Of Parquet files, only the required columns are read. Other files are copied first.

    Raises
    ------
    RatingsError, ImportError
        As for `count_files`.
    TypeError
        If ``filesystem`` is not a pyarrow file system.
    """
    files = remote_files(source, filesystem)
    name = str(source) if isinstance(source, (str, os.PathLike)) else "the files"
    file_format = _format_of_all(name, [Path(file) for file in files], filesystem)
    if file_format != "parquet":
        with copied(files, filesystem) as copies:
            count_files(table, copies, num_threads=num_threads)
        return
    with naming(Path(name)):
        whole = _dataset_of(name, files, file_format, table.names, filesystem)
        parts = _by_type(whole, table.names)
        count_parts(table, [lambda: chain(*(batches_of_dataset(table, part) for part in parts))])


def columns_of_path(
    source: Paths,
    columns: Sequence[str],
    *,
    text: Sequence[str] = (),
    labels: Mapping[str, Collection[str]] = NO_LABELS,
) -> dict[str, Any]:
    """Return columns from a file, or from all files in a folder or list, each as one array."""
    found = columns_of_files(files_at(source), columns, text=text, labels=labels)
    whole = {name: in_one(found.pop(name)) for name in columns}
    # Return the memory of the blocks of the file to the system.
    need_pyarrow("cli", "reading files").default_memory_pool().release_unused()
    return whole


def columns_of_files(
    files: Sequence[Path],
    columns: Sequence[str],
    on_progress: OnProgress = ignore_progress,
    *,
    text: Sequence[str] = (),
    text_format: TextFormat = PLAIN,
    as_written: bool = False,
    labels: Mapping[str, Collection[str]] = NO_LABELS,
) -> dict[str, Any]:
    """Return columns from a file, a folder, or several files in one format, like `read_columns`."""
    read: Callable[..., dict[str, Any]] = partial(
        read_columns, text=text, text_format=text_format, as_written=as_written, labels=labels
    )
    if files[0].is_dir():
        return _read_folder(files[0], columns, read)
    if len(files) == 1:
        return read(files[0], columns, on_progress)
    _format_of_all("the files", files)
    reports = reports_of(files, on_progress)
    return joined([read(*each) for each in zip(files, repeat(columns), reports)], columns)


def _read_folder(
    folder: Path, columns: Sequence[str], read: Callable[..., dict[str, Any]]
) -> dict[str, Any]:
    """Return columns of all files of a folder, like `read_columns` for one file."""
    with naming(folder):
        files = files_of(folder)
        file_format = _format_of_all(str(folder), files)
        if file_format in OF_DATASETS:
            datasets = _by_type(_dataset_of(folder, files, file_format, columns), columns)
            found = joined([columns_of_arrow(part, columns) for part in datasets], columns)
        else:
            found = joined([read(file, columns) for file in files], columns)
    if not len(found[columns[0]]):
        raise RatingsError(f"{folder} has no rows.")
    return found


def joined(parts: Sequence[dict[str, Any]], columns: Sequence[str]) -> dict[str, Any]:
    """Return the concatenated columns of several parts; integers join floats as floats."""
    import pyarrow

    if len(parts) == 1:
        return parts[0]
    beside = [{name: part[name] for name in columns} for part in parts]
    for name in columns:
        if any(pyarrow.types.is_floating(part[name].type) for part in beside):
            for part in beside:
                part[name] = _as_floats(part[name], name)
    whole = pyarrow.concat_tables(map(pyarrow.table, beside), promote_options="permissive")
    return {name: whole.column(name) for name in columns}


def _as_floats(column: Any, name: str) -> Any:
    """Return an integer column as float64, or raise if an integer would be rounded.

    Other columns are returned unchanged. pyarrow's own cast rejects all integers beyond 2**53, even
    those that float64 represents exactly.
    """
    import pyarrow

    if not pyarrow.types.is_integer(column.type):
        return column
    numbers = column.drop_null().to_numpy()
    position = first_rounded(numbers)
    if position is not None:
        raise RatingsError(str(rounded_label(int(numbers[position]), f"column {name!r}")))
    return column.cast(pyarrow.float64(), safe=False)


def warn_of_copies(files: Sequence[Path]) -> None:
    """Warn of files with the content of another file and a name that is typical of a copy."""
    originals: dict[tuple[Path, str], list[Path]] = defaultdict(list)
    for file in sorted(files, key=lambda file: len(file.name)):
        stem, dot, suffixes = file.name.partition(".")
        originals[file.parent, OF_COPIES.sub("", stem) + dot + suffixes].append(file)
    copies = [
        f"{copy} of {original}"
        for original, *others in originals.values()
        for copy in others
        if filecmp.cmp(original, copy, shallow=False)
    ]
    if copies:
        listed = first_of_many(copies, MOST_SHOWN)
        warn(
            f"some files have the same content as other files, but are also counted: {listed}."
            " Remove them if they are copies."
        )


def _format_of_all(name: str, files: Sequence[Path], filesystem: Any = None) -> str:
    """Return the common format of the files of a source, and warn of local copies."""
    formats = sorted({format_of(file) for file in files})
    if not formats:
        raise RatingsError(f"{name} has no file with one of the suffixes {', '.join(IN_FOLDERS)}.")
    if len(formats) > 1:
        raise RatingsError(
            f"{name} must be files in one format, but are {' and '.join(formats)}: count the files"
            " of each format by a pattern such as 'folder/*.csv', and add their counts."
        )
    if len(files) > 1 and filesystem is None:
        warn_of_copies(files)
    return formats[0]


def _dataset_of(
    folder: str | Path,
    files: Sequence[str | Path],
    file_format: str,
    columns: Sequence[Any],
    filesystem: Any = None,
) -> Any:
    """Return a pyarrow dataset of files; strings in Parquet files are dictionaries."""
    from pyarrow import dataset

    dataset_of = partial(
        dataset.dataset,
        [str(file) for file in files],
        partitioning="hive",
        partition_base_dir=str(folder),
        filesystem=filesystem,
    )
    whole = dataset_of(format=file_format)
    check_columns(folder, columns, whole.schema.names)
    if file_format == "parquet":
        strings = [name for name in columns if is_string(whole.schema.field(name).type)]
        options = dataset.ParquetReadOptions(dictionary_columns=strings)
        whole = dataset_of(format=dataset.ParquetFileFormat(read_options=options))
    return whole


def _by_type(whole: Any, columns: Sequence[Any]) -> list[Any]:
    """Split a dataset into parts in which each column has the same type in all files.

    A dataset casts all files to the types of the first, which turns floats beyond 2**53 into
    integers without an error.
    """
    from pyarrow import dataset

    def with_own_types(fragment: Any) -> Any:
        schema, own = whole.schema, fragment.physical_schema
        for name in set(columns).intersection(own.names):
            field = schema.field(name).with_type(own.field(name).type)
            schema = schema.set(schema.get_field_index(name), field)
        return schema

    return [
        dataset.FileSystemDataset(list(some), schema, whole.format, filesystem=whole.filesystem)
        for schema, some in groupby(whole.get_fragments(), with_own_types)
    ]
