"""Define the arguments and options that several commands have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, NamedTuple, TypeAlias

import typer

from fastkappa.statistics.intervals.methods import IntervalMethod
from fastkappa.statistics.intervals.rao import Alternative
from fastkappa.statistics.scales import ScaleName
from fastkappa.statistics.scheme import SchemeName

# The maximum number of bootstrap replicates. More would take minutes and gigabytes of memory, with
# no meaningful gain in precision.
MOST_REPLICATES = 1_000_000

# The resolution that journals require, in dots per inch.
DPI = 300
# The maximum number of lines to skip before a table.
MOST_SKIPPED = 10_000
# Appended to an error about a column that is named twice.
RENAME = " If two columns have this name, rename one of them."


WeightsName: TypeAlias = Literal["none", SchemeName]
IntervalName: TypeAlias = Literal["auto", IntervalMethod]
FormatName: TypeAlias = Literal["text", "json", "csv", "html", "sentence"]
MissingName: TypeAlias = Literal["raise", "drop"]


def scheme_named(weights: WeightsName) -> SchemeName | None:
    """Convert the value of ``--weights`` to the library's ``weights`` argument."""
    return None if weights == "none" else weights


A_FILE = "A CSV, TSV, .txt, .jsonl, .xlsx, Parquet or Arrow file"
InputFile: TypeAlias = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help=f"{A_FILE}, a folder of such files, a pattern such as 'part-*.csv', or - for the"
        " standard input.",
    ),
]
InputFiles: TypeAlias = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE",
        help=f"{A_FILE}, a folder of such files, a pattern such as 'part-*.csv', or - for the"
        " standard input. With --id, give one file per rater.",
    ),
]
# The choices are named in the help texts rather than listed by typer, because typer's lists of
# choices would be cut off in narrow columns.
Weighting: TypeAlias = Annotated[
    WeightsName,
    typer.Option(metavar="WORD", help="How disagreements are weighted: none, linear or quadratic."),
]
WeightMatrixFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A text file of disagreement weights, used instead of --weights. It has one row and"
        " one column per label, and 0 on the diagonal. The first row and column can name the"
        " labels.",
    ),
]
Confidence: TypeAlias = Annotated[
    float, typer.Option(metavar="LEVEL", help="The confidence level of intervals.")
]
AlternativeName: TypeAlias = Annotated[
    Alternative,
    typer.Option(
        metavar="WORD",
        help="The alternative hypothesis of the test: two-sided, greater or less.",
    ),
]
Scale: TypeAlias = Annotated[
    ScaleName | None,
    typer.Option(
        metavar="WORD",
        help="The scale for interpreting agreement: cohen, landis-koch, mchugh, fleiss, altman or"
        " cicchetti.",
    ),
]
Labels: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="A,B,C",
        help="The labels to use, in the order that the weights refer to. Items with other labels"
        " are left out. The default is all labels that occur, sorted.",
    ),
]
MissingCodes: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(metavar="A,B,C", help="Codes for missing values, such as 'NA,.,-9'."),
]
Format: TypeAlias = Annotated[
    FormatName,
    typer.Option(
        "--format",
        metavar="WORD",
        help="The output format: text for reading, html for a browser, sentence for a paper, json"
        " or csv for further computation.",
    ),
]


Replicates: TypeAlias = Annotated[int, typer.Option(min=0, max=MOST_REPLICATES)]


class TextOptions(NamedTuple):
    """The options for reading text files and spreadsheets.

    Parameters
    ----------
    sep : CHARACTER
        The separator between the fields of a text file, such as ';' or tab. The default is a comma
        for .csv files and a tab for .tsv files. For .txt files and the standard input, the
        separator is inferred from the first line.
    encoding : NAME
        The encoding of text files, such as utf-16 or cp1252.
    no_header
        Treat text files and spreadsheets as having no header. Columns are named 1, 2, 3, ...
    quote
        How double quotes in text files are read: as enclosing fields (double), or as part of the
        text (none).
    skip : N
        The number of lines, such as titles, to skip before the header of text files and
        spreadsheets.
    decimal : CHARACTER
        The decimal separator of numbers in text files and in text cells of spreadsheets, such as
        ','.
    sheet : NAME
        The sheet to read if a spreadsheet has several sheets.
    """

    sep: str | None = None
    encoding: str | None = None
    no_header: bool = False
    quote: Literal["double", "none"] = "double"
    skip: Annotated[int, typer.Option(min=0, max=MOST_SKIPPED)] = 0
    decimal: str = "."
    sheet: str | None = None

    def given(self) -> list[str]:
        """Return the names of the options that differ from their defaults."""
        usual = TextOptions()
        return [name for name in self._fields if getattr(self, name) != getattr(usual, name)]


class PictureOptions(NamedTuple):
    """The options for plots.

    Parameters
    ----------
    plot : FILE
        Write a plot to a file such as out.svg.
    dpi
        The resolution of a PNG file written by --plot, in dots per inch.
    size : WxH
        The width and height of the plot written by --plot, in inches, such as 6x4.
    title : TEXT
        The title of the plot written by --plot and of the page written by --report.
    report : FILE
        Write the report and its plots to a self-contained HTML page. Without matplotlib, the page
        has no plots.
    """

    plot: Path | None = None
    dpi: Annotated[int, typer.Option(min=10, max=2400)] = DPI
    size: str | None = None
    title: str | None = None
    report: Path | None = None
