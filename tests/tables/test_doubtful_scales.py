"""Labels at the end of a scale, and percentages, that are probably mistakes cause a warning."""

from __future__ import annotations

import csv
import warnings
from pathlib import Path

import numpy as np
import pytest

from fastkappa import (
    ConfusionAccumulator,
    Ratings,
    agreement,
    agreement_by,
    compare_predictions,
    confusion_from_source,
    fleiss_kappa,
    leaderboard,
    score_many,
)
from fastkappa.tables.doubtful_tables import warn_of_end
from tests.helpers.absent import library

pandas = library("pandas")


@pytest.mark.parametrize(("code", "lowest", "n_labels"), [(0, 1, 5), (-1, 0, 2), (6, 1, 5)])
def test_a_label_at_the_end_that_stands_for_a_missing_rating(
    code: int, lowest: int, n_labels: int
) -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(lowest, lowest + n_labels, 800)
    y1, y2 = (
        np.where(rng.random(800) < 0.75, truth, rng.integers(lowest, lowest + n_labels, 800))
        for _ in "ab"
    )
    first, second = (np.where(rng.random(800) < 0.08, code, y) for y in (y1, y2))
    match = f"agree on {code} only as often as expected by chance"
    with pytest.warns(UserWarning, match=match):
        agreement(first, second)
    with pytest.warns(UserWarning, match=match):
        leaderboard(first, {"one": second}, n_resamples=0)
    with pytest.warns(UserWarning, match=f"the raters {match}"):
        fleiss_kappa(Ratings.from_raters({"one": first, "two": second, "three": y1}))
    total = ConfusionAccumulator()
    total.update(first, second)
    with pytest.warns(UserWarning, match=match):
        total.kappa()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        agreement(y1, y2)
        agreement(first, second, missing="drop", missing_codes=[code])
        agreement(first, second, labels=sorted({*first, *second}))


def test_labels_at_the_end_of_a_scale_are_silent() -> None:
    rng = np.random.default_rng(6)
    n_warned = 0
    for n, noise, bias in ((100, 0.5, 0.0), (1000, 1.0, 0.0), (1000, 0.4, 1.5), (5000, 2.0, 0.5)):
        for _ in range(50):
            latent, cuts = rng.normal(size=n), np.sort(rng.normal(0, 1.2, 4))
            first, second = (
                np.digitize(latent + noise * rng.normal(size=n) + shift, cuts)
                for shift in (0.0, bias)
            )
            table = np.bincount(5 * first + second, minlength=25).reshape(5, 5)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                n_warned += warn_of_end(np.arange(5), table, ("a", "b"))
    assert not n_warned


def test_percentages_need_weights() -> None:
    rng = np.random.default_rng(7)
    y1 = rng.integers(0, 101, 300)
    y2 = np.clip(y1 + rng.integers(-5, 6, 300), 0, 100)
    match = "more often close than equal"
    with pytest.warns(UserWarning, match=match):
        agreement(y1, y2)
    with pytest.warns(UserWarning, match=match):
        agreement_by(y1, y2, groups=["a"] * 300)
    with pytest.warns(UserWarning, match=match):
        compare_predictions(y2, y2[::-1], y_true=y1)
    topics = rng.integers(0, 60, 300)
    other = np.where(rng.random(300) < 0.6, topics, rng.integers(0, 60, 300))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        agreement(y1, y2, weights="quadratic")
        agreement(topics, other)


def test_a_scale_of_twice_the_length() -> None:
    rng = np.random.default_rng(0)
    first = rng.integers(1, 6, 300)
    second = np.clip(2 * first - rng.integers(0, 4, 300), 1, 10)
    correlation = np.corrcoef(first, second)[0, 1]
    message = f"from 1 to 5 for .* and from 1 to 10 for .*: .* correlation is {correlation:.2f}"
    with pytest.warns(UserWarning, match=message):
        agreement(first, second)
    with pytest.warns(UserWarning, match=message):
        leaderboard(first, {"judge": second})
    with pytest.warns(UserWarning, match=message):
        confusion_from_source({"a": first, "b": second}, "a", "b")
    # A rater who avoids the upper half of the scale uses the same scale.
    lenient = np.clip(first, 1, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        agreement(lenient, np.clip(lenient + rng.integers(-1, 3, 300), 1, 5))


def test_predictions_outside_the_range_of_the_truth(tmp_path: Path) -> None:
    """All items that a model gave the last grade, 4, have 5 instead."""
    pytest.importorskip("typer")
    from tests.helpers.command_line import CommandLine

    rng = np.random.default_rng(0)
    truth = rng.choice(5, 400, p=[0.4, 0.2, 0.2, 0.1, 0.1])
    close = np.clip(truth + rng.integers(-1, 2, 400), 0, 4)
    replaced = np.where(close == 4, 5, close)
    n = np.count_nonzero(close == 4)
    match = rf"has 5 for {n} items, but the labels of y_true are 0 to 4\. Correct prediction"
    two = {"close": close, "replaced": replaced}
    for function in (leaderboard, score_many):
        with pytest.warns(UserWarning, match=f"prediction 'replaced' {match}") as warned:
            function(truth, two)
        assert len(warned) == 1
    with pytest.warns(UserWarning, match=f"has '5' for {n} items.*'0' to '4'"):
        leaderboard([*map(str, truth)], {"replaced": [*map(str, replaced)]})
    with pytest.warns(UserWarning, match=f"has -2 for {np.count_nonzero(close == 0)} items"):
        leaderboard(truth, {"lowest": np.where(close == 0, -2, close)})
    with pytest.warns(UserWarning, match=f"second has 5 for {n} items"):
        compare_predictions(close, replaced, y_true=truth)
    for name, own in {"truth": truth, **two}.items():
        with open(tmp_path / f"{name}.csv", "w", newline="") as file:
            csv.writer(file).writerows([("id", "grade"), *enumerate(own.tolist())])
    command, files = CommandLine("leaderboard"), [tmp_path / f"{x}.csv" for x in ("truth", *two)]
    text = command.run(*files, "--id", "id", "--target", "grade").stderr
    assert f"has 5 for {n} items, but the labels of" in " ".join(text.split())
    assert "pass --labels with all labels of the scale" in " ".join(text.split())

    grades = pandas.CategoricalDtype(range(6), ordered=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        leaderboard(truth, {"replaced": replaced}, labels=range(6))
        leaderboard(pandas.Series(truth, dtype=grades), {"replaced": replaced})
        # In a small sample, the truth can lack a grade by chance. Two raters can avoid grades.
        leaderboard(truth[:30].clip(max=3), {"close": close[:30]})
        agreement(truth.clip(max=3), close)
