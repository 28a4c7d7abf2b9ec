"""CSV and TSV, read a block at a time.

Whether the ratings are numbers is known at the end of the file only. So they are counted as
the text they are; of the texts that occurred, few as they are, pyarrow then tells what they
mean, as it would have of the whole column.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fastkappa.engines.arrow_columns import codes_of, ratings_of, weights_of
from fastkappa.engines.batches import add_ratings
from fastkappa.engines.ratings import Key, Kind, Ratings, RatingsError, Wanted
from fastkappa.engines.running_table import RunningTable

BLOCK = 1 << 20
# Texts that are no label wanted are kept to tell what the column holds, so many of them.
MOST_OTHERS = 1 << 12
# Sums of whole numbers are exact in float64 up to here.
EXACT_IN_FLOAT = 1 << 53


class TextTable:
    """Counts the ratings of one or more text files as text."""

    def __init__(self, tally: RunningTable) -> None:
        self._raw = tally.empty_copy()
        self._wanted = tally.axes[1].wanted
        self._others: dict[Any, _Others] = {}
        self._weights_are_whole = True

    def add(
        self, path: Path, delimiter: str, check: Check, on_progress: Callable[[int], None]
    ) -> None:
        """Count a file; ``check`` is given the names of its columns."""
        import pyarrow
        from pyarrow import csv

        columns = self._raw.columns
        # A field of free text beside the ratings may well have a line break in it.
        parse_options = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
        with csv.open_csv(path, parse_options=parse_options) as reader:
            check(reader.schema.names)
        text = pyarrow.dictionary(pyarrow.int32(), pyarrow.binary())
        types = dict.fromkeys(columns.distinct(), text)
        if columns.weight is not None:
            if columns.weight in (columns.y1, columns.y2, columns.group):
                raise RatingsError(
                    f"column {columns.weight!r} of a text file cannot be the weight as well."
                )
            types[columns.weight] = pyarrow.float64()
        convert_options = csv.ConvertOptions(
            include_columns=list(types), column_types=types, strings_can_be_null=True
        )
        with pyarrow.OSFile(str(path)) as file:
            source = file
            if path.name.lower().endswith(".gz"):
                source = pyarrow.CompressedInputStream(file, "gzip")
            with csv.open_csv(
                source,
                read_options=csv.ReadOptions(block_size=BLOCK),
                parse_options=parse_options,
                convert_options=convert_options,
            ) as reader:
                for batch in reader:
                    self._add_batch(dict(zip(types, batch.columns)))
                    on_progress(file.tell())

    def add_to(self, tally: RunningTable) -> None:
        """Add what was counted, its labels being what the texts mean."""
        keys = []
        self._raw.settle()
        for axis in self._raw.axes:
            texts = axis.labels()
            others = self._others.get(axis.column)
            meant, axis.kind = _meaning(texts, others.texts if others else [], axis.column)
            meaning: dict[Any, Any] = dict(zip(texts, meant))
            keys.append([meaning.get(key, key) for key in axis.position])
        sums = self._raw.sums
        if sums is not None and self._weights_are_whole and np.abs(sums).max() < EXACT_IN_FLOAT:
            self._raw.use_whole_sums()
        tally.merge(self._raw, (keys[0], keys[1], keys[2]))

    def _add_batch(self, arrays: dict[Any, Any]) -> None:
        columns = self._raw.columns
        names = {columns.y1, columns.y2, columns.group} - {None}
        read = {name: _texts_of(arrays[name]) for name in names}
        weights = None
        if columns.weight is not None:
            weights = self._weights_of(arrays[columns.weight])
        groups = None if columns.group is None else read[columns.group]
        if self._wanted is not None:
            for name in {columns.y1, columns.y2}:
                others = self._others.setdefault(name, _Others(name, self._wanted))
                others.learn(read[name].categories or [])
        add_ratings(self._raw, read[columns.y1], read[columns.y2], weights=weights, groups=groups)

    def _weights_of(self, array: Any) -> Any:
        weights = weights_of(array, self._raw.columns.weight)
        self._weights_are_whole &= bool((weights == np.rint(weights)).all())
        return weights


Check = Callable[[Sequence[str]], None]


class _Others:
    """Texts that are no label wanted, as many as it takes to tell what the column holds."""

    def __init__(self, column: Any, wanted: Wanted) -> None:
        self._column, self._wanted = column, wanted
        self._texts: dict[Any, None] = {}

    @property
    def texts(self) -> list[Any]:
        return list(self._texts)

    def learn(self, texts: Iterable[Key]) -> None:
        new = [text for text in texts if text is not None and text not in self._texts]
        if not new:
            return
        known = self.texts
        if len(known) < MOST_OTHERS or _inferred(known).type != _inferred([*known, *new]).type:
            self._texts.update(dict.fromkeys(new))


def _texts_of(array: Any) -> Ratings:
    """Return a column of a block as codes of its texts, which need not be UTF-8."""
    categories: list[Key] = [
        None if text is None else text.decode(errors="surrogateescape")
        for text in array.dictionary.to_pylist()
    ]
    codes, categories = codes_of(array, categories)
    return Ratings(codes, None, categories)


def _meaning(
    texts: Sequence[Any], others: Sequence[Any], column: Any
) -> tuple[list[Any], Kind | None]:
    """Return what texts mean, given those that stand beside them in the column."""
    together = list(dict.fromkeys([*texts, *others]))
    if not together:
        return [], None
    ratings = ratings_of(_inferred(together), column)
    return ratings.keys()[: len(texts)], ratings.kind


def _inferred(texts: Sequence[Any]) -> Any:
    """Return texts as a column of the type that pyarrow takes them for."""
    from pyarrow import csv

    quoted = ('"' + text.replace('"', '""') + '"' for text in texts)
    body = "\n".join(["text", *quoted]) + "\n"
    table = csv.read_csv(
        io.BytesIO(body.encode(errors="surrogateescape")),
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=csv.ConvertOptions(strings_can_be_null=True),
    )
    return table.column(0).combine_chunks()
