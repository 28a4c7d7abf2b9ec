"""The ratings of several raters in a file, read for the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fastkappa.cli.files.ratings import (
    OnSorted,
    check_missing,
    declared_labels,
    ignore_sorted,
    marked,
    parse_labels,
)
from fastkappa.columns.missing import find_missing
from fastkappa.engines.arrow_columns import distinct_ratings, split_by
from fastkappa.engines.arrow_files import OnProgress, ignore_progress, read_columns
from fastkappa.engines.ratings import (
    LARGEST_NUMBER_OF_LABELS,
    MEASUREMENTS,
    Kind,
    RatingsError,
)
from fastkappa.multirater import Ratings

# The kind of labels by the kind of their dtype.
KINDS: dict[str, Kind] = {"U": "strings", "O": "strings", "b": "booleans"}


def read_raters(
    path: Path,
    raters: Sequence[str],
    group: str | None = None,
    *,
    labels: str | None = None,
    drop_missing: bool = False,
    missing_codes: str | None = None,
    on_sorted: OnSorted = ignore_sorted,
    on_progress: OnProgress = ignore_progress,
) -> tuple[Ratings, dict[Any, Ratings]]:
    """Read the ratings of several raters, and those of each group of the subjects.

    Parameters
    ----------
    path : Path
        A file of a format known by its suffix, one of `fastkappa.engines.arrow_files.SUFFIXES`.
    raters : sequence of str
        The raters' columns.
    group : str, default=None
        The column of the group.
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
    names = list(dict.fromkeys([*raters, *([] if group is None else [group])]))
    arrays = read_columns(path, names, on_progress)
    ratings = marked(
        path,
        {name: arrays[name] for name in raters},
        missing_codes,
        labels=labels,
        drop_missing=drop_missing,
    )
    arrays |= ratings
    if not drop_missing:
        masks = {name: find_missing(array) for name, array in arrays.items()}
        n_missing = {name: int(mask.sum()) for name, mask in masks.items() if mask is not None}
        check_missing(n_missing, len(arrays[names[0]]), "such ratings")
    for name, array in ratings.items():
        # What cannot be the label of two raters is not that of more.
        distinct_ratings(array, name)
    declared = None if labels is not None else declared_labels(ratings)
    whole = Ratings.from_raters(ratings, labels=declared)
    if labels is not None:
        kind = KINDS.get(whole.labels.dtype.kind, "integers")
        whole = Ratings.from_raters(ratings, labels=parse_labels(labels, kind))
    if len(whole.labels) > LARGEST_NUMBER_OF_LABELS:
        raise RatingsError(
            f"the columns hold {len(whole.labels)} different ratings, more than the"
            f" {LARGEST_NUMBER_OF_LABELS} labels a table is made for: are they ratings?"
            f" {MEASUREMENTS}"
        )
    if labels is None and declared is None:
        on_sorted(whole.labels)
    if group is None:
        return whole, {}
    return whole, {
        value: Ratings.from_raters(part, labels=whole.labels)
        for value, part in split_by(arrays[group], ratings)
    }
