"""Exit with a special status if kappa is too low, for continuous integration."""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from typing import Annotated, NamedTuple, TypeAlias

import typer

from fastkappa.cli.terminal import write
from fastkappa.formatting import label_text

# Status 1 is for files that cannot be scored, and status 2 is for errors.
TOO_LOW = 3


class FailOn(enum.StrEnum):
    estimate = "estimate"
    lower_end = "lower"


FailUnder: TypeAlias = Annotated[
    float | None,
    typer.Option(
        metavar="KAPPA",
        help="Exit with status 3 if kappa is lower than this or undefined. With --group, every"
        " group is checked. For more than two raters, Fleiss' kappa is checked.",
    ),
]
FailOnOption: TypeAlias = Annotated[
    FailOn | None,
    typer.Option(
        help="Whether --fail-under checks kappa (estimate, the default) or the lower end of its"
        " 95 % interval (lower)."
    ),
]


class Estimate(NamedTuple):
    """A kappa with its name and the lower end of its interval."""

    of: str
    value: float
    lower: float


class Gate(NamedTuple):
    """The values of ``--fail-under`` and ``--fail-on``; every kappa passes if ``least`` is None."""

    least: float | None
    on: FailOn

    @classmethod
    def of(cls, least: float | None, on: FailOn | None) -> Gate:
        """Return the gate for the two options, or raise if they are invalid."""
        if least is None and on is not None:
            raise ValueError(f"--fail-on {on.value} needs --fail-under, which is not given.")
        if least is not None and not -1 <= least <= 1:
            raise ValueError(f"--fail-under must be a number from -1 to 1, got {least}.")
        return cls(least, FailOn.estimate if on is None else on)

    def check(self, estimates: Sequence[Estimate]) -> None:
        """Print the lowest estimate that fails, and exit; NaN always fails."""
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
    """Return the name of an estimate for one group."""
    return f"{name} of {label_text(group)}"


def _text(value: float, least: float) -> str:
    """Return a value as text, with enough digits to show that it is below the least value."""
    rounded = f"{value:.4f}"
    return rounded if float(rounded) < least else repr(value)
