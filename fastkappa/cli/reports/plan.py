"""The report of ``fastkappa plan``."""

from __future__ import annotations

import re
from typing import Any

from fastkappa.cli.reports.output import Output
from fastkappa.planning.plan import plan_study

# The pattern of an argument's name at the beginning of an error text.
ARGUMENT = re.compile(
    r"^(kappa|null_kappa|width|power|n|rates|n_raters|alternative|alpha|confidence|conservative"
    r"|design_effect|cluster_size)\b"
)
# The pattern of a proportion with a decimal comma.
DECIMAL_COMMA = re.compile(r"^[^.]*\b0,[^.]*$")


def report_on_plan(kappa: float, **options: Any) -> Output:
    """Return the report on a plan; ``options`` are passed to `plan_study`.

    Raises
    ------
    ValueError
        If the options do not specify exactly one aim, or if no plan achieves it. The error names
        command-line options.
    """
    _check(options)
    try:
        plan = plan_study(kappa, **options)
    except ValueError as error:
        text = ARGUMENT.sub(lambda found: f"--{found[0].replace('_', '-')}", str(error))
        raise ValueError(text.replace("--null-kappa", "--null").replace("--n-", "--")) from error
    rows = [{"statistic": name, "value": value} for name, value in plan.rows()]
    return Output(
        "Plan",
        [plan._report()],
        plan.to_dict(),
        rows,
        has_title=False,
        sentences=lambda: [plan.sentence()],
    )


def read_rates(option: str, text: str) -> tuple[float, ...] | float:
    """Return the proportions in a text such as ``p,q,r``, or a single proportion as a number.

    Raises
    ------
    ValueError
        If a proportion is not a number, or is a percentage.
    """
    try:
        rates = tuple(map(float, text.split(",")))
    except ValueError:
        raise ValueError(
            f"{option} must be proportions such as 0.5,0.3,0.2, got {text!r}."
        ) from None
    above = next((rate for rate in rates if rate > 1), None)
    if above is not None:
        hint = f"{above:g} % is {above / 100:g}."
        if DECIMAL_COMMA.search(text):
            hint = "a comma separates proportions, so write decimals with a point, such as 0.35."
        raise ValueError(f"{option} must be proportions from 0 to 1, got {text}: {hint}")
    return rates if len(rates) > 1 else rates[0]


def _check(options: dict[str, Any]) -> None:
    """Raise unless the options specify exactly one aim."""
    given = {"--width": "width", "--power": "power_wanted", "--n": "n"}
    aims = [option for option, name in given.items() if options[name] is not None]
    has_test = options["null_kappa"] is not None
    if len(aims) > 1:
        raise ValueError(f"give only one of {', '.join(given)}, got {' and '.join(aims)}.")
    if not has_test and aims in ([], ["--power"]):
        raise ValueError(
            "give --width for an interval, --null for a test, or --n for a given number of items."
        )
    if has_test and aims == ["--width"]:
        raise ValueError(
            "--null is for a test and --width is for an interval: give only one of them."
        )
