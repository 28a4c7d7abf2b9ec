"""Write results as CSV. This module produces all CSV output of the package."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fastkappa.formatting import harmless

# Spreadsheets read a cell as a formula if it starts with one of these characters.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def rows_as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV, with empty cells for None and NaN. All rows must have the same fields.

    Invisible characters and line breaks in strings are escaped. A string that a spreadsheet would
    read as a formula is prefixed with a single quote, as OWASP recommends.
    """
    return as_csv(list(rows[0]), (row.values() for row in rows))


def as_csv(head: Sequence[str], rows: Iterable[Iterable[Any]], n_given: int = 0) -> str:
    """Return a table as CSV, in the format of `rows_as_csv`.

    The first ``n_given`` columns come from the user's own file and are written unchanged.

    Examples
    --------
    >>> from fastkappa.results.csv_rows import as_csv
    >>> print(as_csv(["id", "label"], [("-a", "=1+1"), ("-b", -1)], n_given=1))
    id,label
    -a,'=1+1
    -b,-1
    """
    # Imported only when CSV is written, to keep `import fastkappa` fast.
    import csv

    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    for row in (head, *rows):
        given, own = (cells := list(row))[:n_given], cells[n_given:]
        writer.writerow([*given, *map(_cell, own)])
    return written.getvalue().removesuffix("\n")


def _cell(value: Any) -> Any:
    if isinstance(value, float) and math.isnan(value):
        return None
    if not isinstance(value, str):
        return value
    return harmless(f"'{value}" if _is_formula(value) else value)


def _is_formula(text: str) -> bool:
    """Return whether a spreadsheet would read a string as a formula instead of a number or text."""
    if not text.startswith(FORMULA_STARTS) or len(text) == 1:
        return False
    try:
        float(text)
    except ValueError:
        return True
    return False
