"""Parts of the items, such as a public and a private one, that are ranked each by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.leaderboards.items.alignment import Alignment, ItemIds


class Splits:
    """The parts of the items: ``positions`` has, by name and sorted, the items of each.

    ``names`` are those of each item's split.
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
        """Return how a list of ids matches the items of each split, given how it matches all.

        What belongs to no item is extra in each of them.
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
        """Return those ids that are of a split."""
        if not ids:
            return ids
        found = self.ids.align(ids, "ids").items
        items = np.arange(len(self.ids)) if found is None else found
        return self.ids.tolist(items[self._split_of_item[items] == i])
