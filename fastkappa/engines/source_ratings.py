"""Ratings of any source as whole numbers or categories, their kinds, and errors about them."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any, Literal, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.columns import label_order
from fastkappa.columns.label_order import LabelOrder, not_declared
from fastkappa.columns.labels import rounded_label

# Floats are whole numbers.
Kind = Literal["integers", "floats", "booleans", "strings", "dates", "times"]
# What a label is in a table; None is a missing rating.
Key = int | str | None

# A table has as many cells as the square of the number of labels: an identifier or a count
# mistaken for a rating would take more memory than there is.
LARGEST_NUMBER_OF_LABELS = 2000
NUMBERS = {"booleans", "integers", "floats"}
_SHOWN: dict[Any, Any] = {"floats": "integers"}
EPOCH = datetime.datetime(1970, 1, 1)
MICROSECOND = datetime.timedelta(microseconds=1)
WHOLE_NUMBER = re.compile(r"\s*[-+]?\d+\s*")
TRUE, FALSE = ("true", "1"), ("false", "0")


class Advice(NamedTuple):
    """What errors about labels advise: that of the command line names its options."""

    many_labels: str = "labels= names those to take."
    order: str = "labels= gives the order that is meant."
    odd_strings: str = (
        "give missing_codes= if they stand for missing ratings, or labels= if they are labels."
    )


LIBRARY_ADVICE = Advice()
MEASUREMENTS = (
    "For measurements there are continuous_kappa and, for more than two raters,"
    " krippendorff_alpha with level='interval'."
)


class RatingsError(ValueError):
    """A source, its columns or its ratings cannot be counted."""


class TooManyLabelsError(RatingsError):
    """A column has too many different values to hold ratings."""

    def __init__(self, column: Any, n_labels: int, n_rows: int, remedy: str) -> None:
        super().__init__(column, n_labels, n_rows, remedy)
        self.column, self.n_labels, self.n_rows, self.remedy = column, n_labels, n_rows, remedy

    def __str__(self) -> str:
        return (
            f"column {self.column!r} holds {self.n_labels} different ratings in its first"
            f" {self.n_rows} rows, more than the {LARGEST_NUMBER_OF_LABELS} labels a table is"
            f" made for: is it a rating? {self.remedy}"
        )


class RatingBatch(NamedTuple):
    """One rater's ratings of a batch of items.

    Attributes
    ----------
    values : ndarray of shape (n,)
        Whole numbers: the ratings or, if there are categories, their codes.
    kind : Kind or None
        The kind of the ratings, None if all are missing. Booleans are 0 and 1, dates and
        times microseconds since 1970.
    categories : sequence or None
        The ratings that the codes from ``lowest`` on stand for; None is a missing rating.
    lowest : int
        The code of the first category.
    order : tuple or None
        All ratings there can be, in the order that the column declares, if it does.
    """

    values: AnyArray
    kind: Kind | None
    categories: Sequence[Key] | None = None
    lowest: int = 0
    order: tuple[Key, ...] | None = None

    def keys(self) -> list[Key]:
        """Return the ratings as a list."""
        values: list[Any] = self.values.tolist()
        if self.categories is None:
            return values
        return [self.categories[code - self.lowest] for code in values]


def key_of(value: Any, column: Any) -> tuple[Key, Kind | None]:
    """Return the key and the kind of a rating that is a Python object.

    Raises
    ------
    RatingsError
        If it cannot be a class label.
    """
    if isinstance(value, np.generic):
        value = _plain(value)
    if value is None or value != value:
        return None, None
    if isinstance(value, bool):
        return int(value), "booleans"
    if isinstance(value, int):
        return value, "integers"
    if isinstance(value, str):
        return value, "strings"
    if isinstance(value, (float, Decimal)):
        if not -(1 << 63) <= value < 1 << 63:
            raise RatingsError(not_whole(column, "numbers beyond 64 bits"))
        if value != int(value):
            raise RatingsError(not_whole(column, value))
        return int(value), "floats" if isinstance(value, float) else "integers"
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(datetime.UTC).replace(tzinfo=None)
        return (value - EPOCH) // MICROSECOND, "times"
    if isinstance(value, datetime.date):
        return (datetime.datetime(value.year, value.month, value.day) - EPOCH) // MICROSECOND, (
            "dates"
        )
    raise RatingsError(no_label(column, type(value).__name__))


def _plain(value: np.generic) -> Any:
    """Return a NumPy scalar as a Python object."""
    if isinstance(value, np.datetime64):
        is_date = np.datetime_data(value.dtype)[0] in ("Y", "M", "W", "D")
        return value.astype("datetime64[D]" if is_date else "datetime64[us]").item()
    return value.item()


class WantedLabels:
    """The labels a user asks for, before the kind of the ratings is known.

    Whether the ratings of a text file are numbers is known at its end only. Until then ``1``
    may be the label 1, '1' or True, and a rating is kept if one of its readings is wanted.

    ``are_numbers`` says that all labels are numbers: what is none of them says nothing then of
    what a column holds.
    """

    def __init__(self, labels: Iterable[Any], *, are_numbers: bool = False) -> None:
        self.are_numbers = are_numbers
        self._readings: set[Any] = {reading for label in labels for reading in _readings(label)}

    def __contains__(self, key: Key) -> bool:
        return not self._readings.isdisjoint(_readings(key))

    def whole_numbers(self, lowest: int, highest: int) -> list[int]:
        """Return the wanted labels that are whole numbers in a range."""
        numbers: list[int] = [reading for reading in self._readings if isinstance(reading, int)]
        return sorted(number for number in numbers if lowest <= number <= highest)


def _readings(label: Any) -> set[Any]:
    if not isinstance(label, str):
        key, _ = key_of(label, "labels")
        return {key}
    text = label.strip()
    readings: set[Any] = {label, text}
    if text.lower() in TRUE + FALSE:
        readings.add(int(text.lower() in TRUE))
    for read in (float, np.datetime64):
        with suppress(ValueError, OverflowError):
            readings.add(key_of(read(text), "labels")[0])
    return readings


def common_order(
    orders: Mapping[str, tuple[Key, ...] | None], advice: Advice
) -> tuple[Key, ...] | None:
    """Return the order of labels that columns declare, None if none does; errors call them so.

    Raises
    ------
    ValueError
        If two columns declare different orders, or one of more labels than a table has.
    """
    declared = {name: order for name, order in orders.items() if order is not None}
    if not declared:
        return None
    for name, order in declared.items():
        if len(order) > LARGEST_NUMBER_OF_LABELS:
            raise RatingsError(
                f"{name} declares {len(order)} labels, more than the"
                f" {LARGEST_NUMBER_OF_LABELS} a table is made for. {advice.many_labels}"
            )
    label_order.common_order({name: _as_order(o) for name, o in declared.items()}, advice.order)
    return next(iter(declared.values()))


def _as_order(keys: tuple[Key, ...]) -> LabelOrder:
    labels = np.array(keys, object)
    return LabelOrder(labels, labels)


def refuse_outside(
    found: Iterable[Key], order: tuple[Key, ...], column: Any, advice: Advice
) -> None:
    """Raise for a rating that is none of the labels that a column declares."""
    outside = set(found).difference(order)
    if outside:
        label = repr(min(outside, key=str))
        raise not_declared(f"column {column!r}", label, order, advice.order)


def refuse_rounded(keys: Mapping[Any, Iterable[Any]]) -> None:
    """Raise if a label of a column is none that float64 holds, where there are floats, too."""
    for column, found in keys.items():
        for key in found:
            if isinstance(key, int) and float(key) != key:
                raise RatingsError(str(rounded_label(key, f"column {column!r}")))


def refuse_rounded_texts(texts: Sequence[str], floats: Sequence[Any], column: Any) -> None:
    """Raise if a text among floats is a whole number, and another one than the float made of it."""
    whole = [WHOLE_NUMBER.fullmatch(text) is not None for text in texts]
    for text, number, is_whole in zip(texts, floats, whole):
        if is_whole and not all(whole) and int(text) != number:
            raise RatingsError(str(rounded_label(int(text), f"column {column!r}")))


def refuse_negative(least: Any, column: Any) -> None:
    """Raise if the least weight of a column is below 0: a sum would hide it."""
    if least < 0:
        raise RatingsError(f"column {column!r} holds weights below 0, such as {least}.")


def common_kind(
    kinds: tuple[Kind | None, Kind | None],
    names: tuple[Any, Any],
    keys: tuple[Iterable[Any], Iterable[Any]],
) -> Kind | None:
    """Return the kind of the ratings in both columns; of numbers the most general one.

    Raises
    ------
    RatingsError
        If ratings of these kinds cannot be compared.
    """
    first, second = kinds
    if first == second or first is None or second is None:
        return first or second
    if set(kinds) <= NUMBERS:
        return "floats" if "floats" in kinds else "integers"
    if set(kinds) == {"dates", "times"}:
        return "times"
    found = (
        f"column {name!r} holds {_SHOWN.get(kind, kind)}{_example(kind, among)}"
        for name, kind, among in zip(names, kinds, keys)
    )
    raise RatingsError(f"the ratings cannot be compared: {' and '.join(found)}.")


def _example(kind: Kind | None, keys: Iterable[Any]) -> str:
    """Return a string for an error, if possible one that shows why they are not numbers."""
    strings = [key for key in keys if kind == "strings" and isinstance(key, str)]
    words = (text for text in strings if not text.lstrip("+-").isdigit())
    example = next(words, strings[0] if strings else None)
    return "" if example is None else f" ({example!r})"


def not_whole(column: Any, found: Any) -> str:
    return (
        f"column {column!r} holds {found}: ratings must be whole numbers or strings. {MEASUREMENTS}"
    )


def no_label(column: Any, dtype: Any) -> str:
    return (
        f"column {column!r} holds values of type {dtype}: ratings must be whole numbers, strings,"
        " booleans or dates."
    )
