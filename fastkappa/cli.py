"""The command line: a list of commands. Each of them reads, counts and prints."""

from __future__ import annotations

import enum
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

try:
    import typer
except ImportError:  # main() tells what to install
    typer = None  # type: ignore[assignment]


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


def main() -> None:
    """Run the command line."""
    if typer is None:
        print(
            "fastkappa: the command line needs typer: install it with:"
            " pip install 'fastkappa[cli]'",
            file=sys.stderr,
        )
        raise SystemExit(2)
    for stream in (sys.stdout, sys.stderr):
        # A label the terminal's encoding does not have is spelled out, not an error.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    make_app()()


def make_app() -> Any:
    """Return the application with all its commands."""
    app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)
    app.callback()(about)
    for command in (score, config):
        app.command()(command)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        from fastkappa import __version__

        typer.echo(__version__)
        raise typer.Exit


def about(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Cohen's kappa, fast and complete."""


def score(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A CSV, TSV, Parquet or Arrow file.")
    ],
    y1: Annotated[str, typer.Option("--y1", metavar="COLUMN", help="The first rater's column.")],
    y2: Annotated[str, typer.Option("--y2", metavar="COLUMN", help="The second rater's column.")],
    weights: Annotated[
        Weights,
        typer.Option(help="The kappa to put first; all three are computed."),
    ] = Weights.none,
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,C",
            help="The labels to take into account, in their order; the weights refer to it."
            " By default all that occur, sorted.",
        ),
    ] = None,
    missing: Annotated[
        Missing,
        typer.Option(
            help="What to do with a row in which a rating is missing. In CSV and TSV an empty"
            " field is, and NA, NaN, null and the like are.",
        ),
    ] = Missing.error,
    output: Annotated[
        Format, typer.Option("--format", help="For a person, or for a program.")
    ] = Format.text,
) -> None:
    """Score the agreement of two columns of ratings.

    Prints the table of counts, the number of items n, all three kappas, and the
    observed and expected agreement, p_o and p_e, of the unweighted one.
    """
    from fastkappa.files import read_ratings
    from fastkappa.report import as_json, make_report, print_report

    with _refusals():
        ratings = read_ratings(file, y1, y2, drop_missing=missing is Missing.drop)
        report = make_report(file, (y1, y2), ratings, labels, weights.value)
        if output is Format.json:
            typer.echo(as_json(report))
        else:
            print_report(report)


def config() -> None:
    """Print versions, backends, SIMD level and threads."""
    from fastkappa.config import show_config

    with _refusals():
        show_config()


@contextmanager
def _refusals() -> Iterator[None]:
    """Print what is wrong with the input, or missing to work on it, in one line."""
    try:
        yield
    except (ValueError, ImportError) as error:
        typer.echo("fastkappa: " + " ".join(str(error).split()), err=True)
        raise typer.Exit(2) from None
