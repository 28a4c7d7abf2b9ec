"""Library functions have their own error texts; drop-in functions have scikit-learn's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fastkappa
from fastkappa import ConfusionAccumulator, agreement, confusion_counts, krippendorff_alpha
from tests.helpers.absent import library

ENTRANCES: dict[str, Callable[[Any, Any], Any]] = {
    "agreement": agreement,
    "agreement_by": lambda a, b: fastkappa.agreement_by(a, b, groups=["x"] * len(a)),
    "confusion_counts": confusion_counts,
    "accumulator": lambda a, b: ConfusionAccumulator().update(a, b),
    "leaderboard": lambda a, b: fastkappa.leaderboard(a, {"m": b}),
    "score_many": lambda a, b: fastkappa.score_many(a, {"m": b}),
    "thresholds": lambda a, b: fastkappa.optimal_thresholds(a, np.arange(len(a))),
    "evaluator": lambda a, b: fastkappa.ThresholdEvaluator(a, np.arange(len(a))),
}
# Error texts of scikit-learn 1.9.
BORROWED = (
    "contains NaN",
    "contains infinity",
    "is not supported",
    "legacy multi-label",
    "Mix of label input types",
    "can't handle a mix",
    "Complex data not supported",
    "Found array with",
    "inconsistent numbers of samples",
)
SETS = r"krippendorff_alpha with level='jaccard' or 'masi'"
REFUSED: dict[str, tuple[Any, str]] = {
    "NaN": ([0, 1, np.nan, 1], "has 1 missing value in 4 items, the first at position 2: "),
    "None": (["a", "b", None, None], "has 2 missing values in 4 items, the first at position 2: "),
    "NaT": (np.array(["2001-01-01", "NaT"], "M8[D]"), "has 1 missing value in 2 items, "),
    "infinity": ([0, np.inf, 1, 1], "must be finite, got inf at position 1"),
    "fractions": ([0.5, 1, 1.5, 2], "got numbers with fractions.*labels="),
    "lists": (np.array([["a", "b"], ["c"], None], object)[:2], SETS),
    "polars lists": (library("polars").Series([["a", "b"], ["c"]]), SETS),
    "sets": ([{"a"}, {"a", "b"}], SETS),
    "cube": (np.zeros((2, 2, 2)), "must be one-dimensional"),
    "complex": ([1j, 2, 3, 4], "must be labels, got complex numbers"),
    "bytes": ([b"a", b"b"], "must be labels, got bytes"),
    "dictionaries": ([{}, {}], "must be labels"),
}


@pytest.mark.parametrize("entrance", ENTRANCES)
@pytest.mark.parametrize("kind", REFUSED)
def test_ratings_are_refused_in_own_words(entrance: str, kind: str) -> None:
    ratings, words = REFUSED[kind]
    with pytest.raises((ValueError, TypeError), match=words) as raised:
        ENTRANCES[entrance](ratings, ratings)
    assert not [sentence for sentence in BORROWED if sentence in str(raised.value)]


def test_the_remedy_for_missing_ratings_is_one_that_the_function_has() -> None:
    ratings = [0, 1, None, 1]
    for entrance in ("agreement", "agreement_by", "accumulator", "leaderboard", "score_many"):
        with pytest.raises(ValueError, match="pass missing='drop' to leave them out"):
            ENTRANCES[entrance](ratings, ratings)
    for entrance in ("confusion_counts", "thresholds", "evaluator"):
        with pytest.raises(ValueError, match="leave out such items"):
            ENTRANCES[entrance](ratings, ratings)


def test_series_of_lists_are_refused_likewise() -> None:
    pd = pytest.importorskip("pandas")
    column = pd.Series([["pos"], ["neg"]])
    for entrance in ("agreement", "confusion_counts", "leaderboard", "thresholds"):
        with pytest.raises(ValueError, match=SETS):
            ENTRANCES[entrance](column, column)
    assert krippendorff_alpha(pd.DataFrame({"a": column, "b": column}), level="jaccard").value == 1


@pytest.mark.parametrize("function", [agreement, confusion_counts])
def test_ratings_of_one_rater_name_the_way(function: Any) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"ann": [1, 2], "ben": [1, 1]})
    with pytest.raises(
        TypeError, match=r"two of its columns, such as frame\['ann'\] and frame\['ben'\]"
    ):
        function(frame)
    with pytest.raises(TypeError, match="y2 must be a list or an array"):
        function([1, 2, 1])


def test_scores_and_labels_swapped_are_recognised() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 4, 300)
    scores = y + rng.normal(size=300)
    with pytest.raises(ValueError, match="were not swapped"):
        fastkappa.optimal_thresholds(scores, y)
    many, few = rng.permutation(100), rng.integers(0, 4, 100)
    with pytest.warns(UserWarning, match="but scores has only 4 distinct values"):
        fastkappa.optimal_thresholds(many, few)
    # Many labels are not suspicious if the scores also have many values.
    fastkappa.optimal_thresholds(many, rng.permutation(100))


def test_the_truth_may_be_among_the_predictions() -> None:
    y = np.array([0, 1, 1, 2])
    assert fastkappa.score_many(y, {"m": y}).kappas.tolist() == [1]
    assert fastkappa.leaderboard(y, {"m": y}).kappa.tolist() == [1]


def test_lists_given_to_the_decoder() -> None:
    pytest.importorskip("sklearn")
    for lists in (library("pandas").Series([["a"], ["b"]]), library("polars").Series([["a"]] * 2)):
        with pytest.raises(ValueError, match=SETS):
            fastkappa.estimators.KappaDecoder().fit(np.eye(2), lists)


def _compared(y1: Any, y2: Any, **options: Any) -> Any:
    return fastkappa.compare_predictions(y2, y2, y_true=y1, **options)


DROPPING: dict[str, Callable[..., Any]] = {
    "agreement": agreement,
    "agreement_by": lambda a, b, **options: fastkappa.agreement_by(
        a, b, groups=["x"] * len(a), **options
    ),
    "accumulator": lambda a, b, labels, **options: ConfusionAccumulator(labels=labels).update(
        a, b, **options
    ),
    "leaderboard": lambda a, b, **options: fastkappa.leaderboard(a, {"m": b}, **options),
    "score_many": lambda a, b, **options: fastkappa.score_many(a, {"m": b}, **options),
    "compare_predictions": _compared,
    "from_raters": lambda a, b, labels, missing_codes, missing: fastkappa.Ratings.from_raters(
        [a, b], labels=labels, missing_codes=missing_codes
    ),
    "source": lambda a, b, labels, missing_codes, missing: fastkappa.confusion_from_source(
        {"a": a, "b": b}, "a", "b", labels=labels, missing_codes=missing_codes
    ),
}


@pytest.mark.parametrize("entrance", DROPPING)
def test_a_code_is_no_label(entrance: str) -> None:
    y1, y2 = ["Yes", "No", "NA", "No", "NA", "Yes"], ["Yes", "NA", "NA", "No", "Yes", "Yes"]
    with pytest.raises(ValueError, match="labels and missing_codes both contain 'NA': remove it"):
        DROPPING[entrance](y1, y2, labels=["Yes", "No", "NA"], missing_codes=["NA"], missing="drop")
