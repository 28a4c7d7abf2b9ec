"""Count pairs of strings in CSV and TSV files with a compiled kernel, without building columns.

A line break ends a row unless it is inside quotes. A file without quotes, except in its first line,
can therefore be split at any line break. A block consists of the lines that begin in a range of
bytes, and a thread that becomes free takes the next block. All other files are read by pyarrow.
"""

from __future__ import annotations

import codecs
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from fastkappa.arrays import IntTable
from fastkappa.kernels.contract import CountLines, Lines, Texts
from fastkappa.kernels.dispatch import csv_line_kernels, get_kernels
from fastkappa.kernels.threads import ItemRanges, run_in_threads
from fastkappa.sources.text.text_format import LONGEST_LINE, TextFile, is_packed
from fastkappa.tables.doubtful_orders import runs_in

# The number of bytes per block, small enough for the temporary data of a block to fit in the cache.
BLOCK_SIZE = 1 << 20
# The number of bytes in the first block, which is tallied on its own, as a trial run before the
# rest of the file.
FIRST_BLOCK = 1 << 14
# The largest number of distinct texts per column that the kernel supports. Files with more are read
# by pyarrow.
MOST_TEXTS = 1 << 8
# The number of lines to sample per block, to check whether a column is sorted.
SAMPLED = 1 << 6
# The length in bytes of the longest text that the kernel supports.
LONGEST_TEXT = 1 << 7
# The number of bytes covered by the first search for new texts. Each later search covers twice as
# many as the one before.
FIRST_LEARNED = 1 << 8
# Bytes that the kernel does not support: quotes change the meaning of a field, and NULs serve as
# the kernel's padding.
UNUSUAL = (b'"', b"\0")


class NotInBlocksError(Exception):
    """Raised if a file cannot be split at line breaks, or if the kernel cannot count a line."""


def count_file(
    file: TextFile, columns: Sequence[Any], on_progress: Callable[[int], None], num_threads: int
) -> list[LineCounter] | None:
    """Count the pairs of texts in two columns, and return the counts of each thread.

    Return None if the kernel cannot count the file. pyarrow then reads it and reports any errors.
    """
    count_lines = csv_line_kernels(get_kernels()).count_lines
    of_file = file.text_format
    is_changed = of_file.encoding is not None or of_file.n_skipped or of_file.is_aligned
    if count_lines is None or is_packed(file.path) or is_changed:
        return None
    first, second = map(file.names.index, columns)
    lines = Lines(ord(file.delimiter), len(file.names), first, second)

    def work(ranges: ItemRanges) -> LineCounter:
        counter = LineCounter(count_lines, lines)
        for (start, stop), block in read_blocks(file.path, ranges):
            counter.begins = min(counter.begins, start)
            head = 0 if start else _head_of(block, file)
            if not counter.add(block, head):
                raise NotInBlocksError
            counter.add_runs(block, head)
            on_progress(stop)
        return counter

    n_bytes = file.path.stat().st_size
    try:
        # Count the first block before the threads start, because nearly every file that the kernel
        # cannot count fails in its first block.
        tried = work(ItemRanges(min(n_bytes, FIRST_BLOCK), 1))
        if n_bytes <= FIRST_BLOCK:
            return [tried]
        counters = run_in_threads(work, n_bytes, max(1, min(num_threads, n_bytes // BLOCK_SIZE)))
        # Sort the counters by position, so that the first row of the file comes first.
        return sorted(counters, key=lambda counter: counter.begins)
    except NotInBlocksError:
        return None


def read_blocks(path: Path, ranges: ItemRanges) -> Iterator[tuple[tuple[int, int], bytes]]:
    """Yield each byte range assigned to a thread, with the lines that begin in this range.

    Raises
    ------
    NotInBlocksError
        If the file has quotes below its first line, or a very long line.
    """
    with open(path, "rb", buffering=0) as file:
        while bounds := ranges.take(BLOCK_SIZE):
            yield bounds, _lines(file, *bounds)


def _lines(file: BinaryIO, start: int, stop: int) -> bytes:
    """Return the lines that begin at byte ``start`` of a file or later, but before ``stop``."""
    before = max(start - 1, 0)
    file.seek(before)
    # An unbuffered file can return fewer bytes than requested.
    parts, missing = [], stop + LONGEST_LINE - before
    while missing > 0 and (part := file.read(missing)):
        parts.append(part)
        missing -= len(part)
    text = b"".join(parts)
    begin = text.find(b"\n") + 1 if start else 0
    end = text.find(b"\n", stop - 1 - before) + 1
    if end == 0 and missing > 0:
        # The block extends to the end of the file.
        end = len(text)
    if end == 0 or (start and begin == 0):
        raise NotInBlocksError
    rows = begin if start else text.find(b"\n") + 1
    if not has_whole_fields(text[begin:rows]) or text.find(b'"', rows, end) >= 0:
        raise NotInBlocksError
    return text[begin:end]


def has_whole_fields(line: bytes) -> bool:
    """Return whether a line break after these bytes is outside quotes."""
    return line.count(b'"') % 2 == 0


def _head_of(block: bytes, file: TextFile) -> int:
    """Return the number of bytes before the first row of values."""
    if not file.text_format.has_names:
        return len(codecs.BOM_UTF8) if block.startswith(codecs.BOM_UTF8) else 0
    head = block.find(b"\n") + 1
    if not has_names(block[:head], file.delimiter, file.names):
        raise NotInBlocksError
    return head


def has_names(line: bytes, delimiter: str, names: Sequence[str]) -> bool:
    """Return whether a line consists of the given names, with or without quotes."""
    found = line.removeprefix(codecs.BOM_UTF8).rstrip(b"\r\n").split(delimiter.encode())
    return [field.removeprefix(b'"').removesuffix(b'"') for field in found] == [
        name.encode() for name in names
    ]


class LineCounter:
    """Count the lines with each pair of texts in two fields.

    Attributes
    ----------
    texts : tuple of dict
        The index of each text in the first and in the second field, in order of first occurrence.
    counts : ndarray of int64
        The number of lines with each pair of texts.
    begins : int
        The position of the first counted byte.
    n_blocks, n_runs : int, list of float
        The number of blocks and, for each field, the number of runs of equal texts in the sampled
        lines of these blocks.
    """

    def __init__(self, count_lines: CountLines, lines: Lines) -> None:
        self._count_lines, self._lines = count_lines, lines
        self.begins = sys.maxsize
        self.n_blocks, self.n_runs = 0, [0.0, 0.0]
        self.texts: tuple[dict[bytes, int], dict[bytes, int]] = ({}, {})
        self.counts: IntTable = np.zeros((0, 0), np.int64)
        self._known = [_in_words(texts) for texts in self.texts]
        self._n_learned = FIRST_LEARNED

    def add(self, text: bytes, start: int) -> bool:
        """Count the lines from byte ``start`` on, or return False if a line is unusual.

        If False is returned, some lines might already have been counted. A line is unusual if it
        contains an unsupported character, has a different number of fields from the first line, or
        adds a text beyond the limits `MOST_TEXTS` and `LONGEST_TEXT`.
        """
        if not is_plain(text, start):
            return False
        data = np.frombuffer(text, np.uint8)
        while start < len(text):
            start += self._count_lines(
                self._known[0], self._known[1], data[start:], self._lines, self.counts
            )
            if start < len(text) and not self._learn(text, start):
                return False
        return True

    def add_runs(self, text: bytes, start: int) -> None:
        """Count runs of equal texts in sampled lines, unless both fields already have many runs."""
        self.n_blocks += 1
        if start == len(text) or min(self.n_runs) > MOST_TEXTS + self.n_blocks:
            return
        delimiter, n_fields, *positions = self._lines
        lines = [line.split(bytes([delimiter])) for line in _sample(text, start)]
        for i, position in enumerate(positions):
            # Skip empty lines, which are not rows.
            texts = [fields[position] for fields in lines if len(fields) == n_fields]
            self.n_runs[i] += runs_in(np.array(texts))

    def _learn(self, text: bytes, start: int) -> bool:
        """Assign indices to the new texts in the next lines.

        Return False if no text is new, if there are too many texts, or if a text is too long.
        """
        n_known = [len(texts) for texts in self.texts]
        end = text.find(b"\n", start + self._n_learned)
        self._n_learned *= 2
        delimiter, n_fields, *positions = self._lines
        for line in text[start : end if end >= 0 else len(text)].split(b"\n"):
            fields = line.removesuffix(b"\r").split(bytes([delimiter]))
            if len(fields) != n_fields:
                break
            for texts, position in zip(self.texts, positions):
                texts.setdefault(fields[position], len(texts))
        if [len(texts) for texts in self.texts] == n_known:
            return False
        if any(len(one) > MOST_TEXTS or max(map(len, one)) > LONGEST_TEXT for one in self.texts):
            return False
        self._known = [_in_words(texts) for texts in self.texts]
        counted = self.counts
        self.counts = np.zeros((len(self.texts[0]), len(self.texts[1])), np.int64)
        self.counts[: counted.shape[0], : counted.shape[1]] = counted
        return True


def _sample(text: bytes, start: int) -> Iterator[bytes]:
    """Yield lines at increasing distances, so that periodic files do not bias the sample."""
    for i in range(SAMPLED):
        place = start + (len(text) - start) * i**2 // SAMPLED**2
        begin = text.find(b"\n", place - 1) + 1 if i else start
        if place <= begin < len(text):
            end = text.find(b"\n", begin)
            yield text[begin : end if end >= 0 else len(text)].removesuffix(b"\r")


def is_plain(text: bytes, start: int = 0) -> bool:
    """Return whether ``text`` has no quote, NUL or lone carriage return from ``start`` on."""
    if any(text.find(byte, start) >= 0 for byte in UNUSUAL):
        return False
    # pyarrow also treats a lone carriage return as the end of a line.
    return text.find(b"\r", start) < 0 or text.count(b"\r", start) == text.count(b"\r\n", start)


def _in_words(texts: Collection[bytes]) -> Texts:
    """Convert distinct texts without NULs to 8-byte words, with one row per text."""
    n_words = max(1, -(-max(map(len, texts), default=0) // 8))
    return np.array(list(texts), f"S{8 * n_words}").view(np.uint64).reshape(-1, n_words)
