"""The labels and a model's scores in two columns of a file, read for the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.cli.files.opening import Source, as_source
from fastkappa.cli.files.two_columns import (
    OnSorted,
    Rated,
    check_missing,
    declared_labels,
    have_fractions,
    ignore_sorted,
    marked,
    parse_labels,
    texts_of_labels,
)
from fastkappa.ratings.column import read_column
from fastkappa.ratings.label_order import sorted_strings
from fastkappa.ratings.missing import without
from fastkappa.ratings.read import drop_missing as without_missing
from fastkappa.sources.arrow_columns import text_of_bytes
from fastkappa.sources.arrow_folders import columns_of_files
from fastkappa.sources.source_ratings import RatingsError, refuse_many_labels
from fastkappa.tables.doubtful_tables import warn_of_unused_labels


class ScoredColumns(NamedTuple):
    """The labels and scores of the items to use, and the numbers of rows left out.

    ``labels`` are those requested or declared, None if none are. ``missing`` counts the labels
    and the scores that are missing.
    """

    y_true: AnyArray
    scores: Any
    labels: list[Any] | None
    n_rows: int
    missing: tuple[int, int]
    n_dropped: int
    n_outside: int


def read_scores(
    source: Path | Source,
    y: str,
    score: str,
    *,
    labels: str | None = None,
    drop_missing: bool = False,
    missing_codes: str | None = None,
    on_sorted: OnSorted = ignore_sorted,
) -> ScoredColumns:
    """Read a column of labels and one of scores.

    Parameters
    ----------
    source : Path or Source
        A file, a folder or several files, as for `fastkappa.cli.files.two_columns.count_ratings`.
    y, score : str
        The column of the labels, and that of the scores.
    labels : str, default=None
        The labels to use in their order, written as ``a,b,c``. None takes the order that the
        column declares, else all that occur, sorted.
    drop_missing : bool, default=False
        Whether rows without a label or a score are left out, and those with a string among
        numbers. They are an error otherwise.
    missing_codes : str, default=None
        Values that stand for a missing label or score, written as ``a,b,c``.
    on_sorted : callable
        Called with the labels if their order is neither given nor declared.

    Returns
    -------
    items : ScoredColumns

    Raises
    ------
    RatingsError
        If the file cannot be read, a column is not there, a label or a score is missing, or
        no label is among those requested.
    ImportError
        If pyarrow is not installed.
    """
    source = as_source(source)
    wanted = list(dict.fromkeys((y, score)))
    arrays = columns_of_files(
        source.files, wanted, text_format=source.text_format, labels=texts_of_labels([y], labels)
    )
    for name, column in arrays.items():
        if "binary" in str(column.type):
            arrays[name] = text_of_bytes(column, repr(name))
    n_rows = len(arrays[y])
    arrays = marked(
        source, arrays, missing_codes, labels=labels, drop_missing=drop_missing, scores=[score]
    )
    kept, missing, dropped = without_missing(arrays, "drop")
    n_dropped = 0 if dropped is None else int(dropped.sum())
    if not drop_missing:
        rated = Rated(source, labels, [y])
        check_missing(missing, n_rows, "such rows", "values", rated)
    if n_dropped == n_rows:
        raise RatingsError(f"no rows are left: all {n_rows} of {source.name} have a missing value.")
    y_true, scores = _read_labels(kept[y], y, labels), kept[score]
    known = None
    outside = np.zeros(len(y_true), bool)
    if labels is None:
        known = declared_labels({y: kept[y]})
        if known is None:
            are_strings = y_true.dtype.kind in "UO"
            on_sorted(
                np.array(sorted_strings(set(y_true.tolist()))) if are_strings else np.unique(y_true)
            )
    else:
        known = parse_labels(labels, y_true.dtype)
        outside = ~np.isin(y_true, known)
        if outside.all():
            raise RatingsError(f"none of the labels in column {y!r} is among those of --labels.")
        if outside.any():
            used = np.isin(known, y_true)
            warn_of_unused_labels(np.array(known), np.diag(used), int(outside.sum()))
            y_true, scores = y_true[~outside], without(scores, outside)
    return ScoredColumns(
        y_true, scores, known, n_rows, (missing[y], missing[score]), n_dropped, int(outside.sum())
    )


def _read_labels(column: Any, name: str, labels: str | None) -> AnyArray:
    """Return the labels of a column: whole numbers, those of a scale, strings or booleans."""
    try:
        read = read_column(column, name)
    except (ValueError, TypeError) as error:
        raise RatingsError(f"column {name!r} cannot hold the labels: {error}") from error
    if read.obstacle == "continuous" and have_fractions(labels):
        return read.values
    if read.obstacle or read.label_dtype.kind in "mM":
        held = read.obstacle or "date or time"
        remedy = " --labels names those of a scale, such as half points."
        raise RatingsError(
            f"column {name!r} holds {held} values: labels must be whole numbers, strings or"
            f" booleans.{remedy if read.obstacle == 'continuous' else ''}"
        )
    if read.categories is not None:
        truth = np.asarray(read.categories)[read.values]
    else:
        truth = read.values.astype(np.int64 if read.label_dtype.kind == "f" else read.label_dtype)
    refuse_many_labels(len(np.unique(truth)), f"column {name!r}")
    return truth
