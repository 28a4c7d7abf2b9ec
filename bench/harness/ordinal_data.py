"""Real data with ordered labels: those that statsmodels and scikit-learn ship, and two files.

Where the outcome is a measurement it is cut into grades. Rows of people or wines that occur
more than once are taken once, since copies on both sides of a division would be known.
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
WINE, EYES = "wine_quality_white.csv", "diabetic_retinopathy_eyes.csv"


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
    return _split(statsmodels.datasets.fair.load_pandas().data, outcome, bands)


def _election(outcome: str) -> Items:
    table = statsmodels.datasets.anes96.load_pandas().data
    return _split(table.drop(columns=["vote", "logpopul"]), outcome)


def _health() -> pd.DataFrame:
    """One row a person; the file has one a year."""
    table = statsmodels.datasets.randhie.load_pandas().data
    return table.drop_duplicates([name for name in table if name != "mdvis"])


def _own_health() -> Items:
    table = _health()
    states = ["hlthg", "hlthf", "hlthp"]
    table["own"] = table[states] @ [1, 2, 3]
    return _split(table.drop(columns=states), "own")


def _schools() -> Items:
    table = statsmodels.datasets.star98.load_pandas().data
    table["passed"] = table["NABOVE"] / (table["NABOVE"] + table["NBELOW"])
    return _split(table.drop(columns=["NABOVE", "NBELOW"]), "passed", _fifths(table["passed"]))


def _diabetes() -> Items:
    data = sklearn.datasets.load_diabetes()
    return data.data, np.digitize(data.target, [75, 125, 200, 275])


def _engel() -> Items:
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
FILES: dict[str, Callable[[Path], Items]] = {WINE: wine_without_copies, EYES: _eyes}


def ordinal_data(folder: Path | None) -> dict[str, Items]:
    """Return features and codes of each data set; the two files are in ``folder``, if given."""
    found = {name: load() for name, load in SHIPPED.items()}
    if folder is not None:
        found |= {name: load(folder / name) for name, load in FILES.items()}
    for name, (X, y) in found.items():
        if len(y) > MOST_ROWS:
            kept = np.random.default_rng(0).permutation(len(y))[:MOST_ROWS]
            found[name] = X[kept], y[kept]
    return found
