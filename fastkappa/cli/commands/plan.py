"""``fastkappa plan``"""

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
    kappa: Annotated[float, typer.Option(metavar="KAPPA", help="The kappa that is expected.")],
    width: Annotated[
        float | None,
        typer.Option(metavar="WIDTH", help="Plan an interval of kappa that is so wide at most."),
    ] = None,
    null: Annotated[
        float | None,
        typer.Option(
            metavar="KAPPA", help="Plan a test of whether kappa differs from this; 0 is chance."
        ),
    ] = None,
    power: Annotated[
        float | None,
        typer.Option(metavar="POWER", help="The power of the test, 0.8 if not given."),
    ] = None,
    n: Annotated[
        int | None,
        typer.Option(
            "--n",
            metavar="N",
            min=2,
            help="The number of items, if it is known: print what it gives.",
        ),
    ] = None,
    rates: Annotated[
        str,
        typer.Option(
            metavar="P,Q,R",
            help="How often each label is given. For two labels the proportion of one is enough.",
        ),
    ] = "0.5",
    second_rates: Annotated[
        str | None,
        typer.Option(metavar="P,Q,R", help="The same of the second rater, if it differs."),
    ] = None,
    weights: Annotated[WeightsOption, WEIGHTS] = WeightsOption.none,
    raters: Annotated[
        int,
        typer.Option(
            metavar="N", min=2, help="The raters of each item; more than two have Fleiss' kappa."
        ),
    ] = 2,
    alternative: Annotated[
        AlternativeOption,
        typer.Option(
            metavar="WORD", help="What the test is to show of kappa: two-sided, greater or less."
        ),
    ] = AlternativeOption.two_sided,
    alpha: Annotated[
        float, typer.Option(metavar="ALPHA", help="The significance level of the test.")
    ] = 0.05,
    confidence: Annotated[
        float, typer.Option(metavar="LEVEL", help="The confidence of the interval.")
    ] = 0.95,
    conservative: Annotated[
        bool,
        typer.Option(
            "--conservative", help="Plan for the raters with whom kappa varies most: more items."
        ),
    ] = False,
    design_effect: Annotated[
        float,
        typer.Option(
            metavar="EFFECT",
            help="How many times as many items a study in clusters needs, such as a pilot study's"
            " that 'fastkappa agree --cluster' prints.",
        ),
    ] = 1.0,
    cluster_size: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="The items of a cluster: print the clusters too."),
    ] = None,
    output: Format = FormatOption.text,
) -> None:
    """Plan a study: how many items it takes.

    Prints the number of items for an interval of a width or a test of a power, or
    with --n the width and the power that there will be.
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
