"""Results as text, HTML, CSV, dictionaries and data frames: what all of them share."""

from fastkappa.results.csv_rows import as_csv, rows_as_csv
from fastkappa.results.html import as_html, html_table, html_text
from fastkappa.results.report import (
    LARGEST_TABLE,
    MOST_ROWS,
    NO_ENDS,
    RATERS,
    Grid,
    Report,
    abridged,
    counts_grid,
    estimate_grid,
    estimate_row,
    facts,
    interval_head,
    number_text,
)
from fastkappa.results.result import Result
from fastkappa.results.sentence import estimate_sentence
from fastkappa.results.text import COLUMNS, as_text, shortened, wrapped

__all__ = [
    "COLUMNS",
    "LARGEST_TABLE",
    "MOST_ROWS",
    "NO_ENDS",
    "RATERS",
    "Grid",
    "Report",
    "Result",
    "abridged",
    "as_csv",
    "as_html",
    "as_text",
    "counts_grid",
    "estimate_grid",
    "estimate_row",
    "estimate_sentence",
    "facts",
    "html_table",
    "html_text",
    "interval_head",
    "number_text",
    "rows_as_csv",
    "shortened",
    "wrapped",
]
