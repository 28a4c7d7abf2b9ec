"""CSV and TSV files, read by pyarrow.

Whether the ratings are numbers is known at the end of the file only. So texts are counted. What
the different ones mean, which are few, pyarrow then infers as it would have for the whole column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from fastkappa.arrays import LARGEST_EXACT
from fastkappa.ratings.column import Column
from fastkappa.ratings.label_order import is_number
from fastkappa.ratings.labels import refuse_rounded_list
from fastkappa.ratings.odd_strings import odd_strings
from fastkappa.sources import csv_lines
from fastkappa.sources.arrow_columns import (
    codes_of,
    in_one,
    is_string,
    keys_of,
    ratings_of,
    values_of,
    weights_of,
)
from fastkappa.sources.batches import add_ratings
from fastkappa.sources.csv_lines import LineCounter
from fastkappa.sources.source_ratings import (
    NO_TYPE,
    STRINGS,
    Key,
    RatingsError,
    TooManyLabelsError,
)
from fastkappa.sources.source_table import AxisLabels, SourceTable
from fastkappa.sources.text_format import (
    TextFile,
    TextFormat,
    find_format,
    names_in,
    naming_encoding,
    refuse_lost_rows,
)

# Bytes that are parsed at a time.
BLOCK_SIZE = 1 << 20
# Lines above the names of columns that are looked at: titles and comments.
MOST_ABOVE_NAMES = 20
# With labels given, texts that are kept whatever they are, to infer what the column holds.
MOST_OTHERS = 1 << 12

NO_LABELS: Mapping[str, Collection[str]] = {}

WHOLE_NUMBER = re.compile(r"\s*[-+]?\d+\s*")

Check = Callable[[Sequence[str]], None]
ReportBytes = Callable[[int], None]


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
        self._decimal, self._has_names = ".", True

    def add(self, file: TextFile, on_progress: ReportBytes) -> None:
        """Count a file."""
        import pyarrow

        self._note(file)
        columns = self._raw.columns
        text = pyarrow.dictionary(pyarrow.int32(), pyarrow.binary())
        types = dict.fromkeys(self._raw.names, text)
        if columns.weight is not None:
            if columns.weight in (columns.y1, columns.y2, columns.group):
                raise RatingsError(
                    f"column {columns.weight!r} of a text file cannot be the weight as well."
                )
            types[columns.weight] = pyarrow.float64()
        batches = text_batches(
            file, types, on_progress, labels=self._labels, block_size=self._block_size
        )
        for batch in batches:
            self._add_batch(dict(zip(types, batch.columns)))

    def add_lines(self, file: TextFile, on_progress: ReportBytes, num_threads: int) -> bool:
        """Count a file as `add` does, but by the kernel for lines; return False if that cannot be.

        Files with quotes, many texts or anything else that is unusual are for others, and so
        is this table then.
        """
        columns = self._raw.columns
        if self._raw.names != [columns.y1, columns.y2] or columns[2:] != (None, None):
            return False
        self._note(file)
        counters = csv_lines.count_file(file, self._raw.names, on_progress, num_threads)
        try:
            for counter in counters or []:
                self._add_counter(counter)
            self._raw.settled()
        except TooManyLabelsError:
            return False
        return bool(counters) and self._raw.n_rows > 0

    def add_to(self, table: SourceTable) -> None:
        """Add what was counted, its labels being what the texts mean."""
        keys, types = [], []
        self._raw.settled()
        self._refuse_repeated_names()
        for i, axis in enumerate(self._raw.axes):
            texts, others = self._texts(i)
            meant, dtype = _meaning(texts, others, axis, self._decimal)
            if dtype == STRINGS and i and table.wanted is None and table.drop_odd:
                self._raw.mark_missing(i, odd_strings(self._raw.column(i)))
                texts = axis.labels()
                meant, dtype = _meaning(texts, [], axis, self._decimal)
            meaning: dict[Any, Any] = dict(zip(texts, meant))
            keys.append([meaning.get(key, key) for key in axis.position])
            types.append(dtype)
        counts, sums = self._raw.settled()
        if sums is not None and self._weights_are_whole and np.abs(sums).max() < LARGEST_EXACT:
            sums = sums.astype(np.int64)
        group, first, second = keys
        table.add_table((types[0], types[1], types[2]), (group, first, second), counts, sums)

    @property
    def _labels(self) -> Collection[str]:
        return () if self._raw.wanted is None else self._raw.wanted.texts

    def _note(self, file: TextFile) -> None:
        self._decimal, self._has_names = file.text_format.decimal, file.text_format.has_names

    def _refuse_repeated_names(self) -> None:
        """Raise if rows hold the names of their columns, as in files put together."""
        _, first, second = self._raw.axes
        cell = first.position.get(first.column), second.position.get(second.column)
        if self._has_names and None not in cell and first.column != second.column:
            counts, _ = self._raw.settled()
            refuse_repeated_names((first.column, second.column), int(counts[:, *cell].sum()))

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
        self._raw.add_table(
            (NO_TYPE, STRINGS, STRINGS), ([None], keys[0], keys[1]), counter.counts[None]
        )

    def _learn(self, name: Any, texts: Sequence[Any]) -> None:
        if self._raw.wanted is not None:
            others = self._others.setdefault(name, _Texts(self._most_others))
            codes = self._raw.codes
            others.learn(texts if codes is None else [t for t in texts if t not in codes])

    def _weights_of(self, array: Any) -> Any:
        weights = weights_of(array, self._raw.columns.weight)
        self._weights_are_whole &= bool((weights == np.rint(weights)).all())
        return weights


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


def text_file(
    path: Path, delimiter: str, text_format: TextFormat, check: Check | None = None
) -> TextFile:
    """Return a text file that can be read; ``check`` is given the names of its columns.

    ``delimiter`` separates its fields if the format does not say so; "" for what is found.
    """
    from pyarrow import csv

    between, text_format = find_format(path, delimiter, text_format)
    names = names_in(path, between, text_format)
    if names is None:
        # pyarrow parses a block of values as well, and has the last word on what is odd.
        file = TextFile(path, between, [], text_format._replace(has_names=True))
        with (
            naming_encoding(file.path, text_format.encoding),
            csv.open_csv(_text_in(file, path), **_options(file)) as reader,
        ):
            names = list(reader.schema.names)
            if not text_format.has_names:
                names = [str(i + 1) for i in range(len(names))]
    file = TextFile(path, between, names, text_format)
    if check is not None:
        try:
            check(names)
        except RatingsError as error:
            raise RatingsError(f"{error}{_names_below(file, check)}") from None
    return file


def _names_below(file: TextFile, check: Check) -> str:
    """Return which of the next lines has the columns that the first one lacks, "" if none has."""
    skipped = file.text_format.n_skipped
    for n_above in range(1, MOST_ABOVE_NAMES + 1):
        below = file.text_format._replace(n_skipped=skipped + n_above)
        between, below = find_format(file.path, "", below)
        names = names_in(file.path, between, below)
        with suppress(RatingsError):
            if names is not None:
                check(names)
                return (
                    f" Line {below.n_skipped + 1} has these names: leave out the lines above it,"
                    f" on the command line by --skip {below.n_skipped}."
                )
    return ""


def missing_texts(labels: Collection[str] = ()) -> list[str]:
    """Return the texts that stand for a missing value, such as NA, but for ``labels``."""
    from pyarrow import csv

    return [text for text in csv.ConvertOptions().null_values if text not in labels]


def text_batches(
    file: TextFile,
    types: Mapping[str, Any],
    on_progress: ReportBytes,
    *,
    missing: bool = True,
    labels: Collection[str] = (),
    block_size: int = BLOCK_SIZE,
) -> Iterator[Any]:
    """Yield columns of these types, a block of the file at a time.

    Texts such as NA are missing values, unless ``missing`` is False or they are ``labels``.
    """
    import pyarrow
    from pyarrow import csv

    converted = csv.ConvertOptions(
        include_columns=list(types),
        column_types=dict(types),
        null_values=missing_texts(labels),
        strings_can_be_null=missing,
        decimal_point=file.text_format.decimal,
    )
    n_rows = 0
    with (
        _naming_lines(file),
        pyarrow.OSFile(str(file.path)) as opened,
        csv.open_csv(
            _text_in(file, opened), convert_options=converted, **_options(file, block_size)
        ) as reader,
    ):
        for batch in reader:
            on_progress(opened.tell())
            n_rows += len(batch)
            yield batch
    refuse_lost_rows(file, n_rows)


@contextmanager
def _naming_lines(file: TextFile) -> Iterator[None]:
    """Name the encoding, or a quote that is never closed, in errors of pyarrow about them."""
    import pyarrow

    with naming_encoding(file.path, file.text_format.encoding):
        try:
            yield
        except pyarrow.ArrowInvalid:
            refuse_lost_rows(file, 0)
            raise


def read_text(
    file: TextFile, columns: Sequence[str], on_progress: ReportBytes, strings: Sequence[str] = ()
) -> Any:
    """Return columns of a file as an Arrow table, some of them as ``strings`` in any case."""
    import pyarrow
    from pyarrow import csv

    converted = csv.ConvertOptions(
        include_columns=list(columns),
        column_types=dict.fromkeys(strings, pyarrow.string()),
        strings_can_be_null=True,
        auto_dict_encode=True,
        decimal_point=file.text_format.decimal,
    )
    n_bytes = file.path.stat().st_size
    options = _options(file)
    # A file of one block is read faster without threads.
    options["read_options"].use_threads = n_bytes > BLOCK_SIZE
    # Arrow's threads go on reading after an error: at the end of Python they must not need it.
    with _naming_lines(file):
        opened = pyarrow.OSFile(str(file.path))
        table = csv.read_csv(_text_in(file, opened), convert_options=converted, **options)
    on_progress(n_bytes)
    refuse_lost_rows(file, len(table))
    _refuse_names_in(table, file)
    for name in set(columns) - set(strings):
        if _may_be_rounded(table.column(name)):
            texts = read_text(file, [name], on_progress, [name]).column(name)
            floats = dict(zip(texts.to_pylist(), table.column(name).to_pylist()))
            floats.pop(None, None)
            _refuse_rounded(list(floats), list(floats.values()), name)
    return table


def _refuse_names_in(table: Any, file: TextFile) -> None:
    """Raise if rows of strings hold the names of their columns."""
    from pyarrow import compute

    columns = dict(zip(table.column_names, table.columns))
    if not file.text_format.has_names or len(columns) < 2:
        return
    are_names = None
    for name, column in columns.items():
        if not is_string(getattr(column.type, "value_type", column.type)):
            return
        own = compute.equal(column.cast("string"), name)
        are_names = own if are_names is None else compute.and_(are_names, own)
        if not compute.any(are_names).as_py():
            return
    refuse_repeated_names(list(columns), compute.sum(are_names).as_py())


def refuse_repeated_names(names: Sequence[str], n_rows: int) -> None:
    """Raise if rows hold the names of their columns."""
    if n_rows:
        listed = ", ".join(map(repr, names))
        raise RatingsError(
            f"{n_rows} {'row holds' if n_rows == 1 else 'rows hold'} the names of the columns"
            f" ({listed}), as where files were put together: leave such rows out."
        )


def _may_be_rounded(column: Any) -> bool:
    """Return whether a column has floats as large as whole numbers that floats skip."""
    if str(column.type) != "double":
        return False
    largest = (np.abs(values_of(chunk)).max(initial=0) for chunk in column.chunks)
    return any(value >= LARGEST_EXACT for value in largest)


def read_names(
    file: TextFile,
    columns: Sequence[str],
    names: Sequence[str],
    on_progress: ReportBytes,
    missing: bool = True,
    labels: Mapping[str, Collection[str]] = NO_LABELS,
) -> Any:
    """Return columns of a file, of which ``names`` are strings whatever they look like.

    ``labels`` are those of a column that are no missing values there, though they are called so.
    A block at a time takes less memory than `read_text`, which has the types of all columns to
    find out; here what the other columns hold is inferred from their different texts.
    """
    import pyarrow

    text = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    types = dict.fromkeys(columns, text)
    schema = pyarrow.schema(list(types.items()))
    every_label = {label for listed in labels.values() for label in listed}
    batches = list(text_batches(file, types, on_progress, missing=missing, labels=every_label))
    table = pyarrow.Table.from_batches(batches, schema)
    _refuse_names_in(table, file)
    for i, name in enumerate(columns):
        if len(table) and (labels or name not in names):
            gone = set(missing_texts(labels.get(name, ()))) if labels else ()
            texts, places = without_texts(in_one(table.column(i)), gone)
            values = pyarrow.array(texts, pyarrow.string())
            if name not in names:
                values = inferred(texts, name, file.text_format.decimal)
            table = table.set_column(i, name, values.take(places))
    return table


def without_texts(encoded: Any, gone: Collection[str]) -> tuple[list[str], Any]:
    """Return the texts of a dictionary array but for some, and the place of each value's text.

    Places are null where a value is null or one of the texts that are gone.
    """
    import pyarrow

    texts = encoded.dictionary.to_pylist()
    kept = [text for text in texts if text is not None and text not in gone]
    position = {text: i for i, text in enumerate(kept)}
    places = pyarrow.array([position.get(text) for text in texts], pyarrow.int32())
    return kept, places.take(encoded.indices)


def _options(file: TextFile, block_size: int = BLOCK_SIZE) -> dict[str, Any]:
    """Return how pyarrow reads and parses a file."""
    from pyarrow import csv

    return {
        "read_options": csv.ReadOptions(
            encoding=file.text_format.encoding or "utf8",
            column_names=None if file.text_format.has_names else file.names,
            skip_rows=file.text_format.n_skipped,
            block_size=block_size,
        ),
        # A field of free text beside the ratings may well have a line break in it.
        "parse_options": csv.ParseOptions(
            delimiter=file.delimiter,
            quote_char='"' if file.text_format.has_quotes else False,
            newlines_in_values=file.text_format.has_quotes,
        ),
    }


def _text_in(file: TextFile, opened: Any) -> Any:
    """Return an opened file, or the text in a compressed one."""
    import pyarrow

    return pyarrow.CompressedInputStream(opened, "gzip") if file.is_packed else opened


def in_arrow_memory(data: bytes) -> Any:
    """Return a stream of a copy of these bytes that belongs to Arrow.

    A thread of Arrow may let go of a stream after it has been read, even while Python ends. To let
    go of a Python object it would have to call Python then, which ends in an abort.
    """
    import pyarrow

    memory = pyarrow.BufferOutputStream()
    memory.write(data)
    return pyarrow.BufferReader(memory.getvalue())


def _texts_of(array: Any, missing: Collection[Key] = ()) -> Column:
    """Return a column of a block as codes of its texts, which may not be UTF-8."""
    texts = map(_key_of, array.dictionary.to_pylist())
    categories = [None if text in missing else text for text in texts]
    codes, categories = codes_of(array, categories)
    return Column(codes, STRINGS, categories)


def _key_of(text: bytes | None) -> Key:
    return None if text is None else text.decode(errors="surrogateescape")


def _meaning(
    texts: Sequence[Any], others: Sequence[Any], axis: AxisLabels, decimal: str
) -> tuple[list[Any], np.dtype[Any]]:
    """Return what texts mean, given the other texts of their column."""
    together = list(dict.fromkeys([*texts, *others]))
    if not together:
        return [], NO_TYPE
    values = inferred(together, axis.column, decimal)
    if str(values.type) == "string":
        # To encode them would import pyarrow.compute, which takes as long as a small file.
        return values.to_pylist()[: len(texts)], STRINGS
    ratings = ratings_of(values, axis.column, axis.has_fractions)
    return keys_of(ratings)[: len(texts)], ratings.label_dtype


def inferred(texts: Sequence[Any], column: Any = None, decimal: str = ".") -> Any:
    """Return texts as a column of the type that pyarrow infers.

    None of the texts is missing: where one is called so, such as nan, all are strings. Of a
    ``column`` no two texts that are different whole numbers may be the same float.
    """
    import pyarrow
    from pyarrow import csv

    are_strings = not set(missing_texts()).isdisjoint(texts)
    quoted = ('"' + text.replace('"', '""') + '"' for text in texts)
    body = "\n".join(["text", *quoted]) + "\n"
    table = csv.read_csv(
        in_arrow_memory(body.encode(errors="surrogateescape")),
        read_options=csv.ReadOptions(use_threads=False),
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types={"text": pyarrow.string()} if are_strings else None,
            strings_can_be_null=False,
            decimal_point=decimal,
        ),
    )
    values = table.column(0).combine_chunks()
    if column is not None and str(values.type) == "double":
        _refuse_rounded(texts, values.to_pylist(), column)
    return values


def _refuse_rounded(texts: Sequence[str], floats: Sequence[Any], column: Any) -> None:
    """Raise if a text among floats is a whole number, and another one than the float made of it."""
    meant = [int(t) if WHOLE_NUMBER.fullmatch(t) else f for t, f in zip(texts, floats)]
    if not all(isinstance(number, int) for number in meant):
        refuse_rounded_list(meant, np.array(floats, np.float64), f"column {column!r}")
