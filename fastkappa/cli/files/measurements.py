"""Read the measurements of raters or methods, for the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from warnings import warn

from fastkappa.cli.files.opening import Source
from fastkappa.cli.files.raters import LongColumns, RaterFiles
from fastkappa.cli.files.reading import Reading
from fastkappa.cli.words import arguments_named
from fastkappa.formatting import count_text
from fastkappa.multirater.long_measurements import LongMeasurements, sort_measurements
from fastkappa.ratings.missing import find_missing, without
from fastkappa.sources.source_ratings import RatingsError


def read_measured(
    source: Source,
    raters: Sequence[str] | LongColumns | RaterFiles,
    reading: Reading,
    cluster: str | None = None,
) -> LongMeasurements:
    """Return the measurements of each rater, and the clusters of the items.

    Raises
    ------
    ValueError
        If the file cannot be read, a column does not exist, measurements are missing or not
        numbers, a rater has measured an item twice, or an item is in two clusters.
    ImportError
        If pyarrow is not installed.
    """
    long = raters.columns if isinstance(raters, RaterFiles) else raters
    values, named = ((long.rating,), long[:2]) if isinstance(long, LongColumns) else (long, ())
    if cluster in (*values, *named):
        raise RatingsError(f"--cluster must name another column, got {cluster!r}.")
    others = [*named, *([] if cluster is None else [cluster])]
    if isinstance(raters, RaterFiles):
        arrays = raters.read(reading, others, others, are_scores=True)
    else:
        arrays = reading.columns(source, (), others, text=others, scores=values)
    if isinstance(long, LongColumns):
        arrays = long.of_chosen(arrays)
    reading.check_missing(source, arrays, (), "such items", "measurements")
    if cluster is not None:
        arrays = _in_clusters(arrays, cluster)
    if isinstance(long, LongColumns):
        item, rater, value = (arrays[name] for name in long[:3])
        of_rows = None if cluster is None else arrays[cluster]
        with arguments_named(value=f"column {long.rating!r}"):
            return sort_measurements(item, rater, value, of_rows, drop_missing=reading.drop_missing)
    of_items = None if cluster is None else arrays[cluster]
    return LongMeasurements({name: arrays[name] for name in values}, of_items)


def _in_clusters(arrays: dict[str, Any], cluster: str) -> dict[str, Any]:
    """Return the rows that have a cluster, and warn about the others."""
    lacking = find_missing(arrays[cluster])
    if lacking is None or not lacking.any():
        return arrays
    n = count_text(int(lacking.sum()), "row")
    warn(f"{n} left out: no cluster in column {cluster!r}.", stacklevel=2)
    return {name: without(array, lacking) for name, array in arrays.items()}
