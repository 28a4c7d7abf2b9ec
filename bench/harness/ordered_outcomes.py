"""Real data with ordered labels: what scikit-learn and statsmodels bring, and wines from a file.

Labels are 0, 1, 2, ..., all of which occur; where the outcome is a number it is cut at
quantiles, or at whole numbers given here. No two rows of one data set are the same item: of
the RAND experiment, which has a row for each year of a person, the first is taken, and of the
wines one of each that are alike in everything, so that nothing leaks from one fold to another.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import statsmodels.api as sm
from sklearn.datasets import load_diabetes


class OrdinalData(NamedTuple):
    """Features of shape (n, n_features), and labels 0 to K - 1 of shape (n,)."""

    X: np.ndarray
    y: np.ndarray


def load_all(wines: Path | None = None) -> dict[str, OrdinalData]:
    """Return every data set by its name; the wines if their file is given."""
    found = {name: load() for name, load in LOADERS.items()}
    if wines is not None:
        found["wine quality"] = white_wines(wines)
    return found


def white_wines(file: Path) -> OrdinalData:
    """Return UCI's white wines (Cortez et al. 2009) without the 937 rows that occur before.

    The file has commas or, as at https://archive.ics.uci.edu/dataset/186/wine+quality,
    semicolons.
    """
    delimiter = ";" if ";" in file.read_text().partition("\n")[0] else ","
    table = np.genfromtxt(file, delimiter=delimiter, skip_header=1)
    assert table.shape == (4898, 12), f"{file} is another table: it has the shape {table.shape}."
    _, first = np.unique(table, axis=0, return_index=True)
    table = table[np.sort(first)]
    return OrdinalData(table[:, :-1], _codes(table[:, -1]))


def _diabetes() -> OrdinalData:
    """Progression of diabetes after a year (Efron et al. 2004), in fifths."""
    X, y = load_diabetes(return_X_y=True)
    return OrdinalData(X, _between(y, np.quantile(y, [0.2, 0.4, 0.6, 0.8])))


def _anes(outcome: str) -> Callable[[], OrdinalData]:
    """Survey of the American election of 1996: a party, a position or an education of 7 levels."""

    def load() -> OrdinalData:
        table = sm.datasets.anes96.load_pandas().data
        features = table.drop(columns=[outcome, "logpopul"])
        return OrdinalData(features.to_numpy(float), _codes(table[outcome].to_numpy()))

    return load


def _anes_income() -> OrdinalData:
    """The same survey's 24 brackets of income, in sixths."""
    table = sm.datasets.anes96.load_pandas().data
    y = table["income"].to_numpy()
    features = table.drop(columns=["income", "logpopul"])
    return OrdinalData(features.to_numpy(float), _between(y, np.quantile(y, np.arange(1, 6) / 6)))


def _marriages(outcome: str) -> Callable[[], OrdinalData]:
    """Survey of marriages (Fair 1978): how good, how long, how religious."""

    def load() -> OrdinalData:
        table = sm.datasets.fair.load_pandas().data
        features = table.drop(columns=outcome)
        return OrdinalData(features.to_numpy(float), _codes(table[outcome].to_numpy()))

    return load


def _rand() -> tuple[np.ndarray, list[str]]:
    """Return the first year of each person of the RAND health insurance experiment."""
    table = sm.datasets.randhie.load_pandas().data
    # Years of a person follow each other, and what is known of the person stays the same.
    person = table[["physlm", "disea", "hlthg", "hlthf", "hlthp", "idp"]].to_numpy()
    first = np.concatenate([[True], (person[1:] != person[:-1]).any(axis=1)])
    return table.to_numpy(float)[first], list(table.columns)


def _rand_health() -> OrdinalData:
    """Health as people see their own: excellent, good, fair, poor."""
    table, names = _rand()
    grades = [names.index(name) for name in ("hlthg", "hlthf", "hlthp")]
    return OrdinalData(np.delete(table, grades, axis=1), _codes(table[:, grades] @ [1, 2, 3]))


def _rand_visits() -> OrdinalData:
    """Visits to a doctor in a year: 0, 1, 2 or 3, 4 to 6, 7 to 11, more."""
    table, names = _rand()
    visits = names.index("mdvis")
    return OrdinalData(
        np.delete(table, visits, axis=1), _between(table[:, visits], [0, 1, 3, 6, 11])
    )


def _schools() -> OrdinalData:
    """Pupils above the median in mathematics, by school district (Gill 2000), in fifths."""
    table = sm.datasets.star98.load_pandas().data
    above, below = table["NABOVE"].to_numpy(), table["NBELOW"].to_numpy()
    share = above / (above + below)
    features = table.drop(columns=["NABOVE", "NBELOW"]).iloc[:, :12]
    return OrdinalData(
        features.to_numpy(float), _between(share, np.quantile(share, [0.2, 0.4, 0.6, 0.8]))
    )


def _codes(values: np.ndarray) -> np.ndarray:
    return np.unique(values, return_inverse=True)[1]


def _between(values: np.ndarray, limits: list[float] | np.ndarray) -> np.ndarray:
    """Return how many of the limits are below each value."""
    return _codes(np.searchsorted(limits, values, side="left"))


LOADERS: dict[str, Callable[[], OrdinalData]] = {
    "diabetes": _diabetes,
    "schools": _schools,
    "anes party": _anes("PID"),
    "anes position": _anes("selfLR"),
    "anes education": _anes("educ"),
    "anes income": _anes_income,
    "marriage rating": _marriages("rate_marriage"),
    "marriage years": _marriages("yrs_married"),
    "marriage religion": _marriages("religious"),
    "RAND health": _rand_health,
    "RAND visits": _rand_visits,
}
