"""Read CSV and TSV files with pyarrow, and infer the types of their columns."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from fastkappa.arrays import LARGEST_EXACT
from fastkappa.exceptions import users_stacklevel
from fastkappa.ratings.doubtful_labels import warn
from fastkappa.ratings.label_order import is_number
from fastkappa.ratings.labels import refuse_rounded_list
from fastkappa.ratings.missing import BLANKS
from fastkappa.ratings.read import name_seen
from fastkappa.sources.arrow_columns import (
    is_string,
    values_of,
)
from fastkappa.sources.source_ratings import RatingsError, refuse_repeated_names
from fastkappa.sources.text.no_text import refuse_no_text
from fastkappa.sources.text.text_format import (
    TextFile,
    TextFormat,
    find_format,
    is_packed,
    names_in,
    naming_encoding,
    opened_text,
    refuse_lost_rows,
    row_of_other_length,
    unaligned,
)

# The number of bytes parsed at a time.
BLOCK_SIZE = 1 << 20
# If a column has more than `MOST_CODES` distinct numbers in its first `SOME_ROWS` rows, or more
# than `MOST_CODES` distinct fractions in total, the numbers are measurements and not labels.
MOST_CODES, SOME_ROWS = 100, 1000
# The maximum number of lines with titles or comments above the column names.
MOST_ABOVE_NAMES = 20

# The character that replaces bytes that are not UTF-8.
REPLACED = "\ufffd"
NO_LABELS: Mapping[str, Collection[str]] = {}

WHOLE_NUMBER = re.compile(r"\s*[-+]?\d+\s*")
LEADING_ZERO = re.compile(r"0\d")

Check = Callable[[Sequence[str]], None]
ReportBytes = Callable[[int], None]


def text_file(
    path: Path, delimiter: str, text_format: TextFormat, check: Check | None = None
) -> TextFile:
    """Check a text file, and return it with its format and column names.

    ``delimiter`` is the expected delimiter. It is ignored if ``text_format`` specifies a delimiter.
    If ``delimiter`` is empty, the delimiter is inferred from the file. If ``check`` is given, it is
    called with the column names.
    """
    if text_format.encoding is None:
        refuse_no_text(path)
    between, text_format = find_format(path, delimiter, text_format)
    names = names_in(path, between, text_format)
    if not names:
        raise RatingsError(f"{path} cannot be read: its first line must contain column names.")
    if REPLACED in "".join(names):
        raise RatingsError(f"{path} cannot be read: it is not UTF-8 text.")
    file = TextFile(path, between, names, text_format)
    if text_format.has_names and len(names) > 1 and all(map(is_number, names)):
        warnings.warn(
            f"the column names of {path} are numbers ({', '.join(names[:5])}): use --no-header on"
            " the command line if the first line contains ratings.",
            UserWarning,
            stacklevel=users_stacklevel(),
        )
    if check is not None:
        try:
            check(names)
        except RatingsError as error:
            raise RatingsError(f"{error}{_names_below(file, check)}") from None
    return file


def _names_below(file: TextFile, check: Check) -> str:
    """Return a hint if a later line has the missing column names, otherwise an empty string."""
    found = 0
    for n_above in range(1, MOST_ABOVE_NAMES + 1):
        below = file.text_format._replace(n_skipped=file.text_format.n_skipped + n_above)
        between, below = find_format(file.path, "", below)
        try:
            check(names_in(file.path, between, below))
        except RatingsError:
            if found:
                break
        else:
            # Empty lines are skipped, so several values of ``n_above`` can lead to the same names.
            # Keep the largest, which points to the line that contains the names.
            found = below.n_skipped
    return f" Line {found + 1} has these names: {_skip(found)}" if found else ""


def _skip(n_above: int) -> str:
    """Return advice to leave out the lines above the column names."""
    return f"leave out the lines above it, with --skip {n_above} on the command line."


def missing_texts(labels: Collection[str] = ()) -> list[str]:
    """Return the texts that stand for a missing value, such as NA, except those in ``labels``."""
    from pyarrow import csv

    return [text for text in csv.ConvertOptions().null_values if text not in labels]


def text_batches(
    file: TextFile,
    types: Mapping[str, Any],
    on_progress: ReportBytes,
    labels: Collection[str] = (),
) -> Iterator[Any]:
    """Yield the columns named in ``types``, with the given types, one block at a time.

    Texts such as NA count as missing, unless they are among ``labels``.
    """
    import pyarrow
    from pyarrow import csv

    converted = csv.ConvertOptions(
        include_columns=list(types),
        column_types=dict(types),
        null_values=missing_texts(labels),
        strings_can_be_null=True,
        decimal_point=file.text_format.decimal,
    )
    n_rows = 0
    with (
        _naming_lines(file),
        pyarrow.OSFile(str(file.path)) as opened,
        csv.open_csv(_text_in(file, opened), convert_options=converted, **_options(file)) as reader,
    ):
        for batch in reader:
            on_progress(opened.tell())
            n_rows += len(batch)
            yield batch
    refuse_lost_rows(file, n_rows)


def has_leading_zeros(file: TextFile, column: str) -> bool:
    """Return whether a number in the first block of a column has leading zeros, such as 007."""
    return any(LEADING_ZERO.match(text) for text in _first_texts(file, column))


def _first_texts(file: TextFile, column: str) -> set[str]:
    """Return the distinct texts in the first block of a column."""
    import pyarrow

    batches = text_batches(file, {column: pyarrow.string()}, lambda _: None)
    texts: set[str | None] = next(({*batch.column(0).to_pylist()} for batch in batches), set())
    return {text for text in texts if text is not None}


def warn_of_equal_numbers(texts: Iterable[str], column: Any, decimal: str) -> None:
    """Warn about codes such as "1.1" and "1.10" that are read as the same number."""
    texts_of: dict[float, set[str]] = {}
    for text in texts:
        number = text.strip().replace(decimal, ".")
        if is_number(number) and not float(number).is_integer():
            texts_of.setdefault(float(number), set()).add(text)
    equal = next((sorted(own) for own in texts_of.values() if len(own) > 1), None)
    if equal and len(texts_of) <= MOST_CODES:
        warn(
            f"column {column!r} contains {' and '.join(map(repr, equal))}, which are read as the"
            " same number. If they are different labels, pass labels= with all labels as strings."
        )


@contextmanager
def _naming_lines(file: TextFile) -> Iterator[None]:
    """Explain pyarrow's errors about encodings, unclosed quotes and rows of the wrong length."""
    import pyarrow

    with naming_encoding(file.path, file.text_format.encoding):
        try:
            yield
        except pyarrow.ArrowInvalid as error:
            refuse_lost_rows(file, 0)
            found = row_of_other_length(file) if "Expected" in str(error) else None
            if found is None:
                raise
            line, n_fields = found
            reason = str(error).rpartition("Expected ")[2]
            hint = _hint_on_names(file, line - 1, n_fields)
            raise pyarrow.ArrowInvalid(f"line {line}: Expected {reason}{hint}") from error


def _hint_on_names(file: TextFile, n_above: int, n_fields: int) -> str:
    """Return advice on a row with more fields than there are column names, or an empty string."""
    n_below = n_above - file.text_format.n_skipped
    if n_below == 1 and n_fields == len(file.names) + 1:
        return (
            ". The first line has one field fewer than the next line. If a column of row names"
            " has no name, add one, as with write.table(..., col.names=NA) in R. If the other lines"
            " end with a separator, remove the separator."
        )
    if n_fields > len(file.names) and n_below <= MOST_ABOVE_NAMES:
        return f". If line {n_above + 1} has the names of the columns, {_skip(n_above)}"
    return ""


def read_text(
    file: TextFile,
    columns: Sequence[str],
    on_progress: ReportBytes,
    text: Collection[str] = (),
    strings: Collection[str] = (),
    missing: bool = True,
    labels: Mapping[str, Collection[str]] = NO_LABELS,
) -> Any:
    """Return the given columns of a file as an Arrow table.

    Columns in ``text`` are read as dictionary-encoded strings, and columns in ``strings`` as plain
    strings. Texts such as NA count as missing, unless ``missing`` is False or they are among the
    ``labels`` of their column.
    """
    import pyarrow

    types = dict.fromkeys(text, pyarrow.dictionary(pyarrow.int32(), pyarrow.string()))
    types |= dict.fromkeys(strings, pyarrow.string())
    # Columns in which the same texts count as missing are read together.
    together: dict[tuple[str, ...], list[str]] = {}
    for name in columns:
        nulls = missing_texts(labels.get(name, ())) if missing else []
        together.setdefault(tuple(nulls), []).append(name)
    found: dict[str, Any] = {}
    for null_values, names in together.items():
        own = {name: types[name] for name in names if name in types}
        read = _read_whole(file, names, on_progress, own, null_values)
        found |= dict(zip(names, read.columns))
    table = pyarrow.table({name: found[name] for name in columns})
    _refuse_names_in(table, file)
    return table


def _read_whole(
    file: TextFile,
    columns: Sequence[str],
    on_progress: ReportBytes,
    types: Mapping[str, Any],
    nulls: Sequence[str],
) -> Any:
    """Return the given columns of a file as an Arrow table.

    The type of a column that is not in ``types`` is inferred. The texts in ``nulls`` count as
    missing.
    """
    import pyarrow
    from pyarrow import csv

    converted = csv.ConvertOptions(
        include_columns=list(columns),
        column_types=dict(types),
        null_values=list(nulls),
        strings_can_be_null=True,
        auto_dict_encode=True,
        decimal_point=file.text_format.decimal,
    )
    n_bytes = file.path.stat().st_size
    options = _options(file)
    # A file that fits in one block is read faster without threads.
    options["read_options"].use_threads = n_bytes > BLOCK_SIZE
    # Let Arrow open the file. After an error, Arrow's threads continue to read. If Python had
    # opened the file, they would call Python while it exits.
    with _naming_lines(file):
        opened = pyarrow.OSFile(str(file.path))
        table = csv.read_csv(_text_in(file, opened), convert_options=converted, **options)
    on_progress(n_bytes)
    refuse_lost_rows(file, len(table))
    for name in set(columns) - set(types):
        if _may_be_rounded(table.column(name)):
            as_text = {name: pyarrow.string()}
            texts = _read_whole(file, [name], on_progress, as_text, nulls).column(name)
            floats = dict(zip(texts.to_pylist(), table.column(name).to_pylist()))
            floats.pop(None, None)
            _refuse_rounded(list(floats), list(floats.values()), name)
        elif _may_have_codes(table.column(name)):
            warn_of_equal_numbers(_first_texts(file, name), name, file.text_format.decimal)
    return table


def _refuse_names_in(table: Any, file: TextFile) -> None:
    """Raise if some rows repeat the column names, and no other row contains these names."""
    import pyarrow
    from pyarrow import compute

    columns = dict(zip(table.column_names, table.columns))
    are_strings = (is_string(getattr(c.type, "value_type", c.type)) for c in columns.values())
    if not file.text_format.has_names or len(columns) < 2 or not all(are_strings):
        return
    names = pyarrow.array(sorted(map(name_seen, columns)), pyarrow.string())
    are_names, in_order = None, True
    for name, column in columns.items():
        seen = compute.utf8_lower(compute.utf8_trim(column.cast("string"), characters=BLANKS))
        own = compute.fill_null(compute.is_in(seen, value_set=names), False)
        if not compute.any(own).as_py() or are_names not in (None, own):
            return
        are_names = own
        in_order &= compute.all(compute.equal(seen.filter(own), name_seen(name))).as_py()
    n_rows = compute.sum(are_names).as_py()
    if 2 * n_rows < len(table):
        refuse_repeated_names(list(columns), n_rows, in_order=in_order)


def _may_be_rounded(column: Any) -> bool:
    """Return whether a column has floats so large that they might be rounded integers."""
    if str(column.type) != "double":
        return False
    largest = (np.abs(values_of(chunk)).max(initial=0) for chunk in column.chunks)
    return any(value >= LARGEST_EXACT for value in largest)


def _may_have_codes(column: Any) -> bool:
    """Return whether a column has few different floats, some of which are fractional."""
    if str(column.type) != "double":
        return False
    first = np.unique(column[:SOME_ROWS].drop_null().to_numpy())
    return len(first) <= MOST_CODES and bool((first % 1).any())


def without_texts(encoded: Any, gone: Collection[str]) -> tuple[list[str], Any]:
    """Return the texts of a dictionary array that are not in ``gone``, and each value's new index.

    The index is null if the value is null or if its text was removed.
    """
    import pyarrow

    texts = encoded.dictionary.to_pylist()
    kept = [text for text in texts if text is not None and text not in gone]
    position = {text: i for i, text in enumerate(kept)}
    places = pyarrow.array([position.get(text) for text in texts], pyarrow.int32())
    return kept, places.take(encoded.indices)


def _options(file: TextFile) -> dict[str, Any]:
    """Return pyarrow's options for reading and parsing a file."""
    from pyarrow import csv

    return {
        "read_options": csv.ReadOptions(
            encoding=file.text_format.encoding or "utf8",
            column_names=None if file.text_format.has_names else file.names,
            skip_rows=file.text_format.n_skipped,
            block_size=BLOCK_SIZE,
        ),
        # Line breaks are allowed in values, because columns of free text can contain them.
        "parse_options": csv.ParseOptions(
            delimiter=file.delimiter,
            quote_char='"' if file.text_format.has_quotes else False,
            newlines_in_values=file.text_format.has_quotes,
        ),
    }


def _text_in(file: TextFile, opened: Any) -> Any:
    """Return a decompressed stream of a file, with one space between aligned columns."""
    import pyarrow

    encoding = file.text_format.encoding
    if file.text_format.is_aligned:
        with opened_text(file.path, encoding) as text:
            return in_arrow_memory("".join(map(unaligned, text)).encode(encoding or "utf-8"))
    return pyarrow.CompressedInputStream(opened, "gzip") if is_packed(file.path) else opened


def in_arrow_memory(data: bytes) -> Any:
    """Copy bytes to memory that Arrow owns, and return a stream of the copy.

    An Arrow thread can release a stream late, even while Python exits. Releasing a Python object at
    that time would call Python and abort the process.
    """
    import pyarrow

    memory = pyarrow.BufferOutputStream()
    memory.write(data)
    return pyarrow.BufferReader(memory.getvalue())


def inferred(texts: Sequence[Any], column: Any = None, decimal: str = ".") -> Any:
    """Convert texts to a column of the type that pyarrow infers.

    No text counts as missing. If any text usually stands for a missing value, such as nan, the
    result is a column of strings. If ``column`` is given, a whole number that would be rounded to a
    float raises an error that names the column.
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


def with_point(text: Any, decimal: str) -> Any:
    """Return a text with a decimal point if it is a number with another decimal separator."""
    number = text.replace(decimal, ".")
    return number if is_number(number) else text


def _refuse_rounded(texts: Sequence[str], floats: Sequence[Any], column: Any) -> None:
    """Raise if converting a whole number to a float would change it."""
    meant = [int(t) if WHOLE_NUMBER.fullmatch(t) else f for t, f in zip(texts, floats)]
    if not all(isinstance(number, int) for number in meant):
        refuse_rounded_list(meant, np.array(floats, np.float64), f"column {column!r}")
