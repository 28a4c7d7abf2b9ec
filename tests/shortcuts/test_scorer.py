"""compile_scorer returns the same value as the table on every backend; its errors."""

from __future__ import annotations

import copy
import functools
import inspect
import pickle
import pydoc
import warnings
import weakref
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fastkappa import cohen_kappa_score, compile_scorer, confusion_counts, kappa_from_confusion
from tests.helpers.absent import library

joblib = library("joblib")
sklearn = library("sklearn")
metrics = library("sklearn.metrics")
selection = library("sklearn.model_selection")

WEIGHTS = [None, "linear", "quadratic", [[0, 1, 4], [2, 0, 1], [5, 1, 0]]]
NAMES = ["cohen_kappa", "linear_kappa", "quadratic_kappa", "weighted_kappa"]


pytestmark = pytest.mark.usefixtures("drop_in_backend")


def ratings(n: int, n_labels: int, dtype: Any, lowest: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(n + n_labels)
    return tuple((rng.integers(0, n_labels, n) + lowest).astype(dtype) for _ in range(2))  # type: ignore[return-value]


def expected(y1: Any, y2: Any, labels: Any, weights: Any) -> float:
    table = confusion_counts(y1, y2, labels=labels, backend="numpy").table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(kappa_from_confusion(table, weights=weights))


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("dtype", ["int64", "uint8", "int16", "float64", ">i4"])
@pytest.mark.parametrize("n", [2, 100, 5000, 300_000])
def test_value(n: int, dtype: str, weights: Any) -> None:
    y1, y2 = ratings(n, 3, dtype, lowest=1)
    scorer = compile_scorer([1, 2, 3], weights=weights, dtype=dtype)
    assert scorer(y1, y2) == expected(y1, y2, [1, 2, 3], weights)


@pytest.mark.parametrize("labels", [range(32), range(33), range(-5, 4), [4, 2, 9], range(200)])
@pytest.mark.filterwarnings("ignore:.*neither ascending nor descending")
def test_labels(labels: Any) -> None:
    given = np.array(list(labels))
    rng = np.random.default_rng(1)
    y1, y2 = rng.choice(given, 400), rng.choice(given, 400)
    for weights in (None, "linear", "quadratic"):
        scorer = compile_scorer(labels, weights=weights)
        assert scorer(y1, y2) == expected(y1, y2, given, weights)


def test_labels_that_do_not_occur_keep_their_positions() -> None:
    y1, y2 = np.array([0, 1, 3, 3, 0]), np.array([0, 3, 3, 1, 0])
    # The values of scikit-learn 1.9.1, without labels and with all labels given.
    assert cohen_kappa_score(y1, y2, weights="quadratic") == pytest.approx(0.75, abs=1e-15)
    kappa = compile_scorer(range(4), weights="quadratic")(y1, y2)
    assert kappa == pytest.approx(0.5652173913043478, abs=1e-15)


def test_labels_beyond_int64() -> None:
    labels = np.arange(2**64 - 4, 2**64 - 1, dtype=np.uint64)
    y1, y2 = labels[[0, 1, 2, 2]], labels[[0, 2, 2, 1]]
    scorer = compile_scorer(labels, weights="quadratic", dtype=np.uint64)
    assert scorer(y1, y2) == kappa_from_confusion(
        [[1, 0, 0], [0, 0, 1], [0, 1, 1]], weights="quadratic"
    )


def test_strings() -> None:
    strings = np.array(["no", "maybe", "yes"])
    y1, y2 = strings[[0, 1, 2, 2, 0]], strings[[0, 2, 2, 1, 0]]
    scorer = compile_scorer(["no", "maybe", "yes"], weights="linear", dtype=strings.dtype)
    assert scorer(y1, y2) == expected(y1, y2, ["no", "maybe", "yes"], "linear")
    any_length = compile_scorer(["no", "maybe", "yes"], weights="linear", dtype=str)
    short = np.array(["no", "yes", "yes", "no", "no"])
    assert any_length(y1, short) == expected(y1, short, ["no", "maybe", "yes"], "linear")
    assert pickle.loads(pickle.dumps(any_length))(y1, y2) == scorer(y1, y2)
    # A series of strings is an array of objects.
    assert any_length(y1, short.astype(object)) == any_length(y1, short)
    with pytest.raises(
        ValueError, match=r"y2 contains 'never', which is not among the labels \['no'"
    ):
        any_length(y1, np.array(["no", "never", "no", "no", "no"], object))
    with pytest.raises(TypeError, match="y2 must be an array of dtype str, got int64"):
        any_length(y1, np.arange(5))
    with pytest.raises(ValueError, match="labels are strings, but dtype is int64"):
        compile_scorer(["no", "yes"])


def test_the_dtype_of_a_series() -> None:
    pandas = pytest.importorskip("pandas")
    for labels, kind in (["a", "b"], None), (["a", "b"], "string"), ([3, 4], "Int64"):
        y1, y2 = (pandas.Series(labels, dtype=kind).iloc[[0, 1, *rest]] for rest in ([1], [0]))
        assert compile_scorer(labels, dtype=y1.dtype)(y1, y2) == 0.4
    with pytest.raises(TypeError, match="dtype must be a NumPy dtype, got CategoricalDtype"):
        compile_scorer(["a"], dtype=pandas.CategoricalDtype())


def test_strided_and_read_only() -> None:
    y1, y2 = ratings(1000, 5, "int64")
    y1.flags.writeable = False
    scorer = compile_scorer(range(5), weights="quadratic")
    assert scorer(y1[::2], y2[::-2]) == expected(y1[::2], y2[::-2], range(5), "quadratic")


def test_undefined_is_nan_without_a_warning() -> None:
    scorer = compile_scorer(range(3))
    assert np.isnan(scorer(np.zeros(4, int), np.zeros(4, int)))
    assert np.isnan(scorer(np.zeros(0, int), np.zeros(0, int)))


@pytest.mark.parametrize("n", [10, 400_000])
@pytest.mark.parametrize("place", [0, -1])
def test_a_rating_outside_the_labels(n: int, place: int) -> None:
    y1, y2 = ratings(n, 3, "int64")
    y2[place] = 7
    with pytest.raises(
        ValueError, match=r"y2 contains 7, which is not among the labels \[0, 1, 2\]"
    ):
        compile_scorer(range(3))(y1, y2)


def test_wrong_arrays() -> None:
    scorer = compile_scorer(range(3))
    y = np.array([0, 1, 2])
    with pytest.raises(TypeError, match="y2 must be an array of dtype int64, got int32"):
        scorer(y, y.astype(np.int32))
    with pytest.raises(TypeError, match="y1 must be an array of dtype int64, got list"):
        scorer([0, 1, 2], y)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[3, 2\]"):
        scorer(y, y[:2])
    with pytest.raises(ValueError, match=r"y1 must be one-dimensional, got shape \(3, 1\)"):
        scorer(y[:, None], y)
    with pytest.raises(ValueError, match=r"y1 must be one-dimensional, got shape \(\)"):
        scorer(y[0:1].reshape(()), y)
    with pytest.raises(ValueError, match="y2 must not have masked entries, got one at position 1"):
        scorer(y, np.ma.masked_equal(y, 1))
    assert scorer(y, np.ma.MaskedArray(y)) == 1


def test_wrong_labels_and_weights() -> None:
    with pytest.raises(ValueError, match="labels must be distinct, got 1 more than once"):
        compile_scorer([0, 1, 1])
    with pytest.raises(ValueError, match="weights must be None, 'linear'"):
        compile_scorer(range(3), weights="cubic")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"shape \(3, 3\)"):
        compile_scorer(range(3), weights=[[0, 1], [1, 0]])


@pytest.mark.parametrize("weights", WEIGHTS)
def test_pickled(weights: Any) -> None:
    y1, y2 = ratings(50, 3, "int64")
    scorer = compile_scorer(range(3), weights=weights)
    again = pickle.loads(pickle.dumps(scorer))
    assert again(y1, y2) == scorer(y1, y2)
    assert again.labels.tolist() == [0, 1, 2]


@pytest.mark.parametrize(("weights", "name"), list(zip(WEIGHTS, NAMES)))
def test_it_is_like_a_function(weights: Any, name: str) -> None:
    scorer = compile_scorer(range(3), weights=weights)
    assert scorer.__name__ == scorer.__qualname__ == name  # type: ignore[attr-defined]
    assert scorer.__module__ == "fastkappa.scorer"
    assert list(inspect.signature(scorer).parameters) == ["y1", "y2", "sample_weight"]
    assert copy.copy(scorer) is copy.deepcopy(scorer) is scorer
    assert weakref.ref(scorer)() is scorer
    assert "compile_scorer" in pydoc.render_doc(scorer)
    y1, y2 = ratings(50, 3, "int64")
    again = eval(repr(scorer), {"compile_scorer": compile_scorer})
    assert again(y1, y2) == scorer(y1, y2)
    wrapped = functools.wraps(scorer)(lambda *arrays: scorer(*arrays))
    assert wrapped.__name__ == name
    assert inspect.signature(wrapped) == inspect.signature(scorer)
    assert functools.partial(scorer, y1)(y2) == scorer(y1, y2)
    at_once = functools.cache(lambda seed: scorer(*ratings(seed, 3, "int64")))
    assert at_once(50) == at_once(50) == scorer(y1, y2)
    assert joblib.hash(again) == joblib.hash(scorer)
    with pytest.raises(ValueError, match="read-only"):
        scorer.labels[0] = 7


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@pytest.mark.parametrize("item_weights", ["int64", "float32", "bool", "list"])
def test_item_weights(weights: Any, item_weights: str) -> None:
    y1, y2 = ratings(200, 4, "int64")
    given: Any = np.random.default_rng(3).integers(0, 2, 200)
    given = given.tolist() if item_weights == "list" else given.astype(item_weights)
    kappa = compile_scorer(range(4), weights=weights)(y1, y2, sample_weight=given)
    right = metrics.cohen_kappa_score(y1, y2, weights=weights, labels=range(4), sample_weight=given)
    assert kappa == pytest.approx(right, rel=1e-12)


def test_wrong_item_weights() -> None:
    scorer, y = compile_scorer(range(3)), np.array([0, 1, 2])
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[3, 3, 2\]"):
        scorer(y, y, sample_weight=[1, 2])
    with pytest.raises(ValueError, match="sample_weight contains NaN"):
        scorer(y, y, sample_weight=[1, 2, np.nan])
    with pytest.raises(ValueError, match="y2 contains 3"):
        scorer(y, y + 1, sample_weight=[1, 2, 3])


def test_series_are_arrays() -> None:
    y1, y2 = ratings(100, 3, "int64")
    scorer = compile_scorer(range(3), weights="linear")
    assert scorer(pd.Series(y1), pd.Series(y2)) == scorer(y1, y2)
    with pytest.raises(TypeError, match="y2 must be an array of dtype int64, got int32"):
        scorer(y1, pd.Series(y2, dtype="int32"))


def test_in_scikit_learn(drop_in_backend: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    y = np.clip(np.rint(X[:, 0] + rng.normal(size=90) + 2), 0, 4).astype(int)
    tree = library("sklearn.tree").DecisionTreeClassifier(max_depth=3, random_state=0)
    ours = metrics.make_scorer(compile_scorer(range(5), weights="quadratic"))
    theirs = metrics.make_scorer(metrics.cohen_kappa_score, weights="quadratic", labels=range(5))
    assert repr(ours) == "make_scorer(quadratic_kappa, response_method='predict')"
    validate = selection.cross_val_score
    found = [validate(tree, X, y, scoring=scorer, cv=3) for scorer in (ours, theirs)]
    np.testing.assert_allclose(*found, rtol=1e-12)
    grid = {"max_depth": [1, 3]}
    searches = [
        selection.GridSearchCV(tree, grid, scoring=scorer, cv=3, error_score="raise").fit(X, y)
        for scorer in (ours, theirs)
    ]
    np.testing.assert_allclose(*(s.cv_results_["mean_test_score"] for s in searches), rtol=1e-12)
    measure = library("sklearn.inspection").permutation_importance
    importances = [
        measure(searches[0], X, y, scoring=scorer, random_state=0).importances
        for scorer in (ours, theirs)
    ]
    np.testing.assert_allclose(*importances, rtol=1e-9, atol=1e-12)
    item_weights = rng.integers(1, 4, 90)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = [scorer.set_score_request(sample_weight=True) for scorer in (ours, theirs)]
        tree.set_fit_request(sample_weight=False)
        params = {"sample_weight": item_weights}
        found = [validate(tree, X, y, scoring=s, cv=3, params=params) for s in asking]
    np.testing.assert_allclose(*found, rtol=1e-12)


def test_in_other_processes() -> None:
    y1, y2 = ratings(50, 3, "int64")
    scorer = compile_scorer(range(3), weights="quadratic")
    tasks = (joblib.delayed(scorer)(y1, y2) for _ in range(2))
    assert joblib.Parallel(n_jobs=2)(tasks) == [scorer(y1, y2)] * 2
