"""``fastkappa agree``"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from fastkappa.cli.options import (
    FormatOption,
    InputFile,
    IntervalOption,
    MissingCodes,
    MissingOption,
    Remarks,
    TextOrJson,
    WeightsOption,
    depends,
    errors_printed,
)
from fastkappa.statistics.scales import SCALES, check_scale

RATERS = "--raters"


class AgreeCommand(TyperCommand):
    """A command whose ``--raters`` takes several values."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        parsed: list[str] = super().parse_args(ctx, list(spread(args)))
        return parsed


def spread(arguments: list[str]) -> Iterator[str]:
    """Repeat ``--raters`` before each of the values that follow it.

    Examples
    --------
    >>> from fastkappa.cli.commands.agree import spread
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


def agree(
    file: InputFile,
    raters: Annotated[
        list[str] | None,
        typer.Option(
            RATERS,
            metavar="COLUMN COLUMN...",
            help="The columns of two raters or more, after FILE. For one that begins with a"
            " dash write --raters=-COLUMN.",
        ),
    ] = None,
    item: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="What was rated, in a file with a row per rating; with --rater and --rating,"
            " in place of --raters.",
        ),
    ] = None,
    rater: Annotated[str | None, typer.Option(metavar="COLUMN", help="Who rated it.")] = None,
    rating: Annotated[str | None, typer.Option(metavar="COLUMN", help="The rating.")] = None,
    weights: Annotated[
        WeightsOption, typer.Option(help="How disagreement is weighted.")
    ] = WeightsOption.none,
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,C",
            help="All labels, in the order that the weights refer to. By default those that"
            " occur, sorted.",
        ),
    ] = None,
    missing: Annotated[
        MissingOption,
        typer.Option(
            help="What to do where a rating is missing: with two raters the row is dropped,"
            " with more the rating alone. In CSV and TSV an empty field is missing, and so are"
            " NA, NaN, null and the like.",
        ),
    ] = MissingOption.error,
    missing_codes: MissingCodes = None,
    group: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Report on each group of the rows by this column."),
    ] = None,
    interval_method: Annotated[
        IntervalOption,
        typer.Option(
            help="How the intervals of the kappa of two raters are made: score where few items"
            " are agreed or disagreed on, unless another is named.",
        ),
    ] = IntervalOption.auto,
    bootstrap: Annotated[
        int, typer.Option(metavar="N", min=0, help="Bootstrap intervals of N replicates.")
    ] = 0,
    seed: Annotated[int | None, typer.Option(min=0, help="Makes the bootstrap repeatable.")] = None,
    scale: Annotated[
        str | None, typer.Option(help=f"Interpret the agreement by a scale: {', '.join(SCALES)}.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a picture, such as out.svg: the table of two raters, or kappas with"
            " their intervals over groups or pairs of raters.",
        ),
    ] = None,
    output: TextOrJson = FormatOption.text,
) -> None:
    """Report on the agreement of two raters or more.

    For two: the table, kappa with its standard error, interval and test,
    and the other indices of agreement. For more: the coefficients for
    several raters, and the kappa of each pair.
    """
    from fastkappa.cli.reports.agree_parts import AgreeRequest
    from fastkappa.cli.reports.picture import write_picture

    remarks = Remarks(depends(weights))
    with errors_printed():
        long = _long_columns(raters, item, rater, rating)
        request = AgreeRequest(
            file=str(file),
            raters=tuple(raters or ()),
            group=group,
            weights=weights.scheme,
            scale=None if scale is None else check_scale(scale),
            n_resamples=bootstrap,
            seed=seed,
            interval_method=interval_method.method,
        )
        report = _read_and_report(
            request,
            file,
            long,
            labels=labels,
            drop_missing=missing is MissingOption.drop,
            missing_codes=missing_codes,
            on_sorted=remarks.sorted_labels.append,
        )
        if plot is not None:
            write_picture(report.draw, plot)
        remarks.print()
        if output is FormatOption.json:
            typer.echo(report.as_json(remarks.fields()))
        else:
            typer.echo(report.as_text())


def _read_and_report(
    request: Any, file: Path, long: tuple[str, str, str] | None, **options: Any
) -> Any:
    """Read a file and report on its raters."""
    from fastkappa.cli.files.raters import pair_counts, read_long, read_raters
    from fastkappa.cli.files.ratings import count_groups, count_ratings
    from fastkappa.cli.progress import progress_bar
    from fastkappa.cli.reports.agree_groups import report_on_groups
    from fastkappa.cli.reports.agree_pair import report_on_pair
    from fastkappa.cli.reports.agree_several import report_on_several

    if long is None:
        _check_raters(request.raters)
    with progress_bar([file]) as bar:
        options["on_progress"] = bar.starts(file)
        if long is not None:
            whole, groups = read_long(file, *long, request.group, **options)
            request = request._replace(raters=whole.rater_names)
            if whole.n_raters > 2:
                return report_on_several(request, whole, groups)
            if request.group is None:
                return report_on_pair(request, pair_counts(whole))
            counts = {group: pair_counts(part) for group, part in groups.items()}
            return report_on_groups(request, counts)
        if len(request.raters) > 2:
            if request.interval_method is not None:
                raise ValueError("--interval-method is for two raters.")
            whole, groups = read_raters(file, request.raters, request.group, **options)
            return report_on_several(request, whole, groups)
        first, second = request.raters
        if request.group is None:
            return report_on_pair(request, count_ratings(file, first, second, **options))
        return report_on_groups(
            request, count_groups(file, first, second, request.group, **options)
        )


def _long_columns(
    raters: list[str] | None, item: str | None, rater: str | None, rating: str | None
) -> tuple[str, str, str] | None:
    """Return the columns of a row per rating, None for a column per rater."""
    given = {"--item": item, "--rater": rater, "--rating": rating}
    named = [option for option, column in given.items() if column is not None]
    if raters and named:
        raise ValueError(f"give --raters or {', '.join(given)}, got --raters and {named[0]}.")
    if item is not None and rater is not None and rating is not None:
        return item, rater, rating
    if named:
        lacking = [option for option in given if option not in named]
        raise ValueError(f"{named[0]} needs {' and '.join(lacking)} too.")
    if not raters:
        raise ValueError(
            "give --raters for a file with a column per rater, or --item, --rater and --rating for"
            " one with a row per rating."
        )
    return None


def _check_raters(raters: tuple[str, ...]) -> None:
    if len(raters) < 2:
        raise ValueError(f"--raters must name two columns or more, got {raters[0]!r} alone.")
    for name in raters:
        if raters.count(name) > 1:
            raise ValueError(f"--raters must name each column once, got {name!r} again.")
