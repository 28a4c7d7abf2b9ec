"""Read the cells of a spreadsheet as the fields of a text file."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fastkappa.exceptions import library_needed
from fastkappa.sources.source_ratings import RatingsError

SPREADSHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")


def rows_of_sheet(path: Path, sheet: str | None, decimal: str = ".") -> Iterator[list[str]]:
    """Yield the rows of a sheet as lists of strings.

    If ``sheet`` is None, the file must have only one sheet with cells. Numbers are written with the
    given decimal point, so that they match numbers in text cells.

    Raises
    ------
    RatingsError
        If the file cannot be read or has no such sheet, or if several of its sheets have cells and
        ``sheet`` is None.
    ImportError
        If python-calamine is not installed.
    """
    with library_needed("reading spreadsheets", "python_calamine", "fastkappa[excel]"):
        import python_calamine
    try:
        book = python_calamine.CalamineWorkbook.from_path(str(path))
        sheets = {name: book.get_sheet_by_name(name) for name in book.sheet_names}
    except (python_calamine.CalamineError, OSError) as error:
        raise RatingsError(f"{path} cannot be read: {error}.") from error
    named = ", ".join(map(repr, sheets))
    if sheet is not None and sheet not in sheets:
        raise RatingsError(f"{path} has no sheet {sheet!r}. Its sheets are {named}.")
    filled = [name for name, cells in sheets.items() if cells.height] if sheet is None else [sheet]
    if not filled:
        raise RatingsError(f"{path} has no rows.")
    if len(filled) > 1:
        raise RatingsError(f"{path} has the sheets {named}. Use --sheet to choose one.")
    for row in sheets[filled[0]].to_python(skip_empty_area=False):
        # A row without values becomes an empty line. --skip counts such lines, but they are not
        # items with missing ratings.
        yield [_text(cell, decimal) for cell in row] if any(cell != "" for cell in row) else []


def _text(cell: Any, decimal: str) -> str:
    """Return a cell as text, with whole numbers written without a decimal point.

    Spreadsheets store whole numbers as floats, too.
    """
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else str(cell).replace(".", decimal)
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return cell.date().isoformat()
    return str(cell)
