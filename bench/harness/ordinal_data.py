"""Load real data with ordered labels, from statsmodels, scikit-learn and two files.

Labels are 0, 1, 2, ..., and all of them occur. Measured outcomes are divided into grades. No item
occurs twice, because otherwise a test item could also be a training item. The RAND experiment has
one row per person and year, and only the first year of each person is used. Duplicate wines are
dropped. (In the surveys, equal rows are kept, because different people can give the same answers.)
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn.datasets
import statsmodels
import statsmodels.datasets

MOST_ROWS = 6000
Items = tuple[np.ndarray, np.ndarray]


def wine_without_copies(file: Path) -> Items:
    """Return eleven measurements and the quality of 3961 different white wines.

    The file is from UCI (P. Cortez et al. 2009). It has 4898 rows, including 937 duplicates.
    """
    delimiter = ";" if ";" in file.read_text().partition("\n")[0] else ","
    table = pd.read_csv(file, sep=delimiter)
    assert table.shape == (4898, 12), f"{file} has the shape {table.shape}, not (4898, 12)."
    return _split(table.drop_duplicates(), table.columns[-1])


def _split(table: pd.DataFrame, outcome: str, bands: list[float] | None = None) -> Items:
    """Return features and label positions. ``bands`` are the limits that divide an outcome."""
    y = table[outcome].to_numpy()
    codes = np.unique(y, return_inverse=True)[1] if bands is None else np.digitize(y, bands)
    return table.drop(columns=outcome).to_numpy(float), codes


def _fifths(values: pd.Series) -> list[float]:
    return values.quantile([0.2, 0.4, 0.6, 0.8]).tolist()


def _eyes(file: Path) -> Items:
    """Return the grade of the right eye, with the grade of the left eye as the only feature."""
    return _split(pd.read_csv(file)[["left", "right"]], "right")


def _fair(outcome: str, bands: list[float] | None = None) -> Items:
    """Return a survey of marriages (Fair 1978)."""
    return _split(statsmodels.datasets.fair.load_pandas().data, outcome, bands)


def _election(outcome: str) -> Items:
    """Return a survey of the 1996 US election, with a 7-point scale as the outcome."""
    table = statsmodels.datasets.anes96.load_pandas().data
    return _split(table.drop(columns=["vote", "logpopul"]), outcome)


def _health() -> pd.DataFrame:
    """Return each person's first year in the RAND health insurance experiment."""
    table = statsmodels.datasets.randhie.load_pandas().data
    # The table does not identify persons, but the rows of a person are adjacent. A person's values
    # in these columns do not change over the years, whereas the insurance can change. Adjacent rows
    # with equal values in these columns are therefore treated as one person.
    person = table[["physlm", "disea", "hlthg", "hlthf", "hlthp", "idp"]]
    return table[(person != person.shift()).any(axis=1)].copy()


def _own_health() -> Items:
    """Return people's ratings of their own health: excellent, good, fair or poor."""
    table = _health()
    states = ["hlthg", "hlthf", "hlthp"]
    table["own"] = table[states] @ [1, 2, 3]
    return _split(table.drop(columns=states), "own")


def _schools() -> Items:
    """Return the proportion of pupils above the median in math, by school district (Gill 2000)."""
    table = statsmodels.datasets.star98.load_pandas().data
    table["passed"] = table["NABOVE"] / (table["NABOVE"] + table["NBELOW"])
    return _split(table.drop(columns=["NABOVE", "NBELOW"]), "passed", _fifths(table["passed"]))


def _diabetes() -> Items:
    """Return the progression of diabetes after a year (Efron et al. 2004)."""
    data = sklearn.datasets.load_diabetes()
    return data.data, np.digitize(data.target, [75, 125, 200, 275])


def _engel() -> Items:
    """Return the food expenditure of households, with income as the feature (Engel 1857)."""
    table = statsmodels.datasets.engel.load_pandas().data
    return _split(table, "foodexp", [350, 500, 700, 1000])


def _statsmodels_file(name: str) -> pd.DataFrame:
    return pd.read_csv(Path(statsmodels.__file__).parent / name)


def _births() -> Items:
    """Return birth weights, in the bands that clinics use."""
    table = _statsmodels_file("treatment/tests/results/cataneo2.csv")
    numbers = table.select_dtypes("number").drop(columns="lbweight").drop_duplicates()
    return _split(numbers, "bweight", [2500, 3000, 3500, 4000])


def _cars() -> Items:
    """Return the insurance risk of cars, from -2 to 3."""
    table = _statsmodels_file("gam/tests/results/autos.csv")
    return _split(table.select_dtypes("number").drop(columns="loss"), "symbol")


SHIPPED: dict[str, Callable[[], Items]] = {
    "marriage": lambda: _fair("rate_marriage"),
    "affairs": lambda: _fair("affairs", [0.01, 0.5, 1.5, 4]),
    "children": lambda: _fair("children"),
    "party": lambda: _election("PID"),
    "left or right": lambda: _election("selfLR"),
    "doctor": lambda: _split(_health(), "mdvis", [1, 3, 6, 11]),
    "own health": _own_health,
    "schools": _schools,
    "diabetes": _diabetes,
    "digits": lambda: sklearn.datasets.load_digits(return_X_y=True),
    "births": _births,
    "cars": _cars,
    "engel": _engel,
}
FILES: dict[str, tuple[str, Callable[[Path], Items]]] = {
    "white wines": ("wine_quality_white.csv", wine_without_copies),
    "eyes": ("diabetic_retinopathy_eyes.csv", _eyes),
}


def ordinal_data(folder: Path | None) -> dict[str, Items]:
    """Return the features and codes of each data set. ``folder``, if given, has the two files."""
    found = {name: load() for name, load in SHIPPED.items()}
    if folder is not None:
        found |= {name: load(folder / file) for name, (file, load) in FILES.items()}
    for name, (X, y) in found.items():
        if len(y) > MOST_ROWS:
            kept = np.random.default_rng(0).permutation(len(y))[:MOST_ROWS]
            found[name] = X[kept], y[kept]
    return found
