"""The command ``fastkappa plan``."""

from __future__ import annotations

import enum
from typing import Annotated

import typer

from fastkappa.cli.options import WEIGHTS, Format, FormatOption, WeightsOption, errors_printed

EXAMPLES = """
fastkappa plan --kappa 0.8 --width 0.2 --rates 0.3

fastkappa plan --kappa 0.8 --null 0.6 --alternative greater

fastkappa plan --kappa 0.8 --null 0.6 --n 120 --raters 3

fastkappa plan --kappa 0.8 --n 120 --design-effect 1.4 --cluster-size 4
"""


class AlternativeOption(enum.StrEnum):
    two_sided = "two-sided"
    greater = "greater"
    less = "less"


def plan(
    kappa: Annotated[float, typer.Option(metavar="KAPPA", help="The expected kappa.")],
    width: Annotated[
        float | None,
        typer.Option(metavar="WIDTH", help="Plan an interval of kappa with at most this width."),
    ] = None,
    null: Annotated[
        float | None,
        typer.Option(
            metavar="KAPPA", help="Plan a test of kappa against this value; 0 is chance agreement."
        ),
    ] = None,
    power: Annotated[
        float | None,
        typer.Option(metavar="POWER", help="The power of the test. The default is 0.8."),
    ] = None,
    n: Annotated[
        int | None,
        typer.Option(
            "--n",
            metavar="N",
            min=2,
            help="The number of items, if it is known. Print the width or power that results.",
        ),
    ] = None,
    rates: Annotated[
        str,
        typer.Option(
            metavar="P,Q,R",
            help="The proportion of each label. For two labels, the proportion of one is enough.",
        ),
    ] = "0.5",
    second_rates: Annotated[
        str | None,
        typer.Option(
            metavar="P,Q,R",
            help="The proportions of the second rater, if they differ from --rates.",
        ),
    ] = None,
    weights: Annotated[WeightsOption, WEIGHTS] = WeightsOption.none,
    raters: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=2,
            help="The number of raters per item. With more than two, plan for Fleiss' kappa.",
        ),
    ] = 2,
    alternative: Annotated[
        AlternativeOption,
        typer.Option(
            metavar="WORD",
            help="The alternative hypothesis of the test: two-sided, greater or less.",
        ),
    ] = AlternativeOption.two_sided,
    alpha: Annotated[
        float, typer.Option(metavar="ALPHA", help="The significance level of the test.")
    ] = 0.05,
    confidence: Annotated[
        float, typer.Option(metavar="LEVEL", help="The confidence level of the interval.")
    ] = 0.95,
    conservative: Annotated[
        bool,
        typer.Option(
            "--conservative",
            help="Plan for the least favourable raters, with whom kappa varies most. This needs"
            " more items.",
        ),
    ] = False,
    design_effect: Annotated[
        float,
        typer.Option(
            metavar="EFFECT",
            help="The factor by which clusters increase the number of items. 'fastkappa agree"
            " --cluster' prints it for a pilot study.",
        ),
    ] = 1.0,
    cluster_size: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="The number of items per cluster. Also print the number of clusters.",
        ),
    ] = None,
    output: Format = FormatOption.text,
) -> None:
    """Plan the number of items of a study.

    Print the number of items for an interval of a given width or a test of a given
    power. With --n, print the resulting width and power.
    """
    from fastkappa.cli.reports.plan import read_rates, report_on_plan
    from fastkappa.cli.terminal import write

    with errors_printed():
        first = read_rates("--rates", rates)
        second = first if second_rates is None else read_rates("--second-rates", second_rates)
        report = report_on_plan(
            kappa,
            null_kappa=null,
            width=width,
            power_wanted=power,
            n=n,
            rates=(first, second),
            weights=weights.scheme,
            n_raters=raters,
            alternative=alternative.value,
            alpha=alpha,
            confidence=confidence,
            conservative=conservative,
            design_effect=design_effect,
            cluster_size=cluster_size,
        )
        write(report.written(output.value, ()))
