"""The command ``fastkappa agree``."""

from __future__ import annotations

from fastkappa.cli.agree_request import AgreeRequest
from fastkappa.cli.gate import Gate
from fastkappa.cli.options import (
    Format,
    InputFiles,
    MissingCodes,
    MissingName,
    PictureOptions,
    TextOptions,
)
from fastkappa.cli.raters_option import RaterOptions, RatersCommand
from fastkappa.cli.remarks import depends, errors_printed, read_matrix

Command = RatersCommand


def agree(
    files: InputFiles,
    raters: RaterOptions,
    request: AgreeRequest,
    labels: list[str] | None = None,
    missing: MissingName = "raise",
    missing_codes: MissingCodes = None,
    *,
    pictures: PictureOptions,
    gate: Gate,
    text: TextOptions,
    output: Format = "text",
) -> None:
    """Report on the agreement of two or more raters.

    For two raters, print the table, kappa with its standard error, interval
    and test, and other indices of agreement. For more raters, print the
    coefficients for several raters and the kappa of each pair.

    Parameters
    ----------
    labels : A,B,C
        All labels, in the order used by the weights. The default is all labels that occur,
        sorted.
    missing
        What to do with missing ratings: stop with an error (raise), or leave them out (drop). For
        two raters, drop leaves out the whole row; for more raters, only the rating. In CSV and TSV
        files, an empty field, NA, NaN, null and similar strings count as missing, unless they are
        in --labels.

    Examples
    --------
    fastkappa agree ratings.csv --raters ann ben --weights linear

    fastkappa agree ratings.csv --raters ann ben cat --report report.html

    fastkappa agree ratings.csv --raters ann ben --group clinic --bootstrap 2000

    fastkappa agree long.csv --item slide --rater who --rating grade

    fastkappa agree ann.csv ben.csv --id slide --rating grade
    """
    from fastkappa.cli.files.opening import opened_inputs
    from fastkappa.cli.files.rater_files import opened_raters
    from fastkappa.cli.files.reading import Reading
    from fastkappa.cli.reports.agree import read_and_report
    from fastkappa.cli.reports.agree_items import (
        decisions,
        refuse_decisions,
        warn_of_other_raters,
    )
    from fastkappa.cli.reports.picture import check_pictures, draw, write_file, write_page

    with errors_printed() as remarks, opened_inputs(text) as opener:
        gate.check_options()
        check_pictures(pictures)
        request.check_options()
        reading = Reading.of(labels, missing_codes, missing, remarks.sorted_labels.append)
        remarks.given_labels = reading.labels or ()
        if request.disputed is not None and request.disputed.exists():
            refuse_decisions(opener.source(request.disputed), reading)
        opener.writes(disputed=request.disputed, gold=request.gold)
        opener.writes(plot=pictures.plot, report=pictures.report)
        matrix = read_matrix(request.weight_matrix, request.weights, opener)
        remarks.depends = [depends(request.weights, matrix)]
        source, columns = opened_raters(opener, files, raters, request.group, names_items=True)
        decided = None if request.adjudicated is None else opener.source(request.adjudicated)
        request = request._replace(
            file=source.name,
            raters=tuple(raters.raters or ()),
            cluster=raters.cluster,
            matrix=matrix,
            decisions={} if decided is None else decisions(decided, reading),
        )
        report = read_and_report(request, source, columns, reading)
        if decided is not None:
            warn_of_other_raters(decided, report.fields["raters"])
        draw(pictures, report)
        remarks.show()
        write_page(pictures, report, remarks)
        for path, content in report.files:
            write_file(path, content)
        remarks.write(report, output)
        gate.check(report.estimates)
