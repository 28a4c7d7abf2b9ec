"""Read the ratings of several raters for the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from types import MappingProxyType
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.choices import did_you_mean
from fastkappa.cli.files.opening import Source
from fastkappa.cli.files.reading import NA_LABELS, Reading
from fastkappa.cli.rater_remarks import (
    BLANK_SETS,
    blank_sets,
    codes_of,
    replaced_ratings,
    rows_without_group,
    separate_occasions,
    warn_of_few_shared,
    warn_of_separator,
)
from fastkappa.cli.words import arguments_named, names_of_columns
from fastkappa.formatting import first_of_many
from fastkappa.multirater.ratings import Ratings
from fastkappa.ratings.doubtful_labels import MOST_SHOWN, warn
from fastkappa.ratings.missing import find_missing, without
from fastkappa.results.sentence import listed
from fastkappa.sources.arrow_batches import split_by
from fastkappa.sources.arrow_columns import (
    as_array,
    as_strings,
    lists_of,
    with_order,
)
from fastkappa.sources.arrow_files import column_names
from fastkappa.sources.arrow_folders import joined
from fastkappa.sources.source_ratings import LARGEST_NUMBER_OF_LABELS, RatingsError

# The name of the rater column if each rater has a separate file. This column is in none of the
# files.
RATER = "name of the file"


class RaterColumns(NamedTuple):
    """The columns that contain the ratings of several raters, in one file or several.

    Attributes
    ----------
    raters : tuple of str
        The columns of the raters. If ``rating`` is set, the names of the raters to keep, in
        order, or an empty tuple to keep all raters.
    item, rater, rating : str or None
        The columns of items, raters and ratings, if there is one row per rating. If only ``item``
        is set, it is the column of item names in a file with one column per rater.
    files : dict of (Source, str)
        Several files with one row per rating. Each value contains the source of a file and the name
        of its column of ratings. If the file has no column of raters, its key is the name of its
        only rater.
    of_items : tuple of str
        The columns of clusters and groups. If some of several files lack such a column, its values
        for their items are looked up in the other files.
    """

    raters: tuple[str, ...] = ()
    item: str | None = None
    rater: str | None = None
    rating: str | None = None
    files: Mapping[str, tuple[Source, str]] = MappingProxyType({})
    of_items: tuple[str, ...] = ()

    @property
    def rated(self) -> tuple[str, ...]:
        """The columns of ratings."""
        return self.raters if self.rating is None else (self.rating,)

    @property
    def names_items(self) -> bool:
        """Whether a file with one column per rater also has a column of item names."""
        return self.item is not None and self.rating is None

    @property
    def named(self) -> tuple[str, ...]:
        """The columns of items and raters."""
        return tuple(name for name in (self.item, self.rater) if name is not None)

    @property
    def are_of_raters(self) -> bool:
        """Whether each file contains the ratings of one rater."""
        return self.rater == RATER

    def read(
        self,
        source: Source,
        reading: Reading,
        others: Sequence[str] = (),
        text: Sequence[str] = (),
        *,
        are_scores: bool = False,
        separator: str | None = None,
    ) -> dict[str, Any]:
        """Return the columns of ratings, items and raters, and any other requested columns.

        Items, raters and the columns ``text`` are read as strings. With a separator, ratings are
        split into lists of labels.

        Raises
        ------
        RatingsError
            If a file cannot be read, a column does not exist, or a rater to keep has no row.
        """
        text = [*self.named, *text]
        if self.files:
            arrays = self._joined(reading, [self.item or "", *others], text, are_scores, separator)
        else:
            own = [*self.named, *others]
            arrays = _read(source, reading, self.rated, own, text, are_scores, separator)
        return arrays if self.rating is None else self._of_chosen(arrays)

    def _joined(
        self,
        reading: Reading,
        own: Sequence[str],
        text: Sequence[str],
        are_scores: bool,
        separator: str | None,
    ) -> dict[str, Any]:
        """Return the columns of ratings, items and raters, concatenated from all files."""
        rating, rater, parts = self.rated[0], self.rater or "", []
        sources = [source for source, _ in self.files.values()]
        columns = [column_names(one.files[0], one.text_format) for one in sources]
        inherited = [name for name in self.of_items if any(name in there for there in columns)]
        for (of_file, (source, name)), there in zip(self.files.items(), columns):
            names_raters = not self.are_of_raters and rater in there
            texts = [name if one == rating else one for one in text if one != RATER]
            others = [*own, rater] if names_raters else own
            others = [one for one in others if one in there or one not in inherited]
            part = _read(source, reading, [name], others, texts, are_scores, separator)
            names = part[rater] if names_raters else as_array([of_file] * len(part[name]), rater)
            parts.append({**part, rating: part[name], rater: names.cast("string")})
        for column in inherited:
            _add_column(parts, self.item or "", column)
        for name in (rating, *own):
            types = {str(part[name].type) for part in parts}
            if len(types) > 1 and any("string" in one for one in types):
                # If all labels in a rater's file look like numbers, they are read as numbers.
                # Convert them to strings, like the labels of the other raters.
                for part in parts:
                    part[name] = as_strings(name, part[name], are_sets=separator is not None)
        return joined(parts, [rating, *own, rater], [source.name for source in sources])

    def _of_chosen(self, arrays: dict[str, Any]) -> dict[str, Any]:
        """Return only those rows that belong to the chosen raters."""
        chosen = self.raters or (tuple(self.files) if self.are_of_raters else ())
        if not chosen:
            return arrays
        raters = arrays[self.rater or ""]
        there = raters.unique().to_pylist()
        for name in chosen:
            if name not in there:
                known = [other for other in there if other is not None]
                raise RatingsError(
                    f"column {self.rater!r} has no rater {name!r}.{did_you_mean(name, known)}"
                )
        others = np.array([name not in chosen for name in raters.to_pylist()])
        kept = {name: without(array, others) for name, array in arrays.items()}
        return {**kept, self.rater or "": with_order(kept[self.rater or ""].cast("string"), chosen)}


def _add_column(parts: Sequence[dict[str, Any]], item: str, column: str) -> None:
    """Add a column to parts that lack it. Look up their items in the other parts."""
    known: dict[Any, Any] = {}
    several = set()
    for part in parts:
        if column in part:
            for one, value in zip(part[item].to_pylist(), part[column].to_pylist()):
                if known.setdefault(one, value) != value:
                    several.add(one)
    for part in parts:
        if column not in part:
            items = part[item].to_pylist()
            for one in items:
                if one is not None and (one in several or one not in known):
                    problem = (
                        f"has more than one {column!r} in the files that contain this column"
                        if one in several
                        else f"occurs only in files without the column {column!r}"
                    )
                    raise RatingsError(f"item {one!r} {problem}: add the column to each file.")
            part[column] = as_array(list(map(known.get, items)), column)


def _read(
    source: Source,
    reading: Reading,
    rated: Sequence[str],
    others: Sequence[str],
    text: Sequence[str],
    are_scores: bool,
    separator: str | None,
) -> dict[str, Any]:
    if are_scores:
        return reading.columns(source, (), others, text=text, scores=rated)
    arrays = reading.columns(source, rated, others, text=text)
    if separator is not None:
        arrays |= {name: lists_of(arrays[name], separator) for name in rated}
    return arrays


class RatersRead(NamedTuple):
    """The ratings in all rows and in each group, and the names of the items if they are known.

    Groups are sorted, and use the same labels as ``whole``. If one of the raters is a model, only
    ``everyone`` and ``groups_of_everyone`` include its ratings and labels. ``columns`` are the
    columns that were read. ``remarks`` are messages about the ratings and groups.
    ``labels_are_given`` is True if labels are given with ``--labels`` instead of being taken from
    the ratings. ``arrays`` holds the values of the columns.
    """

    whole: Ratings
    everyone: Ratings
    groups: dict[Any, Ratings]
    groups_of_everyone: dict[Any, Ratings]
    items: AnyArray | None
    columns: RaterColumns
    remarks: tuple[str, ...] = ()
    labels_are_given: bool = False
    arrays: Mapping[str, Any] = MappingProxyType({})
    duplicates: Any = "error"

    def in_columns(self, group: str) -> dict[str, Any]:
        """Return the columns with one row per item and group, and one column per rater."""
        arrays = dict(self.arrays)
        if self.columns.rating is None:
            return arrays
        item, rater = self.columns.named
        ratings, raters = arrays[self.columns.rating], np.array(arrays[rater].to_pylist())
        missing = find_missing(ratings)
        is_rated = np.ones(len(raters), bool) if missing is None else ~missing
        items, groups = (codes_of(arrays[name]).astype(np.int64) for name in (item, group))
        keys = items * (int(groups.max()) + 2) + groups
        _, rows, row_of = np.unique(keys, return_index=True, return_inverse=True)
        wide = {name: array.take(rows) for name, array in arrays.items()}
        for name in self.everyone.rater_names or ():
            found = np.flatnonzero(is_rated & (raters == name))
            # If a rater rated an item several times, the assignment below keeps the last rating. To
            # keep the first rating instead, reverse the order.
            found = found[::-1] if self.duplicates == "first" else found
            places = np.full(len(rows), -1)
            places[row_of[found]] = found
            wide[name] = ratings.take(as_array([None if i < 0 else i for i in places], name))
        return wide


def read_raters(
    source: Source,
    columns: RaterColumns,
    reading: Reading,
    group: str | None = None,
    cluster: str | None = None,
    *,
    duplicates: Any = "error",
    separator: str | None = None,
    model: str | None = None,
) -> RatersRead:
    """Read the ratings of several raters, and split them by group.

    Parameters
    ----------
    source : Source
        The source to read, unless ``columns`` names several files.
    columns : RaterColumns
        Columns of the raters.
    reading : Reading
        Options for reading ratings. If missing ratings are dropped, groups can also be missing.
        Rows without a group are then included only in the ratings of all rows.
    group, cluster : str, default=None
        Columns with the group of each row and the cluster of each item.
    duplicates : {'error', 'first', 'last'}, default='error'
        Whether to raise an error, or to use the first or last rating, if a rater has rated an item
        several times.
    separator : str, default=None
        Separator between labels if each rating is a set of labels.
    model : str, default=None
        The rater that is a model.

    Raises
    ------
    ValueError
        If the file cannot be read, a column does not exist, ratings are missing or cannot be
        class labels, the columns have ratings of different kinds, a rater has rated an item twice,
        or a rating has no item or rater.
    ImportError
        If pyarrow is not installed.
    """
    item, rater = columns.item or "", columns.rater or ""
    rated, of_clusters = columns.rated, [] if cluster is None else [cluster]
    text = of_clusters if separator is None else [*of_clusters, *rated]
    others = of_clusters if group is None else [*of_clusters, group]
    arrays = columns.read(source, reading, others, text, separator=separator)
    remarks: list[str] = []
    if group is not None and columns.rating is not None:
        remarks += separate_occasions(arrays, item, rater, group)
    named = [*columns.named, *of_clusters]
    checked = {name: array for name, array in arrays.items() if name not in named}
    advice = NA_LABELS if separator is None else f" {BLANK_SETS}"
    reading.check_missing(checked, "such ratings", advice=advice)
    known = None
    if separator is None:
        known = reading.known({name: arrays[name] for name in rated})

    def ratings_of(arrays: Mapping[str, Any], labels: Any) -> Ratings:
        clusters = None if cluster is None else arrays[cluster]
        ratings = {name: arrays[name] for name in rated if name in arrays}
        silent = [name for name, array in ratings.items() if array.null_count == len(array)]
        if columns.rating is None and 0 < len(silent) < len(ratings):
            warn(f"{listed(silent)} rated no item. The report counts only the other raters.")
            ratings = {name: array for name, array in ratings.items() if name not in silent}
        if separator is not None:
            ratings = {name: array.to_pylist() for name, array in ratings.items()}
        if columns.rating is None:
            return Ratings.from_raters(ratings, labels=labels, clusters=clusters)
        return Ratings.from_long(
            item=arrays[item],
            rater=arrays[rater],
            rating=ratings[columns.rating],
            cluster=clusters,
            labels=labels,
            duplicates=duplicates,
        )

    used = {name: arrays[name] for name in [*rated, *named, *others]}
    said = names_of_columns(cluster)
    if columns.rating is not None:
        said["rating has"] = f"column {columns.rating!r} has"
    with arguments_named(**said) if said else nullcontext():
        whole = ratings_of(used, known)
    whole.warn_of_form()
    if columns.files and separator is None:
        warn_of_few_shared(whole)
    if separator is not None and len(whole.labels) > LARGEST_NUMBER_OF_LABELS:
        raise RatingsError(
            f"the ratings contain {len(whole.labels)} different sets of labels, but a table can"
            f" have at most {LARGEST_NUMBER_OF_LABELS}: merge labels, or leave out rare ones."
        )
    if separator is not None:
        warn_of_separator(whole.labels, separator)
    elif known is None:
        reading.on_sorted(whole.labels)

    def in_groups() -> dict[Any, Ratings]:
        groups: dict[Any, Ratings] = {}
        for value, part in () if group is None else split_by(group, used):
            try:
                groups[value] = _of_part(part, whole.labels, ratings_of)
            except ValueError as error:
                raise RatingsError(f"group {value!r}: {error}") from error
        return groups

    everyone, of_everyone = whole, in_groups()
    groups = of_everyone
    if model is not None and everyone.n_raters > 2:
        used = _without_rater(model, columns, used, everyone)
        whole = _of_part(used, known, ratings_of)
        groups = in_groups()
    if separator is not None:
        remarks += blank_sets(arrays, rated)
    if group is not None:
        remarks += rows_without_group(arrays, group)
    if duplicates != "error":
        remarks += replaced_ratings(arrays, item, rater, rated[0], duplicates)
    items, are_given = _names_of_items(columns, arrays, whole, cluster), reading.labels is not None
    return RatersRead(
        whole,
        everyone,
        groups,
        of_everyone,
        items,
        columns,
        tuple(remarks),
        are_given,
        used,
        duplicates,
    )


def _without_rater(
    name: str, columns: RaterColumns, arrays: dict[str, Any], ratings: Ratings
) -> dict[str, Any]:
    """Return the columns without a rater, or raise an error if the rater does not exist."""
    known = ratings.rater_names or ()
    if name not in known:
        listed = first_of_many(list(map(repr, known)), MOST_SHOWN)
        raise RatingsError(
            f"--model must name a rater ({listed}), got {name!r}.{did_you_mean(name, known)}"
        )
    if columns.rater is None:
        return {column: array for column, array in arrays.items() if column != name}
    is_rater = np.array([one == name for one in arrays[columns.rater].to_pylist()])
    return {column: without(array, is_rater) for column, array in arrays.items()}


def _names_of_items(
    columns: RaterColumns, arrays: Mapping[str, Any], whole: Ratings, cluster: str | None
) -> AnyArray | None:
    """Return the names of the items, or None if no column names them."""
    if columns.item is None:
        return None
    if columns.rating is not None:
        subjects = whole.counted.subjects
        return None if subjects is None else subjects.items
    names = np.array(arrays[columns.item].to_pylist(), object)
    found, counts = np.unique(names.astype(str), return_counts=True)
    if len(found) < len(names):
        twice, remedy = str(found[counts > 1][0]), ": keep one row."
        if cluster and len({*zip(names, arrays[cluster].to_pylist())}) == len(names):
            remedy = (
                f". The ids seem to restart in each cluster of {cluster!r}: leave out --item, or"
                " add the cluster to each id."
            )
        raise RatingsError(
            f"column {columns.item!r} contains item {twice!r} more than once{remedy}"
        )
    return names


def _of_part(
    columns: Mapping[str, Any], labels: Any, ratings_of: Callable[[Mapping[str, Any], Any], Ratings]
) -> Ratings:
    """Return the ratings of some rows or raters, without repeating earlier warnings."""
    with catch_warnings():
        simplefilter("ignore", UserWarning)
        return ratings_of(columns, labels)
