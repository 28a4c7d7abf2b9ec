"""Real data with ordered labels: those that statsmodels and scikit-learn ship, and two files.

Labels are 0, 1, 2, ..., all of which occur; where the outcome is a measurement it is cut into
grades. No item occurs twice, since copies on both sides of a division would be known: of the RAND
experiment, which has a row for each year of a person, the first is taken, and of wines that are
alike in everything, one. (In the surveys different people may well give the same answers.)
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

    The file is that of UCI (P. Cortez et al. 2009), 4898 rows of which 937 are copies.
    """
    delimiter = ";" if ";" in file.read_text().partition("\n")[0] else ","
    table = pd.read_csv(file, sep=delimiter)
    assert table.shape == (4898, 12), f"{file} is another table: it has the shape {table.shape}."
    return _split(table.drop_duplicates(), table.columns[-1])


def _split(table: pd.DataFrame, outcome: str, bands: list[float] | None = None) -> Items:
    """Return features and positions of labels; ``bands`` cut an outcome that is a measurement."""
    y = table[outcome].to_numpy()
    codes = np.unique(y, return_inverse=True)[1] if bands is None else np.digitize(y, bands)
    return table.drop(columns=outcome).to_numpy(float), codes


def _fifths(values: pd.Series) -> list[float]:
    return values.quantile([0.2, 0.4, 0.6, 0.8]).tolist()


def _eyes(file: Path) -> Items:
    """The grade of the right eye, from that of the left: five different scores."""
    return _split(pd.read_csv(file)[["left", "right"]], "right")


def _fair(outcome: str, bands: list[float] | None = None) -> Items:
    """A survey of marriages (Fair 1978)."""
    return _split(statsmodels.datasets.fair.load_pandas().data, outcome, bands)


def _election(outcome: str) -> Items:
    """A survey of the American election of 1996: a party or a position of seven."""
    table = statsmodels.datasets.anes96.load_pandas().data
    return _split(table.drop(columns=["vote", "logpopul"]), outcome)


def _health() -> pd.DataFrame:
    """The first year of each person of the RAND health insurance experiment."""
    table = statsmodels.datasets.randhie.load_pandas().data
    # There is no number of the person. Years of one follow each other, and this stays the same
    # while the insurance may change. Neighbours who are alike in it count as one person.
    person = table[["physlm", "disea", "hlthg", "hlthf", "hlthp", "idp"]]
    return table[(person != person.shift()).any(axis=1)].copy()


def _own_health() -> Items:
    """Health as people see their own: excellent, good, fair, poor."""
    table = _health()
    states = ["hlthg", "hlthf", "hlthp"]
    table["own"] = table[states] @ [1, 2, 3]
    return _split(table.drop(columns=states), "own")


def _schools() -> Items:
    """The share of pupils above the median in mathematics, by school district (Gill 2000)."""
    table = statsmodels.datasets.star98.load_pandas().data
    table["passed"] = table["NABOVE"] / (table["NABOVE"] + table["NBELOW"])
    return _split(table.drop(columns=["NABOVE", "NBELOW"]), "passed", _fifths(table["passed"]))


def _diabetes() -> Items:
    """The progression of diabetes after a year (Efron et al. 2004)."""
    data = sklearn.datasets.load_diabetes()
    return data.data, np.digitize(data.target, [75, 125, 200, 275])


def _engel() -> Items:
    """What households spend on food, from their income (Engel 1857)."""
    table = statsmodels.datasets.engel.load_pandas().data
    return _split(table, "foodexp", [350, 500, 700, 1000])


def _statsmodels_file(name: str) -> pd.DataFrame:
    return pd.read_csv(Path(statsmodels.__file__).parent / name)


def _births() -> Items:
    """Birth weight in the bands of clinics."""
    table = _statsmodels_file("treatment/tests/results/cataneo2.csv")
    numbers = table.select_dtypes("number").drop(columns="lbweight").drop_duplicates()
    return _split(numbers, "bweight", [2500, 3000, 3500, 4000])


def _cars() -> Items:
    """The risk that insurers see in a car, -2 to 3."""
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
    """Return features and codes of each data set; the two files are in ``folder``, if given."""
    found = {name: load() for name, load in SHIPPED.items()}
    if folder is not None:
        found |= {name: load(folder / file) for name, (file, load) in FILES.items()}
    for name, (X, y) in found.items():
        if len(y) > MOST_ROWS:
            kept = np.random.default_rng(0).permutation(len(y))[:MOST_ROWS]
            found[name] = X[kept], y[kept]
    return found
