"""Items matched by their ids, with a report of those that do not match."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.columns.interop import to_numpy
from fastkappa.columns.missing import is_missing

IDS_SHOWN = 5


class Alignment(NamedTuple):
    """The items that two lists of ids have in common.

    Attributes
    ----------
    items, others : ndarray of int
        Positions in the first and in the other list of the ids that occur once in each, in the
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
        return ", ".join(descriptions)


class ItemIds:
    """The ids of the items, which other lists are matched with."""

    def __init__(self, ids: Any, name: str) -> None:
        self._ids = _read_ids(ids, name)
        self._position = _position_of(self._ids)
        n_repeated = len(self._ids) - len(self._position)
        if n_repeated:
            times = Counter(self._ids.tolist())
            repeated = [one for one, n_times in times.items() if n_times > 1]
            some = ", ".join(map(repr, repeated[:IDS_SHOWN]))
            raise ValueError(f"{name} must be distinct, got some more than once: {some}.")

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
        # An unknown id counts as one extra id, however often it occurs.
        extra = list(dict.fromkeys(others[~found].tolist()))
        return Alignment(
            place[chosen],
            chosen,
            self._ids[times == 0].tolist(),
            extra,
            self._ids[times > 1].tolist(),
        )


class _SortedIds:
    """Finds whole numbers and dates, of any unit."""

    def __init__(self, ids: AnyArray) -> None:
        # A copy: NumPy's sort writes beyond an array that changes meanwhile.
        ids = ids.copy()
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
        return _to_integers(array, name)
    if kind in "mM" and np.isnat(array).any():
        raise ValueError(f"{name} must not be missing, got NaT among them.")
    if kind not in "iuUOTmM":
        raise ValueError(f"{name} must be whole numbers or strings, got {array.dtype} ids.")
    if kind == "U" and isinstance(ids, (list, tuple)):
        # NumPy turns a list of strings and numbers into strings.
        array = np.array(ids, dtype=object)
    return _check_objects(array, name) if array.dtype.kind == "O" else array


def _to_integers(array: AnyArray, name: str) -> AnyArray:
    if np.isnan(array).any():
        raise ValueError(f"{name} must not be missing, got NaN among them.")
    with np.errstate(invalid="ignore"):
        whole = array.astype(np.int64)
    fractions = array[whole != array]
    if len(fractions):
        raise ValueError(f"{name} must be whole numbers or strings, got {fractions[0]}.")
    return whole


def _check_objects(array: AnyArray, name: str) -> AnyArray:
    ids = array.tolist()
    if any(map(is_missing, ids)):
        raise ValueError(f"{name} must not be missing, got None or NaN among them.")
    # A list of whole numbers gives the same ids as an array of them.
    if ids and all(type(one) is int for one in ids):
        whole = np.array(ids)
        return whole if whole.dtype.kind in "iu" else array
    try:
        set(ids)
    except TypeError as error:
        raise ValueError(f"{name} must be whole numbers or strings, got an {error}.") from error
    return array
