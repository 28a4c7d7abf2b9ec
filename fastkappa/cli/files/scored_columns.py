"""Read a column of labels and a column of scores, for the command line."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.cli.files.opening import Source
from fastkappa.cli.files.reading import Reading
from fastkappa.ratings.column import read_column
from fastkappa.ratings.missing import without
from fastkappa.ratings.read import drop_missing
from fastkappa.sources.source_ratings import RatingsError
from fastkappa.tables.doubtful_tables import warn_of_unused_labels


class ScoredColumns(NamedTuple):
    """The labels, scores and clusters of the items to use, and counts of the rows left out.

    ``labels`` are the requested or declared labels, or None. ``missing`` contains the number of
    missing values in each column.
    """

    y_true: AnyArray
    scores: Any
    clusters: Any
    labels: list[Any] | None
    n_rows: int
    missing: dict[str, int]
    n_dropped: int
    n_outside: int


def read_scores(
    source: Source, y: str, score: str, cluster: str | None, reading: Reading
) -> ScoredColumns:
    """Read the column of labels, the column of scores and, if named, the column of clusters.

    Raises
    ------
    RatingsError
        If the file cannot be read, a column does not exist, a label or score is missing, or no row
        has a requested label.
    ImportError
        If pyarrow is not installed.
    """
    named = [] if cluster is None else [cluster]
    arrays = reading.columns(source, [y], named, text=named, scores=[score])
    n_rows = len(arrays[y])
    kept, missing, dropped = drop_missing(arrays, "drop")
    n_dropped = 0 if dropped is None else int(dropped.sum())
    reading.refuse_missing(missing, n_rows, what="values")
    if n_dropped == n_rows:
        raise RatingsError(
            f"no rows are left, because all {n_rows} rows of {source.name} have a missing value."
        )
    known = reading.known({y: kept[y]})
    y_true, scores = _labels(kept[y], y), kept[score]
    clusters = None if cluster is None else kept[cluster]
    outside = np.zeros(len(y_true), bool)
    if reading.labels is not None and known is not None:
        outside = ~np.isin(y_true, known)
        if outside.all():
            raise RatingsError(
                f"none of the labels in column {y!r} is in --labels: write the labels in --labels"
                " exactly as in the file."
            )
        if outside.any():
            times = [np.count_nonzero(y_true == label) for label in known]
            warn_of_unused_labels(np.array(known), np.diag(times), int(outside.sum()))
            y_true, scores = y_true[~outside], without(scores, outside)
            clusters = None if clusters is None else without(clusters, outside)
    return ScoredColumns(
        y_true,
        scores,
        clusters,
        known,
        n_rows,
        missing,
        n_dropped,
        int(outside.sum()),
    )


def _labels(column: Any, name: str) -> AnyArray:
    """Return a column's labels as an array, with whole numbers as integers."""
    read = read_column(column, name)
    if read.obstacle:
        return read.values
    if read.categories is not None:
        return np.asarray(read.categories)[read.values]
    return read.values.astype(np.int64 if read.label_dtype.kind == "f" else read.label_dtype)
