"""How a text file is written: what separates its fields, its encoding, the names of its columns."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from fastkappa.sources.source_ratings import RatingsError

# What may separate the fields of a text file: the first of these in its first line does.
DELIMITERS_TRIED = "\t;,| "
# Of a longer line the beginning is looked at.
LONGEST_LINE = 1 << 16
# Bytes that are read at a time.
READ_SIZE = 1 << 20
# Excel's own line about what separates fields.
SEPARATOR_LINE = re.compile(r"\"?sep=(.)\"?\s*", re.IGNORECASE)


class TextFormat(NamedTuple):
    """What a user says of text files.

    Attributes
    ----------
    delimiter : str or None
        What separates fields; None for what the file's suffix or its first line says.
    encoding : str or None
        None is UTF-8.
    has_names : bool
        Whether the first row has the names of the columns, which are numbers from 1 otherwise.
    has_quotes : bool
        Whether a double quote at the start of a field quotes it. If not, it is text.
    n_skipped : int
        The number of lines before the first row.
    decimal : str
        The decimal point of numbers.
    """

    delimiter: str | None = None
    encoding: str | None = None
    has_names: bool = True
    has_quotes: bool = True
    n_skipped: int = 0
    decimal: str = "."


PLAIN = TextFormat()


class TextFile(NamedTuple):
    """A text file, how it is written, and the names of its columns."""

    path: Path
    delimiter: str
    names: list[str]
    text_format: TextFormat = PLAIN

    @property
    def is_packed(self) -> bool:
        """Whether the file is compressed."""
        return is_packed(self.path)


def names_in(path: Path, delimiter: str, text_format: TextFormat = PLAIN) -> list[str] | None:
    """Return the names of a file's columns, by its first row; None if the row is odd or absent."""
    encoding = text_format.encoding
    with (
        suppress(csv.Error, UnicodeError),
        naming_encoding(path, encoding),
        opened_rows(path, text_format) as file,
    ):
        for row in csv.reader(
            file,
            delimiter=delimiter,
            quoting=csv.QUOTE_MINIMAL if text_format.has_quotes else csv.QUOTE_NONE,
        ):
            if row:
                return row if text_format.has_names else [str(i + 1) for i in range(len(row))]
    return None


def find_format(path: Path, expected: str, given: TextFormat) -> tuple[str, TextFormat]:
    """Return what separates the fields of a text file, and its format.

    By default that is ``expected``, unless the first line has none and has another one instead,
    or begins with ``sep=``. "" expects none.
    """
    # What is no text in this encoding is said by those who read it as a whole.
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
    return given.delimiter or found, given


def find_delimiter(path: Path, encoding: str | None = None) -> str:
    """Return what separates the fields of a text file, by its first line that is not blank."""
    return find_format(path, "", TextFormat(encoding=encoding))[0]


def delimiter_in(line: str) -> str:
    """Return what separates the fields of a line, a comma for a single field.

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
    """Return what is not within quotes."""
    return "".join(line.strip("\r\n ").split('"')[::2])


@contextmanager
def opened_text(
    path: Path, encoding: str | None, errors: str = "strict"
) -> Iterator[TextIOWrapper]:
    """Open the text of a file, compressed or not."""
    with (
        opened_bytes(path, is_packed(path)) as file,
        TextIOWrapper(file, encoding or "utf-8-sig", errors, newline="") as text,
    ):
        yield text


@contextmanager
def opened_rows(
    path: Path, text_format: TextFormat, errors: str = "strict"
) -> Iterator[TextIOWrapper]:
    """Open the text of a file after the lines that are skipped."""
    with opened_text(path, text_format.encoding, errors) as text:
        for _ in range(text_format.n_skipped):
            text.readline()
        yield text


@contextmanager
def naming_encoding(path: Path, encoding: str | None) -> Iterator[None]:
    """Name a file and its encoding in errors about text that is not written in it."""
    try:
        yield
    except UnicodeError as error:
        if encoding is None:
            raise
        reason = str(error).rstrip(".")
        raise RatingsError(f"{path} is not text in {encoding}: {reason}.") from error


@contextmanager
def opened_bytes(path: Path, is_packed: bool) -> Iterator[BinaryIO]:
    """Open a file, or what is in a compressed one.

    Raises
    ------
    RatingsError
        When what is compressed turns out to be cut off or damaged.
    """
    try:
        with gzip.open(path) if is_packed else open(path, "rb") as file:
            yield cast(BinaryIO, file)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        if "Not a gzipped" in str(error):
            raise RatingsError(
                f"{path} cannot be read: it does not begin as gzip does: if it is not compressed,"
                f" name it {path.stem}."
            ) from error
        raise RatingsError(f"{path} cannot be read: {error}.") from error


def is_packed(path: Path) -> bool:
    """Return whether a file is compressed, by its name."""
    return path.name.lower().endswith(".gz")


def refuse_lost_rows(file: TextFile, n_rows: int) -> None:
    """Raise if a quoted field of a file holds whole rows; ``n_rows`` is how many rows were read.

    A quote that nobody meant takes all lines to the next quote for one field. A sign of it is that
    each of these lines has as many fields as a row, which lines of free text seldom have.

    Raises
    ------
    RatingsError
        If each line of a quoted field has the fields of a row.
    """
    of_file = file.text_format
    n_fields = len(file.names)
    # Most files have a line for each row, which is found out in a fraction of the time.
    n_others = of_file.n_skipped + of_file.has_names
    if n_fields < 2 or not of_file.has_quotes or _n_lines(file) <= n_rows + n_others:
        return
    with opened_rows(file.path, of_file, errors="replace") as text:
        first = of_file.n_skipped + 1
        for lines in _lines_of_rows(text, file.delimiter):
            last = first + len(lines) - 1
            if last > first and all(line.count(file.delimiter) == n_fields - 1 for line in lines):
                raise RatingsError(
                    f"{file.path}: a quote in line {first} opens a field that reaches to line"
                    f" {last}, and each of these lines has the {n_fields} fields of a row, which"
                    " would be lost. Remove the quote or, if quotes are text, give --quote none on"
                    " the command line."
                )
            first = last + 1


def _n_lines(file: TextFile) -> int:
    """Return how many lines a file has."""
    n_lines, last = 0, b"\n"
    with opened_bytes(file.path, file.is_packed) as data:
        while block := data.read(READ_SIZE):
            n_lines += block.count(b"\n")
            last = block[-1:]
    return n_lines + (last != b"\n")


def _lines_of_rows(text: Iterator[str], delimiter: str) -> Iterator[list[str]]:
    """Yield the lines of each row."""
    lines: list[str] = []

    def noted() -> Iterator[str]:
        for line in text:
            lines.append(line)
            yield line

    # A field that is too long to be one is yielded, too.
    with suppress(csv.Error):
        for _ in csv.reader(noted(), delimiter=delimiter):
            yield lines
            lines.clear()
    if lines:
        yield lines
