"""Ratings that were added to items in dispute cause a warning, because they bias coefficients."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastkappa import Ratings
from fastkappa.multirater.items.doubtful_raters import warn_of_derived

RNG = np.random.default_rng(1)
N = 200


def _rate(truth: Any, right: float = 0.8, n_labels: int = 3, rng: Any = RNG) -> Any:
    guess = rng.integers(0, n_labels, len(truth))
    return np.where(rng.random(len(truth)) < right, truth, guess)


TRUTH = RNG.integers(0, 3, N)
ANN, BEN, VOTE = _rate(TRUTH), _rate(TRUTH), _rate(TRUTH)
DISPUTED = ANN != BEN
CAT = np.where(DISPUTED, VOTE, -1)
# The others agree on a few of the items of an adjudicator, or disagree on a few other items.
NEARLY = np.where(DISPUTED & (np.cumsum(DISPUTED) > 1), VOTE, -1)
RATED = np.concatenate([ANN, BEN, CAT]) >= 0
LONG = {"item": np.tile(np.arange(N), 3)[RATED], "rating": np.concatenate([ANN, BEN, CAT])[RATED]}
ADJUDICATED = rf"cat rated {DISPUTED.sum()} items: .* other raters disagree.* leave cat out"
ADDED = "disagree on nearly all items with more than 2 ratings.* only the first 2 ratings"


@pytest.mark.parametrize("votes", [CAT, NEARLY], ids=["all", "nearly all"])
def test_an_adjudicator(votes: Any) -> None:
    raters = {"ann": ANN, "ben": BEN, "cat": votes}
    with pytest.warns(UserWarning, match=f"cat rated {(votes >= 0).sum()} items.* leave cat out"):
        Ratings.from_raters(raters, missing_codes=[-1])


def test_an_adjudicator_in_long_form(tmp_path: Path) -> None:
    names = np.repeat(["ann", "ben", "cat"], N)[RATED]
    with pytest.warns(UserWarning, match=ADJUDICATED):
        Ratings.from_long(rater=names, **LONG)
    pytest.importorskip("typer")
    from tests.helpers.command_line import CommandLine, write_csv

    path = write_csv(tmp_path / "long.csv", rater=names, **LONG)
    options = ["--item", "item", "--rater", "rater", "--rating", "rating"]
    assert "If this rater settles disputes" in CommandLine("agree").run(path, *options).stderr
    run = CommandLine("agree").run(path, *options, "--raters", "ann", "ben")
    assert "settles" not in run.stderr


def test_votes_until_there_is_a_majority() -> None:
    workers = RNG.permutation(RATED.sum())
    with pytest.warns(UserWarning, match=ADDED):
        Ratings.from_long(rater=workers, **LONG)
    of_each = np.stack([ANN, BEN, CAT])
    with pytest.warns(UserWarning, match=ADDED):
        Ratings.from_counts((of_each[:, :, None] == np.arange(3)).sum(axis=0))
    # Each of six raters rated some of the items.
    six = np.full((6, N), -1)
    for item, votes in enumerate(of_each.T):
        six[RNG.permutation(6)[: (votes >= 0).sum()], item] = votes[votes >= 0]
    with pytest.warns(UserWarning, match=ADDED):
        Ratings.from_array(six.T, missing_codes=[-1])


def test_ordinary_missing_ratings_are_silent() -> None:
    rng = np.random.default_rng(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(300):
            m, n, n_labels = rng.integers(3, 7), rng.choice([30, 100, 300]), rng.integers(2, 5)
            truth = rng.integers(0, n_labels, n)
            right = rng.choice([0.5, 0.7, 0.9])
            codes = np.stack([_rate(truth, right, n_labels, rng) for _ in range(m)])
            codes[rng.random(codes.shape) < rng.choice([0.1, 0.4, 0.7])] = n_labels
            # An expert rated a sample of the items.
            codes[0, rng.random(n) < 0.7] = n_labels
            warn_of_derived(codes, np.arange(n_labels), [*"abcdefg"[:m]])
