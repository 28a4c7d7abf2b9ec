"""The command ``fastkappa measure``."""

from __future__ import annotations

from functools import partial

from fastkappa.cli.options import (
    Confidence,
    Format,
    InputFiles,
    MissingCodes,
    MissingName,
    PictureOptions,
    Scale,
    TextOptions,
)
from fastkappa.cli.raters_option import RaterOptions, RatersCommand
from fastkappa.cli.remarks import errors_printed

Command = RatersCommand


def measure(
    files: InputFiles,
    raters: RaterOptions,
    group: str | None = None,
    confidence: Confidence = 0.95,
    scale: Scale = None,
    form: str = "ICC(A,1)",
    units: str | None = None,
    missing: MissingName = "raise",
    missing_codes: MissingCodes = None,
    *,
    pictures: PictureOptions,
    text: TextOptions,
    output: Format = "text",
) -> None:
    """Report on the agreement of measurements (numbers on a scale).

    Print the intraclass and concordance correlations, and how much repeated
    measurements of an item differ (within-item standard deviation and
    repeatability coefficient). For two raters or methods, also print the limits
    of agreement. --plot then draws a Bland-Altman plot.

    Parameters
    ----------
    group : COLUMN
        A column of groups, such as sites. Each group is also reported separately.
    form : FORM
        The form of the intraclass correlation that --format sentence prints, such as ICC(C,1) or
        ICC3.
    units : UNIT
        The unit of the measurements, such as mmHg, for the report, the axes of the Bland-Altman
        plot and --format sentence.
    missing
        What to do with items that some raters did not measure: stop with an error (raise), or leave
        the items out (drop).

    Examples
    --------
    fastkappa measure pressure.csv --raters cuff sensor --plot bland_altman.pdf

    fastkappa measure pressure.xlsx --raters ann ben cat --missing drop

    fastkappa measure long.csv --item patient --rater who --rating pressure

    fastkappa measure cuff.csv sensor.csv --id patient
    """
    from fastkappa.cli.files.measurements import read_measured
    from fastkappa.cli.files.opening import opened_inputs
    from fastkappa.cli.files.rater_files import opened_raters
    from fastkappa.cli.files.reading import Reading
    from fastkappa.cli.progress import progress_bar
    from fastkappa.cli.reports.measure import report_on_measurements, with_each_group
    from fastkappa.cli.reports.picture import check_pictures, draw, write_page

    with errors_printed() as remarks, opened_inputs(text) as opener:
        check_pictures(pictures)
        opener.writes(plot=pictures.plot, report=pictures.report)
        source, columns = opened_raters(opener, files, raters, group)
        reading = Reading.of(None, missing_codes, missing)
        with progress_bar(source.files) as bar:
            reading = reading._replace(on_progress=bar.starts(source.files[0]))
            whole, groups = read_measured(source, columns, reading, raters.cluster, group)
        report_of = partial(
            report_on_measurements,
            source.name,
            confidence=confidence,
            scale=scale,
            form=form,
            units=units,
            drop_missing=reading.drop_missing,
        )
        report = report_of(whole)
        if group is not None:
            report = with_each_group(report, group, groups, report_of)
        draw(pictures, report)
        remarks.show()
        write_page(pictures, report, remarks)
        remarks.write(report, output)
