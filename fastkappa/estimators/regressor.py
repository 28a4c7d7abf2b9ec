"""A linear model that maximises quadratic weighted kappa.

Let y be centred, c = X'y, b = mean(y) X'1 and G = X'X, all weighted. (With an intercept, X is also
centred, and b is 0.) Then

    kappa(a) = 2 c'a / (|y|**2 + n mean(y)**2 + a'Ga - 2 b'a)

At the maximum of the penalised objective, the gradient of kappa(a) - mu |a|**2 is 0:

    (G + alpha I) a = b + c / kappa,      alpha = mu / kappa times the denominator of kappa(a).

This is the equation of ridge regression, but with a different right-hand side. Substituting its
solution into kappa(a) leads to a quadratic equation for kappa, whose positive root is the maximum.
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from fastkappa.arrays import Floats
from fastkappa.choices import check_choice
from fastkappa.measurements import continuous_kappa
from fastkappa.ratings.column import refuse_masked
from fastkappa.ratings.interop import warn_of_row_order
from fastkappa.ratings.item_weights import (
    check_finite_weights,
    check_some_weight,
    read_sample_weight,
)


class KappaRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Fit a linear model that maximises the quadratic weighted kappa of its predictions.

    Least squares shrinks predictions towards the mean, which lowers kappa. The predictions of this
    model have the variance that maximises kappa. Without a penalty, the predictions are those of
    least squares, scaled about their mean by a factor of 1 / r, where r is the correlation between
    the predictions and the truth. The kappa of the scaled predictions is r.

    Parameters
    ----------
    alpha : float, default=0.0
        The penalty on the squared coefficients, in the same units as the ``alpha`` of
        `sklearn.linear_model.Ridge`. It must not be negative.
    scale : {'penalized', 'variance'}, default='penalized'
        How to scale the coefficients. 'penalized' maximises kappa minus the penalty. 'variance'
        rescales these coefficients to maximise kappa without the penalty, so the predictions have
        the same variance as the truth. Without a penalty, 'penalized' and 'variance' give the same
        result.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is not penalized.
    clip : tuple (lowest, highest), default=None
        The limits of the predictions, such as the lowest and highest labels. If None, predictions
        are not limited.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The coefficients. They are all 0 if y is constant or if no feature is correlated with y.
    intercept_ : float
        The prediction for an item whose features are all 0.
    kappa_ : float
        The kappa of the predictions for the training items, computed by
        `fastkappa.measurements.continuous_kappa`. If y is constant, kappa is NaN and an
        ``UndefinedMetricWarning`` is issued.
    n_features_in_ : int
        The number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of the features, if all column names of X are strings.

    Raises
    ------
    ValueError
        In `fit`, if a parameter is out of range or the data are not finite.

    Notes
    -----
    Features can be linearly dependent. A direction in the feature space is ignored if its singular
    value is below ``eps * max(n_samples, n_features)`` times the largest singular value, as in
    `numpy.linalg.matrix_rank`. The result is the minimum-norm solution.

    References
    ----------
    D. Vaughn and D. Justice (2015). On the direct maximization of quadratic weighted
    kappa. arXiv:1509.07107.

    Examples
    --------
    >>> import numpy as np
    >>> from fastkappa.estimators import KappaRegressor
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
    >>> y = np.array([1, 1, 3, 2, 3])
    >>> model = KappaRegressor().fit(X, y)
    >>> model.predict([[0.0], [4.0]]).round(3)
    array([0.735, 3.265])
    >>> round(model.kappa_, 3)
    0.791
    >>> print(np.corrcoef(X[:, 0], y)[0, 1].round(3))
    0.791
    """

    def __init__(
        self,
        *,
        alpha: float = 0.0,
        scale: Literal["penalized", "variance"] = "penalized",
        fit_intercept: bool = True,
        clip: tuple[float, float] | None = None,
    ) -> None:
        self.alpha = alpha
        self.scale = scale
        self.fit_intercept = fit_intercept
        self.clip = clip

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KappaRegressor:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The features. All values must be finite.
        y : array-like of shape (n_samples,)
            Labels as evenly spaced numbers, such as 1 to 5.
        sample_weight : array-like of shape (n_samples,), default=None
            Item weights, which must not be negative.

        Returns
        -------
        self : KappaRegressor
            The fitted model.
        """
        self._check_parameters()
        refuse_masked(X=X, y=y)
        warn_of_row_order({"X": X, "y": y, "sample_weight": sample_weight})
        X, y = validate_data(self, X, y, y_numeric=True, dtype=np.float64)
        y = y.astype(np.float64, copy=False)
        features, truth, roots, penalty = X, y, None, float(self.alpha)
        if sample_weight is not None:
            sample_weight = read_sample_weight(sample_weight, len(X)).astype(np.float64)
            check_finite_weights(sample_weight)
            if sample_weight.min() < 0:
                raise ValueError(
                    f"sample_weight must not contain negative numbers, got {sample_weight.min()}."
                )
            check_some_weight(sample_weight)
            some = sample_weight != 0
            features, truth = X[some], y[some]
            # The weights are divided by the largest weight, so that their squares do not overflow.
            heaviest = sample_weight.max()
            roots, penalty = np.sqrt(sample_weight[some] / heaviest), penalty / heaviest
        self._solve(features, truth, roots, penalty)
        self.kappa_ = continuous_kappa(y, self._predict(X), sample_weight=sample_weight)
        return self

    def predict(self, X: Any) -> Floats:
        """Return the predictions of the linear model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The features. All values must be finite.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The predictions, limited to the range ``clip`` if it was given.
        """
        check_is_fitted(self)
        return self._predict(validate_data(self, X, dtype=np.float64, reset=False))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the quadratic weighted kappa of the predictions, not their R squared.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The features. All values must be finite.
        y : array-like of shape (n_samples,)
            True values.
        sample_weight : array-like of shape (n_samples,), default=None
            Item weights, which must not be negative.

        Returns
        -------
        kappa : float
            The kappa between ``y`` and ``predict(X)``, computed by
            `fastkappa.measurements.continuous_kappa`.
        """
        return continuous_kappa(y, self.predict(X), sample_weight=sample_weight)

    def _predict(self, X: Floats) -> Floats:
        predictions: Floats = X @ self.coef_ + self.intercept_
        return predictions if self.clip is None else np.clip(predictions, *self.clip)

    def _check_parameters(self) -> None:
        if not isinstance(self.alpha, Real) or not 0 <= self.alpha < math.inf:
            raise ValueError(f"alpha must be a finite non-negative number, got {self.alpha!r}.")
        if not isinstance(self.fit_intercept, (bool, np.bool_)) and self.fit_intercept not in (
            0,
            1,
        ):
            raise ValueError(f"fit_intercept must be True or False, got {self.fit_intercept!r}.")
        check_choice("scale", self.scale, ("penalized", "variance"))
        if self.clip is not None and not (
            isinstance(self.clip, (tuple, list))
            and len(self.clip) == 2
            and all(isinstance(limit, Real) for limit in self.clip)
            and self.clip[0] <= self.clip[1]
        ):
            raise ValueError(f"clip must be None or (lowest, highest), got {self.clip!r}.")

    def _solve(self, X: Floats, y: Floats, roots: Floats | None, penalty: float) -> None:
        """Set the coefficients and intercept. ``roots`` are the square roots of the weights."""
        weights = None if roots is None else roots * roots
        mean = _average(y, weights)
        columns = np.empty((len(y), X.shape[1] + 2 - bool(self.fit_intercept)), order="F")
        features, rest = columns[:, : X.shape[1]], columns[:, X.shape[1] :]
        rest[:, 0] = y - mean
        if self.fit_intercept:
            means = _average(X, weights)
            np.subtract(X, means, out=features)
        else:
            features[:] = X
            rest[:, 1] = mean
        if roots is not None:
            columns *= roots[:, None]
        # Only the inner products of the columns are needed. With many items, QR reduces the columns
        # to a small triangular matrix with the same inner products and one row per column.
        if len(columns) > columns.shape[1]:
            columns = np.asarray(np.linalg.qr(columns, mode="r"))
        self.coef_ = self._coefficients(columns, X.shape, penalty)
        self.intercept_ = float(mean - means @ self.coef_) if self.fit_intercept else 0.0

    def _coefficients(self, columns: Floats, shape: tuple[int, ...], penalty: float) -> Floats:
        """Return the coefficients.

        ``columns`` holds the features, the centred y and, without an intercept, the mean of y.
        ``shape`` is the shape of the original features.
        """
        n_features = shape[1]
        left, singular, right = np.linalg.svd(columns[:, :n_features], full_matrices=False)
        precision = np.finfo(np.float64).eps * max(shape)
        rank = int(np.count_nonzero(singular > precision * singular[0]))
        left, singular, right = left[:, :rank], singular[:rank], right[:rank]
        centred = columns[:, n_features]
        constant = np.zeros_like(centred) if self.fit_intercept else columns[:, n_features + 1]
        seen, seen_constant = left.T @ centred, left.T @ constant

        # Kappa solves the equation square * kappa**2 - 2 * linear * kappa - gain = 0.
        ridge = penalty / singular
        kept = singular / (singular + ridge)
        lost = ridge / (singular + ridge)
        used = kept * (1 + lost)
        gain = used @ (seen * seen)
        linear = used @ (seen * seen_constant)
        unseen = constant - left @ seen_constant
        square = (
            centred @ centred + unseen @ unseen + (lost * seen_constant) @ (lost * seen_constant)
        )
        if seen @ seen <= precision**2 * (centred @ centred) or gain == 0:
            return np.zeros(n_features)  # any remaining correlation is a rounding error
        root = math.sqrt(linear * linear + square * gain)
        kappa = (linear + root) / square if linear >= 0 else gain / (root - linear)
        spread = kept * (seen_constant + seen / kappa)
        if self.scale == "variance":
            length = math.sqrt(centred @ centred + constant @ constant)
            spread *= length / np.linalg.norm(spread)
        coefficients: Floats = right.T @ (spread / singular)
        return coefficients


def _average(numbers: Floats, weights: Floats | None) -> Any:
    """Return the mean of each column, which is exact if the column is constant."""
    mean = np.average(numbers, axis=0, weights=weights)
    return np.where((numbers == numbers[0]).all(axis=0), numbers[0], mean)
