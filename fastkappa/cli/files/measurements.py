"""Read the measurements of raters or methods, for the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from warnings import warn

from fastkappa.cli.files.opening import Source
from fastkappa.cli.files.raters import RaterColumns
from fastkappa.cli.files.reading import Reading
from fastkappa.cli.words import arguments_named
from fastkappa.formatting import count_text
from fastkappa.multirater.long_measurements import LongMeasurements, sort_measurements
from fastkappa.ratings.missing import find_missing, without
from fastkappa.sources.arrow_batches import split_by
from fastkappa.sources.source_ratings import RatingsError


def read_measured(
    source: Source,
    columns: RaterColumns,
    reading: Reading,
    cluster: str | None = None,
    group: str | None = None,
) -> tuple[LongMeasurements, dict[Any, LongMeasurements]]:
    """Return the measurements in all rows and in each group, with the clusters of the items.

    Raises
    ------
    ValueError
        If the file cannot be read, a column does not exist, measurements are missing or not
        numbers, a rater has measured an item twice, or an item is in two clusters.
    ImportError
        If pyarrow is not installed.
    """
    for option, column in (("--cluster", cluster), ("--group", group)):
        if column in (*columns.rated, *columns.named):
            raise RatingsError(
                f"{option} must name a column that no other option uses, got {column!r}."
            )
    of_clusters = [] if cluster is None else [cluster]
    others = list(dict.fromkeys([*of_clusters, *([] if group is None else [group])]))
    arrays = columns.read(source, reading, others, of_clusters, are_scores=True)
    reading.check_missing(arrays, "such items", "measurements", advice="")
    if cluster is not None:
        arrays = _with(arrays, cluster, "cluster")
    whole = _measured(columns, arrays, reading, cluster)
    if group is None:
        return whole, {}
    arrays = _with(arrays, group, "group")
    parts = split_by(group, arrays)
    return whole, {value: _measured(columns, part, reading, cluster) for value, part in parts}


def _measured(
    columns: RaterColumns, arrays: Mapping[str, Any], reading: Reading, cluster: str | None
) -> LongMeasurements:
    clusters = None if cluster is None else arrays[cluster]
    if columns.rating is None:
        return LongMeasurements({name: arrays[name] for name in columns.raters}, clusters)
    item, rater, value = (arrays[name] for name in (*columns.named, columns.rating))
    with arguments_named(value=f"column {columns.rating!r}"):
        return sort_measurements(item, rater, value, clusters, drop_missing=reading.drop_missing)


def _with(arrays: dict[str, Any], column: str, what: str) -> dict[str, Any]:
    """Drop rows whose cluster or group is missing, with a warning."""
    lacking = find_missing(arrays[column])
    if lacking is None or not lacking.any():
        return arrays
    n = count_text(int(lacking.sum()), "row")
    left_out = f"left {n} out of all groups" if what == "group" else f"left out {n}"
    warn(f"{left_out}, because the {what} is missing in column {column!r}.", stacklevel=2)
    return {name: without(array, lacking) for name, array in arrays.items()}
