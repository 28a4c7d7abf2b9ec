"""``fastkappa score``"""

from __future__ import annotations

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


def score(
    file: InputFile,
    y1: Annotated[str, typer.Option("--y1", metavar="COLUMN", help="The first rater's column.")],
    y2: Annotated[str, typer.Option("--y2", metavar="COLUMN", help="The second rater's column.")],
    weights: Annotated[
        WeightsOption,
        typer.Option(help="The kappa to put first; all three are computed."),
    ] = WeightsOption.none,
    labels: Labels = None,
    missing: Annotated[
        MissingOption,
        typer.Option(
            help="What to do with a row in which a rating is missing. In CSV and TSV an empty"
            " field is missing, and so are NA, NaN, null and the like.",
        ),
    ] = MissingOption.error,
    missing_codes: MissingCodes = None,
    output: TextOrJson = FormatOption.text,
) -> None:
    """Score the agreement of two columns of ratings.

    Prints the table of counts, the number of items n, all three kappas, and the
    observed and expected agreement, p_o and p_e, of the unweighted one.
    """
    from fastkappa.cli.files.ratings import count_ratings
    from fastkappa.cli.progress import progress_bar
    from fastkappa.cli.reports.score import as_json, make_report, print_report

    remarks = Remarks("weighted kappa")
    with errors_printed():
        with progress_bar([file]) as bar:
            counts = count_ratings(
                file,
                y1,
                y2,
                labels=labels,
                drop_missing=missing is MissingOption.drop,
                missing_codes=missing_codes,
                on_sorted=remarks.sorted_labels.append,
                on_progress=bar.starts(file),
            )
        report = make_report(file, (y1, y2), counts, weights.value)
        remarks.print()
        if output is FormatOption.json:
            typer.echo(as_json(report, remarks.fields()))
        else:
            print_report(report)
