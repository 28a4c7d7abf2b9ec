"""The command ``fastkappa agree``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from fastkappa.cli.gate import Gate
from fastkappa.cli.options import (
    Format,
    InputFiles,
    IntervalName,
    MissingCodes,
    MissingName,
    PictureOptions,
    Replicates,
    TextOptions,
    Weighting,
    WeightMatrixFile,
    scheme_named,
)
from fastkappa.cli.raters_option import RaterOptions, RatersCommand
from fastkappa.cli.remarks import Remarks, depends, errors_printed, read_matrix
from fastkappa.statistics.scales import SCALES, check_scale

EXAMPLES = """
fastkappa agree ratings.csv --raters ann ben --weights linear

fastkappa agree ratings.csv --raters ann ben cat --report report.html

fastkappa agree ratings.csv --raters ann ben --group clinic --bootstrap 2000

fastkappa agree long.csv --item slide --rater who --rating grade

fastkappa agree ann.csv ben.csv --id slide --rating grade
"""
Command = RatersCommand


def agree(
    files: InputFiles,
    raters: RaterOptions,
    duplicates: Literal["error", "first", "last"] = "error",
    level: (Literal["nominal", "ordinal", "interval", "ratio", "jaccard", "masi"] | None) = None,
    set_separator: str | None = None,
    weights: Weighting = "none",
    weight_matrix: WeightMatrixFile = None,
    sample_weight: str | None = None,
    labels: str | None = None,
    missing: MissingName = "raise",
    missing_codes: MissingCodes = None,
    group: str | None = None,
    interval_method: IntervalName = "auto",
    distribution: Literal["normal", "t"] | None = None,
    bootstrap: Replicates = 0,
    seed: Annotated[int | None, typer.Option(min=0)] = None,
    scale: Annotated[
        str | None,
        typer.Option(help=f"The scale for interpreting agreement: {', '.join(SCALES)}."),
    ] = None,
    model: str | None = None,
    epsilon: float | None = None,
    disputed: Path | None = None,
    gold: Path | None = None,
    adjudicated: Path | None = None,
    pair: str | None = None,
    heat_map: bool = False,
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
    duplicates
        What to do if a rater rated an item several times: stop with an error, or use the first or
        the last row.
    level : WORD
        The level of Krippendorff's alpha: nominal, ordinal, interval or ratio. For sets: nominal,
        jaccard or masi.
    set_separator : CHARACTER
        The separator of labels, such as ';', if each rating is a set of labels. Only alpha is
        printed, at all levels for sets or at --level.
    sample_weight : COLUMN
        The column with the number of items that each row stands for, in whole numbers. Only for two
        raters.
    labels : A,B,C
        All labels, in the order that the weights refer to. The default is all labels that occur,
        sorted.
    missing
        What to do with missing ratings: stop with an error (raise), or leave them out (drop). With
        two raters the whole row is dropped, with more raters only the rating. In CSV and TSV files,
        an empty field, NA, NaN, null and similar texts are missing, unless --labels names them.
    group : COLUMN
        The column of the groups to report on separately.
    interval_method : WORD
        The method for the interval of two raters' kappa: asymptotic, score or profile. auto uses
        score, or asymptotic with --distribution t.
    distribution
        The distribution for intervals from standard errors. The default is normal for two raters
        and t for more. With few clusters, use t.
    bootstrap : N
        The number of bootstrap replicates; 0 for no bootstrap intervals.
    seed
        The seed of the bootstrap, for repeatable results.
    model : RATER
        The rater that is a model: also test whether it can replace a person (the alternative
        annotator test). Needs two or more people.
    epsilon : MARGIN
        How much worse than a person --model may be. The default is 0.2, for experts; use 0.15 for
        skilled annotators and 0.1 for crowd workers.
    disputed : FILE
        Write the items on which raters disagree to a CSV file for adjudication, the most disputed
        first. Items have their names in --item or their row numbers, from 1.
    gold : FILE
        Write the final label of each item to a CSV file: the label of more than half of its raters,
        or the decision in --adjudicated.
    adjudicated : FILE
        A file from --disputed, with decisions in its last column. Needs --gold.
    pair : A,B
        Two of three or more raters: also report on these two, and draw their table.
    heat_map
        Draw the table of two raters as a heat map instead of bubbles.
    """
    from fastkappa.cli.files.opening import opened_inputs
    from fastkappa.cli.files.rater_files import opened_raters
    from fastkappa.cli.reports.agree import read_and_report
    from fastkappa.cli.reports.agree_parts import AgreeRequest
    from fastkappa.cli.reports.picture import check_pictures, draw, write_file, write_page
    from fastkappa.cli.terminal import write

    with errors_printed() as printed, opened_inputs(text) as opener:
        gate.check_options()
        check_pictures(pictures)
        matrix = None if weight_matrix is None else read_matrix(weight_matrix, weights)
        remarks = Remarks(depends(weights, matrix))
        remarks.printed = printed
        if adjudicated is not None and gold is None:
            raise ValueError("--adjudicated needs --gold, which is not given.")
        if epsilon is not None and model is None:
            raise ValueError("--epsilon needs --model, which is not given.")
        names_items = disputed is not None or gold is not None
        source, columns = opened_raters(opener, files, raters, group, names_items=names_items)
        request = AgreeRequest(
            file=source.name,
            raters=tuple(raters.raters or ()),
            level=level,
            separator=set_separator,
            duplicates=duplicates,
            group=group,
            weights=scheme_named(weights) if matrix is None else matrix,
            scale=None if scale is None else check_scale(scale),
            n_resamples=bootstrap,
            seed=seed,
            interval_method=None if interval_method == "auto" else interval_method,
            distribution=distribution,
            sample_weight=sample_weight,
            cluster=raters.cluster,
            heat_map=heat_map,
            pair=_two_names(pair),
            model=model,
            epsilon=epsilon,
            disputed=disputed,
            gold=gold,
            adjudicated=None if adjudicated is None else opener.source(adjudicated),
        )
        reading = remarks.reading(labels, missing, missing_codes)
        report = read_and_report(request, source, columns, reading)
        draw(pictures, report)
        remarks.show()
        write_page(pictures, report, remarks)
        for path, content in report.files:
            write_file(path, content)
        write(report.written(output, remarks.everything))
        gate.check(report.estimates)


def _two_names(pair: str | None) -> tuple[str, str] | None:
    if pair is None:
        return None
    first, comma, second = pair.partition(",")
    if not (first and comma and second):
        raise ValueError(f"--pair must name two raters, such as ann,ben, got {pair!r}.")
    return first, second
