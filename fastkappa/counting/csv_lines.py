"""Lines of CSV text counted by the pairs of texts in two fields, without making columns of them.

The texts, which are few, get their places in a table as they are found; what they mean is left to
the caller.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from fastkappa.arrays import IntTable
from fastkappa.kernels.contract import CountLines, Lines, Texts

# More texts, or longer ones, are left to those who read any file.
MOST_TEXTS = 1 << 8
LONGEST_TEXT = 1 << 7
# Bytes of text whose lines are looked through for new ones, twice as many each time.
FIRST_LEARNED = 1 << 8
# Bytes of which a field may mean something else than it says: quotes, and the end of a word.
UNUSUAL = (b'"', b"\0")


class LineCounter:
    """Counts lines by the texts in two fields.

    Attributes
    ----------
    texts : list of dict
        The texts of either field, in the order in which they were found.
    counts : ndarray of int64
        How many lines have each pair.
    """

    def __init__(self, count_lines: CountLines, lines: Lines) -> None:
        self._count_lines, self._lines = count_lines, lines
        self.texts: tuple[dict[bytes, int], dict[bytes, int]] = ({}, {})
        self.counts: IntTable = np.zeros((0, 0), np.int64)
        self._known = [_in_words(texts) for texts in self.texts]
        self._n_learned = FIRST_LEARNED

    def add(self, text: bytes, start: int) -> bool:
        """Count the lines after some bytes; return False, some being counted, if one is unusual.

        So are lines with quotes or another number of fields than the first, and many texts.
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

    def _learn(self, text: bytes, start: int) -> bool:
        """Give places to the texts of the next lines; return whether there were new ones."""
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


def is_plain(text: bytes, start: int = 0) -> bool:
    """Return whether the fields of lines, from some byte on, are what stands between delimiters."""
    if any(text.find(byte, start) >= 0 for byte in UNUSUAL):
        return False
    # Alone a carriage return ends a line, too.
    return text.find(b"\r", start) < 0 or text.count(b"\r", start) == text.count(b"\r\n", start)


def _in_words(texts: Collection[bytes]) -> Texts:
    """Return different texts without NULs as words of 8 bytes, a row per text."""
    n_words = max(1, -(-max(map(len, texts), default=0) // 8))
    return np.array(list(texts), f"S{8 * n_words}").view(np.uint64).reshape(-1, n_words)
