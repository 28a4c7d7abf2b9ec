"""Blocks of a CSV file that are parsed apart from each other, so that threads share the work.

A line break ends a row unless it is within quotes. So a file without quotes, but for those in
its first line, can be cut at any line break: a block has the lines that begin in a range of its
bytes.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from fastkappa.engines.ratings import RatingsError
from fastkappa.kernels.threads import ItemRanges

# What may separate the fields of a text file: the first of these in its first line does.
DELIMITERS_TRIED = "\t;,| "
# Small enough for what is made of a block to stay in the cache.
BLOCK_SIZE = 1 << 20
# No line is longer, or the file is read in another way.
LONGEST_LINE = 1 << 16


class NotInBlocksError(Exception):
    """A file cannot be cut at its line breaks."""


def in_blocks(
    path: Path,
    delimiter: str,
    names: Sequence[str],
    types: dict[Any, Any],
    ranges: ItemRanges,
    on_progress: Callable[[int], None],
) -> Iterator[Any]:
    """Yield columns of the blocks that a thread takes, as record batches of these types.

    Raises
    ------
    NotInBlocksError
        If there are quotes, or a line is very long.
    pyarrow.ArrowInvalid
        If a block cannot be parsed, or a value is not of its column's type.
    """
    from pyarrow import csv as arrow_csv

    parse_options = arrow_csv.ParseOptions(delimiter=delimiter)
    convert_options = arrow_csv.ConvertOptions(
        include_columns=list(types), column_types=types, strings_can_be_null=True
    )
    for (start, stop), block in read_blocks(path, ranges):
        # A line of tabs alone is a row of missing values.
        if not block.strip(b"\r\n"):
            continue
        read_options = arrow_csv.ReadOptions(
            use_threads=False,
            block_size=len(block) + 1,
            # The names are in the first block.
            column_names=names if start else None,
        )
        rows = arrow_csv.read_csv(
            in_arrow_memory(block),
            read_options=read_options,
            parse_options=parse_options,
            convert_options=convert_options,
        )
        on_progress(stop)
        yield from rows.to_batches()


def read_blocks(path: Path, ranges: ItemRanges) -> Iterator[tuple[tuple[int, int], bytes]]:
    """Yield the ranges of a file's bytes that a thread takes, and the lines that begin in each.

    Raises
    ------
    NotInBlocksError
        If there are quotes, or a line is very long.
    """
    with open(path, "rb", buffering=0) as file:
        while bounds := ranges.take(BLOCK_SIZE):
            yield bounds, _lines(file, *bounds)


def _lines(file: BinaryIO, start: int, stop: int) -> bytes:
    """Return the lines of a file that begin at the bytes from start to stop."""
    before = max(start - 1, 0)
    file.seek(before)
    # An unbuffered file may give fewer bytes than it is asked for.
    parts, missing = [], stop + LONGEST_LINE - before
    while missing > 0 and (part := file.read(missing)):
        parts.append(part)
        missing -= len(part)
    text = b"".join(parts)
    begin = text.find(b"\n") + 1 if start else 0
    end = text.find(b"\n", stop - 1 - before) + 1
    if end == 0 and missing > 0:
        # The end of the file.
        end = len(text)
    if end == 0 or (start and begin == 0):
        raise NotInBlocksError
    rows = begin if start else text.find(b"\n") + 1
    if not has_whole_fields(text[begin:rows]) or text.find(b'"', rows, end) >= 0:
        raise NotInBlocksError
    return text[begin:end]


def in_arrow_memory(data: bytes) -> Any:
    """Return a stream of a copy of these bytes that belongs to Arrow.

    A thread of Arrow may let go of a stream after it has been read, even while Python ends. To let
    go of a Python object it would have to call Python then, which ends in an abort.
    """
    import pyarrow

    memory = pyarrow.BufferOutputStream()
    memory.write(data)
    return pyarrow.BufferReader(memory.getvalue())


def has_whole_fields(line: bytes) -> bool:
    """Return whether a line break after these bytes is not within quotes."""
    return line.count(b'"') % 2 == 0


def has_names(line: bytes, delimiter: str, names: Sequence[str]) -> bool:
    """Return whether a line has these names and nothing else, but for quotes around a name."""
    found = line.removeprefix(codecs.BOM_UTF8).rstrip(b"\r\n").split(delimiter.encode())
    return [field.removeprefix(b'"').removesuffix(b'"') for field in found] == [
        name.encode() for name in names
    ]


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


def find_delimiter(path: Path) -> str:
    """Return what separates the fields of a text file, by its first line that is not blank."""
    with opened_bytes(path, is_packed(path)) as file:
        while (line := file.readline(LONGEST_LINE)) and not line.strip():
            continue
    return delimiter_in(line.decode(errors="replace"))


def delimiter_in(line: str) -> str:
    """Return what separates the fields of a line, a comma for a single field.

    Examples
    --------
    >>> from fastkappa.engines.arrow_blocks import delimiter_in
    >>> delimiter_in("left;right\\n"), delimiter_in("first rater\\tsecond rater")
    (';', '\\t')
    >>> delimiter_in('"left, eye" "right, eye"')
    ' '
    """
    unquoted = "".join(line.strip("\r\n ").split('"')[::2])
    return next((c for c in DELIMITERS_TRIED if c in unquoted), ",")


def names_of_columns(path: Path, delimiter: str) -> list[str]:
    """Return the names in the first row that is not empty."""
    from pyarrow import csv as arrow_csv

    if not is_packed(path):
        # pyarrow would parse a block of values as well. What is odd is left to it.
        with (
            suppress(csv.Error, UnicodeDecodeError),
            open(path, encoding="utf-8-sig", newline="") as file,
        ):
            for names in csv.reader(file, delimiter=delimiter):
                if names:
                    return names
    options = arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    with arrow_csv.open_csv(path, parse_options=options) as reader:
        return list(reader.schema.names)


def is_packed(path: Path) -> bool:
    """Return whether a file is compressed, by its name."""
    return path.name.lower().endswith(".gz")
