"""Read the ratings of several raters for the command line."""

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

# If each rater has a file, this is the name of the column of raters. No file has a column of this
# name.
RATER = "name of the file"


class LongColumns(NamedTuple):
    """The columns of a file with one row per rating: item, rater and rating.

    If ``chosen`` names raters, they have this order, and other raters are left out.
    """

    item: str
    rater: str
    rating: str
    chosen: tuple[str, ...] = ()

    def of_chosen(self, arrays: Mapping[str, Any]) -> dict[str, Any]:
        """Return the rows of the chosen raters.

        Raises
        ------
        RatingsError
            If a chosen rater has no row.
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
    """One file per rater, each with a column of items and a column of ratings.

    ``ratings`` has the name of each rater's column of ratings.
    """

    files: Mapping[str, Source]
    item: str
    ratings: Mapping[str, str]
    chosen: tuple[str, ...] = ()

    @property
    def rating(self) -> str:
        """The name of the joined column of ratings, which is its name in the first file."""
        return next(iter(self.ratings.values()))

    @property
    def columns(self) -> LongColumns:
        """The columns of the joined files, including the column of raters."""
        return LongColumns(self.item, RATER, self.rating, self.chosen or tuple(self.files))

    def read(
        self,
        reading: Reading,
        others: Sequence[str],
        text: Sequence[str],
        *,
        are_scores: bool = False,
    ) -> dict[str, Any]:
        """Return the columns of all files, joined one after the other."""
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
                # If a rater gave only labels that look like numbers, their file contains numbers.
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
    """Read the ratings of several raters, and split them by group.

    Parameters
    ----------
    source : Source
        Source to read, unless there is one file per rater.
    raters : sequence of str, LongColumns or RaterFiles
        Columns of the raters, or columns of a file with one row per rating, or one file per rater.
    reading : Reading
        Options for reading ratings. If missing ratings are dropped, groups can be missing too. A
        row without a group belongs to no group.
    group, cluster : str, default=None
        Columns with the group of each row and the cluster of each item.
    duplicates : {'error', 'first', 'last'}, default='error'
        Which rating to use if a rater has rated an item several times.
    separator : str, default=None
        Separator between labels if each rating is a set of labels.

    Returns
    -------
    ratings : Ratings
        The ratings of all rows.
    groups : dict of Ratings
        The ratings of each group, sorted by group. All have the same labels.

    Raises
    ------
    ValueError
        If the file cannot be read, a column does not exist, ratings are missing or cannot be
        class labels, the columns have ratings of different kinds, a rater has rated an item twice,
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
            f"the columns have {len(whole.labels)} different sets, but a table can have at most"
            f" {LARGEST_NUMBER_OF_LABELS} labels."
        )
    if known is None and separator is None:
        reading.on_sorted(whole.labels)
    if group is None:
        return whole, {}
    parts = split_by(arrays[group], columns)
    return whole, {value: _of_group(value, part, whole.labels, ratings_of) for value, part in parts}


def sets_of(column: Any, separator: str) -> list[list[str] | None]:
    """Return texts such as ``joy;pride``, or lists, as lists of labels; missing ones are None."""
    return [
        value
        if value is None or isinstance(value, list)
        else [part.strip() for part in str(value).split(separator) if part]
        for value in column.to_pylist()
    ]


def pair_counts(ratings: Ratings) -> SourceCounts:
    """Return the table of ratings by exactly two raters, with the numbers of items left out."""
    (table,), n_rated = ratings.rater_pairs("the table")
    n = ratings.n_subjects
    first, second = (n - n_rated).tolist()
    return SourceCounts(table, ratings.labels, 0, n, (first, second), n - int(table.sum()))


def pair_clusters(ratings: Ratings) -> Clusters | None:
    """Return the clusters of the items that both raters have rated, for exactly two raters."""
    return dict(ratings.counted.clusters_of_pairs()).get(0)


def _of_group(
    group: Any,
    columns: Mapping[str, Any],
    labels: Any,
    ratings_of: Callable[[Mapping[str, Any], Any], Ratings],
) -> Ratings:
    """Return the ratings of a group, and name the group in errors."""
    try:
        with catch_warnings():
            # The ratings of all rows together have already caused these warnings.
            simplefilter("ignore", UserWarning)
            return ratings_of(columns, labels)
    except ValueError as error:
        raise RatingsError(f"group {group!r}: {error}") from error
