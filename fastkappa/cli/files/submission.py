"""Read ids and labels from a file of predictions or true labels, for the command line."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.cli.files.reading import NA_LABELS, Reading
from fastkappa.formatting import count_text
from fastkappa.ratings.missing import find_missing, without
from fastkappa.sources.arrow_columns import distinct_values
from fastkappa.sources.arrow_files import (
    DELIMITERS,
    OnProgress,
    check_columns,
    column_names,
    format_of,
    opened,
)
from fastkappa.sources.arrow_folders import columns_of_files
from fastkappa.sources.source_ratings import RatingsError, refuse_many_labels
from fastkappa.sources.text.arrow_text import has_leading_zeros, text_file
from fastkappa.sources.text.text_format import PLAIN, TextFormat


class Reader(NamedTuple):
    """A reader for the ids and labels in files.

    Ids in text files are numbers if possible, unless ``ids_are_strings``.
    """

    id_column: str
    target: str
    reading: Reading
    text_format: TextFormat = PLAIN
    ids_are_strings: bool = False

    def read(
        self, file: Path, on_progress: OnProgress, left_out: Collection[Any] = ()
    ) -> tuple[Any, Any, set[Any]]:
        """Return the ids, the labels, and the set of ids without a label.

        The returned ids and labels exclude items without a label and items in ``left_out``.
        """
        ids, labels = self._columns(file, on_progress)
        marked = self.reading.marked(file, self.target, labels, self.text_format.decimal)
        mask = find_missing(marked)
        missing = set() if mask is None else set(without(ids, ~mask).to_pylist())
        if left_out:
            among = _are_among(ids, left_out)
            mask = among if mask is None else mask | among
        if mask is None:
            return ids, marked, missing
        return without(ids, mask), without(marked, mask), missing

    def read_submission(
        self, file: Path, on_progress: OnProgress, left_out: Collection[Any]
    ) -> tuple[Any, Any, str]:
        """Return the ids, the labels, and the name of the label column, which varies between files.

        If a file has only one column besides the ids, that column contains the labels.
        """
        reader = self
        try:
            ids, labels, _ = self.read(file, on_progress, left_out)
        except RatingsError as error:
            names = column_names(file, self.text_format)
            if self.target in names or list(names).count(self.id_column) != 1:
                raise
            if len(names) != 2:
                advice = f"Rename the column of the labels to {self.target!r}."
                raise RatingsError(f"{error} {advice}") from error
            reader = self._replace(target=next(name for name in names if name != self.id_column))
            ids, labels, _ = reader.read(file, on_progress, left_out)
        return ids, labels, reader.target

    def values(self, file: Path, column: str, left_out: Collection[Any]) -> Any:
        """Return the values in a column, except for items whose ids are in ``left_out``.

        Raise if any other item lacks a value.
        """
        wanted = list(dict.fromkeys((self.id_column, column)))
        columns = columns_of_files(
            [file],
            wanted,
            text=[column],
            strings=[self.id_column] if self.ids_are_strings else [],
            text_format=self.text_format,
        )
        found = columns[column]
        gone = _are_among(columns[self.id_column], left_out) if left_out else None
        missing = find_missing(found)
        lacking = missing if missing is None or gone is None else missing & ~gone
        if lacking is not None and lacking.any():
            values = count_text(int(lacking.sum()), "missing value")
            raise RatingsError(
                f"column {column!r} of {file} has {values} in its {len(found)} rows, first in row"
                f" {lacking.argmax()}. Fill in all values."
            )
        return found if gone is None else without(found, gone)

    def with_zeros_of(self, truth: Path) -> Reader:
        """Return a reader that keeps the leading zeros of ids if the truth has such ids.

        Leading zeros matter only if the truth is a text file.
        """
        with opened(truth) as file_format:
            if file_format not in DELIMITERS:
                return self
            check = partial(check_columns, truth, [self.id_column])
            file = text_file(truth, DELIMITERS[file_format], self.text_format, check)
            return self._replace(ids_are_strings=has_leading_zeros(file, self.id_column))

    def _columns(self, file: Path, on_progress: OnProgress) -> tuple[Any, Any]:
        """Return the ids and labels in a file, or raise if any are missing."""
        id_column, target = self.id_column, self.target
        # Ids that are read as strings are not dictionary-encoded, because most of them are
        # distinct.
        as_strings = self.ids_are_strings or format_of(file) not in DELIMITERS
        columns = columns_of_files(
            [file],
            list(dict.fromkeys((id_column, target))),
            on_progress,
            strings=[id_column] if as_strings and id_column != target else [],
            text_format=self.text_format,
            labels=self.reading.texts([target]),
        )
        for name, column in columns.items():
            may_lack = self.reading.drop_missing and name == target != id_column
            if column.null_count and not may_lack:
                values = count_text(column.null_count, "missing value")
                remedy = ""
                if name == target:
                    remedy = f" Use --missing drop to leave out such items.{NA_LABELS}"
                raise RatingsError(
                    f"column {name!r} of {file} has {values} in its {len(column)} rows.{remedy}"
                )
        n_labels = len(distinct_values(columns[target], target))
        refuse_many_labels(n_labels, f"column {target!r} of {file}")
        return columns[id_column], columns[target]


def _are_among(ids: Any, some: Collection[Any]) -> NDArray[np.bool_]:
    return np.array([item in some for item in ids.to_pylist()], bool)
