"""Each public function with weights warns about alphabetical labels, if it sees labels at all."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import fastkappa
from fastkappa import ConfusionAccumulator, LabelOrderWarning, Ratings
from tests.helpers.absent import library
from tests.helpers.public import public_objects

pd = library("pandas")

RNG = np.random.default_rng(1)
CODES = RNG.integers(0, 3, 120)
# Three raters who give the right label to about 80 % of the items.
RATERS = [np.where(RNG.random(120) < 0.8, CODES, RNG.integers(0, 3, 120)) for _ in range(3)]
SCORES = RATERS[0] + RNG.normal(0, 0.5, 120)
BELIEFS = 0.1 + 0.7 * np.eye(3)[RATERS[1]]
ALPHABETICAL, IN_ORDER, NUMBERS = ["high", "low", "mid"], ["low", "mid", "high"], [1, 2, 3]


def crosstab(first: Any, second: Any) -> Any:
    return pd.crosstab(pd.Series(first), pd.Series(second))


def one_rating_of_each(first: Any, second: Any) -> Any:
    """Return how many of two raters gave each label to each item."""
    dummies = [pd.get_dummies(pd.Series(ratings), dtype=int) for ratings in (first, second)]
    return dummies[0] + dummies[1]


# A table of the first two raters, as data or as a result of the library.
TABLES: dict[str, Callable[[Any, Any], Any]] = {
    "crosstab": crosstab,
    "counts": lambda first, second: fastkappa.confusion_counts(first, second),
    "counts of a source": lambda first, second: fastkappa.confusion_from_source(
        pd.DataFrame({"a": first, "b": second}), "a", "b"
    ),
    "result": lambda first, second: fastkappa.agreement(first, second),
}
OF_TABLES: dict[str, Callable[[Any, Any], Any]] = {
    "agreement_from_confusion": lambda table, w: fastkappa.agreement_from_confusion(
        table, weights=w
    ),
    "bootstrap": lambda table, w: fastkappa.bootstrap(table, weights=w, n_resamples=99, rng=0),
    "compare_independent": lambda table, w: fastkappa.compare_independent(table, table, weights=w),
    "compare_strata": lambda table, w: fastkappa.compare_strata([table] * 2, weights=w),
    "kappa_from_confusion": lambda table, w: fastkappa.kappa_from_confusion(table, weights=w),
    "kappa_posterior": lambda table, w: fastkappa.kappa_posterior(
        table, weights=w, n_draws=99, rng=0
    ),
}
# These functions refuse such tables, or results that have their own weights.
REFUSED = {
    ("kappa_from_confusion", "counts"),
    ("kappa_from_confusion", "counts of a source"),
    ("kappa_from_confusion", "result"),
    ("agreement_from_confusion", "result"),
    ("compare_independent", "result"),
    ("compare_strata", "result"),
}


def of_several(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda a, b, c, w: function(Ratings.from_raters({"a": a, "b": b, "c": c}), weights=w)


def accumulated(first: Any, second: Any, third: Any, weights: Any) -> None:
    total = ConfusionAccumulator()
    total.update(first, second)
    total.kappa(weights=weights)


SEVERAL = (
    *("conger_kappa", "fleiss_kappa", "gwet_ac2", "light_kappa", "randolph_kappa"),
    *("pairwise_kappa", "compare_raters", "disputed_items"),
)
OF_RATINGS: dict[str, Callable[..., Any]] = {
    "ConfusionAccumulator": accumulated,
    "agreement": lambda a, b, c, w: fastkappa.agreement(a, b, weights=w),
    "agreement_by": lambda a, b, c, w: fastkappa.agreement_by(a, b, groups=[0, 1] * 60, weights=w),
    "alternative_annotator_test": lambda a, b, c, w: fastkappa.alternative_annotator_test(
        Ratings.from_raters({name: [*a] for name in "abc"} | {"b": b, "m": c}), "m", weights=w
    ),
    "compare_predictions": lambda a, b, c, w: fastkappa.compare_predictions(
        b, c, y_true=a, weights=w
    ),
    "decode_probabilities": lambda a, b, c, w: fastkappa.decode_probabilities(
        pd.DataFrame(BELIEFS, columns=crosstab(a, b).columns), weights=w
    ),
    "leaderboard": lambda a, b, c, w: fastkappa.leaderboard(
        a, {"b": b, "c": c}, weights=w, n_resamples=0
    ),
    "score_many": lambda a, b, c, w: fastkappa.score_many(a, {"b": b, "c": c}, weights=w),
    "estimators.KappaDecoder": lambda a, b, c, w: fastkappa.estimators.KappaDecoder(
        weights=w, calibration=None
    ).fit(BELIEFS, a),
    **{name: of_several(getattr(fastkappa, name)) for name in SEVERAL},
    "Ratings.from_counts": lambda a, b, c, w: fastkappa.fleiss_kappa(
        Ratings.from_counts(one_rating_of_each(a, b)), weights=w
    ),
    "Ratings.from_table": lambda a, b, c, w: fastkappa.fleiss_kappa(
        Ratings.from_table(crosstab(a, b)), weights=w
    ),
}
# Thresholds depend on the order of the labels even without weights.
OF_SCORES: dict[str, Callable[..., Any]] = {
    "ThresholdEvaluator": lambda y, w: fastkappa.ThresholdEvaluator(y, SCORES, weights=w),
    "optimal_thresholds": lambda y, w: fastkappa.optimal_thresholds(y, SCORES, weights=w),
    "estimators.KappaRounder": lambda y, w: fastkappa.estimators.KappaRounder(weights=w).fit(
        SCORES, y
    ),
}
# These functions do not see labels that a user has not put in order.
WITHOUT_LABELS = {
    "boosting.ClassKappa": "the labels are class numbers",
    "cohen_kappa_score": "it follows scikit-learn",
    "compare_paired": "a cube of counts has no labels",
    "compile_scorer": "the labels are given",
    "estimators.KappaScorer": "tested in tests/estimators/test_scorers.py",
    "jit.kappa_at_thresholds": "arrays have no labels",
    "jit.kappa_from_confusion": "arrays have no labels",
    "planning.power": "arrays have no labels",
    "planning.sample_size": "arrays have no labels",
    "planning.sample_size_for_width": "arrays have no labels",
}


def named(labels: list[Any]) -> list[Any]:
    """Return the columns of the three raters, with these labels for 0, 1 and 2."""
    return [[labels[code] for code in codes] for codes in RATERS]


def declared(labels: list[Any]) -> list[Any]:
    """Return the columns of the three raters as ordered categoricals."""
    return [pd.Series(pd.Categorical(one, labels, ordered=True)) for one in named(labels)]


def orders_doubted(call: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    found = [one for one in caught if issubclass(one.category, LabelOrderWarning)]
    assert {one.filename for one in found} <= {__file__}
    return [str(one.message) for one in found]


def calls() -> Mapping[str, Callable[[list[Any], Any], Any]]:
    """Return functions of the three raters' columns and the weights, by name."""
    found: dict[str, Callable[[list[Any], Any], Any]] = {}
    for name, function in OF_TABLES.items():
        for form, make in TABLES.items():
            if (name, form) not in REFUSED:
                found[f"{name} of {form}"] = lambda columns, w, f=function, make=make: f(
                    make(*columns[:2]), w
                )
    for name, of_ratings in OF_RATINGS.items():
        found[name] = lambda columns, w, f=of_ratings: f(*columns, w)
    for name, of_scores in OF_SCORES.items():
        found[name] = lambda columns, w, f=of_scores: f(columns[0], w)
    return found


CALLS = calls()


def test_every_function_with_weights_is_tested() -> None:
    pytest.importorskip("numba")
    tested = {*OF_TABLES, *OF_RATINGS, *OF_SCORES, *WITHOUT_LABELS}
    for name, thing in public_objects().items():
        if inspect.isclass(thing) and name.startswith("results."):
            continue
        with_weights = [thing, *(vars(thing).values() if inspect.isclass(thing) else ())]
        for one in filter(callable, with_weights):
            try:
                parameters = inspect.signature(one).parameters
            except ValueError:
                continue  # Warnings have no signature.
            assert "weights" not in parameters or name in tested, name


@pytest.mark.parametrize("name", CALLS)
def test_weights_depend_on_the_order_of_labels(name: str) -> None:
    columns = named(ALPHABETICAL)
    for weights in ("linear", "quadratic"):
        found = orders_doubted(lambda weights=weights: CALLS[name](columns, weights))
        assert found
        assert all("high" in text and "low" in text for text in found)
    if name not in OF_SCORES:
        assert not orders_doubted(lambda: CALLS[name](columns, None))
    for known in (declared(IN_ORDER), named(NUMBERS)):
        assert not orders_doubted(lambda known=known: CALLS[name](known, "linear"))
