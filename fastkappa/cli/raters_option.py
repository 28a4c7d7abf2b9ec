"""The options that name raters: a column each, or the columns of a file with a row per rating."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer
from typer.core import TyperCommand

from fastkappa.cli.options import A_FILE

if TYPE_CHECKING:
    from fastkappa.cli.files.raters import LongColumns

RATERS = "--raters"

Raters: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        RATERS,
        metavar="COLUMN COLUMN...",
        help="The columns of two raters or more, after FILE; with --rater the names of raters, to"
        " leave out others. For one that begins with a dash write --raters=-COLUMN.",
    ),
]
Item: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="What was rated, in a file with a row per rating; with --rater and --rating.",
    ),
]
Rater: TypeAlias = Annotated[str | None, typer.Option(metavar="COLUMN", help="Who rated it.")]
Rating: TypeAlias = Annotated[str | None, typer.Option(metavar="COLUMN", help="The rating.")]
Files: TypeAlias = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE",
        help=f"{A_FILE}, a folder of them, a pattern such as 'part-*.csv', or - for the"
        " standard input; with --id a file per rater.",
    ),
]
Cluster: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Which items resemble each other, such as the images of a patient: standard errors"
        " and intervals have clusters as units.",
    ),
]
IdColumn: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="COLUMN",
        help="What was rated, where each rater has a file of the same name; a folder has the"
        " files of all. --rating is not needed if there is one more column.",
    ),
]


class RatersCommand(TyperCommand):
    """A command whose ``--raters`` takes several values."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        parsed: list[str] = super().parse_args(ctx, list(spread(args)))
        return parsed


def spread(arguments: list[str]) -> Iterator[str]:
    """Repeat ``--raters`` before each of the values that follow it.

    Examples
    --------
    >>> from fastkappa.cli.raters_option import spread
    >>> list(spread(["a.csv", "--raters", "x", "y", "--seed", "1"]))
    ['a.csv', '--raters', 'x', '--raters', 'y', '--seed', '1']
    """
    in_raters, n_values = False, 0
    for position, argument in enumerate(arguments):
        if argument == "--":
            yield from arguments[position:]
            return
        if argument.startswith("-") and argument != "-":
            in_raters, n_values = argument == RATERS, 0
        elif in_raters:
            n_values += 1
            if n_values > 1:
                yield RATERS
        yield argument


def named_raters(
    raters: list[str] | None, item: str | None, rater: str | None, rating: str | None
) -> tuple[str, ...] | LongColumns:
    """Return the columns of the raters, or those of a file with a row per rating.

    Raises
    ------
    ValueError
        If the options do not say which, name a column twice, or one rater alone.
    """
    chosen = () if raters is None else _different(tuple(raters))
    given = {"--item": item, "--rater": rater, "--rating": rating}
    named = {option: column for option, column in given.items() if column is not None}
    if not named:
        if chosen:
            return chosen
        raise ValueError(
            "give --raters for a file with a column per rater, or --item, --rater and --rating for"
            " one with a row per rating."
        )
    if item is None or rater is None or rating is None:
        lacking = [option for option in given if option not in named]
        raise ValueError(f"{next(iter(named))} needs {' and '.join(lacking)} too.")
    for (option, column), (other, second) in combinations(named.items(), 2):
        if column == second:
            raise ValueError(f"{option} and {other} must name two columns, got {column!r} twice.")
    from fastkappa.cli.files.raters import LongColumns

    return LongColumns(item, rater, rating, chosen)


def _different(raters: tuple[str, ...]) -> tuple[str, ...]:
    """Return two raters or more, or raise."""
    if len(raters) == 1:
        raise ValueError(f"--raters must name two columns or more, got {raters[0]!r} alone.")
    for name in raters:
        if raters.count(name) > 1:
            raise ValueError(f"--raters must name each column once, got {name!r} again.")
    return raters
