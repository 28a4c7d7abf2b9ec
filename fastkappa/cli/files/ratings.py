"""Two columns of ratings in a file, counted for the command line.

The file is read a batch at a time, and only the columns asked for. Its words for what is
wrong name the command line's options.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from fastkappa.engines.arrow_files import OnProgress, count_path, format_of, ignore_progress
from fastkappa.engines.counted import SourceCounts, finish, finish_groups, kind_of, n_first_among
from fastkappa.engines.ratings import Columns, Kind, RatingsError, Wanted
from fastkappa.engines.running_table import RunningTable


def count_ratings(
    path: Path,
    y1: str,
    y2: str,
    *,
    labels: str | None = None,
    drop_missing: bool = False,
    on_progress: OnProgress = ignore_progress,
) -> SourceCounts:
    """Count the ratings of two raters in two columns of a file.

    Parameters
    ----------
    path : Path
        A file whose format its suffix tells, one of `fastkappa.engines.arrow_files.SUFFIXES`.
    y1, y2 : str
        The column of the first and of the second rater; they may be the same one.
    labels : str, default=None
        The labels of the table in their order, written as ``a,b,c``. None takes all that
        occur, sorted.
    drop_missing : bool, default=False
        Whether rows with a missing rating are left out. They are an error otherwise.
    on_progress : callable
        Called every now and then with the number of bytes read so far.

    Returns
    -------
    counts : SourceCounts

    Raises
    ------
    RatingsError
        If the file cannot be read, a column is not there, ratings are missing or are no
        class labels, there are too many of these, the two columns hold different kinds of
        them, or no rating of the first rater is among the labels.
    ImportError
        If pyarrow is not installed.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fastkappa.cli.files.ratings import count_ratings
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "ratings.csv")
    ...     _ = path.write_text("left,right\\n0,1\\n2,2\\n")
    ...     counts = count_ratings(path, "left", "right")
    >>> counts.labels
    array([0, 1, 2])
    """
    return finish(*_read(path, Columns(y1, y2), labels, drop_missing, on_progress))


def count_groups(
    path: Path,
    y1: str,
    y2: str,
    group: str,
    *,
    labels: str | None = None,
    drop_missing: bool = False,
    on_progress: OnProgress = ignore_progress,
) -> dict[Any, SourceCounts]:
    """Count the ratings of two raters in each group of the rows of a file.

    Parameters
    ----------
    path, y1, y2, labels, drop_missing, tell
        As for `count_ratings`.
    group : str
        The column of the group.

    Returns
    -------
    counts : dict
        The `SourceCounts` of each group, sorted, all with the same labels. Rows without a
        group are last, as that of None, where missing ratings may be dropped.

    Raises
    ------
    RatingsError
        As by `count_ratings`, and if a group is missing, unless such rows are dropped.
    ImportError
        If pyarrow is not installed.
    """
    groups = finish_groups(
        *_read(path, Columns(y1, y2, group=group), labels, drop_missing, on_progress)
    )
    if None in groups and not drop_missing:
        raise RatingsError(
            f"the group is missing in column {group!r} of {groups[None].n_rows} rows."
            " --missing drop leaves such rows out."
        )
    return groups


def _read(
    path: Path, columns: Columns, labels: str | None, drop_missing: bool, on_progress: OnProgress
) -> tuple[RunningTable, list[Any] | None]:
    """Count a file, and return the counts and the labels asked for, or say what is wrong."""
    y1, y2 = columns.y1, columns.y2
    wanted = None if labels is None else Wanted(_split(labels))
    remedy = "--labels names those to take."
    tally = RunningTable(columns, wanted=wanted, remedy=remedy)
    format_of(path)  # a folder without a suffix is refused as a file would be
    if path.is_dir():
        raise RatingsError(f"{path} is a directory, not a file.")
    count_path(tally, path, on_progress)
    if tally.n_rows == 0:
        raise RatingsError(f"{path} has no rows.")
    all_labels = finish(tally)
    if any(all_labels.missing) and not drop_missing:
        raise RatingsError(_about_missing((y1, y2), all_labels))
    if all_labels.n_dropped == tally.n_rows:
        raise RatingsError(f"no rows are left: all {tally.n_rows} of {path} have a missing rating.")
    for axis in tally.axes[1:]:
        if axis.kind in ("dates", "times"):
            raise RatingsError(
                f"column {axis.column!r} holds values of type {axis.kind[:-1]}: ratings must be"
                " whole numbers, strings or booleans."
            )
    if labels is None:
        return tally, None
    known = parse_labels(labels, kind_of(tally))
    if not finish(tally, known).table.any() and not n_first_among(tally, known):
        raise RatingsError(f"none of the ratings in column {y1!r} is among the labels.")
    return tally, known


def parse_labels(text: str, kind: Kind | None) -> list[Any]:
    """Return labels written as ``a,b,c`` in the type of the ratings.

    A label with a comma in it goes in double quotes.

    Examples
    --------
    >>> from fastkappa.cli.files.ratings import parse_labels
    >>> parse_labels("3,1,2", "integers")
    [3, 1, 2]
    """
    labels = _split(text)
    if kind == "strings":
        return labels
    if kind == "booleans":
        return [_parse_boolean(label) for label in labels]
    return [_parse_integer(label) for label in labels]


def _split(text: str) -> list[str]:
    labels = next(csv.reader([text], skipinitialspace=True), [])
    labels = [label.strip() for label in labels]
    if not any(labels):
        raise RatingsError("--labels names no label.")
    return labels


def _about_missing(columns: tuple[str, str], counts: SourceCounts) -> str:
    counted = dict(zip(columns, counts.missing))
    told = " and ".join(f"{n} in column {name!r}" for name, n in counted.items() if n)
    return (
        f"ratings are missing: {told}, of {counts.n_rows} rows. --missing drop leaves such rows"
        " out."
    )


def _parse_integer(label: str) -> int:
    try:
        return int(label)
    except ValueError:
        raise RatingsError(f"--labels has {label!r}, but the ratings are integers.") from None


def _parse_boolean(label: str) -> bool:
    try:
        return {"true": True, "false": False}[label.lower()]
    except KeyError:
        raise RatingsError(f"--labels has {label!r}, but the ratings are true and false.") from None
