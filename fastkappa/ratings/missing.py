"""Find missing ratings in arrays from any library."""

from __future__ import annotations

import enum
import math
import re
import warnings
from collections import Counter
from collections.abc import Collection, Container, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, timedelta
from itertools import permutations
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import CHUNK, AnyArray, is_masked_array
from fastkappa.choices import check_choice
from fastkappa.exceptions import users_stacklevel
from fastkappa.formatting import count_text
from fastkappa.ratings.interop import in_known_library, to_numpy
from fastkappa.ratings.label_order import is_number
from fastkappa.ratings.labels import (
    cast_dates,
    distinct,
    names_in_order,
    names_of_columns,
    order_of_columns,
    read_labels,
)
from fastkappa.ratings.looks import REFUSAL

Missing = Literal["raise", "drop"]
DROP = "pass missing='drop' to leave them out and report their number."
MISSING: tuple[Missing, ...] = get_args(Missing)
# Blanks, some of zero width, that can surround a string for a missing rating. A name that consists
# only of blanks counts as missing.
BLANKS = " \t\n\r\v\f\N{NO-BREAK SPACE}\u200b\u200c\u200d\u2060\ufeff"
# Strings that people, spreadsheets and libraries write for a missing rating, in lower case and
# without surrounding brackets or punctuation.
STAND_INS = frozenset(
    [
        *("", "?", "??", ".", "..", "...", "-", "--", "---", "\N{EN DASH}", "\N{EM DASH}"),
        *("na", "n/a", "n.a", "nan", "nat", "null", "missing"),
        *("#n/a", "#na", "#null!", "#value!", "#ref!", "#div/0!", "#name?", "#num!"),
        *("#nv", "#n/d", "n / a", "n\\a", "\\n", "(blank)", "\N{HORIZONTAL ELLIPSIS}"),
        *("not rated", "not applicable", "not available", "not assessed", "no answer", "skip"),
        *("no response", "undefined", "tbd", "k.a", "k. a", "keine angabe", "[]", "{}"),
        *("unrated", "unscored", "unlabeled", "unlabelled", "skipped", "not done", "not scored"),
        *("don't know", "don\u2019t know", "do not know", "i don't know", "cannot assess"),
        *("unable to assess", "not evaluated", "not labeled", "no rating", "no data", "ignore"),
        *("refused", "prefer not to say", "prefer not to answer", "sans réponse", "sin datos"),
        *("pending", "unanswered", "not yet rated", "select", "select one", "please select"),
        *("choose an item", "choose an option", "click or tap here to enter text"),
        # Codes that Stata and HL7 use for missing values.
        *(f".{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"),
        *("asku", "nask", "navu"),
    ]
)
# Brackets and punctuation around a string for a missing rating, as in "-- Select --" or "<NA>".
AROUND = " -[]()<>.:\N{HORIZONTAL ELLIPSIS}"
# If any of these strings is a label, "Select" (a grade of beef) and "Pending" also count as labels.
STATES = frozenset(
    ["prime", "choice", "approved", "accepted", "rejected", "denied", "open", "closed", "done"]
)
# If any of these strings is a label, a dot, a question mark or a dash also counts as a label, as it
# does in part-of-speech tags.
PUNCTUATION = frozenset([*",:;!'\"`()", "''", "``"])
# If any of these strings is a label, "None" counts as a grade instead of a missing rating.
GRADES = frozenset(
    [
        *("mild", "moderate", "severe", "minimal", "slight", "minor", "major", "trace", "low"),
        *("high", "some", "few", "many", "all", "partial", "complete", "weak", "strong"),
    ]
)
# The pattern of a horizontal rule below column names, or of a line to be filled in on a form.
RULE = re.compile("[-_=]{2,}|_")
# A label counts as lost with the missing ratings if at least `FEWEST_LOST` of its ratings are left
# out, and at least three times as many as are kept, while at least twice as many ratings with other
# labels are kept as are left out. In arrays, only the first `MOST_SEARCHED` items are searched.
FEWEST_LOST, MOST_SEARCHED = 20, 10_000
# Arrow types that can contain NaN.
ARROW_FLOATS = ("halffloat", "float", "double")
# For dates (M) and durations (m), the possible types of a code for a missing rating, and the
# function that converts the code to NumPy.
DATES: Any = {
    "M": ((date, np.datetime64, str), np.datetime64),
    "m": ((timedelta, np.timedelta64), np.timedelta64),
}


def is_missing(label: Any) -> bool:
    """Return whether a label is None, NaN, pandas.NA or pandas.NaT, without importing pandas."""
    return (
        label is None
        or (isinstance(label, (float, np.floating)) and math.isnan(label))
        or type(label).__name__ in ("NAType", "NaTType")
    )


def is_blank(name: Any) -> bool:
    """Return whether the name of a cluster or group is blank, which means that it is missing."""
    return isinstance(name, str) and not name.strip(BLANKS)


def have_blanks(names: Sequence[Any] | None) -> bool:
    """Return whether any name of a cluster or group is blank. ``names`` is None for numbers."""
    return any(map(is_blank, names or ()))


def blanks_as_none(names: Any) -> Any:
    """Return a column of names with None for blank names, and any other column unchanged."""
    found = to_numpy(names).astype(object).ravel().tolist()
    if not have_blanks(found):
        return names
    return [None if is_blank(name) else name for name in found]


def stand_ins(labels: Iterable[Any]) -> list[str]:
    """Return the labels that usually denote a missing rating.

    Some of these strings count as real labels if certain other labels occur: a dash if there is a
    plus, a dot if there is a comma, and empty brackets if there are nonempty brackets. "None"
    counts as a real label if there are grades or capitalized words.
    """
    strings = [label for label in labels if isinstance(label, str)]
    found = [
        label
        for label in strings
        if (text := label.strip(BLANKS).lower()) in STAND_INS
        # A string of letters has neither brackets nor blanks, and needs no further check.
        or (not text.isalpha() and (text.strip(AROUND) or text) in STAND_INS)
        or (not text.isalpha() and (RULE.fullmatch(text) or REFUSAL.match(text)))
    ]
    if found:
        others = {label.strip() for label in strings} - {label.strip() for label in found}
        found = [label for label in found if not _is_one_of(label.strip(), others)]
    if "None" in strings:
        words = set(strings) - {"None"}
        if words.isdisjoint(GRADES) and not any(word[:1].isupper() for word in words):
            found.append("None")
    return found


def _is_one_of(text: str, others: Collection[str]) -> bool:
    """Return whether the other labels show that a string such as "-" does not mean "missing"."""
    if text in ("[]", "{}"):
        return any(label.startswith(text[0]) for label in others)
    if text.casefold() in ("select", "pending"):
        return not STATES.isdisjoint(map(str.casefold, others))
    is_sign = bool(text) and not any(map(str.isalnum, text))
    return (text == "-" and "+" in others) or (is_sign and not PUNCTUATION.isdisjoint(others))


def given_labels(labels: Any) -> AnyArray:
    """Return labels as an array, or raise if any of them is a missing value."""
    array = read_labels(labels)
    refuse_missing_labels(labels)
    return array


def labels_of_table(
    table: Any, labels: Any, n_labels: int, argument: str = "table"
) -> tuple[AnyArray, AnyArray | None]:
    """Return the labels of a table in order, and the index of each label's column.

    The indices are None if the columns are already in the order of the labels. By default, the
    labels are the column names of a data frame or the column numbers of an array. ``labels`` can
    list the column names in another order, or replace them.
    """
    columns = names_of_columns(table)
    if labels is None and columns is not None:
        labels = names_in_order(columns)
    names = np.arange(n_labels) if labels is None else given_labels(labels)
    if names.dtype.kind == "U" and not all(isinstance(label, str) for label in labels):
        # Without dtype=object, NumPy would convert the numbers in a mixed list to strings.
        names = np.array(labels, dtype=object)
    if len(names) != n_labels:
        raise ValueError(
            f"labels must have {n_labels} entries, one per column of {argument}, got {len(names)}."
        )
    listed = list(distinct(names.tolist()))
    return names, None if columns is None else order_of_columns(columns, listed, argument)


def refuse_missing_labels(labels: Any) -> None:
    """Raise if a label is None, NaN or another missing value."""
    # A list is checked entry by entry, because NumPy would convert NaN in a list of strings to a
    # string.
    is_list = isinstance(labels, (list, tuple))
    for label in labels if is_list else to_numpy(labels).ravel().tolist():
        if is_missing(label):
            raise ValueError(f"labels must not contain missing values, got {label!r}.")


def check_missing(missing: Missing, missing_codes: Any = (), labels: Any = None) -> None:
    """Raise if ``missing`` is not a valid choice, or if ``missing_codes`` is not a list.

    An error is also raised if a code is also among the given labels.
    """
    check_choice("missing", missing, MISSING)
    check_is_list(missing_codes)
    for code in missing_codes:
        if not isinstance(code, Hashable):
            raise _no_list(missing_codes)
    if labels is not None and len(missing_codes):
        refuse_codes_among(read_labels(labels).tolist(), spellings(missing_codes))


def refuse_codes_among(labels: Iterable[Any], codes: Container[Any]) -> None:
    """Raise if one of the given labels is also a code for a missing rating."""
    for label in labels:
        if label in codes:
            raise ValueError(
                f"labels and missing_codes both contain {label!r}: remove it from one of them."
            )


def check_is_list(missing_codes: Any) -> None:
    """Raise if ``missing_codes`` is a single code, such as a string, instead of a list."""
    if isinstance(missing_codes, (str, bytes)) or not hasattr(missing_codes, "__len__"):
        raise _no_list(missing_codes)


def _no_list(missing_codes: Any) -> ValueError:
    return ValueError(f"missing_codes must be a list of ratings, got {missing_codes!r}.")


def find_missing(ratings: Any, missing_codes: Sequence[Any] = ()) -> NDArray[np.bool_] | None:
    """Return a mask of the missing ratings, or None if no rating is missing.

    None, NaN, NaT, pandas NA, nulls of polars and pyarrow, masked entries of NumPy arrays, and the
    values in ``missing_codes`` count as missing. If no codes are given, a NumPy array of numbers is
    searched in chunks, and no array of the same length is created unless a rating is missing.
    """
    missing = _find_missing(ratings)
    coded = _find_codes(ratings, missing_codes) if len(missing_codes) else None
    if missing is None or coded is None:
        return coded if missing is None else missing
    return missing | coded


def count_missing(columns: Mapping[str, Any]) -> tuple[dict[str, int], int]:
    """Return the number of missing ratings per column, and of items with any missing rating."""
    masks = {name: find_missing(column) for name, column in columns.items()}
    found = [mask for mask in masks.values() if mask is not None]
    counts = {name: 0 if mask is None else int(mask.sum()) for name, mask in masks.items()}
    return counts, int(np.logical_or.reduce(found).sum()) if found else 0


def warn_of_lost_labels(
    columns: Mapping[str, Any], masks: Mapping[str, NDArray[np.bool_] | None]
) -> None:
    """Warn if a missing rating of one column probably means a label that only another column has.

    ``masks`` are the masks of the missing ratings, or None if no rating is missing.
    """
    for name, other in permutations(columns, 2):
        mask = masks[name]
        if mask is None or np.count_nonzero(mask) < FEWEST_LOST:
            continue
        mask, of_other = mask[:MOST_SEARCHED], masks[other]
        is_rated = True if of_other is None else ~of_other[:MOST_SEARCHED]
        lost = _counted(columns[other], mask & is_rated)
        # Count the other ratings only if necessary, because counting them takes longer.
        if max(lost.values(), default=0) >= FEWEST_LOST:
            own, kept = (_counted(columns[one], ~mask & is_rated) for one in (name, other))
            warn_of_lost_label((name, other), own, kept, lost)


def _counted(ratings: Any, are_counted: NDArray[np.bool_]) -> Counter[Any]:
    """Return how often each label occurs among the first ratings that are to be counted."""
    ratings = in_known_library(ratings)
    first = getattr(ratings, "iloc", ratings)[: len(are_counted)]
    found = without(first, ~are_counted)
    return Counter(to_numpy(found).ravel().tolist())


def warn_of_lost_label(
    names: tuple[str, str], own: Mapping[Any, int], kept: Mapping[Any, int], lost: Mapping[Any, int]
) -> None:
    """Warn if a missing rating of one rater probably means a label that only the other rater uses.

    For the items that both raters rated, ``own`` and ``kept`` contain the number of times that each
    rater gave each label. ``lost`` contains the second rater's numbers for the other items.
    """
    label = max(lost, key=lost.__getitem__, default=None)
    n_lost, n_kept = lost.get(label, 0), kept.get(label, 0)
    n_others = sum(kept.values()) - n_kept
    if own.get(label, 0) or n_lost < max(FEWEST_LOST, 3 * n_kept):
        return
    if n_others < max(FEWEST_LOST, 2 * (sum(lost.values()) - n_lost)):
        return
    warnings.warn(
        f"{names[0]} never has the label {label!r}, and has no rating for {n_lost} of"
        f" {n_lost + n_kept} items to which {names[1]} gave this label. If a missing rating of"
        f" {names[0]} means {label!r}, fill it in instead of leaving the items out.",
        UserWarning,
        stacklevel=users_stacklevel(),
    )


def _find_codes(ratings: Any, missing_codes: Sequence[Any]) -> NDArray[np.bool_] | None:
    """Return a mask of the ratings in ``missing_codes``, where -9 also matches the string "-9"."""
    if is_masked_array(ratings):
        ratings = ratings.data
    array = to_numpy(ratings).reshape(-1)
    if array.dtype.kind in "mM":
        return _if_any(np.isin(array, codes_of_dates(missing_codes, array.dtype)))
    if isinstance(ratings, (list, tuple)):
        array = np.asarray(ratings, object).reshape(-1)
    codes = spellings(missing_codes)
    if array.dtype.kind in "OUT":
        ratings = (r.value if isinstance(r, enum.Enum) and r not in codes else r for r in array)
        return _if_any(np.fromiter((rating in codes for rating in ratings), bool, len(array)))
    numbers: Any = [code for code in codes if isinstance(code, (int, float, np.number))]
    return _if_any(np.isin(array, numbers)) if numbers and array.dtype.kind in "iufb" else None


def spellings(missing_codes: Sequence[Any]) -> set[Any]:
    """Return all forms in which the codes can occur in a column, except for dates.

    For example, -9 occurs as "-9" in a column of strings, and an enum member can occur as its
    value.
    """
    values = [code.value if isinstance(code, enum.Enum) else code for code in missing_codes]
    numbers = [float(code) for code in values if isinstance(code, str) and is_number(code)]
    return {*missing_codes, *values, *map(str, values), *numbers}


def codes_of_dates(missing_codes: Sequence[Any], unit: np.dtype[Any]) -> AnyArray:
    """Return the codes that are dates or durations and can be represented in the dtype ``unit``."""
    kinds, to_date = DATES[unit.kind]
    found = [np.empty(0, unit)]
    for code in missing_codes:
        if getattr(code, "tzinfo", None):
            code = code.astimezone(UTC).replace(tzinfo=None)
        if isinstance(code, kinds):
            # ``asm8`` keeps the nanoseconds of pandas dates. Strings that are not dates are
            # skipped.
            with suppress(ValueError):
                found.append(cast_dates(np.array([to_date(getattr(code, "asm8", code))]), unit))
    codes: AnyArray = np.unique(np.concatenate(found))
    return codes[~np.isnat(codes)]


def _find_missing(ratings: Any) -> NDArray[np.bool_] | None:
    ratings = in_known_library(ratings)
    library = type(ratings).__module__.partition(".")[0]
    if library == "pandas" and hasattr(ratings, "isna"):
        return _if_any(np.asarray(ratings.isna()))
    if library == "polars" and hasattr(ratings, "is_null"):
        missing = ratings.is_null()
        if ratings.dtype.is_float():
            missing |= ratings.is_nan().fill_null(True)
        return _if_any(missing.to_numpy())
    if library == "pyarrow" and hasattr(ratings, "is_null"):
        parts = getattr(ratings, "chunks", [ratings])
        dictionaries = [part.dictionary for part in parts if hasattr(part, "dictionary")]
        if any(_find_missing(dictionary) is not None for dictionary in dictionaries):
            ratings = ratings.cast(ratings.type.value_type)
        if not ratings.null_count and str(ratings.type) not in ARROW_FLOATS:
            return None
        return _if_any(np.asarray(ratings.is_null(nan_is_null=True)))
    if isinstance(ratings, (list, tuple)):
        return _if_any(np.fromiter(map(is_missing, ratings), bool, len(ratings)))
    if is_masked_array(ratings):
        # Masked entries can have any value, including NaN.
        hidden = np.ma.getmaskarray(ratings).reshape(-1)
        found = _find_in_array(ratings.data.reshape(-1))
        return _if_any(hidden if found is None else hidden | found)
    array = to_numpy(ratings)
    return _find_in_array(array.reshape(-1) if array.ndim == 2 else array)


def without(ratings: Any, missing: NDArray[np.bool_]) -> Any:
    """Return the ratings that are not missing, as a column of the same library if possible."""
    kept = ~missing
    if isinstance(ratings, (list, tuple)):
        return [rating for rating, keep in zip(ratings, kept.tolist()) if keep]
    ratings = in_known_library(ratings)
    library = type(ratings).__module__.partition(".")[0]
    if library in ("polars", "pyarrow"):
        return ratings.filter(kept)
    if library == "pandas":
        rest = ratings[kept]
    elif is_masked_array(ratings):
        rest = ratings.data.reshape(-1)[kept]
    else:
        rest = to_numpy(ratings).reshape(-1)[kept]
    # Without the missing ratings, a column of objects might contain only numbers, so it is returned
    # as a list. The same applies to a categorical, unless it declares an order or contains dates.
    is_mixture = rest.dtype == object or (
        getattr(rest.dtype, "ordered", None) is False
        and rest.dtype.categories.dtype.kind not in "mM"
    )
    return rest.tolist() if is_mixture else rest


def _find_in_array(array: AnyArray) -> NDArray[np.bool_] | None:
    are_missing: Any = {
        "f": np.isnan,
        "m": np.isnat,
        "M": np.isnat,
        "O": lambda chunk: np.fromiter(map(is_missing, chunk), bool, len(chunk)),
    }.get(array.dtype.kind)
    if are_missing is None or array.ndim != 1:
        return None
    missing: NDArray[np.bool_] | None = None
    for start in range(0, len(array), CHUNK):
        found = are_missing(array[start : start + CHUNK])
        if found.any():
            missing = np.zeros(len(array), bool) if missing is None else missing
            missing[start : start + CHUNK] = found
    return missing


def _if_any(missing: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    return missing if missing.any() else None


def refuse_missing(
    columns: Mapping[str, Any],
    cause: BaseException | None,
    missing_codes: Sequence[Any] = (),
    not_rated: Collection[str] = (),
    remedy: str = DROP,
) -> None:
    """Raise if any column has a missing rating. ``remedy`` is the advice in the error."""
    for name, column in columns.items():
        mask = find_missing(column, () if name in not_rated else missing_codes)
        if mask is not None:
            raise ValueError(missing_ratings(name, mask, remedy)) from cause


def missing_ratings(name: str, missing: NDArray[np.bool_], remedy: str) -> str:
    """Return the error message for a column with missing ratings, including a remedy."""
    values, items = (
        count_text(int(missing.sum()), "missing value"),
        count_text(len(missing), "item"),
    )
    return f"{name} has {values} in {items}, the first at position {missing.argmax()}: {remedy}"
