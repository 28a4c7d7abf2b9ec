"""The one place that writes CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fastkappa.formatting import harmless

# With these a cell of a spreadsheet is a formula.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def rows_as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows with the same fields as CSV, an empty cell for None and NaN.

    Texts are one line without invisible characters. A text that a spreadsheet would take for a
    formula begins with a quote, as OWASP advises.
    """
    return as_csv(list(rows[0]), (row.values() for row in rows))


def as_csv(head: Sequence[str], rows: Iterable[Iterable[Any]], n_given: int = 0) -> str:
    """Return a table as CSV, as `rows_as_csv` does.

    The first ``n_given`` columns are of the user's own file, and stay as they are in it.

    Examples
    --------
    >>> from fastkappa.results.csv_rows import as_csv
    >>> print(as_csv(["id", "label"], [("-a", "=1+1"), ("-b", -1)], n_given=1))
    id,label
    -a,'=1+1
    -b,-1
    """
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
    """Return whether a spreadsheet computes a text: not if it is a number or a sign alone."""
    if not text.startswith(FORMULA_STARTS) or len(text) == 1:
        return False
    try:
        float(text)
    except ValueError:
        return True
    return False
