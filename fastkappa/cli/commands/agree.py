"""The command ``fastkappa agree``."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated, Any

import typer

from fastkappa.cli.gate import FailOnOption, FailUnder, Gate
from fastkappa.cli.options import (
    MOST_REPLICATES,
    WEIGHTS,
    Format,
    FormatOption,
    IntervalOption,
    MissingCodes,
    MissingOption,
    Remarks,
    WeightMatrixFile,
    WeightsOption,
    depends,
    draws,
    errors_printed,
    read_matrix,
    reads_files,
)
from fastkappa.cli.raters_option import (
    Cluster,
    Files,
    IdColumn,
    Item,
    Rater,
    Raters,
    RatersCommand,
    Rating,
)
from fastkappa.statistics.scales import SCALES, check_scale

EXAMPLES = """
fastkappa agree ratings.csv --raters ann ben --weights linear

fastkappa agree ratings.csv --raters ann ben cat --report report.html

fastkappa agree ratings.csv --raters ann ben --group clinic --bootstrap 2000

fastkappa agree long.csv --item slide --rater who --rating grade

fastkappa agree ann.csv ben.csv --id slide --rating grade
"""
Command = RatersCommand


class DuplicatesOption(enum.StrEnum):
    error = "error"
    first = "first"
    last = "last"


class DistributionOption(enum.StrEnum):
    normal = "normal"
    t = "t"


class LevelOption(enum.StrEnum):
    nominal = "nominal"
    ordinal = "ordinal"
    interval = "interval"
    ratio = "ratio"
    jaccard = "jaccard"
    masi = "masi"


@reads_files
@draws
def agree(
    files: Files,
    raters: Raters = None,
    item: Item = None,
    rater: Rater = None,
    rating: Rating = None,
    id_column: IdColumn = None,
    duplicates: Annotated[
        DuplicatesOption,
        typer.Option(
            help="What to do if a rater rated an item several times: stop with an error, or use"
            " the first or the last row."
        ),
    ] = DuplicatesOption.error,
    level: Annotated[
        LevelOption | None,
        typer.Option(
            metavar="WORD",
            help="The level of Krippendorff's alpha: nominal, ordinal, interval or ratio. For sets:"
            " nominal, jaccard or masi.",
        ),
    ] = None,
    set_separator: Annotated[
        str | None,
        typer.Option(
            metavar="CHARACTER",
            help="The separator of labels, such as ';', if each rating is a set of labels. Only"
            " alpha is printed, at all levels for sets or at --level.",
        ),
    ] = None,
    weights: Annotated[WeightsOption, WEIGHTS] = WeightsOption.none,
    weight_matrix: WeightMatrixFile = None,
    sample_weight: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column with the number of items that each row stands for, in whole numbers."
            " Only for two raters.",
        ),
    ] = None,
    cluster: Cluster = None,
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,C",
            help="All labels, in the order that the weights refer to. The default is all labels"
            " that occur, sorted.",
        ),
    ] = None,
    missing: Annotated[
        MissingOption,
        typer.Option(
            help="What to do with missing ratings: stop with an error (raise), or leave them out"
            " (drop). With two raters the whole row is dropped, with more raters only the rating."
            " In CSV and TSV files, an empty field, NA, NaN, null and similar texts are missing,"
            " unless --labels names them.",
        ),
    ] = MissingOption.stop,
    missing_codes: MissingCodes = None,
    group: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The column of the groups to report on separately."),
    ] = None,
    interval_method: Annotated[
        IntervalOption,
        typer.Option(
            metavar="WORD",
            help="The method for the interval of two raters' kappa: asymptotic, score or profile."
            " auto uses score, or asymptotic with --distribution t.",
        ),
    ] = IntervalOption.auto,
    distribution: Annotated[
        DistributionOption | None,
        typer.Option(
            help="The distribution for intervals from standard errors. The default is normal for"
            " two raters and t for more. With few clusters, use t."
        ),
    ] = None,
    bootstrap: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            max=MOST_REPLICATES,
            help="The number of bootstrap replicates; 0 for no bootstrap intervals.",
        ),
    ] = 0,
    seed: Annotated[
        int | None, typer.Option(min=0, help="The seed of the bootstrap, for repeatable results.")
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option(help=f"The scale for interpreting agreement: {', '.join(SCALES)}."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="RATER",
            help="The rater that is a model: also test whether it can replace a person (the"
            " alternative annotator test). Needs two or more people.",
        ),
    ] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(
            metavar="MARGIN",
            help="How much worse than a person --model may be. The default is 0.2, for experts;"
            " use 0.15 for skilled annotators and 0.1 for crowd workers.",
        ),
    ] = None,
    disputed: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the items on which raters disagree to a CSV file for adjudication, the most"
            " disputed first. Items have their names in --item or their row numbers, from 1.",
        ),
    ] = None,
    gold: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the final label of each item to a CSV file: the label of more than half of"
            " its raters, or the decision in --adjudicated.",
        ),
    ] = None,
    adjudicated: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A file from --disputed, with decisions in its last column. Needs --gold.",
        ),
    ] = None,
    pair: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Two of three or more raters: also report on these two, and draw their table.",
        ),
    ] = None,
    heat_map: Annotated[
        bool,
        typer.Option(
            "--heat-map", help="Draw the table of two raters as a heat map instead of bubbles."
        ),
    ] = False,
    pictures: Any = None,
    fail_under: FailUnder = None,
    fail_on: FailOnOption = None,
    text: Any = None,
    output: Format = FormatOption.text,
) -> None:
    """Report on the agreement of two or more raters.

    For two raters, print the table, kappa with its standard error, interval
    and test, and other indices of agreement. For more raters, print the
    coefficients for several raters and the kappa of each pair.
    """
    from fastkappa.cli.files.opening import opened_inputs
    from fastkappa.cli.files.rater_files import opened_raters
    from fastkappa.cli.reports.agree import read_and_report
    from fastkappa.cli.reports.agree_parts import AgreeRequest
    from fastkappa.cli.reports.picture import write_file
    from fastkappa.cli.terminal import write

    with errors_printed() as printed, opened_inputs(text) as opener:
        gate = Gate.of(fail_under, fail_on)
        matrix = None if weight_matrix is None else read_matrix(weight_matrix, weights)
        remarks = Remarks(depends(weights, matrix))
        remarks.printed = printed
        long, beside = (item, rater, rating), (cluster, group)
        if adjudicated is not None and gold is None:
            raise ValueError("--adjudicated needs --gold, which is not given.")
        if epsilon is not None and model is None:
            raise ValueError("--epsilon needs --model, which is not given.")
        names_items = disputed is not None or gold is not None
        source, columns = opened_raters(
            opener, files, id_column, raters, long, beside, names_items=names_items
        )
        request = AgreeRequest(
            file=source.name,
            raters=tuple(raters or ()),
            level=None if level is None else level.value,
            separator=set_separator,
            duplicates=duplicates.value,
            group=group,
            weights=weights.scheme if matrix is None else matrix,
            scale=None if scale is None else check_scale(scale),
            n_resamples=bootstrap,
            seed=seed,
            interval_method=interval_method.method,
            distribution=None if distribution is None else distribution.value,
            sample_weight=sample_weight,
            cluster=cluster,
            heat_map=heat_map,
            pair=_two_names(pair),
            model=model,
            epsilon=epsilon,
            disputed=disputed,
            gold=gold,
            adjudicated=None if adjudicated is None else opener.source(adjudicated),
        )
        pictures.check()
        reading = remarks.reading(labels, missing, missing_codes)
        report = read_and_report(request, source, columns, reading)
        pictures.draw(report)
        remarks.show()
        pictures.write_page(report, remarks)
        for path, content in report.files:
            write_file(path, content)
        write(report.written(output.value, remarks.everything))
        gate.check(report.estimates)


def _two_names(pair: str | None) -> tuple[str, str] | None:
    if pair is None:
        return None
    first, comma, second = pair.partition(",")
    if not (first and comma and second):
        raise ValueError(f"--pair must name two raters, such as ann,ben, got {pair!r}.")
    return first, second
