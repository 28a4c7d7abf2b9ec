"""Split the items into parts, such as public and private items, that are ranked separately."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.leaderboards.items.alignment import Alignment, ItemIds


class Splits:
    """The split of each item, such as "public" or "private".

    ``names`` contains the name of each item's split. ``positions`` maps the name of each split to
    the sorted positions of its items.
    """

    def __init__(self, ids: Any, names: Sequence[str]) -> None:
        self.ids = ItemIds(ids, "ids")
        found, self._split_of_item = np.unique(np.array(names, dtype=object), return_inverse=True)
        self.positions: dict[str, NDArray[np.intp]] = {
            name: np.flatnonzero(self._split_of_item == i) for i, name in enumerate(found.tolist())
        }
        self._place_in_split = np.empty(len(names), np.int64)
        for positions in self.positions.values():
            self._place_in_split[positions] = np.arange(len(positions))

    def of_each(self, whole: Alignment) -> list[Alignment]:
        """Align ids with the items of each split, given the alignment of the ids with all items.

        An id that does not belong to any item counts as an extra id in every split.
        """
        items = np.arange(len(self.ids)) if whole.items is None else whole.items
        others = np.arange(len(items)) if whole.others is None else whole.others
        parts = []
        for i in range(len(self.positions)):
            chosen = self._split_of_item[items] == i
            parts.append(
                Alignment(
                    self._place_in_split[items[chosen]],
                    others[chosen],
                    self._among(whole.missing, i),
                    whole.extra,
                    self._among(whole.repeated, i),
                )
            )
        return parts

    def _among(self, ids: list[Any], i: int) -> list[Any]:
        """Return the given ids that belong to split ``i``."""
        if not ids:
            return ids
        found = self.ids.align(ids, "ids").items
        items = np.arange(len(self.ids)) if found is None else found
        return self.ids.tolist(items[self._split_of_item[items] == i])
