"""Compare KappaRounder with Nelder-Mead on the white wine data.

    python -m bench.studies.wine FILE

FILE is winequality-white.csv, UCI's table of eleven measurements and the quality of 4898 white
wines (P. Cortez et al. 2009, Modeling wine preferences by data mining from physicochemical
properties, Decision Support Systems 47, 547-553). It is a CSV file with semicolons, as at
https://archive.ics.uci.edu/dataset/186/wine+quality, or with commas. 937 rows are copies of other
rows and are left out, because the label of a copy in another fold would be known.

Each regression predicts all wines out of fold. Thresholds for these predictions are then found by
Nelder-Mead, starting at the half points, and by the methods of KappaRounder. They are found for all
wines (train), and out of fold: for nine tenths of the wines, to be applied to the last tenth, with
ten different divisions. The study prints quadratic kappa for all wines, and the mean and standard
deviation of the ten out-of-fold kappas.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.metrics import cohen_kappa_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bench.harness import machine
from bench.harness.ordinal_data import wine_without_copies
from fastkappa import ThresholdEvaluator
from fastkappa.estimators import KappaRegressor, KappaRounder

N_FOLDS = 10
N_DIVISIONS = 10


class HalfPoints(ClassifierMixin, BaseEstimator):
    """Round scores to the nearest label."""

    def fit(self, X: Any, y: np.ndarray) -> HalfPoints:
        self.classes_ = np.unique(y)
        self.thresholds_ = (self.classes_[1:] + self.classes_[:-1]) / 2
        return self

    def predict(self, X: Any) -> np.ndarray:
        return self.classes_[np.searchsorted(self.thresholds_, np.ravel(X), side="right")]


class NelderMead(HalfPoints):
    """Round scores at thresholds found by Nelder-Mead, as in many notebooks."""

    def fit(self, X: Any, y: np.ndarray) -> NelderMead:
        super().fit(X, y)
        # ThresholdEvaluator looks up kappa in tables, and returns the same values as scikit-learn.
        kappa = ThresholdEvaluator(y, np.ravel(X), labels=self.classes_)
        found = minimize(lambda cuts: -kappa(np.sort(cuts)), self.thresholds_, method="Nelder-Mead")
        self.thresholds_ = np.sort(found.x)
        return self


ROUNDERS = {
    "half points": HalfPoints(),
    "Nelder-Mead": NelderMead(),
    "spline": KappaRounder(cv=None),
    "exact": KappaRounder(method="exact", cv=None),
    "bagged": KappaRounder(method="bagged", cv=None, random_state=0),
    "closed_form": KappaRounder(method="closed_form", cv=None),
}
REGRESSIONS = {
    "least squares": make_pipeline(StandardScaler(), LinearRegression()),
    "KappaRegressor": make_pipeline(StandardScaler(), KappaRegressor()),
    "boosted trees": HistGradientBoostingRegressor(random_state=0),
}


def kappa(y: np.ndarray, given: np.ndarray) -> float:
    return cohen_kappa_score(y, given, labels=np.unique(y), weights="quadratic")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path)
    X, y = wine_without_copies(parser.parse_args().file)
    machine.announce()
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    for title, regression in REGRESSIONS.items():
        scores = cross_val_predict(regression, X, y, cv=folds)[:, None]
        print(f"\n{title:<20}{'train':>8}{'out of fold':>22}")
        for name, rounder in ROUNDERS.items():
            outside = []
            rounder.fit(scores, y)
            for seed in range(N_DIVISIONS):
                division = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed + 1)
                outside.append(kappa(y, cross_val_predict(rounder, scores, y, cv=division)))
            print(
                f"  {name:<18}{kappa(y, rounder.predict(scores)):>8.4f}"
                f"{np.mean(outside):>12.4f} +- {np.std(outside):.4f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
