"""Every public object can be pickled and copied, and the copy behaves like the object."""

from __future__ import annotations

import copy
import inspect
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fastkappa
from fastkappa import estimators
from tests.helpers.public import public_functions, public_objects
from tests.results.test_results import CODES, ODD, RATINGS, RESULTS

SCORES = np.random.default_rng(0).normal(CODES[0], 1)
PROBABILITIES = np.random.default_rng(0).dirichlet([1, 1, 1], 60)
CLUSTERS = np.arange(60) // 4
LONG = {"item": np.tile(np.arange(60), 3), "rater": np.repeat([7, 8, 9], 60)}
COLUMN = SCORES[:, None]


def clustered() -> Any:
    return fastkappa.Ratings.from_array(CODES.T, clusters=CLUSTERS)


def accumulator() -> Any:
    found = fastkappa.ConfusionAccumulator()
    found.update(RATINGS[0], RATINGS[1], sample_weight=np.arange(60) / 7)
    return found


# Objects, each with a function whose result must be the same for a copy.
OBJECTS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    **{name: (make, lambda result: (result.to_dict(), str(result))) for name, make in
       {**RESULTS, **ODD}.items()},
    "agreement of clusters": (
        lambda: fastkappa.agreement(*CODES[:2], clusters=CLUSTERS),
        lambda result: fastkappa.bootstrap(result, n_resamples=99, rng=0).to_dict(),
    ),
    "coefficient of clusters": (
        lambda: fastkappa.conger_kappa(clustered()),
        lambda result: result.bootstrap(n_resamples=99, rng=0).to_dict(),
    ),
    "pairs of clusters": (lambda: fastkappa.pairwise_kappa(clustered()), str),
    "ConfusionAccumulator": (accumulator, lambda total: total.table.tolist()),
    "ThresholdEvaluator": (
        lambda: fastkappa.ThresholdEvaluator(CODES[0], SCORES), lambda kappa: kappa([0.5, 1.5])
    ),
    **{f"Ratings.{name}": (make, lambda ratings: coefficients(ratings)) for name, make in {
        "from_array": lambda: fastkappa.Ratings.from_array(CODES.T),
        "from_array of clusters": clustered,
        "from_raters": lambda: fastkappa.Ratings.from_raters(dict(zip("abc", RATINGS))),
        "from_long": lambda: fastkappa.Ratings.from_long(**LONG, rating=RATINGS.ravel()),
        "from_table": lambda: fastkappa.Ratings.from_table([[5, 1], [2, 7]]),
        "from_counts": lambda: fastkappa.Ratings.from_counts([[3, 0], [1, 2], [2, 1]]),
        "of many raters": lambda: fastkappa.Ratings.from_array(np.tile(CODES, (9, 1)).T),
    }.items()},
    "KappaRounder": (
        lambda: estimators.KappaRounder().fit(COLUMN, CODES[0]),
        lambda model: model.predict(COLUMN).tolist(),
    ),
    "KappaRegressor": (
        lambda: estimators.KappaRegressor().fit(COLUMN, CODES[0]),
        lambda model: model.predict(COLUMN).tolist(),
    ),
    "KappaDecoder": (
        lambda: estimators.KappaDecoder(prefit()).fit(COLUMN, CODES[0]),
        lambda model: model.predict(COLUMN).tolist(),
    ),
    "KappaScorer": (
        lambda: estimators.KappaScorer(weights="linear"),
        lambda scorer: scorer(prefit(), COLUMN, CODES[0]),
    ),
    "compile_scorer": (
        lambda: fastkappa.compile_scorer(range(3)), lambda scorer: scorer(CODES[0], CODES[1])
    ),
}  # fmt: skip


def prefit() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression().fit(COLUMN, CODES[0])


def coefficients(ratings: Any) -> Any:
    found = [fastkappa.fleiss_kappa(ratings).to_dict()]
    return found + (
        [fastkappa.conger_kappa(ratings).to_dict()] if ratings.counted.knows_raters else []
    )


def test_every_public_class_is_here() -> None:
    for thing in public_objects("estimators", "results").values():
        if inspect.isclass(thing) and not issubclass(thing, Exception):
            assert any(name.partition(".")[0] == thing.__name__ for name in OBJECTS), thing


@pytest.mark.parametrize("name", OBJECTS)
def test_copies_do_the_same(name: str) -> None:
    make, does = OBJECTS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        thing = make()
        # The same is true before the object has counted anything.
        fresh = pickle.dumps(thing)
        expected = repr(does(thing))
        for twin in (
            pickle.loads(fresh), pickle.loads(pickle.dumps(thing)), copy.copy(thing),
            copy.deepcopy(thing),
        ):  # fmt: skip
            assert type(twin) is type(thing)
            assert repr(does(twin)) == expected


def test_functions_pickle_by_name() -> None:
    pytest.importorskip("numba")
    for function in public_functions().values():
        assert pickle.loads(pickle.dumps(function)) is function
