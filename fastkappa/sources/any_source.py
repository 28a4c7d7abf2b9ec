"""Count the ratings in a source of any kind, or read its columns into memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypedDict, Unpack, overload

from fastkappa.kernels.threads import resolve_num_threads
from fastkappa.ratings.interop import checked
from fastkappa.ratings.missing import check_is_list, refuse_codes_among
from fastkappa.sources import arrow_files, arrow_folders, dask_chunks, frames
from fastkappa.sources.arrow_batches import Part, count_parts, parts_of_arrays, parts_of_rows
from fastkappa.sources.arrow_columns import in_one, with_order
from fastkappa.sources.arrow_files import (
    check_columns,
    ignore_progress,
    need_pyarrow,
)
from fastkappa.sources.arrow_folders import columns_of_arrow
from fastkappa.sources.arrow_paths import Paths, are_paths, files_at, with_total
from fastkappa.sources.source_counts import SourceCounts, check_labels, finish, finish_groups
from fastkappa.sources.source_ratings import RatingsError, WantedLabels, key_of
from fastkappa.sources.source_table import Columns, SourceTable
from fastkappa.sources.text.arrow_text import NO_LABELS
from fastkappa.sources.text.text_format import TextFormat, text_format_of
from fastkappa.sources.text.unread_columns import judge_frame


class Options(TypedDict, total=False):
    """The types of the keyword arguments of `confusion_from_source`, except ``group``."""

    labels: Any
    missing_codes: Sequence[Any]
    sample_weight: Any
    num_threads: int | None
    filesystem: Any
    sep: str | None
    encoding: str | None
    decimal: str
    on_progress: Callable[[int, int], object] | None


@overload
def confusion_from_source(
    source: Any, y1: Any, y2: Any, *, group: None = None, **options: Unpack[Options]
) -> SourceCounts: ...


@overload
def confusion_from_source(
    source: Any, y1: Any, y2: Any, *, group: Any, **options: Unpack[Options]
) -> dict[Any, SourceCounts]: ...


def confusion_from_source(
    source: Any,
    y1: Any,
    y2: Any,
    *,
    labels: Any = None,
    missing_codes: Sequence[Any] = (),
    group: Any = None,
    sample_weight: Any = None,
    num_threads: int | None = None,
    filesystem: Any = None,
    sep: str | None = None,
    encoding: str | None = None,
    decimal: str = ".",
    on_progress: Callable[[int, int], object] | None = None,
) -> SourceCounts | dict[Any, SourceCounts]:
    """Count how often each pair of labels occurs in two columns of a data source.

    If the source has its own query engine, that engine counts the items, and only the counts are
    transferred.

    Parameters
    ----------
    source : path, data frame, table, dataset, relation or mapping
        - the path to a CSV, TSV, .txt, .jsonl, Parquet or Arrow file, or to a folder of such files;
          a pattern such as ``"part-*.csv"``; or a list of these. Files are read in batches. Except
          in text files, folder names such as ``day=1`` add a column of strings, ``day``;
        - a pyarrow ``Table``, ``RecordBatch``, ``RecordBatchReader`` or ``Dataset``, or any
          other object that exports an Arrow stream; a list or an iterator of record batches;
        - a pandas or polars frame, or any other frame that narwhals supports;
        - a polars ``LazyFrame``, a DuckDB relation or a PySpark frame. The engine of the source
          counts the items and returns only the cells of the table;
        - a Dask frame, whose partitions are counted on the Dask workers;
        - a mapping from names to arrays. If these are Dask arrays, their chunks are counted on the
          Dask workers;
        - a list of dictionaries, one per row, as in JSON.
    y1, y2 : str
        The names of the columns that contain the first and second raters' ratings. ``y1`` and
        ``y2`` can name the same column. Ratings can be whole numbers, booleans, strings, dates or
        times.
    labels : array-like of shape (l,), default=None
        The labels of the table, in order. If ``labels`` is None and a column declares the order of
        its labels, the table contains all declared labels, in that order. Ordered categoricals,
        polars and DuckDB Enums, ordered Arrow dictionaries, and Python enums declare an order. If
        no order is declared, the labels that occur are sorted. Strings are sorted by value if all
        of them are numbers, and alphabetically otherwise. If some ratings are not in ``labels``, a
        warning lists any strings in ``labels`` that do not occur in the data.
    missing_codes : sequence, default=()
        Values that represent a missing rating, such as ``["x", -9]``.
    group : str, default=None
        The name of the column that contains the group of each item. Items are counted separately
        for each group.
    sample_weight : str, default=None
        The name of the column that contains the weight of each item. If given, the table contains
        sums of weights instead of counts. Sums of integer weights are exact, and sums of float
        weights are float64.
    num_threads : int, default=None
        The maximum number of threads in this process. If None, the number is limited only by
        ``OMP_NUM_THREADS``, the number of cores and the CPU quota. Query engines and compute
        clusters use their own settings.
    filesystem : pyarrow.fs.FileSystem, default=None
        The file system that contains the files, such as ``pyarrow.fs.S3FileSystem()``. Files in
        formats other than Parquet are first copied to a temporary folder.
    sep : str, default=None
        The separator between the fields of text files, such as ``";"``, ``"tab"`` or ``"space"``.
        If None, the separator is inferred from the file name's suffix and the first line of the
        file.
    encoding : str, default=None
        The encoding of text files, such as ``"utf-16"`` or ``"cp1252"``. If None, UTF-8 is assumed.
    decimal : str, default='.'
        The character that is used as the decimal point in text files.
    on_progress : callable, default=None
        A function that is called repeatedly with the number of bytes read so far and the total
        number of bytes. It is supported only for local files.

    Returns
    -------
    counts : SourceCounts or dict of SourceCounts
        A named tuple ``(table, labels, n_outside, n_rows, missing, n_dropped)``. Items with a
        missing rating are not in the table. ``missing`` holds the number of missing ratings for
        each rater, and ``n_dropped`` is the number of items with a missing rating. If ``group`` is
        given, ``counts`` is a dictionary that maps each group to such a tuple. The groups are
        sorted, and their tables have the same labels. Items without a group are counted under the
        key None.

    Raises
    ------
    ValueError
        If a column does not exist, contains values that cannot be class labels, or has more than
        2000 different ratings; if the ratings of the two columns cannot be compared; if a column
        mixes strings and numbers and neither ``labels`` nor ``missing_codes`` is given; if the
        columns declare different orders of labels; if a file cannot be read; or if a weight is
        missing, not finite or negative.
    OverflowError
        If a sum of integer item weights does not fit in int64.
    TypeError
        If the type of the source is not supported, or if ``filesystem``, ``on_progress`` or an
        option for text files is given for a source that does not support it.
    ImportError
        If a library that is needed to read the source is missing. The error message explains how to
        install the library.

    Notes
    -----
    The type of the labels does not depend on the kind of source. Labels are int64 for whole numbers
    (including whole floats), bool for booleans, str for strings, or datetime64 for dates (in days)
    and times (in microseconds, UTC). In text files, the type of a column is inferred from all its
    ratings. Empty fields, NA, NaN, null and similar strings count as missing, unless they are
    among ``labels``.

    Examples
    --------
    >>> from fastkappa import confusion_from_source, kappa_from_confusion
    >>> ratings = {"first": ["yes", "no", None, "no"], "second": ["yes", "no", "no", "yes"]}
    >>> counts = confusion_from_source(ratings, "first", "second")
    >>> counts.table
    array([[1, 1],
           [0, 1]])
    >>> counts.labels, counts.missing
    (array(['no', 'yes'], dtype='<U3'), (1, 0))
    >>> round(float(kappa_from_confusion(counts.table)), 3)
    0.4
    """
    threads = resolve_num_threads(num_threads)
    for argument, name in {
        "y1": y1,
        "y2": y2,
        "sample_weight": sample_weight,
        "group": group,
    }.items():
        is_left_out = name is None and argument in ("sample_weight", "group")
        if not is_left_out and (name is None or not isinstance(name, Hashable)):
            raise TypeError(f"{argument} must be the name of a column, got {name!r}.")
    if labels is not None:
        check_labels(labels)
    codes = _read_codes(missing_codes, labels)
    wanted = None
    if labels is not None:
        kinds = {key_of(label, "labels", fractions=True)[1].kind for label in labels}
        wanted = WantedLabels([*labels, *missing_codes], are_numbers=kinds <= {*"if"})
    table = SourceTable(Columns(y1, y2, sample_weight, group), wanted, codes=codes)
    text_format = text_format_of(sep, encoding, decimal)
    given = {"filesystem": filesystem, "on_progress": on_progress, "sep": sep}
    given |= {"encoding": encoding, "decimal": None if decimal == "." else decimal}
    names = [name for name, option in given.items() if option is not None]
    if are_paths(source):
        _count_files(table, source, threads, filesystem, on_progress, text_format)
    elif names:
        raise TypeError(
            f"{names[0]} applies only to paths, but source is of type {type(source)}: omit"
            f" {names[0]}=."
        )
    else:
        _count(table, source, threads)
    contents = table.contents()
    return finish(contents, labels) if group is None else finish_groups(contents, labels)


def _read_codes(missing_codes: Any, labels: Any) -> WantedLabels | None:
    """Return the codes for missing ratings, or None if there are none; raise if one is a label."""
    check_is_list(missing_codes)
    codes = WantedLabels(missing_codes)
    refuse_codes_among(() if labels is None else labels, codes)
    return codes if len(missing_codes) else None


def _count_files(
    table: SourceTable,
    source: Paths,
    threads: int,
    filesystem: Any,
    on_progress: Callable[[int, int], object] | None,
    text_format: TextFormat,
) -> None:
    if filesystem is None:
        files = files_at(source)
        report = ignore_progress if on_progress is None else with_total(files, on_progress)
        text_format = arrow_folders.with_encoding_of(text_format, files)
        arrow_folders.count_files(table, files, report, text_format, threads)
    elif on_progress is None:
        arrow_folders.count_remote(table, source, filesystem, text_format, threads)
    else:
        raise TypeError(
            "on_progress applies only to local files, but filesystem= is also given: omit one of"
            " them."
        )


def _count(table: SourceTable, source: Any, threads: int) -> None:
    source = _in_one(source)
    library = type(source).__module__.partition(".")[0]
    _judge(source, table.columns.rated, table.columns.keys)
    if isinstance(source, Mapping):
        _count_mapping(table, source, threads)
    elif library == "pyarrow" and (parts := _parts_of_arrow(table, source)):
        count_parts(table, parts, threads)
    elif library in ("dask", "dask_expr"):
        dask_chunks.count_frame(table, source)
    elif frames.count_frame(table, source, threads):
        pass
    elif hasattr(source, "__arrow_c_stream__"):
        pyarrow = need_pyarrow("frames", "an Arrow stream")
        stream = pyarrow.RecordBatchReader.from_stream(source)
        count_parts(table, _parts_of_arrow(table, stream))
    else:
        raise TypeError(
            "source must be a path, a data frame, an Arrow table, dataset or stream, a"
            " relation, a mapping of names to arrays or a list of dictionaries, got"
            f" {type(source)}."
        )


def _judge(source: Any, rated: Sequence[Any], keys: Sequence[Any]) -> None:
    """Judge the columns of a source that is in memory, as `judge_frame` does."""
    library = type(source).__module__.partition(".")[0]
    if library == "pyarrow" and hasattr(source, "slice"):
        there = source.schema.names
    elif library in ("pandas", "polars") and len(getattr(source, "shape", ())) == 2:
        there = list(source.columns)
    elif isinstance(source, Mapping) and not any(map(dask_chunks.is_array, source.values())):
        there = list(source)
    else:
        return
    judge_frame(source, there, rated, keys)


def _in_one(source: Any) -> Any:
    """Convert rows to columns, and record batches to a stream; return other sources unchanged.

    Rows are a list of dictionaries, and record batches are a list or an iterator.
    """
    first: Any
    batches: Iterator[Any]
    if isinstance(source, Iterator) and not hasattr(source, "schema"):
        first = next(source, None)
        batches = chain([first], source)
    elif isinstance(source, (list, tuple)) and source:
        if all(isinstance(row, Mapping) for row in source):
            names = dict.fromkeys(chain.from_iterable(source))
            return {name: [row.get(name) for row in source] for name in names}
        first, batches = source[0], iter(source)
    else:
        return source
    if type(first).__module__ != "pyarrow.lib" or not hasattr(first, "schema"):
        return source
    pyarrow = need_pyarrow("frames", "record batches")
    return pyarrow.RecordBatchReader.from_batches(first.schema, batches)


def _count_mapping(table: SourceTable, source: Mapping[Any, Any], threads: int) -> None:
    names = table.names
    check_columns("the mapping", names, list(source))
    taken = {name: source[name] for name in names}
    if any(dask_chunks.is_array(column) for column in taken.values()):
        dask_chunks.count_arrays(table, taken)
        return
    need_pyarrow("frames", "a mapping of arrays")
    count_parts(table, parts_of_arrays(table, taken), threads)


def _parts_of_arrow(table: SourceTable, source: Any) -> list[Part]:
    """Return the parts of a pyarrow object, or an empty list if it cannot be counted."""
    names = source.schema.names if hasattr(source, "schema") else None
    if names is None:
        return []
    if hasattr(source, "to_batches") and hasattr(source, "get_fragments"):
        return [lambda: arrow_folders.batches_of_dataset(table, source)]
    if hasattr(source, "slice"):
        check_columns("the table", table.names, names)
        return parts_of_rows(table, checked(source.select(table.names)))
    if hasattr(source, "read_next_batch"):
        return [lambda: arrow_files.batches_of_stream(table, source, names)]
    return []


def read_triples(
    source: Any, item: Any, rater: Any, rating: Any, cluster: Any = None, labels: Any = None
) -> tuple[Any, Any, Any, Any]:
    """Return the item, rater and rating columns of a source, and its cluster column or None.

    Parameters
    ----------
    source : path, data frame, table, dataset, relation or mapping
        As in `fastkappa.confusion_from_source`. Query engines and compute clusters return only
        the named columns.
    item, rater, rating, cluster : str
        The names of the columns. ``cluster`` can be None. In text files, all columns except the
        ratings are read as strings.
    labels : array-like, default=None
        The labels. In a text file, a string that is a label, such as "NA", is not read as missing.

    Returns
    -------
    item, rater, rating, cluster : array-likes of shape (n,)
        The columns, as objects of the source's library. The ratings can declare a label order.

    Raises
    ------
    ValueError
        If a column does not exist or is named twice, or if a file cannot be read.
    TypeError
        If the type of the source is not supported.
    ImportError
        If a library that is needed to read the source is missing.
    """
    names = {"item": item, "rater": rater, "rating": rating}
    if cluster is not None:
        names["cluster"] = cluster
    for argument, name in names.items():
        if name is None or not isinstance(name, Hashable):
            raise TypeError(f"{argument} must be the name of a column of the source, got {name!r}.")
    if len(set(names.values())) < len(names):
        *others, last = names
        found = " and ".join(f"{argument}={name!r}" for argument, name in names.items())
        number = "three" if cluster is None else "four"
        raise RatingsError(
            f"{', '.join(others)} and {last} must be {number} different columns, got {found}."
        )
    text = [name for argument, name in names.items() if argument != "rating"]
    texts = [] if labels is None else [label for label in labels if isinstance(label, str)]
    columns = _columns(source, list(names.values()), text=text, labels={rating: texts})
    clusters = None if cluster is None else columns[cluster]
    return columns[item], columns[rater], columns[rating], clusters


def _columns(
    source: Any,
    names: Sequence[Any],
    text: Sequence[Any],
    labels: Mapping[Any, Collection[str]] = NO_LABELS,
) -> Mapping[Any, Any]:
    """Return the named columns of any source. Columns in ``text`` are never read as numbers."""
    source = _in_one(source)
    if are_paths(source):
        read = arrow_folders.columns_of_files(files_at(source), names, text=text, labels=labels)
        return {name: in_one(read.pop(name)) for name in names}
    _judge(source, [name for name in names if name not in text], text)
    if isinstance(source, Mapping):
        check_columns("the mapping", names, list(source))
        return source
    library = type(source).__module__.partition(".")[0]
    if library == "pyarrow" and hasattr(source, "schema"):
        return columns_of_arrow(source, names)
    if library in ("pandas", "polars") and len(getattr(source, "shape", ())) == 2:
        check_columns("the frame", names, list(source.columns))
        return {name: source[name] for name in names}
    if library in ("dask", "dask_expr") and hasattr(source, "columns"):
        check_columns("the frame", names, list(source.columns))
        return _columns(source[list(names)].compute(), names, ())
    collected = frames.collect_columns(source, names)
    if collected is not None:
        frame, orders = collected
        found = _columns(frame, names, ())
        return {name: with_order(found[name], orders[name]) for name in names}
    if hasattr(source, "__arrow_c_stream__"):
        pyarrow = need_pyarrow("frames", "an Arrow stream")
        return columns_of_arrow(pyarrow.RecordBatchReader.from_stream(source), names)
    raise TypeError(
        "source must be a path, a data frame, an Arrow table, dataset or stream, a relation, a"
        f" mapping of names to arrays or a list of dictionaries, got {type(source)}. To pass"
        " arrays, omit the source and use item=, rater= and rating=."
    )
