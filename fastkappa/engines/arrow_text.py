"""CSV and TSV files, read a block at a time.

Whether the ratings are numbers is known at the end of the file only. So texts are counted. What
the different ones mean, which are few, pyarrow then infers as it would have for the whole column.
Where a compiled kernel finds the texts of plain lines, no column is made of them. Other files are
parsed by pyarrow: if the first ratings are whole numbers, all are counted as such until one is not.
Files without quotes are read by several threads, a block each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from fastkappa.arrays import LARGEST_EXACT
from fastkappa.columns.label_order import is_number
from fastkappa.counting.csv_lines import LineCounter
from fastkappa.engines.arrow_blocks import (
    BLOCK_SIZE,
    NotInBlocksError,
    has_names,
    in_arrow_memory,
    in_blocks,
    is_packed,
    names_of_columns,
    read_blocks,
)
from fastkappa.engines.arrow_columns import add_arrays, codes_of, in_one, ratings_of, weights_of
from fastkappa.engines.batches import add_ratings
from fastkappa.engines.ratings import (
    Key,
    Kind,
    RatingBatch,
    RatingsError,
    TooManyLabelsError,
    refuse_rounded_texts,
)
from fastkappa.engines.source_table import SourceTable
from fastkappa.kernels.contract import Lines
from fastkappa.kernels.dispatch import csv_line_kernels, get_kernels
from fastkappa.kernels.threads import ItemRanges, run_in_threads

# With labels given, texts that are kept whatever they are, to infer what the column holds.
MOST_OTHERS = 1 << 12
# Bytes of a file that are tried before the rest.
FIRST_BLOCK = 1 << 14

Check = Callable[[Sequence[str]], None]
ReportBytes = Callable[[int], None]
Part = TypeVar("Part")


class TextTable:
    """Counts the ratings of one or more text files as text.

    Parameters
    ----------
    table : SourceTable
        The table that `add_to` will be given.
    block_size : int
        How many bytes of a file are read at a time.
    most_others : int
        How many texts are kept to infer what a column holds, though they are no labels.
    """

    def __init__(
        self, table: SourceTable, *, block_size: int = BLOCK_SIZE, most_others: int = MOST_OTHERS
    ) -> None:
        self._raw = table.empty_copy()
        self._block_size, self._most_others = block_size, most_others
        self._others: dict[Any, _Texts] = {}
        self._weights_are_whole = True

    def add(
        self,
        path: Path,
        delimiter: str,
        check: Check,
        on_progress: ReportBytes,
        num_threads: int = 1,
    ) -> None:
        """Count a file; ``check`` is given the names of its columns."""
        import pyarrow
        from pyarrow import csv

        columns = self._raw.columns
        names, parse_options = _checked_options(path, delimiter, check)
        text = pyarrow.dictionary(pyarrow.int32(), pyarrow.binary())
        types = dict.fromkeys(self._raw.names, text)
        if columns.weight is not None:
            if columns.weight in (columns.y1, columns.y2, columns.group):
                raise RatingsError(
                    f"column {columns.weight!r} of a text file cannot be the weight as well."
                )
            types[columns.weight] = pyarrow.float64()

        def work(ranges: ItemRanges) -> TextTable:
            part = TextTable(self._raw, most_others=self._most_others)
            for batch in in_blocks(path, delimiter, names, types, ranges, on_progress):
                part._add_batch(dict(zip(types, batch.columns)))
            return part

        parts = _by_threads(path, work, num_threads)
        if parts is not None:
            for part in parts:
                self._merge(part)
            return
        convert_options = csv.ConvertOptions(
            include_columns=list(types), column_types=types, strings_can_be_null=True
        )
        with (
            pyarrow.OSFile(str(path)) as file,
            csv.open_csv(
                _unpacked(path, file),
                read_options=csv.ReadOptions(block_size=self._block_size),
                parse_options=parse_options,
                convert_options=convert_options,
            ) as reader,
        ):
            for batch in reader:
                on_progress(file.tell())
                self._add_batch(dict(zip(types, batch.columns)))

    def add_lines(
        self, path: Path, delimiter: str, check: Check, on_progress: ReportBytes, num_threads: int
    ) -> bool:
        """Count a file as `add` does, but without columns of it; return False if that cannot be.

        Files with quotes, many texts or anything else that is unusual are for others, and so
        is this table then.
        """
        columns = self._raw.columns
        count_lines = csv_line_kernels(get_kernels()).count_lines
        two = self._raw.names == [columns.y1, columns.y2] and columns[2:] == (None, None)
        if count_lines is None or not two:
            return False
        names, _ = _checked_options(path, delimiter, check)
        lines = Lines(ord(delimiter), len(names), *map(names.index, self._raw.names))

        def work(ranges: ItemRanges) -> TextTable:
            counter = LineCounter(count_lines, lines)
            for (start, stop), block in read_blocks(path, ranges):
                head = 0 if start else block.find(b"\n") + 1
                is_head = start > 0 or has_names(block[:head], delimiter, names)
                if not (is_head and counter.add(block, head)):
                    raise NotInBlocksError
                on_progress(stop)
            part = TextTable(self._raw, most_others=self._most_others)
            part._add_counter(counter)
            return part

        parts = _by_threads(path, work, num_threads)
        try:
            for part in parts or []:
                self._merge(part)
            self._raw.settled()
        except TooManyLabelsError:
            return False
        return bool(parts) and self._raw.n_rows > 0

    def _merge(self, other: TextTable) -> None:
        self._raw.merge(other._raw)
        self._weights_are_whole &= other._weights_are_whole
        for name, others in other._others.items():
            self._others.setdefault(name, _Texts(self._most_others)).learn(others.texts)

    def add_to(self, table: SourceTable) -> None:
        """Add what was counted, its labels being what the texts mean."""
        keys, kinds = [], []
        self._raw.settled()
        for i, axis in enumerate(self._raw.axes):
            texts, others = self._texts(i)
            meant, kind = _meaning(texts, others, axis.column)
            if kind == "strings" and i and table.wanted is None and table.drop_odd:
                self._raw.mark_missing(i, self._raw.odd_strings(i))
                texts = axis.labels()
                meant, kind = _meaning(texts, [], axis.column)
            meaning: dict[Any, Any] = dict(zip(texts, meant))
            keys.append([meaning.get(key, key) for key in axis.position])
            kinds.append(kind)
        counts, sums = self._raw.settled()
        if sums is not None and self._weights_are_whole and np.abs(sums).max() < LARGEST_EXACT:
            sums = sums.astype(np.int64)
        group, first, second = keys
        table.add_table((kinds[0], kinds[1], kinds[2]), (group, first, second), counts, sums)

    def _texts(self, i: int) -> tuple[list[Any], list[Any]]:
        """Return the texts of an axis that are counted, and others that say what it holds."""
        axis = self._raw.axes[i]
        texts, others = axis.labels(), self._others.get(axis.column)
        told = list(others.texts) if others is not None and i else []
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
        groups = None if columns.group is None else read[columns.group]
        for name in {columns.y1, columns.y2}:
            self._learn(name, read[name].categories or [])
        add_ratings(self._raw, read[columns.y1], read[columns.y2], weights=weights, groups=groups)

    def _add_counter(self, counter: LineCounter) -> None:
        from pyarrow import csv

        missing = {text.encode() for text in csv.ConvertOptions().null_values}
        keys = [[None if text in missing else _key_of(text) for text in t] for t in counter.texts]
        for name, texts in zip(self._raw.names, keys):
            self._learn(name, texts)
        self._raw.add_table((None, None, None), ([None], keys[0], keys[1]), counter.counts[None])

    def _learn(self, name: Any, texts: Sequence[Any]) -> None:
        if self._raw.wanted is not None:
            others = self._others.setdefault(name, _Texts(self._most_others))
            codes = self._raw.codes
            others.learn(texts if codes is None else [t for t in texts if t not in codes])

    def _weights_of(self, array: Any) -> Any:
        weights = weights_of(array, self._raw.columns.weight)
        self._weights_are_whole &= bool((weights == np.rint(weights)).all())
        return weights


def count_whole_numbers(
    table: SourceTable,
    files: Sequence[tuple[Path, Check]],
    delimiter: str,
    on_progress: ReportBytes,
    num_threads: int,
) -> bool:
    """Count files whose ratings are whole numbers; add nothing and return False for others.

    So does a table for which more matters than what all ratings are.
    """
    import pyarrow

    columns = table.columns
    needs_text = (table.wanted, table.codes, columns.weight, columns.group)
    if any(need is not None for need in needs_text):
        return False
    types = dict.fromkeys(table.names, pyarrow.int64())
    whole = table.empty_copy()

    def work(path: Path, names: Sequence[str], ranges: ItemRanges) -> SourceTable:
        part = table.empty_copy()
        for batch in in_blocks(path, delimiter, names, types, ranges, on_progress):
            add_arrays(part, dict(zip(types, batch.columns)))
        return part

    for path, check in files:
        names, _ = _checked_options(path, delimiter, check)
        parts = _by_threads(path, partial(work, path, names), num_threads)
        if parts is None:
            return False
        for part in parts:
            whole.merge(part)
    whole.settled()
    if not all(axis.labels() for axis in whole.axes[1:]):
        # What is missing throughout is no number.
        return False
    table.merge(whole)
    return True


def _by_threads(
    path: Path, work: Callable[[ItemRanges], Part], num_threads: int
) -> list[Part] | None:
    """Return what each thread returns for its blocks of a file; None if it cannot be cut.

    So it is if anything is wrong with the file: what, is said by those who read it as a whole.
    """
    import pyarrow

    if is_packed(path):
        return None
    n_bytes = path.stat().st_size
    try:
        # Most files that cannot be read so show it soon.
        first = work(ItemRanges(min(n_bytes, FIRST_BLOCK), 1))
        if n_bytes <= FIRST_BLOCK:
            return [first]
        return run_in_threads(work, n_bytes, max(1, min(num_threads, n_bytes // BLOCK_SIZE)))
    except (NotInBlocksError, RatingsError, pyarrow.ArrowException):
        return None


class _Texts:
    """Texts of a column, enough of them to infer what it holds."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.texts: dict[Any, None] = {}

    def learn(self, texts: Iterable[Key]) -> None:
        new = [text for text in texts if text is not None and text not in self.texts]
        if not new:
            return
        known = list(self.texts)
        if len(known) < self._most or inferred(known).type != inferred([*known, *new]).type:
            self.texts.update(dict.fromkeys(new))


def read_text(
    path: Path,
    columns: Sequence[str],
    delimiter: str,
    check: Check,
    on_progress: ReportBytes,
    strings: Sequence[str] = (),
) -> Any:
    """Return columns of a file as an Arrow table, some of them as ``strings`` in any case.

    ``check`` is given the names of its columns.
    """
    import pyarrow
    from pyarrow import csv

    _, parse_options = _checked_options(path, delimiter, check)
    convert_options = csv.ConvertOptions(
        include_columns=list(columns),
        column_types=dict.fromkeys(strings, pyarrow.string()),
        strings_can_be_null=True,
        auto_dict_encode=True,
    )
    # A file of one block is read faster without threads.
    read_options = csv.ReadOptions(use_threads=path.stat().st_size > BLOCK_SIZE)
    # Arrow's threads go on reading after an error: at the end of Python they must not need it.
    table = csv.read_csv(
        _unpacked(path, pyarrow.OSFile(str(path))),
        read_options=read_options,
        parse_options=parse_options,
        convert_options=convert_options,
    )
    on_progress(path.stat().st_size)
    return table


def read_names(
    path: Path,
    columns: Sequence[str],
    names: Sequence[str],
    delimiter: str,
    check: Check,
    on_progress: ReportBytes,
    missing: bool = True,
) -> Any:
    """Return columns of a file, of which ``names`` are strings whatever they look like.

    Texts such as NA are missing values, unless ``missing`` is False.

    A block at a time takes less memory than `read_text`, which has the types of all columns to
    find out; here what the other columns hold is inferred from their different texts.
    """
    import pyarrow
    from pyarrow import csv

    _, parse_options = _checked_options(path, delimiter, check)
    text = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    convert_options = csv.ConvertOptions(
        include_columns=list(columns),
        column_types=dict.fromkeys(columns, text),
        strings_can_be_null=missing,
    )
    batches = []
    with (
        pyarrow.OSFile(str(path)) as file,
        csv.open_csv(
            _unpacked(path, file), parse_options=parse_options, convert_options=convert_options
        ) as reader,
    ):
        for batch in reader:
            on_progress(file.tell())
            batches.append(batch)
        table = pyarrow.Table.from_batches(batches, reader.schema)
    for i, name in enumerate(columns):
        if name not in names and len(table):
            encoded = in_one(table.column(i))
            values = inferred(encoded.dictionary.to_pylist(), name).take(encoded.indices)
            table = table.set_column(i, name, values)
    return table


def _checked_options(path: Path, delimiter: str, check: Check) -> tuple[list[str], Any]:
    """Return the names of a file's columns, which are checked, and how to parse it."""
    from pyarrow import csv

    # A field of free text beside the ratings may well have a line break in it.
    options = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    names = names_of_columns(path, delimiter)
    check(names)
    return names, options


def _unpacked(path: Path, file: Any) -> Any:
    """Return a file, or the text in a compressed one."""
    import pyarrow

    return pyarrow.CompressedInputStream(file, "gzip") if is_packed(path) else file


def _texts_of(array: Any) -> RatingBatch:
    """Return a column of a block as codes of its texts, which may not be UTF-8."""
    categories = list(map(_key_of, array.dictionary.to_pylist()))
    codes, categories = codes_of(array, categories)
    return RatingBatch(codes, None, categories)


def _key_of(text: bytes | None) -> Key:
    return None if text is None else text.decode(errors="surrogateescape")


def _meaning(
    texts: Sequence[Any], others: Sequence[Any], column: Any
) -> tuple[list[Any], Kind | None]:
    """Return what texts mean, given the other texts of their column."""
    together = list(dict.fromkeys([*texts, *others]))
    if not together:
        return [], None
    values = inferred(together, column)
    if str(values.type) == "string":
        # To encode them would import pyarrow.compute, which takes as long as a small file.
        return values.to_pylist()[: len(texts)], "strings"
    ratings = ratings_of(values, column)
    return ratings.keys()[: len(texts)], ratings.kind


def inferred(texts: Sequence[Any], column: Any = None) -> Any:
    """Return texts as a column of the type that pyarrow infers.

    Of a ``column`` no two texts that are different whole numbers may be the same float.
    """
    from pyarrow import csv

    quoted = ('"' + text.replace('"', '""') + '"' for text in texts)
    body = "\n".join(["text", *quoted]) + "\n"
    table = csv.read_csv(
        in_arrow_memory(body.encode(errors="surrogateescape")),
        read_options=csv.ReadOptions(use_threads=False),
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=csv.ConvertOptions(strings_can_be_null=True),
    )
    values = table.column(0).combine_chunks()
    if column is not None and str(values.type) == "double":
        refuse_rounded_texts(texts, values.to_pylist(), column)
    return values
