"""No function changes its inputs: arrays, masks, Series, frames, lists, or read-only arrays.

Each public function is called with columns and tables in each form. If a function does not accept a
form, it may raise, but not because an input is read-only, and it must not change the input.
"""

from __future__ import annotations

import inspect
import pickle
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import matplotlib
import numpy as np
import pytest

import fastkappa
from fastkappa import ConfusionAccumulator, Ratings, boosting
from tests.helpers.absent import library
from tests.helpers.public import public_objects

matplotlib.use("agg")

from matplotlib import pyplot

pandas, polars, pyarrow = library("pandas"), library("polars"), library("pyarrow")

A = [1, 2, 2, 3, 1, 2, 3, 3, 1, 2, 1, 3]
B = [1, 2, 3, 3, 1, 1, 3, 2, 1, 2, 2, 3]
C = [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]
TABLE = [[20, 5, 1], [4, 30, 2], [1, 3, 25]]
SCORES = [1.1, 1.9, 2.2, 2.7, 0.4, 2.1, 3.3, 2.4, 1.2, 1.6, 1.5, 2.9]
WEIGHTS = [1.0, 2.0, 0.5, 1.0, 1.0, 3.0, 1.0, 1.0, 1.0, 2.0, 1.0, 1.0]
DISAGREEMENT = [[0.0, 1.0, 3.0], [1.0, 0.0, 1.0], [3.0, 1.0, 0.0]]
CODES = [9, "?"]
# The missing entries, and the strings among numbers.
GAP, ODD = 3, 4


def frozen(array: Any) -> Any:
    array.flags.writeable = False
    return array


def masked(values: Any, dtype: Any = None) -> Any:
    data = np.array(values, dtype)
    mask = np.zeros(data.shape, bool)
    mask[GAP % len(data)] = True
    return np.ma.array(frozen(data), mask=frozen(mask), copy=False, keep_mask=False)


def odd(values: list[Any]) -> list[Any]:
    if not all(isinstance(value, int) for value in values):
        return values
    return [None if i == GAP else "?" if i == ODD else value for i, value in enumerate(values)]


def with_nan(values: list[Any]) -> Any:
    array = np.array(values, float)
    array[GAP % len(array)] = np.nan
    return frozen(array)


FORMS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "array": lambda values: frozen(np.array(values)),
    "floats with NaN": with_nan,
    "masked": masked,
    # There is no None under the mask, because None would get a mask of its own.
    "masked objects": lambda values: masked([x or 1 for x in odd(values)], object),
    "objects": lambda values: frozen(np.array(odd(values), object)),
    "list with None": odd,
    "Series": lambda values: pandas.Series(frozen(np.array(values)), copy=False),
    "Series of objects": lambda values: pandas.Series(odd(values), dtype=object),
    "Int64": lambda values: pandas.Series(
        [None if i == GAP else value for i, value in enumerate(values)],
        dtype="Int64" if isinstance(values[0], int) else "Float64",
    ),
    "categorical": lambda values: pandas.Series(values).astype("category"),
    "polars": lambda values: polars.Series(
        [None if i == GAP else value for i, value in enumerate(values)]
    ),
    "pyarrow": lambda values: pyarrow.array(
        [None if i == GAP else value for i, value in enumerate(values)]
    ),
}
# Every call works with these inputs.
ALWAYS = ("list", "array")


def held(made: Any) -> Any:
    """Return the full content of an input, for comparison."""
    if isinstance(made, dict):
        return {key: held(value) for key, value in made.items()}
    if isinstance(made, pandas.DataFrame):
        return {name: held(made[name]) for name in made.columns}
    if isinstance(made, pandas.Series):
        return made.name, made.dtype, made.index.tolist(), repr(made.tolist())
    return pickle.dumps(made)


class Given:
    """Make inputs of one form, and record their contents."""

    def __init__(self, form: str) -> None:
        self.form = form
        self._made: list[tuple[Any, Any]] = []

    def column(self, values: list[Any]) -> Any:
        return self.noted(FORMS[self.form](values))

    def table(self, rows: list[list[Any]]) -> Any:
        """Return rows as an array, a masked array, a frame or a list of lists."""
        if self.form in ALWAYS or self.form == "masked":
            return self.noted(FORMS[self.form](rows))
        if self.form == "masked objects":
            return self.noted(masked([odd(row) for row in rows], object))
        columns = {f"c{i}": FORMS[self.form](list(c)) for i, c in enumerate(zip(*rows))}
        if self.form == "polars":
            return self.noted(polars.DataFrame(columns))
        if self.form == "pyarrow":
            return self.noted(pyarrow.table(columns))
        return self.noted(pandas.DataFrame(columns))

    def noted(self, made: Any) -> Any:
        self._made.append((made, held(made)))
        return made

    def assert_unchanged(self) -> None:
        for made, before in self._made:
            assert held(made) == before


def several(call: Callable[..., Any]) -> Callable[[Given], Any]:
    return lambda g: call(
        g.table([list(row) for row in zip(A, B, A)]),
        missing_codes=g.noted(CODES),
        clusters=g.column(C),
    )


def accumulate(g: Given) -> None:
    total = ConfusionAccumulator(labels=g.column([1, 2, 3]))
    for accumulator in (total, ConfusionAccumulator()):
        y1, y2 = g.column(A), g.column(B)
        accumulator.update(y1, y2, missing="drop")
        accumulator.update(
            y1, y2, sample_weight=g.column(WEIGHTS), missing="drop", missing_codes=g.noted(CODES)
        )
        accumulator.kappa(weights=g.noted(np.array(DISAGREEMENT)))
        accumulator.subtract(y1, y2, missing="drop")


def ratings(g: Given) -> None:
    for labels in (None, g.column([1, 2, 3])):
        Ratings.from_raters(g.noted({"a": g.column(A), "b": g.column(B)}), labels=labels)
    Ratings.from_long(
        item=g.column([*range(12)] * 2), rater=g.column([1] * 12 + [2] * 12), rating=g.column(A + B)
    )
    Ratings.from_counts(g.table([[3, 0], [1, 2], [2, 1]]))


def evaluate(g: Given) -> None:
    evaluator = fastkappa.ThresholdEvaluator(
        g.column(A), g.column(SCORES), labels=g.column([1, 2, 3]), sample_weight=g.column(WEIGHTS)
    )
    evaluator(g.noted(frozen(np.array([1.5, 2.5]))))
    evaluator.many(g.noted(frozen(np.array([[1.5, 2.5]]))))


def score(g: Given) -> None:
    scorer = fastkappa.compile_scorer(g.column([1, 2, 3]), weights=g.noted(np.array(DISAGREEMENT)))
    scorer(g.noted(frozen(np.array(A))), g.noted(frozen(np.array(B))))


def boosted(g: Given) -> None:
    boosting.continuous_kappa(g.column(SCORES), g.column(SCORES))
    boosting.xgboost_eval_metric(g.column(A), g.column(SCORES))
    boosting.lightgbm_eval_metric(g.column(A), g.column(SCORES))


def estimated(name: str) -> Callable[[Given], Any]:
    def call(g: Given) -> None:
        pytest.importorskip("sklearn")
        made = getattr(fastkappa.estimators, name)
        x, y = g.table([[s] for s in SCORES]), g.column(A)
        if name == "KappaDecoder":
            x = g.table([[0.1, 0.2, 0.7], [0.2, 0.6, 0.2], [0.8, 0.1, 0.1]] * 4)
            made().fit(x, y).predict(x)
        elif name == "KappaRounder":
            made(method="exact").fit(g.column(SCORES), y, g.column(WEIGHTS)).predict(
                g.column(SCORES)
            )
        else:
            made().fit(x, g.column(SCORES), g.column(WEIGHTS)).predict(x)

    return call


def scored(g: Given) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    del metrics
    scorer = fastkappa.estimators.KappaScorer(labels=g.column([1, 2, 3]))
    constant = type("Constant", (), {"predict": lambda self, x: np.array(B)})()
    scorer(constant, g.table([[s] for s in SCORES]), g.column(A))


def coefficients(g: Given) -> None:
    rows = g.table([list(row) for row in zip(A, B, A)])
    fastkappa.compare_coefficients(fastkappa.gwet_ac1(rows), fastkappa.fleiss_kappa(rows))


def from_files(g: Given) -> Any:
    columns = {"a": g.column(A), "b": g.column(B), "w": g.noted(WEIGHTS)}
    for labels in (None, g.column([1, 2, 3])):
        fastkappa.confusion_from_source(columns, "a", "b", labels=labels, missing_codes=["?"])
    frame = g.noted(pandas.DataFrame(columns))
    return fastkappa.confusion_from_source(frame, "a", "b", sample_weight="w", missing_codes=["?"])


def result(g: Given) -> Any:
    return fastkappa.agreement_from_confusion(g.table(TABLE))


DROP: dict[str, Any] = {"missing": "drop"}
CALLS: dict[str, Callable[[Given], Any]] = {
    "ConfusionAccumulator": accumulate,
    "KappaDecoder": estimated("KappaDecoder"),
    "KappaRegressor": estimated("KappaRegressor"),
    "KappaRounder": estimated("KappaRounder"),
    "KappaScorer": scored,
    "Ratings": ratings,
    "ThresholdEvaluator": evaluate,
    "agreement": lambda g: fastkappa.agreement(
        g.column(A), g.column(B), clusters=g.column(C), missing_codes=g.noted(CODES), **DROP
    ),
    "agreement_by": lambda g: fastkappa.agreement_by(
        g.column(A),
        g.column(B),
        groups=g.column([1, 2] * 6),
        missing_codes=g.noted(CODES),
        **DROP,
    ),
    "agreement_from_confusion": lambda g: fastkappa.agreement_from_confusion(
        g.table(TABLE), weights=g.table(DISAGREEMENT), labels=g.column([1, 2, 3])
    ),
    "alternative_annotator_test": several(
        lambda rows, **options: fastkappa.alternative_annotator_test(rows, 0, **options)
    ),
    "boosting": boosted,
    "bootstrap": lambda g: fastkappa.bootstrap(g.table(TABLE), n_resamples=20, rng=0),
    "cohen_kappa_score": lambda g: fastkappa.cohen_kappa_score(
        g.column(A), g.column(B), labels=g.column([1, 2, 3]), sample_weight=g.column(WEIGHTS)
    ),
    "compare_coefficients": coefficients,
    "compare_independent": lambda g: fastkappa.compare_independent(g.table(TABLE), g.table(TABLE)),
    "compare_paired": lambda g: fastkappa.compare_paired(
        g.noted(frozen(np.arange(1, 28).reshape(3, 3, 3)))
    ),
    "compare_predictions": lambda g: fastkappa.compare_predictions(
        g.column(B), g.column(A[::-1]), y_true=g.column(A), **DROP
    ),
    "compare_raters": several(fastkappa.compare_raters),
    "compare_strata": lambda g: fastkappa.compare_strata(g.noted([g.table(TABLE), g.table(TABLE)])),
    "compile_scorer": score,
    "concordance_correlation": lambda g: fastkappa.measurements.concordance_correlation(
        g.column(SCORES), g.column(SCORES[::-1]), **DROP
    ),
    "confusion_counts": lambda g: fastkappa.confusion_counts(
        g.column(A), g.column(B), labels=g.column([1, 2]), sample_weight=g.column(WEIGHTS)
    ),
    "confusion_from_source": from_files,
    "confusion_matrix": lambda g: fastkappa.confusion_matrix(
        g.column(A), g.column(B), sample_weight=g.column(WEIGHTS), normalize="true"
    ),
    "conger_kappa": several(fastkappa.conger_kappa),
    "continuous_kappa": lambda g: fastkappa.measurements.continuous_kappa(
        g.column(SCORES), g.column(SCORES[::-1]), sample_weight=g.column(WEIGHTS)
    ),
    "decode_probabilities": lambda g: fastkappa.decode_probabilities(
        g.table([[0.1, 0.2, 0.7], [0.2, 0.6, 0.2], [0.8, 0.1, 0.1]]),
        sample_weight=g.column([1, 2, 1]),
    ),
    "disagreement_weights": lambda g: fastkappa.disagreement_weights("ratio", g.column([1, 2, 4])),
    "disputed_items": several(
        lambda rows, clusters, **options: fastkappa.disputed_items(rows, **options)
    ),
    "fleiss_kappa": several(fastkappa.fleiss_kappa),
    "gwet_ac1": several(fastkappa.gwet_ac1),
    "gwet_ac2": several(lambda *args, **kw: fastkappa.gwet_ac2(*args, weights="linear", **kw)),
    "intraclass_correlation": lambda g: fastkappa.measurements.intraclass_correlation(
        g.table([list(row) for row in zip(SCORES, [*SCORES[1:], 1.0])]), **DROP
    ),
    "kappa_from_confusion": lambda g: fastkappa.kappa_from_confusion(
        g.table(TABLE), weights=g.table(DISAGREEMENT)
    ),
    "kappa_posterior": lambda g: fastkappa.kappa_posterior(g.table(TABLE), n_draws=100, rng=0),
    "krippendorff_alpha": several(fastkappa.krippendorff_alpha),
    "leaderboard": lambda g: fastkappa.leaderboard(
        g.column(A), g.noted({"b": g.column(B), "a": g.column(A)}), n_resamples=20, rng=0, **DROP
    ),
    "light_kappa": several(fastkappa.light_kappa),
    "repeatability": lambda g: fastkappa.measurements.repeatability(
        g.table([list(row) for row in zip(SCORES, [*SCORES[1:], 1.0])]), **DROP
    ),
    "limits_of_agreement": lambda g: fastkappa.measurements.limits_of_agreement(
        g.column(SCORES), g.column(SCORES[::-1]), **DROP
    ),
    "optimal_thresholds": lambda g: fastkappa.optimal_thresholds(
        g.column(A), g.column(SCORES), sample_weight=g.column(WEIGHTS)
    ),
    "overall_concordance_correlation": lambda g: (
        fastkappa.measurements.overall_concordance_correlation(
            g.table([list(row) for row in zip(SCORES, [*SCORES[1:], 1.0])]), **DROP
        )
    ),
    "pairwise_kappa": several(fastkappa.pairwise_kappa),
    "plot_agreement": lambda g: fastkappa.plotting.plot_agreement(g.table(TABLE)),
    "plot_agreement_chart": lambda g: fastkappa.plotting.plot_agreement_chart(g.table(TABLE)),
    "plot_confusion": lambda g: fastkappa.plotting.plot_confusion(
        g.table(TABLE), labels=g.noted([1, 2, 3])
    ),
    "plot_forest": lambda g: fastkappa.plotting.plot_forest(
        g.noted([0.1, 0.3]), intervals=g.table([[0, 1], [0.1, 1]])
    ),
    "power": lambda g: fastkappa.planning.power(
        50, 0.5, rates=(g.column([0.2, 0.3, 0.5]), g.column([0.3, 0.3, 0.4]))
    ),
    "randolph_kappa": several(fastkappa.randolph_kappa),
    "rogan_gladen": lambda g: fastkappa.rogan_gladen(5, 9, g.table([[8, 1], [2, 7]])),
    "sample_size": lambda g: fastkappa.planning.sample_size(
        0.5, rates=(g.column([0.5, 0.5]), g.column([0.4, 0.6]))
    ),
    "sample_size_for_width": lambda g: fastkappa.planning.sample_size_for_width(
        0.5, 0.4, rates=(g.column([0.5, 0.5]), g.column([0.4, 0.6]))
    ),
    "score_many": lambda g: fastkappa.score_many(
        g.column(A), g.noted({"b": g.column(B)}), sample_weight=g.noted(WEIGHTS), **DROP
    ),
}
# These accept a result, or no data.
NO_CALLS = {"get_include", "plot_bootstrap", "plot_limits_of_agreement", "show_config"}
NO_CALLS |= {"correlation_sample_size", "correlation_sample_size_for_width"}
NO_CALLS |= {"limits_sample_size_for_width"}
MODULES = ("estimators", "measurements", "planning", "plotting")


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def test_every_public_function_is_called() -> None:
    names = {
        name.rpartition(".")[2]
        for name, thing in public_objects(*MODULES).items()
        if inspect.isfunction(thing) or (inspect.isclass(thing) and not issubclass(thing, Warning))
    }
    assert CALLS.keys() - {"boosting"} == names - NO_CALLS


@pytest.mark.every(3)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", CALLS)
def test_inputs_are_unchanged(name: str, form: str) -> None:
    given = Given(form)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            CALLS[name](given)
        except (TypeError, ValueError) as error:
            if form in ALWAYS or "read-only" in str(error):
                raise
    given.assert_unchanged()


@pytest.mark.parametrize("form", ["Series of objects", "masked objects"])
@pytest.mark.parametrize("name", ["agreement", "agreement_by", "leaderboard", "score_many"])
def test_odd_strings_beside_missing_ratings_are_dropped(name: str, form: str) -> None:
    """If the mask of a library is read-only, the call still works."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        CALLS[name](Given(form))
