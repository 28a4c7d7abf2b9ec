"""Count the ratings in CSV and TSV files as texts, and infer their types afterwards.

Whether ratings are numbers is known only at the end of a file, so their texts are counted. pyarrow
then infers the meaning of the few distinct texts, as it would for a whole column.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fastkappa.arrays import LARGEST_EXACT
from fastkappa.ratings.column import Column
from fastkappa.ratings.doubtful_labels import missing_among_numbers
from fastkappa.ratings.label_order import is_number
from fastkappa.sources.arrow_columns import (
    codes_of,
    keys_of,
    ratings_of,
    weights_of,
)
from fastkappa.sources.batches import add_ratings
from fastkappa.sources.source_ratings import (
    NO_TYPE,
    STRINGS,
    AxisLabels,
    Key,
    RatingsError,
    TooManyLabelsError,
    not_numeric,
)
from fastkappa.sources.source_table import SourceTable
from fastkappa.sources.text import csv_lines
from fastkappa.sources.text.arrow_text import (
    ReportBytes,
    inferred,
    missing_texts,
    text_batches,
    warn_of_equal_numbers,
    with_point,
)
from fastkappa.sources.text.csv_lines import LineCounter
from fastkappa.sources.text.text_format import TextFile

# The start of pyarrow's reason why a text is not a number.
NO_NUMBER = "conversion error to double: "

# If labels are given, the maximum number of distinct texts to keep for inferring a column's type.
# Any further texts are kept only if they change the type.
MOST_OTHERS = 1 << 12


class TextTable:
    """Count the ratings in one or more text files as texts.

    Parameters
    ----------
    table : SourceTable
        The table to which `add_to` will add the counts.
    has_files : bool
        Whether there are several files. If so, errors about a text name the file that contains it.
    """

    def __init__(self, table: SourceTable, *, has_files: bool = False) -> None:
        self._raw = table.empty_copy()
        # If labels are given, the texts of each column, but only as many as are needed to infer the
        # column's type.
        self._others: dict[Any, dict[Any, None]] = {}
        self._weights_are_whole = True
        self._decimal, self._has_files, self._knows_rows = ".", has_files, True

    def add(self, file: TextFile, on_progress: ReportBytes) -> None:
        """Count the ratings in a file."""
        import pyarrow

        self._decimal = file.text_format.decimal
        columns = self._raw.columns
        text = pyarrow.dictionary(pyarrow.int32(), pyarrow.binary())
        types = dict.fromkeys(self._raw.names, text)
        if columns.weight is not None:
            if columns.weight in (columns.y1, columns.y2, columns.group):
                raise RatingsError(
                    "in a text file, one column cannot contain both the weights and the ratings or"
                    f" groups, got {columns.weight!r} for both: use two columns."
                )
            types[columns.weight] = pyarrow.float64()
        try:
            for batch in text_batches(file, types, on_progress, labels=self._labels):
                self._add_batch(dict(zip(types, batch.columns)))
        except pyarrow.ArrowInvalid as error:
            # Only weights are converted to numbers here.
            if NO_NUMBER not in str(error):
                raise
            reason = str(error).rpartition(NO_NUMBER)[2]
            raise not_numeric(columns.weight, file.path, reason) from error
        self._end_file(file.path)

    def add_lines(self, file: TextFile, on_progress: ReportBytes, num_threads: int) -> bool:
        """Count the ratings in a file with the compiled kernel, or return False if it fails.

        The kernel fails if the file has quotes, too many different texts or other unusual content.
        After a failure, this table must not be used.
        """
        columns = self._raw.columns
        if self._raw.names != [columns.y1, columns.y2] or columns[2:] != (None, None):
            return False
        self._decimal = file.text_format.decimal
        counters = csv_lines.count_file(file, self._raw.names, on_progress, num_threads)
        try:
            for counter in counters or []:
                self._add_counter(counter)
        except TooManyLabelsError:
            return False
        self._end_file(file.path)
        return bool(counters) and self._raw.n_rows > 0

    def add_first_rows(self, fields: Mapping[str, Sequence[str]]) -> None:
        """Keep the rows of the next file for `add_lines`, given as the fields of each column.

        If the fields of a file are unknown, the rows of later files are ignored.
        """
        self._knows_rows = self._knows_rows and bool(fields)
        if not self._knows_rows:
            return
        columns, missing = self._raw.columns, missing_texts(self._labels)
        first, second = (
            Column(
                np.arange(len(fields[name])),
                STRINGS,
                [None if text in missing else text for text in fields[name]],
            )
            for name in (columns.y1, columns.y2)
        )
        self._raw.add_first_rows(first, second)

    def _end_file(self, path: Path) -> None:
        """Record the texts of a file, and for each text the first file that contains it."""
        if self._has_files:
            self._raw.end_part(path)
        for axis in self._raw.axes if self._has_files else ():
            for text in axis.position:
                axis.files.setdefault(text, path)

    def add_to(self, table: SourceTable) -> None:
        """Add the counts to a table, with each text replaced by the label that it stands for."""
        keys, types, meanings = [], [], []
        for i, axis in enumerate(self._raw.axes):
            texts, others = self._texts(i)
            try:
                meant, dtype = _meaning(texts, others, axis, self._decimal)
            except ValueError as error:
                raise self._named(error, axis, texts) from error
            if dtype == STRINGS and i and table.drops_stand_ins:
                column = _recoded(self._raw.column(i), dict(zip(texts, meant)))
                self._raw.mark_missing(i, missing_among_numbers(column))
                texts = axis.labels()
                meant, dtype = _meaning(texts, [], axis, self._decimal)
            meaning: dict[Any, Any] = dict(zip(texts, meant))
            meanings.append(meaning)
            keys.append([meaning.get(key, key) for key in axis.position])
            types.append(dtype)
        counts, sums = self._raw.counted()
        if sums is not None and self._weights_are_whole and np.abs(sums).max() < LARGEST_EXACT:
            sums = sums.astype(np.int64)
        group, first, second = keys
        table.parts = [part.recoded(meanings[1:]) for part in self._raw.parts]
        for _, *pair in self._raw.first_rows:
            table.add_first_rows(*map(_recoded, pair, meanings[1:]))
        for axis, own in zip(table.axes, self._raw.axes):
            axis.add_runs(partial(float, own.n_runs), own.n_parts)
            axis.files = own.files
        table.add_table((types[0], types[1], types[2]), (group, first, second), counts, sums)

    def _named(self, error: ValueError, axis: AxisLabels, texts: Sequence[Any]) -> ValueError:
        """Return an error that names the file of the first invalid text, or ``error`` itself."""
        for text in texts if axis.files else ():
            try:
                _meaning([text], [], axis, self._decimal)
            except ValueError as own:
                return RatingsError(f"{axis.files[text]}: {own}")
        return error

    @property
    def _labels(self) -> Collection[str]:
        return () if self._raw.wanted is None else self._raw.wanted.texts

    def _texts(self, i: int) -> tuple[list[Any], list[Any]]:
        """Return the counted texts of an axis, and other texts that help determine its type."""
        axis = self._raw.axes[i]
        texts, told = axis.labels(), list(self._others.get(axis.column, ())) if i else []
        if axis.wanted is not None and axis.wanted.are_numbers:
            told = [text for text in told if is_number(text)]
        return texts, told

    def _add_batch(self, arrays: dict[Any, Any]) -> None:
        columns = self._raw.columns
        names = {columns.y1, columns.y2, columns.group} - {None}
        read = {name: _texts_of(arrays[name]) for name in names}
        weights = None
        if columns.weight is not None:
            weights = self._weights_of(arrays[columns.weight])
        groups = None
        if columns.group is not None:
            groups = _texts_of(arrays[columns.group], set(missing_texts()))
        for name in {columns.y1, columns.y2}:
            self._learn(name, read[name].categories or [])
        add_ratings(self._raw, read[columns.y1], read[columns.y2], weights=weights, groups=groups)

    def _add_counter(self, counter: LineCounter) -> None:
        missing = {text.encode() for text in missing_texts(self._labels)}
        keys = [[None if text in missing else _key_of(text) for text in t] for t in counter.texts]
        for name, texts in zip(self._raw.names, keys):
            self._learn(name, texts)
        for axis, n_runs in zip(self._raw.axes[1:], counter.n_runs):
            axis.add_runs(partial(float, n_runs), counter.n_blocks)
        self._raw.add_table(
            (NO_TYPE, STRINGS, STRINGS), ([None], keys[0], keys[1]), counter.counts[None]
        )

    def _learn(self, name: Any, texts: Sequence[Any]) -> None:
        if self._raw.wanted is None:
            return
        codes, others = self._raw.codes or (), self._others.setdefault(name, {})
        new = [t for t in texts if t is not None and t not in others and t not in codes]
        known = list(others)
        if new and (
            len(known) < MOST_OTHERS or inferred(known).type != inferred([*known, *new]).type
        ):
            others.update(dict.fromkeys(new))

    def _weights_of(self, array: Any) -> Any:
        weights = weights_of(array, self._raw.columns.weight)
        self._weights_are_whole &= bool((weights == np.rint(weights)).all())
        return weights


def _texts_of(array: Any, missing: Collection[Key] = ()) -> Column:
    """Encode an array of texts as a column. The texts need not be valid UTF-8."""
    texts = map(_key_of, array.dictionary.to_pylist())
    categories = [None if text in missing else text for text in texts]
    codes, categories = codes_of(array, categories)
    return Column(codes, STRINGS, categories)


def _recoded(column: Column, meaning: Mapping[Key, Key]) -> Column:
    """Replace the texts in a column with their meanings. Texts without a meaning become missing."""
    return column._replace(categories=[meaning.get(text) for text in column.categories or ()])


def _key_of(text: bytes | None) -> Key:
    return None if text is None else text.decode(errors="surrogateescape")


def _meaning(
    texts: Sequence[Any], others: Sequence[Any], axis: AxisLabels, decimal: str
) -> tuple[list[Any], np.dtype[Any]]:
    """Return the labels that the texts stand for, and the type of the labels.

    ``others`` are further texts in the column, which are used only to infer the type.
    """
    together = list(dict.fromkeys([*texts, *others]))
    if not together:
        return [], NO_TYPE
    if axis.wanted is not None and axis.wanted.are_texts:
        return list(texts), STRINGS
    values = inferred(together, axis.column, decimal)
    if axis.has_fractions:
        warn_of_equal_numbers(together, axis.column, decimal)
    if str(values.type) == "string":
        # Do not dictionary-encode strings: that would import pyarrow.compute, which takes as long
        # as reading a small file.
        found = values.to_pylist()[: len(texts)]
        return [with_point(text, decimal) for text in found], STRINGS
    ratings = ratings_of(values, axis.column, axis.has_fractions)
    return keys_of(ratings)[: len(texts)], ratings.label_dtype
