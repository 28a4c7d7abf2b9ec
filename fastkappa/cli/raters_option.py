"""The options that name raters, for files with one column per rater or one row per rating."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand

from fastkappa.cli.options import RENAME

if TYPE_CHECKING:
    from fastkappa.cli.files.raters import RaterColumns

RATERS = "--raters"


class RaterOptions(NamedTuple):
    """The options that name the columns of raters, items and clusters.

    Parameters
    ----------
    raters : COLUMN COLUMN...
        The columns of two or more raters. Write FILE before this option. With --rater or --id, the
        names of the raters to keep. Write --raters=-COLUMN for a column whose name begins with a
        dash.
    item : COLUMN
        The column that identifies the item in a file with one row per rating; --rater and --rating
        are then also needed. In a file with one column per rater, the column of item names that
        'fastkappa agree' shows.
    rater : COLUMN
        The column that names the rater in a file with one row per rating.
    rating : COLUMN
        The column of the ratings in a file with one row per rating or, with --id, in each file.
    id_column : COLUMN
        The column that identifies the item if each rater has a separate file, named after the
        rater. FILE then names these files, or a folder that contains them. --rating is needed
        only if there are several other columns.
    cluster : COLUMN
        The column that identifies each item's cluster, such as the patient shown in an image.
        Standard errors and intervals then treat clusters as independent units.
    """

    raters: list[str] | None = None
    item: str | None = None
    rater: str | None = None
    rating: str | None = None
    id_column: Annotated[str | None, typer.Option("--id")] = None
    cluster: str | None = None


class RatersCommand(TyperCommand):
    """A command whose ``--raters`` option accepts several values."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        parsed: list[str] = super().parse_args(ctx, list(spread(args)))
        return parsed


def spread(arguments: list[str]) -> Iterator[str]:
    """Repeat ``--raters`` so that it precedes each of its values.

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


def named_raters(options: RaterOptions, *, names_items: bool = False) -> RaterColumns:
    """Return the columns that the options name in a single file.

    If ``names_items`` is True, ``--item`` is also accepted for a file with one column per rater. It
    is then the column of item names.

    Raises
    ------
    ValueError
        If the options name no columns, the same column twice, or only one rater.
    """
    from fastkappa.cli.files.raters import RaterColumns

    item, rater, rating = options[1:4]
    chosen = different_raters(options.raters)
    given = {"--item": item, "--rater": rater, "--rating": rating}
    named = {option: column for option, column in given.items() if column is not None}
    if not named or (names_items and chosen and list(named) == ["--item"]):
        if chosen:
            if item in chosen:
                raise ValueError(f"--item must not name a column of ratings, got {item!r}.")
            return RaterColumns(chosen, item)
        raise ValueError(
            "no columns of ratings were named: use --raters for a file with one column per rater,"
            " or --item, --rater and --rating for a file with one row per rating."
        )
    if item is None or rater is None or rating is None:
        lacking = [option for option in given if option not in named]
        raise ValueError(f"{next(iter(named))} also needs {' and '.join(lacking)}.")
    for (option, column), (other, second) in combinations(named.items(), 2):
        if column == second:
            raise ValueError(
                f"{option} and {other} must name different columns, got {column!r} twice.{RENAME}"
            )
    return RaterColumns(chosen, item, rater, rating)


def different_raters(given: Sequence[str] | None) -> tuple[str, ...]:
    """Return the raters, or raise if there is only one or a name occurs twice."""
    raters = tuple(given or ())
    if len(raters) == 1:
        advice = f" To compare it with a reference, name both: --raters {raters[0]} REFERENCE."
        if "," in raters[0]:
            advice = " Separate the columns with spaces, not with commas."
        raise ValueError(f"--raters must name two or more columns, got only {raters[0]!r}.{advice}")
    for name in raters:
        if raters.count(name) > 1:
            raise ValueError(f"--raters must name each column once, got {name!r} twice.{RENAME}")
    return raters
