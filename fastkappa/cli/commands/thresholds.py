"""``fastkappa thresholds``"""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer

from fastkappa.cli.options import Format, Labels, Missing, OutputFormat, Weights, refusals


class Method(str, enum.Enum):
    exact = "exact"
    bagged = "bagged"
    smoothed = "smoothed"
    closed_form = "closed_form"


def thresholds(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A CSV, TSV, Parquet or Arrow file.")
    ],
    y: Annotated[str, typer.Option("--y", metavar="COLUMN", help="The column of the labels.")],
    score: Annotated[
        str,
        typer.Option(
            "--score",
            metavar="COLUMN",
            help="The column of a model's scores: the higher, the later in the order of the"
            " labels. Best they are out of fold.",
        ),
    ],
    weights: Annotated[
        Weights, typer.Option(help="How disagreement is weighed.")
    ] = Weights.quadratic,
    method: Annotated[
        Method,
        typer.Option(
            help="exact: the highest kappa for these rows. bagged: the mean cut points of 100"
            " resamples, better for new rows if these are less than some 10 000. smoothed: the"
            " highest kappa by smoothed shares of the labels. closed_form: a formula, for"
            " quadratic weights."
        ),
    ] = Method.exact,
    labels: Labels = None,
    missing: Annotated[
        Missing,
        typer.Option(
            help="What to do with a row in which the label or the score is missing. In CSV and"
            " TSV an empty field is, and NA, NaN, null and the like are.",
        ),
    ] = Missing.error,
    output: OutputFormat = Format.text,
) -> None:
    """Find the cut points on a model's scores that maximise kappa.

    Prints the cut points, kappa before (scores rounded at the half points),
    after, and out of fold, and the table of counts.
    """
    from fastkappa.cli.reports.thresholds import as_json, as_text, report_on_thresholds

    with refusals():
        report = report_on_thresholds(
            file,
            y,
            score,
            weights=None if weights is Weights.none else weights.value,
            method=method.value,
            labels=labels,
            drop_missing=missing is Missing.drop,
        )
        typer.echo(as_json(report) if output is Format.json else as_text(report))
