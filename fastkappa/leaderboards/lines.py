"""Text files with an id and a whole number in each line, read into the order of the items at once.

Columns of such a file would be made of its text, and looked up afterwards. Here the text is gone
through once. Whatever is unusual in a file is left to those who read any file.
"""

from __future__ import annotations

import codecs

import numpy as np
from numpy.typing import NDArray

from fastkappa.counting.lines import is_plain
from fastkappa.kernels.contract import Lines
from fastkappa.kernels.dispatch import get_kernels, word_kernels
from fastkappa.leaderboards.items.alignment import ALL_IN_ORDER, Alignment, ItemIds


class LineReader:
    """Reads text files that have a line for each item, in any order.

    ``no_ids`` are texts that are no ids in a file, whatever they are among ``ids``.
    """

    def __init__(self, ids: ItemIds, no_ids: list[str]) -> None:
        self._n_items = len(ids)
        self._place_numbers = word_kernels(get_kernels()).place_numbers
        words = ids.words()
        self._are_numbers = words is not None and words[1] == "number"
        are_strings = words is not None and words[1] == "string"
        if are_strings and len(ids.align(no_ids, "ids").extra) < len(no_ids):
            words = None
        self._table = words[0] if words and (are_strings or self._are_numbers) else None

    def read(
        self, text: bytes, delimiter: str, id_column: str, column: str
    ) -> tuple[Alignment, NDArray[np.int64]] | None:
        """Return how the ids match, and the numbers; None if there is not one for each item.

        Nor for lines with quotes, with other numbers of fields than the first has names, or with
        numbers that are written otherwise than by a minus and at most 18 digits.
        """
        if self._place_numbers is None or self._table is None:
            return None
        if not is_plain(text):
            return None
        end = text.find(b"\n")
        try:
            first = text[: max(end, 0)].removeprefix(codecs.BOM_UTF8).decode()
        except UnicodeDecodeError:
            return None
        names = first.removesuffix("\r").split(delimiter)
        if id_column == column or names.count(id_column) != 1 or names.count(column) != 1:
            return None
        lines = Lines(ord(delimiter), len(names), names.index(id_column), names.index(column))
        numbers = np.empty(self._n_items, np.int64)
        rest = np.frombuffer(text, np.uint8, offset=end + 1)
        if not self._place_numbers(self._table, rest, lines, self._are_numbers, numbers):
            return None
        return ALL_IN_ORDER, numbers
