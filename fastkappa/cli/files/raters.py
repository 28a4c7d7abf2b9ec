"""The ratings of several raters in a file, read for the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np

from fastkappa.choices import did_you_mean
from fastkappa.cli.files.opening import Source
from fastkappa.cli.files.reading import Reading
from fastkappa.cli.words import arguments_named, names_of_clusters
from fastkappa.multirater.ratings import Ratings
from fastkappa.ratings.missing import without
from fastkappa.sources.arrow_batches import split_by
from fastkappa.sources.arrow_columns import as_array, with_order
from fastkappa.sources.arrow_folders import joined
from fastkappa.sources.source_counts import SourceCounts
from fastkappa.sources.source_ratings import LARGEST_NUMBER_OF_LABELS, RatingsError
from fastkappa.statistics.clusters import Clusters

# The column of raters that have a file each: no file has one of this name.
RATER = "name of the file"


class LongColumns(NamedTuple):
    """The columns of a file with a row per rating: what was rated, by whom and how.

    Raters that are ``chosen`` are in this order, and others are left out.
    """

    item: str
    rater: str
    rating: str
    chosen: tuple[str, ...] = ()

    def of_chosen(self, arrays: Mapping[str, Any]) -> dict[str, Any]:
        """Return the rows of the raters that are chosen.

        Raises
        ------
        RatingsError
            If one is not there.
        """
        if not self.chosen:
            return dict(arrays)
        raters = arrays[self.rater]
        there = raters.unique().to_pylist()
        for name in self.chosen:
            if name not in there:
                known = [other for other in there if other is not None]
                raise RatingsError(
                    f"column {self.rater!r} has no rater {name!r}.{did_you_mean(name, known)}"
                )
        others = np.array([name not in self.chosen for name in raters.to_pylist()])
        kept = {name: without(array, others) for name, array in arrays.items()}
        return {**kept, self.rater: with_order(kept[self.rater].cast("string"), self.chosen)}


class RaterFiles(NamedTuple):
    """A file per rater, each with a column of items, and one of ratings, which may be named so."""

    files: Mapping[str, Source]
    item: str
    ratings: Mapping[str, str]
    chosen: tuple[str, ...] = ()

    @property
    def rating(self) -> str:
        """The name of the ratings of all files together, that of the first one."""
        return next(iter(self.ratings.values()))

    @property
    def columns(self) -> LongColumns:
        """The columns of the files together, and that of the raters."""
        return LongColumns(self.item, RATER, self.rating, self.chosen or tuple(self.files))

    def read(
        self,
        reading: Reading,
        others: Sequence[str],
        text: Sequence[str],
        *,
        are_scores: bool = False,
    ) -> dict[str, Any]:
        """Return the columns of all files, one after the other."""
        own = [name for name in others if name != RATER]
        text = [name for name in text if name != RATER]
        parts = []
        for rater, source in self.files.items():
            rated = [self.ratings[rater]]
            part = reading.columns(
                source,
                [] if are_scores else rated,
                own,
                text=[rated[0] if name == self.rating else name for name in text],
                scores=rated if are_scores else (),
            )
            parts.append({**part, self.rating: part[rated[0]]})
        for name in (self.rating, *own):
            if len({str(part[name].type) for part in parts}) > 1 and any(
                "string" in str(part[name].type) for part in parts
            ):
                # Raters who never gave a word have a file of numbers.
                for part in parts:
                    part[name] = part[name].cast("string")
        for rater, part in zip(self.files, parts):
            part[RATER] = as_array([rater] * len(part[self.rating]), RATER)
        return joined(parts, [self.rating, *own, RATER])


def read_raters(
    source: Source,
    raters: Sequence[str] | LongColumns | RaterFiles,
    reading: Reading,
    group: str | None = None,
    cluster: str | None = None,
    *,
    duplicates: Any = "error",
    separator: str | None = None,
) -> tuple[Ratings, dict[Any, Ratings]]:
    """Read the ratings of several raters, and those of each group of the rows.

    Parameters
    ----------
    source : Source
        What is read, unless there is a file per rater.
    raters : sequence of str, LongColumns or RaterFiles
        The raters' columns, or those of a file with a row per rating, or a file of each.
    reading : Reading
        Ratings may be missing if they are dropped, and with them groups; a row without a group is
        in none.
    group, cluster : str, default=None
        The columns of the rows' groups and of the items' clusters.
    duplicates : {'error', 'first', 'last'}, default='error'
        Which rating of an item counts if a rater has several rows of it.
    separator : str, default=None
        What is between the labels of a rating that is a set.

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
    long = raters.columns if isinstance(raters, RaterFiles) else raters
    is_long = isinstance(long, LongColumns)
    rated, names = ([long.rating], long[:2]) if isinstance(long, LongColumns) else (long, ())
    named = [*names, *([] if cluster is None else [cluster])]
    others = [*named, *([] if group is None else [group])]
    text = named if separator is None else [*named, *rated]
    if isinstance(raters, RaterFiles):
        arrays = raters.read(reading, others, text)
    else:
        arrays = reading.columns(source, rated, others, text=text)
    if isinstance(long, LongColumns):
        arrays = long.of_chosen(arrays)
    checked = {name: array for name, array in arrays.items() if name not in named}
    reading.check_missing(source, checked, rated, "such ratings")
    known = None
    if separator is None:
        known = reading.known({name: arrays[name] for name in rated})

    def ratings_of(columns: Mapping[str, Any], labels: Any) -> Ratings:
        clusters = None if cluster is None else columns[cluster]
        if separator is not None:
            columns = {**columns, **{name: sets_of(columns[name], separator) for name in rated}}
        if is_long:
            item, rater, rating = (columns[name] for name in (*names, *rated))
            return Ratings.from_long(
                item=item,
                rater=rater,
                rating=rating,
                cluster=clusters,
                labels=labels,
                duplicates=duplicates,
            )
        by_rater = {name: columns[name] for name in rated}
        return Ratings.from_raters(by_rater, labels=labels, clusters=clusters)

    columns = {name: arrays[name] for name in [*rated, *named]}
    said = names_of_clusters(cluster) if cluster else {}
    if is_long:
        said["rating has"] = f"column {rated[0]!r} has"
    with arguments_named(**said) if said else nullcontext():
        whole = ratings_of(columns, known)
    whole.warn_of_form()
    if separator is not None and len(whole.labels) > LARGEST_NUMBER_OF_LABELS:
        raise RatingsError(
            f"the columns hold {len(whole.labels)} different sets, more than the"
            f" {LARGEST_NUMBER_OF_LABELS} labels a table is made for."
        )
    if known is None and separator is None:
        reading.on_sorted(whole.labels)
    if group is None:
        return whole, {}
    parts = split_by(arrays[group], columns)
    return whole, {value: _of_group(value, part, whole.labels, ratings_of) for value, part in parts}


def sets_of(column: Any, separator: str) -> list[list[str] | None]:
    """Return texts such as ``joy;pride`` as lists of labels, None where one is missing."""
    return [
        None if text is None else [part.strip() for part in str(text).split(separator) if part]
        for text in column.to_pylist()
    ]


def pair_counts(ratings: Ratings) -> SourceCounts:
    """Return the table of the only two raters, and what is not in it."""
    (table,), n_rated = ratings.rater_pairs("the table")
    n = ratings.n_subjects
    first, second = (n - n_rated).tolist()
    return SourceCounts(table, ratings.labels, 0, n, (first, second), n - int(table.sum()))


def pair_clusters(ratings: Ratings) -> Clusters | None:
    """Return the clusters of the items that the only two raters have both rated."""
    return dict(ratings.counted.clusters_of_pairs()).get(0)


def _of_group(
    group: Any,
    columns: Mapping[str, Any],
    labels: Any,
    ratings_of: Callable[[Mapping[str, Any], Any], Ratings],
) -> Ratings:
    """Return the ratings of a group; errors name it."""
    try:
        with catch_warnings():
            # Doubts about all ratings have been raised before.
            simplefilter("ignore", UserWarning)
            return ratings_of(columns, labels)
    except ValueError as error:
        raise RatingsError(f"group {group!r}: {error}") from error
