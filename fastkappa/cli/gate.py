"""A gate for continuous integration: an exit status of its own where kappa is too low."""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from typing import Annotated, NamedTuple, TypeAlias

import typer

from fastkappa.cli.terminal import write
from fastkappa.formatting import label_text

# 1 and 2 are those of files that cannot be scored and of errors.
TOO_LOW = 3


class FailOn(enum.StrEnum):
    estimate = "estimate"
    lower_end = "lower"


FailUnder: TypeAlias = Annotated[
    float | None,
    typer.Option(
        metavar="KAPPA",
        help="Exit with status 3 if kappa is lower or undefined: that of every group with --group;"
        " Fleiss' kappa of more than two raters.",
    ),
]
FailOnOption: TypeAlias = Annotated[
    FailOn | None,
    typer.Option(
        help="Whether --fail-under is for kappa (estimate, if not given) or for the lower end of"
        " its 95 % interval."
    ),
]


class Estimate(NamedTuple):
    """A kappa, what it is of, and the lower end of its interval."""

    of: str
    value: float
    lower: float


class Gate(NamedTuple):
    """What ``--fail-under`` and ``--fail-on`` say; without a least value everything passes."""

    least: float | None
    on: FailOn

    @classmethod
    def of(cls, least: float | None, on: FailOn | None) -> Gate:
        """Return the gate of the options, or raise if they have no meaning."""
        if least is None and on is not None:
            raise ValueError(f"--fail-on {on.value} is for --fail-under, which is not given.")
        if least is not None and not -1 <= least <= 1:
            raise ValueError(f"--fail-under must be a number from -1 to 1, got {least}.")
        return cls(least, FailOn.estimate if on is None else on)

    def check(self, estimates: Sequence[Estimate]) -> None:
        """Print why an estimate does not pass, the lowest one, and exit; NaN never passes."""
        if self.least is None:
            return
        found = [(e.of, e.lower if self.on is FailOn.lower_end else e.value) for e in estimates]
        failed = [(of, value) for of, value in found if not value >= self.least]
        if not failed:
            return
        of, value = min(failed, key=lambda pair: (not math.isnan(pair[1]), pair[1]))
        name = f"the lower end of the 95 % interval of {of}" if self.on is FailOn.lower_end else of
        text = "undefined" if math.isnan(value) else f"{_text(value, self.least)}, too low"
        count = f" {len(failed)} of {len(found)} groups fail." if len(found) > 1 else ""
        write(f"fastkappa: {name} is {text} for --fail-under {self.least!r}.{count}", error=True)
        raise typer.Exit(TOO_LOW)


def of_one_group(group: object, name: str = "kappa") -> str:
    """Return what an estimate of a group is called."""
    return f"{name} of {label_text(group)}"


def _text(value: float, least: float) -> str:
    """Return a value in so many digits that it is below the least one."""
    rounded = f"{value:.4f}"
    return rounded if float(rounded) < least else repr(value)
