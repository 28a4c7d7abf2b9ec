"""Check the arguments that several kinds of plans have in common."""

from __future__ import annotations

import math
from numbers import Real
from typing import Literal, TypeAlias, get_args

import numpy as np

from fastkappa.planning.planned_tables import Margins
from fastkappa.statistics.inference import check_probability, check_whole

PlannedAlternative: TypeAlias = Literal["two-sided", "one-sided", "greater", "less"]
MOST_RATERS = 100


def tail_of(
    alternative: PlannedAlternative,
    alpha: float,
    value: float,
    null: float,
    names: tuple[str, str],
) -> float:
    """Check a test's arguments, and return its type I error probability on the side of ``value``.

    ``names`` holds the names by which error messages refer to ``value`` and ``null``.
    """
    if alternative not in get_args(PlannedAlternative):
        raise ValueError(
            "alternative must be 'two-sided', 'one-sided', 'greater' or 'less',"
            f" got {alternative!r}."
        )
    check_probability("alpha", alpha)
    if value == null:
        raise ValueError(f"{names[0]} and {names[1]} must differ, got {value!r} for both.")
    fitting, refused, side = ("greater", "less", "above")
    if value < null:
        fitting, refused, side = ("less", "greater", "below")
    if alternative == refused:
        raise ValueError(
            f"alternative must be {fitting!r}, 'one-sided' or 'two-sided', because {names[0]}"
            f" ({value!r}) is {side} {names[1]} ({null!r}), got {alternative!r}."
        )
    return alpha / 2 if alternative == "two-sided" else alpha


def check_design_effect(value: float, name: str = "design_effect") -> None:
    """Raise if a design effect or cluster size is not finite or is below 1."""
    if not isinstance(value, Real) or not 1 <= value < math.inf:
        raise ValueError(f"{name} must be 1 or more, got {value!r}.")


def check_positive(name: str, value: float) -> None:
    """Raise unless a number is finite and above 0."""
    if not isinstance(value, Real) or not 0 < value < math.inf:
        raise ValueError(f"{name} must be a number above 0, got {value!r}.")


def check_raters(n_raters: int, margins: Margins) -> None:
    """Raise if no study with this number of raters and these margins can be planned."""
    check_whole("n_raters", n_raters, 2)
    if n_raters == 2:
        return
    if n_raters > MOST_RATERS:
        raise ValueError(f"n_raters must be at most {MOST_RATERS}, got {n_raters!r}.")
    if not np.array_equal(*margins):
        first, second = (margin.tolist() for margin in margins)
        raise ValueError(
            "rates must be the same for all raters if n_raters is above 2, got"
            f" {first} and {second}."
        )
