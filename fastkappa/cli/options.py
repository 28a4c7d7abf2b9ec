"""What the commands share: the choices of their options, and how they refuse."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, TypeAlias

import typer


class Weights(str, enum.Enum):
    none = "none"
    linear = "linear"
    quadratic = "quadratic"


class Missing(str, enum.Enum):
    error = "error"
    drop = "drop"


class Format(str, enum.Enum):
    text = "text"
    json = "json"


Labels: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,C",
        help="The labels to take into account, in their order; the weights refer to it."
        " By default all that occur, sorted.",
    ),
]
OutputFormat: TypeAlias = Annotated[
    Format, typer.Option("--format", help="For a person, or for a program.")
]


@contextmanager
def refusals() -> Iterator[None]:
    """Print what is wrong with the input, or missing to work on it, in one line."""
    try:
        yield
    except (ValueError, ImportError) as error:
        typer.echo("fastkappa: " + " ".join(str(error).split()), err=True)
        raise typer.Exit(2) from None
