"""Items matched by their ids, with a report of those that do not match."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.leaderboards.items.ids import Ids, read_ids

IDS_SHOWN = 5


class Alignment(NamedTuple):
    """The items that two lists of ids have in common.

    Attributes
    ----------
    items, others : ndarray of int or None
        Positions in the first and in the other list of the ids that occur once in each, in the
        order of the first. None for ``items`` stands for all of these, and None for both for two
        lists that are the same.
    missing, extra, repeated : list
        Ids that the other list lacks, that only it has, and that it has more than once.
    """

    items: NDArray[np.intp] | None
    others: NDArray[np.int64] | None
    missing: list[Any]
    extra: list[Any]
    repeated: list[Any]

    def is_complete(self) -> bool:
        """Return whether the other list has each id once, and no others."""
        return not (self.missing or self.extra or self.repeated)

    def mismatch(self) -> str:
        """Return a description of what does not match, with examples."""
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
            descriptions.append("strings on one side and other ids on the other")
        return ", ".join(descriptions)


# How a list of the same ids in the same order matches.
ALL_IN_ORDER = Alignment(None, None, [], [], [])


class ItemIds:
    """The ids of the items, which other lists are matched with."""

    def __init__(self, ids: Any, name: str) -> None:
        self._ids = read_ids(ids, name)
        # The last list that was matched: the next one often has its order.
        self._last: tuple[Ids, Alignment] | None = None
        first = self._ids.places_among(self._ids)
        again = np.flatnonzero(first != np.arange(len(first)))
        if len(again):
            repeated = list(dict.fromkeys(self._ids.tolist(again)))
            some = ", ".join(map(repr, repeated[:IDS_SHOWN]))
            raise ValueError(f"{name} must be distinct, got some more than once: {some}.")

    def __len__(self) -> int:
        return len(self._ids)

    def tolist(self, positions: Any) -> list[Any]:
        """Return the ids at some positions."""
        return self._ids.tolist(positions)

    def align(self, ids: Any, name: str) -> Alignment:
        """Match a list of ids with these."""
        others = read_ids(ids, name)
        if others.are(self._ids):
            return ALL_IN_ORDER
        # Another thread may write another one meanwhile.
        last = self._last
        if last is not None and others.are(last[0]):
            return last[1]
        found = self._match(others)
        if others.kind == "string":
            # Others are read from the user's memory, who may write other ids there.
            self._last = (others, found)
        return found

    def _match(self, others: Ids) -> Alignment:
        """Match ids with these, by looking each of them up."""
        ids = self._ids
        places = ids.places_among(others)
        if len(others) == len(ids) and (places >= 0).all():
            return ALL_IN_ORDER._replace(others=places)
        # An id that the others have several times is first at one place only.
        found = others.places_among(ids)
        times = np.bincount(found[found >= 0], minlength=len(ids))
        items = np.flatnonzero(times == 1)
        # An unknown id counts as one extra id, however often it occurs.
        extra = list(dict.fromkeys(others.tolist(np.flatnonzero(found < 0))))
        return Alignment(
            items,
            places[items],
            ids.tolist(np.flatnonzero(times == 0)),
            extra,
            ids.tolist(np.flatnonzero(times > 1)),
        )
