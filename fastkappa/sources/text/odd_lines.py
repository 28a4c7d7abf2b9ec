"""Warn about lines of text files that should probably not be counted as items.

A spreadsheet can end with totals or notes. `unread_columns` judges the columns.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence

from fastkappa.ratings.doubtful_labels import warn
from fastkappa.sources.text.text_format import TextFile, is_packed, opened_rows, rows_in
from fastkappa.sources.text.unread_columns import TOTALS, judge_columns, total_of
from fastkappa.sources.text.unread_groups import Fields, Unread

# At most `MOST_FIRST` characters are read from the start of a file, and at most `MOST_LAST` from
# its end, where only the last `LAST_LINES` lines are checked.
MOST_FIRST, MOST_LAST, LAST_LINES = 1 << 16, 1 << 11, 4
NOTES = "note|source|legend|quelle|legende|anmerkung|remarque|légende"
MADE = "exported|generated|downloaded|printed|exportiert|erstellt|exporté"
NOTE = re.compile(rf"({NOTES})s?\s?([.:]|$)|({MADE})( |:)", re.IGNORECASE)
LAST_WORD = re.compile(rf"\b({'|'.join([NOTES, MADE, *TOTALS])})s?\b", re.IGNORECASE)
Rows = Sequence[Sequence[str]]


def warn_of_odd_lines(
    file: TextFile, columns: Sequence[str], not_rated: Collection[str] = ()
) -> Fields:
    """Warn about suspicious lines in a file from which only ``columns`` are read.

    Columns in ``not_rated`` are not ratings. Return the fields of the complete rows of a small
    file, or an empty dictionary.
    """
    if not file.text_format.has_names:
        return {}
    with opened_rows(file.path, file.text_format, errors="replace") as text:
        first = text.read(MOST_FIRST)
    is_whole = len(first) < MOST_FIRST
    last = "\n".join((first[-MOST_LAST:] if is_whole else _end_of(file)).splitlines()[-LAST_LINES:])
    places = {name: file.names.index(name) for name in columns if name in file.names}
    # Split fields only if the last lines contain a word such as "total" or "note".
    if LAST_WORD.search(last):
        _warn_of_last(file, _rows_of(first, file), _rows_of(last, file))
    rows = _rows_of(first, file)[1 : None if is_whole else -1]
    complete = [row for row in rows if len(row) == len(file.names)]
    fields = dict(zip(file.names, zip(*complete)))
    keys = [name for name in columns if name in not_rated]
    rated = [name for name in places if name not in not_rated]
    judge_columns(Unread(str(file.path), fields, rated, keys, len(rows)), is_whole=is_whole)
    return fields if is_whole else {}


def _rows_of(text: str, file: TextFile) -> list[list[str]]:
    """Split a string into rows, and return those with a nonempty field."""
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
    """Warn if a word such as total or note occurs in the last lines, but not in earlier lines."""
    others = {total_of(text) for row in first[:-LAST_LINES] for text in row}
    for row in last:
        words = [total_of(text) for text in row]
        is_note = NOTE.match(row[0].strip()) and words[0] not in others
        if is_note or not (TOTALS - others).isdisjoint(words):
            warn(
                f"one of the last lines of {file.path} looks like a total or a note, but is read as"
                f" an item: {file.delimiter.join(row)!r}. If it is not an item, remove the line."
            )
            return
