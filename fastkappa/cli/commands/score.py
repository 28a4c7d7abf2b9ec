"""``fastkappa score``"""

from __future__ import annotations

from typing import Annotated

import typer

from fastkappa.cli.options import (
    Decimal,
    Encoding,
    Format,
    FormatOption,
    InputFile,
    Labels,
    MissingCodes,
    MissingOption,
    NoHeader,
    Quote,
    QuoteOption,
    Remarks,
    Sep,
    Skip,
    WeightMatrixFile,
    WeightsOption,
    depends,
    errors_printed,
    read_matrix,
)

EXAMPLES = """
fastkappa score ratings.csv --y1 ann --y2 ben

fastkappa score r.csv --y1 ann --y2 ben --weights linear --labels low,mid,high

fastkappa score r.txt --y1 2 --y2 3 --sep ';' --no-header --missing drop

zcat ratings.csv.gz | fastkappa score - --y1 ann --y2 ben --format json
"""


def score(
    file: InputFile,
    y1: Annotated[str, typer.Option("--y1", metavar="COLUMN", help="The first rater's column.")],
    y2: Annotated[str, typer.Option("--y2", metavar="COLUMN", help="The second rater's column.")],
    weights: Annotated[
        WeightsOption,
        typer.Option(help="The kappa to put first; all three are computed."),
    ] = WeightsOption.none,
    weight_matrix: WeightMatrixFile = None,
    sample_weight: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Item weights: how much each row counts, 1 if not given."
        ),
    ] = None,
    labels: Labels = None,
    missing: Annotated[
        MissingOption,
        typer.Option(
            help="What to do with a row in which a rating is missing. In CSV and TSV an empty"
            " field is missing, and so are NA, NaN, null and the like, unless"
            " --labels names them.",
        ),
    ] = MissingOption.stop,
    missing_codes: MissingCodes = None,
    sep: Sep = None,
    encoding: Encoding = None,
    no_header: NoHeader = False,
    quote: Quote = QuoteOption.double,
    skip: Skip = 0,
    decimal: Decimal = ".",
    output: Format = FormatOption.text,
) -> None:
    """Score the agreement of two columns of ratings.

    Prints the table of counts, the number of items n, all three kappas, and the
    observed and expected agreement, p_o and p_e, of the unweighted one.
    """
    from fastkappa.cli.files.opening import TextOptions, opened_source
    from fastkappa.cli.files.two_columns import count_ratings
    from fastkappa.cli.progress import progress_bar
    from fastkappa.cli.reports.score import kappas_of, output_of
    from fastkappa.cli.terminal import write

    # All kappas are printed, whichever comes first.
    remarks = Remarks(depends(weights) or "weighted kappa")
    options = TextOptions(sep, encoding, no_header, quote, skip, decimal)
    with errors_printed(), opened_source(file, options) as source:
        if y1 == y2:
            raise ValueError(f"--y1 and --y2 must name two columns, got {y1!r} twice.")
        matrix = None if weight_matrix is None else read_matrix(weight_matrix, weights)
        with progress_bar(source.files) as bar:
            counts = count_ratings(
                source,
                y1,
                y2,
                weight=sample_weight,
                labels=labels,
                drop_missing=missing is MissingOption.drop,
                missing_codes=missing_codes,
                on_sorted=remarks.sorted_labels.append,
                on_progress=bar.starts(source.files[0]),
            )
        columns = y1, y2
        found = kappas_of(columns, counts, weights.value, matrix, sample_weight)
        report = output_of(source.name, columns, counts, found, sample_weight)
        remarks.show()
        write(report.written(output.value, remarks.texts))
