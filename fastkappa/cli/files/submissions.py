"""Rank files of predictions against a file of true labels, for the command line."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from glob import glob
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from fastkappa.cli.files.reading import REMEDIES, Reading, refuse_outside
from fastkappa.cli.files.submission import Reader
from fastkappa.cli.progress import Bar
from fastkappa.cli.reports.leaderboard import ranks_so_far
from fastkappa.formatting import count_text, first_of_many
from fastkappa.kernels.threads import available_threads, read_ahead
from fastkappa.leaderboards.builder import (
    LeaderboardBuilder,
    MismatchError,
    OtherLabelsError,
    scales_of,
)
from fastkappa.leaderboards.leaderboard_options import LeaderboardOptions
from fastkappa.leaderboards.leaderboard_result import Leaderboard
from fastkappa.leaderboards.splits import Splits
from fastkappa.ratings.interop import strings_in_arrow
from fastkappa.ratings.label_order import shown
from fastkappa.ratings.lengths import CHECK_IDS
from fastkappa.sources.arrow_columns import as_array, declared_order
from fastkappa.sources.arrow_files import naming
from fastkappa.sources.arrow_folders import warn_of_displaced
from fastkappa.sources.arrow_paths import IN_FOLDERS, is_read_of_folder, matching, visible_files
from fastkappa.sources.source_ratings import RatingsError, not_numeric
from fastkappa.sources.text.arrow_text import with_point
from fastkappa.sources.text.text_format import PLAIN, TextFormat
from fastkappa.statistics.weights import Weights

# The number of files to read ahead, large enough to keep all threads busy.
READ_AHEAD = 8
# The number of files scored together. If files were scored one by one, half of the time would be
# spent in Python code.
AT_ONCE = 16
# The largest number of files named in the warning about other label columns.
OTHERS_NAMED = 3
# The largest number of splits. A column with more values is probably not a column of splits.
MOST_SPLITS = 20


def submission_files(
    paths: Sequence[Path], truth: Path, on_left_out: Callable[[str], None]
) -> list[Path]:
    """Return the files named by paths, folders and patterns such as ``*.csv``.

    In a folder, only the files that `fastkappa.confusion_from_source` can read are used.
    ``on_left_out`` is called with a message that names the other files. The truth file is left out,
    unless it is named directly. A file that is named several times is returned only once.
    """
    files: list[Path] = []
    for path in paths:
        if path.is_file():
            files.append(path)
            continue
        places = [path] if path.exists() else map(Path, sorted(glob(str(path), recursive=True)))
        found = [file for place in places for file in _files_at(place, on_left_out)]
        # A path that matches no file is kept, so that the result has a row for the missing file.
        files += [file for file in found if not _is_same(file, truth)] or [path]
    return list({os.path.abspath(file): file for file in reversed(files)}.values())[::-1]


def truth_file(path: Path) -> Path:
    """Return the file of true labels, or raise if the path is a folder or matches several files."""
    files = matching(str(path))
    if len(files) > 1 or files[0].is_dir():
        raise RatingsError(
            f"the truth must be one file, got the {'pattern' if len(files) > 1 else 'folder'}"
            f" {path}: combine its files into one."
        )
    return files[0]


def _is_same(file: Path, other: Path) -> bool:
    return file.exists() and other.exists() and file.samefile(other)


def _files_at(path: Path, on_left_out: Callable[[str], None]) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = visible_files(path)
    files = [file for file in found if is_read_of_folder(file)]
    suffixes = ", ".join(IN_FOLDERS)
    if not files:
        raise RatingsError(f"{path} contains no files with a supported suffix ({suffixes}).")
    others = [str(file) for file in found if not is_read_of_folder(file)]
    if others:
        named = ", ".join(others[:OTHERS_NAMED]) + (", ..." if others[OTHERS_NAMED:] else "")
        on_left_out(
            f"{len(others)} of {len(found)} files of {path} left out: {named}. In a folder, only"
            f" files ending in {suffixes} are read. Name other files directly."
        )
    return files


def names_by_pattern(files: Sequence[Path], pattern: str) -> dict[str, str]:
    """Return the name of each file, which is the part of its path that the regex group matches.

    Raises
    ------
    RatingsError
        If the pattern is not a regular expression with one group, does not match a path, or finds
        the same name in two paths.
    """
    try:
        expression = re.compile(pattern)
    except re.error as error:
        raise RatingsError(
            f"--name-pattern {pattern!r} is not a regular expression: {error}."
        ) from error
    if expression.groups != 1:
        raise RatingsError(
            f"--name-pattern must have exactly one group in parentheses, got {expression.groups} in"
            f" {pattern!r}. For example, 'team-(.+)[.]csv' extracts the name a from team-a.csv."
        )
    names: dict[str, str] = {}
    for file in map(str, files):
        found = expression.search(file)
        if found is None or not found[1]:
            raise RatingsError(f"--name-pattern {pattern!r} does not match the file name {file}.")
        twin = next((other for other, name in names.items() if name == found[1]), None)
        if twin is not None:
            raise RatingsError(
                f"--name-pattern {pattern!r} extracts the name {found[1]!r} from both {twin} and"
                f" {file}, but each file must have a different name."
            )
        names[file] = found[1]
    return names


def rank_files(
    truth: Path,
    submissions: Sequence[Path],
    id_column: str,
    target: str,
    options: LeaderboardOptions,
    reading: Reading,
    *,
    cluster: str | None = None,
    sample_weight: str | None = None,
    split: str | None = None,
    on_left_out: Callable[[str], None] = print,
    text_format: TextFormat = PLAIN,
    bar: Bar,
) -> dict[str | None, Leaderboard]:
    """Return the leaderboard of the files, or one leaderboard per split of the items.

    A file that cannot be scored has a row with the reason. The same files and seed give the same
    result.

    Parameters
    ----------
    truth : Path
        File of the true labels. The suffixes of this file and of the submissions determine their
        formats.
    submissions : sequence of Path
        Files of predictions.
    id_column, target : str
        Columns of the item ids and of the labels, in all files.
    options : LeaderboardOptions
        Weights, number of replicates, and treatment of unknown ids and labels.
    reading : Reading
        Options for reading labels. If labels are given, items with any other true label are left
        out. If missing labels are dropped, an item without a true label is left out of all files,
        and an item without a predicted label counts as missing from the submission.
    cluster, sample_weight, split : str, default=None
        Columns of the truth: the cluster of each item (the bootstrap draws clusters), its weight,
        and its split, such as public or private.
    on_left_out : callable
        Called with a message about the number of items left out of the truth, if any.
    text_format : TextFormat, optional
        Format of text files that are not UTF-8 or whose suffix does not imply the delimiter.
    bar : Bar
        Progress bar, which also shows the ranks so far.

    Returns
    -------
    boards : dict of Leaderboard
        One leaderboard per split. The keys are the names of the splits, in sorted order. Without
        splits, the only key is None.

    Raises
    ------
    ValueError
        If the truth file cannot be read, or has no usable ids or labels.
    ImportError
        If pyarrow is not installed.
    """
    on_progress = bar.starts(truth)
    reader = Reader(id_column, target, reading, text_format).with_zeros_of(truth)
    with naming(truth):
        ids, true_labels, left_out = reader.read(truth, on_progress)
        ids.validate(full=True)
    if left_out:
        n = count_text(len(left_out), "item")
        on_left_out(f"{n} of {truth} left out because the label is missing in column {target!r}.")
    compared = {str(file): file for file in (truth, *submissions[:AT_ONCE])}
    warn_of_displaced(compared, id_column, {target, cluster, sample_weight, split}, text_format)
    known = reading.known({target: true_labels})
    clusters = None if cluster is None else reader.values(truth, cluster, left_out)
    weights = None
    if sample_weight is not None:
        texts = reader.values(truth, sample_weight, left_out)
        weights = _numbers(texts, truth, sample_weight, text_format.decimal)
    splits: Splits | None = None
    parts: dict[str | None, Any] = {None: None}
    try:
        if split is not None:
            names = _named_splits(reader.values(truth, split, left_out), split)
            splits = Splits(ids, names)
            parts = dict(splits.positions.items())
        boards = {
            name: LeaderboardBuilder(
                _at(true_labels, positions),
                replace(options, labels=known),
                ids=_at(ids, positions),
                clusters=_at(clusters, positions),
                sample_weight=_at(weights, positions),
            )
            for name, positions in parts.items()
        }
    except ValueError as error:
        raise RatingsError(f"{truth} cannot be used as the truth: {error}") from error
    bar.shows(lambda: [line for board in boards.values() for line in ranks_so_far(board.kappas)])
    if strings_in_arrow(ids) is not None:
        # If the ids of the truth are strings, ids in text files must also be read as strings, even
        # if they consist of digits.
        reader = reader._replace(ids_are_strings=True)

    def read(file: Path) -> _Read:
        on_progress = bar.starts(file)
        try:
            with naming(file):
                found, predicted, column = reader.read_submission(file, on_progress, left_out)
                alone = False
                if reading.labels is None:
                    _check_order(known, predicted, column, options.weights)
                    alone = declared_order(predicted, column) is not None
            if splits is not None:
                found = splits.ids.align(found, f"ids of {file}")
                if options.on_mismatch == "raise" and not found.is_complete():
                    raise MismatchError(str(file), len(splits.ids), found)
            return _Read(file, (found, predicted), alone=alone, column=column)
        except (ValueError, TypeError) as error:
            return _Read(file, failure=error)

    found = read_ahead(read, submissions, READ_AHEAD, available_threads())
    others: list[str] = []
    while some := list(islice(found, AT_ONCE)):
        named = [one for one in some if one.failure is None and one.column != target]
        others += [f"{one.column!r} of {one.file}" for one in named]
        if splits is None:
            _score(boards[None], some, truth)
            continue
        of_each = [_split(one, splits) for one in some]
        for board, files in zip(boards.values(), zip(*of_each)):
            _score(board, files, truth)
    if others:
        on_left_out(
            f"in files without a column {target!r}, the only column besides the ids is read as the"
            f" labels: {first_of_many(others, OTHERS_NAMED)}."
        )
    for own, of in scales_of([used for board in boards.values() for used in board.sorted_labels]):
        reading.on_sorted(own, of)
    return {name: board.ranked() for name, board in boards.items()}


class _Read(NamedTuple):
    """The columns of a file, or the reason why it has no score.

    The columns are the ids and the labels. With splits, the alignment of the ids takes the place
    of the ids. If ``alone`` is True, the file declares a label order, which also applies to all
    later files. ``column`` is the name of the label column.
    """

    file: Path
    columns: tuple[Any, Any] = (None, None)
    failure: Exception | None = None
    alone: bool = False
    column: str = ""


def _split(one: _Read, splits: Splits) -> list[_Read]:
    """Divide a file into one part per split."""
    if one.failure is not None:
        return [one] * len(splits.positions)
    alignment, labels = one.columns
    return [one._replace(columns=(part, labels)) for part in splits.of_each(alignment)]


def _score(board: LeaderboardBuilder, some: Sequence[_Read], truth: Path) -> None:
    """Score files together, or one by one if one of them cannot be scored."""
    if len(some) > 1 and not any(one.alone or one.failure for one in some):
        with suppress(ValueError, TypeError):
            board.add([str(one.file) for one in some], [one.columns for one in some])
            return
    for one in some:
        try:
            if one.failure is not None:
                raise one.failure
            # If ids cannot be decoded, the error must name the file.
            with naming(one.file):
                board.add([str(one.file)], [one.columns])
        except MismatchError as error:
            why = f"its ids differ from the ids of {truth}: {error.mismatch}."
            drop = "Use --mismatch drop to leave out such items, subject to --min-coverage."
            board.fail(str(one.file), f"{why} {CHECK_IDS if error.shares_few else drop}")
        except OtherLabelsError as error:
            why = f"it {error.others}. Use --allow-other-labels to leave out such items."
            board.fail(str(one.file), why)
        except (ValueError, TypeError) as error:
            # The reason omits the name of the file, because the row already shows it.
            why = " ".join(str(error).split()).removeprefix(f"{one.file} ")
            board.fail(str(one.file), why)


def _at(column: Any, positions: Any) -> Any:
    """Return the values of an Arrow column at the given positions, or all values if None."""
    return column if column is None or positions is None else column.take(positions)


def _numbers(column: Any, truth: Path, name: str, decimal: str) -> Any:
    """Return a column of item weights as numbers, or raise if one is not a number."""
    if decimal != ".":
        column = as_array([with_point(text, decimal) for text in column.to_pylist()], name)
    try:
        return column.cast("float64")
    except ValueError as error:
        raise not_numeric(name, truth, str(error)) from error


def _named_splits(column: Any, name: str) -> list[str]:
    """Return the split of each item, or raise if there are too many splits."""
    names = [str(value) for value in column.to_pylist()]
    if len(set(names)) > MOST_SPLITS:
        raise RatingsError(
            f"column {name!r} has {len(set(names))} distinct values, but --split accepts a column"
            f" with at most {MOST_SPLITS}."
        )
    return names


def _check_order(declared: list[Any] | None, predicted: Any, target: str, weights: Weights) -> None:
    """Raise if the label order or the labels of a file conflict with the order of the truth."""
    own = declared_order(predicted, target)
    if own is not None and own != declared and (declared is not None or weights is not None):
        of_truth = "none" if declared is None else shown(declared)
        raise RatingsError(
            f"column {target!r} declares the order of labels {shown(own)}, but the truth declares"
            f" {of_truth}. {REMEDIES.order}"
        )
    if declared is not None:
        refuse_outside(target, predicted, declared)
