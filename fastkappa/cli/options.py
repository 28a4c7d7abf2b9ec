"""The arguments, options and error printing that the commands share."""

from __future__ import annotations

import enum
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from importlib import import_module
from inspect import Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from fastkappa.arrays import AnyArray
from fastkappa.cli.terminal import write
from fastkappa.exceptions import LabelOrderWarning
from fastkappa.ratings.label_order import order_warning
from fastkappa.statistics.intervals.methods import METHODS, IntervalMethod
from fastkappa.statistics.scheme import SCHEMES
from fastkappa.statistics.weights import Weights

if TYPE_CHECKING:
    from fastkappa.cli.files.reading import Reading

# More replicates take minutes and gigabytes, and make no relevant difference to the precision.
MOST_REPLICATES = 1_000_000

# Journals ask for this resolution.
DPI = 300
# A table begins in one of this many first lines.
MOST_SKIPPED = 10_000


class WeightsOption(enum.StrEnum):
    none = "none"
    linear = "linear"
    quadratic = "quadratic"

    @property
    def scheme(self) -> Weights:
        """The weights in the form that the library expects."""
        return next((scheme for scheme in SCHEMES if scheme == self.value), None)


class IntervalOption(enum.StrEnum):
    auto = "auto"
    asymptotic = "asymptotic"
    score = "score"
    profile = "profile"

    @property
    def method(self) -> IntervalMethod | None:
        """The method in the form that the library expects."""
        return next((method for method in METHODS if method == self.value), None)


class MissingOption(enum.StrEnum):
    stop = "raise"
    drop = "drop"


class QuoteOption(enum.StrEnum):
    double = "double"
    none = "none"


class FormatOption(enum.StrEnum):
    text = "text"
    json = "json"
    csv = "csv"
    html = "html"
    sentence = "sentence"


A_FILE = "A CSV, TSV, .txt, .jsonl, .xlsx, Parquet or Arrow file"
InputFile: TypeAlias = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help=f"{A_FILE}, a folder of such files, a pattern such as 'part-*.csv', or - for the"
        " standard input.",
    ),
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
Labels: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,C",
        help="The labels to use, in the order that the weights refer to. Other labels are left"
        " out. The default is all labels that occur, sorted.",
    ),
]
Format: TypeAlias = Annotated[
    FormatOption,
    typer.Option(
        "--format",
        metavar="WORD",
        help="The output format: text for reading, html for a browser, sentence for a paper, json"
        " or csv for further computation.",
    ),
]
# typer's lists of choices would be cut off in narrow columns, so the help text names the choices.
WEIGHTS = typer.Option(
    metavar="WORD", help="How disagreement is weighted: none, linear or quadratic."
)


MissingCodes: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,C",
        help="Codes for missing values, such as 'NA,.,-9'.",
    ),
]


def _text_options(
    sep: Annotated[
        str | None,
        typer.Option(
            metavar="CHARACTER",
            help="The separator between the fields of a text file, such as ';' or tab. The default"
            " is a comma in .csv files and a tab in .tsv files. For .txt files and the standard"
            " input it is inferred from the first line.",
        ),
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The encoding of text files, such as utf-16 or cp1252."),
    ] = None,
    no_header: Annotated[
        bool,
        typer.Option(
            "--no-header", help="Text files have no header. Their columns are named 1, 2, 3, ..."
        ),
    ] = False,
    quote: Annotated[
        QuoteOption,
        typer.Option(
            help="Whether double quotes enclose fields of text files (double) or are part of the"
            " text (none)."
        ),
    ] = QuoteOption.double,
    skip: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            max=MOST_SKIPPED,
            help="The number of lines to skip before the header of text files, such as a title.",
        ),
    ] = 0,
    decimal: Annotated[
        str,
        typer.Option(
            metavar="CHARACTER", help="The decimal point of numbers in text, such as ','."
        ),
    ] = ".",
    sheet: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The sheet to read if a spreadsheet has several."),
    ] = None,
) -> None:
    """Declare the options for reading text files."""


def _picture_options(
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a plot to a file such as out.svg.")
    ] = None,
    dpi: Annotated[
        int, typer.Option(min=10, max=2400, help="The resolution of --plot in a PNG file.")
    ] = DPI,
    size: Annotated[
        str | None,
        typer.Option(metavar="WxH", help="The width and height of --plot in inches, such as 6x4."),
    ] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="The title of --plot.")] = None,
    report_file: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE",
            help="Write the report and its plots to a self-contained HTML page. Without"
            " matplotlib it has no plots.",
        ),
    ] = None,
) -> None:
    """Declare the options for plots."""


def _with_options(
    command: Callable[..., None], argument: str, declared: Callable[..., None], module: str
) -> Callable[..., None]:
    """Add declared options to a command, which receives them together as one argument.

    ``module`` is the path of the argument's type. It is imported when the command runs.
    """
    own = list(signature(command, eval_str=True).parameters.values())
    options = signature(declared, eval_str=True).parameters
    place = [parameter.name for parameter in own].index(argument)
    own[place : place + 1] = options.values()

    @wraps(command)
    def run(**given: Any) -> None:
        home, _, name = module.rpartition(".")
        of_options = getattr(import_module(home), name)
        together = of_options(**{option: given.pop(option) for option in options})
        command(**given, **{argument: together})

    # typer reads these two attributes to find the options.
    run.__signature__ = Signature(own)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in own}
    return run


def reads_files(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for reading text files, which the command receives as ``text``."""
    return _with_options(command, "text", _text_options, "fastkappa.cli.files.opening.TextOptions")


def draws(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for plots, which the command receives as ``pictures``."""
    home = "fastkappa.cli.reports.picture.PictureOptions"
    return _with_options(command, "pictures", _picture_options, home)


class Remarks:
    """Collect the warnings about a result, which go to the error stream and into its JSON.

    ``depends`` names the figures that depend on the order of the labels; None stands for no
    figure. Only the first name that leads to a warning is used.
    """

    def __init__(self, *depends: str | None) -> None:
        self._depends = depends
        self.texts: list[str] = []
        # The warnings of the library, which are already printed.
        self.printed: list[str] = []
        # The labels of each table that were sorted because no order was given or declared.
        self.sorted_labels: list[AnyArray] = []
        self.remedy = "Give --labels in the intended order."

    def reading(
        self, labels: str | None, missing: MissingOption, missing_codes: str | None
    ) -> Reading:
        """Return the rules for reading ratings. Labels that are sorted are recorded here."""
        from fastkappa.cli.files.reading import Reading

        return Reading.of(
            labels,
            missing_codes,
            drop_missing=missing is MissingOption.drop,
            on_sorted=self.sorted_labels.append,
        )

    @property
    def everything(self) -> list[str]:
        """All warnings that accompany the result."""
        return [*self.texts, *self.printed]

    @property
    def rely_on_order(self) -> bool:
        """Whether any figure depends on the order of the labels."""
        return any(why is not None for why in self._depends)

    def rely(self, figures: str | None) -> None:
        """Add figures that depend on the order of the labels; None stands for no figure."""
        self._depends = (*self._depends, figures)

    def show(self) -> None:
        """Print the warnings, including a warning if a figure relies on alphabetical order."""
        for own in self.sorted_labels:
            found = (
                order_warning(own, why, self.remedy) for why in self._depends if why is not None
            )
            self.texts += [_one_line(text) for text in found if text is not None][:1]
        for text in self.texts:
            _print_warning(text)

    def warn(self, text: str) -> None:
        """Print one more warning after the others."""
        self.texts.append(text)
        _print_warning(text)


def depends(weights: WeightsOption, matrix: Any = None) -> str | None:
    """Return the option through which kappa depends on the order of the labels, or None."""
    if matrix is not None:
        return None if matrix.labels is not None else f"--weight-matrix {matrix.name}"
    return None if weights is WeightsOption.none else f"--weights {weights.value}"


def read_matrix(path: Path, weights: WeightsOption) -> Any:
    """Return the weight matrix in a file.

    Raises
    ------
    ValueError
        If the file cannot be read, or ``--weights`` is given as well.
    """
    if weights is not WeightsOption.none:
        raise ValueError(
            f"give either --weights or --weight-matrix, got --weights {weights.value} and"
            f" --weight-matrix {path}."
        )
    from fastkappa.cli.files.weight_matrix import read_weight_matrix

    return read_weight_matrix(path)


def _one_line(message: object) -> str:
    from fastkappa.cli.words import in_words_of_options

    return in_words_of_options(" ".join(str(message).split()))


def _print_warning(message: object) -> None:
    write(f"fastkappa: warning: {_one_line(message)}", error=True)


@contextmanager
def errors_printed() -> Iterator[list[str]]:
    """Print an input error or a missing library as one line, and exit.

    The library's warnings are also printed as one line, each only once, and are added to the list
    that the block receives. Warnings about label order are not printed, because each command
    prints its own.
    """
    printed: list[str] = []

    def print_once(message: Warning | str, *_: Any, **__: Any) -> None:
        text = _one_line(message)
        if text not in printed:
            printed.append(text)
            _print_warning(text)

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.simplefilter("ignore", LabelOrderWarning)
            warnings.showwarning = print_once
            yield printed
    except (ValueError, ImportError) as error:
        write(f"fastkappa: {_one_line(error)}", error=True)
        raise typer.Exit(2) from None
