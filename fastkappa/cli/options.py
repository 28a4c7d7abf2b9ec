"""What the commands share: arguments and options, and how errors are printed."""

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

# More replicates take minutes and gigabytes, and tell no more.
MOST_REPLICATES = 1_000_000

# Journals ask for this resolution.
DPI = 300
# No table begins further down.
MOST_SKIPPED = 10_000


class WeightsOption(enum.StrEnum):
    none = "none"
    linear = "linear"
    quadratic = "quadratic"

    @property
    def scheme(self) -> Weights:
        """The weights as the library takes them."""
        return next((scheme for scheme in SCHEMES if scheme == self.value), None)


class IntervalOption(enum.StrEnum):
    auto = "auto"
    asymptotic = "asymptotic"
    score = "score"
    profile = "profile"

    @property
    def method(self) -> IntervalMethod | None:
        """The method as the library takes it."""
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
        help=f"{A_FILE}, a folder of them, a pattern such as 'part-*.csv', or - for the standard"
        " input.",
    ),
]
WeightMatrixFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A text file of disagreement weights, in place of --weights: a row and a column a"
        " label, 0 on the diagonal; its first row and column may name the labels.",
    ),
]
Labels: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,C",
        help="The labels to take into account, in their order; the weights refer to it."
        " By default all that occur, sorted.",
    ),
]
Format: TypeAlias = Annotated[
    FormatOption,
    typer.Option(
        "--format",
        metavar="WORD",
        help="text for a person, html for a browser, sentence for a paper, json or csv to compute.",
    ),
]
# Lists of words would be cut in narrow columns: the help names them.
WEIGHTS = typer.Option(
    metavar="WORD", help="How disagreement is weighted: none, linear or quadratic."
)


MissingCodes: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,C",
        help="Values that stand for a missing one, such as 'NA,.,-9'.",
    ),
]


def _text_options(
    sep: Annotated[
        str | None,
        typer.Option(
            metavar="CHARACTER",
            help="What separates the fields of a text file, such as ';' or tab. By default a comma"
            " in .csv, a tab in .tsv, and what the first line shows in .txt and the standard"
            " input.",
        ),
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The encoding of text files, such as utf-16 or cp1252."),
    ] = None,
    no_header: Annotated[
        bool,
        typer.Option(
            "--no-header", help="Text files have no line of names: their columns are 1, 2, 3, ..."
        ),
    ] = False,
    quote: Annotated[
        QuoteOption,
        typer.Option(
            help="Whether double quotes around a field of a text file are left out (double), or"
            " quotes are text (none)."
        ),
    ] = QuoteOption.double,
    skip: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            max=MOST_SKIPPED,
            help="The lines of text files before the names of the columns, such as a title.",
        ),
    ] = 0,
    decimal: Annotated[
        str,
        typer.Option(metavar="CHARACTER", help="The decimal point in text files, such as ','."),
    ] = ".",
    sheet: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The sheet of a spreadsheet, if it has several."),
    ] = None,
) -> None:
    """Declare the options of reading text files."""


def _picture_options(
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a picture, such as out.svg.")
    ] = None,
    dpi: Annotated[
        int, typer.Option(min=10, max=2400, help="The resolution of a PNG that --plot writes.")
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
            help="Write the report and its pictures as a page of HTML that needs no other file."
            " Without matplotlib it has no pictures.",
        ),
    ] = None,
) -> None:
    """Declare the options of pictures."""


def _with_options(
    command: Callable[..., None], argument: str, declared: Callable[..., None], module: str
) -> Callable[..., None]:
    """Give a command declared options, which it takes together as one argument.

    ``module`` has the type of the argument, and is imported when the command runs.
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

    # What typer reads.
    run.__signature__ = Signature(own)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in own}
    return run


def reads_files(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of reading text files, which it takes as ``text``."""
    return _with_options(command, "text", _text_options, "fastkappa.cli.files.opening.TextOptions")


def draws(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of pictures, which it takes as ``pictures``."""
    home = "fastkappa.cli.reports.picture.PictureOptions"
    return _with_options(command, "pictures", _picture_options, home)


class Remarks:
    """What is printed on the error stream beside a result, and is in its JSON.

    ``depends`` names the figures that depend on the order of the labels, None for no figure. Of
    several names the first is used that there is something to say of.
    """

    def __init__(self, *depends: str | None) -> None:
        self._depends = depends
        self.texts: list[str] = []
        # What the library has warned of meanwhile.
        self.printed: list[str] = []
        # The labels of each table that were sorted, their order being neither given nor declared.
        self.sorted_labels: list[AnyArray] = []
        self.remedy = "Give --labels in the order that is meant."

    def reading(
        self, labels: str | None, missing: MissingOption, missing_codes: str | None
    ) -> Reading:
        """Return how ratings are read, whose labels are noted here if they are sorted."""
        from fastkappa.cli.files.reading import Reading

        return Reading.of(
            labels,
            missing_codes,
            drop_missing=missing is MissingOption.drop,
            on_sorted=self.sorted_labels.append,
        )

    @property
    def everything(self) -> list[str]:
        """All that a result is printed with."""
        return [*self.texts, *self.printed]

    @property
    def rely_on_order(self) -> bool:
        """Whether something printed depends on the order of the labels."""
        return any(why is not None for why in self._depends)

    def rely(self, figures: str | None) -> None:
        """Note figures that depend on the order of the labels, None for no figure."""
        self._depends = (*self._depends, figures)

    def show(self) -> None:
        """Print the remarks, also that an order was taken to be alphabetical, if it matters."""
        for own in self.sorted_labels:
            found = (
                order_warning(own, why, self.remedy) for why in self._depends if why is not None
            )
            self.texts += [_one_line(text) for text in found if text is not None][:1]
        for text in self.texts:
            _print_warning(text)

    def warn(self, text: str) -> None:
        """Print one more remark, after the others."""
        self.texts.append(text)
        _print_warning(text)


def depends(weights: WeightsOption, matrix: Any = None) -> str | None:
    """Return what depends on the order of the labels with such weights."""
    if matrix is not None:
        return None if matrix.labels is not None else f"--weight-matrix {matrix.name}"
    return None if weights is WeightsOption.none else f"--weights {weights.value}"


def read_matrix(path: Path, weights: WeightsOption) -> Any:
    """Return the weights of a file.

    Raises
    ------
    ValueError
        If it cannot be read, or weights are named as well.
    """
    if weights is not WeightsOption.none:
        raise ValueError(
            f"give --weights or --weight-matrix, got --weights {weights.value} and"
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
    """Print an error of the input, or of a missing library, in one line, and exit.

    The library's warnings are printed likewise, each once, but for those of the order of labels: a
    command has its own. Those that were printed are in the list.
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
