"""Match items by their ids, and report ids that do not match."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, starmap
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.kernels.threads import read_ahead
from fastkappa.leaderboards.items.ids import (
    Ids,
    Places,
    Positions,
    read_ids,
    settled,
)
from fastkappa.ratings.lengths import are_offset_ids, share_few_ids

IDS_SHOWN = 5
AS_IF_OFFSET = "as if one list of ids counted from 0 and the other from 1"
# The maximum number of lists that a thread looks up together. The ids of the items are hashed only
# once for all these lists.
LISTS_AT_ONCE = 8


class Alignment(NamedTuple):
    """The items that two lists of ids have in common.

    Attributes
    ----------
    items, others : ndarray of int or None
        The positions of the ids that occur exactly once in each list: ``items`` in the first list,
        and ``others`` in the other list. Both arrays follow the order of the first list. If only
        ``items`` is None, it stands for all positions of the first list, in order. If both are
        None, the lists are equal.
    missing, extra, repeated : list
        The ids missing from the other list, the ids that occur only in the other list, and the ids
        of the first list that occur more than once in the other list.
    """

    items: NDArray[np.intp] | None
    others: NDArray[np.int64] | None
    missing: list[Any]
    extra: list[Any]
    repeated: list[Any]

    def is_complete(self) -> bool:
        """Return whether the other list contains each id exactly once, and no other ids."""
        return not (self.missing or self.extra or self.repeated)

    def shares_few(self, n_ids: int) -> bool:
        """Return whether fewer than half of the ids in the shorter list match.

        ``n_ids`` is the length of the first list.
        """
        n_shared = n_ids - len(self.missing)
        return share_few_ids(n_shared, n_ids, n_shared + len(self.extra))

    def mismatch(self) -> str:
        """Describe the ids that do not match, with examples."""
        descriptions = []
        for what, ids in (
            ("missing", self.missing),
            ("extra", self.extra),
            ("repeated", self.repeated),
        ):
            if ids:
                more = ", ..." if len(ids) > IDS_SHOWN else ""
                some = ", ".join(map(repr, ids[:IDS_SHOWN]))
                descriptions.append(f"{len(ids)} {what} ({some}{more})")
        kinds = {isinstance(ids[0], str) for ids in (self.missing, self.extra) if ids}
        if len(kinds) == 2:
            descriptions.append("one list of ids has strings and the other does not")
        offset = f", {AS_IF_OFFSET}" if self.is_offset() else ""
        return ", ".join(descriptions) + offset

    def is_offset(self) -> bool:
        """Return whether the ids seem to count from 0 in one list and from 1 in the other."""
        n_shared = 0 if self.items is None else len(self.items)
        return are_offset_ids(self.missing, self.extra, n_shared + len(self.missing))


# The alignment of two equal lists of ids.
ALL_IN_ORDER = Alignment(None, None, [], [], [])


class ItemIds:
    """The ids of the items, with which other lists of ids are matched."""

    def __init__(self, ids: Any, name: str) -> None:
        self._given = read_ids(ids, name)
        self._ids = settled(self._given)
        # The last list is kept, because the next list often has the same ids in the same order.
        self._last: tuple[Ids, Alignment] | None = None
        self._places = Places(self._ids)
        again = self._places.repeats()
        if len(again):
            repeated = list(dict.fromkeys(self._ids.tolist(again)))
            some = ", ".join(map(repr, repeated[:IDS_SHOWN]))
            raise ValueError(f"{name} must be distinct, but some occur more than once: {some}.")

    def __len__(self) -> int:
        return len(self._ids)

    def tolist(self, positions: Any) -> list[Any]:
        """Return the ids at the given positions."""
        return self._ids.tolist(positions)

    def align(self, ids: Any, name: str) -> Alignment:
        """Match a list of ids with the ids of the items."""
        return self._align_some([(ids, name)])[0]

    def align_all(self, named: Sequence[tuple[Any, str]], num_threads: int) -> list[Alignment]:
        """Match lists of ids with the ids of the items.

        ``named`` contains pairs of a list and the name of that list in error messages.
        """
        at_once = max(1, min(LISTS_AT_ONCE, -(-len(named) // num_threads)))
        groups = [named[start : start + at_once] for start in range(0, len(named), at_once)]
        num_threads = max(1, min(num_threads, len(groups)))
        return [*chain(*read_ahead(self._align_some, groups, num_threads, num_threads))]

    def _align_some(self, named: Sequence[tuple[Any, str]]) -> list[Alignment]:
        """Match lists of ids with the ids of the items.

        Lists whose ids or order differ from those of the items are looked up together.
        """
        # Read the attribute only once, because another thread can replace it.
        last = self._last
        orders, found = ([], []) if last is None else ([last[0]], [last[1]])
        place = []
        for others in starmap(self._in_another_order, named):
            if others is not None and not (orders and others.are(orders[-1])):
                orders.append(others)
            place.append(None if others is None else len(orders) - 1)
        new = orders[len(found) :]
        for others, places in zip(new, self._places.of(new) if new else ()):
            found.append(self._alignment(others, places))
        if new and new[-1].kind == "string":
            # Only strings are kept, because other ids share memory with the user's array, which can
            # change.
            self._last = (new[-1], found[-1])
        return [ALL_IN_ORDER if i is None else found[i] for i in place]

    def _in_another_order(self, ids: Any, name: str) -> Ids | None:
        """Return the given ids, ready for look-up, or None if they equal the ids of the items."""
        others = read_ids(ids, name)
        if others.are(self._given):
            return None
        others = settled(others)
        return None if others.are(self._ids) else others

    def _alignment(self, others: Ids, found: Positions) -> Alignment:
        """Return the alignment with ``others``.

        For each id in ``others``, ``found`` contains its position among these ids, or -1.
        """
        ids, is_known = self._ids, found >= 0
        places = np.full(len(ids), -1, np.int64)
        if len(others) == len(ids) and is_known.all():
            places[found] = np.arange(len(found))
            if (places >= 0).all():
                return ALL_IN_ORDER._replace(others=places)
        known = np.flatnonzero(is_known)
        places[found[known]] = known
        times = np.bincount(found[known], minlength=len(ids))
        items = np.flatnonzero(times == 1)
        # An unknown id counts as one extra id, regardless of how often it occurs.
        extra = list(dict.fromkeys(others.tolist(np.flatnonzero(~is_known))))
        return Alignment(
            items,
            places[items],
            ids.tolist(np.flatnonzero(times == 0)),
            extra,
            ids.tolist(np.flatnonzero(times > 1)),
        )
