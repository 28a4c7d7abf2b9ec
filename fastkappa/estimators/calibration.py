"""Calibrate class probabilities on held-out items with scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV

from fastkappa.arrays import AnyArray
from fastkappa.choices import check_choice
from fastkappa.estimators.out_of_fold import is_routing

CALIBRATIONS = (None, "temperature", "sigmoid", "isotonic")


def check_calibration(method: Any) -> None:
    """Raise if the installed version of scikit-learn lacks the calibration method."""
    check_choice("calibration", method, CALIBRATIONS)
    version = sklearn.__version__
    if method == "temperature" and tuple(map(int, version.split(".")[:2])) < (1, 8):
        raise ValueError(
            f"calibration='temperature' needs scikit-learn 1.8 or later, got {version}. Update"
            " scikit-learn, or use calibration='sigmoid', 'isotonic' or None."
        )


class _AsGiven(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that returns its features as the predicted probabilities."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> _AsGiven:
        # The weights are not used. They are accepted only to avoid a warning from
        # CalibratedClassifierCV.
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Any) -> Any:
        return X

    def predict(self, X: Any) -> Any:
        return self.classes_[X.argmax(axis=1)]


class _WithLogOdds(_AsGiven):
    """A classifier whose decision function is the log odds of the probabilities.

    A sigmoid of the log odds can reproduce the given probabilities, but a sigmoid of the
    probabilities cannot.
    """

    def decision_function(self, X: Any) -> Any:
        inside = np.clip(X, np.finfo(np.float64).tiny, 1 - np.finfo(np.float64).eps / 2)
        log_odds = np.log(inside) - np.log1p(-inside)
        return log_odds[:, 1] if X.shape[1] == 2 else log_odds


class Calibration:
    """Calibrate class probabilities with a mapping fitted to held-out items.

    ``probabilities`` has shape (n, K), and ``codes`` holds the item labels, from 0 to K - 1.
    """

    def __init__(
        self, method: str, probabilities: AnyArray, codes: AnyArray, sample_weight: Any
    ) -> None:
        # If a label does not occur in y, its probabilities cannot be calibrated. They remain 0.
        self._occurring = np.unique(codes)
        absent = np.delete(np.arange(probabilities.shape[1]), self._occurring)
        if probabilities[:, absent].any():
            raise ValueError(
                f"calibration={method!r} requires y to contain every label that has a"
                " nonzero probability, but y lacks the labels at positions"
                f" {absent.tolist()}. Add items with these labels, or use calibration=None."
            )
        everything = np.arange(len(codes))
        # The probabilities are out-of-sample predictions, so all items can be used for calibration.
        as_given = _WithLogOdds() if method == "sigmoid" else _AsGiven()
        if is_routing():
            as_given.set_fit_request(sample_weight=True)
        self._calibrated = CalibratedClassifierCV(
            as_given,
            method=method,
            cv=[(everything, everything)],
            ensemble=False,
        )
        if sample_weight is not None:
            sample_weight = np.asarray(sample_weight, np.float64)
        if len(self._occurring) > 1:
            self._calibrated.fit(
                self._columns(probabilities),
                np.searchsorted(self._occurring, codes),
                sample_weight,
            )

    def apply(self, probabilities: AnyArray) -> AnyArray:
        """Return the calibrated probabilities in an array of the same shape."""
        if len(self._occurring) < 2:
            return probabilities
        calibrated = np.zeros(probabilities.shape)
        calibrated[:, self._occurring] = self._calibrated.predict_proba(
            self._columns(probabilities)
        )
        return calibrated

    def _columns(self, probabilities: AnyArray) -> AnyArray:
        """Return the columns of the labels that occur, scaled so that each row sums to 1.

        scikit-learn treats rows that do not sum to 1 as logits.
        """
        columns = probabilities[:, self._occurring].astype(np.float64)
        scaled: AnyArray = columns / columns.sum(axis=1, keepdims=True)
        return scaled
