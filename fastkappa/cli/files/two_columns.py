"""Two columns of ratings in a file, counted for the command line.

The file is read a batch at a time, and only the columns asked for. Errors name the options of
the command line.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.cli.files.opening import Source, as_source
from fastkappa.ratings.doubtful_labels import Remedies
from fastkappa.ratings.label_order import common_order, is_number
from fastkappa.sources.arrow_columns import declared_order, distinct_ratings, type_of_column
from fastkappa.sources.arrow_files import (
    DELIMITERS,
    OnProgress,
    files_of,
    format_of,
    ignore_progress,
)
from fastkappa.sources.arrow_folders import columns_of_files, count_files
from fastkappa.sources.arrow_missing import OddStrings, mark_missing
from fastkappa.sources.source_counts import SourceCounts, finish, finish_groups, n_first_among
from fastkappa.sources.source_ratings import DATES, RatingsError, WantedLabels, column_of
from fastkappa.sources.source_table import Columns, Contents, SourceTable, order_of
from fastkappa.sources.text.arrow_text import missing_texts
from fastkappa.tables.known_labels import KnownLabels

REMEDIES = Remedies(
    odd_strings=(
        "give --missing-codes if they stand for missing ratings, or --labels if they are labels."
    ),
    stand_ins="Give --missing-codes if they do, or --labels if they are labels.",
    decimals="--decimal , reads them as numbers, --labels takes them for labels.",
    order="--labels gives the order that is meant.",
    outside="--labels gives the order that is meant.",
    many_labels="--labels names those to take.",
    second_names=(
        "leave out the lines above the ratings by --skip 3 --no-header, or as many as there are:"
        " columns are numbered then."
    ),
)
NO_CODE = (
    "--missing-codes names no code. An empty field of a text file is missing anyway. To take NA,"
    " null or nan for labels, name them in --labels."
)
# A score is no label.
ODD_SCORES = "give --missing-codes if they stand for missing scores."

# Called with labels whose order is taken from themselves.
OnSorted = Callable[[AnyArray], None]


class Rated(NamedTuple):
    """The columns of ratings in a source, and their labels if they are given."""

    source: Source
    labels: str | None
    columns: Sequence[str]


def ignore_sorted(labels: AnyArray) -> None:
    """Ignore that labels are sorted."""


def count_ratings(
    source: Path | Source,
    y1: str,
    y2: str,
    *,
    weight: str | None = None,
    labels: str | None = None,
    drop_missing: bool = False,
    missing_codes: str | None = None,
    on_sorted: OnSorted = ignore_sorted,
    on_progress: OnProgress = ignore_progress,
) -> SourceCounts:
    """Count the ratings of two raters in two columns of a file.

    Parameters
    ----------
    source : Path or Source
        A file of a format known by its suffix, one of `fastkappa.sources.arrow_files.SUFFIXES`, a
        folder or several such files.
    y1, y2 : str
        The column of the first and of the second rater; they may be the same one.
    weight : str, default=None
        A column of item weights, to be summed instead of counting ones.
    labels : str, default=None
        The labels of the table in their order, written as ``a,b,c``. None takes the order
        that a column declares, else all that occur, sorted.
    drop_missing : bool, default=False
        Whether rows with a missing rating are left out, and those with strings among
        numbers. They are an error otherwise.
    missing_codes : str, default=None
        Values that stand for a missing rating, written as ``a,b,c``.
    on_sorted : callable
        Called with the labels if their order is neither given nor declared.
    on_progress : callable
        Called now and then with the number of bytes read so far.

    Returns
    -------
    counts : SourceCounts

    Raises
    ------
    RatingsError
        If the file cannot be read, a column is not there, ratings are missing or cannot be
        class labels, there are too many labels, the ratings of the two columns cannot be
        compared, or no rating of the first rater is among the labels.
    ImportError
        If pyarrow is not installed.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fastkappa.cli.files.two_columns import count_ratings
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "ratings.csv")
    ...     _ = path.write_text("left,right\\n0,1\\n2,2\\n")
    ...     counts = count_ratings(path, "left", "right")
    >>> counts.labels
    array([0, 1, 2])
    """
    columns = Columns(y1, y2, weight)
    _, _, counts = _read(
        source, columns, labels, drop_missing, missing_codes, on_sorted, on_progress
    )
    return counts


def count_groups(
    source: Path | Source,
    y1: str,
    y2: str,
    group: str,
    *,
    weight: str | None = None,
    labels: str | None = None,
    drop_missing: bool = False,
    missing_codes: str | None = None,
    on_sorted: OnSorted = ignore_sorted,
    on_progress: OnProgress = ignore_progress,
) -> dict[Any, SourceCounts]:
    """Count the ratings of two raters in each group of the rows of a file.

    Parameters
    ----------
    source, y1, y2, weight, labels, drop_missing, missing_codes, on_sorted, on_progress
        As for `count_ratings`.
    group : str
        The column of the group.

    Returns
    -------
    counts : dict
        The `SourceCounts` of each group, sorted, all with the same labels. Rows without a
        group are last, as that of None, where missing ratings may be dropped.

    Raises
    ------
    RatingsError
        As by `count_ratings`, and if a group is missing, unless such rows are dropped.
    ImportError
        If pyarrow is not installed.
    """
    columns = Columns(y1, y2, weight, group)
    contents, known, _ = _read(
        source, columns, labels, drop_missing, missing_codes, on_sorted, on_progress
    )
    groups = finish_groups(contents, known)
    if None in groups and not drop_missing:
        raise RatingsError(
            f"the group is missing in column {group!r} of {groups[None].n_rows} rows."
            " --missing drop leaves such rows out."
        )
    return groups


def _read(
    source: Path | Source,
    columns: Columns,
    labels: str | None,
    drop_missing: bool,
    missing_codes: str | None,
    on_sorted: OnSorted,
    on_progress: OnProgress,
) -> tuple[Contents, list[Any] | None, SourceCounts]:
    """Count a file; return what it holds, the labels asked for, and the counts of all rows."""
    codes, wanted = parse_codes(missing_codes, labels), None
    if labels is not None:
        texts = _split(labels)
        are_numbers = all(map(is_number, texts))
        wanted = WantedLabels(
            texts if missing_codes is None else [*texts, *_split(missing_codes)],
            are_numbers=are_numbers,
        )
    table = SourceTable(columns, wanted, codes=codes, drop_odd=drop_missing, remedies=REMEDIES)
    source = as_source(source)
    try:
        count_files(table, source.files, on_progress, source.text_format)
    except RatingsError as error:
        if columns.weight is None or "conversion error to double" not in str(error):
            raise
        reason = str(error).rpartition("double: ")[2]
        raise RatingsError(
            f"column {columns.weight!r} of {source.name} must hold item weights, which are"
            f" numbers: {reason}"
        ) from error
    if table.n_rows == 0:
        raise RatingsError(f"{source.name} has no rows.")
    contents = table.contents()
    counts = finish(contents)
    if not drop_missing:
        n_missing = dict(zip(columns[:2], counts.missing))
        rated = Rated(source, labels, columns[:2])
        check_missing(n_missing, counts.n_rows, "such rows", rated=rated)
    if counts.n_dropped == counts.n_rows:
        raise RatingsError(
            f"no rows are left: all {counts.n_rows} of {source.name} have a missing rating."
        )
    for axis in table.axes[1:]:
        if axis.dtype.kind == "M":
            held = "date" if axis.dtype == DATES else "time"
            raise RatingsError(
                f"{axis.name} holds values of type {held}: ratings must be whole numbers, strings"
                " or booleans."
            )
    if labels is None:
        if contents.order is None:
            on_sorted(counts.labels)
        return contents, None, counts
    known = parse_labels(labels, contents.dtype)
    counts = finish(contents, known)
    if not counts.table.any() and not n_first_among(contents, known):
        raise RatingsError(f"none of the ratings in column {columns.y1!r} is among the labels.")
    return contents, known, counts


def marked(
    source: Source,
    arrays: Mapping[str, Any],
    missing_codes: str | None,
    *,
    labels: str | None,
    drop_missing: bool,
    scores: Collection[str] = (),
) -> dict[str, Any]:
    """Return columns of a file, null where a code stands for a missing value.

    Strings among numbers are missing too if such values are dropped, and an error otherwise;
    given labels say what they are, but in columns of ``scores``.
    """
    codes, path = parse_codes(missing_codes, labels), _first_file(source)
    odd: OddStrings = "drop" if drop_missing else "raise"
    return {
        name: mark_missing(
            path,
            name,
            array,
            codes,
            odd=odd if labels is None or name in scores else "keep",
            remedy=ODD_SCORES if name in scores else REMEDIES.odd_strings,
        )
        for name, array in arrays.items()
    }


def _first_file(source: Source) -> Path:
    """Return a file of a source, all of which are of one format."""
    path = source.files[0]
    return files_of(path)[0] if path.is_dir() else path


def declared_labels(arrays: Mapping[str, Any]) -> list[Any] | None:
    """Return the labels in the order that columns declare, None if none does."""
    orders = {
        f"column {name!r}": order_of(declared_order(array, name)) for name, array in arrays.items()
    }
    order = common_order(orders, REMEDIES.order)
    if order is None:
        return None
    declared: list[Any] = order.labels.tolist()
    refuse_outside(arrays, declared)
    return declared


def refuse_outside(arrays: Mapping[str, Any], declared: Sequence[Any]) -> None:
    """Raise for a rating in a column that is none of the labels that another one declares."""
    for name, array in arrays.items():
        found, dtype = sorted(distinct_ratings(array, name), key=str), type_of_column(array)
        column = column_of(found, dtype)
        known = KnownLabels(order_of(declared), column, column)
        known.refuse_outside({f"column {name!r}": column}, REMEDIES.outside)


def check_missing(
    n_missing: Mapping[str, int],
    n_rows: int,
    left_out: str,
    what: str = "ratings",
    rated: Rated | None = None,
) -> None:
    """Raise if ratings, or what else is said, are missing in any of the columns.

    The error names texts such as NA in the columns ``rated``, where they may be labels.
    """
    missing = {name: n for name, n in n_missing.items() if n}
    if missing:
        found = " and ".join(f"{n} in column {name!r}" for name, n in missing.items())
        remedy = "" if rated is None else may_be_labels(rated, list(missing))
        raise RatingsError(
            f"{what} are missing: {found}, of {n_rows} rows. --missing drop leaves {left_out} out."
            f"{remedy}"
        )


def may_be_labels(rated: Rated, among: Sequence[str]) -> str:
    """Return how to say that texts such as NA in some columns are labels, "" if there are none."""
    source, labels, columns = rated
    columns = [name for name in among if name in columns]
    if not columns or format_of(_first_file(source)) not in DELIMITERS:
        return ""
    written = columns_of_files(
        source.files, columns, text=columns, text_format=source.text_format, as_written=True
    )
    texts = {text for column in written.values() for text in column.unique().to_pylist()}
    listed = () if labels is None else _split(labels)
    found = [repr(text) for text in missing_texts(listed) if text and text in texts]
    return f" Name {' or '.join(found)} in --labels if it is a label." if found else ""


def parse_labels(text: str, dtype: np.dtype[Any]) -> list[Any]:
    """Return labels written as ``a,b,c`` in the type of the ratings.

    A label with a comma in it goes in double quotes.

    Examples
    --------
    >>> import numpy as np
    >>> from fastkappa.cli.files.two_columns import parse_labels
    >>> parse_labels("3,1,2", np.dtype(int))
    [3, 1, 2]
    """
    labels = _split(text)
    if dtype.kind in "UO":
        return labels
    if dtype.kind == "b":
        return [_parse_boolean(label) for label in labels]
    return [_parse_number(label) for label in labels]


def texts_of_labels(columns: Sequence[str], labels: str | None) -> dict[str, list[str]]:
    """Return the labels of each column, written as ``a,b,c``: a file may call them missing."""
    return {} if labels is None else dict.fromkeys(columns, _split(labels))


def parse_codes(text: str | None, labels: str | None) -> WantedLabels | None:
    """Return the values that stand for a missing one, written as ``a,b,c``, none of them labels."""
    if text is None:
        return None
    codes = WantedLabels(_split(text, NO_CODE))
    for label in () if labels is None else _split(labels):
        if label in codes:
            raise RatingsError(f"--labels and --missing-codes both have {label!r}.")
    return codes


def _split(text: str, none_named: str = "--labels names no label.") -> list[str]:
    try:
        labels = next(csv.reader([text], skipinitialspace=True), [])
    except csv.Error as error:
        raise RatingsError(
            f"labels and codes that have a line break in them must be in quotes, got {text!r}."
        ) from error
    labels = [label.strip() for label in labels]
    if not any(labels):
        raise RatingsError(none_named)
    return labels


def have_fractions(labels: str | None) -> bool:
    """Return whether some labels are numbers that are not whole, such as half points."""
    return labels is not None and WantedLabels(_split(labels)).have_fractions


def _parse_number(label: str) -> int | float:
    with suppress(ValueError):
        return int(label)
    if is_number(label):
        return float(label)
    raise RatingsError(f"--labels has {label!r}, but the ratings are numbers.")


def _parse_boolean(label: str) -> bool:
    try:
        return {"true": True, "false": False}[label.lower()]
    except KeyError:
        raise RatingsError(f"--labels has {label!r}, but the ratings are true and false.") from None
