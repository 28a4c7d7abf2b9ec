"""A scale that is reversed for some items, and labels that one rater divides, cause a warning."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from fastkappa import Ratings, cohen_kappa_score, confusion_counts, fleiss_kappa, leaderboard
from fastkappa.tables.two_codings import may_be_coded_apart, two_codings

RNG = np.random.default_rng(3)
FIRST = RNG.integers(1, 6, 300)
SECOND = np.where(RNG.random(300) < 0.8, FIRST, np.clip(FIRST + RNG.choice([-1, 1], 300), 1, 5))
REVERSED = np.where(RNG.random(300) < 0.4, 6 - SECOND, SECOND)


def test_a_scale_that_is_reversed_for_some_items() -> None:
    given = cohen_kappa_score(FIRST, REVERSED)
    folded = cohen_kappa_score(abs(FIRST - 3), abs(REVERSED - 3))
    message = f"opposite directions for some.*kappa is {given:.2f}, and {folded:.2f} if opposite"
    with pytest.warns(UserWarning, match=message):
        confusion_counts(FIRST, REVERSED)
    with pytest.warns(UserWarning, match="one and two seem .* for some"):
        fleiss_kappa(Ratings.from_raters({"one": FIRST, "two": REVERSED, "three": SECOND}))
    with pytest.warns(UserWarning, match="prediction 'two' seem .* for some"):
        leaderboard(FIRST, {"one": SECOND, "two": REVERSED}, n_resamples=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        confusion_counts(FIRST, SECOND)
        # The names of labels have no opposites.
        confusion_counts(np.array([*"_abcde"])[FIRST], np.array([*"_abcde"])[REVERSED])


@pytest.mark.parametrize("ends", [1, 3, 6])
@pytest.mark.parametrize("k", [4, 5, 7])
def test_raters_who_use_the_ends_of_a_scale_are_silent(k: int, ends: int) -> None:
    rng = np.random.default_rng(7)
    odds = np.ones(k)
    odds[[0, -1]] = ends
    n_warned = 0
    for n, right in [(60, 0.0), (120, 0.0), (60, 0.6), (300, 0.6), (120, 0.9)] * 40:
        truth = rng.choice(k, n, p=odds / odds.sum())
        raters = []
        for _ in range(2):
            guess = rng.choice(k, n, p=odds / odds.sum())
            near = np.clip(truth + rng.integers(-1, 2, n), 0, k - 1)
            raters.append(np.where(rng.random(n) < right, near, guess))
        table = np.bincount(raters[0] * k + raters[1], minlength=k * k).reshape(k, k)
        labels = np.arange(k)
        if may_be_coded_apart(labels, table, table):
            text = two_codings(labels, table, ("a", "b"), are_given=False)
            n_warned += text is not None and "for some of the items" in text
    assert n_warned <= 1


DIVIDED: dict[str, tuple[list[str], list[str]]] = {
    "letters": (["B 1", "B 2", "B 4"], ["B 4A", "B 4B", "B 4C"]),
    "digits": (["C34", "C43", "C50"], ["C50.1", "C50.2", "C50.9"]),
    "stages": (["I", "IV", "II"], ["IIa", "IIb", "IIc"]),
}


@pytest.mark.parametrize(("labels", "parts"), DIVIDED.values(), ids=DIVIDED)
def test_a_label_that_one_rater_divides(labels: list[str], parts: list[str]) -> None:
    first, second = (np.array(labels)[y % 3].tolist() for y in (FIRST, SECOND))
    fine = [parts[i % 3] if x == labels[2] else x for i, x in enumerate(second)]
    both = [(x, y) for x, y in zip(first, fine) if x == labels[2]]
    n = [both.count((labels[2], part)) for part in parts]
    shown: list[Any] = [
        f"{labels[2]!r} of y1 with {p!r} of y2 .{k} times." for p, k in zip(parts, n)
    ]
    with pytest.warns(UserWarning, match=f"labels used only by y2: {'; '.join(shown)}"):
        confusion_counts(first, fine)
    with pytest.warns(UserWarning, match=f"{parts[0]!r} of y1 with {labels[2]!r} of y2"):
        confusion_counts(fine, first)
