"""Items matched by their ids, with a report of those that do not match."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.kernels.contract import WordTable
from fastkappa.leaderboards.items.ids import Ids, NoWordsError, read_ids
from fastkappa.leaderboards.items.places import Places, are_in_order

IDS_SHOWN = 5


class Alignment(NamedTuple):
    """The items that two lists of ids have in common.

    Attributes
    ----------
    items, others : ndarray of int
        Positions in the first and in the other list of the ids that occur once in each, in the
        order of the first. None for both if the lists are the same. None for ``others`` alone
        stands for all of these in their own order.
    missing, extra, repeated : list
        Ids that the other list lacks, that only it has, and that it has more than once.
    """

    items: NDArray[np.int64] | None
    others: NDArray[np.intp] | None
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

    def __init__(self, ids: Any, name: str, num_threads: int = 1) -> None:
        # As they were read: others of the same kind and order are the same.
        self._given = read_ids(ids, name)
        # The last list that was matched: the next one often has its order.
        self._last: tuple[Ids, Alignment] | None = None
        # The positions of ids that have no words; made when they are needed.
        self._position: dict[Any, int] | None = None
        self._ids, self._places = _with_places(self._given, num_threads)
        if self._places is None:
            times = Counter(self._ids.tolist())
            repeated = [one for one, n_times in times.items() if n_times > 1]
        else:
            repeated = list(dict.fromkeys(self._ids.tolist(sorted(self._places.repeated))))
        if repeated:
            some = ", ".join(map(repr, repeated[:IDS_SHOWN]))
            raise ValueError(f"{name} must be distinct, got some more than once: {some}.")

    def __len__(self) -> int:
        return len(self._ids)

    def tolist(self, positions: Any) -> list[Any]:
        """Return the ids at some positions."""
        return self._ids.tolist(positions)

    def words(self) -> tuple[WordTable, str] | None:
        """Return the words of the ids in a table, and their kind; None if they have none."""
        return None if self._places is None else (self._places.table, self._ids.family)

    def align(self, ids: Any, name: str) -> Alignment:
        """Match a list of ids with these."""
        others = read_ids(ids, name)
        if others.are(self._given):
            return ALL_IN_ORDER
        # Another thread may write another one meanwhile.
        last = self._last
        if last is not None and others.are(last[0]):
            return last[1]
        found = self._match(others)
        if others.kind == "utf-8":
            # What the others are read from is the user's, who may write other ids there.
            self._last = (others, found)
        return found

    def _match(self, others: Ids) -> Alignment:
        """Match ids with these, by looking each of them up."""
        n_items = len(self._ids)
        places, are_taken = self._find(others)
        if len(places) == n_items and are_taken.all():
            return ALL_IN_ORDER if are_in_order(places) else ALL_IN_ORDER._replace(items=places)
        found = places >= 0
        times = np.bincount(places[found], minlength=n_items)
        single = found.copy()
        single[found] = times[places[found]] == 1
        chosen = np.flatnonzero(single)
        chosen = chosen[np.argsort(places[chosen], kind="stable")]
        # An unknown id counts as one extra id, however often it occurs.
        extra = list(dict.fromkeys(others.tolist(np.flatnonzero(~found))))
        return Alignment(
            places[chosen],
            chosen,
            self._ids.tolist(np.flatnonzero(times == 0)),
            extra,
            self._ids.tolist(np.flatnonzero(times > 1)),
        )

    def _find(self, others: Ids) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the positions of other ids among these, -1 if not there, and which are taken."""
        ids, places = self._ids, self._places
        if "object" not in (ids.kind, others.kind) and places is not None:
            if ids.family != others.family:
                return np.full(len(others), -1, np.int64), np.zeros(len(ids), np.bool_)
            if ids.family in ("time", "duration"):
                unit = np.promote_types(ids.arrays[0].dtype, others.arrays[0].dtype)
                others = others.in_unit(unit)
                if unit != ids.arrays[0].dtype:
                    places = Places(ids.in_unit(unit).all_words(1))
            try:
                return places.find(len(others), others.words())
            except NoWordsError:
                return self._find(others.encoded())
        if self._position is None:
            self._position = {one: i for i, one in enumerate(ids.tolist())}
        get = self._position.get
        found = np.fromiter((get(one, -1) for one in others.tolist()), np.int64, len(others))
        are_taken = np.zeros(len(ids), np.bool_)
        are_taken[found[found >= 0]] = True
        return found, are_taken


def _with_places(ids: Ids, num_threads: int) -> tuple[Ids, Places | None]:
    """Return ids and their places, None if they have to be compared as objects."""
    if ids.kind == "object":
        return ids, None
    try:
        return ids, Places(ids.all_words(num_threads))
    except NoWordsError:
        return _with_places(ids.encoded(), num_threads)
