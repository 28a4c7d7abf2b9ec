"""Labels that are seldom meant, with a word about each kind.

A header, a note or a code for missing ratings among numbers makes a string of every rating
in its column, and strings sort differently from numbers. A blank at the end makes two labels
of one. A dash in a column of words is no label. Ids in the place of ratings
agree with nothing.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.exceptions import users_stacklevel
from fastkappa.ratings.column import Column
from fastkappa.ratings.label_order import SAME_CATEGORIES, WHICH_ARE_MEANT, is_number
from fastkappa.ratings.missing import spellings

MOST_SHOWN = 10
MOST_NAMED = 5
# How often labels of ratings occur at least, on average.
LEAST_REPEATS = 2
# Among more raters, one with few items can have given labels that nobody else gave.
MOST_JUDGED = 20
REMEDY = "give missing_codes= if they stand for missing ratings, or labels= if they are labels."
STAND_INS_REMEDY = "Give missing_codes= if they do, or labels= if they are labels."
DECIMALS_REMEDY = (
    "read them as numbers, as by pandas.read_csv(decimal=','), or give labels= if they are labels."
)
# Texts of people, spreadsheets and libraries for a missing rating, in lower case.
STAND_INS = frozenset(
    [
        *("", "?", "??", ".", "..", "...", "-", "--", "---", "\N{EN DASH}", "\N{EM DASH}"),
        *("na", "n/a", "n.a.", "n.a", "nan", "nat", "null", "missing", "<na>", "<nat>", "<null>"),
        *("#n/a", "#na", "#null!", "#value!", "#ref!", "#div/0!", "#name?", "#num!"),
        *("#nv", "#n/d", "n / a", "n\\a", "\\n", "(null)", "(blank)", "\N{HORIZONTAL ELLIPSIS}"),
    ]
)
# Lines under the names of columns, and blanks of forms.
RULE = re.compile("[-_=]{2,}|_")
WORD = re.compile(r"[^\W\d_]{2,}")
SIGN = re.compile(r"\d*[-+]+|\+/-")
DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*")
# Between words a blank, a hyphen and an underscore are one label's three spellings.
BETWEEN_WORDS = re.compile(r"(?<=[^\W\d_])[-_](?=[^\W\d_])")
# Between the labels of a set that is written into one cell, and around them.
BETWEEN_LABELS = re.compile("[;|,]")
BRACKETS = " []{}()'\""
ALIKE = "Write them alike"
# Quotes, the minus sign and Turkish i's as other keyboards have them; selectors have no shape.
TYPOGRAPHY = str.maketrans(
    "\u2018\u2019\u201c\u201d\u2212\u0131\u0130", "''\"\"-iI", "\ufe0e\ufe0f"
)
# Cyrillic and Greek letters that have the shape of a Latin one.
LATIN_TO_THE_EYE = str.maketrans(
    "АВЕІЈКМНОРЅСТХУаеіјорѕсхуΑΒΕΖΗΙΚΜΝΟΡΤΥΧο",
    "ABEIJKMHOPSCTXYaeijopscxyABEZHIKMNOPTYXo",
)
# With fewer items, each can have a label of its own.
FEWEST_IDS = 10


class Remedies(NamedTuple):
    """The advice in errors about labels; the command line names its options."""

    odd_strings: str = REMEDY
    stand_ins: str = STAND_INS_REMEDY
    decimals: str = DECIMALS_REMEDY
    order: str = SAME_CATEGORIES
    outside: str = WHICH_ARE_MEANT
    many_labels: str = "labels= names those to take."


REMEDIES = Remedies()


def odd_strings(column: Column) -> dict[str, int]:
    """Return the strings among a column's numbers, and how many ratings each has.

    There are none where no rating is a number, or where most are not.
    """
    if column.categories is None:
        return {}
    n_odd = sum(not is_number(label) for label in column.categories)
    if n_odd in (0, len(column.categories)):
        return {}
    times = _times(column)
    odd = {string: n for string, n in times.items() if n and not is_number(string)}
    is_odd = 2 * sum(odd.values()) < sum(times.values()) and not _are_signs(times.keys(), odd)
    return odd if is_odd else {}


def _are_signs(labels: Iterable[Any], signs: Iterable[str]) -> bool:
    """Return whether a scale has 0 and signs, as "+", "0" and "-", or "0", "1+" and "2+"."""
    zero = {label for label in labels if is_number(label)}
    are_signs = all(SIGN.fullmatch(label.strip()) for label in signs)
    return are_signs and "+" in "".join(signs) and set(map(float, zero)) == {0.0}


def _times(column: Column) -> Counter[Any]:
    """Return how often each category occurs; counts of equal categories are added."""
    categories, counts = column.categories or [], column.counts
    if counts is None:
        # A copy: bincount makes room for the largest code that it finds before it counts.
        n = np.bincount(column.values.astype(np.intp), minlength=len(categories))
    else:
        n = np.zeros(len(categories), np.int64)
        np.add.at(n, column.values, counts)
    times: Counter[Any] = Counter()
    for label, found in zip(categories, n.tolist()):
        times[label] += found
    return times


def missing_among_numbers(column: Column) -> list[str]:
    """Return the strings among a column's numbers that people write where there is no rating."""
    return stand_ins(odd_strings(column))


def are_missing_among_numbers(column: Column) -> NDArray[np.bool_] | None:
    """Return which ratings of a column are such strings, None if there are none."""
    odd = missing_among_numbers(column)
    if not odd or column.categories is None:
        return None
    is_odd = np.array([label in odd for label in column.categories])
    found: NDArray[np.bool_] = is_odd.take(column.values)
    return found


def refuse_odd_strings(column: Column, name: str, remedy: str = REMEDY) -> None:
    """Raise if a column holds strings among its numbers; ``remedy`` is what the user can do."""
    odd = odd_strings(column)
    if odd:
        raise _odd_strings_error(odd, name, remedy)


def refuse_odd_together(columns: Mapping[str, Column], missing_codes: Sequence[Any]) -> None:
    """Raise if the columns of several raters together hold strings among numbers."""
    codes = spellings(missing_codes)
    written = {label for column in columns.values() for label in column.categories or ()} - codes
    if len(set(map(is_number, written))) < 2:
        return
    counts = sum(map(_times, columns.values()), Counter[Any]())
    kept = [label for label in counts if label not in codes]
    n_ratings = np.array([counts[label] for label in kept])
    odd = odd_strings(Column(np.arange(len(kept)), np.dtype(object), kept, counts=n_ratings))
    if odd:
        names = [
            name
            for name, column in columns.items()
            if not odd.keys().isdisjoint(column.categories or ())
        ]
        remedy = (
            f"look at {', '.join(names)}, and give missing_codes= if they stand for missing"
            " ratings, or labels= if they are labels."
        )
        raise _odd_strings_error(odd, "the table of ratings", remedy)


def _odd_strings_error(odd: Mapping[str, int], name: str, remedy: str) -> ValueError:
    """Return the error about strings among numbers, which counts them."""
    few = list(odd.items())[:MOST_SHOWN]
    more = f" and {len(odd) - len(few)} more" if len(odd) > len(few) else ""
    return ValueError(f"{name} holds numbers, and among them {_with_counts(few)}{more}: {remedy}")


def stand_ins(labels: Iterable[Any]) -> list[str]:
    """Return the labels that people write where there is no rating.

    A dash beside a plus is a label, and so is None beside other words with a capital letter.
    """
    strings = [label for label in labels if isinstance(label, str)]
    found = [
        label
        for label in strings
        if label.strip().lower() in STAND_INS or RULE.fullmatch(label.strip())
    ]
    if any(label.strip() == "+" for label in strings):
        found = [label for label in found if label.strip() != "-"]
    if "None" in strings and not any(label[:1].isupper() for label in strings if label != "None"):
        found.append("None")
    return found


def warn_of_stand_ins(
    columns: Mapping[str, Column],
    missing_codes: Sequence[Any] = (),
    remedy: str = STAND_INS_REMEDY,
) -> None:
    """Warn of labels among words that people write where there is no rating, but for codes."""
    codes = spellings(missing_codes)
    found = {
        name: [label for label in stand_ins(column.categories or ()) if label not in codes]
        for name, column in columns.items()
        if column.declared is None
    }
    names = [name for name, labels in found.items() if labels]
    if not names:
        return
    times = sum((_times(columns[name]) for name in names), Counter[Any]())
    labels = list(dict.fromkeys(label for name in names for label in found[name] if times[label]))
    if labels:
        _warn(
            f"{_have(names)} labels that often stand for a missing rating, but are counted as"
            f" labels: {_with_counts([(label, times[label]) for label in labels])}. {remedy}"
        )


def warn_of_numbers_among_words(columns: Mapping[str, Column]) -> None:
    """Warn of a few numbers among words, such as codes for missing ratings or for the words."""
    for name, column in columns.items():
        # To count the ratings takes a pass over all of them.
        if not any(is_number(str(label)) for label in column.categories or ()):
            continue
        times = +_times(column)
        numbers = {label: n for label, n in times.items() if is_number(str(label))}
        words = [label for label in times if label not in numbers]
        are_words = all(WORD.search(str(label)) for label in words)
        if numbers and words and are_words and 2 * sum(numbers.values()) < times.total():
            _warn(
                f"{name} holds words, and among them numbers: {_with_counts([*numbers.items()])}."
                " Write them as words if they stand for these, or give missing_codes= if they stand"
                " for missing ratings, or labels= if they are labels."
            )


def refuse_decimal_commas(column: Column, name: str, remedy: str = DECIMALS_REMEDY) -> None:
    """Raise if the labels of a column are numbers with decimal commas, or beside such numbers."""
    strings = [label for label in column.categories or () if isinstance(label, str)]
    comma = next(filter(DECIMAL_COMMA.fullmatch, strings), None)
    if comma is not None and all(DECIMAL_COMMA.fullmatch(s) or is_number(s) for s in strings):
        raise ValueError(f"{name} holds numbers with a decimal comma, such as {comma!r}: {remedy}")


def warn_of_lookalikes(columns: Mapping[str, Column]) -> None:
    """Warn of labels that are alike to the eye, or are the same words with other signs between."""
    written = {
        label
        for column in columns.values()
        for label in column.categories or ()
        if isinstance(label, str)
    }
    if not alike(written):
        return
    total = sum(map(_times, columns.values()), Counter[Any]())
    for labels in alike(label for label in written if total[label])[:MOST_SHOWN]:
        how, remedy, show = _difference(labels)
        counts = _with_counts([(label, total[label]) for label in labels], show)
        _warn(
            f"{_have(columns)} labels that differ in {how} alone, and are counted apart: {counts}."
            f" {remedy} if they are one label."
        )


def alike(labels: Iterable[str]) -> list[list[str]]:
    """Return the groups of distinct labels that look alike, in order."""
    found: list[list[str]] = []
    labels = sorted(labels)
    # Capitals can look alike where small letters do not, as those of Greek do.
    for look in (_look, lambda label: _look(label.translate(LATIN_TO_THE_EYE))):
        groups: dict[str | float, list[str]] = defaultdict(list)
        for label in labels:
            groups[look(label)].append(label)
        several = [group for group in groups.values() if len(group) > 1]
        found += [group for group in several if not any(set(group) <= set(f) for f in found)]
        if all(map(str.isascii, labels)):
            break
    return found


def _look(label: str) -> str | float:
    """Return what a label looks like, and for a number its value."""
    if not (label.isascii() and label.isprintable()):
        label = _without_typography(label)
    return float(label) if is_number(label) else _set_of_words(label)


def _without_typography(label: str) -> str:
    """Return a label in its plainest characters, without those that cannot be seen."""
    import unicodedata

    plain = unicodedata.normalize("NFKC", " ".join(label.split())).translate(TYPOGRAPHY)
    kinds = {one: unicodedata.category(one) for one in plain}
    dashed = ("-" if kinds[one] == "Pd" else one for one in plain)
    return "".join(one for one in dashed if kinds.get(one) not in ("Cf", "Cc"))


def _words(label: str) -> str:
    """Return the words of a label, whatever their case and the sign between them."""
    return " ".join(BETWEEN_WORDS.sub(" ", label).split()).casefold()


def _set_of_words(label: str) -> str:
    """Return the words of a label; those of a list are sorted, for it may be a set."""
    parts = BETWEEN_LABELS.split(label)
    if len(parts) == 1:
        return _words(label)
    return ";".join(sorted(_words(part.strip(BRACKETS)) for part in parts))


def _value(label: str) -> str | float:
    return float(label) if is_number(label) else label


# How labels that look alike can differ, what to do, how to show them, and what they share then.
DIFFERENCES: tuple[tuple[str, str, Callable[[Any], str], Callable[[str], Any]], ...] = (
    ("blanks", "Strip them", repr, str.strip),
    ("how a number is written", ALIKE, repr, _value),
    ("case", ALIKE, repr, str.casefold),
    ("case and blanks", ALIKE, repr, lambda label: " ".join(label.split()).casefold()),
    ("case and the sign between words", ALIKE, repr, _words),
    ("the order of a list", ALIKE, repr, _set_of_words),
)


def _difference(labels: Sequence[str]) -> tuple[str, str, Callable[[Any], str]]:
    """Return in what labels that look alike differ, what to do, and how to show them."""
    for how, remedy, show, shared in DIFFERENCES:
        if len(set(map(shared, labels))) == 1:
            return how, remedy, show
    return "look-alike characters", ALIKE, ascii


def judge_table(
    labels: Sequence[Any] | AnyArray,
    table: AnyArray,
    n_outside: int = 0,
    names: tuple[str, str] = ("y1", "y2"),
) -> None:
    """Warn of what a table of two raters, or of sums of item weights, shows of its labels.

    That is strings given as labels that no item has, where items are left out; raters without a
    label in common; and ids in the place of ratings.
    """
    if n_outside:
        warn_of_unused_labels(np.asarray(labels), table, n_outside)
    # Most raters agree on the first or on the last label, and more than once: short calls have no
    # time for a closer look.
    if len(labels) < 2 or table.item(0) > 1 or table.item(-1) > 1:
        return
    _warn_of_strangers(labels, table, names)
    _warn_of_ids(labels, table, names)


def judge_tables(labels: AnyArray, tables: AnyArray, truth: str, names: Sequence[str]) -> None:
    """Do the same for the tables of many predictions, whose labels outside were judged before."""
    if len(labels) > 1:
        doubtful = (tables[:, 0, 0] < 2) & (tables[:, -1, -1] < 2)
        for j in np.flatnonzero(doubtful).tolist():
            judge_table(labels, tables[j], names=(truth, names[j]))


def _warn_of_strangers(
    labels: Sequence[Any] | AnyArray, table: AnyArray, names: tuple[str, str]
) -> None:
    used = [np.asarray(table.any(axis=axis)) for axis in (1, 0)]
    # Where few labels occur twice, as measurements do not, or a rater has given one label alone,
    # raters may well have none in common.
    n_used = [np.count_nonzero(own) for own in used]
    if (used[0] & used[1]).any() or min(n_used) < 2 or LEAST_REPEATS * sum(n_used) > table.sum():
        return
    held = (
        f"{name} has {', '.join(map(repr, _some(labels, own)))}" for name, own in zip(names, used)
    )
    _warn(
        f"{' and '.join(names)} have no label in common: {' and '.join(held)}. Are both columns of"
        " ratings, of the same items and with labels written alike?"
    )


def judge_raters(labels: Mapping[str, AnyArray], n_ratings: Sequence[int]) -> None:
    """Warn if a rater has no label in common with any of the others, unless there is a crowd.

    ``labels`` are those of each rater, each once, and ``n_ratings`` how many ratings they are.
    """
    # Dates of several units are compared elsewhere.
    if len(labels) > MOST_JUDGED or any(own.dtype.kind in "mM" for own in labels.values()):
        return
    n_raters = Counter(label for own in labels.values() for label in own.tolist())
    for (name, own), n in zip(labels.items(), n_ratings):
        # As in `_warn_of_strangers`.
        repeats = 1 < len(own) <= n / LEAST_REPEATS
        if repeats and len(own) < len(n_raters) and all(n_raters[x] == 1 for x in own.tolist()):
            shown = ", ".join(map(repr, own[:MOST_NAMED].tolist()))
            _warn(
                f"{name} has no label in common with another rater: {shown}. Are all columns"
                " ratings, of the same items and with labels written alike?"
            )
            return


def _warn_of_ids(labels: Sequence[Any] | AnyArray, table: AnyArray, names: tuple[str, str]) -> None:
    n_items = table.sum()
    if len(labels) < n_items or n_items < FEWEST_IDS:
        return
    sizes = [np.count_nonzero(table.any(axis=axis)) for axis in (1, 0)]
    for name, size, other in zip(names, sizes, sizes[::-1]):
        if size == n_items and 2 * other <= n_items:
            _warn(
                f"{name} holds another label for each of the {n_items} items, as ids do, but was"
                " read as ratings: give the column of ratings."
            )


def _some(labels: Sequence[Any] | AnyArray, used: NDArray[np.bool_]) -> list[Any]:
    """Return some of the labels used, as a message shows them."""
    found = np.asarray(labels)[np.flatnonzero(used)[:MOST_NAMED]]
    shown: list[Any] = (found.astype(str) if found.dtype.kind in "mM" else found).tolist()
    return shown


def _have(names: Iterable[str]) -> str:
    """Return names as the subject of a sentence."""
    listed = list(names)
    return f"{' and '.join(listed)} {'has' if len(listed) == 1 else 'have'}"


def _warn(text: str) -> None:
    warnings.warn(text, UserWarning, stacklevel=users_stacklevel())


def warn_of_unused_labels(labels: AnyArray, table: AnyArray, n_outside: int) -> None:
    """Warn of strings given as labels that no item has, where items are left out.

    ``table`` is that of the items. Numbers are often given as a whole scale: they are not typed.
    """
    if not n_outside or labels.dtype.kind not in "UTO":
        return
    used = table.any(axis=0) | table.any(axis=1)
    unused = [repr(label) for label in labels[~used].tolist() if isinstance(label, str)]
    if unused:
        _warn(
            f"no item counted has a label given, {' or '.join(unused[:MOST_SHOWN])}, but"
            f" {n_outside} left out for a rating outside the labels: write labels as the ratings"
            " do."
        )


def _with_counts(labels: Sequence[tuple[Any, int]], show: Callable[[Any], str] = repr) -> str:
    return ", ".join(f"{show(label)} ({n} {'time' if n == 1 else 'times'})" for label, n in labels)
