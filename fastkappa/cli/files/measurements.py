"""Read the measurements of raters or methods, for the command line."""

from __future__ import annotations

from typing import Any
from warnings import warn

from fastkappa.cli.files.opening import Source
from fastkappa.cli.files.raters import RaterColumns
from fastkappa.cli.files.reading import Reading
from fastkappa.cli.words import arguments_named
from fastkappa.formatting import count_text
from fastkappa.multirater.long_measurements import LongMeasurements, sort_measurements
from fastkappa.ratings.missing import find_missing, without
from fastkappa.sources.source_ratings import RatingsError


def read_measured(
    source: Source, columns: RaterColumns, reading: Reading, cluster: str | None = None
) -> LongMeasurements:
    """Return each rater's measurements with the cluster of each item.

    Raises
    ------
    ValueError
        If the file cannot be read, a column does not exist, measurements are missing or not
        numbers, a rater has measured an item twice, or an item is in two clusters.
    ImportError
        If pyarrow is not installed.
    """
    if cluster in (*columns.rated, *columns.named):
        raise RatingsError(
            f"--cluster must name a column that no other option names, got {cluster!r}."
        )
    others = [] if cluster is None else [cluster]
    arrays = columns.read(source, reading, others, others, are_scores=True)
    reading.check_missing(source, arrays, (), "such items", "measurements")
    clusters = None
    if cluster is not None:
        arrays = _with_cluster(arrays, cluster)
        clusters = arrays[cluster]
    if columns.rating is None:
        return LongMeasurements({name: arrays[name] for name in columns.raters}, clusters)
    item, rater, value = (arrays[name] for name in (*columns.named, columns.rating))
    with arguments_named(value=f"column {columns.rating!r}"):
        return sort_measurements(item, rater, value, clusters, drop_missing=reading.drop_missing)


def _with_cluster(arrays: dict[str, Any], column: str) -> dict[str, Any]:
    """Return the rows that have a cluster, and warn about rows without one."""
    lacking = find_missing(arrays[column])
    if lacking is None or not lacking.any():
        return arrays
    n = count_text(int(lacking.sum()), "row")
    warn(f"{n} left out because the cluster is missing in column {column!r}.", stacklevel=2)
    return {name: without(array, lacking) for name, array in arrays.items()}
