"""Exit with a special status if kappa is too low, for continuous integration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import typer

from fastkappa.cli.terminal import write
from fastkappa.formatting import label_text

# The exit status if kappa is too low. Other statuses are already in use: 1 for files that cannot be
# scored (without a gate), and 2 for errors.
TOO_LOW = 3


class Estimate(NamedTuple):
    """A kappa with its name and the lower limit of its interval.

    If the items cannot be scored, ``failure`` explains why.
    """

    of: str
    value: float
    lower: float
    failure: str | None = None


class Gate(NamedTuple):
    """The options of the gate. Every kappa passes if ``fail_under`` is None.

    Parameters
    ----------
    fail_under : KAPPA
        Exit with status 3 if kappa is undefined or lower than this value. 'fastkappa agree' checks
        the kappa of every group. For more than two raters, it checks Fleiss' kappa or the
        coefficient in --coefficient. 'fastkappa leaderboard' checks the kappa of every submission,
        and a submission that cannot be scored fails.
    fail_on
        Whether --fail-under checks kappa (estimate, the default) or the lower end of its 95 %
        interval (lower).
    """

    fail_under: float | None = None
    fail_on: Literal["estimate", "lower"] | None = None

    @property
    def needs_interval(self) -> bool:
        """Whether the lower limit of an interval is checked."""
        return self.fail_on == "lower"

    def check_options(self) -> None:
        """Raise if the options are invalid."""
        least, on = self
        if least is None and on is not None:
            raise ValueError(f"--fail-on {on} needs --fail-under.")
        if least is not None and not -1 <= least <= 1:
            raise ValueError(f"--fail-under must be a number from -1 to 1, got {least}.")

    def check(self, estimates: Sequence[Estimate]) -> None:
        """If any estimate fails, print the lowest estimate and exit. NaN always fails."""
        least = self.fail_under
        if least is None:
            return
        found = [(e, e.lower if self.needs_interval else e.value) for e in estimates]
        failed = [(e, value) for e, value in found if not value >= least]
        if not failed:
            return
        first, value = min(failed, key=lambda pair: (not math.isnan(pair[1]), pair[1]))
        of = "the lower end of the 95 % interval of " if self.needs_interval else ""
        is_low = "undefined" if math.isnan(value) else f"{_text(value, least)}, too low"
        text = first.failure or f"{of}{first.of} is {is_low} for --fail-under {least!r}."
        count = f" {len(failed)} of {len(found)} fail." if len(found) > 1 else ""
        write(f"fastkappa: {text}{count}", error=True)
        raise typer.Exit(TOO_LOW)


def of_one_group(group: object, name: str = "kappa") -> str:
    """Return the name of an estimate in one group."""
    return f"{name} of {label_text(group)}"


def _text(value: float, least: float) -> str:
    """Return a value as text, with enough digits to show that it is below ``least``."""
    rounded = f"{value:.4f}"
    return rounded if float(rounded) < least else repr(value)
