"""Write files of counts for ``fastkappa score --save``, and add them for ``fastkappa merge``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from glob import glob, has_magic
from pathlib import Path
from typing import Any, NamedTuple
from warnings import warn

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.cli.files.opening import STANDARD_INPUT
from fastkappa.cli.files.weight_matrix import read_matrix_file
from fastkappa.formatting import first_of_many, label_text
from fastkappa.results.report import RATERS
from fastkappa.sources.arrow_paths import files_at
from fastkappa.sources.source_counts import SourceCounts
from fastkappa.sources.source_ratings import RatingsError
from fastkappa.tables.count import part_of, total_of
from fastkappa.tables.doubtful_tables import judge_parts
from fastkappa.tables.json_fields import reason_of
from fastkappa.tables.table import union_of_labels

MOST_NAMED = 3
# Equal counts in two files can be due to chance if there are fewer than FEWEST_ITEMS items, or if
# the sources differ and there are fewer than FEWEST_CELLS nonzero cells.
FEWEST_ITEMS, FEWEST_CELLS = 100, 6
# The name of item weights whose column is unknown.
ITEM_WEIGHTS = "item weights"


class SavedCounts(NamedTuple):
    """The counts of the pairs in two columns, with the names of the source and the columns.

    ``source`` is an absolute path, so overlapping counts are detected from any working folder.
    ``are_sorted`` is True if the labels were sorted because no order was given or declared.
    """

    source: str
    columns: tuple[str, str]
    sample_weight: str | None
    are_sorted: bool
    counts: SourceCounts

    def to_json(self) -> str:
        """Return the counts as JSON that `read_counts` can read."""
        origin = {name: value for name, value in self._asdict().items() if name != "counts"}
        return json.dumps({**json.loads(self.counts.to_json()), "origin": origin})

    def plus(self, path: Path, other: SavedCounts) -> SavedCounts:
        """Return the sum of the counts of two files, or raise if their columns differ."""
        # Counts saved from Python have no column names.
        named = [one for one in (self, other) if one.columns != RATERS] or [self]
        are_weighted = {one.sample_weight is not None for one in (self, other)}
        if len(are_weighted) > 1 or len({one[1:3] for one in named}) > 1:
            raise RatingsError(
                f"{path} has counts of {other.what}, but the other files have counts of"
                f" {self.what}. All files must have counts of the same columns."
            )
        try:
            counts = total_of(self.counts, other.counts)
        except (ValueError, OverflowError) as error:
            raise RatingsError(f"{path} cannot be added to the other files: {error}") from error
        are_sorted = self.are_sorted and other.are_sorted
        return named[0]._replace(source=self.source, counts=counts, are_sorted=are_sorted)

    @property
    def what(self) -> str:
        """The names of the counted columns and of the item weights."""
        first, second = map(label_text, self.columns)
        weighted = "" if self.sample_weight is None else f" weighted by {self.sample_weight}"
        return f"{first} and {second}{weighted}"


def merge_counts(paths: Sequence[Path]) -> tuple[str, SavedCounts]:
    """Return a name for all the files together, and the sum of their counts.

    Raises
    ------
    RatingsError
        If a file contains no counts, or the files contain counts of different columns.
    """
    files = files_at([one for path in paths for one in _inside(path)])
    read = {path: read_counts(path) for path in files}
    _warn_of_copies(read)
    _warn_of_overlap(read)
    (_, total), *others = read.items()
    for path, saved in others:
        total = total.plus(path, saved)
    parts = [part_of(str(path), saved.counts) for path, saved in read.items()]
    judge_parts(parts, total.columns)
    return first_of_many(list(map(str, files)), MOST_NAMED), total


def _warn_of_copies(read: Mapping[Path, SavedCounts]) -> None:
    """Warn about files with equal counts, unless they could easily be equal by chance."""
    first_of: dict[str, Path] = {}
    for path, saved in read.items():
        counts = saved.counts
        first = first_of.setdefault(counts.to_json(), path)
        if first == path:
            continue
        is_one_source = saved.source == read[first].source
        fewest_cells = 0 if is_one_source else FEWEST_CELLS
        are_many = counts.n_items >= FEWEST_ITEMS and np.count_nonzero(counts.table) >= fewest_cells
        if are_many or (is_one_source and saved.source):
            of_source = f" of {saved.source}" if is_one_source and saved.source else ""
            warn(
                f"{path} and {first} have the same counts{of_source}, and both are added."
                " If one is a copy, remove it.",
                stacklevel=2,
            )


def _warn_of_overlap(read: Mapping[Path, SavedCounts]) -> None:
    """Warn about sources that overlap, so that some rows would be counted twice.

    The sources can be two versions of a file, a file and its folder, or two patterns. If one source
    includes the other, none of its counts is smaller than that of the other. Otherwise, two files
    with the same name are different parts of the data, for example from different machines or days.
    Two patterns that match the same file overlap even if neither includes the other.
    """
    first_of: dict[str, Path] = {}
    for path, saved in read.items():
        if saved.source not in ("", STANDARD_INPUT):
            first_of.setdefault(saved.source, path)
    for path, saved in read.items():
        patterns = [other for other in first_of if _matches_of(saved.source, other)]
        for source in (saved.source, *map(str, Path(saved.source).parents), *patterns):
            other = first_of.get(source, path)
            if other == path:
                continue
            cells, others = _cells(saved.counts), _cells(read[other].counts)
            # Equal counts are ignored here, because `_warn_of_copies` warns about them.
            is_either = source == saved.source and others < cells
            is_part = has_magic(saved.source) and source in patterns and not cells >= others
            if cells < others or is_either or (is_part and saved.source < source):
                warn(
                    f"{path} has counts of {saved.source}, and {other} has counts of {source}. Any"
                    " rows that both files cover are counted twice: leave out one of the files.",
                    stacklevel=2,
                )


def _matches_of(source: str, pattern: str) -> bool:
    """Return whether a pattern matches a file, or one of the files that another pattern matches."""
    if source == pattern or not has_magic(pattern):
        return False
    files = {source, *glob(source, recursive=True)}
    if files & {*glob(pattern, recursive=True)}:
        return True
    # Counts from another machine name files that do not exist here, so compare the paths instead.
    parts = Path(pattern).parts
    return any(len(f.parts) == len(parts) and f.match(pattern) for f in map(Path, files))


def _cells(counts: SourceCounts) -> Counter[tuple[Any, Any]]:
    """Return the count of each pair of labels that occurs."""
    labels = counts.labels.tolist()
    rows, columns = np.nonzero(counts.table)
    numbers = counts.table[rows, columns].tolist()
    return Counter({(labels[i], labels[j]): n for i, j, n in zip(rows, columns, numbers)})


def _inside(path: Path) -> list[Path]:
    """Return the .json files in a folder, or only the path itself if it is not a folder."""
    if not path.is_dir():
        return [path]
    files = sorted(path.glob("*.json"))
    if not files:
        raise RatingsError(
            f"{path} contains no .json files. Create them with `fastkappa score --save`."
        )
    return files


def read_counts(path: Path) -> SavedCounts:
    """Read counts from a file that `SavedCounts.to_json` or another class of counts wrote.

    Raises
    ------
    RatingsError
        If the file contains no counts.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        counts, saved = SourceCounts.from_json(text), json.loads(text)
        if "origin" not in saved:
            are_sorted = union_of_labels([counts.labels]).tolist() == counts.labels.tolist()
            weight = ITEM_WEIGHTS if counts.is_weighted else None
            return SavedCounts("", RATERS, weight, are_sorted, counts)
        origin = saved["origin"]
        y1, y2 = columns = origin.pop("columns")
        found = SavedCounts(columns=(y1, y2), counts=counts, **origin)
        texts = [y1, y2, found.source, found.sample_weight or ""]
        types = set(map(type, texts)), type(columns), type(found.are_sorted)
        if types != ({str}, list, bool):
            raise ValueError("a field has the wrong type")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise RatingsError(
            f"{path} is not a file of counts from `fastkappa score --save`: {reason_of(error)}."
        ) from error
    return found


def read_pilot(path: Path) -> tuple[list[list[float]], AnyArray, bool]:
    """Read a table: return its counts, its labels, and whether the labels were sorted.

    The file can be a file of counts, or a text file with one row and one column per label.

    Raises
    ------
    RatingsError
        If the file contains no table.
    """
    if path.suffix.lower() == ".json":
        saved = read_counts(path)
        return saved.counts.table.tolist(), saved.counts.labels, saved.are_sorted
    try:
        matrix = read_matrix_file(path, "counts")
    except RatingsError as error:
        if not path.is_file():
            raise
        raise RatingsError(
            f"{error} If the file contains ratings, save their counts with"
            " `fastkappa score --save`, and name the saved file."
        ) from error
    return matrix.cells.tolist(), np.array(matrix.labels or (), object), False
