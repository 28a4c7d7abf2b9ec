"""Read the columns of several raters, and encode ratings as the positions of their labels."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.kernels.contract import PairKernels
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.kernels.threads import available_threads
from fastkappa.ratings.column import Column, read_column, refuse_rounded_labels
from fastkappa.ratings.interop import warn_of_row_order
from fastkappa.ratings.label_order import common_order, is_number
from fastkappa.ratings.labels import distinct, keys_in_unit
from fastkappa.ratings.lengths import n_samples
from fastkappa.ratings.missing import (
    check_is_list,
    codes_of_dates,
    find_missing,
    given_labels,
    is_missing,
    without,
)
from fastkappa.ratings.odd_strings import odd_strings, refuse_odd_strings, warn_of_lookalikes
from fastkappa.ratings.rating_matrix import columns_of as columns_of
from fastkappa.tables.codecs import Codec
from fastkappa.tables.count import count_unknown
from fastkappa.tables.known_labels import KnownLabels
from fastkappa.tables.table import union_of_labels

# Ratings are encoded in chunks that fit in the cache.
CHUNK = 1 << 15
# A row per rating has an item, a rater and a rating.
FEWEST_OF_LONG = 3


class Rater(NamedTuple):
    """A rater's ratings without the missing ones, and which are missing, None if none is."""

    name: str
    column: Column
    missing: NDArray[np.bool_] | None
    n_subjects: int


class EncodedRater(NamedTuple):
    """A rater's ratings, with the look-up table that encodes them.

    The code of a rating is what ``lookup`` holds for its code in ``codec``: the position
    of its label, ``n_labels`` if the rating is missing and ``n_labels + 1`` if it is no
    label. Values are codes already if there is no lookup.
    """

    rater: Rater
    values: AnyArray
    n_labels: int
    codec: Codec
    lookup: AnyArray | None

    def codes(self, start: int, stop: int) -> AnyArray:
        """Return the codes of a range of the values, or raise if one is outside the labels."""
        values = self.values[start:stop]
        if self.lookup is None:
            return values
        codes: AnyArray = self.lookup[self.codec.codes(values)]
        if codes.max(initial=0) > self.n_labels:
            column = self.rater.column
            rating = values[codes > self.n_labels][0].item()
            if column.categories is not None:
                rating = column.categories[rating]
            raise ValueError(
                f"{self.rater.name} holds {rating!r}, which is not one of the labels; name it in"
                " missing_codes if it stands for a missing rating."
            )
        return codes


class EncodedColumns(NamedTuple):
    """Encoded ratings, and their labels: as ratings hold them, and as they are reported."""

    raters: list[EncodedRater]
    labels: AnyArray
    reported: AnyArray
    order_is_known: bool


def encode_columns(
    columns: Sequence[Any],
    names: Sequence[str],
    labels: Any,
    missing_codes: Sequence[Any],
    argument: str,
) -> EncodedColumns:
    """Return columns of ratings as codes of common labels.

    Raises
    ------
    ValueError
        If there are no or only missing ratings, if one is not among the labels or cannot be a
        label, or if columns declare different orders; errors call the columns ``argument``.
    """
    check_is_list(missing_codes)
    values = (code.value if isinstance(code, enum.Enum) else code for code in missing_codes)
    codes_of_missing = list(dict.fromkeys(code for code in values if not is_missing(code)))
    given = None if labels is None else given_labels(labels)
    warn_of_row_order(dict(zip(names, columns)))
    raters = read_raters(columns, names, codes_of_missing, given)
    warn_of_lookalikes({rater.name: rater.column for rater in raters})
    n_subjects = raters[0].n_subjects
    if n_subjects == 0:
        raise ValueError(f"{argument} must not be empty, got no subjects.")
    declared = None
    if given is None:
        declared = common_order({rater.name: rater.column.declared for rater in raters})
        if declared is None:
            threads = available_threads()
            known = reported = find_labels(get_kernels(), raters, codes_of_missing, threads)
        else:
            kept = are_ratings(declared.labels, codes_of_missing)
            known, reported = declared.labels[kept], declared.names[kept]
        if not len(known):
            raise ValueError(f"{argument} must not all be missing, got {n_subjects} subjects.")
    else:
        known = reported = given
        distinct([*known.tolist(), *codes_of_missing])
    encoded = encode(raters, known, codes_of_missing)
    return EncodedColumns(encoded, known, reported, given is not None or declared is not None)


def read_raters(
    columns: Sequence[Any],
    names: Sequence[str],
    missing_codes: Sequence[Any] = (),
    labels: AnyArray | None = None,
) -> list[Rater]:
    """Return the ratings of each rater, with labels that can be compared between raters.

    Raises
    ------
    ValueError
        If the columns differ in length, ratings cannot be labels, some raters use strings
        and others numbers, or strings are among the numbers of a rater and no labels given.
    """
    lengths = [n_samples(column) for column in columns]
    if len(set(lengths)) > 1:
        raise ValueError(f"raters must rate the same subjects, got {lengths} ratings of them.")
    raters = [_read_rater(column, name, missing_codes) for column, name in zip(columns, names)]
    if labels is None:
        _refuse_odd_strings(raters, missing_codes)
        refuse_rounded_labels((rater.name, rater.column) for rater in raters)
    elif labels.dtype.kind in "UT" and any(rater.column.categories for rater in raters):
        # Labels such as "1", "2" and "x": who never gave "x" may have a column of numbers.
        raters = [_as_strings(rater) for rater in raters]
    kinds: dict[str, str] = {}
    for rater in raters:
        if len(rater.column.values):
            kinds.setdefault(_kind(rater.column), rater.name)
    if len(kinds) > 1:
        found = " and ".join(f"{kind} by {name}" for kind, name in kinds.items())
        long = " Ratings.from_long reads a row per rating, with its item and its rater."
        hint = long if len(columns) >= FEWEST_OF_LONG else ""
        raise ValueError(f"ratings must be of one kind, got {found}.{hint}")
    if any(rater.column.obstacle == "continuous" for rater in raters):
        raters = [rater._replace(column=_by_value(rater.column)) for rater in raters]
    return raters


def find_labels(
    kernels: PairKernels, raters: list[Rater], missing_codes: Sequence[Any], num_threads: int
) -> AnyArray:
    """Return the labels that occur, without ``missing_codes``, sorted.

    Strings that are all numbers are sorted by their value.
    """
    found = [
        labels[are_ratings(labels, missing_codes)]
        for labels in (
            _labels_of(kernels, rater.column, num_threads)
            for rater in raters
            if len(rater.column.values)
        )
    ]
    if not found:
        return np.empty(0, np.int64)
    if len({labels.dtype.kind for labels in found}) == 1:
        return union_of_labels(found)
    together = sorted({label for labels in found for label in labels.tolist()})
    whole = all(isinstance(label, int) for label in together)
    # NumPy turns integers into floats where some need int64 and others uint64.
    return np.array(together, object if whole and together[-1] >= 1 << 63 else None)


def are_ratings(labels: AnyArray, missing_codes: Sequence[Any]) -> NDArray[np.bool_]:
    """Return which labels are no codes of missing ratings."""
    if labels.dtype.kind in "mM":
        return np.isin(labels, codes_of_dates(missing_codes, labels.dtype), invert=True)
    return np.array([label not in missing_codes for label in labels.tolist()], bool)


def encode(
    raters: list[Rater], labels: AnyArray, missing_codes: Sequence[Any]
) -> list[EncodedRater]:
    """Return every rater's ratings encoded, with ``missing_codes`` as missing."""
    return [_encode(rater, labels, missing_codes) for rater in raters]


def _read_rater(ratings: Any, name: str, missing_codes: Sequence[Any]) -> Rater:
    n_subjects = n_samples(ratings)
    are_objects = getattr(ratings, "dtype", None) == np.dtype(object)
    # A code among numbers, such as ".", would make strings of them. Elsewhere it is a label.
    may_be_mixed = are_objects or isinstance(ratings, (list, tuple))
    missing = find_missing(ratings, missing_codes if may_be_mixed else ())
    if missing is None and are_objects:
        # An array of objects may hold None in another column, and only numbers in this one.
        ratings = ratings.tolist()
    if missing is not None and missing.all():
        return Rater(name, Column(np.empty(0, np.int64), np.dtype(np.int64)), missing, n_subjects)
    column = read_column(ratings if missing is None else without(ratings, missing), name)
    if column.obstacle not in (None, "continuous"):
        raise ValueError(f"{name} must be one column of labels, got what is {column.obstacle}.")
    return Rater(name, column, missing, n_subjects)


def _labels_of(kernels: PairKernels, column: Column, num_threads: int) -> AnyArray:
    """Return the labels that a rater gave, by counting pairs with a constant column."""
    zeros = np.broadcast_to(np.zeros(1, np.uint8), len(column.values))
    single = Column(zeros, zeros.dtype)
    given = count_unknown(kernels, column, single, num_threads).rows
    if column.categories is not None:
        return np.array([column.categories[code] for code in given])
    if column.label_dtype.kind in "mM":
        return given.view(column.label_dtype.newbyteorder("="))
    dtypes = {"b": np.dtype(bool), "f": np.dtype(np.float64)}
    return given.astype(dtypes.get(column.label_dtype.kind, given.dtype), copy=False)


def _as_strings(rater: Rater) -> Rater:
    """Return a rater's whole numbers as strings, and other ratings as they are."""
    column = rater.column
    if column.categories is not None or column.obstacle or column.label_dtype.kind not in "iuf":
        return rater
    values, codes = np.unique(column.values, return_inverse=True)
    names = [str(int(value)) for value in values]
    return rater._replace(column=Column(codes, np.dtype(object), names))


def _refuse_odd_strings(raters: Sequence[Rater], missing_codes: Sequence[Any]) -> None:
    """Raise if strings are among numbers, unless a declared order says that they are labels."""
    undeclared = [rater for rater in raters if rater.column.declared is None]
    together = _together([rater.column for rater in undeclared], missing_codes)
    odd = odd_strings(together)
    names = [r.name for r in undeclared if not odd.keys().isdisjoint(r.column.categories or ())]
    remedy = (
        f"look at {', '.join(names)}, and give missing_codes= if they stand for missing ratings, or"
        " labels= if they are labels."
    )
    refuse_odd_strings(together, "the table of ratings", remedy)


def _together(columns: Sequence[Column], missing_codes: Sequence[Any]) -> Column:
    """Return one column of the strings of all, without ``missing_codes``."""
    of_strings = [column for column in columns if column.categories is not None]
    found = dict.fromkeys(label for column in of_strings for label in column.categories or ())
    labels = [label for label in found if label not in missing_codes]
    if len({is_number(label) for label in labels}) < 2:
        return Column(np.empty(0, np.intp), np.dtype(object), [])
    position = {label: i for i, label in enumerate(labels)}
    codes = np.concatenate(
        [
            np.array([position.get(label, -1) for label in column.categories or ()]).take(
                column.values
            )
            for column in of_strings
        ]
    )
    return Column(codes[codes >= 0], np.dtype(object), labels)


def _kind(column: Column) -> str:
    if column.categories is not None:
        return "strings"
    return "dates" if column.label_dtype.kind in "mM" else "numbers"


def _by_value(column: Column) -> Column:
    """Return a column of real numbers as one with a category per distinct number."""
    values, codes = np.unique(column.values, return_inverse=True)
    return Column(codes, np.dtype(np.float64), values.astype(np.float64).tolist())


def _encode(rater: Rater, labels: AnyArray, missing_codes: Sequence[Any]) -> EncodedRater:
    column, n_labels, unit = rater.column, len(labels), rater.column.label_dtype
    keys: list[Any] = [*labels.tolist(), *missing_codes]
    if labels.dtype.kind in "mM" and labels.dtype.kind == unit.kind:
        codes = codes_of_dates(missing_codes, unit)
        keys = [*keys_in_unit(labels, unit), *keys_in_unit(codes, unit)]
    wanted = np.empty(len(keys), object)
    wanted[:] = keys
    known = KnownLabels(wanted, column, column)
    codec, positions = known.encode(column)
    dtype = np.min_scalar_type(n_labels + 1)
    lookup = np.where(positions < 0, n_labels + 1, np.minimum(positions, n_labels))
    lookup = np.append(lookup, n_labels + 1).astype(dtype)
    encoded = EncodedRater(rater, column.values, n_labels, codec, lookup)
    if rater.missing is None:
        return encoded
    whole = np.full(rater.n_subjects, n_labels, dtype)
    parts = [encoded.codes(i, i + CHUNK) for i in range(0, len(column.values), CHUNK)]
    whole[~rater.missing] = np.concatenate([whole[:0], *parts])
    return encoded._replace(values=whole, lookup=None)
