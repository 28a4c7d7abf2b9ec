"""What the commands share: arguments and options, and how errors are printed."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from fastkappa.statistics.weights import Weights


class WeightsOption(str, enum.Enum):
    none = "none"
    linear = "linear"
    quadratic = "quadratic"

    @property
    def scheme(self) -> Weights:
        """The weights as the library takes them."""
        return None if self is WeightsOption.none else self.value


class MissingOption(str, enum.Enum):
    error = "error"
    drop = "drop"


class FormatOption(str, enum.Enum):
    text = "text"
    json = "json"


InputFile: TypeAlias = Annotated[
    Path, typer.Argument(metavar="FILE", help="A CSV, TSV, Parquet or Arrow file.")
]
Labels: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,C",
        help="The labels to take into account, in their order; the weights refer to it."
        " By default all that occur, sorted.",
    ),
]
TextOrJson: TypeAlias = Annotated[
    FormatOption, typer.Option("--format", help="For a person, or for a program.")
]


@contextmanager
def errors_printed() -> Iterator[None]:
    """Print an error of the input, or of a missing library, in one line, and exit."""
    try:
        yield
    except (ValueError, ImportError) as error:
        typer.echo("fastkappa: " + " ".join(str(error).split()), err=True)
        raise typer.Exit(2) from None
