"""The command ``fastkappa measure``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from fastkappa.cli.options import (
    Format,
    FormatOption,
    MissingCodes,
    MissingOption,
    Remarks,
    draws,
    errors_printed,
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

EXAMPLES = """
fastkappa measure pressure.csv --raters cuff sensor --plot bland_altman.pdf

fastkappa measure pressure.xlsx --raters ann ben cat --missing drop

fastkappa measure long.csv --item patient --rater who --rating pressure

fastkappa measure cuff.csv sensor.csv --id patient
"""
Command = RatersCommand


@reads_files
@draws
def measure(
    files: Files,
    raters: Raters = None,
    item: Item = None,
    rater: Rater = None,
    rating: Rating = None,
    id_column: IdColumn = None,
    cluster: Cluster = None,
    confidence: Annotated[
        float, typer.Option(metavar="LEVEL", help="The confidence level of the intervals.")
    ] = 0.95,
    missing: Annotated[
        MissingOption,
        typer.Option(
            help="What to do with items that some raters did not measure: stop with an error"
            " (raise), or leave the items out (drop)."
        ),
    ] = MissingOption.stop,
    missing_codes: MissingCodes = None,
    pictures: Any = None,
    text: Any = None,
    output: Format = FormatOption.text,
) -> None:
    """Report on the agreement of measurements, which are numbers.

    For two raters or methods, print the intraclass and the concordance correlation
    and the limits of agreement. --plot draws a Bland-Altman plot. For more raters,
    print both correlations.
    """
    from fastkappa.cli.files.measurements import read_measured
    from fastkappa.cli.files.opening import opened_inputs
    from fastkappa.cli.files.rater_files import opened_raters
    from fastkappa.cli.progress import progress_bar
    from fastkappa.cli.reports.measure import report_on_measurements
    from fastkappa.cli.terminal import write

    remarks = Remarks(None)
    with errors_printed() as remarks.printed, opened_inputs(text) as opener:
        long = item, rater, rating
        source, columns = opened_raters(opener, files, id_column, raters, long, [cluster])
        pictures.check()
        reading = remarks.reading(None, missing, missing_codes)
        with progress_bar(source.files) as bar:
            reading = reading._replace(on_progress=bar.starts(source.files[0]))
            measured = read_measured(source, columns, reading, cluster)
        report = report_on_measurements(
            source.name, measured, confidence, drop_missing=reading.drop_missing
        )
        pictures.draw(report)
        remarks.show()
        pictures.write_page(report, remarks)
        write(report.written(output.value, remarks.everything))
