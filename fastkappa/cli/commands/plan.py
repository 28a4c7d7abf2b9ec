"""The command ``fastkappa plan``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from fastkappa.cli.options import (
    AlternativeName,
    Confidence,
    Format,
    TextOptions,
    Weighting,
    scheme_named,
)
from fastkappa.cli.remarks import OF_SAVED, depends, errors_printed


def plan(
    kappa: float | None = None,
    correlation: float | None = None,
    coefficient: Literal["icc", "ccc"] | None = None,
    standard_deviation: float | None = None,
    width: float | None = None,
    null: float | None = None,
    power: float | None = None,
    n: Annotated[int | None, typer.Option(min=2)] = None,
    rates: str | None = None,
    second_rates: str | None = None,
    pilot: Path | None = None,
    weights: Weighting = "none",
    raters: Annotated[int, typer.Option(min=2)] = 2,
    alternative: AlternativeName = "two-sided",
    alpha: float = 0.05,
    confidence: Confidence = 0.95,
    accuracy: float | None = None,
    design_effect: float = 1.0,
    cluster_size: float | None = None,
    output: Format = "text",
) -> None:
    """Plan how many items a study needs.

    Print the number of items needed for an interval of a given width or a test of a given power.
    With --n, print the width and power that this number of items yields. Use --kappa for
    ratings, and --correlation or --standard-deviation for measurements.

    Parameters
    ----------
    kappa : KAPPA
        The expected kappa.
    correlation : CORRELATION
        The expected correlation between the measurements of the raters. Requires --coefficient.
    coefficient : WORD
        The type of correlation: the intraclass correlation ICC(C,1) (icc), or Lin's concordance
        correlation of two raters (ccc).
    standard_deviation : SD
        The expected standard deviation of the differences, for planning limits of agreement.
    width : WIDTH
        Plan an interval of at most this width. For limits of agreement, this is the width of
        the interval for one limit.
    null : VALUE
        Plan a test of whether the coefficient differs from this value; 0 is chance agreement.
    power : POWER
        The power of the test. The default is 0.8.
    n : N
        The number of items, if known. The plan then states the resulting width and, with --null,
        the power.
    rates : P,Q,R
        The proportion of each label. For two labels, the proportion of the first is enough. The
        default is two labels in equal proportions.
    second_rates : P,Q,R
        The proportions of the second rater's labels, if they differ from --rates.
    pilot : FILE
        A pilot study of two raters, used instead of --rates. Raters are assumed to confuse the same
        labels as in the pilot study. The file is written by 'fastkappa score --save', or is a text
        file of counts with one row and one column per label.
    raters : N
        The number of raters per item. For more than two raters, kappa is Fleiss' kappa.
    alpha : ALPHA
        The significance level of the test.
    accuracy : FACTOR
        The expected bias correction factor of ccc. The default is 1, for raters with equal means.
    design_effect : EFFECT
        The factor by which clustering increases the number of items needed. To estimate it from a
        pilot study, use 'fastkappa agree --cluster'.
    cluster_size : N
        The number of items per cluster, or its mean if clusters differ in size, such as 2.5. The
        plan then also states the number of clusters.

    Examples
    --------
    fastkappa plan --kappa 0.8 --width 0.2 --rates 0.3

    fastkappa plan --kappa 0.8 --null 0.6 --alternative greater

    fastkappa plan --kappa 0.8 --width 0.2 --weights linear --pilot counts.json

    fastkappa plan --kappa 0.8 --null 0.6 --n 120 --raters 3

    fastkappa plan --kappa 0.8 --n 120 --design-effect 1.4 --cluster-size 4

    fastkappa plan --correlation 0.8 --coefficient icc --null 0.6

    fastkappa plan --standard-deviation 4.5 --width 3
    """
    from fastkappa.cli.files.opening import opened_inputs
    from fastkappa.cli.files.saved_counts import read_pilot
    from fastkappa.cli.reports.plan import read_rates, report_on_plan

    with errors_printed() as remarks, opened_inputs(TextOptions()) as opener:
        counts = None
        if pilot is not None:
            counts, labels, are_sorted = read_pilot(opener.file(pilot))
            remarks.remedy, remarks.depends = OF_SAVED, [depends(weights)]
            remarks.receive(labels, are_sorted=are_sorted)
        elif rates is None and weights != "none":
            raise ValueError(
                f"--weights {weights} needs --pilot or --rates, such as --rates 0.5,0.3,0.2. By"
                " default, there are only two labels, for which weights make no difference."
            )
        both = None
        if rates is not None or second_rates is not None:
            first = 0.5 if rates is None else read_rates("--rates", rates)
            second = first if second_rates is None else read_rates("--second-rates", second_rates)
            both = first, second
        report = report_on_plan(
            {
                "kappa": kappa,
                "correlation": correlation,
                "standard_deviation": standard_deviation,
            },
            {
                "coefficient": coefficient,
                "null": null,
                "rates": both,
                "pilot": counts,
                "weights": scheme_named(weights),
                "n_raters": raters,
                "alternative": alternative,
                "alpha": alpha,
                "confidence": confidence,
                "accuracy": accuracy,
                "design_effect": design_effect,
            },
            {"width": width, "power": power, "n": n, "cluster_size": cluster_size},
        )
        remarks.show()
        remarks.write(report, output)
