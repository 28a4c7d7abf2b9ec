"""Detect lines of text files that are probably not items, and warn about each kind.

A spreadsheet can end in totals or notes. A table of counts has one line per pair of labels, or
repeats its column names in the first column. If an export was appended twice, lines occur twice.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from operator import eq

from fastkappa.ratings.doubtful_labels import FEWEST_IDS, warn
from fastkappa.ratings.label_order import is_number
from fastkappa.sources.text.text_format import TextFile, is_packed, opened_rows, rows_in
from fastkappa.tables.doubtful_tables import FEWEST_CELLS

# The number of characters to read at the start of a file, the number to read at its end, and the
# number of last lines to check.
MOST_FIRST, MOST_LAST, LAST_LINES = 1 << 16, 1 << 11, 4
TOTALS = frozenset(
    [
        *("total", "totals", "grand total", "sum", "subtotal", "mean", "average", "median", "sd"),
        *("std", "stdev", "std. dev.", "variance", "min", "minimum", "maximum", "valid"),
        *("gesamt", "summe", "mittelwert", "moyenne", "somme", "total général", "media", "suma"),
        *("合計", "総計", "平均", "% agreement", "percent agreement", "agreement", "kappa"),
    ]
)
NOTES = "note|source|legend|quelle|legende|anmerkung|remarque|légende"
MADE = "exported|generated|downloaded|printed|exportiert|erstellt|exporté"
NOTE = re.compile(rf"({NOTES})s?\s?([.:]|$)|({MADE})( |:)", re.IGNORECASE)
LAST_WORD = re.compile(rf"\b({'|'.join([NOTES, MADE, *TOTALS])})s?\b", re.IGNORECASE)
COUNTS = frozenset(
    ["n", "count", "counts", "freq", "frequency", "number", "cases", "anzahl", "effectif"]
)

Rows = Sequence[Sequence[str]]
# The fields of the complete rows, by column.
Fields = Mapping[str, Sequence[str]]


def warn_of_odd_lines(file: TextFile, columns: Sequence[str]) -> Fields:
    """Warn about odd lines in a file from which only ``columns`` are read.

    Return the fields of the complete rows of a small file, or an empty dictionary.
    """
    if not file.text_format.has_names:
        return {}
    with opened_rows(file.path, file.text_format, errors="replace") as text:
        first = text.read(MOST_FIRST)
    is_whole = len(first) < MOST_FIRST
    last = "\n".join((first[-MOST_LAST:] if is_whole else _end_of(file)).splitlines()[-LAST_LINES:])
    places = {name: file.names.index(name) for name in columns if name in file.names}
    others = [name for name in file.names if name not in places]
    counts = [name for name in others if name.strip().casefold() in COUNTS]
    # Split fields only if the last lines contain a word such as total or note.
    if LAST_WORD.search(last):
        _warn_of_last(file, _rows_of(first, file), _rows_of(last, file))
    if not is_whole:
        return {}
    rows = _rows_of(first, file)[1:]
    complete = [row for row in rows if len(row) == len(file.names)]
    fields = dict(zip(file.names, zip(*complete)))
    if len(places) == 2 and len(counts) == 1:
        _warn_of_counted(fields, len(rows), places, counts[0])
    if 1 < len(rows) == len(file.names) - 1:
        _warn_of_matrix(file, rows)
    _warn_of_repeated(file, fields, others, n_distinct=len(set(map(tuple, rows))))
    _warn_of_two_ids(file, fields, others)
    return fields


def _rows_of(text: str, file: TextFile) -> list[list[str]]:
    """Return the nonempty rows of a text."""
    rows = rows_in(text.splitlines(keepends=True), file.delimiter, file.text_format)
    return [row for row in rows if any(row)]


def _end_of(file: TextFile) -> str:
    """Return the last lines of a file, or an empty string for a compressed file."""
    if is_packed(file.path):
        return ""
    with open(file.path, "rb") as data:
        data.seek(-min(MOST_LAST, os.path.getsize(file.path)), os.SEEK_END)
        text = data.read().decode(file.text_format.encoding or "utf-8", "replace")
    return text.partition("\n")[2]


def _warn_of_last(file: TextFile, first: Rows, last: Rows) -> None:
    """Warn if one of the last lines has a word such as total or note that earlier lines lack."""
    others = {_word(text) for row in first[:-LAST_LINES] for text in row}
    for row in last:
        words = [_word(text) for text in row]
        is_note = NOTE.match(row[0].strip()) and words[0] not in others
        if is_note or not (TOTALS - others).isdisjoint(words):
            warn(
                f"one of the last lines of {file.path}, {file.delimiter.join(row)!r}, looks like a"
                " total or a note, but is read as an item: remove it if it is not an item."
            )
            return


def _word(text: str) -> str:
    return text.strip().rstrip(":").casefold()


def _warn_of_matrix(file: TextFile, rows: Rows) -> None:
    """Warn if the first column lists the names of the other columns, as in a confusion matrix."""
    if [row[0].strip() for row in rows] == [name.strip() for name in file.names[1:]]:
        warn(
            f"the first column of {file.path} contains the names of the other columns, as in a"
            " confusion matrix, but each line is read as an item. If the file is a confusion"
            " matrix, pass the counts to agreement_from_confusion."
        )


def _warn_of_repeated(
    file: TextFile, fields: Fields, others: Sequence[str], n_distinct: int
) -> None:
    """Warn about repeated ids in an unread column, as after appending a later export.

    The ids must differ between all lines that are not repeated. Alternatively, the ids must differ
    within each of two parts of the file, if no other column distinguishes the parts.
    ``n_distinct`` is the number of different lines.
    """
    for name in others:
        ids = fields.get(name, ())
        place: dict[str, int] = {}
        again = [i for i, one in enumerate(ids) if place.setdefault(one, i) != i]
        if not FEWEST_IDS <= len(place) < len(ids):
            continue
        first, second = {*ids[: again[0]]}, {*ids[again[0] :]}
        are_parts = len(first) + len(second) == len(ids)
        is_shared = 2 * len(first & second) >= min(len(first), len(second))
        tells_apart = any(
            2 * len({*one}) < len(one) and {*one[: again[0]]}.isdisjoint(one[again[0] :])
            for one in fields.values()
        )
        if len(place) == n_distinct or (are_parts and is_shared and not tells_apart):
            warn(
                f"{len(again)} lines of {file.path} repeat the {name!r} of other lines, but are"
                " counted as separate items: remove them if they are the same items."
            )
            return


def _warn_of_two_ids(file: TextFile, fields: Fields, others: Sequence[str]) -> None:
    """Warn if two unread columns contain the same ids in different rows, as in joined tables.

    Small numbers are not checked, because they can be positions of the items.
    """
    ids = {name: own for name in others if _are_distinct_ids(own := fields.get(name, ()))}
    for (one, first), (other, second) in combinations(ids.items(), 2):
        n_shared, n_in_place = len({*first} & {*second}), sum(map(eq, first, second))
        if 2 * n_shared > len(first) and n_in_place < n_shared:
            warn(
                f"columns {one!r} and {other!r} of {file.path} contain the same ids, but"
                f" {n_shared - n_in_place} of {n_shared} are in different rows: if two tables were"
                " pasted side by side, join them by id."
            )
            return


def _are_distinct_ids(values: Sequence[str]) -> bool:
    """Return whether values differ in all rows, and are not all small numbers."""
    if not FEWEST_IDS <= len(values) == len({*values}):
        return False
    return not all(is_number(one) and float(one) <= 2 * len(values) for one in values)


def _warn_of_counted(fields: Fields, n_rows: int, places: dict[str, int], count: str) -> None:
    """Warn if there is one line per pair of labels, and an unread column of counts.

    There can also be one line per pair and group, such as a site. If each pair of labels occurs
    exactly once, `judge_table` issues the warning.
    """
    counts = fields.get(count, ())
    if not counts or len(counts) != n_rows or not all(map(str.isdecimal, counts)):
        return
    groups = {
        name: column
        for name, column in fields.items()
        if name not in places and not all(map(is_number, column))
    }
    keys = [*(fields[name] for name in places), *groups.values()]
    n_labels = [len(set(column)) for column in keys]
    # A column with a different value in most rows contains item ids.
    if 2 * max(n_labels) > n_rows or len(set(zip(*keys))) < n_rows:
        return
    in_order = [int(count) for count in counts] == list(range(1, n_rows + 1))
    are_judged = not groups and n_rows == n_labels[0] * n_labels[1] >= FEWEST_CELLS
    if not in_order and not are_judged:
        each = "".join(f" and each {name!r}" for name in groups)
        warn(
            f"there is one line for each pair of {' and '.join(places)}{each}, and a column"
            f" {count!r}. If this column contains the number of items with these ratings, use"
            f" sample_weight={count!r}."
        )
