"""Read ``labels=``, find labels that look alike, and convert dates to a unit."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from reprlib import repr as short_repr
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import CHUNK, LARGEST_EXACT, AnyArray
from fastkappa.ratings.interop import to_numpy
from fastkappa.ratings.label_order import is_number

INT64_MAX = (1 << 63) - 1
LARGEST_SQUARE = float(LARGEST_EXACT) ** 2
# Dashes, quotes, the Turkish I, and the Arabic k and y in the variants of other keyboards.
# Variation selectors and skin tones do not change a symbol's meaning.
TYPOGRAPHY = str.maketrans(
    "\u2018\u2019\u02bc\u201c\u201d\u2212\u0130\u0643\u064a\u0649",
    "'''\"\"-I\u06a9\u06cc\u06cc",
    "\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff",
)
# Lowercase Cyrillic, Greek and Turkish letters that look like Latin letters in either case.
SMALL_LETTERS = str.maketrans("авекмнорстухіјѕοı", "abekmhopctyxijsoi")
# Greek letters that look like Latin letters only as capitals.
CAPITALS = str.maketrans("ΑΒΕΖΗΙΚΜΝΡΤΥΧ", "ABEZHIKMNPTYX")
# Unicode categories of invisible characters: control and format characters.
INVISIBLE = ("Cc", "Cf")
# The pattern of a string written so that Excel does not convert it to a number: ="01".
QUOTED = re.compile(r'=?"(.*)"')
# The pattern of HTML tags, of a punctuation mark at the end of a word, and of the apostrophe that
# marks text in a spreadsheet.
MARKS = re.compile(r"</?[a-z]+ ?/?>|(?<=\w)[.,;:]$|^'(?=\w)")
# Marks around a label, as in Markdown, and the brackets of an option such as (a) or a).
AROUND = re.compile(r"([*`'_]{1,3})(.*\w)\1|\(?([^()]*\w)\)|\[([^\[\],;]*)\]")
# a list in a cell, as exported by Label Studio
CHOICES = re.compile(r'\{ ?"choices" ?: ?(\[.*\]) ?\}')
# A date into which Excel converted 1-2 or 10-19.
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAY = re.compile(rf"0?(\d+)-({'|'.join(MONTHS)})|({'|'.join(MONTHS)})-(\d+)")
# A code with its text, such as "1 - mild", "1. mild" or "1 (mild)".
CODED = re.compile(r"(\d+) ?[-.:=()] ?([^\W\d_]{2}.*)")
# A code with its text, as in SPSS, such as "1 mild", which could also be a number with a unit.
CODED_OR_UNIT = re.compile(r"(\d+) ([^\W\d_]{3}.*)")
# A hyphen or an underscore between words, which is treated as a blank.
BETWEEN_WORDS = re.compile(r"(?<=[^\W\d_])[-_](?=[^\W\d_])")
# A hyphen, an underscore or a blank between a word and a number, which is often omitted.
BESIDE_NUMBER = re.compile(r"(?<=[^\W\d_])[-_ ](?=\d)|(?<=\d)[-_ ](?=[^\W\d_])")
# A Roman numeral after a word, as in "grade II".
ROMAN = re.compile(r"(?<=[^\W\d_]{3} )(i{1,3}|iv|vi{0,3})(?=[a-c]?$)")
ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii")
# Separators between the labels of a set in one cell, and characters around the labels.
BETWEEN_LABELS = re.compile("[;|,]")
BRACKETS = " []{}()'\""
ALIKE = "Write them alike"


def read_labels(labels: Any) -> AnyArray:
    """Return the labels as a one-dimensional array, or raise if there are none."""
    whole = isinstance(labels, (list, tuple)) and all(isinstance(label, int) for label in labels)
    # If neither int64 nor uint64 can represent all whole numbers, NumPy converts them to floats.
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
    """Return a key that is equal for labels that look alike.

    Examples
    --------
    >>> from fastkappa.ratings.labels import look_of
    >>> look_of(" Low\u2013Grade"), look_of("b, a"), look_of("10 %"), look_of("1. Mild")
    ('low grade', 'a;b', 10.0, (1.0, 'mild'))
    """
    # Most labels are a single word.
    if label.isalpha() and label.isascii():
        return label.casefold()
    if is_number(label):
        return _number(label)
    if "&" in label:
        import html

        label = html.unescape(label)
    look = _plain(label)
    if not (look[:1].isalnum() and look[-1:].isalnum()):
        look = _unwrapped(look)
    if day := DAY.fullmatch(look):
        look = f"{MONTHS.index(day[2] or day[3]) + 1}-{day[1] or day[4]}"
    number = look.removesuffix("%").rstrip()
    if is_number(number):
        return _number(number)
    coded = CODED.fullmatch(look) or CODED_OR_UNIT.fullmatch(look)
    return (float(coded[1]), _set_of_words(coded[2].rstrip(")"))) if coded else _set_of_words(look)


def _unwrapped(look: str) -> str:
    """Return a label without surrounding quotes, brackets, tags or marks."""
    if quoted := QUOTED.fullmatch(look):
        look = quoted[1].strip()
    if choices := CHOICES.fullmatch(look):
        look = choices[1]
    if around := AROUND.fullmatch(look):
        look = (around[2] or around[3] or around[4] or look).strip(" '\"")
    return MARKS.sub("", look).strip() or look


def has_code(label: Any) -> bool:
    """Return whether a label is a number, or a number with its text, such as "5 - strongly agree".

    Examples
    --------
    >>> from fastkappa.ratings.labels import has_code
    >>> has_code("2"), has_code("5 - strongly agree"), has_code("5 mg")
    (True, True, False)
    """
    text = str(label)
    return is_number(text) or bool(CODED.fullmatch(text.strip()))


def _number(text: str) -> float | str:
    """Return the value of a number, or its text if float64 can round it, as with long ids."""
    value = float(text)
    return value if abs(value) < LARGEST_EXACT else text.strip()


def _plain(label: str) -> str:
    """Return a label in lower case, with plain characters and single blanks between words."""
    if label.isascii() and label.isprintable():
        return " ".join(label.split()).casefold()
    import unicodedata

    # UTF-8 text that was decoded as Windows-1252. Other text, encoded as Windows-1252, is rarely
    # valid UTF-8.
    with suppress(UnicodeError):
        label = label.encode("cp1252").decode()
    seen = unicodedata.normalize("NFKC", label).translate(TYPOGRAPHY)
    kinds = {one: unicodedata.category(one) for one in seen if not one.isspace()}
    dashed = ("-" if kinds.get(one) == "Pd" else one for one in seen)
    visible = "".join(one for one in dashed if kinds.get(one) not in INVISIBLE)
    return " ".join(visible.split()).casefold().translate(SMALL_LETTERS)


def _set_of_words(plain: str) -> str:
    """Return the words of a label. The words of a list are sorted, because it can be a set."""
    parts = [part.strip(BRACKETS) for part in BETWEEN_LABELS.split(plain)]
    # A single comma is a label, as in part-of-speech tags.
    if len(parts) == 1 or not any(parts):
        return _words(plain)
    return ";".join(sorted(map(_words, parts)))


def _words(plain: str) -> str:
    spaced = BETWEEN_WORDS.sub(" ", plain)
    numbered = ROMAN.sub(lambda found: str(ROMANS.index(found[1]) + 1), spaced)
    return BESIDE_NUMBER.sub("", numbered)


def alike_among(labels: Iterable[str]) -> list[list[str]]:
    """Return the groups of different labels that look alike, sorted."""
    alike: dict[Any, list[str]] = defaultdict(list)
    labels = sorted(labels)
    for label in labels:
        alike[look_of(label)].append(label)
    for label in labels:
        # Some capitals look like Latin letters although their lowercase forms do not.
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


# Ways in which labels that look alike can differ: the difference, the remedy, how to show the
# labels, and a function that returns the same value for all of them.
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
    """Return how labels that look alike differ, the remedy, and how to show the labels."""
    for how, remedy, show, shared in DIFFERENCES:
        if len(set(map(shared, labels))) == 1:
            return how, remedy, show
    if any(isinstance(look_of(label), tuple) for label in labels):
        return "a code or its text", ALIKE, repr
    return "how they are written", ALIKE, ascii


def have_fractions(labels: Any) -> bool:
    """Return whether given labels are numbers, some of which are not whole."""
    array = to_numpy(labels)
    return array.dtype.kind == "f" and bool((array != np.rint(array)).any())


def array_of(values: Any, name: str) -> AnyArray:
    """Return labels as an array, or raise for an integer among floats that float64 rounds."""
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
    """Raise if converting a list to an array of floats rounded an integer."""
    # A sum of squares takes a single call and a third of the time of a maximum.
    if isinstance(values, (list, tuple)) and not np.vdot(floats, floats) < LARGEST_SQUARE:
        for given, read in zip(np.array(values, object).flat, floats.flat):
            if isinstance(given, (int, np.integer)) and int(given) != float(read):
                raise rounded_label(int(given), name)


def rounded_label(number: int, name: str, where: str = "") -> ValueError:
    """Return the error for an integer that float64 rounds. ``where`` describes the floats."""
    return ValueError(
        f"{name} must not contain {number} together with floats{where}: floats cannot represent"
        " every whole number beyond 2**53, so different labels would become equal. Give all labels"
        " as integers, or all as strings."
    )


def first_rounded(numbers: AnyArray) -> int | None:
    """Return the position of the first integer that float64 rounds, or None if there is none."""
    if numbers.dtype.kind not in "iu" or numbers.dtype.itemsize < 8:
        return None
    for start in range(0, len(numbers), CHUNK):
        part = numbers[start : start + CHUNK]
        part = part.astype(np.int64 if part.dtype.kind == "i" else np.uint64)
        # The absolute value of the smallest int64 wraps, but is correct as uint64.
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
    """Convert dates or durations to another unit, with NaT where it cannot represent them."""
    if dates.dtype == unit:
        return dates
    try:
        is_finer = np.promote_types(dates.dtype, unit) == unit.newbyteorder("=")
    # months differ in length
    except TypeError:
        return np.full(len(dates), "NaT", unit)
    is_held = _fit(dates, unit) if is_finer else _fit(dates.astype(unit), dates.dtype)
    found = np.full(len(dates), "NaT", unit)
    found[is_held] = dates[is_held].astype(unit)
    found[found.astype(dates.dtype) != dates] = "NaT"
    return found


def _fit(dates: AnyArray, finer: np.dtype[Any]) -> NDArray[np.bool_]:
    """Return a mask of the dates that a finer unit can represent.

    For other dates, NumPy raises an error, or wraps them before version 2.5.
    """
    numbers = dates.astype(np.int64)
    last = np.array([INT64_MAX]).view(finer.newbyteorder("=")).astype(dates.dtype)
    most = int(last.astype(np.int64)[0])
    # The lowest value is excluded, because NumPy cannot convert it back.
    return (-most < numbers) & (numbers <= most)


def in_unit(dates: AnyArray, unit: np.dtype[Any], name: str) -> AnyArray:
    """Convert dates or durations to another unit, or raise if it cannot represent all of them.

    ``name`` is the name of the dates in the error.
    """
    found = cast_dates(dates, unit)
    lost = np.isnat(found)
    if lost.any():
        raise ValueError(
            f"{name}: {dates[lost.argmax()]} cannot be compared with values of type {unit}, which"
            " cannot represent it. Give all dates in one unit."
        )
    return found


def common_unit(dates: Sequence[AnyArray]) -> np.dtype[Any]:
    """Return the finest unit of the dates, or another unit if only that can represent all dates.

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
    # microseconds can represent every Python datetime
    for unit in dict.fromkeys([finest, *own, np.dtype(f"{finest.kind}8[us]")]):
        if not any(np.isnat(cast_dates(array, unit)).any() for array in dates):
            return unit
    return finest


def keys_in_unit(dates: AnyArray, unit: np.dtype[Any]) -> list[int | str]:
    """Return dates as numbers in a unit, or as strings if the unit cannot represent them."""
    found = cast_dates(dates, unit)
    return [
        str(date) if is_lost else number
        for date, number, is_lost in zip(dates, found.astype(np.int64).tolist(), np.isnat(found))
    ]


def distinct(labels: Iterable[Any]) -> dict[Any, int]:
    """Return the position of each label, or raise if a label is given twice."""
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
    """Return the names of a frame's columns, or None for arrays and for positions as names."""
    columns = getattr(frame, "column_names", getattr(frame, "columns", None))
    if columns is None:
        return None
    names = list(columns)
    are_positions = names == list(range(len(names)))
    return None if are_positions and type(columns).__name__ == "RangeIndex" else names


def names_in_order(names: list[Any]) -> list[Any]:
    """Return the column names. Numbers that are not in order are sorted by value.

    The columns of a pivot table can be in order of occurrence.

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
    """Return the column of each label, found by name, or None if all columns are in order.

    Labels can instead be new names for all columns. ``argument`` is the frame's name in errors.
    """
    # Files and some frames support only strings as names.
    for called in (names, [str(name) for name in names]):
        if columns == called:
            return None
        if set(columns) == set(called):
            return np.array([columns.index(name) for name in called])
        for name, column in zip(called, columns):
            if name in columns and name != column:
                raise ValueError(
                    f"labels must name all columns of {argument} or none, got {names} for the"
                    f" columns {columns}: label {name!r} is not the label of column {column!r}."
                    " Give an array for columns in the order of the labels."
                )
    return None
