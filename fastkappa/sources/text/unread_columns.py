"""Detect from all columns of a source that its rows are probably not the items.

A spreadsheet can contain subtotals. An export can be appended twice, contain one line per pair of
labels, or answer several questions. A join can repeat the ratings of an item.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from datetime import date
from itertools import chain, combinations, product
from operator import eq
from typing import Any, NamedTuple

import numpy as np

from fastkappa.formatting import first_of_many
from fastkappa.ratings.doubtful_labels import FEWEST_IDS, warn
from fastkappa.ratings.label_order import is_number
from fastkappa.ratings.missing import is_missing
from fastkappa.tables.doubtful_tables import FEWEST_CELLS

TOTALS = frozenset(
    [
        *("total", "totals", "grand total", "sum", "subtotal", "mean", "average", "median", "sd"),
        *("std", "stdev", "std. dev.", "variance", "min", "minimum", "maximum", "valid"),
        *("gesamt", "summe", "mittelwert", "moyenne", "somme", "total général", "media", "suma"),
        *("count", "counts", "grand count", "anzahl", "ergebnis", "gesamtergebnis", "gesamtsumme"),
        *("teilergebnis", "zwischensumme", "nombre", "cuenta", "promedio", "total general"),
        *("合計", "総計", "平均", "% agreement", "percent agreement", "agreement", "kappa"),
    ]
)
COUNTS = frozenset(
    ["n", "count", "counts", "freq", "frequency", "number", "cases", "anzahl", "effectif"]
)
# The name of a column of ids, such as "patient" or "itemID".
ID = re.compile(
    r"(^|[\W_])(?i:ids?|mrn|patient|record|case|subject|item|participant|accession)([\W_]|$)"
    r"|[a-z]I[dD]([\W_]|$)"
)
# The name of a column of places, at each of which the numbers of patients can restart.
PLACE = re.compile(
    r"(^|[\W_])(?i:sites?|cent(er|re|ro)s?|hospital|hôpital|clinic|klinik|zentrum|country|city)"
    r"(I[dD])?([\W_]|$)"
)
# The smallest number of clusters per place for a warning about numbers that restart.
FEWEST_OF_PLACE = 5
# For a warning about a join, the smallest number of repeated ids, and the smallest proportion of
# these on which the raters disagree.
FEWEST_REPEATED, LEAST_DISPUTED = 20, 0.1
# For a warning about several questions, the largest number of questions, and the smallest numbers
# of items and labels per question.
MOST_QUESTIONS, FEWEST_ITEMS, FEWEST_LABELS = 20, 20, 2
# For a warning about item numbers that restart in each document: at most `MOST_RATINGS` ratings per
# item are compared, and at least `FEWEST_PAIRS` pairs are required. Kappa must be at least `AGREED`
# within documents, and at most `UNRELATED` across documents.
MOST_RATINGS, FEWEST_PAIRS, AGREED, UNRELATED = 20, 200, 0.5, 0.1
# The smallest proportion of different values in a column of ids or texts.
LEAST_DISTINCT = 0.9
# Larger frames are not judged, because turning their columns into texts would take longer than
# counting.
MOST_ROWS = 2000

# The fields of each column, as strings in row order.
Fields = Mapping[str, Sequence[str]]


class Unread(NamedTuple):
    """All columns of a source: the columns of ratings, other columns that are read, and the rest.

    ``source`` is the name of the source in warnings. ``n_rows`` is the number of rows, including
    rows with too few or too many fields, which are not in ``fields``.
    """

    source: str
    fields: Fields
    rated: Sequence[str]
    keys: Sequence[str]
    n_rows: int

    @property
    def others(self) -> list[str]:
        """The columns that are not read."""
        return [name for name in self.fields if name not in (*self.rated, *self.keys)]


def judge_frame(
    frame: Any, there: Sequence[Any], rated: Sequence[Hashable], keys: Sequence[Hashable] = ()
) -> None:
    """Judge the columns of a small frame, table or mapping in memory.

    ``there`` are the names of all columns.
    """
    read = {*rated, *keys}
    # If a column that is needed does not exist, reading it later raises the error.
    if not rated or not read < {*there} or any(there.count(name) > 1 for name in read):
        return
    n_rows, fields = len(frame[rated[0]]), {}
    for name in there if n_rows <= MOST_ROWS else ():
        column = frame[name] if there.count(name) == 1 else ()
        if not hasattr(column, "__len__") or len(column) != n_rows:
            continue
        values = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
        first = next((one for one in values if not is_missing(one)), None)
        # Other objects, such as embeddings, can have long texts.
        if isinstance(first, (str, int, float, date, np.generic)):
            fields[str(name)] = ["" if is_missing(one) else str(one) for one in values]
    judge_columns(Unread("the source", fields, [*map(str, rated)], [*map(str, keys)], n_rows))


def judge_columns(given: Unread, *, is_whole: bool = True) -> None:
    """Warn about rows of a source that are probably not its items.

    If only the first rows are given, rules that concern all rows are skipped.
    """
    if not set(given.rated) <= given.fields.keys():
        return
    if given.rated:
        _warn_of_subtotals(given)
    if not is_whole:
        _warn_of_join(given)
        return
    _warn_of_counted(given)
    if not _warn_of_repeated(given):
        _warn_of_join(given)
    _warn_of_two_ids(given)
    _warn_of_questions(given)
    if len(given.rated) == 1 and len(given.keys) > 1:
        _warn_of_restarts(given)
    elif len(given.rated) > 1:
        _warn_of_places(given)


def _warn_of_subtotals(given: Unread) -> None:
    """Warn about rows such as "Ward 1 Count" below the rows of "Ward 1", as Excel writes them."""
    for name in given.others:
        above, found, repeats = "", [], False
        for row, text in enumerate(given.fields[name]):
            is_next = bool(above) and above in text and text != above
            if is_next and total_of(text.replace(above, "", 1)) in TOTALS:
                if all(is_number(given.fields[rater][row]) for rater in given.rated):
                    found.append(row)
                continue
            # A group of a single row does not show that the column contains groups.
            repeats |= bool(text) and text == above
            above = text or above
        if found and repeats:
            text = given.fields[name][found[0]]
            warn(
                f"column {name!r} contains subtotals such as {text!r}, first in row {found[0]}, and"
                " the numbers in these rows are counted as ratings: remove these rows."
            )
            return


def total_of(text: str) -> str:
    """Return a field as it is written in `TOTALS`."""
    return text.strip().rstrip(":").casefold()


def _warn_of_join(given: Unread) -> None:
    """Warn if rows with the same id always have the same ratings, as after a join.

    Items in clusters, such as the lesions of a patient, have different ratings.
    """
    if len(given.rated) < 2:
        return
    items = [*zip(*(given.fields[name] for name in given.rated))]
    for name in given.others:
        ids = given.fields[name]
        if not (ID.search(name) or name == next(iter(given.fields))):
            continue
        of_id: dict[str, tuple[str, ...]] = {}
        if any(of_id.setdefault(one, item) != item for one, item in zip(ids, items)):
            continue
        again = [of_id[one] for one, n in Counter(ids).items() if n > 1]
        n_disputed = sum(len(set(item)) > 1 for item in again)
        if len(again) >= FEWEST_REPEATED and n_disputed >= LEAST_DISPUTED * len(again):
            warn(
                f"rows of {given.source} with the same {name!r} always have the same ratings, and"
                f" {len(again)} of {len(of_id)} values of {name!r} occur in several rows. If these"
                " rows are the same item, for example after a join, it is counted several times:"
                f" keep one row per {name!r}."
            )
            return


def _warn_of_questions(given: Unread) -> None:
    """Warn if a column divides the rows so that no label occurs in two parts.

    In long form, the column must also divide the items, because it could be made from the rating.
    """
    rated = [given.fields[name] for name in given.rated]
    if not rated or any(2 * len(set(labels)) > len(labels) for labels in rated):
        return
    items = given.fields.get(next(iter(given.keys), ""), ()) if len(rated) == 1 else ()
    if len(rated) == 1 and len(set(items)) in (0, len(items)):
        return
    for name in given.others:
        parts = given.fields[name]
        of_items = {*zip(items, parts)}
        n_items = Counter(part for _, part in of_items) if items else Counter(parts)
        if (
            len(of_items) > len(set(items))
            or not 2 <= len(n_items) <= MOST_QUESTIONS
            or min(n_items.values()) < FEWEST_ITEMS
        ):
            continue
        of_each = [{(label, part) for label, part in zip(own, parts) if label} for own in rated]
        together = set(chain.from_iterable(of_each))
        n_labels = [Counter(part for _, part in own)[part] for own in of_each for part in n_items]
        is_split = len({label for label, _ in together}) == len(together)
        if is_split and min(n_labels) >= FEWEST_LABELS:
            shown = first_of_many([*map(repr, dict.fromkeys(parts))], 3)
            warn(
                f"column {name!r} divides the rows into parts that have no label in common:"
                f" {shown}. If these are different questions, compute kappa for each of them, as"
                f" with group={name!r}."
            )
            return


def _warn_of_restarts(given: Unread) -> None:
    """Warn if item numbers in long form seem to restart, for example in each document.

    Raters then agree on an item of the same document, but only by chance across documents.
    """
    item = given.keys[0]
    labels = given.fields[given.rated[0]]
    n = len(labels)
    by_chance = sum((k / n) ** 2 for k in Counter(labels).values())
    for name in given.others:
        rows_of: dict[str, list[tuple[str, str]]] = {}
        parts = given.fields[name]
        if not 2 <= len(set(parts)) <= n / 2:
            continue
        for one, part, label in zip(given.fields[item], parts, labels):
            rows_of.setdefault(one, []).append((part, label))
        # The numbers of pairs of ratings, and of equal ones, in different parts and in the same.
        pairs, equal = [0, 0], [0, 0]
        for rows in rows_of.values():
            for (part, label), (other_part, other) in combinations(rows[:MOST_RATINGS], 2):
                pairs[part == other_part] += 1
                equal[part == other_part] += label == other
        if min(pairs) < FEWEST_PAIRS or by_chance == 1:
            continue
        across, within = ((k / m - by_chance) / (1 - by_chance) for k, m in zip(equal, pairs))
        if within >= AGREED and abs(across) <= UNRELATED:
            warn(
                f"raters of the same {item!r} agree within the values of column {name!r}, but only"
                f" by chance across them. If {item!r} restarts for each {name!r}, make the items"
                f" unique, for example by adding {name!r} to {item!r}."
            )
            return


def _warn_of_places(given: Unread) -> None:
    """Warn if the numbers of clusters, such as patients, restart in each site or hospital.

    At each place, the numbers have no gaps, and the largest numbers differ between places. In
    contrast, clusters that were seen at several places, or at several sites of the body, have the
    same numbers everywhere, or gaps.
    """
    for key, name in product(filter(ID.search, given.keys), filter(PLACE.search, given.others)):
        numbers_of: dict[str, set[str]] = {}
        for place, number in zip(given.fields[name], given.fields[key]):
            numbers_of.setdefault(place, set()).add(number)
        sizes = {len(numbers) for numbers in numbers_of.values()}
        in_order = [str(1 + i) for i in range(max(sizes, default=0))]
        if min(sizes, default=0) < FEWEST_OF_PLACE or len(sizes) == 1:
            continue
        if all(numbers == {*in_order[: len(numbers)]} for numbers in numbers_of.values()):
            warn(
                f"{key!r} counts from 1 in each value of column {name!r}, so rows of different"
                f" values are in the same cluster. If {key!r} restarts for each {name!r}, make the"
                f" clusters unique, for example by adding {name!r} to {key!r}."
            )
            return


def _warn_of_repeated(given: Unread) -> bool:
    """Warn about repeated ids in an unread column, as after appending a later export.

    The ids must differ between all rows that are not repeated. Alternatively, the ids must differ
    within each of two parts of the source, if no other column distinguishes the parts. Return
    whether there is a warning.
    """
    n_distinct = len({*zip(*given.fields.values())})
    for name in given.others:
        ids = given.fields[name]
        place: dict[str, int] = {}
        again = [i for i, one in enumerate(ids) if place.setdefault(one, i) != i]
        if not FEWEST_IDS <= len(place) < len(ids):
            continue
        first, second = {*ids[: again[0]]}, {*ids[again[0] :]}
        are_parts = len(first) + len(second) == len(ids)
        is_shared = 2 * len(first & second) >= min(len(first), len(second))
        tells_apart = any(
            2 * len({*one}) < len(one) and {*one[: again[0]]}.isdisjoint(one[again[0] :])
            for one in given.fields.values()
        )
        if len(place) == n_distinct or (are_parts and is_shared and not tells_apart):
            warn(
                f"{len(again)} rows of {given.source} repeat the {name!r} of other rows, but are"
                " counted as separate items: remove them if they are the same items."
            )
            return True
    return False


def _warn_of_two_ids(given: Unread) -> None:
    """Warn if two columns contain the same ids in different rows, as in joined tables."""
    names = [name for name in given.fields if name not in given.rated]
    ids = {name: own for name in names if _are_ids(own := given.fields[name])}
    for (one, first), (other, second) in combinations(ids.items(), 2):
        if found := displaced(first, second):
            n_shared, n_moved = found
            warn(
                f"columns {one!r} and {other!r} of {given.source} contain the same ids, but"
                f" {n_moved} of {n_shared} are in different rows: if two tables were pasted side by"
                " side, join them by id."
            )
            return


def displaced(first: Sequence[str], second: Sequence[str]) -> tuple[int, int] | None:
    """Return how many values two columns share, and how many of these are in different rows.

    Return None if the columns are not columns of ids, share few values, or have them in the same
    rows.
    """
    if not (_are_ids(first) and _are_ids(second)):
        return None
    n_shared, n_in_place = len({*first} & {*second}), sum(map(eq, first, second))
    is_found = 2 * n_shared > len(first) and n_in_place < n_shared
    return (n_shared, n_shared - n_in_place) if is_found else None


def _are_ids(values: Sequence[str]) -> bool:
    """Return whether nearly all values differ, and some are not small numbers.

    Small numbers can be positions of the items.
    """
    if not FEWEST_IDS <= len(values) <= len({*values}) / LEAST_DISTINCT:
        return False
    return not all(is_number(one) and float(one) <= 2 * len(values) for one in values)


def _warn_of_counted(given: Unread) -> None:
    """Warn if there is one line per pair of labels, and an unread column of counts.

    There can also be one line per pair and group, such as a site. If each pair of labels occurs
    exactly once, `judge_table` issues the warning.
    """
    fields, n_rows, rated = given.fields, given.n_rows, given.rated
    names = [name for name in given.others if name.strip().casefold() in COUNTS]
    if len(rated) != 2 or given.keys or len(names) != 1:
        return
    counts = fields[names[0]]
    if not counts or len(counts) != n_rows or not all(map(str.isdecimal, counts)):
        return
    groups = {
        name: column
        for name, column in fields.items()
        if name not in rated and not all(map(is_number, column))
    }
    keys = [*(fields[name] for name in rated), *groups.values()]
    n_labels = [len(set(column)) for column in keys]
    # A column with a different value in most rows contains item ids.
    if 2 * max(n_labels) > n_rows or len(set(zip(*keys))) < n_rows:
        return
    in_order = [int(count) for count in counts] == list(range(1, n_rows + 1))
    are_judged = not groups and n_rows == n_labels[0] * n_labels[1] >= FEWEST_CELLS
    if not in_order and not are_judged:
        each = "".join(f" and each {name!r}" for name in groups)
        warn(
            f"there is one line for each pair of {' and '.join(rated)}{each}, and a column"
            f" {names[0]!r}. If this column contains the number of items with these ratings, use"
            f" sample_weight={names[0]!r}."
        )
