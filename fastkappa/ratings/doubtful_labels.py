"""Detect labels that are probably unintended, and warn or raise an error.

A header, a note or a missing-value code among numbers turns all ratings in the column into strings,
and strings sort differently from numbers. A trailing blank turns one label into two.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, takewhile
from reprlib import repr as short_repr
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.exceptions import users_stacklevel
from fastkappa.formatting import count_text, first_of_many, list_in
from fastkappa.ratings.column import Column
from fastkappa.ratings.interop import to_numpy
from fastkappa.ratings.label_order import SAME_CATEGORIES, WHICH_ARE_MEANT, is_number
from fastkappa.ratings.labels import read_labels
from fastkappa.ratings.looks import (
    DITTO,
    FAILURE,
    WITH_PERCENT,
    agreements,
    alike_among,
    are_signs,
    has_code,
    matching,
    with_characters_shown,
    without_remark,
)
from fastkappa.ratings.missing import spellings, stand_ins

MOST_SHOWN = 10
STAND_INS_REMEDY = (
    "Pass missing_codes= if they stand for missing ratings, or labels= if they are labels."
)
DECIMALS_REMEDY = (
    "parse the numbers, as with pandas.read_csv(decimal=','), or pass labels= if they are labels."
)
SECOND_NAMES_REMEDY = (
    "leave out lines between column names and ratings, as with pandas.read_csv(skiprows=[1, 2])."
)
# A label with one of these meanings is reported unless all raters use it.
ALONE = ("the rating of the other rater", "a failed request")
# A label with a remark is reported if the plain label occurs at least this many times as often.
RARER = 5
# The separators that can join the labels of a set in one cell.
SEPARATORS = ";|,"
# Free text after "other" is reported if it occurs less than this many times on average.
MOST_TIMES = 3
OTHER = re.compile(r"(others?|misc|sonstiges?|andere[rs]?|autres?|otros?|altro) ?[^\w\s] ?\w", re.I)
WORD = re.compile(r"[^\W\d_]{2,}")
# Labels with a letter that are plausible in a column of numbers, such as grade 4a or code V58.61.
# The letters i, l and o are excluded as first letters, because they might be misread digits.
CODE = re.compile(r"\d+[a-e]|[a-hj-kmnp-z]\d{2,}(\.\d+)?", re.IGNORECASE)
DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*")
THOUSANDS = re.compile(r"\s*[-+]?[1-9]\d{0,2},\d{3}\s*")
# The start of each cell in the third line of a Qualtrics file.
IMPORT_ID = '{"ImportId":'
# A formula that a spreadsheet saved in place of its value, such as =B3 or =SUM(A1:A3).
FORMULA = re.compile(r"=\$?[A-Z]{1,3}\$?\d+|=[A-Z.]+\(.*\)")
# Cells below the column names: the type of a column, or "Response" in a SurveyMonkey file. Longer
# cells, such as questions, have at least `LONG` words, and three times as many as any label.
HEADINGS = {"response", "int", "str", "string", "text", "category", "ordinal", "nominal"}
LONG = 5
# The number of items to check at the start of a column. Most labels occur twice among this many.
SOME_ITEMS = 1 << 10
# More than `MOST_TYPED` names are rarely typed by hand, so they are not checked for typing errors.
# With fewer items than `FEWEST_IDS`, every item can have a different label by chance.
MOST_TYPED, FEWEST_IDS = 10_000, 10
LARGEST = (1 << 63) - 1


class Remedies(NamedTuple):
    """The advice in errors about labels. On the command line, the advice names options."""

    odd_strings: str = (
        "write numbers as digits, pass missing_codes= for codes of missing ratings, or pass"
        " labels= if the strings are labels."
    )
    stand_ins: str = STAND_INS_REMEDY
    decimals: str = DECIMALS_REMEDY
    order: str = SAME_CATEGORIES
    outside: str = WHICH_ARE_MEANT
    second_names: str = SECOND_NAMES_REMEDY
    many_labels: str = "Pass labels= to choose the labels to count."


REMEDIES = Remedies()


def odd_strings(column: Column, missing_codes: Sequence[Any] = ()) -> dict[str, int]:
    """Return the strings in a column of numbers, and how often each occurs.

    The result is empty if no rating is a number, or if most ratings are not numbers. Ratings in
    ``missing_codes`` are ignored.
    """
    if column.categories is None:
        return {}
    n_odd = sum(not is_number(label) for label in column.categories)
    if n_odd in (0, len(column.categories)):
        return {}
    codes = spellings(missing_codes)
    times = {label: n for label, n in _times(column).items() if label not in codes}
    odd = {string: n for string, n in times.items() if n and not has_code(string)}
    if 2 * sum(odd.values()) >= sum(times.values()) or are_signs(times.keys(), odd):
        return {}
    return {} if all(CODE.fullmatch(string.strip()) for string in odd) else odd


def _times(column: Column) -> Counter[Any]:
    """Return the number of ratings per category. Equal categories are counted together."""
    categories, counts = column.categories or [], column.counts
    if counts is None:
        # The codes are copied, because bincount allocates memory for the largest code before it
        # counts, and a user's array could change in between.
        n = np.bincount(column.values.astype(np.intp), minlength=len(categories))
    else:
        n = np.zeros(len(categories), np.int64)
        np.add.at(n, column.values, counts)
    times: Counter[Any] = Counter()
    for label, found in zip(categories, n.tolist()):
        times[label] += found
    return times


def missing_among_numbers(column: Column) -> list[str]:
    """For a column of numbers, return the strings that usually denote a missing rating."""
    return stand_ins(odd_strings(column))


def are_missing_among_numbers(column: Column) -> NDArray[np.bool_] | None:
    """Return a mask of the ratings found by `missing_among_numbers`, or None if there are none."""
    odd = missing_among_numbers(column)
    if not odd or column.categories is None:
        return None
    is_odd = np.array([label in odd for label in column.categories])
    found: NDArray[np.bool_] = is_odd.take(column.values)
    return found


def refuse_odd_strings(
    column: Column, name: str, remedy: str, missing_codes: Sequence[Any] = ()
) -> None:
    """Raise an error with advice if a column of numbers has strings not in ``missing_codes``."""
    odd = odd_strings(column, missing_codes)
    if odd:
        shown = first_of_many([_with_counts([one]) for one in odd.items()], MOST_SHOWN)
        raise ValueError(f"{name} contains numbers and also {shown}: {remedy}")


def warn_of_remarks(columns: Mapping[str, Column]) -> None:
    """Warn about rare labels that contain a remark ("other: a") or join two labels ("a/b")."""
    labels = _strings_of(columns)
    if len(labels) > MOST_TYPED:
        return
    # A label of letters only cannot contain a remark.
    others = [label for label in labels if not label.isalpha()]
    if others:
        _warn_of_joined(columns, labels)
    bases = {label: own for label in others if (own := without_remark(label)) and own <= labels}
    with_percent = [label for label in others if WITH_PERCENT.fullmatch(label)]
    texts = [label for label in others if OTHER.match(label)]
    if not bases and len(with_percent) < 2 and len(texts) < FEWEST_IDS:
        return
    times = sum(map(_times, columns.values()), Counter[Any]())
    found = [x for x, own in bases.items() if 0 < RARER * times[x] <= min(times[y] for y in own)]
    if len({WITH_PERCENT.sub(r"\1", label) for label in with_percent}) < len(with_percent):
        found += with_percent
    n_of_texts = [times[label] for label in texts if times[label]]
    if n_of_texts.count(1) >= FEWEST_IDS and sum(n_of_texts) < MOST_TIMES * len(n_of_texts):
        found += texts
    counts = [_with_counts([(x, times[x])]) for x in sorted({*found}) if times[x]]
    if counts:
        warn(
            f"{_have(columns)} labels with remarks, which are counted as separate labels:"
            f" {first_of_many(counts, MOST_SHOWN)}."
            " Remove the remarks if they do not change the rating."
        )


def _warn_of_joined(columns: Mapping[str, Column], labels: Collection[str]) -> None:
    """Warn if some labels are probably sets of labels in one cell, such as "a;b" or a list."""
    lists = {
        label: "json.loads" if '"' in label else "ast.literal_eval"
        for label in labels
        if len(list_in(label) or ()) > 1
    }
    joined = lists or {
        label: f"str.split({separator!r})"
        for separator in SEPARATORS
        for label in joined_by(separator, labels)
    }
    if joined:
        label = min(joined)
        warn(
            f"{_have(columns)} labels such as {short_repr(label)}, which contain several labels but"
            " are counted as separate labels. If ratings are sets of labels, convert them with"
            f" {joined[label]} and use krippendorff_alpha(level='jaccard')."
        )


def groups_text(groups: Sequence[Sequence[str]]) -> str:
    """Return the number of groups of similar names, and the names in the first groups."""
    shown = "; ".join(", ".join(with_characters_shown(names)) for names in groups[:MOST_SHOWN])
    return f"{count_text(len(groups), 'group')} of similar names: {shown}"


def joined_by(separator: str, labels: Collection[str]) -> list[str]:
    """Return the labels that consist of other labels, joined by a separator.

    Examples
    --------
    >>> from fastkappa.ratings.doubtful_labels import joined_by
    >>> joined_by(";", ["joy", "joy; pride", "pride", "joy; fear"])
    ['joy; pride']
    """
    known, found = set(labels), []
    for label in labels:
        parts = [part.strip() for part in label.split(separator)]
        # A comma between digits is taken for a decimal comma, not for a separator.
        is_number = separator == "," and all(map(str.isdigit, parts))
        if len(parts) > 1 and known.issuperset(parts) and not is_number:
            found.append(label)
    return found


def warn_of_stand_ins(
    columns: Mapping[str, Column],
    missing_codes: Sequence[Any] = (),
    remedy: str = STAND_INS_REMEDY,
) -> None:
    """Warn about labels that usually denote a missing rating but are not in ``missing_codes``."""
    codes = spellings(missing_codes)
    undeclared = {name: x.categories or () for name, x in columns.items() if x.declared is None}
    kinds: dict[str, Callable[[Sequence[Any]], list[str]]] = {
        "a missing rating": stand_ins,
        "the rating above": partial(matching, DITTO),
        "the rating of the other rater": agreements,
        "a failed request": partial(matching, FAILURE),
    }
    for what, among in kinds.items():
        own = {name: among(labels) for name, labels in undeclared.items()}
        # A label that all raters use is probably intentional, such as a type of error.
        if what in ALONE and all(own.values()):
            continue
        found = {name: [label for label in own[name] if label not in codes] for name in own}
        names = [name for name, labels in found.items() if labels]
        if not names:
            continue
        times = sum((_times(columns[name]) for name in names), Counter[Any]())
        labels = dict.fromkeys(label for name in names for label in found[name] if times[label])
        if labels:
            # A label such as "agree" must not be treated as missing, because kappa would change if
            # the items on which raters agree were left out.
            advice = "If they stand for a rating, write that rating. " * (among is agreements)
            warn(
                f"{_have(names)} labels that often stand for {what}, but are counted as"
                f" labels: {_with_counts([(x, times[x]) for x in labels])}. {advice}{remedy}"
            )


def warn_of_numbers_among_words(columns: Mapping[str, Column]) -> None:
    """Warn about numbers among words, which can be codes for words or for missing ratings."""
    for name, column in columns.items():
        # The labels are checked first, because counting requires a pass over all ratings.
        if not any(is_number(str(label)) for label in column.categories or ()):
            continue
        times = +_times(column)
        numbers = {label: n for label, n in times.items() if is_number(str(label))}
        words = [label for label in times if not has_code(label)]
        are_words = all(WORD.search(str(label)) for label in words)
        if numbers and words and are_words and 2 * sum(numbers.values()) <= times.total():
            warn(
                f"{name} contains words, but also the numbers {_with_counts([*numbers.items()])}."
                " Replace the numbers if they are codes for the words, pass missing_codes= if they"
                " stand for missing ratings, or labels= if they are labels."
            )


def warn_of_booleans(columns: Mapping[str, Column], labels: Any) -> None:
    """Warn if numbers other than 0 and 1 occur in ``labels`` or beside a column of booleans."""
    booleans = next(name for name, one in columns.items() if one.label_dtype.kind == "b")
    numbers = {
        f"{name} contains": column.values
        for name, column in columns.items()
        if column.label_dtype.kind in "iuf" and column.categories is None
    }
    whole = getattr(labels, "whole_numbers", None)
    given = to_numpy(() if labels is None else whole(2, LARGEST) if whole else labels)
    if len(given) and given.dtype.kind in "iuf":
        numbers["the given labels contain"] = given
    for where, values in numbers.items():
        for number in values[(values != 0) & (values != 1)][:1].tolist():
            warn(
                f"{booleans} contains booleans, which count as 0 and 1, but {where} other numbers,"
                f" such as {number}. Use the same labels in both."
            )
            return


def refuse_decimal_commas(column: Column, name: str, remedy: str = DECIMALS_REMEDY) -> None:
    """Raise if all labels of a column are numbers and some have a decimal comma."""
    strings = [label for label in column.categories or () if isinstance(label, str)]
    comma = next(filter(DECIMAL_COMMA.fullmatch, strings), None)
    if comma is None or not all(DECIMAL_COMMA.fullmatch(s) or is_number(s) for s in strings):
        return
    if all(map(THOUSANDS.fullmatch, (s for s in strings if "," in s))):
        remedy = f"remove commas that separate thousands. For decimal commas, {remedy}"
        raise ValueError(f"{name} contains numbers with a comma, such as {comma!r}: {remedy}")
    raise ValueError(f"{name} contains numbers with a decimal comma, such as {comma!r}: {remedy}")


def refuse_import_ids(columns: Mapping[str, Column], remedy: str = SECOND_NAMES_REMEDY) -> None:
    """Raise if a column contains a cell from the extra header lines of a Qualtrics file."""
    for name, column in columns.items():
        found = next((x for x in column.categories or () if str(x).startswith(IMPORT_ID)), None)
        if found is not None:
            raise ValueError(
                f"{name} contains {found!r}, which belongs to the third line of a Qualtrics file:"
                f" {remedy}"
            )


def refuse_formulas(columns: Mapping[str, Column]) -> None:
    """Raise if a column contains spreadsheet formulas in place of their values."""
    for name, column in columns.items():
        found = next((x for x in column.categories or () if FORMULA.fullmatch(str(x))), None)
        if found is not None:
            raise ValueError(
                f"{name} contains the formula {found!r} in place of its value: save the spreadsheet"
                " with values instead of formulas."
            )


def warn_of_second_names(columns: Mapping[str, Column], remedy: str = SECOND_NAMES_REMEDY) -> None:
    """Warn if the first item's labels occur nowhere else, as in a second line of column names.

    Every other label must occur more than once, because labels can be unique by chance. If all
    raters have the same label, it must also look like a heading, because it can be a rare label.
    """
    firsts = list(takewhile(bool, map(_first_alone, columns.values())))
    if len(firsts) < max(2, len(columns)):
        return
    total, times = +sum(map(_times, columns.values()), Counter[Any]()), Counter(firsts)
    others = total - times
    is_alone = others.keys().isdisjoint(times) and min(others.values(), default=0) > 1
    if len(times) == 1 and str(firsts[0]).strip().casefold() not in HEADINGS:
        n_words, *of_others = (len(str(label).split()) for label in (firsts[0], *others))
        is_alone &= n_words >= max([LONG, *(3 * n for n in of_others)])
    if is_alone and total.total() >= FEWEST_IDS * len(columns):
        held = ", ".join(repr(label) for label in times)
        warn(
            f"the first item of {' and '.join(columns)} has labels that no other item has: {held}."
            f" If these labels are a second line of column names, {remedy}"
        )


def _first_alone(column: Column) -> str | None:
    """Return the label of the first item, or None if one of the next items has the same label."""
    values, categories = column.values, column.categories
    if not categories or not len(values):
        return None
    occurs_again = (
        (values[1:SOME_ITEMS] == values[0]).any() if column.counts is None else column.counts[0] > 1
    )
    label = categories[values[0]]
    return None if occurs_again or not isinstance(label, str) else label


def warn_of_lookalikes(
    columns: Mapping[str, Column], noun: str = "label", given: Any = None
) -> None:
    """Warn about labels that look alike, such as "no-x" and "No x", or "1" and "1 - mild".

    ``noun`` is the word that the warning uses for a label. Labels that are all ``given`` by the
    user, such as the codes "1.1" and "1.10", are different.
    """
    written = _strings_of(columns)
    if len(written) > MOST_TYPED or not (alike := alike_among(written)):
        return
    if given is not None:
        # The labels requested from a file are strings, because its types are not yet known.
        known = given.texts if hasattr(given, "texts") else {*read_labels(given).tolist()}
        alike = [group for group in alike if not known.issuperset(group)]
    total = sum(map(_times, columns.values()), Counter[Any]())
    found = [group for group in ([x for x in own if total[x]] for own in alike) if len(group) > 1]
    if found:
        counts = [
            _with_counts(list(zip(with_characters_shown(group), (total[x] for x in group))), str)
            for group in found
        ]
        warn(
            f"{_have(columns)} {noun}s that differ only in how they are written, but are counted"
            f" separately: {first_of_many(counts, MOST_SHOWN, '; ')}. Write them the same way if"
            f" they are the same {noun}."
        )


def are_ids(n_values: int, n_others: int, n_items: int) -> bool:
    """Return whether a column probably contains ids instead of ratings.

    Ids are all different, and are at least twice as many as the other column's distinct values.
    """
    return FEWEST_IDS <= n_items == n_values and 0 < 2 * n_others <= n_items


def _strings_of(columns: Mapping[str, Column]) -> set[str]:
    """Return the labels of all columns that are strings."""
    labels = chain.from_iterable(column.categories or () for column in columns.values())
    return {label for label in labels if isinstance(label, str)}


def _have(names: Iterable[str]) -> str:
    """Return names as the subject of a sentence, followed by "has" or "have"."""
    listed = list(names)
    return f"{' and '.join(listed)} {'has' if len(listed) == 1 else 'have'}"


def warn(text: str) -> None:
    warnings.warn(text, UserWarning, stacklevel=users_stacklevel())


def _with_counts(labels: Sequence[tuple[Any, int]], show: Callable[[Any], str] = repr) -> str:
    return ", ".join(f"{show(label)} ({n} {'time' if n == 1 else 'times'})" for label, n in labels)
