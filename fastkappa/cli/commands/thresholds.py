"""``fastkappa thresholds``"""

from __future__ import annotations

import enum
from typing import Annotated

import typer

from fastkappa.cli.options import (
    FormatOption,
    InputFile,
    Labels,
    MissingCodes,
    MissingOption,
    Remarks,
    TextOrJson,
    WeightsOption,
    errors_printed,
)


class MethodOption(enum.StrEnum):
    spline = "spline"
    exact = "exact"
    bagged = "bagged"
    smoothed = "smoothed"
    closed_form = "closed_form"


def thresholds(
    file: InputFile,
    y: Annotated[str, typer.Option("--y", metavar="COLUMN", help="The column of the labels.")],
    score: Annotated[
        str,
        typer.Option(
            "--score",
            metavar="COLUMN",
            help="The column of a model's scores: the higher, the later in the order of the"
            " labels. Out-of-fold scores are best.",
        ),
    ],
    weights: Annotated[
        WeightsOption, typer.Option(help="How disagreement is weighted.")
    ] = WeightsOption.quadratic,
    method: Annotated[
        MethodOption,
        typer.Option(
            help="spline: the highest kappa expected for new rows if labels change smoothly with"
            " the score. exact: the highest kappa for these rows. bagged: the mean cut points of"
            " 100 resamples. smoothed: the highest kappa by moving averages of the labels."
            " closed_form: a formula, for quadratic weights."
        ),
    ] = MethodOption.spline,
    labels: Labels = None,
    missing: Annotated[
        MissingOption,
        typer.Option(
            help="What to do with a row in which the label or the score is missing. In CSV and"
            " TSV an empty field is missing, and so are NA, NaN, null and the like.",
        ),
    ] = MissingOption.error,
    missing_codes: MissingCodes = None,
    output: TextOrJson = FormatOption.text,
) -> None:
    """Find the cut points on a model's scores that maximise kappa.

    Prints the cut points, kappa before (scores rounded at the half points),
    after, and out of fold, and the table of counts.
    """
    from fastkappa.cli.files.scores import read_scores
    from fastkappa.cli.reports.thresholds import as_json, as_text, make_report

    remarks = Remarks("every cut point")
    with errors_printed():
        items = read_scores(
            file,
            y,
            score,
            labels=labels,
            drop_missing=missing is MissingOption.drop,
            missing_codes=missing_codes,
            on_sorted=remarks.sorted_labels.append,
        )
        report = make_report(file, (y, score), items, weights.scheme, method.value)
        remarks.print()
        if output is FormatOption.json:
            typer.echo(as_json(report, remarks.fields()))
        else:
            typer.echo(as_text(report))
