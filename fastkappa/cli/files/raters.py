"""The ratings of several raters in a file, read for the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from fastkappa.cli.files.opening import Source
from fastkappa.cli.files.reading import Reading
from fastkappa.multirater import Ratings
from fastkappa.sources.arrow_batches import split_by
from fastkappa.sources.source_counts import SourceCounts
from fastkappa.sources.source_ratings import RatingsError


class LongColumns(NamedTuple):
    """The columns of a file with a row per rating: what was rated, by whom and how."""

    item: str
    rater: str
    rating: str


def read_raters(
    source: Source,
    raters: Sequence[str] | LongColumns,
    reading: Reading,
    group: str | None = None,
    cluster: str | None = None,
) -> tuple[Ratings, dict[Any, Ratings]]:
    """Read the ratings of several raters, and those of each group of the rows.

    Parameters
    ----------
    source : Source
    raters : sequence of str, or LongColumns
        The raters' columns, or those of a file with a row per rating.
    reading : Reading
        Ratings may be missing if they are dropped, and with them groups; a row without a group is
        in none.
    group, cluster : str, default=None
        The columns of the rows' groups and of the items' clusters.

    Returns
    -------
    ratings : Ratings
        Those of all rows.
    groups : dict of Ratings
        Those of each group, sorted; all have the same labels.

    Raises
    ------
    ValueError
        If the file cannot be read, a column is not there, ratings are missing or cannot be
        class labels, the columns hold ratings of different kinds, a rater has rated an item twice,
        or a rating has no item or rater.
    ImportError
        If pyarrow is not installed.
    """
    is_long = isinstance(raters, LongColumns)
    rated, names = (raters[2:], raters[:2]) if isinstance(raters, LongColumns) else (raters, ())
    named = [*names, *([] if cluster is None else [cluster])]
    arrays = reading.columns(
        source, rated, [*named, *([] if group is None else [group])], text=named
    )
    checked = {name: array for name, array in arrays.items() if name not in named}
    reading.check_missing(source, checked, rated, "such ratings")
    known = reading.known({name: arrays[name] for name in rated})

    def ratings_of(columns: Mapping[str, Any], labels: Any) -> Ratings:
        clusters = None if cluster is None else columns[cluster]
        if is_long:
            triple = (columns[name] for name in (*names, *rated))
            given = dict(zip(LongColumns._fields, triple))
            return Ratings.from_long(**given, cluster=clusters, labels=labels)
        by_rater = {name: columns[name] for name in rated}
        return Ratings.from_raters(by_rater, labels=labels, clusters=clusters)

    columns = {name: arrays[name] for name in [*rated, *named]}
    whole = ratings_of(columns, known)
    whole.warn_of_form()
    if known is None:
        reading.on_sorted(whole.labels)
    if group is None:
        return whole, {}
    parts = split_by(arrays[group], columns)
    return whole, {value: _of_group(value, part, whole.labels, ratings_of) for value, part in parts}


def pair_counts(ratings: Ratings) -> SourceCounts:
    """Return the table of the only two raters, and what is not in it."""
    (table,), n_rated = ratings.rater_pairs("the table")
    n = ratings.n_subjects
    first, second = (n - n_rated).tolist()
    return SourceCounts(table, ratings.labels, 0, n, (first, second), n - int(table.sum()))


def _of_group(
    group: Any,
    columns: Mapping[str, Any],
    labels: Any,
    ratings_of: Callable[[Mapping[str, Any], Any], Ratings],
) -> Ratings:
    """Return the ratings of a group; errors name it."""
    try:
        return ratings_of(columns, labels)
    except ValueError as error:
        raise RatingsError(f"group {group!r}: {error}") from error
