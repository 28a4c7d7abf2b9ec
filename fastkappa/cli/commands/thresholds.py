"""The command ``fastkappa thresholds``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from fastkappa.cli.options import (
    RENAME,
    Format,
    InputFile,
    Labels,
    MissingCodes,
    MissingName,
    TextOptions,
    Weighting,
    scheme_named,
)
from fastkappa.cli.remarks import depends, errors_printed


def thresholds(
    file: InputFile,
    y: str | None = None,
    score: str | None = None,
    cluster: str | None = None,
    apply: Path | None = None,
    weights: Weighting = "quadratic",
    method: Literal["spline", "exact", "bagged", "closed_form"] = "spline",
    labels: Labels = None,
    missing: MissingName = "raise",
    missing_codes: MissingCodes = None,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1)] = 0,
    *,
    text: TextOptions,
    output: Format = "text",
) -> None:
    """Find the cut points for a model's scores that maximise kappa.

    Print the cut points, the table of counts and three kappas: before (with scores rounded at the
    half points), after (with the cut points), and out of fold (with an interval).

    Parameters
    ----------
    y : COLUMN
        The column of the labels.
    score : COLUMN
        The column of a model's scores. Higher scores must indicate labels later in the order. It is
        best to use out-of-fold scores.
    cluster : COLUMN
        The column that identifies each row's cluster, such as the patient shown in an image. All
        rows of a cluster are then in the same fold, and the interval is based on clusters.
    apply : FILE
        A file with new scores, in a column of the same name. Instead of the report, print this file
        as CSV with an added column 'predicted' that contains the labels. The input can then also be
        a file of cut points saved with --format json.
    method : WORD
        How to find the cut points. spline: maximise the kappa expected for new rows if labels
        change smoothly with the score. exact: maximise kappa for these rows. bagged: average the
        cut points of 100 resamples. closed_form: use a formula for quadratic weights.
    missing
        What to do with rows without a label or score: stop with an error (raise), or leave the rows
        out (drop). In CSV and TSV files, an empty field, NA, NaN, null and similar strings count as
        missing, unless they are in --labels.
    seed
        The random seed for the folds and, with --method bagged, for the resamples.

    Examples
    --------
    fastkappa thresholds oof.csv --y grade --score pred

    fastkappa thresholds oof.csv --y grade --score pred --cluster patient

    fastkappa thresholds oof.csv --y grade --score pred --format json > cuts.json

    fastkappa thresholds cuts.json --apply new.csv > labelled.csv

    fastkappa thresholds oof.csv --y grade --score pred --apply new.csv
    """
    from fastkappa.cli.files.new_scores import Cuts, read_cuts, with_labels
    from fastkappa.cli.files.opening import opened_inputs
    from fastkappa.cli.files.reading import Reading
    from fastkappa.cli.files.scored_columns import read_scores
    from fastkappa.cli.reports.thresholds import output_of, rounding_of
    from fastkappa.cli.terminal import write

    with errors_printed() as remarks, opened_inputs(text) as opener:
        remarks.depends = ["every cut point", depends(weights)]
        reading = Reading.of(labels, missing_codes, missing, remarks.sorted_labels.append)
        remarks.given_labels = reading.labels or ()
        if apply is not None and output not in ("text", "csv"):
            raise ValueError(f"--apply prints only CSV, got --format {output}: leave out --format.")
        if file.suffix.lower() == ".json":
            if apply is None:
                raise ValueError(
                    f"{file} contains cut points: use --apply to name the file of new scores."
                )
            cuts = read_cuts(file, score)
        else:
            if y is None or score is None:
                lacking = "--y" if y is None else "--score"
                raise ValueError(f"{lacking} is missing: it must name a column of {file}.")
            if y == score:
                raise ValueError(
                    f"--y and --score must name different columns, got {y!r} twice.{RENAME}"
                )
            if cluster in (y, score):
                raise ValueError(
                    f"--cluster must name a column that no other option uses, got {cluster!r}."
                )
            source = opener.source(file)
            items = read_scores(source, y, score, cluster, reading)
            columns = {"y": y, "score": score}
            if cluster is not None:
                columns["cluster"] = cluster
            rounding = rounding_of(columns, items, scheme_named(weights), method, seed)
            if items.labels is None:
                reading.on_sorted(rounding.labels)
            cuts = Cuts(rounding.labels.tolist(), rounding.thresholds, score)
        if apply is None:
            remarks.show()
            report = output_of(source.name, columns, items, rounding, scheme_named(weights), method)
            remarks.write(report, output)
            return
        written = with_labels(opener.source(apply), cuts, reading, remarks.texts.append)
        remarks.show()
        write(written, is_data=True)
