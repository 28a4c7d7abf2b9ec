"""Named weights equal the same weights as a matrix, in every function that accepts weights."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastkappa
from fastkappa.statistics import indices, inference
from fastkappa.statistics.scheme import SCHEMES
from fastkappa.statistics.transport import closest_tables
from fastkappa.statistics.weights import (
    agreement_matrix,
    as_weights,
    disagreement_matrix,
    relative_distances,
)
from tests.helpers.exact_kappa import DEFINITIONS, NAMED, disagreement
from tests.helpers.public import public_objects

N_LABELS = 5
LABELS = list(range(N_LABELS))

RNG = np.random.default_rng(20)
RATINGS = np.clip(RNG.integers(0, N_LABELS, 400) + RNG.integers(-1, 2, (3, 400)), 0, N_LABELS - 1)
RATINGS[:, :N_LABELS] = LABELS  # all labels occur
FIRST, SECOND, THIRD = RATINGS
TABLE = np.zeros((N_LABELS, N_LABELS), np.int64)
np.add.at(TABLE, (FIRST, SECOND), 1)
JOINT = np.zeros((N_LABELS,) * 3, np.int64)
np.add.at(JOINT, (FIRST, SECOND, THIRD), 1)
SCORES = THIRD + RNG.normal(0, 0.5, 400)
PROBABILITIES = RNG.dirichlet(np.ones(N_LABELS), 400)
RATES = (TABLE.sum(axis=1) / 400, TABLE.sum(axis=0) / 400)


def matrix_of(scheme: str | None, n_labels: int = N_LABELS) -> Any:
    return disagreement(scheme, n_labels).astype(np.int64)


def accumulated(weights: Any) -> Any:
    total = fastkappa.ConfusionAccumulator(labels=LABELS)
    total.update(FIRST, SECOND)
    return [total.kappa(weights=weights), total.agreement(weights=weights).standard_error]


def decoder(weights: Any) -> Any:
    pytest.importorskip("sklearn")
    fitted = fastkappa.estimators.KappaDecoder(weights=weights, calibration=None).fit(PROBABILITIES)
    return [fitted.expected_kappa_]


def rounder(weights: Any) -> Any:
    pytest.importorskip("sklearn")
    fitted = fastkappa.estimators.KappaRounder(weights=weights, random_state=0).fit(SCORES, FIRST)
    return [fitted.kappa_, *fitted.thresholds_]


def ranked(weights: Any) -> Any:
    board = fastkappa.leaderboard(
        FIRST, {"a": SECOND, "b": THIRD}, weights=weights, labels=LABELS, n_resamples=50, rng=0
    )
    return [*board.kappa, *board.interval.ravel(), *board.difference_interval.ravel()]


def of_raters(function: Any) -> Callable[[Any], Any]:
    def call(weights: Any) -> Any:
        result = function(RATINGS.T, weights=weights)
        return [result.value, result.standard_error]

    return call


def of_result(result: Any) -> Any:
    figures = result.to_dict()
    return [
        *(figures[name] for name in ("kappa", "standard_error", "null_standard_error")),
        *(figures[name] for name in ("textbook_standard_error", "kappa_max", "scott_pi")),
        *(figures[name] for name in ("krippendorff_alpha", "brennan_prediger", "gwet_ac2")),
        *(figures[name] for name in ("weighted_observed_agreement", "weighted_expected_agreement")),
    ]


def of_difference(difference: Any) -> Any:
    return [*difference.kappas, difference.standard_error, *difference.interval]


def of_strata(test: Any) -> Any:
    return [test.kappa, test.standard_error, test.statistic]


# The result of every public function, by the name of the weights.
CALLS: dict[str, Callable[[Any], Any]] = {
    "agreement": lambda w: of_result(fastkappa.agreement(FIRST, SECOND, weights=w)),
    "agreement_by": lambda w: of_strata(
        fastkappa.agreement_by(SECOND, THIRD, groups=FIRST % 2, weights=w).equality
    ),
    "agreement_from_confusion": lambda w: of_result(
        fastkappa.agreement_from_confusion(TABLE, weights=w)
    ),
    "alternative_annotator_test": lambda w: (
        fastkappa.alternative_annotator_test(RATINGS.T, 0, weights=w).model_advantage
    ),
    "bootstrap": lambda w: fastkappa.bootstrap(TABLE, weights=w, n_resamples=50, rng=0).replicates,
    "cohen_kappa_score": lambda w: [
        fastkappa.cohen_kappa_score(FIRST, SECOND, weights=w),
        fastkappa.cohen_kappa_score(FIRST, SECOND, weights=w, labels=LABELS),
        fastkappa.cohen_kappa_score(FIRST, SECOND, weights=w, sample_weight=THIRD + 1),
        fastkappa.cohen_kappa_score(FIRST.tolist(), SECOND.tolist(), weights=w),
    ],
    "compare_independent": lambda w: of_difference(
        fastkappa.compare_independent(TABLE, TABLE.T + 1, weights=w)
    ),
    "compare_paired": lambda w: of_difference(fastkappa.compare_paired(JOINT, weights=w)),
    "compare_predictions": lambda w: of_difference(
        fastkappa.compare_predictions(SECOND, THIRD, y_true=FIRST, weights=w)
    ),
    "compare_raters": lambda w: [
        *fastkappa.compare_raters(RATINGS.T, weights=w).difference,
        *fastkappa.compare_raters(RATINGS.T, weights=w, coefficient="alpha").change,
    ],
    "compare_strata": lambda w: of_strata(
        fastkappa.compare_strata([TABLE, TABLE.T + 1], weights=w)
    ),
    "compile_scorer": lambda w: fastkappa.compile_scorer(LABELS, weights=w)(FIRST, SECOND),
    "conger_kappa": of_raters(fastkappa.conger_kappa),
    "decode_probabilities": lambda w: [
        fastkappa.decode_probabilities(PROBABILITIES, weights=w).kappa,
        *fastkappa.decode_probabilities(PROBABILITIES, weights=w).predictions,
    ],
    "disputed_items": lambda w: fastkappa.disputed_items(RATINGS.T, weights=w).disagreement,
    "fleiss_kappa": of_raters(fastkappa.fleiss_kappa),
    "gwet_ac2": of_raters(fastkappa.gwet_ac2),
    "kappa_from_confusion": lambda w: [
        fastkappa.kappa_from_confusion(TABLE, weights=w),
        fastkappa.kappa_from_confusion(TABLE / 3, weights=w),
        fastkappa.kappa_from_confusion(TABLE.astype(object) * 10**30, weights=w),
        *fastkappa.kappa_from_confusion(np.stack([TABLE, TABLE.T * 10**9]), weights=w),
    ],
    "kappa_posterior": lambda w: (
        fastkappa.kappa_posterior(TABLE, weights=w, n_draws=50, rng=0).draws
    ),
    "leaderboard": ranked,
    "light_kappa": of_raters(fastkappa.light_kappa),
    "optimal_thresholds": lambda w: fastkappa.optimal_thresholds(FIRST, SCORES, weights=w).kappa,
    "pairwise_kappa": lambda w: fastkappa.pairwise_kappa(RATINGS.T, weights=w).standard_errors,
    "power": lambda w: fastkappa.planning.power(100, 0.6, null_kappa=0.3, rates=RATES, weights=w),
    "randolph_kappa": of_raters(fastkappa.randolph_kappa),
    "sample_size": lambda w: fastkappa.planning.sample_size(
        0.6, null_kappa=0.3, rates=RATES, weights=w
    ),
    "sample_size_for_width": lambda w: fastkappa.planning.sample_size_for_width(
        0.6, 0.3, rates=RATES, weights=w
    ),
    "score_many": lambda w: (
        fastkappa.score_many(FIRST, {"a": SECOND, "b": THIRD}, weights=w, labels=LABELS).kappas
    ),
    "ThresholdEvaluator": lambda w: [
        fastkappa.ThresholdEvaluator(FIRST, SCORES, weights=w)([0.5, 1.5, 2.5, 3.5]),
        *fastkappa.ThresholdEvaluator(FIRST, SCORES, weights=w).many([[0.5, 1.0, 2.5, 3.0]]),
    ],
    # Methods, objects loaded on demand, and statistics without a short name.
    "ConfusionAccumulator": accumulated,
    "KappaDecoder": decoder,
    "KappaRounder": rounder,
    "agreement_matrix": lambda w: agreement_matrix(w, N_LABELS),
    "disagreement_matrix": lambda w: disagreement_matrix(w, N_LABELS),
    "relative_distances": lambda w: relative_distances(w, N_LABELS),
    "closest_tables": lambda w: (closest_tables(TABLE, w) * matrix_of("linear")).sum(),
    "kappa_gradient": lambda w: inference.kappa_gradient(TABLE, w),
    "standard_error": lambda w: inference.standard_error(TABLE, w),
    "null_standard_error": lambda w: inference.null_standard_error(TABLE, w),
    "textbook_standard_error": lambda w: inference.textbook_standard_error(TABLE, w),
    "terms_of": lambda w: inference.terms_of(TABLE, w).expected,
    "percent_agreement": lambda w: indices.percent_agreement(TABLE, w),
    "weighted_observed_agreement": lambda w: indices.weighted_observed_agreement(TABLE, w),
    "chance_agreement": lambda w: indices.chance_agreement(TABLE, w),
    "scott_pi": lambda w: indices.scott_pi(TABLE, w),
    "krippendorff_alpha": lambda w: indices.krippendorff_alpha(TABLE, w),
    "brennan_prediger": lambda w: indices.brennan_prediger(TABLE, w),
    "kappa_max": lambda w: indices.kappa_max(TABLE, w),
}


def test_every_function_with_weights_is_here() -> None:
    functions = [*public_objects("planning", "results").values()]
    functions += [*vars(indices).values(), *vars(inference).values()]
    found = {
        function.__name__
        for function in functions
        if callable(function)
        and function.__module__.startswith("fastkappa")
        and not function.__name__.startswith("_")
        and not (isinstance(function, type) and issubclass(function, Warning))
        and "weights" in inspect.signature(function).parameters
    }
    # Results have weights, and kappas is the function that kappa_from_confusion calls.
    hold = {"AgreementResult", "Leaderboard", "MultiRaterResult", "PairwiseKappa", "kappas"}
    hold |= {"KappaDifference", "RaterComparison", "RoundingReport"}
    assert found - hold <= set(CALLS)


@pytest.mark.cover(1)
@pytest.mark.parametrize("scheme", NAMED)
@pytest.mark.parametrize("name", CALLS)
def test_a_name_means_its_matrix(name: str, scheme: str | None) -> None:
    by_name, by_matrix = CALLS[name](scheme), CALLS[name](matrix_of(scheme))
    assert np.asarray(by_name) == pytest.approx(np.asarray(by_matrix), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", CALLS)
def test_families_go_wherever_weights_do(name: str) -> None:
    distance = matrix_of("linear")
    by_family = CALLS[name](fastkappa.disagreement_weights("ordinal", LABELS))
    exact = CALLS[name](distance * (distance + 1) // 2)
    assert np.asarray(by_family) == pytest.approx(np.asarray(exact), rel=1e-9, abs=1e-12)


def test_labels_that_do_not_occur_count_in_the_distance() -> None:
    gap = [(0, 0), (0, 3), (3, 3), (4, 3), (4, 4), (0, 4)]
    first, second = (np.array(column) for column in zip(*gap))
    for scheme in NAMED:
        scorer = fastkappa.compile_scorer(LABELS, weights=scheme)
        by_matrix = fastkappa.compile_scorer(LABELS, weights=matrix_of(scheme))
        assert scorer(first, second) == pytest.approx(by_matrix(first, second), rel=1e-12)
        # Without `labels`, only the labels that occur have a position.
        found = fastkappa.cohen_kappa_score(first, second, weights=scheme)
        assert found == pytest.approx(
            fastkappa.cohen_kappa_score(first, second, weights=matrix_of(scheme, 3)), rel=1e-12
        )


def test_names_on_every_backend(backend: str) -> None:
    """The same is true of every way to count the pairs and to compute kappa from arrays."""
    for scheme in NAMED:
        scores = fastkappa.score_many(FIRST, [SECOND], weights=scheme, backend=backend)
        exact = fastkappa.kappa_from_confusion(TABLE, weights=matrix_of(scheme))
        assert scores.kappas[0] == pytest.approx(exact, rel=1e-12)


@pytest.mark.slow
def test_compiled_code_knows_every_name() -> None:
    numba = pytest.importorskip("numba")
    from fastkappa.jit import kappa_from_confusion
    from fastkappa.jit.kappas import KINDS

    assert set(KINDS) == set(NAMED)

    @numba.njit
    def kappas(table: Any, names: Any, matrices: Any) -> Any:
        by_name = [kappa_from_confusion(table, weights=name) for name in names]
        return by_name, [kappa_from_confusion(table, weights=matrix) for matrix in matrices]

    matrices = np.stack([matrix_of(scheme) for scheme in SCHEMES])
    for table in (TABLE, TABLE / 3):
        by_name, by_matrix = kappas(table, SCHEMES, matrices)
        assert by_name == pytest.approx(by_matrix, rel=1e-12)


@pytest.mark.parametrize("scheme", ["none", *SCHEMES])
def test_commands_know_every_name(scheme: str, tmp_path: Path) -> None:
    pytest.importorskip("typer")
    from tests.helpers.command_line import CommandLine

    file = tmp_path / "ratings.csv"
    rows = zip(range(400), FIRST, SECOND, THIRD, SCORES)
    file.write_text("id,a,b,c,s\n" + "".join(f"{i},{a},{b},{c},{s}\n" for i, a, b, c, s in rows))
    weights = matrix_of(None if scheme == "none" else scheme)
    kappa = pytest.approx(fastkappa.kappa_from_confusion(TABLE, weights=weights), rel=1e-12)
    named = ("--weights", scheme)
    score = CommandLine("score").json_of(file, "--y1", "a", "--y2", "b", *named)
    assert score["kappa"] == score["kappas"][scheme] == kappa
    assert "weights" in CommandLine("score").text_of(file, "--y1", "a", "--y2", "b", *named)
    assert CommandLine("agree").json_of(file, "--raters", "a", "b", *named)["kappa"] == kappa
    found = CommandLine("thresholds").json_of(
        file, "--y", "a", "--score", "s", *named, "--method", "exact"
    )
    best = fastkappa.optimal_thresholds(FIRST, SCORES, weights=weights).kappa
    assert found["kappa"]["thresholds"] == pytest.approx(best, rel=1e-12)
    prediction = tmp_path / "prediction.csv"
    prediction.write_text("id,a\n" + "".join(f"{i},{b}\n" for i, b in enumerate(SECOND)))
    board = CommandLine("leaderboard").json_of(
        file, prediction, "--id", "id", "--target", "a", "--bootstrap", 0, *named
    )
    assert board["rows"][0]["kappa"] == kappa


def test_unknown_names_are_refused() -> None:
    assert set(DEFINITIONS) == set(NAMED)
    for scheme in SCHEMES:
        assert as_weights(np.str_(scheme), 3) == scheme
    with pytest.raises(ValueError, match="weights must be None, 'linear', 'quadratic' or"):
        as_weights("cubic", 3)
    with pytest.raises(ValueError, match=r"disagreement_weights\('radical', labels\) returns one"):
        as_weights("radical", 3)
