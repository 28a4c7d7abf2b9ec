"""The ratings of several raters in a file, read for the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

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
from fastkappa.multirater import Ratings
from fastkappa.ratings.missing import find_missing
from fastkappa.sources.arrow_batches import split_by
from fastkappa.sources.arrow_columns import distinct_ratings
from fastkappa.sources.arrow_files import OnProgress, ignore_progress
from fastkappa.sources.arrow_folders import columns_of_files
from fastkappa.sources.source_counts import SourceCounts
from fastkappa.sources.source_ratings import (
    LARGEST_NUMBER_OF_LABELS,
    MEASUREMENTS,
    RatingsError,
)


def read_raters(
    source: Path | Source,
    raters: Sequence[str],
    group: str | None = None,
    *,
    cluster: str | None = None,
    labels: str | None = None,
    drop_missing: bool = False,
    missing_codes: str | None = None,
    on_sorted: OnSorted = ignore_sorted,
    on_progress: OnProgress = ignore_progress,
) -> tuple[Ratings, dict[Any, Ratings]]:
    """Read the ratings of several raters, and those of each group of the subjects.

    Parameters
    ----------
    source : Path or Source
        A file, a folder or several files, as for `fastkappa.cli.files.two_columns.count_ratings`.
    raters : sequence of str
        The raters' columns.
    group : str, default=None
        The column of the group.
    cluster : str, default=None
        The column of the subjects' clusters.
    labels : str, default=None
        All the labels there are, in their order, written as ``a,b,c``. None takes the order
        that a column declares, else those that occur, sorted.
    drop_missing : bool, default=False
        Whether ratings may be missing, and with them groups; a row without a group is in
        none. Strings among numbers are missing then. They are an error otherwise.
    missing_codes : str, default=None
        Values that stand for a missing rating, written as ``a,b,c``.
    on_sorted : callable
        Called with the labels if their order is neither given nor declared.
    on_progress : callable
        Called now and then with the number of bytes read so far.

    Returns
    -------
    ratings : Ratings
        Those of all rows.
    groups : dict of Ratings
        Those of each group, sorted; all have the same labels.

    Raises
    ------
    RatingsError
        If the file cannot be read, a column is not there, ratings are missing or cannot be
        class labels, or the columns hold ratings of different kinds.
    ImportError
        If pyarrow is not installed.
    """

    def ratings_of(columns: Mapping[str, Any], labels: Any) -> Ratings:
        return Ratings.from_raters(
            {name: columns[name] for name in raters},
            labels=labels,
            clusters=None if cluster is None else columns[cluster],
        )

    clusters = () if cluster is None else (cluster,)
    file = _File(as_source(source), raters, clusters, group)
    return _read(file, ratings_of, labels, drop_missing, missing_codes, on_sorted, on_progress)


def read_long(
    source: Path | Source,
    item: str,
    rater: str,
    rating: str,
    group: str | None = None,
    *,
    cluster: str | None = None,
    labels: str | None = None,
    drop_missing: bool = False,
    missing_codes: str | None = None,
    on_sorted: OnSorted = ignore_sorted,
    on_progress: OnProgress = ignore_progress,
) -> tuple[Ratings, dict[Any, Ratings]]:
    """Read a file with a row per rating, and the ratings of each group of the rows.

    Parameters
    ----------
    source, group, cluster, labels, drop_missing, missing_codes, on_sorted, on_progress
        As for `read_raters`. Groups are those of rows, and so may be of items or raters.
    item, rater, rating : str
        The columns of what was rated, by whom and how; the first two are read as strings.

    Returns
    -------
    ratings, groups : Ratings, dict of Ratings
        As for `read_raters`.

    Raises
    ------
    RatingsError, ImportError
        As by `read_raters`.
    ValueError
        If a rater has rated an item twice, or a rating has no item or rater.
    """
    for option, other in combinations({"item": item, "rater": rater, "rating": rating}.items(), 2):
        if option[1] == other[1]:
            raise RatingsError(
                f"--{option[0]} and --{other[0]} must name two columns, got {other[1]!r} twice."
            )

    def ratings_of(columns: Mapping[str, Any], labels: Any) -> Ratings:
        return Ratings.from_long(
            item=columns[item],
            rater=columns[rater],
            rating=columns[rating],
            cluster=None if cluster is None else columns[cluster],
            labels=labels,
        )

    clusters = () if cluster is None else (cluster,)
    file = _File(as_source(source), [rating], (item, rater, *clusters), group)
    return _read(file, ratings_of, labels, drop_missing, missing_codes, on_sorted, on_progress)


def pair_counts(ratings: Ratings) -> SourceCounts:
    """Return the table of the only two raters, and what is not in it."""
    (table,), n_rated = ratings.rater_pairs("the table")
    n = ratings.n_subjects
    first, second = (n - n_rated).tolist()
    return SourceCounts(table, ratings.labels, 0, n, (first, second), n - int(table.sum()))


class _File(NamedTuple):
    """A source, its columns of ratings, those of items, raters and clusters, and the group."""

    source: Source
    ratings: Sequence[str]
    names: Sequence[str]
    group: str | None


def _read(
    file: _File,
    ratings_of: Callable[[Mapping[str, Any], Any], Ratings],
    labels: str | None,
    drop_missing: bool,
    missing_codes: str | None,
    on_sorted: OnSorted,
    on_progress: OnProgress,
) -> tuple[Ratings, dict[Any, Ratings]]:
    wanted = [*file.ratings, *file.names, *([] if file.group is None else [file.group])]
    arrays = columns_of_files(
        file.source.files,
        list(dict.fromkeys(wanted)),
        on_progress,
        text=file.names,
        text_format=file.source.text_format,
        labels=texts_of_labels(file.ratings, labels),
    )
    ratings = marked(
        file.source,
        {name: arrays[name] for name in file.ratings},
        missing_codes,
        labels=labels,
        drop_missing=drop_missing,
    )
    arrays |= ratings
    if not drop_missing:
        checked = {name: array for name, array in arrays.items() if name not in file.names}
        masks = {name: find_missing(array) for name, array in checked.items()}
        n_missing = {name: int(mask.sum()) for name, mask in masks.items() if mask is not None}
        rated = Rated(file.source, labels, file.ratings)
        check_missing(n_missing, len(arrays[wanted[0]]), "such ratings", rated=rated)
    for name, array in ratings.items():
        # What cannot be the label of two raters is not that of more.
        distinct_ratings(array, name, have_fractions(labels))
    columns = {name: arrays[name] for name in [*file.ratings, *file.names]}
    declared = None if labels is not None else declared_labels(ratings)
    with catch_warnings():
        if labels is not None:
            # Read for the type of the labels alone, which are read with them next.
            simplefilter("ignore", UserWarning)
        whole = ratings_of(columns, declared)
    if labels is not None:
        whole = ratings_of(columns, parse_labels(labels, whole.labels.dtype))
    if len(whole.labels) > LARGEST_NUMBER_OF_LABELS:
        raise RatingsError(
            f"the columns hold {len(whole.labels)} different ratings, more than the"
            f" {LARGEST_NUMBER_OF_LABELS} labels a table is made for: are they ratings?"
            f" {MEASUREMENTS}"
        )
    whole.warn_of_form()
    if labels is None and declared is None:
        on_sorted(whole.labels)
    if file.group is None:
        return whole, {}
    return whole, {
        value: _of_group(value, partial(ratings_of, part, whole.labels))
        for value, part in split_by(arrays[file.group], columns)
    }


def _of_group(group: Any, ratings: Callable[[], Ratings]) -> Ratings:
    """Return the ratings of a group; errors name it."""
    try:
        return ratings()
    except ValueError as error:
        raise RatingsError(f"group {group!r}: {error}") from error
