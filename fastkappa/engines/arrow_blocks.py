"""Blocks of a CSV file that are parsed apart from each other, so that threads share the work.

A line break ends a row unless it is within quotes. So a file without quotes, but for those in
its first line, can be cut at any line break: a block has the lines that begin in a range of its
bytes.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from fastkappa.engines.ratings import RatingsError
from fastkappa.kernels.threads import ItemRanges

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
    from pyarrow import csv

    parse_options = csv.ParseOptions(delimiter=delimiter)
    convert_options = csv.ConvertOptions(
        include_columns=list(types), column_types=types, strings_can_be_null=True
    )
    with open(path, "rb", buffering=0) as file:
        while bounds := ranges.take(BLOCK_SIZE):
            block = _lines(file, *bounds)
            # A line of tabs alone is a row of missing values.
            if not block.strip(b"\r\n"):
                continue
            read_options = csv.ReadOptions(
                use_threads=False,
                block_size=len(block) + 1,
                # The names are in the first block.
                column_names=names if bounds[0] else None,
            )
            rows = csv.read_csv(
                in_arrow_memory(block),
                read_options=read_options,
                parse_options=parse_options,
                convert_options=convert_options,
            )
            on_progress(bounds[1])
            yield from rows.to_batches()


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
