"""Detect the format of a text file: delimiter, encoding, and column names."""

from __future__ import annotations

import codecs
import csv
import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TextIO, cast

from fastkappa.sources.source_ratings import RatingsError

# The delimiters to look for in a text file. If the first line contains several of them, the first
# one listed here is used.
DELIMITERS_TRIED = "\t;,| "
# The maximum number of characters to read from a line. Only the start of a longer line is read.
LONGEST_LINE = 1 << 16
# The number of bytes read at a time.
READ_SIZE = 1 << 20
# Matches a first line that specifies the delimiter for Excel, as in "sep=;".
SEPARATOR_LINE = re.compile(r"\"?sep=(.)\"?\s*", re.IGNORECASE)
BLANKS = re.compile(" +")
NAMED_DELIMITERS = {"tab": "\t", r"\t": "\t", "space": " "}


class TextFormat(NamedTuple):
    """The format of text files, as specified by the user.

    Attributes
    ----------
    delimiter : str or None
        The delimiter. If None, it is inferred from the file's suffix or first line.
    encoding : str or None
        The encoding; None for UTF-8.
    has_names : bool
        Whether the first row contains the names of the columns. Otherwise the columns are numbered
        from 1.
    has_quotes : bool
        Whether a double quote at the start of a field quotes the field. Otherwise quotes are
        part of the text.
    n_skipped : int
        The number of lines to skip before the first row.
    decimal : str
        The decimal separator in numbers.
    is_aligned : bool
        Whether the columns are aligned with spaces, so that consecutive spaces count as a single
        delimiter. The value is inferred from the first line.
    """

    delimiter: str | None = None
    encoding: str | None = None
    has_names: bool = True
    has_quotes: bool = True
    n_skipped: int = 0
    decimal: str = "."
    is_aligned: bool = False


PLAIN = TextFormat()


def text_format_of(
    sep: str | None = None, encoding: str | None = None, decimal: str = ".", **others: Any
) -> TextFormat:
    """Return a user's options as a `TextFormat`, or raise if an option is invalid."""
    if encoding is not None:
        given = encoding
        try:
            encoding = codecs.lookup(encoding).name
            # Reject codecs that convert bytes to bytes or text to text.
            b"".decode(encoding)
            "".encode(encoding)
        except (LookupError, ValueError):
            raise RatingsError(
                "encoding must be an encoding that Python supports, such as utf-16 or cp1252, got"
                f" {given!r}."
            ) from None
    delimiter = None if sep is None else NAMED_DELIMITERS.get(sep, sep)
    is_one = delimiter is None or (len(delimiter) == 1 and delimiter.isascii())
    if not is_one or delimiter in ('"', "\r", "\n"):
        raise RatingsError(
            f"sep must be an ASCII character or one of {', '.join(NAMED_DELIMITERS)}, got {sep!r}."
        )
    if len(decimal) != 1 or not decimal.isascii() or decimal.isalnum():
        raise RatingsError(
            f"decimal must be a single character, such as ',', and not a letter or digit, got"
            f" {decimal!r}."
        )
    if decimal == delimiter:
        raise RatingsError(f"sep and decimal must differ, got {delimiter!r} for both.")
    plain = None if encoding in ("utf-8", "utf-8-sig") else encoding
    return TextFormat(delimiter, plain, decimal=decimal, **others)


class TextFile(NamedTuple):
    """A text file, its format, and the names of its columns."""

    path: Path
    delimiter: str
    names: list[str]
    text_format: TextFormat = PLAIN


def names_in(path: Path, delimiter: str, text_format: TextFormat = PLAIN) -> list[str]:
    """Return the column names of a text file, or an empty list if the file has no rows."""
    # Replace invalid bytes if no encoding is given, because columns that are not read can contain
    # text that is not UTF-8.
    errors = "replace" if text_format.encoding is None else "strict"
    with (
        naming_encoding(path, text_format.encoding),
        opened_rows(path, text_format, errors) as file,
    ):
        row = next(rows_in(file, delimiter, text_format), [])
    return row if text_format.has_names else [str(i + 1) for i in range(len(row))]


def rows_in(lines: Iterable[str], delimiter: str, text_format: TextFormat) -> Iterator[list[str]]:
    """Yield the rows that are not blank, and stop before a row with a field that is too long."""
    with suppress(csv.Error):
        rows = csv.reader(
            lines,
            delimiter=delimiter,
            quoting=csv.QUOTE_MINIMAL if text_format.has_quotes else csv.QUOTE_NONE,
        )
        yield from filter(None, rows)


def find_format(path: Path, expected: str, given: TextFormat) -> tuple[str, TextFormat]:
    """Return the delimiter and the format of a text file.

    If ``given`` does not specify a delimiter, the delimiter is ``expected``, unless the first line
    contains another delimiter instead, or specifies one, as in ``sep=;``. If ``expected`` is empty,
    the first line determines the delimiter.
    """
    # Replace invalid bytes for now. They raise an error later, when the whole file is read.
    with (
        naming_encoding(path, given.encoding),
        opened_rows(path, given, errors="replace") as file,
    ):
        while (line := file.readline(LONGEST_LINE)) and not line.strip():
            continue
    excels = SEPARATOR_LINE.fullmatch(line)
    if excels is not None:
        return given.delimiter or excels[1], given._replace(n_skipped=given.n_skipped + 1)
    found = delimiter_in(line)
    if expected and (found == " " or expected in _unquoted(line)):
        found = expected
    delimiter = given.delimiter or found
    return delimiter, given._replace(is_aligned=delimiter == " " and "  " in _unquoted(line))


def delimiter_in(line: str) -> str:
    """Return the delimiter in a line, or a comma if there is only one field.

    Examples
    --------
    >>> from fastkappa.sources.text.text_format import delimiter_in
    >>> delimiter_in("left;right\\n"), delimiter_in("first rater\\tsecond rater")
    (';', '\\t')
    >>> delimiter_in('"left, eye" "right, eye"')
    ' '
    """
    return next((c for c in DELIMITERS_TRIED if c in _unquoted(line)), ",")


def _unquoted(line: str) -> str:
    """Return a line without its quoted parts."""
    return "".join(line.strip("\r\n ").split('"')[::2])


@contextmanager
def opened_text(
    path: Path, encoding: str | None, errors: str = "strict"
) -> Iterator[TextIOWrapper]:
    """Open a file as text, decompressing it if necessary."""
    with (
        opened_bytes(path) as file,
        TextIOWrapper(file, encoding or "utf-8-sig", errors, newline="") as text,
    ):
        yield text


@contextmanager
def opened_rows(path: Path, text_format: TextFormat, errors: str = "strict") -> Iterator[TextIO]:
    """Open a file as text, skip ``n_skipped`` lines, and put one space between aligned columns."""
    with opened_text(path, text_format.encoding, errors) as text:
        for _ in range(text_format.n_skipped):
            text.readline()
        yield StringIO("".join(map(unaligned, text)), "") if text_format.is_aligned else text


def unaligned(line: str) -> str:
    """Return a line with one space between fields, but keep the spaces inside quotes.

    Examples
    --------
    >>> from fastkappa.sources.text.text_format import unaligned
    >>> unaligned(' 1   low  "very  low" \\n')
    '1 low "very  low"\\n'
    """
    parts = line.strip().split('"')
    parts[::2] = [BLANKS.sub(" ", part) for part in parts[::2]]
    return '"'.join(parts) + "\n"


@contextmanager
def naming_encoding(path: Path, encoding: str | None) -> Iterator[None]:
    """Add the name and encoding of a file to decoding errors."""
    try:
        yield
    except UnicodeError as error:
        if encoding is None:
            raise
        reason = str(error).rstrip(".")
        raise RatingsError(f"{path} cannot be decoded as {encoding}: {reason}.") from error


@contextmanager
def opened_bytes(path: Path) -> Iterator[BinaryIO]:
    """Open a file, decompressing it if necessary.

    Raises
    ------
    RatingsError
        If compressed data is truncated or damaged.
    """
    try:
        with gzip.open(path) if is_packed(path) else open(path, "rb") as file:
            yield cast(BinaryIO, file)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        if "Not a gzipped" in str(error):
            raise RatingsError(
                f"{path} cannot be read: it does not look like a gzip file. If it is not"
                f" compressed, rename it to {path.stem}."
            ) from error
        raise RatingsError(f"{path} cannot be read: {error}.") from error


def is_packed(path: Path) -> bool:
    """Return whether a file is compressed, according to its name."""
    return path.name.lower().endswith(".gz")


def refuse_lost_rows(file: TextFile, n_rows: int) -> None:
    """Raise if a quoted field contains whole rows. ``n_rows`` is the number of rows read.

    An unintended quote turns all lines up to the next quote into one field. A quote is considered
    unintended if each of these lines has as many fields as a row, because lines of free text rarely
    do. It is considered intended if it is closed at the end of a field, and if other lines are rows
    only because quotes enclose their separators or line breaks.

    Raises
    ------
    RatingsError
        If each line of a quoted field has as many fields as a row, unless the quote is intended.
    """
    of_file = file.text_format
    n_fields = len(file.names)
    # Parse rows only if the file has more lines than rows, because counting lines is much faster
    # than parsing.
    n_others = of_file.n_skipped + of_file.has_names
    if n_fields < 2 or not of_file.has_quotes or n_lines(file.path) <= n_rows + n_others:
        return
    doubtful, needs_quotes = [], False
    with opened_rows(file.path, of_file, errors="replace") as text:
        first = of_file.n_skipped + 1
        for lines in _lines_of_rows(text, file.delimiter):
            last = first + len(lines) - 1
            if any(line.count(file.delimiter) != n_fields - 1 for line in lines):
                needs_quotes = needs_quotes or _is_one_row(lines, file)
            elif last > first:
                doubtful.append((first, last, _is_one_row(lines, file)))
            first = last + 1
    for first, last, is_closed in doubtful:
        if not is_closed or not needs_quotes:
            raise RatingsError(
                f"{file.path}: a quote in line {first} opens a field that extends to line {last}."
                f" Each of these lines looks like a row with {n_fields} fields, but would be read"
                " as part of this field. Remove the quote or, if quotes are part of the text, use"
                " --quote none on the command line."
            )


def _is_one_row(lines: Sequence[str], file: TextFile) -> bool:
    """Return whether the lines are one row whose closing quotes are each at the end of a field."""
    with suppress(csv.Error):
        rows = csv.reader(lines, delimiter=file.delimiter, strict=True)
        return [len(row) for row in rows] == [len(file.names)]
    return False


def row_of_other_length(file: TextFile) -> tuple[int, int] | None:
    """Find the first row that does not have one field per column name.

    Return its line number and its number of fields, or None if there is no such row.
    """
    of_file = file.text_format
    with (
        suppress(csv.Error),
        opened_rows(file.path, of_file, errors="replace") as text,
    ):
        rows = csv.reader(
            text,
            delimiter=file.delimiter,
            quoting=csv.QUOTE_MINIMAL if of_file.has_quotes else csv.QUOTE_NONE,
        )
        for row in rows:
            if row and len(row) != len(file.names):
                return of_file.n_skipped + rows.line_num, len(row)
    return None


def n_lines(path: Path) -> int:
    """Return the number of lines in a file, compressed or not."""
    found, last = 0, b"\n"
    with opened_bytes(path) as data:
        while block := data.read(READ_SIZE):
            found += block.count(b"\n")
            last = block[-1:]
    return found + (last != b"\n")


def _lines_of_rows(text: Iterator[str], delimiter: str) -> Iterator[list[str]]:
    """Yield the lines of each row."""
    lines: list[str] = []

    def noted() -> Iterator[str]:
        for line in text:
            lines.append(line)
            yield line

    # If a field is too long, csv raises an error, but the lines of its row are still yielded.
    with suppress(csv.Error):
        for _ in csv.reader(noted(), delimiter=delimiter):
            yield lines
            lines.clear()
    if lines:
        yield lines
