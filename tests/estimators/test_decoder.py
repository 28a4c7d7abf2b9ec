"""KappaDecoder as an estimator: scikit-learn's checks, labels, calibration, pipelines."""

from __future__ import annotations

import pickle
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.special
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from fastkappa import cohen_kappa_score, decode_probabilities, estimators
from fastkappa.exceptions import LabelOrderWarning

CALIBRATIONS = ["sigmoid", "isotonic"]
# The default needs scikit-learn 1.8.
if tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 8):
    CALIBRATIONS.insert(0, "temperature")
KappaDecoder = partial(estimators.KappaDecoder, calibration=CALIBRATIONS[0])
NAMES = ["poor", "fair", "good", "best"]


def expected_failures(_: Any) -> dict[str, str]:
    return {"check_classifiers_train": "the label of the least cost need not be the likeliest"}


@parametrize_with_checks(
    [KappaDecoder(LogisticRegression(), cv=2)], expected_failed_checks=expected_failures
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore:kappa is undefined")
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [KappaDecoder(LogisticRegression(), weights="linear", calibration=None, cv=2)],
    expected_failed_checks=expected_failures,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore:kappa is undefined")
def test_scikit_learn_checks_without_calibration(estimator: Any, check: Any) -> None:
    check(estimator)


def items(seed: int, n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Return features and labels 0 to 3."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.clip(np.rint(1.5 + X[:, 0] + rng.normal(0, 0.7, n)), 0, 3).astype(int)
    return X, y


MODEL = LogisticRegression()


@pytest.mark.parametrize("weights", [None, "linear", "quadratic", 1 - np.eye(4)])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_decodes_out_of_fold_probabilities(weights: Any, weighted: bool) -> None:
    X, y = items(0)
    w = np.random.default_rng(0).random(len(y)) if weighted else None
    decoder = KappaDecoder(MODEL, weights=weights, calibration=None).fit(X, y, sample_weight=w)
    inside = cross_val_predict(
        MODEL, X, y, method="predict_proba", params={"sample_weight": w} if weighted else None
    )
    found = decode_probabilities(inside, weights=weights, sample_weight=w)
    np.testing.assert_array_equal(decoder.costs_, found.costs)
    assert decoder.expected_kappa_ == found.kappa
    np.testing.assert_array_equal(decoder.oof_probabilities_, inside)
    wanted = cohen_kappa_score(y, found.predictions, weights=weights, sample_weight=w)
    assert decoder.oof_kappa_ == pytest.approx(wanted, abs=1e-14)
    new = np.random.default_rng(1).normal(size=(50, 3))
    of_all = clone(MODEL).fit(X, y, sample_weight=w).predict_proba(new)
    np.testing.assert_array_equal(decoder.predict(new), found.predict(of_all))
    np.testing.assert_array_equal(decoder.predict(new), (of_all @ found.costs).argmin(axis=1))
    each = [decoder.predict(row[None])[0] for row in new]
    np.testing.assert_array_equal(decoder.predict(new), each)


@pytest.mark.parametrize("calibration", [None, *CALIBRATIONS])
def test_given_probabilities_are_those_of_an_estimator(calibration: Any) -> None:
    X, y = items(1)
    inside = cross_val_predict(MODEL, X, y, method="predict_proba")
    new = clone(MODEL).fit(X, y).predict_proba(X[:40] + 0.1)
    around = KappaDecoder(MODEL, calibration=calibration).fit(X, y)
    given = KappaDecoder(calibration=calibration).fit(inside, y)
    np.testing.assert_array_equal(around.costs_, given.costs_)
    assert around.oof_kappa_ == given.oof_kappa_
    np.testing.assert_array_equal(around.oof_probabilities_, given.oof_probabilities_)
    decoded = around.classes_[(around.oof_probabilities_ @ around.costs_).argmin(axis=1)]
    np.testing.assert_array_equal(around.oof_predictions_, decoded)
    np.testing.assert_array_equal(around.predict(X[:40] + 0.1), given.predict(new))


@pytest.mark.parametrize("calibration", CALIBRATIONS)
def test_calibration_is_scikit_learns(calibration: Any) -> None:
    """With a classifier frozen on other items, CalibratedClassifierCV does the same calibration."""
    X, y = items(2)
    # It calibrates decision functions if there are any; this classifier has none.
    model = GaussianNB().fit(X[:150], y[:150])
    frozen = FrozenEstimator(model)
    # A sigmoid needs log odds, because Platt's sigmoid used a decision function.
    same = FrozenEstimator(LogOdds().fit(X[:150], y[:150])) if calibration == "sigmoid" else frozen
    peer = CalibratedClassifierCV(same, method=calibration, cv=2).fit(X[150:], y[150:])
    found = decode_probabilities(peer.predict_proba(X[150:]))
    decoder = KappaDecoder(frozen, calibration=calibration).fit(X[150:], y[150:])
    # The minimum of a smooth loss is found to half the digits; the rest depend on rounding.
    np.testing.assert_allclose(decoder.costs_, found.costs, rtol=1e-6, atol=1e-7)
    assert decoder.expected_kappa_ == pytest.approx(found.kappa, abs=1e-7)


class LogOdds(GaussianNB):
    def decision_function(self, X: Any) -> Any:
        return scipy.special.logit(self.predict_proba(X).clip(1e-300, 1 - 1e-16))


@pytest.mark.parametrize("calibration", CALIBRATIONS)
def test_true_probabilities_stay_nearly_as_they_are(calibration: Any) -> None:
    rng = np.random.default_rng(0)
    latent, limits = rng.normal(size=4000), np.array([-1.2, -0.4, 0.5, 1.3])
    y = (latent[:, None] + rng.logistic(0, 0.3, (4000, 1)) > limits).sum(axis=1)
    below = scipy.special.expit((limits - latent[:, None]) / 0.3)
    P = np.diff(np.pad(below, ((0, 0), (1, 0))), axis=1, append=1)
    known = KappaDecoder(calibration=None).fit(P, y).expected_kappa_
    found = KappaDecoder(calibration=calibration).fit(P, y)
    assert found.expected_kappa_ == pytest.approx(known, abs=0.02)


def test_overconfident_probabilities_are_calibrated() -> None:
    """Logits times 3 work as well as the logits, because the temperature undoes the factor."""
    X, y = items(3, 1000)
    inside = cross_val_predict(MODEL, X, y, method="predict_proba")
    sharp = inside**3 / (inside**3).sum(axis=1, keepdims=True)
    right = KappaDecoder().fit(inside, y)
    again = KappaDecoder().fit(sharp, y)
    assert again.expected_kappa_ == pytest.approx(right.expected_kappa_, abs=2e-3)
    assert (
        KappaDecoder(calibration=None).fit(sharp, y).expected_kappa_ > right.expected_kappa_ + 0.05
    )


def test_no_labels_are_needed() -> None:
    P = np.random.default_rng(0).dirichlet(np.ones(4), 50)
    decoder = KappaDecoder(labels=NAMES).fit(P)
    found = decode_probabilities(P, labels=NAMES)
    np.testing.assert_array_equal(decoder.predict(P), found.predictions)
    assert not hasattr(decoder, "oof_kappa_")
    assert not hasattr(decoder, "oof_probabilities_")
    assert decoder.classes_.tolist() == NAMES
    assert decoder.n_features_in_ == 4
    named = KappaDecoder(weights="linear").fit(pd.DataFrame(P, columns=NAMES))
    assert named.classes_.tolist() == NAMES
    assert named.feature_names_in_.tolist() == NAMES


def test_labels_in_order_whatever_the_estimator_sorts() -> None:
    X, y = items(4)
    by_number = KappaDecoder(MODEL).fit(X, y)
    words = np.array(NAMES)[y]
    declared = pd.Series(pd.Categorical(words, NAMES, ordered=True))
    for labels, target in ((NAMES, words), (None, declared)):
        decoder = KappaDecoder(MODEL, labels=labels).fit(X, target)
        assert decoder.classes_.tolist() == NAMES
        np.testing.assert_array_equal(decoder.predict(X), np.array(NAMES)[by_number.predict(X)])
        np.testing.assert_allclose(decoder.costs_, by_number.costs_, atol=1e-6)
        assert decoder.score(X, words) == by_number.score(X, y)
    with pytest.warns(LabelOrderWarning, match="alphabetical: best < fair < good < poor") as caught:
        KappaDecoder(MODEL).fit(X, words)
    assert [warning.filename for warning in caught] == [__file__]
    KappaDecoder(MODEL, weights=None).fit(X, words)


def test_columns_in_another_order_than_the_labels_are_noticed() -> None:
    X, y = items(5)
    words = np.array(NAMES)[y]
    inside = cross_val_predict(MODEL, X, words, method="predict_proba")
    with pytest.warns(LabelOrderWarning, match="the columns of X seem to be in sorted order"):
        KappaDecoder(labels=NAMES).fit(inside, words)
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, 500)
    logits = rng.normal(scale=1.5, size=(500, 4)) + 2.5 * np.eye(4)[codes]
    probabilities = scipy.special.softmax(logits, axis=1)
    assert KappaDecoder().fit(probabilities, codes).oof_kappa_ > 0.7
    with pytest.warns(UserWarning, match="y and X use the same labels, .* 0 of y with 3 of X"):
        KappaDecoder().fit(probabilities[:, [1, 2, 3, 0]], codes)
    frame = pd.DataFrame(inside, columns=np.unique(words))
    by_name = KappaDecoder(labels=NAMES).fit(frame, words)
    in_order = KappaDecoder(labels=NAMES).fit(frame[NAMES].to_numpy(), words)
    np.testing.assert_array_equal(by_name.predict(frame), in_order.predict(frame[NAMES].to_numpy()))


def test_a_label_that_does_not_occur() -> None:
    X, y = items(6)
    decoder = KappaDecoder(MODEL, labels=range(6), calibration=None).fit(X, y)
    inside = cross_val_predict(MODEL, X, y, method="predict_proba")
    found = decode_probabilities(np.pad(inside, ((0, 0), (0, 2))))
    np.testing.assert_array_equal(decoder.costs_, found.costs)
    # It is accepted nevertheless: labels must vary as much as the truth.
    assert decoder.expected_kappa_ > decode_probabilities(inside).kappa
    calibrated = KappaDecoder(MODEL, labels=range(6)).fit(X, y)
    np.testing.assert_array_equal(
        calibrated.calibration_.apply(np.pad(inside, ((0, 0), (0, 2))))[:, :4],
        KappaDecoder(MODEL).fit(X, y).calibration_.apply(inside),
    )
    with pytest.raises(
        ValueError, match=r"y contains 3, which is not among the labels \[0, 1, 2\]"
    ):
        KappaDecoder(MODEL, labels=range(3)).fit(X, y)
    P = np.full((4, 3), 1 / 3)
    with pytest.raises(ValueError, match=r"y lacks the labels at positions \[2\]"):
        KappaDecoder(labels=range(3)).fit(P, [0, 1, 0, 1])


def test_in_scikit_learns_machinery() -> None:
    X, y = items(7)
    decoder = KappaDecoder(make_pipeline(StandardScaler(), LogisticRegression()), cv=3)
    assert cross_val_score(decoder, X, y, cv=3).min() > 0.4
    search = GridSearchCV(
        decoder, {"estimator__logisticregression__C": [1e-6, 1.0], "calibration": [None]}, cv=3
    ).fit(X, y)
    assert search.best_params_["estimator__logisticregression__C"] == 1.0
    read = pickle.loads(pickle.dumps(search.best_estimator_))
    np.testing.assert_array_equal(read.predict(X), search.predict(X))
    at_end = make_pipeline(StandardScaler(), KappaDecoder(LogisticRegression())).fit(X, y)
    assert at_end.score(X, y) == cohen_kappa_score(y, at_end.predict(X), weights="quadratic")
    with pytest.warns(UserWarning, match="Pipeline.fit does not accept sample_weight"):
        decoder.fit(X, y, sample_weight=np.ones(len(y)))


def test_features_pass_through() -> None:
    X, y = items(8)
    dense = KappaDecoder(MODEL).fit(X, y)
    thin = KappaDecoder(MODEL).fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(thin.predict(sparse.csr_array(X)), dense.predict(X))
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    named = KappaDecoder(MODEL).fit(frame, y)
    assert named.feature_names_in_.tolist() == ["a", "b", "c"]
    assert dense.n_features_in_ == 3
    assert not hasattr(KappaDecoder(MODEL).fit(frame, y).fit(X, y), "feature_names_in_")


@pytest.mark.parametrize(
    ("decoder", "message"),
    [
        (
            KappaDecoder(LinearRegression()),
            "must have predict_proba, got LinearRegression",
        ),
        (KappaDecoder(MODEL, calibration="platt"), "calibration must be "),
        (KappaDecoder(MODEL, weights="cubic"), "weights must be None, 'linear', 'quadratic'"),
        (KappaDecoder(), "row of probabilities must sum to 1|must be 0 or more"),
    ],
)
def test_bad_parameters(decoder: KappaDecoder, message: str) -> None:
    X, y = items(9)
    X = np.column_stack([X, X[:, 0]])
    with pytest.raises(ValueError, match=message):
        decoder.fit(X, y)


def test_bad_input() -> None:
    X, y = items(9)
    with pytest.raises(ValueError, match="requires y to be passed"):
        KappaDecoder(MODEL).fit(X)
    with pytest.raises(ValueError, match="one label for each of the 5 columns"):
        KappaDecoder().fit(np.full((4, 5), 0.2), [0, 1, 2, 3])
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[4, 3\]"):
        KappaDecoder().fit(np.full((4, 5), 0.2), [0, 1, 2])
    with pytest.raises(ValueError, match="y must contain more than one class, got only 1"):
        KappaDecoder(MODEL).fit(X, np.ones(len(X), int))
    with pytest.raises(ValueError, match="y must not have masked entries"):
        KappaDecoder(MODEL).fit(X, np.ma.masked_equal(y, 0))
    with pytest.raises(NotFittedError):
        KappaDecoder(MODEL).predict(X)
    fitted = KappaDecoder().fit(np.random.default_rng(0).dirichlet(np.ones(4), len(y)), y)
    with pytest.raises(ValueError, match="X has 3 features, but KappaDecoder is expecting 4"):
        fitted.predict(np.full((2, 3), 1 / 3))
    with pytest.raises(ValueError, match=r"sum of 0\.9 in row 1"):
        fitted.predict([[0.25] * 4, [0.25, 0.25, 0.25, 0.15]])


@pytest.mark.parametrize("names", [["mild", "none", "severe"], [1, 0, 2]], ids=["words", "numbers"])
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_an_array_has_the_columns_of_the_frame_that_was_fitted(names: list[Any]) -> None:
    probabilities = np.random.default_rng(0).dirichlet(np.ones(3), 50)
    frame = pd.DataFrame(probabilities, columns=names)
    y = np.array(names)[probabilities.argmax(axis=1)]
    decoder = KappaDecoder(labels=[names[1], names[0], names[2]]).fit(frame, y)
    predicted = decoder.predict(frame)
    assert predicted.tolist() == decoder.predict(probabilities).tolist()
    assert decoder.score(probabilities, y) == decoder.score(frame, y) == decoder.oof_kappa_


def test_labels_of_y_are_judged_as_everywhere() -> None:
    probabilities = np.tile([[0.7, 0.3], [0.2, 0.8]], (5, 1))
    mixed = ["1", "2", "1", "2", "x", "2", "1", "2", "1", "2"]
    with pytest.raises(ValueError, match=r"y contains numbers and also 'x' \(1 time\): leave"):
        KappaDecoder().fit(probabilities, mixed)
    blank = ["no", "yes", "no ", "yes", "no", "yes", "no", "yes", "no", "yes"]
    with (
        pytest.warns(UserWarning, match="y has labels that differ only in how they are written"),
        pytest.raises(ValueError, match="not among the labels"),
    ):
        KappaDecoder(labels=["no", "yes"]).fit(probabilities, blank)
