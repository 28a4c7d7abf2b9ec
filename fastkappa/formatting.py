"""Format names, numbers and intervals as text, and convert values to JSON."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from typing import Any

import numpy as np

# The smallest p-value that is printed as a number. Smaller floats lose precision and eventually
# underflow to 0.
LEAST_P_VALUE = 1e-300
# The separator between the labels of a set.
SET_SEPARATOR = " + "
BOOTSTRAP_METHODS = {"bca": "BCa", "percentile": "percentiles"}


def printable(name: Any) -> str:
    """Return a name as one line of visible characters."""
    text = str(name)
    return text if text.isprintable() and text.strip() else repr(text)


def harmless(text: str) -> str:
    r"""Escape invisible characters in text, because they can control a terminal.

    Examples
    --------
    >>> from fastkappa.formatting import harmless
    >>> harmless("a\x1b]0;b\n")
    'a\\x1b]0;b\\n'
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )


def set_text(labels: Collection[Any], separator: str = SET_SEPARATOR) -> str:
    """Return a set of labels as text, such as "joy + pride", or "[]" for an empty set."""
    return separator.join(sorted(map(str, labels))) or "[]"


def list_in(text: str) -> list[str] | None:
    """Return the labels in a JSON or Python list, or None for any other text.

    A JSON object that contains such a list, as written by Label Studio, is also accepted.

    Examples
    --------
    >>> from fastkappa.formatting import list_in
    >>> list_in('{"choices": ["joy", "pride"]}'), list_in("['joy']"), list_in("[joy]")
    (['joy', 'pride'], ['joy'], None)
    """
    if text[:1] not in ("[", "{"):
        return None
    import ast
    import json

    for read in (json.loads, ast.literal_eval):
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            found = read(text)
            if isinstance(found, dict) and len(found) == 1:
                (found,) = found.values()
            if isinstance(found, list):
                return [str(label).strip() for label in found]
    return None


def label_text(label: Any) -> str:
    """Return a label as one line of text, such as "2" for 2.0."""
    if isinstance(label, frozenset):
        label = set_text(label)
    # Python writes floats of 1e16 and above with an exponent, which is easier to read than 17
    # digits or more.
    whole = isinstance(label, float) and label.is_integer() and abs(label) < 1e16
    return printable(int(label) if whole else label)


def group_text(column: str, name: str) -> str:
    """Prefix a group's name with its column's name, unless it already starts with that name.

    Examples
    --------
    >>> from fastkappa.formatting import group_text
    >>> group_text("week", "3"), group_text("week", "Week 3"), group_text("we", "week 3")
    ('week 3', 'Week 3', 'we week 3')
    """
    start, rest = name[: len(column)], name[len(column) :]
    is_named = start.lower() == column.lower() and not rest[:1].isalpha()
    return name if is_named else f"{column} {name}"


def text_width(text: str) -> int:
    """Return the width of a string in terminal columns, counting wide characters as two.

    Examples
    --------
    >>> from fastkappa.formatting import text_width
    >>> text_width("mild"), text_width("重症"), text_width("ที่")
    (4, 4, 1)
    """
    if text.isascii():
        return len(text)
    from unicodedata import east_asian_width

    return sum(0 if _is_mark(c) else 1 + (east_asian_width(c) in "WF") for c in text)


def _is_mark(c: str) -> bool:
    """Return whether a character is drawn above, below or around the preceding character."""
    from unicodedata import category, combining

    return category(c) in ("Mn", "Me") or combining(c) > 0


def figure(value: float, undefined: str = "undefined", *, digits: int = 4, width: int = 0) -> str:
    """Return a number as text with ``digits`` decimals, or ``undefined`` for NaN; -0 becomes 0.

    Examples
    --------
    >>> from fastkappa.formatting import figure
    >>> figure(-1e-17), figure(0.5, digits=6), figure(float("nan"))
    ('0.0000', '0.500000', 'undefined')
    """
    if math.isnan(value):
        return undefined
    text = f"{value:.{digits}f}"
    return f"{text if float(text) else text.lstrip('-'):>{width}}"


def count_text(n: int, noun: str) -> str:
    """Return a number and a noun, in the plural unless the number is 1.

    Examples
    --------
    >>> from fastkappa.formatting import count_text
    >>> count_text(1, "label"), count_text(2, "label")
    ('1 label', '2 labels')
    """
    return f"{n} {noun}{'' if n == 1 else 's'}"


def percent_text(proportion: float) -> str:
    """Return a proportion as a percentage. Only an exact 0 or 1 is written as 0 % or 100 %.

    Examples
    --------
    >>> from fastkappa.formatting import percent_text
    >>> percent_text(0.692), percent_text(1e-5), percent_text(0.99999)
    ('69.2 %', '<0.1 %', '>99.9 %')
    >>> percent_text(1.0)
    '100 %'
    """
    if proportion in (0, 1):
        return f"{proportion:.0%}".replace("%", " %")
    if proportion < 0.0005:
        return "<0.1 %"
    if proportion >= 0.9995:
        return ">99.9 %"
    return f"{100 * proportion:.1f} %"


def measured_text(value: float, spread: float, digits: int = 4) -> str:
    """Return a measurement as text, with the number of decimals that suits its spread.

    With that number of decimals, ``spread`` has ``digits`` significant digits.

    Examples
    --------
    >>> from fastkappa.formatting import measured_text
    >>> measured_text(-1.63761, 4.51), measured_text(127.2561, 19.6, 3), measured_text(1.5e9, 2e8)
    ('-1.638', '127.3', '1.5e+09')
    """
    if not 1e-6 < spread < 1e6:
        return "undefined" if math.isnan(value) else f"{value:.6g}"
    return figure(value, digits=max(digits - 1 - math.floor(math.log10(spread)), 0))


def counts_text(numbers: Collection[int], noun: str) -> str:
    """Return the range of several counts, followed by a noun.

    Examples
    --------
    >>> from fastkappa.formatting import counts_text
    >>> counts_text([3, 7, 5], "item"), counts_text([1, 1], "item")
    ('3 to 7 items', '1 item')
    """
    least, most = min(numbers), max(numbers)
    return f"{'' if least == most else f'{least} to '}{count_text(most, noun)}"


def number_text(number: int | float) -> str:
    """Return a count, or a sum of item weights, as text. Large sums are rounded to integers.

    Examples
    --------
    >>> from fastkappa.formatting import number_text
    >>> number_text(2.5), number_text(1e6), number_text(16001799.75)
    ('2.5', '1000000', '16001800')
    """
    if isinstance(number, int):
        return str(number)
    # With six significant digits, numbers of 999 999.5 and above would need an exponent.
    whole = float(number).is_integer() or abs(number) >= 999_999.5
    return f"{number:.0f}" if whole and abs(number) < 1e16 else f"{number:.6g}"


def first_of_many(texts: Sequence[str], most: int, separator: str = ", ") -> str:
    """Join at most ``most`` texts. If others are left out, append their number.

    Examples
    --------
    >>> from fastkappa.formatting import first_of_many
    >>> first_of_many(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return separator.join(texts[:most]) + more


def interval_text(
    interval: tuple[float, float],
    undefined: str = "undefined",
    *,
    digits: int = 4,
    width: int = 0,
) -> str:
    """Return an interval as text with both limits padded to ``width``, or ``undefined`` for NaN.

    Examples
    --------
    >>> from fastkappa.formatting import interval_text
    >>> interval_text((-0.25, 0.5)), interval_text((-0.25, 0.5), width=7)
    ('-0.2500 to 0.5000', '-0.2500 to  0.5000')
    """
    if math.isnan(sum(interval)):
        return undefined
    return " to ".join(figure(end, digits=digits, width=width) for end in interval)


def p_value_text(p_value: float, digits: int = 2) -> str:
    """Return a p-value as text with ``digits`` significant digits, or as a bound if near 0 or 1.

    Examples
    --------
    >>> from fastkappa.formatting import p_value_text
    >>> [p_value_text(p) for p in (0.0, 0.0314, 0.9949, 0.9951)]
    ['< 1e-300', '0.031', '0.99', '> 0.99']
    """
    if math.isnan(p_value):
        return "undefined"
    if p_value < LEAST_P_VALUE:
        return f"< {LEAST_P_VALUE:g}"
    text = f"{p_value:#.{digits}g}"
    return f"> {1 - 10**-digits:g}" if float(text) == 1 else text


def p_text(p_value: float) -> str:
    """Return a p-value as text such as "p = 0.031" or "p > 0.99"."""
    text = p_value_text(p_value)
    return f"p {text}" if text[0] in "<>" else f"p = {text}"


def plain(value: Any) -> Any:
    """Convert a value to JSON types: numbers, strings, lists and dictionaries.

    NaN becomes None, and a set becomes a sorted list. JSON has neither infinite numbers nor dates.
    Infinite numbers become strings that `float` can parse, and dates become strings in ISO 8601
    format.

    Examples
    --------
    >>> from fastkappa.formatting import plain
    >>> plain({"kappa": float("nan"), "interval": (0.5, np.float64("-inf"))})
    {'kappa': None, 'interval': [0.5, '-inf']}
    """
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float and math.isfinite(value):
        return value
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if isinstance(value, np.ndarray):
        # Dates are converted to strings first, because `tolist` converts dates in nanoseconds to
        # integers.
        items = (value.astype(str) if value.dtype.kind in "mM" else value).tolist()
        are_plain = value.dtype.kind in "biuU"
        are_plain = are_plain or (value.dtype.kind == "f" and bool(np.isfinite(value).all()))
        return items if are_plain else plain(items)
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, (set, frozenset)):
        return sorted(map(plain, value), key=str)
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return str(value)
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, (int, str)):
        return value
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def json_object(fields: Mapping[str, Any]) -> str:
    """Return a JSON object with one line per key. NaN becomes null."""
    # Imported here because json is slower to load than everything else in this file.
    import json

    lines = (f"  {json.dumps(key)}: {json.dumps(plain(v))}" for key, v in fields.items())
    return "{\n" + ",\n".join(lines) + "\n}"
