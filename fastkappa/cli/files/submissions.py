"""Files of predictions ranked against a file of the true labels, for the command line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from glob import glob
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.cli.files.ratings import (
    ADVICE,
    OnSorted,
    declared_labels,
    ignore_sorted,
    parse_codes,
    parse_labels,
)
from fastkappa.cli.progress import Bar
from fastkappa.cli.reports.leaderboard import ranks_so_far
from fastkappa.columns.label_order import shown
from fastkappa.columns.missing import find_missing, without
from fastkappa.engines.arrow_columns import declared_order, distinct_ratings, kind_of_column
from fastkappa.engines.arrow_files import SUFFIXES, OnProgress, files_of, read_columns
from fastkappa.engines.arrow_missing import mark_missing
from fastkappa.engines.counted import in_order
from fastkappa.engines.ratings import (
    LARGEST_NUMBER_OF_LABELS,
    RatingsError,
    refuse_outside,
)
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.kernels.threads import available_threads
from fastkappa.leaderboards.builder import LeaderboardBuilder, MismatchError, OnMismatch
from fastkappa.leaderboards.table import Leaderboard
from fastkappa.statistics.weights import Weights

ODD_STRINGS = (
    "give --missing-codes if they stand for missing labels, or --labels if they are labels."
)


def submission_files(paths: Sequence[Path]) -> list[Path]:
    """Return the files that paths, folders and patterns such as ``*.csv`` stand for.

    The files of a folder are those that `fastkappa.confusion_from_table` reads there.
    """
    files: list[Path] = []
    for path in paths:
        if path.exists():
            files += _files_at(path)
        else:
            matches = sorted(glob(str(path), recursive=True))
            # Without a match it is a file that is not there, and has a row that says so.
            files += [file for match in matches for file in _files_at(Path(match))] or [path]
    return files


def _files_at(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = files_of(path)
    if not files:
        raise RatingsError(
            f"{path} has no file of a format known by its suffix: {', '.join(SUFFIXES)}."
        )
    return files


def rank_files(
    truth: Path,
    submissions: Sequence[Path],
    id_column: str,
    target: str,
    *,
    weights: Weights = None,
    labels: str | None = None,
    cluster: str | None = None,
    n_resamples: int = 1000,
    missing_codes: str | None = None,
    on_mismatch: OnMismatch = "raise",
    on_sorted: OnSorted = ignore_sorted,
    on_left_out: Callable[[str], None] = print,
    bar: Bar,
) -> Leaderboard:
    """Return the leaderboard of files, reading one at a time.

    A file that cannot be scored has a row that says why. The same files give the same
    result: random groups and replicates are drawn from a fixed seed.

    Parameters
    ----------
    truth : Path
        The file of the true labels. Its format and those of the others are known by their
        suffixes.
    submissions : sequence of Path
    id_column, target : str
        The columns of the items' ids and of their labels, in all files.
    weights : {'linear', 'quadratic'} or None, default=None
        Disagreement weights.
    labels : str, default=None
        The labels to take into account in their order, written as ``a,b,c``; items with
        another one are left out. None takes the order that the truth declares, else those
        that occur, sorted.
    n_resamples : int, default=1000
        How many bootstrap replicates to draw.
    missing_codes : str, default=None
        Values that stand for a missing label, written as ``a,b,c``. An item that has one in
        the truth is left out of all files; one that has it in another file is not there.
    on_mismatch : {'raise', 'drop'}, default='raise'
        Whether a file whose ids are not those of the truth cannot be scored, or is scored
        on the items that it has once.
    on_sorted : callable
        Called with the true labels if their order is neither given nor declared.
    on_left_out : callable
        Called with a text that says how many items of the truth are left out, if any.
    bar : Bar
        Where progress is shown, and the ranks so far.

    Returns
    -------
    board : Leaderboard

    Raises
    ------
    ValueError
        If the truth cannot be read or has no ids or labels that can be used.
    ImportError
        If pyarrow is not installed.
    """
    on_progress = bar.starts(truth)
    reader = _Reader(id_column, target, missing_codes, labels)
    ids, true_labels, left_out = reader.read(truth, on_progress)
    if left_out:
        n = f"{len(left_out)} {'item' if len(left_out) == 1 else 'items'}"
        on_left_out(f"{n} of {truth} left out: their label in column {target!r} is missing.")
    declared = None if labels is not None else declared_labels({target: true_labels})
    known = declared if labels is None else _parsed(labels, true_labels)
    if known is None and kind_of_column(true_labels) == "strings":
        on_sorted(np.array(in_order(distinct_ratings(true_labels, target), "strings")))
    try:
        board = LeaderboardBuilder(
            true_labels,
            weights=weights,
            labels=known,
            ids=ids,
            on_mismatch=on_mismatch,
            clusters=None if cluster is None else reader.clusters(truth, cluster, left_out),
            n_resamples=n_resamples,
            confidence=0.95,
            rng=0,
            kernels=get_kernels(),
            num_threads=available_threads(),
        )
    except ValueError as error:
        raise RatingsError(f"{truth} cannot be the truth: {error}") from error
    for file in submissions:
        on_progress = bar.starts(file)
        try:
            of_file = reader.read(file, on_progress, left_out)[:2]
            if labels is None:
                _check_order(declared, of_file[1], target, weights)
            board.add([str(file)], [of_file])
        except MismatchError as error:
            why = f"its ids are not those of {truth}: {error.mismatch}."
            board.fail(str(file), f"{why} --mismatch drop leaves such items out.")
        except (ValueError, TypeError) as error:
            # The name stands beside it already.
            why = " ".join(str(error).split()).removeprefix(f"{file} ")
            board.fail(str(file), why)
        bar.shows(ranks_so_far(board.kappas))
    return board.ranked()


def _parsed(labels: str, true_labels: Any) -> list[Any]:
    """Return the labels that a user wrote, in the type of the true ones."""
    return parse_labels(labels, kind_of_column(true_labels))


def _check_order(declared: list[Any] | None, predicted: Any, target: str, weights: Weights) -> None:
    """Raise if a file declares another order of labels than the truth, or has other labels."""
    own = declared_order(predicted, target)
    if declared is not None:
        if own is not None and list(own) != declared:
            raise RatingsError(
                f"column {target!r} declares the order of labels {shown(own)}, and the truth"
                f" {shown(declared)}. {ADVICE.order}"
            )
        refuse_outside(distinct_ratings(predicted, target), tuple(declared), target, ADVICE)
    elif own is not None and weights is not None:
        raise RatingsError(
            f"column {target!r} declares the order of labels {shown(own)}, and the truth none."
            f" {ADVICE.order}"
        )


class _Reader(NamedTuple):
    """Reads the ids and the labels of files."""

    id_column: str
    target: str
    missing_codes: str | None
    labels: str | None

    def read(
        self, file: Path, on_progress: OnProgress, left_out: Collection[Any] = ()
    ) -> tuple[Any, Any, set[Any]]:
        """Return ids, labels, and the ids whose label is missing, which are not among them.

        Items of the ids ``left_out`` are not either.
        """
        ids, labels = _read(file, self.id_column, self.target, on_progress)
        marked_labels = mark_missing(
            file,
            self.target,
            labels,
            parse_codes(self.missing_codes),
            odd="raise" if self.labels is None else "keep",
            advice=ADVICE._replace(odd_strings=ODD_STRINGS),
        )
        mask = find_missing(marked_labels)
        missing = set() if mask is None else set(without(ids, ~mask).to_pylist())
        if left_out:
            among = _are_among(ids, left_out)
            mask = among if mask is None else mask | among
        if mask is None:
            return ids, marked_labels, missing
        return without(ids, mask), without(marked_labels, mask), missing

    def clusters(self, file: Path, cluster: str, left_out: Collection[Any]) -> Any:
        """Return the clusters of the items, but for those of the ids ``left_out``."""
        columns = read_columns(file, list(dict.fromkeys((self.id_column, cluster))), text=[cluster])
        found = columns[cluster]
        return without(found, _are_among(columns[self.id_column], left_out)) if left_out else found


def _are_among(ids: Any, some: Collection[Any]) -> NDArray[np.bool_]:
    return np.array([item in some for item in ids.to_pylist()], bool)


def _read(file: Path, id_column: str, target: str, on_progress: OnProgress) -> tuple[Any, Any]:
    """Return the ids and the labels in a file, or raise."""
    columns = read_columns(file, list(dict.fromkeys((id_column, target))), on_progress)
    for name, column in columns.items():
        if column.null_count:
            raise RatingsError(
                f"column {name!r} of {file} has {column.null_count} missing values in its"
                f" {len(column)} rows."
            )
        if "binary" in str(column.type):
            raise RatingsError(f"column {name!r} of {file} holds text that is not UTF-8.")
    n_labels = len(columns[target].unique())
    if n_labels > LARGEST_NUMBER_OF_LABELS:
        raise RatingsError(
            f"column {target!r} of {file} holds {n_labels} different values, more than the"
            f" {LARGEST_NUMBER_OF_LABELS} labels a table is made for: is it a label?"
        )
    return columns[id_column], columns[target]
