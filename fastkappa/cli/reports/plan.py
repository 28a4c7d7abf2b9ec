"""Write the report of ``fastkappa plan``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from fastkappa.cli.reports.output import Output
from fastkappa.cli.words import arguments_named
from fastkappa.planning.kappa_studies import kappa_study
from fastkappa.planning.measured_studies import correlation_study, limits_study
from fastkappa.planning.plan import plan_study
from fastkappa.planning.studies import Study

STUDIES: dict[str, Callable[..., Study]] = {
    "kappa": kappa_study,
    "correlation": correlation_study,
    "standard_deviation": limits_study,
}
# The defaults of the options whose default is not None. An option that has its default value counts
# as unused.
UNUSED = {"n_raters": 2, "alternative": "two-sided", "alpha": 0.05}
# A regular expression for the name of an argument at the beginning of an error message.
ARGUMENT = re.compile(
    r"^(kappa|null_kappa|width|power|n|rates|n_raters|alternative|alpha|confidence"
    r"|correlation|null_correlation|accuracy|standard_deviation|design_effect|cluster_size)\b"
)
# A regular expression for an argument and its chosen value, such as coefficient='fleiss'.
CHOICE = re.compile(r"\b(coefficient)='(\w+)'")
# A regular expression for text with a decimal comma and without a point, such as 0,35.
DECIMAL_COMMA = re.compile(r"^[^.]*\b0,[^.]*$")


def report_on_plan(
    expected: Mapping[str, float | None], options: Mapping[str, Any], aim: Mapping[str, Any]
) -> Output:
    """Return the report on a plan.

    All values in ``expected`` except one must be None. ``options`` contains the options for all
    kinds of study, and ``aim`` contains arguments for `plan_study`.

    Raises
    ------
    ValueError
        If the options do not specify exactly one aim, or if no plan achieves it. Messages name
        command-line options instead of arguments.
    """
    given = {name: value for name, value in expected.items() if value is not None}
    if len(given) != 1:
        got = " and ".join(map(_option, given)) or "none"
        raise ValueError(
            f"use exactly one of --kappa, --correlation and --standard-deviation, got {got}."
        )
    [(name, value)] = given.items()
    _check(aim, has_test=options["null"] is not None)
    try:
        with arguments_named(pilot="--pilot"):
            plan = plan_study(STUDIES[name](value, **_accepted(name, options)), **aim)
    except ValueError as error:
        text = ARGUMENT.sub(lambda found: _option(found[0]), str(error))
        raise ValueError(CHOICE.sub(r"--\1 \2", text)) from error
    rows = [{"statistic": name, "value": value} for name, value in plan.rows()]
    return Output(
        "Plan",
        [plan._report()],
        plan.to_dict(),
        rows,
        has_title=False,
        sentences=lambda: [plan.sentence()],
    )


def _accepted(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given options, or raise if one does not apply to the kind of study."""
    parameters = signature(STUDIES[name]).parameters
    found = {}
    for option, value in options.items():
        argument = f"null_{name}" if option == "null" else option
        if value == UNUSED.get(option):
            continue
        if argument not in parameters:
            raise ValueError(
                f"{_option(option)} cannot be combined with {_option(name)}: leave out"
                f" {_option(option)}."
            )
        found[argument] = value
    if name == "correlation" and "coefficient" not in found:
        raise ValueError("--correlation needs --coefficient icc or ccc.")
    return found


def _option(argument: str) -> str:
    """Return the command-line option that sets an argument."""
    option = "null" if argument.startswith("null_") else argument.removeprefix("n_")
    return f"--{option.replace('_', '-')}"


def read_rates(option: str, text: str) -> tuple[float, ...] | float:
    """Return the proportions in a string such as ``p,q,r``, or a single proportion as a number.

    Raises
    ------
    ValueError
        If an entry is not a number, or if it is a percentage instead of a proportion.
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
            hint = "Commas separate proportions, so write decimals with a point, such as 0.35."
        raise ValueError(f"{option} must be proportions from 0 to 1, got {text}. {hint}")
    return rates if len(rates) > 1 else rates[0]


def _check(aim: Mapping[str, Any], *, has_test: bool) -> None:
    """Raise unless the options specify exactly one aim."""
    options = ("width", "power", "n")
    aims = [_option(name) for name in options if aim[name] is not None]
    if len(aims) > 1:
        known = ", ".join(map(_option, options))
        raise ValueError(f"use only one of {known}, got {' and '.join(aims)}.")
    if not has_test and aims in ([], ["--power"]):
        raise ValueError(
            "use one of --width (for an interval), --null (for a test) and --n (for a given number"
            " of items)."
        )
    if has_test and aims == ["--width"]:
        raise ValueError(
            "--null is for a test and --width is for an interval: use only one of them."
        )
