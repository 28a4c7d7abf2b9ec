"""Published comparisons of kappas between strata, and published sample sizes."""

from __future__ import annotations

from typing import NamedTuple


class Strata(NamedTuple):
    """The comparison by SAS PROC FREQ AGREE of the two tables of Landis and Koch."""

    kappa: float
    error: float
    statistic: float
    p: float
    z: float


MULTIPLE_SCLEROSIS = {
    "unweighted": Strata(
        0.23383490838697799,
        0.042444772820667775,
        0.9008761887472067,
        0.34254688136143724,
        -0.949144977728485,
    ),
    "linear": Strata(
        0.41226653364111754,
        0.04217867434694932,
        1.1888658524773308,
        0.27555844669125956,
        -1.0903512518804805,
    ),
    "quadratic": Strata(
        0.5617283148439146,
        0.0477495765838491,
        1.0404548882120292,
        0.3077157005507605,
        -1.0200269056314295,
    ),
}


class Plan(NamedTuple):
    """A planned study with a one-sided test, alpha .05 and power .8 (irr::N.cohen.kappa)."""

    rates: tuple[float, float]
    kappa: float
    null_kappa: float
    n: int


PLANS = [
    Plan((0.5, 0.5), 0.7, 0.85, 96),
    Plan((0.75, 0.75), 0.8, 0.45, 43),
]
