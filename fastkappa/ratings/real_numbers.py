"""Read numbers that are not labels: scores, predictions and parameters."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from itertools import islice
from reprlib import repr as short_repr
from typing import Any

import numpy as np

from fastkappa.arrays import LARGEST_EXACT, AnyArray
from fastkappa.ratings.column import refuse_masked
from fastkappa.ratings.doubtful_labels import DECIMAL_COMMA, warn
from fastkappa.ratings.interop import to_numpy
from fastkappa.ratings.label_order import is_alphabetical, is_number
from fastkappa.ratings.labels import first_rounded
from fastkappa.ratings.lengths import check_read
from fastkappa.ratings.missing import is_missing

DECIMAL_COMMA_HINT = (
    " If this is a decimal comma, pass decimal=',' to pandas.read_csv, or --decimal ',' on the"
    " command line."
)
# Codes that statistics packages, surveys and data sets use for missing values. The last ones are
# the largest and smallest values of common integer types. Converting NaN to an integer often gives
# the smallest value.
CODES = frozenset(
    [
        *(-1, -7, -8, -9, 9, 66, 77, 88, 96, 97, 98, 99, 777, 888, 996, 997, 998, 999, 9999),
        *(-66, -77, -88, -96, -97, -98, -99, -777, -888, -996, -997, -998, -999, -9999),
        *((1 << bits) - 1 for bits in (7, 8, 15, 16, 31)),
        *(-(1 << bits) for bits in (7, 15, 31, 63)),
    ]
)
# A code or a total stands out if it is more than `FAR` times as large as every other number. A
# number that is not in `CODES` must be more than `VERY_FAR` times as large as the consecutive
# labels.
FAR, VERY_FAR = 4, 8
# Numbers that are not in `CODES` can be codes only if there are at least `FEWEST_CONSECUTIVE`
# consecutive labels, and at most `MOST_LABELS` labels in total.
FEWEST_CONSECUTIVE, MOST_LABELS = 3, 100
# The number of items to check first.
SAMPLE = 1 << 10
# A positive number below this is often a measurement, so it is not treated as a code.
LEAST_POSITIVE_CODE = 999

# The product of four numbers between this size and its reciprocal neither overflows nor underflows.
LEAST_SIZE = 1e-75


class NotNumbersError(ValueError):
    """Raised if values that must be real numbers are of another type."""


def codes_among(numbers: Sequence[float]) -> list[int]:
    """Given distinct numbers, return the numbers that often mean a missing value.

    Such a number is much larger in absolute value than all others, is negative although all others
    are 0 or more, or is outside a scale of consecutive integers. However, -1 is treated as a label
    if the other numbers are 0 and 1. If there are other negative numbers, -1 is treated as a code
    only if all other negative numbers are codes and the remaining numbers are consecutive, as in
    -9, -1, 1, 2, 3.

    Examples
    --------
    >>> from fastkappa.ratings.real_numbers import codes_among
    >>> codes_among([-2, 1, 2, 3, 9]), codes_among([1, 2, 3, 5, 8, 13]), codes_among([0, 5, 10, 99])
    ([-2, 9], [], [99])
    """
    if found := _outside_consecutive(numbers):
        return found
    others = [number for number in numbers if number not in CODES]
    codes = CODES
    if min(numbers, default=0) < -1 and not _are_consecutive(others):
        codes = CODES - {-1}
        others = [number for number in numbers if number not in codes]
    if len(others) < 2:
        return []
    least, most = min(others), max(others)
    far = FAR * max(-least, most)
    return [
        int(code)
        for code in numbers
        if code in codes
        and (abs(code) > far or (least >= 0 and (code < -1 or (code == -1 and most > 1))))
    ]


def _outside_consecutive(numbers: Sequence[float]) -> list[int]:
    """Return the numbers outside a scale of consecutive integers if all of them could be codes.

    For example, a negative number could be a code if all numbers on the scale are positive. A
    number in `CODES` could be a code if it exceeds the end of the scale by at least the number of
    labels.
    """
    ordered = np.array(sorted(numbers))
    if not FEWEST_CONSECUTIVE < len(ordered) <= MOST_LABELS:
        return []
    runs = np.split(ordered, np.flatnonzero(np.diff(ordered) != 1) + 1)
    run = max(runs, key=len)
    first, last = run[[0, -1]].tolist()
    outside = [number for number in ordered.tolist() if not first <= number <= last]
    are_codes = len(run) >= FEWEST_CONSECUTIVE and all(
        (number < 0 < first)
        or (first >= 0 and number > VERY_FAR * last)
        or (first >= 0 and number in CODES and number - last >= len(run))
        or (number == 0 and first >= len(run))
        for number in outside
    )
    return [int(number) for number in outside] if are_codes and len(outside) < len(run) else []


def _are_consecutive(numbers: Sequence[float]) -> bool:
    """Return whether distinct numbers are consecutive whole numbers."""
    are_whole = all(number == number // 1 for number in numbers)
    return bool(numbers) and are_whole and max(numbers) - min(numbers) == len(numbers) - 1


def may_be_codes(labels: AnyArray) -> bool:
    """Return whether some of the sorted labels could be codes for missing ratings."""
    if labels.dtype.kind not in "iuf":
        return any(isinstance(label, str) and is_number(label) for label in labels.tolist())
    # If the labels are consecutive, or nearly so, only negative labels can be codes.
    return bool(labels.item(0) < 0 or labels.item(-1) - labels.item(0) > len(labels))


def warn_of_codes_among_labels(
    labels: AnyArray, table: AnyArray | None = None, names: Sequence[str] = ()
) -> bool:
    """Warn about labels such as 99 that often mean a missing rating. Return whether any exist.

    ``labels`` are sorted. With a ``table`` of two raters, only labels that occur in it are judged,
    and if only one rater uses them, the warning contains this rater's name.
    """
    if not may_be_codes(labels):
        return False
    if table is not None:
        occur = np.array([table.any(axis=1), table.any(axis=0)])
        labels, occur = labels[occur.any(axis=0)], occur[:, occur.any(axis=0)]
    if labels.dtype.kind in "UTO" and not is_alphabetical(labels):
        labels = labels.astype(float)
    if labels.dtype.kind in "iuf" and (found := codes_among(labels.tolist())):
        users = []
        if table is not None:
            users = [
                name for name, own in zip(names, occur[:, np.isin(labels, found)]) if own.any()
            ]
        where = f" in {users[0]}" if len(users) == 1 else ""
        warn(
            f"the ratings contain {' and '.join(map(str, found))}{where}. Such numbers often mean a"
            " missing rating or a typing error, but are counted as labels. Correct typing errors,"
            " or pass missing_codes= (on the command line, --missing-codes) if they stand for"
            " missing ratings, or labels= if they are labels."
        )
        return True
    return False


def warn_of_codes(numbers: AnyArray, lowest: float, highest: float, name: str) -> None:
    """Warn about scores or measurements such as -999 that often mean a missing value.

    ``lowest`` and ``highest`` are the smallest and the largest number. The other numbers are
    checked only if one of these two is a code or far from the first numbers.
    """
    if CODES.isdisjoint((lowest, highest)):
        some = np.sort(numbers[:SAMPLE]) if highest > VERY_FAR and highest.is_integer() else ()
        if not len(some) or not 0 < some[len(some) // 2] < highest / VERY_FAR:
            return
    distinct = np.unique(numbers[numbers == numbers]).tolist()
    codes = codes_among(distinct)
    far = VERY_FAR * max({*distinct} - {*codes}, default=0)
    found = [code for code in codes if code < 0 or code >= LEAST_POSITIVE_CODE or code > far]
    if found:
        warn(
            f"{name} contains {' and '.join(map(str, found))}. Such numbers often mean a missing"
            " value or a typing error, but are used like any other number. Correct typing errors,"
            " or leave out items with a missing value (on the command line, use --missing drop"
            f" --missing-codes {found[0]})."
        )


def read_numbers(values: Any, name: str) -> AnyArray:
    """Return numbers as a one-dimensional array of integers, booleans or floats.

    A numeric array is not copied. NaN and infinity are accepted here; callers that do not allow
    them call `refuse_infinite`.
    """
    refuse_masked(**{name: values})
    numbers = to_numpy(values)
    if numbers.ndim == 0:
        raise ValueError(f"{name} must be a list or an array, got {short_repr(values)}.")
    if numbers.dtype.kind == "O":
        numbers = numbers_of_objects(numbers, name)
    if numbers.dtype.kind not in "iufb":
        raise NotNumbersError(
            f"{name} must be real numbers, got an array of dtype {numbers.dtype}."
            f"{comma_hint(numbers)}"
        )
    if numbers.ndim == 2 and numbers.shape[1] == 1:
        numbers = numbers[:, 0]
    if numbers.ndim != 1:
        raise ValueError(
            f"{name} must be one-dimensional, got shape {numbers.shape}."
            f"{hint_for_probabilities(numbers.shape)}"
        )
    check_read(numbers, values, name)
    return numbers


def hint_for_probabilities(shape: tuple[int, ...]) -> str:
    """Return a hint for the error about a two-dimensional array that could be probabilities."""
    if len(shape) != 2 or shape[0] < 2:
        return ""
    return (
        " If these are probabilities, one per label, use decode_probabilities or KappaDecoder. To"
        " get scores, take the expected label: probabilities @ labels, where labels are numbers in"
        f" the order of the columns, such as np.arange({shape[1]})."
    )


def as_float64(numbers: AnyArray, name: str) -> AnyArray:
    """Convert numbers to float64, or raise if an integer would be rounded.

    Numbers beyond the range of float64 become infinite.
    """
    with np.errstate(over="ignore"):
        floats = numbers.astype(np.float64, copy=False)
    refuse_rounded(numbers, floats.min(initial=0.0), floats.max(initial=0.0), name)
    return floats


def refuse_rounded(numbers: AnyArray, lowest: float, highest: float, name: str) -> None:
    """Raise if float64 would round an integer. The numbers range from ``lowest`` to ``highest``."""
    if numbers.dtype.kind not in "iu" or max(-lowest, highest) < LARGEST_EXACT:
        return
    position = first_rounded(numbers)
    if position is not None:
        raise _rounding_error(int(numbers[position]), position, name)


def _rounding_error(number: int, position: int, name: str) -> ValueError:
    return ValueError(
        f"{name} must be numbers that float64 represents exactly, got {number} at position"
        f" {position}, beyond 2**53: different numbers could become equal. Subtract the smallest"
        " number from all, or divide all by a common factor."
    )


def number_rows(values: AnyArray) -> bool:
    """Return whether values number the rows, as in 0, 1, 2, ... or 1, 2, 3, ..."""
    return values[0] in (0, 1) and bool((np.diff(values.astype(np.float64)) == 1).all())


def comma_hint(entries: Iterable[Any]) -> str:
    """Return how to read decimal commas if one of the first entries has one, or "" otherwise."""
    some = (entry for entry in islice(entries, SAMPLE) if isinstance(entry, str))
    return DECIMAL_COMMA_HINT if any(map(DECIMAL_COMMA.fullmatch, some)) else ""


def numbers_of_objects(objects: AnyArray, name: str) -> AnyArray:
    """Convert objects to float64, with NaN for missing entries."""
    for entry in objects.flat:
        if isinstance(entry, (str, bytes)):
            hint = comma_hint([entry])
            raise NotNumbersError(f"{name} must be real numbers, got {short_repr(entry)}.{hint}")
    try:
        numbers = objects.astype(np.float64)
    except (TypeError, ValueError):
        each = [_number_of(entry, name) for entry in objects.flat]
        numbers = np.array(each).reshape(objects.shape)
    except OverflowError as error:
        raise ValueError(f"{name} must be numbers that float64 can represent: {error}.") from error
    for position, entry in enumerate(objects.flat):
        if isinstance(entry, (int, np.integer)) and int(numbers.flat[position]) != entry:
            raise _rounding_error(int(entry), position, name)
    return numbers


def _number_of(entry: Any, name: str) -> float:
    try:
        return np.nan if is_missing(entry) else float(entry)
    except (TypeError, ValueError) as error:
        raise NotNumbersError(f"{name} must be real numbers, got {short_repr(entry)}.") from error


def refuse_infinite(numbers: AnyArray, name: str, start: int = 0) -> None:
    """Raise if a number is NaN or infinite. The error counts positions from ``start``."""
    infinite = np.flatnonzero(~np.isfinite(numbers))
    if len(infinite):
        position = int(infinite[0])
        raise ValueError(
            f"{name} must be finite, got {float(numbers[position])} at position {start + position}."
        )


def refuse_extreme(name: str, largest: float) -> None:
    """Raise if products of numbers of absolute value ``largest`` could overflow or underflow."""
    if largest and not LEAST_SIZE < largest < 1 / LEAST_SIZE:
        raise ValueError(
            f"the largest absolute value of {name} must be between {LEAST_SIZE:.0e} and"
            f" {1 / LEAST_SIZE:.0e}, got {largest:g}: use another unit."
        )


def integer_at_least(value: Any, least: int, name: str) -> int:
    """Return a parameter as an integer, or raise if it is not an integer or is too small."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {value!r}.") from None
    if number < least:
        raise ValueError(f"{name} must be at least {least}, got {number}.")
    return number
