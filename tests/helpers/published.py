"""Published tables of two raters, with kappa as exact fractions and as floats.

Rows are the first rater's ratings. Fractions were computed from the tables in exact arithmetic, and
agree with statsmodels, vcd, irr, irrCAC and scikit-learn. Figures printed by a source are included.
"""

from __future__ import annotations

from typing import NamedTuple

Matrix = list[list[float]]


class Published(NamedTuple):
    """A table, with kappa as a fraction and as a float for each of the usual weights."""

    source: str
    table: list[list[int]]
    observed: float
    expected: float
    unweighted: tuple[str, float]
    linear: tuple[str, float]
    quadratic: tuple[str, float]
    printed: dict[str, float] | None = None


class Custom(NamedTuple):
    """The disagreement weights of a table. Rows are the first rater's labels."""

    table: str
    weights: Matrix
    kappa: float
    printed: float | None = None


TABLES = {
    "cohen_1968": Published(
        "Cohen (1968), proportions of 200",
        [[88, 14, 18], [10, 40, 10], [2, 6, 12]],
        0.7,
        0.41,
        ("29/59", 0.4915254237288136),
        ("9/19", 0.47368421052631576),
        ("5/11", 0.45454545454545453),
        {"unweighted": 0.492},
    ),
    "fleiss_cohen_everitt_1969": Published(
        "Fleiss, Cohen and Everitt (1969)",
        [[106, 10, 4], [22, 28, 10], [2, 12, 6]],
        0.7,
        0.475,
        ("3/7", 0.42857142857142855),
        ("32/65", 0.49230769230769234),
        ("17/30", 0.5666666666666667),
    ),
    "fleiss_1981": Published(
        "Fleiss (1981), page 213",
        [[75, 1, 4], [5, 4, 1], [0, 0, 10]],
        0.89,
        0.66,
        ("23/34", 0.6764705882352942),
        ("13/18", 0.7222222222222222),
        ("71/94", 0.7553191489361702),
    ),
    "landis_koch_ms_winnipeg": Published(
        "Landis and Koch (1977), multiple sclerosis, Winnipeg patients",
        [[38, 5, 0, 1], [33, 11, 3, 0], [10, 14, 5, 6], [3, 7, 3, 10]],
        0.42953020134228187,
        0.2797621728750957,
        ("665/3198", 0.207942464040025),
        ("5017/13212", 0.37973054798667877),
        ("6905/13163", 0.5245764643318392),
    ),
    "landis_koch_ms_neworleans": Published(
        "Landis and Koch (1977), multiple sclerosis, New Orleans patients",
        [[5, 3, 0, 0], [3, 11, 4, 0], [2, 13, 3, 4], [1, 2, 4, 14]],
        0.4782608695652174,
        0.258349086326402,
        ("349/1177", 0.2965165675446049),
        ("21/44", 0.4772727272727273),
        ("269/430", 0.6255813953488372),
    ),
    "sas_skin": Published(
        "SAS/STAT PROC FREQ, agreement study of skin conditions",
        [[10, 4, 1, 0], [5, 10, 12, 2], [2, 4, 12, 5], [0, 2, 6, 13]],
        0.5113636363636364,
        0.25413223140495866,
        ("249/722", 0.3448753462603878),
        ("2273/4473", 0.5081600715403533),
        ("1371/2075", 0.6607228915662651),
    ),
    "statsmodels_sas": Published(
        "statsmodels' tests, compared with a SAS printout",
        [[0, 4, 1], [0, 8, 0], [0, 1, 5]],
        0.6842105263157895,
        0.3878116343490305,
        ("107/221", 0.4841628959276018),
        ("118/251", 0.4701195219123506),
        ("140/311", 0.45016077170418006),
        {"unweighted": 0.4842, "linear": 0.4701},
    ),
    "artstein_poesio_T1": Published(
        "Artstein and Poesio (2008), table 1",
        [[20, 20], [10, 50]],
        0.7,
        0.54,
        ("8/23", 0.34782608695652173),
        ("8/23", 0.34782608695652173),
        ("8/23", 0.34782608695652173),
        {"unweighted": 0.348},
    ),
    "sklearn_weighting": Published(
        "scikit-learn's tests of weighted kappa",
        [[46, 0, 0], [4, 40, 0], [0, 0, 10]],
        0.96,
        0.416,
        ("68/73", 0.9315068493150684),
        ("16/17", 0.9411764705882353),
        ("104/109", 0.9541284403669725),
        {"unweighted": 0.9315, "linear": 0.9412, "quadratic": 0.9541},
    ),
    "paradox_high_prev": Published(
        "An example of the paradox: high agreement, negative kappa",
        [[118, 5], [2, 0]],
        0.944,
        0.94528,
        ("-4/171", -0.023391812865497075),
        ("-4/171", -0.023391812865497075),
        ("-4/171", -0.023391812865497075),
    ),
    "epir_salmon": Published(
        "epiR::epi.kappa, example 1: two tests for a salmon virus",
        [[19, 10], [6, 256]],
        0.9450171821305842,
        0.8315560751526316,
        ("1201/1783", 0.6735838474481212),
        ("1201/1783", 0.6735838474481212),
        ("1201/1783", 0.6735838474481212),
    ),
}

CUSTOM_WEIGHTS = {
    "symmetric": Custom(
        "cohen_1968",
        [[0.0, 1.0, 3.0], [1.0, 0.0, 6.0], [3.0, 6.0, 0.0]],
        0.34782608695652173,
        0.348,
    ),
    "asymmetric": Custom(
        "cohen_1968", [[0.0, 1.0, 4.0], [1.0, 0.0, 6.0], [2.0, 2.0, 0.0]], 0.3533834586466166, 0.353
    ),
    "parts": Custom(
        "fleiss_cohen_everitt_1969",
        [[0.0, 1.0, 0.5556], [1.0, 0.0, 0.33330000000000004], [0.5556, 0.33330000000000004, 0.0]],
        0.5070699648667976,
    ),
}


class Ratings(NamedTuple):
    """Ratings of the same items by two raters and their quadratic kappa."""

    first: list[int]
    second: list[int]
    labels: list[int] | None
    kappa: float


QUADRATIC = {
    "full agreement": Ratings([1, 2, 3], [1, 2, 3], None, 1.0),
    "one step": Ratings([1, 2, 1], [1, 2, 2], [1, 2], 0.4),
    "two steps": Ratings([1, 2, 3, 1, 2, 2, 3], [1, 2, 3, 1, 2, 3, 2], None, 0.75),
    "a middle label that does not occur": Ratings([0, 1, 3, 3, 0], [0, 3, 3, 1, 0], None, 0.75),
    "the same, with the label given": Ratings(
        [0, 1, 3, 3, 0], [0, 3, 3, 1, 0], [0, 1, 2, 3], 0.5652173913043479
    ),
}
