"""A wrong choice for an argument leads to an error that names the nearest valid choice."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import fastkappa
from fastkappa.estimators import KappaScorer
from tests.helpers.command_line import CommandLine

Y1, Y2 = [1, 2, 3, 3], [1, 2, 2, 3]
RATINGS = [[1, 1, 2], [2, 2, 2], [1, 1, 1]]
MEASURED = [[1.5, 2.5], [2.5, 3.5], [4.0, 4.5]]

# Functions with weights, except for the drop-in functions, whose errors are scikit-learn's.
WEIGHTS: dict[str, Callable[[Any], Any]] = {
    "agreement": lambda w: fastkappa.agreement(Y1, Y2, weights=w),
    "agreement_by": lambda w: fastkappa.agreement_by(Y1, Y2, groups=Y1, weights=w),
    "agreement_from_confusion": lambda w: fastkappa.agreement_from_confusion(
        [[2, 1], [1, 2]], weights=w
    ),
    "kappa_from_confusion": lambda w: fastkappa.kappa_from_confusion([[2, 1], [1, 2]], weights=w),
    "bootstrap": lambda w: fastkappa.bootstrap([[2, 1], [1, 2]], weights=w, n_resamples=9),
    "compare_predictions": lambda w: fastkappa.compare_predictions(Y1, Y2, y_true=Y2, weights=w),
    "accumulator": lambda w: fastkappa.ConfusionAccumulator(labels=[1, 2]).kappa(weights=w),
    "score_many": lambda w: fastkappa.score_many(Y1, {"a": Y2}, weights=w),
    "leaderboard": lambda w: fastkappa.leaderboard(Y1, {"a": Y2}, weights=w),
    "fleiss_kappa": lambda w: fastkappa.fleiss_kappa(RATINGS, weights=w),
    "pairwise_kappa": lambda w: fastkappa.pairwise_kappa(RATINGS, weights=w),
    "compile_scorer": lambda w: fastkappa.compile_scorer([1, 2], weights=w),
    "KappaScorer": lambda w: KappaScorer(weights=w),
    "thresholds": lambda w: fastkappa.optimal_thresholds(Y1, [0.1, 0.2, 0.3, 0.4], weights=w),
    "decoder": lambda w: fastkappa.decode_probabilities([[0.2, 0.8]], weights=w),
}


@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize(
    ("word", "meant"),
    [("none", None), ("unweighted", None), ("squared", "quadratic"), ("Linear", "linear")],
)
def test_weights(name: str, word: str, meant: str | None) -> None:
    with pytest.raises(ValueError, match=rf"got '{word}'\. Did you mean {meant!r}\?$"):
        WEIGHTS[name](word)


OTHERS: list[tuple[Callable[[Any], Any], str, str | None]] = [
    (lambda w: fastkappa.agreement(Y1, Y2, missing=w), "error", "raise"),
    (lambda w: fastkappa.agreement(Y1, Y2, missing=w), "omit", "drop"),
    (lambda w: fastkappa.score_many(Y1, {"a": Y2}, missing=w), "ignore", "drop"),
    (
        lambda w: fastkappa.measurements.intraclass_correlation(MEASURED, missing=w),
        "error",
        "raise",
    ),
    (lambda w: fastkappa.measurements.concordance_correlation(Y1, Y2, missing=w), "error", "raise"),
    (lambda w: fastkappa.measurements.limits_of_agreement(Y1, Y2, missing=w), "error", "raise"),
    (
        lambda w: fastkappa.measurements.overall_concordance_correlation(MEASURED, missing=w),
        "error",
        "raise",
    ),
    (lambda w: fastkappa.leaderboard(Y1, {"a": Y2}, on_mismatch=w), "error", "raise"),
    (lambda w: fastkappa.agreement(Y1, Y2, interval_method=w), "auto", None),
    (lambda w: fastkappa.agreement(Y1, Y2, interval_method=w), "wald", "asymptotic"),
    (lambda w: fastkappa.agreement(Y1, Y2, interval_method=w), "likelihood", "profile"),
    (lambda w: fastkappa.agreement(Y1, Y2, distribution=w), "student", "t"),
    (lambda w: fastkappa.fleiss_kappa(RATINGS, distribution=w), "gaussian", "normal"),
    (lambda w: fastkappa.agreement(Y1, Y2, alternative=w), "two.sided", "two-sided"),
    (lambda w: fastkappa.bootstrap([[2, 1], [1, 2]], method=w), "bcA", "bca"),
    (lambda w: fastkappa.krippendorff_alpha(RATINGS, level=w), "intervall", "interval"),
    (lambda w: fastkappa.krippendorff_alpha(RATINGS, level=w), "quadratic", "interval"),
    (lambda w: fastkappa.agreement(Y1, Y2).interpret(w), "landis", "landis-koch"),
    (lambda w: fastkappa.confusion_counts(Y1, Y2, backend=w), "numpi", "numpy"),
    (lambda w: fastkappa.disagreement_weights(w, [1, 2]), "quadratics", "quadratic"),
]


@pytest.mark.parametrize(("call", "word", "meant"), OTHERS)
def test_other_arguments(call: Callable[[Any], Any], word: str, meant: str | None) -> None:
    with pytest.raises(ValueError, match=rf"got '{re.escape(word)}'\. Did you mean {meant!r}\?$"):
        call(word)


def test_a_word_that_is_near_none_gets_no_suggestion() -> None:
    with pytest.raises(ValueError, match=r"a matrix of disagreement weights, got 'xyz'\.$"):
        fastkappa.agreement(Y1, Y2, weights="xyz")  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("command", "arguments", "word", "meant"),
    [
        ("score", "--y1 a --y2 b --weights", "squared", "quadratic"),
        ("score", "--y1 a --y2 b --weights", "unweighted", "none"),
        ("score", "--y1 a --y2 b --missing", "error", "raise"),
        ("agree", "--raters a b --weights", "None", "none"),
        ("agree", "--raters a b --interval-method", "wald", "asymptotic"),
        ("agree", "--raters a b --interval-method", "default", "auto"),
        ("leaderboard", "f.csv --id a --target b --mismatch", "error", "raise"),
        ("leaderboard", "f.csv --id a --target b --missing", "omit", "drop"),
    ],
)
def test_commands(command: str, arguments: str, word: str, meant: str) -> None:
    result = CommandLine(command).run("f.csv", *arguments.split(), word)
    assert result.exit_code == 2
    said = " ".join(result.stderr.replace("│", " ").split())
    assert f"'{word}' is not one of " in said
    assert f"Did you mean '{meant}'?" in said
