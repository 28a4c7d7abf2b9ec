"""Simultaneous intervals of the differences from the leader."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import studentized_range

from bench.studies.equal_predictions import equal_predictions
from fastkappa import leaderboard
from fastkappa.leaderboards import simultaneous
from fastkappa.leaderboards.simultaneous import simultaneous_intervals


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_they_are_those_of_the_largest_difference_of_any_pair(confidence: float) -> None:
    rng = np.random.default_rng(0)
    m, r = 5, 199
    kappas = np.array([0.3, 0.8, 0.5, 0.79, 0.6])
    # The errors and correlations differ, so that each pair has its own standard error.
    replicates = kappas + rng.normal(size=(r, m)) @ rng.normal(size=(m, m)) / 50
    deviations = replicates - replicates.mean(axis=0)
    errors = {
        (i, j): math.sqrt(np.mean((deviations[:, i] - deviations[:, j]) ** 2))
        for i, j in itertools.permutations(range(m), 2)
    }
    largest = sorted(
        max(abs(row[i] - row[j]) / error for (i, j), error in errors.items()) for row in deviations
    )
    quantile = largest[round(confidence * 200) - 1]
    found = simultaneous_intervals(kappas, replicates, 1, confidence)
    assert found[1].tolist() == [0, 0]
    for j in (0, 2, 3, 4):
        half = quantile * errors[1, j]
        difference = kappas[j] - 0.8
        np.testing.assert_allclose(found[j], [difference - half, difference + half], rtol=1e-12)


@pytest.mark.parametrize("m", [2, 8, 30])
def test_the_quantile_of_equal_variances_is_that_of_the_studentized_range(m: int) -> None:
    """Tukey's comparisons: the range of m independent normal variables of variance 1."""
    replicates = np.random.default_rng(m).normal(size=(20_000, m))
    found = simultaneous_intervals(np.zeros(m), replicates, 0, 0.95)
    expected = studentized_range.ppf(0.95, m, np.inf)
    np.testing.assert_allclose(found[1:, 1], expected, rtol=0.03)
    np.testing.assert_allclose(found[1:, 0], -found[1:, 1])


def test_equal_predictions_show_a_difference_on_few_leaderboards() -> None:
    """5 % of 60 is 3; with a probability of 0.996, there are at most 7."""
    shown = np.zeros(2)
    for seed in range(60):
        rng = np.random.default_rng(seed)
        truth, predictions = equal_predictions(8, 200, rng)
        board = leaderboard(truth, predictions, axis=1, n_resamples=400, rng=rng)
        shown += [
            (intervals[:, 1] < 0).any()
            for intervals in (board.difference_interval, board.simultaneous_interval)
        ]
    assert shown[0] > 25
    assert shown[1] <= 7


def test_a_real_difference_is_found_and_the_last_line_says_so() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 2000)
    wrong = [np.where(rng.random(2000) < p, (truth + 1) % 3, truth) for p in (0.1, 0.11, 0.2)]
    board = leaderboard(truth, dict(zip("abc", wrong)), rng=0)
    assert board.names == ("a", "b", "c")
    assert (board.simultaneous_interval[:, 1] < 0).tolist() == [False, False, True]
    line = (
        "Significantly below the leader: 1 of 2: c (simultaneous interval ends below 0, with a"
        " joint confidence of 95 %)."
    )
    assert " ".join(str(board).splitlines()).endswith(line)
    assert f"<p>{line}</p>" in board._repr_html_()
    assert board.sentence().endswith(f"). {line}")
    rows = board.to_dict()["rows"]
    assert [row["significantly_below"] for row in rows] == [False, False, True]
    assert board.to_frame()["significantly_below"].tolist() == [False, False, True]
    row = rows[2]
    assert row["simultaneous_interval"] == board.simultaneous_interval[2].tolist()
    low, high = board.to_frame()[["simultaneous_low", "simultaneous_high"]].to_numpy()[2]
    assert [low, high] == row["simultaneous_interval"]
    # They are longer than the separate intervals of the differences.
    lengths = np.ptp(board.simultaneous_interval, axis=1), np.ptp(board.difference_interval, axis=1)
    assert (lengths[0][1:] > lengths[1][1:]).all()


@pytest.mark.filterwarnings("ignore:n_resamples=.* is too few")
@pytest.mark.filterwarnings("ignore:prediction . has the same rating for the first 20")
def test_without_intervals_nothing_is_called_significant() -> None:
    truth = np.arange(50) % 3
    other = np.where(np.arange(50) < 20, 0, truth)
    for n_resamples in (0, 18):
        board = leaderboard(truth, [truth, other], n_resamples=n_resamples, rng=0)
        assert np.isnan(board.simultaneous_interval).all()
        assert "ignificant" not in str(board)
        assert "0: equal to the truth in every item" in str(board)
        assert "1: equal" not in str(board)
    assert not np.isnan(
        leaderboard(truth, [other, other], n_resamples=19, rng=0).simultaneous_interval
    ).any()
    assert "ignificant" not in str(leaderboard(truth, [other], rng=0))


def test_predictions_that_do_not_differ_have_intervals_of_no_length() -> None:
    rng = np.random.default_rng(1)
    truth, (prediction, _) = equal_predictions(2, 300, rng)
    board = leaderboard(truth, [prediction, prediction, prediction], weights="quadratic", rng=0)
    assert board.simultaneous_interval.tolist() == [[0, 0]] * 3
    # Rounding noise is neither a difference nor an error.
    replicates = rng.normal(size=(200, 1)) + np.array([0, 0, 1.0])
    noise = replicates + 1e-15 * rng.normal(size=(200, 3))
    found = simultaneous_intervals(np.array([0.5, 0.5 - 1e-16, 0.2]), noise, 0, 0.95)
    np.testing.assert_allclose(found, [[0, 0], [0, 0], [-0.3, -0.3]])


def test_undefined_kappas_are_left_out() -> None:
    rng = np.random.default_rng(2)
    kappas = np.array([0.2, np.nan, 0.7, 0.5])
    replicates = kappas + rng.normal(size=(99, 4)) / 9
    replicates[:, 1] = rng.normal(size=99)
    defined = [0, 2, 3]
    found = simultaneous_intervals(kappas, replicates, 2, 0.9)
    expected = simultaneous_intervals(kappas[defined], replicates[:, defined], 1, 0.9)
    np.testing.assert_array_equal(found[defined], expected)
    assert np.isnan(found[1]).all()
    # A replicate in which one kappa is undefined still counts for the others.
    some = replicates[:, defined].copy()
    some[5, 0] = np.nan
    found = simultaneous_intervals(kappas[defined], some, 1, 0.9)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, expected, rtol=0.1)


@pytest.mark.parametrize("kind", ["own", "close", "rounded", "rare", "copies", "noise", "missing"])
def test_threads_and_blocks_change_no_bit(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    for m, r in ((130, 19), (150, 240)):
        own = rng.normal(0, 0.003, (r, m))
        if kind == "close":
            own *= 10.0 ** -rng.integers(0, 12, m)
        elif kind == "rounded":
            own = own.round(3)
        elif kind == "rare":
            own = own[:, :1] + 1e-6 * (rng.random((r, m)) < 0.01)
        elif kind == "copies":
            own = own[:, rng.integers(0, m // 3, m)]
        elif kind == "noise":
            own = own[:, :1] + 1e-16 * own
        elif kind == "missing":
            own[rng.random((r, m)) < 0.01] = np.nan
        replicates = rng.random(m) + rng.normal(size=(r, 1)) / 100 + own
        kappas = np.nanmean(replicates, axis=0)
        for confidence in (0.5, 0.8, 0.95, 0.999):
            arguments = kappas, replicates, int(kappas.argmax()), confidence
            found = simultaneous_intervals(*arguments, 2)
            with monkeypatch.context() as patch:
                patch.setattr(simultaneous, "ROWS", m)
                expected = simultaneous_intervals(*arguments, 1)
            np.testing.assert_array_equal(found, expected)
