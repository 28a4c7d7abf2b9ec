"""Represent the ratings of a source as keys of a table, and report invalid ratings."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.formatting import count_text
from fastkappa.ratings.column import Column, are_comparable, not_comparable
from fastkappa.ratings.doubtful_labels import Remedies
from fastkappa.ratings.label_order import LabelOrder, common_order, have_equal_numbers, is_number
from fastkappa.ratings.labels import strings_array
from fastkappa.ratings.lengths import repeated_names
from fastkappa.ratings.missing import is_blank

# The key of a label in a table, or None for a missing rating. Fractional ratings, such as half
# points, are supported only if labels= is given.
Key = int | float | str | None

# The types that the ratings in a column can have. Columns of floats must contain only whole
# numbers. Booleans are stored as 0 and 1, and dates and times as microseconds since 1970. A column
# without ratings can have NO_TYPE.
INTEGERS, FLOATS, BOOLEANS = np.dtype(np.int64), np.dtype(np.float64), np.dtype(bool)
STRINGS, DATES, TIMES = np.dtype(object), np.dtype("M8[D]"), np.dtype("M8[us]")
NO_TYPE = np.dtype("V")
# The key shared by all ratings that are not among the given labels. It is of type bytes, so it
# cannot equal the key of a rating.
OUTSIDE = b""
# If there are no groups, up to this many distinct strings that are not among the given labels keep
# keys of their own, for later checks. Any further strings share the key `OUTSIDE`.
MOST_OTHERS = 50
WITH_COMMA = re.compile(r"'-?\d+,\d+'")

# The largest number of labels in a table. A table has one cell per pair of labels, so a column of
# ids or counts passed by mistake would exhaust memory.
LARGEST_NUMBER_OF_LABELS = 2000
# The largest number of groups in a report.
MOST_GROUPS = 2000
EPOCH = datetime.datetime(1970, 1, 1)
MICROSECOND = datetime.timedelta(microseconds=1)
TRUE, FALSE = ("true", "1"), ("false", "0")
MEASUREMENTS = (
    "For measurements, use fastkappa.measurements or, for more than two raters,"
    " krippendorff_alpha with level='interval'."
)
SETS = " For sets of labels, use krippendorff_alpha with level='jaccard'."


class RatingsError(ValueError):
    """Raised if a source, its columns or its ratings cannot be counted."""


class TooManyLabelsError(RatingsError):
    """Raised if a column has too many different values to be a column of ratings."""


def key_of(value: Any, column: Any, fractions: bool = False) -> tuple[Key, np.dtype[Any]]:
    """Return the key and the type of a rating that is a Python object.

    If ``fractions`` is true, fractional numbers are also accepted as labels.

    Raises
    ------
    RatingsError
        If the rating cannot be a class label.
    """
    if isinstance(value, np.generic):
        value = _plain(value)
    if value is None or value != value:
        return None, NO_TYPE
    if isinstance(value, bool):
        return int(value), BOOLEANS
    if isinstance(value, int):
        return value, INTEGERS
    if isinstance(value, str):
        return value, STRINGS
    if isinstance(value, (float, Decimal)):
        if not -(1 << 63) <= value < 1 << 63:
            raise RatingsError(not_whole(column, "numbers beyond 64 bits"))
        if value != int(value):
            if fractions:
                return float(value), FLOATS
            raise RatingsError(not_whole(column, value))
        return int(value), FLOATS if isinstance(value, float) else INTEGERS
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(datetime.UTC).replace(tzinfo=None)
        return (value - EPOCH) // MICROSECOND, TIMES
    if isinstance(value, datetime.date):
        return (datetime.datetime(value.year, value.month, value.day) - EPOCH) // MICROSECOND, DATES
    raise RatingsError(no_label(column, type(value).__name__))


def _plain(value: np.generic) -> Any:
    """Convert a NumPy scalar to a Python object."""
    if isinstance(value, np.datetime64):
        is_date = np.datetime_data(value.dtype)[0] in ("Y", "M", "W", "D")
        return value.astype(DATES if is_date else TIMES).item()
    # Use the shortest decimal form of floats, so that float32(0.1) becomes 0.1.
    return float(str(value)) if isinstance(value, np.floating) else value.item()


def labels_of(keys: Sequence[Any], dtype: np.dtype[Any]) -> AnyArray:
    """Convert keys to the labels of a table. None is not allowed as a key."""
    if dtype.kind == "O":
        return strings_array(list(keys)) if keys else np.array(keys, "<U1")
    if dtype.kind == "b":
        return np.array(keys, dtype)
    if dtype.kind == "M":
        return np.array(keys, TIMES).astype(dtype)
    if any(key != int(key) for key in keys):
        return np.array(keys, np.float64)
    if all(-(1 << 63) <= key < 1 << 63 for key in keys):
        return np.array(keys, np.int64)
    return np.array(keys, np.uint64 if min(keys) >= 0 else object)


def column_of(
    keys: Sequence[Any],
    dtype: np.dtype[Any],
    order: Sequence[Key] | None = None,
    counts: AnyArray | None = None,
) -> Column:
    """Return distinct keys as a column, so that `judge_labels` can check them like an array.

    ``order`` is the order that the ratings declare. ``counts`` holds the number of ratings with
    each key.
    """
    declared = None
    if order is not None:
        labels = labels_of(order, dtype)
        declared = LabelOrder(labels, labels)
    if dtype.kind == "O":
        return Column(np.arange(len(keys)), dtype, list(keys), declared=declared, counts=counts)
    values = labels_of(keys, dtype)
    if dtype.kind in "bM":
        values = values.view(np.uint8 if dtype.kind == "b" else np.int64)
    known = INTEGERS if dtype == NO_TYPE else dtype
    return Column(values, known, declared=declared, counts=counts)


class WantedLabels:
    """The labels that a user requests, before the type of the ratings is known.

    Whether the ratings in a text file are numbers is known only at the end of the file. Until then,
    ``1`` can mean the label 1, '1' or True, and a rating is kept if any of its meanings is
    requested. If ``are_numbers`` is true, all labels are numbers, and strings that are not numbers
    do not affect the type of a column. If the labels include different strings for one number,
    such as "250.1" and "250.10", all ratings are read as strings.

    Attributes
    ----------
    texts : frozenset of str
        The labels that are strings.
    are_texts : bool
        Whether the ratings in text files must be read as strings.
    have_fractions : bool
        Whether any label is a fractional number, or a string that can be read as one.
    decimal : str
        The decimal separator of the ratings. Labels are given with a decimal point.
    """

    decimal = "."

    def __init__(self, labels: Iterable[Any], *, are_numbers: bool = False) -> None:
        self.are_numbers = are_numbers
        given = list(labels)
        self.texts = frozenset(label for label in given if isinstance(label, str))
        self.are_texts = have_equal_numbers(self.texts)
        self._readings: set[Any] = {reading for label in given for reading in _readings(label)}
        self.have_fractions = any(isinstance(reading, float) for reading in self._readings)

    def __contains__(self, key: Any) -> bool:
        if self.decimal != "." and isinstance(key, str) and key not in self.texts:
            key = key.replace(self.decimal, ".")
        return not self._readings.isdisjoint(_readings(key))

    def whole_numbers(self, lowest: int, highest: int) -> list[int]:
        """Return the requested labels that are whole numbers in a range."""
        numbers: list[int] = [reading for reading in self._readings if isinstance(reading, int)]
        return sorted(number for number in numbers if lowest <= number <= highest)


def _readings(label: Any) -> set[Any]:
    if not isinstance(label, str):
        key, _ = key_of(label, "labels", fractions=True)
        return {key}
    text = label.strip()
    readings: set[Any] = {label, text}
    if text.lower() in TRUE + FALSE:
        readings.add(int(text.lower() in TRUE))
    # Skip "" and "nat": NumPy would read them as a missing date without a unit, which is
    # deprecated.
    for read in () if text.lower() in ("", "nat") else (float, np.datetime64):
        with suppress(ValueError, OverflowError):
            readings.add(key_of(read(text), "labels", fractions=True)[0])
    return readings


class AxisLabels:
    """The labels of one axis of a table: its layers, rows or columns, in order of occurrence."""

    def __init__(
        self,
        column: Any,
        wanted: WantedLabels | None = None,
        codes: WantedLabels | None = None,
        n_others: int = 0,
        are_names: bool = False,
    ) -> None:
        self.column, self.name = column, f"column {column!r}"
        # Whether the labels are the names of groups. A blank name counts as missing.
        self.are_names = are_names
        self.wanted, self.codes = wanted, codes
        # How many more strings outside ``wanted`` can have keys of their own. It is 0 if the labels
        # are numbers, because a string would change the type of the column.
        are_texts = wanted is not None and not all(map(is_number, wanted.texts or ("0",)))
        self._n_others = n_others if are_texts else 0
        self.order: list[Key] | None = None
        self.position: dict[Any, int] = {}
        self.dtype, self.kinds = NO_TYPE, set[str]()
        # The first file that contains each text, if there are several text files.
        self.files: dict[Any, Path] = {}
        # The number of parts, and the number of runs of equal ratings in all parts together.
        self.n_parts, self.n_runs = 0, 0.0

    @property
    def has_fractions(self) -> bool:
        """Whether any requested label is a fraction, in which case ratings can be fractions too."""
        return self.wanted is not None and self.wanted.have_fractions

    @property
    def is_sorted(self) -> bool:
        """Whether equal ratings are adjacent across all parts, as if they were sorted by label."""
        return 0 < self.n_runs < len(self.position) + self.n_parts

    def add_runs(self, n_runs: Callable[[], float], n_parts: int = 1) -> None:
        """Add the number of runs in some parts, unless the ratings are known to be unsorted."""
        self.n_parts += n_parts
        if self.n_runs < LARGEST_NUMBER_OF_LABELS + self.n_parts:
            self.n_runs += n_runs()

    def labels(self) -> list[Any]:
        """Return the keys of the labels, without the keys for missing and outside ratings."""
        return [key for key in self.position if key is not None and key != OUTSIDE]

    def places(self, keys: Iterable[Any]) -> NDArray[np.intp]:
        """Return the position of each key. New keys get the next positions."""
        position, places = self.position, []
        for key in keys:
            if key not in position:
                counted_as = self._counted_as(key)
                if counted_as == OUTSIDE and isinstance(key, str) and self._n_others > 0:
                    self._n_others -= 1
                    counted_as = key
                places.append(position.setdefault(counted_as, len(position)))
            else:
                places.append(position[key])
        return np.array(places, dtype=np.intp)

    def note(self, dtype: np.dtype[Any]) -> None:
        """Record the type of a part of the column, or raise if the types are not comparable."""
        if self.dtype != NO_TYPE:
            if not are_comparable(self.dtype, dtype):
                so_far, part = column_of(self.labels(), self.dtype), column_of([], dtype)
                raise not_comparable(so_far, part, (self.name, "a later part"))
            if dtype != NO_TYPE:
                self.kinds |= {self.dtype.kind, dtype.kind}
            dtype = np.promote_types(self.dtype, dtype)
        self.dtype = dtype

    def note_order(self, order: LabelOrder | None, remedies: Remedies) -> None:
        """Record the order that a part of the column declares, or raise if the parts disagree."""
        if order is None:
            return
        keys = [key for key in order.labels.tolist() if self._counted_as(key) is not None]
        if len(keys) > LARGEST_NUMBER_OF_LABELS:
            raise RatingsError(
                f"{self.name} declares {len(keys)} labels, more than the"
                f" {LARGEST_NUMBER_OF_LABELS} that a table can have. {remedies.many_labels}"
            )
        if self.order not in (None, keys):
            parts = {self.name: self.order, "a later part": keys}
            common_order({name: order_of(part) for name, part in parts.items()}, remedies.order)
        self.order = keys

    def _counted_as(self, key: Any) -> Any:
        if self.are_names and is_blank(key):
            return None
        if self.codes is not None and key not in (None, OUTSIDE) and key in self.codes:
            return None
        if self.wanted is None or key is None or key == OUTSIDE or key in self.wanted:
            return key
        return OUTSIDE


def order_of(keys: Sequence[Key] | None) -> LabelOrder | None:
    """Return the label order that one part of a column declares, given its keys."""
    if keys is None:
        return None
    labels = np.array(keys, object)
    return LabelOrder(labels, labels)


def refuse_many_labels(n_labels: int, name: str, remedy: str = "") -> None:
    """Raise if a column has too many different values to be a column of ratings."""
    if n_labels > LARGEST_NUMBER_OF_LABELS:
        raise TooManyLabelsError(
            f"{name} has {n_labels} different ratings, more than the {LARGEST_NUMBER_OF_LABELS}"
            " labels that a table can have. Check that it is a column of ratings."
            f" {remedy}".rstrip()
        )


def refuse_many_groups(n_groups: int, column: Any) -> None:
    """Raise if a column has too many different values to be a column of groups."""
    if n_groups > MOST_GROUPS:
        raise RatingsError(
            f"column {column!r} has {n_groups} different values, but at most {MOST_GROUPS} groups"
            " can be reported. If it contains ids, group by another column."
        )


def refuse_repeated_names(
    names: Sequence[Any], n_rows: int, *, in_order: bool, file: Path | None = None
) -> None:
    """Raise if ``n_rows``, the number of rows that repeat the column names, is not 0.

    If there are several files, ``file`` is the file to name in the error.
    """
    if n_rows:
        where = "" if file is None else f"{file}: "
        raise RatingsError(f"{where}{repeated_names(names, n_rows, in_order=in_order)}")


def refuse_missing_weights(n_missing: int, column: Any) -> None:
    """Raise if some rows have no item weight."""
    if n_missing:
        raise RatingsError(
            f"column {column!r} has {count_text(n_missing, 'missing weight')}: every row needs a"
            " weight."
        )


def refuse_infinite(sums: AnyArray, column: Any) -> AnyArray:
    """Return sums of item weights, or raise if any of them is not finite."""
    if not np.isfinite(sums).all():
        raise RatingsError(
            f"the weights in column {column!r} must be finite, but some are infinite or NaN."
        )
    return sums


def no_weights(column: Any, dtype: Any) -> str:
    return f"column {column!r} has values of type {dtype}: weights must be numbers."


def not_numeric(column: Any, source: Any, reason: str) -> RatingsError:
    """Return the error about texts among the item weights of a file."""
    hint = " For decimal commas, pass decimal=','." if WITH_COMMA.search(reason) else ""
    return RatingsError(
        f"column {column!r} of {source} must contain numeric item weights: {reason}.{hint}"
    )


def refuse_negative(least: Any, column: Any) -> None:
    """Raise if the smallest weight of a column is negative, because a sum would hide it."""
    if least < 0:
        raise RatingsError(
            f"column {column!r} has weights below 0, such as {least}: weights must not be negative."
        )


def not_whole(column: Any, found: Any) -> str:
    return (
        f"column {column!r} contains {found}: ratings must be whole numbers or strings."
        f" {MEASUREMENTS} If the numbers are labels of a scale, such as half points, list"
        " all labels in labels= (on the command line, --labels)."
    )


def no_label(column: Any, dtype: Any) -> str:
    return (
        f"column {column!r} has values of type {dtype}: ratings must be whole numbers, strings,"
        f" booleans or dates.{SETS if 'list' in str(dtype) else ''}"
    )
