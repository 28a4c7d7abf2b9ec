"""Item weights in a leaderboard: kappa, bootstrap intervals, files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastkappa import cohen_kappa_score, leaderboard, score_many
from tests.helpers.command_line import CommandLine, write_csv

N = 400
RNG = np.random.default_rng(8)
TRUTH = RNG.integers(0, 4, N)
PREDICTIONS = {
    name: np.where(RNG.random(N) < right, TRUTH, RNG.integers(0, 4, N))
    for name, right in (("a", 0.8), ("b", 0.5))
}
WEIGHTS = RNG.uniform(0, 3, N)
IDS = RNG.permutation(N)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@pytest.mark.parametrize("labels", [None, [0, 1, 2, 3], [0, 1, 2]])
def test_kappas_are_weighted(weights: Any, labels: Any, backend: str) -> None:
    options: dict[str, Any] = {"weights": weights, "labels": labels, "backend": backend}
    options |= {"allow_other_labels": labels is not None}
    found = leaderboard(TRUTH, PREDICTIONS, sample_weight=WEIGHTS, n_resamples=50, rng=0, **options)
    expected = score_many(TRUTH, PREDICTIONS, sample_weight=WEIGHTS, **options)
    assert found.kappa == pytest.approx(expected.kappas, abs=1e-14)
    assert found.n.tolist() == [N - n for n in expected.n_outside]
    if labels is None:
        kappa = cohen_kappa_score(TRUTH, PREDICTIONS["a"], weights=weights, sample_weight=WEIGHTS)
        assert found.kappa[0] == pytest.approx(kappa, abs=1e-14)


@pytest.mark.parametrize("weights", [None, "quadratic"])
@pytest.mark.parametrize("clusters", [None, np.arange(N) // 4])
def test_weights_of_one_change_nothing_but_the_interval_of_kappa(
    weights: Any, clusters: Any
) -> None:
    options: dict[str, Any] = {"weights": weights, "clusters": clusters, "rng": 0}
    plain = leaderboard(TRUTH, PREDICTIONS, **options)
    for ones in (np.ones(N, int), np.full(N, 0.25)):
        found = leaderboard(TRUTH, PREDICTIONS, sample_weight=ones, **options)
        for name in ("kappa", "difference_interval", "simultaneous_interval", "rank", "n"):
            np.testing.assert_allclose(getattr(found, name), getattr(plain, name), atol=1e-9)


def test_the_bootstrap_draws_items_with_their_weights() -> None:
    """Each replicate is the kappa of items drawn with replacement, with their weights."""
    found = leaderboard(TRUTH, PREDICTIONS, sample_weight=WEIGHTS, n_resamples=4000, rng=1)
    rng = np.random.default_rng(2)
    drawn = []
    for _ in range(1000):
        items = rng.integers(0, N, N)
        both = [
            cohen_kappa_score(TRUTH[items], column[items], sample_weight=WEIGHTS[items])
            for column in PREDICTIONS.values()
        ]
        drawn.append([both[0], both[1] - both[0]])
    expected = np.quantile(drawn, [0.025, 0.975], axis=0)
    np.testing.assert_allclose(found.interval[0], expected[:, 0], atol=0.012)
    np.testing.assert_allclose(found.difference_interval[1], expected[:, 1], atol=0.02)


def test_ids_files_and_items_that_are_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = np.arange(N) >= 5
    expected = score_many(TRUTH[kept], {"a": PREDICTIONS["a"][kept]}, sample_weight=WEIGHTS[kept])
    truth = [None if i < 5 else label for i, label in enumerate(TRUTH.tolist())]
    order = RNG.permutation(N)
    by_id = {"a": (IDS[order], PREDICTIONS["a"][order])}
    options: dict[str, Any] = {"n_resamples": 50, "rng": 0}
    found = leaderboard(truth, by_id, ids=IDS, missing="drop", sample_weight=WEIGHTS, **options)
    assert found.kappa == pytest.approx(expected.kappas, abs=1e-14)
    part = {"a": (IDS[kept], PREDICTIONS["a"][kept])}
    options |= {"on_mismatch": "drop", "min_coverage": 0.9}
    found = leaderboard(TRUTH, part, ids=IDS, sample_weight=WEIGHTS, **options)
    assert found.kappa == pytest.approx(expected.kappas, abs=1e-14)
    monkeypatch.chdir(tmp_path)
    write_csv(Path("truth.csv"), id=IDS, y=TRUTH, w=WEIGHTS)
    write_csv(Path("a.csv"), id=IDS[order], y=PREDICTIONS["a"][order])
    command = CommandLine("leaderboard", "truth.csv", "a.csv", "--id", "id", "--target", "y")
    text = command.text_of("--sample-weight", "w", "--bootstrap", "0", "--format", "json")
    whole = score_many(TRUTH, {"a": PREDICTIONS["a"]}, sample_weight=WEIGHTS)
    assert json.loads(text)["rows"][0]["kappa"] == pytest.approx(float(whole.kappas[0]), abs=1e-14)
    write_csv(Path("truth.csv"), id=IDS, y=TRUTH, w=["much", *WEIGHTS[1:]])
    assert "column 'w' of truth.csv must contain numeric item weights" in command.refusal(
        "--sample-weight", "w"
    )


@pytest.mark.parametrize(
    ("sample_weight", "message"),
    [
        ([1] * (N - 1), f"one weight for each of the {N} items"),
        ([-1] * N, "must not contain negative numbers"),
        ([0] * N, "at least one non-zero"),
        ([np.nan] * N, "sample_weight"),
    ],
)
def test_other_weights_are_refused(sample_weight: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        leaderboard(TRUTH, PREDICTIONS, sample_weight=sample_weight)
