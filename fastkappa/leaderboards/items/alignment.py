"""Items matched by their ids, and what does not match counted and named."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.columns.interop import to_numpy
from fastkappa.columns.missing import is_missing

IDS_TOLD = 5


class Alignment(NamedTuple):
    """Which items of another list are which of the first one.

    Attributes
    ----------
    items, others : ndarray of int
        Positions in the first and in the other list of the items found once in each, in the
        order of the first. None for both if the lists are the same.
    missing, extra, repeated : list
        Ids that the other list lacks, that only it has, and that it has more than once.
    """

    items: NDArray[np.intp] | None
    others: NDArray[np.intp] | None
    missing: list[Any]
    extra: list[Any]
    repeated: list[Any]

    def is_complete(self) -> bool:
        """Tell whether each item is there once, and no other one."""
        return not (self.missing or self.extra or self.repeated)

    def mismatch(self) -> str:
        """Say what does not match, with examples."""
        told = []
        for what, ids in (
            ("missing", self.missing),
            ("extra", self.extra),
            ("repeated", self.repeated),
        ):
            if ids:
                more = ", ..." if len(ids) > IDS_TOLD else ""
                told.append(f"{len(ids)} {what} ({', '.join(map(repr, ids[:IDS_TOLD]))}{more})")
        return ", ".join(told)


class ItemIds:
    """The ids of the items that other lists are matched with."""

    def __init__(self, ids: Any, name: str) -> None:
        self._ids = _read_ids(ids, name)
        self._position = _position_of(self._ids)
        n_repeated = len(self._ids) - len(self._position)
        if n_repeated:
            times = Counter(self._ids.tolist())
            several = [one for one, n_times in times.items() if n_times > 1]
            told = ", ".join(map(repr, several[:IDS_TOLD]))
            raise ValueError(f"{name} must be distinct, got some more than once: {told}.")

    def __len__(self) -> int:
        return len(self._ids)

    def align(self, ids: Any, name: str) -> Alignment:
        """Match a list of ids with these."""
        others = _read_ids(ids, name)
        if others.dtype.kind == self._ids.dtype.kind and np.array_equal(others, self._ids):
            return Alignment(None, None, [], [], [])
        place = self._position.find(others)
        found = place >= 0
        times = np.bincount(place[found], minlength=len(self._ids))
        single = found.copy()
        single[found] = times[place[found]] == 1
        chosen = np.flatnonzero(single)
        chosen = chosen[np.argsort(place[chosen], kind="stable")]
        # An id that is not wanted is an extra one, however often it is there.
        extra = list(dict.fromkeys(others[~found].tolist()))
        return Alignment(
            place[chosen],
            chosen,
            self._ids[times == 0].tolist(),
            extra,
            self._ids[times > 1].tolist(),
        )


class _SortedIds:
    """Finds whole numbers, and dates of whatever unit."""

    def __init__(self, ids: AnyArray) -> None:
        self._order = np.argsort(ids, kind="stable")
        self._sorted = ids[self._order]

    def __len__(self) -> int:
        return int(np.count_nonzero(self._sorted[1:] != self._sorted[:-1])) + bool(
            len(self._sorted)
        )

    def find(self, ids: AnyArray) -> NDArray[np.intp]:
        kinds = {ids.dtype.kind, self._sorted.dtype.kind}
        if not (len(kinds) == 1 or kinds <= set("iu")) or not len(self._sorted):
            return np.full(len(ids), -1, np.intp)
        place = np.minimum(np.searchsorted(self._sorted, ids), len(self._sorted) - 1)
        return np.where(self._sorted[place] == ids, self._order[place], -1)


class _HashedIds:
    """Finds ids of any other kind."""

    def __init__(self, ids: AnyArray) -> None:
        self._position = {one: i for i, one in enumerate(ids.tolist())}

    def __len__(self) -> int:
        return len(self._position)

    def find(self, ids: AnyArray) -> NDArray[np.intp]:
        get = self._position.get
        return np.fromiter((get(one, -1) for one in ids.tolist()), np.intp, len(ids))


def _position_of(ids: AnyArray) -> _SortedIds | _HashedIds:
    return _SortedIds(ids) if ids.dtype.kind in "iumM" else _HashedIds(ids)


def _read_ids(ids: Any, name: str) -> AnyArray:
    array = to_numpy(ids)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}.")
    kind = array.dtype.kind
    if kind == "f":
        return _whole(array, name)
    if kind in "mM" and np.isnat(array).any():
        raise ValueError(f"{name} must not be missing, got NaT among them.")
    if kind not in "iuUOTmM":
        raise ValueError(f"{name} must be whole numbers or strings, got {array.dtype} ids.")
    if kind == "U" and isinstance(ids, (list, tuple)):
        # Of a list of words and numbers NumPy has made words of them all.
        array = np.array(ids, dtype=object)
    return _objects(array, name) if array.dtype.kind == "O" else array


def _whole(array: AnyArray, name: str) -> AnyArray:
    if np.isnan(array).any():
        raise ValueError(f"{name} must not be missing, got NaN among them.")
    with np.errstate(invalid="ignore"):
        whole = array.astype(np.int64)
    fractions = array[whole != array]
    if len(fractions):
        raise ValueError(f"{name} must be whole numbers or strings, got {fractions[0]}.")
    return whole


def _objects(array: AnyArray, name: str) -> AnyArray:
    ids = array.tolist()
    if any(map(is_missing, ids)):
        raise ValueError(f"{name} must not be missing, got None or NaN among them.")
    # Whole numbers are what they would be in an array of their own.
    if ids and all(type(one) is int for one in ids):
        whole = np.array(ids)
        return whole if whole.dtype.kind in "iu" else array
    try:
        set(ids)
    except TypeError as error:
        raise ValueError(f"{name} must be whole numbers or strings, got an {error}.") from error
    return array
