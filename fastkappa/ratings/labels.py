"""The labels a user gave as ``labels=``, labels that are dates, in one unit, and look-alikes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from reprlib import repr as short_repr
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import CHUNK, LARGEST_EXACT, AnyArray
from fastkappa.ratings.interop import to_numpy
from fastkappa.ratings.label_order import is_number

INT64_MAX = (1 << 63) - 1
LARGEST_SQUARE = float(LARGEST_EXACT) ** 2
# Dashes, quotes and a Turkish I as other keyboards have them. Selectors of a glyph have no shape.
TYPOGRAPHY = str.maketrans(
    "\u2018\u2019\u02bc\u201c\u201d\u2212\u0130", "'''\"\"-I", "\ufe0e\ufe0f"
)
# Small letters of Cyrillic, Greek and Turkish that have, or whose capitals have, a Latin shape.
SMALL_LETTERS = str.maketrans("авекмнорстухіјѕοı", "abekmhopctyxijsoi")
# Capitals of Greek that have a Latin shape. Their small letters have none.
CAPITALS = str.maketrans("ΑΒΕΖΗΙΚΜΝΡΤΥΧ", "ABEZHIKMNPTYX")
# Unicode's categories of what is not seen: control and format characters.
INVISIBLE = ("Cc", "Cf")
# A text as Excel keeps it from becoming a number: ="01".
QUOTED = re.compile(r'=?"(.*)"')
# Tags of HTML, a mark at the end of a word, and what makes a text of it in a spreadsheet.
MARKS = re.compile(r"</?[a-z]+ ?/?>|(?<=\w)[.,;:]$|^'(?=\w)")
# A day that Excel made of 1-2.
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAY = re.compile(rf"0?(\d+)-({'|'.join(MONTHS)})")
# A code beside its text, such as "1 - mild", "1. mild" or "1 (mild)".
CODED = re.compile(r"(\d+) ?[-.:=()] ?([^\W\d_]{2}.*)")
# Between words a blank, a hyphen and an underscore are one label's three spellings.
BETWEEN_WORDS = re.compile(r"(?<=[^\W\d_])[-_](?=[^\W\d_])")
# Between the labels of a set that is written into one cell, and around them.
BETWEEN_LABELS = re.compile("[;|,]")
BRACKETS = " []{}()'\""
ALIKE = "Write them alike"


def read_labels(labels: Any) -> AnyArray:
    """Return the labels as a one-dimensional array that is not empty."""
    whole = isinstance(labels, (list, tuple)) and all(isinstance(label, int) for label in labels)
    # NumPy makes floats of whole numbers on both sides of int64 and uint64.
    array = to_numpy(labels) if whole else array_of(labels, "labels")
    if whole and array.dtype.kind == "f":
        array = np.array(labels, dtype=object)
    if array.ndim != 1:
        got = f"shape {array.shape}" if array.ndim else short_repr(labels)
        raise ValueError(f"labels must be one-dimensional, got {got}.")
    if array.size == 0:
        raise ValueError("'labels' should contain at least one label.")
    return array


def look_of(label: str) -> str | float | tuple[float, str]:
    """Return what a label looks like: for a number its value, for "1 - mild" the code and its text.

    Examples
    --------
    >>> from fastkappa.ratings.labels import look_of
    >>> look_of(" Low\u2013Grade"), look_of("b, a"), look_of("10 %"), look_of("1. Mild")
    ('low grade', 'a;b', 10.0, (1.0, 'mild'))
    """
    # Most labels are a word.
    if label.isalpha() and label.isascii():
        return label.casefold()
    if is_number(label):
        return _number(label)
    if "&" in label:
        import html

        label = html.unescape(label)
    look = _plain(label)
    if quoted := QUOTED.fullmatch(look):
        look = quoted[1].strip()
    look = MARKS.sub("", look).strip() or look
    if day := DAY.fullmatch(look):
        look = f"{MONTHS.index(day[2]) + 1}-{day[1]}"
    number = look.removesuffix("%").rstrip()
    if is_number(number):
        return _number(number)
    coded = CODED.fullmatch(look)
    return (float(coded[1]), _set_of_words(coded[2].rstrip(")"))) if coded else _set_of_words(look)


def has_code(label: Any) -> bool:
    """Return whether a label is a number, or one with its text, as at the ends of a scale.

    Examples
    --------
    >>> from fastkappa.ratings.labels import has_code
    >>> has_code("2"), has_code("5 - strongly agree"), has_code("5 mg")
    (True, True, False)
    """
    text = str(label)
    return is_number(text) or bool(CODED.fullmatch(text.strip()))


def _number(text: str) -> float | str:
    """Return the value of a number, or the text of one that a float may round, as of long ids."""
    value = float(text)
    return value if abs(value) < LARGEST_EXACT else text.strip()


def _plain(label: str) -> str:
    """Return a label in small letters and the plainest characters, with one blank between words."""
    if label.isascii() and label.isprintable():
        return " ".join(label.split()).casefold()
    import unicodedata

    seen = unicodedata.normalize("NFKC", label).translate(TYPOGRAPHY)
    kinds = {one: unicodedata.category(one) for one in seen if not one.isspace()}
    dashed = ("-" if kinds.get(one) == "Pd" else one for one in seen)
    visible = "".join(one for one in dashed if kinds.get(one) not in INVISIBLE)
    return " ".join(visible.split()).casefold().translate(SMALL_LETTERS)


def _set_of_words(plain: str) -> str:
    """Return the words of a label; those of a list are sorted, for it may be a set."""
    parts = [part.strip(BRACKETS) for part in BETWEEN_LABELS.split(plain)]
    # A comma alone is a label, as of parts of speech.
    if len(parts) == 1 or not any(parts):
        return _words(plain)
    return ";".join(sorted(map(_words, parts)))


def _words(plain: str) -> str:
    return BETWEEN_WORDS.sub(" ", plain)


def alike_among(labels: Iterable[str]) -> list[list[str]]:
    """Return the groups of different labels that look alike, sorted."""
    alike: dict[Any, list[str]] = defaultdict(list)
    labels = sorted(labels)
    for label in labels:
        alike[look_of(label)].append(label)
    for label in labels:
        # A capital has the shape of a Latin one where its small letter has not.
        if not label.isascii() and (latin := label.translate(CAPITALS)) != label:
            found = alike.pop(look_of(label), [])
            alike[look_of(latin)] += found
    for look in [look for look in alike if isinstance(look, tuple)]:
        for part in look:
            alike[look] += alike.pop(part, [])
    return [sorted(group) for group in alike.values() if len(group) > 1]


def _value(label: str) -> str | float | tuple[float, str]:
    look = look_of(label)
    return look if isinstance(look, float) and label.isascii() else label


# How labels that look alike can differ, what to do, how to show them, and what they share then.
DIFFERENCES: tuple[tuple[str, str, Callable[[Any], str], Callable[[str], Any]], ...] = (
    ("blanks", "Strip them", repr, str.strip),
    ("how a number is written", ALIKE, repr, _value),
    ("case", ALIKE, repr, str.casefold),
    ("case and blanks", ALIKE, repr, lambda label: " ".join(label.split()).casefold()),
    ("look-alike characters", ALIKE, ascii, lambda label: _plain(label.translate(CAPITALS))),
    ("case and the sign between words", ALIKE, repr, lambda label: _words(_plain(label))),
    ("the order of a list", ALIKE, repr, lambda label: _set_of_words(_plain(label))),
)


def difference(labels: Sequence[str]) -> tuple[str, str, Callable[[Any], str]]:
    """Return in what labels that look alike differ, what to do, and how to show them."""
    for how, remedy, show, shared in DIFFERENCES:
        if len(set(map(shared, labels))) == 1:
            return how, remedy, show
    if any(isinstance(look_of(label), tuple) for label in labels):
        return "a code or its text", ALIKE, repr
    return "how they are written", ALIKE, ascii


def have_fractions(labels: Any) -> bool:
    """Return whether labels that a user gave are numbers, some of them not whole."""
    array = to_numpy(labels)
    return array.dtype.kind == "f" and bool((array != np.rint(array)).any())


def array_of(values: Any, name: str) -> AnyArray:
    """Return labels as an array, or raise for an integer beside floats that float64 rounds."""
    array = to_numpy(values)
    if array.dtype.kind == "f":
        refuse_rounded_list(values, array, name)
    elif array.dtype.kind == "O" and any(isinstance(label, float) for label in array.flat):
        for label in array.flat:
            if isinstance(label, (int, np.integer)) and not _is_float64(int(label)):
                raise rounded_label(int(label), name)
    return array


def _is_float64(number: int) -> bool:
    try:
        return int(float(number)) == number
    except OverflowError:
        return False


def refuse_rounded_list(values: Any, floats: AnyArray, name: str) -> None:
    """Raise if values are a list, and an integer in it is none of the floats made of them."""
    # A sum of squares is one call, and takes a third of the time of a maximum.
    if isinstance(values, (list, tuple)) and not np.vdot(floats, floats) < LARGEST_SQUARE:
        for given, read in zip(np.array(values, object).flat, floats.flat):
            if isinstance(given, (int, np.integer)) and int(given) != float(read):
                raise rounded_label(int(given), name)


def rounded_label(number: int, name: str, where: str = "") -> ValueError:
    """Return the error for an integer beside floats, which stand ``where``, that rounds to one."""
    return ValueError(
        f"{name} must not hold {number} beside floats{where}: beyond 2**53 floats skip whole"
        " numbers, so that different labels would become equal. Give all labels as integers, or"
        " all as strings."
    )


def first_rounded(numbers: AnyArray) -> int | None:
    """Return the position of the first integer that float64 does not hold, None without one."""
    if numbers.dtype.kind not in "iu" or numbers.dtype.itemsize < 8:
        return None
    for start in range(0, len(numbers), CHUNK):
        part = numbers[start : start + CHUNK]
        part = part.astype(np.int64 if part.dtype.kind == "i" else np.uint64)
        # The absolute value of the least int64 wraps, and is right as uint64.
        size = np.abs(part).view(np.uint64)
        if size.max() < LARGEST_EXACT:
            continue
        lowest_bit = size & (~size + np.uint64(1))
        digits = size // np.maximum(lowest_bit, np.uint64(1))
        rounded = np.flatnonzero(digits >= np.uint64(LARGEST_EXACT))
        if len(rounded):
            return start + int(rounded[0])
    return None


def cast_dates(dates: AnyArray, unit: np.dtype[Any]) -> AnyArray:
    """Return dates or durations in another unit, NaT for those that it cannot hold."""
    if dates.dtype == unit:
        return dates
    try:
        is_finer = np.promote_types(dates.dtype, unit) == unit.newbyteorder("=")
    except TypeError:  # a month has no number of days
        return np.full(len(dates), "NaT", unit)
    is_held = _fit(dates, unit) if is_finer else _fit(dates.astype(unit), dates.dtype)
    found = np.full(len(dates), "NaT", unit)
    found[is_held] = dates[is_held].astype(unit)
    found[found.astype(dates.dtype) != dates] = "NaT"
    return found


def _fit(dates: AnyArray, finer: np.dtype[Any]) -> NDArray[np.bool_]:
    """Return which dates a finer unit has numbers for; NumPy may wrap the others around."""
    numbers = dates.astype(np.int64)
    last = np.array([INT64_MAX]).view(finer.newbyteorder("=")).astype(dates.dtype)
    most = int(last.astype(np.int64)[0])
    # The way back from the least of all is more than NumPy can do.
    return (-most < numbers) & (numbers <= most)


def in_unit(dates: AnyArray, unit: np.dtype[Any], name: str) -> AnyArray:
    """Return dates or durations in another unit, or raise for one that it cannot hold.

    ``name`` is what the error calls them.
    """
    found = cast_dates(dates, unit)
    lost = np.isnat(found)
    if lost.any():
        raise ValueError(
            f"{name}: {dates[lost.argmax()]} cannot be compared with what is of type {unit}, which"
            " does not hold it. Give all in one unit."
        )
    return found


def common_unit(dates: Sequence[AnyArray]) -> np.dtype[Any]:
    """Return the finest unit of dates, unless another one alone can hold all of them.

    Examples
    --------
    >>> import numpy as np
    >>> from fastkappa.ratings.labels import common_unit
    >>> day, far = np.array(["2001-01-01"], "M8[ns]"), np.array(["9999-12-31"], "M8[D]")
    >>> common_unit([day, day.astype("M8[s]")]), common_unit([day, far])
    (dtype('<M8[ns]'), dtype('<M8[D]'))
    """
    own = [array.dtype.newbyteorder("=") for array in dates]
    finest = np.result_type(*own)
    # Microseconds hold all times that Python has.
    for unit in dict.fromkeys([finest, *own, np.dtype(f"{finest.kind}8[us]")]):
        if not any(np.isnat(cast_dates(array, unit)).any() for array in dates):
            return unit
    return finest


def keys_in_unit(dates: AnyArray, unit: np.dtype[Any]) -> list[int | str]:
    """Return dates as numbers in a unit, and as strings those that it cannot hold."""
    found = cast_dates(dates, unit)
    return [
        str(date) if is_lost else number
        for date, number, is_lost in zip(dates, found.astype(np.int64).tolist(), np.isnat(found))
    ]


def distinct(labels: Iterable[Any]) -> dict[Any, int]:
    """Return the position of each label, and refuse a label given twice."""
    position: dict[Any, int] = {}
    for label in labels:
        try:
            known = label in position
        except TypeError as error:
            raise ValueError(f"labels must be one-dimensional, got {label!r} in it.") from error
        if known:
            raise ValueError(f"labels must be distinct, got {label!r} more than once.")
        position[label] = len(position)
    return position


def names_of_columns(frame: Any) -> list[Any] | None:
    """Return the names of a frame's columns, None for an array or positions as names."""
    columns = getattr(frame, "column_names", getattr(frame, "columns", None))
    if columns is None:
        return None
    names = list(columns)
    are_positions = names == list(range(len(names)))
    return None if are_positions and type(columns).__name__ == "RangeIndex" else names


def names_in_order(names: list[Any]) -> list[Any]:
    """Return the names of columns, by value if they are numbers that neither rise nor fall.

    A pivot has its columns in the order in which they occur.

    Examples
    --------
    >>> from fastkappa.ratings.labels import names_in_order
    >>> names_in_order(["2", "10", "1"]), names_in_order([3, 2, 1]), names_in_order(["b", "a", "c"])
    (['1', '2', '10'], [3, 2, 1], ['b', 'a', 'c'])
    """
    if not all(is_number(str(name)) for name in names):
        return names
    by_value = sorted(names, key=float)
    return names if names in (by_value, by_value[::-1]) else by_value


def order_of_columns(columns: list[Any], names: list[Any], argument: str) -> AnyArray | None:
    """Return the column of each label, by name; None if that of each is in its place.

    Labels may also be other names for all columns. An error calls the frame ``argument``.
    """
    # Many a file and frame can have but strings for names.
    for called in (names, [str(name) for name in names]):
        if columns == called:
            return None
        if set(columns) == set(called):
            return np.array([columns.index(name) for name in called])
        for name, column in zip(called, columns):
            if name in columns and name != column:
                raise ValueError(
                    f"labels must name all columns of {argument} or none, got {names} for the"
                    f" columns {columns}: label {name!r} is not that of column {column!r}. Give"
                    " an array for columns in the order of the labels."
                )
    return None
