"""``fastkappa agree``"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from fastkappa.cli.gate import FailOnOption, FailUnder, Gate
from fastkappa.cli.options import (
    MOST_REPLICATES,
    Format,
    FormatOption,
    InputFile,
    IntervalOption,
    MissingCodes,
    MissingOption,
    Remarks,
    WeightMatrixFile,
    WeightsOption,
    depends,
    errors_printed,
    read_matrix,
    reads_files,
)
from fastkappa.statistics.scales import SCALES, check_scale

if TYPE_CHECKING:
    from fastkappa.cli.files.raters import LongColumns

RATERS = "--raters"
# Journals ask for this resolution.
DPI = 300
EXAMPLES = """
fastkappa agree ratings.csv --raters ann ben --weights linear

fastkappa agree ratings.csv --raters ann ben cat --report report.html

fastkappa agree ratings.csv --raters ann ben --group clinic --bootstrap 2000

fastkappa agree long.csv --item slide --rater who --rating grade
"""


class Command(TyperCommand):
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


@reads_files
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
    weight_matrix: WeightMatrixFile = None,
    sample_weight: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="How many items each row stands for, in whole numbers: for two raters.",
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Which items resemble each other, such as the images of a patient: standard"
            " errors and intervals have clusters as units.",
        ),
    ] = None,
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
            " NA, NaN, null and the like, unless --labels names them.",
        ),
    ] = MissingOption.stop,
    missing_codes: MissingCodes = None,
    group: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Report on each group of the rows by this column."),
    ] = None,
    interval_method: Annotated[
        IntervalOption,
        typer.Option(
            help="How the intervals of the kappa of two raters are made: score, but asymptotic"
            " with clusters, unless another is named.",
        ),
    ] = IntervalOption.auto,
    bootstrap: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            max=MOST_REPLICATES,
            help="Bootstrap intervals of N replicates.",
        ),
    ] = 0,
    seed: Annotated[int | None, typer.Option(min=0, help="Makes the bootstrap repeatable.")] = None,
    scale: Annotated[
        str | None, typer.Option(help=f"Interpret the agreement by a scale: {', '.join(SCALES)}.")
    ] = None,
    disputed: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the items that three raters or more disagree on as CSV for adjudication,"
            " the most disputed first. Items are numbered by their rows, from 1, or named by"
            " --item.",
        ),
    ] = None,
    pair: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Of three raters or more: report on these two as well, and draw their table.",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a picture, such as out.svg: the table of two raters, or kappas with"
            " their intervals over groups or pairs of raters.",
        ),
    ] = None,
    heat_map: Annotated[
        bool,
        typer.Option(
            "--heat-map", help="Draw the table of two raters as a heat map instead of bubbles."
        ),
    ] = False,
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
    fail_under: FailUnder = None,
    fail_on: FailOnOption = None,
    text: Any = None,
    output: Format = FormatOption.text,
) -> None:
    """Report on the agreement of two raters or more.

    For two: the table, kappa with its standard error, interval and test,
    and the other indices of agreement. For more: the coefficients for
    several raters, and the kappa of each pair.
    """
    from fastkappa.cli.files.opening import opened_inputs
    from fastkappa.cli.reports.agree import read_and_report
    from fastkappa.cli.reports.agree_parts import AgreeRequest
    from fastkappa.cli.reports.picture import Print, read_size, write_picture
    from fastkappa.cli.terminal import write

    with (
        errors_printed(),
        opened_inputs(text) as opener,
    ):
        source, gate = opener.source(file), Gate.of(fail_under, fail_on)
        matrix = None if weight_matrix is None else read_matrix(weight_matrix, weights)
        remarks = Remarks(depends(weights, matrix))
        long = _long_columns(raters, item, rater, rating)
        request = AgreeRequest(
            file=source.name,
            raters=tuple(raters or ()),
            group=group,
            weights=weights.scheme if matrix is None else matrix,
            scale=None if scale is None else check_scale(scale),
            n_resamples=bootstrap,
            seed=seed,
            interval_method=interval_method.method,
            sample_weight=sample_weight,
            cluster=cluster,
            heat_map=heat_map,
            pair=_two_names(pair),
            lists_disputed=disputed is not None,
        )
        given = {"--size": size is not None, "--title": title is not None, "--dpi": dpi != DPI}
        _check_plot(plot, [option for option, is_given in given.items() if is_given])
        printed = Print(dpi, read_size(size), title)
        report = read_and_report(
            request,
            source,
            long,
            remarks.reading(labels, missing, missing_codes),
        )
        if plot is not None:
            write_picture(report.pictures[0], plot, printed)
        remarks.show()
        if disputed is not None:
            _write_file(disputed, report.disputed or "")
        if report_file is not None:
            _write_page(report, remarks, report_file)
        write(report.written(output.value, remarks.texts))
        gate.check(report.estimates)


def _check_plot(plot: Path | None, options: list[str]) -> None:
    if plot is None and options:
        raise ValueError(f"{options[0]} is for --plot, which is not given.")


def _write_page(report: Any, remarks: Remarks, path: Path) -> None:
    """Write the page of a report, without pictures where they cannot be drawn."""
    try:
        page = report.as_page(remarks.texts)
    except ImportError as error:
        remarks.warn(f"{path} has no pictures: {error}")
        page = report.written("html", remarks.texts)
    _write_file(path, page)


def _write_file(path: Path, text: str) -> None:
    try:
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise ValueError(f"{path} cannot be written: {error.strerror or error}.") from error


def _two_names(pair: str | None) -> tuple[str, str] | None:
    if pair is None:
        return None
    first, comma, second = pair.partition(",")
    if not (first and comma and second):
        raise ValueError(f"--pair must name two raters, such as ann,ben, got {pair!r}.")
    return first, second


def _long_columns(
    raters: list[str] | None, item: str | None, rater: str | None, rating: str | None
) -> LongColumns | None:
    """Return the columns of a row per rating, None for a column per rater."""
    given = {"--item": item, "--rater": rater, "--rating": rating}
    named = [option for option, column in given.items() if column is not None]
    if raters and named:
        raise ValueError(f"give --raters or {', '.join(given)}, got --raters and {named[0]}.")
    if item is not None and rater is not None and rating is not None:
        from fastkappa.cli.files.raters import LongColumns

        return LongColumns(item, rater, rating)
    if named:
        lacking = [option for option in given if option not in named]
        raise ValueError(f"{named[0]} needs {' and '.join(lacking)} too.")
    if not raters:
        raise ValueError(
            "give --raters for a file with a column per rater, or --item, --rater and --rating for"
            " one with a row per rating."
        )
    return None
