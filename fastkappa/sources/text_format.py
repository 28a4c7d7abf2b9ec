"""How a text file is written: what separates its fields, its encoding, the names of its columns."""

from __future__ import annotations

import csv
import gzip
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
    """

    delimiter: str | None = None
    encoding: str | None = None
    has_names: bool = True


PLAIN = TextFormat()


class TextFile(NamedTuple):
    """A text file, how it is written, and the names of its columns."""

    path: Path
    delimiter: str
    names: list[str]
    encoding: str | None = None
    has_names: bool = True

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
        opened_text(path, encoding) as file,
    ):
        for row in csv.reader(file, delimiter=delimiter):
            if row:
                return row if text_format.has_names else [str(i + 1) for i in range(len(row))]
    return None


def find_delimiter(path: Path, encoding: str | None = None) -> str:
    """Return what separates the fields of a text file, by its first line that is not blank."""
    # What is no text in this encoding is said by those who read it as a whole.
    with (
        naming_encoding(path, encoding),
        opened_text(path, encoding, errors="replace") as file,
    ):
        while (line := file.readline(LONGEST_LINE)) and not line.strip():
            continue
    return delimiter_in(line)


def delimiter_in(line: str) -> str:
    """Return what separates the fields of a line, a comma for a single field.

    Examples
    --------
    >>> from fastkappa.sources.text_format import delimiter_in
    >>> delimiter_in("left;right\\n"), delimiter_in("first rater\\tsecond rater")
    (';', '\\t')
    >>> delimiter_in('"left, eye" "right, eye"')
    ' '
    """
    unquoted = "".join(line.strip("\r\n ").split('"')[::2])
    return next((c for c in DELIMITERS_TRIED if c in unquoted), ",")


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
        raise RatingsError(f"{path} cannot be read: {error}.") from error


def is_packed(path: Path) -> bool:
    """Return whether a file is compressed, by its name."""
    return path.name.lower().endswith(".gz")
