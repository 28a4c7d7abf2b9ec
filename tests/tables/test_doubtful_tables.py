"""Tables of two raters that suggest sorted labels, or items that are left out, cause a warning."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastkappa import (
    ConfusionAccumulator,
    Ratings,
    agreement,
    agreement_by,
    confusion_counts,
    confusion_from_source,
    fleiss_kappa,
    leaderboard,
)
from tests.helpers.command_line import write_csv


def _sorted_pairs(*, as_raters: bool = False) -> tuple[Any, Any]:
    """Return two raters' words for 300 items, in alphabetical order within each item."""
    rng = np.random.default_rng(0)
    words = np.array(["anger", "fear", "joy", "other"])
    first, second = (rng.integers(0, 4, 300) for _ in "ab")
    second = np.where(rng.random(300) < 0.6, first, second)
    pairs = [first, second] if as_raters else np.sort([first, second], axis=0)
    return tuple(words[own] for own in pairs)


@pytest.mark.parametrize("way", [1, -1])
def test_labels_sorted_within_each_item(way: int, tmp_path: Path) -> None:
    y1, y2 = _sorted_pairs()[::way]
    n = np.count_nonzero(y1 != y2)
    assert n >= 30
    one, two = ("y1", "y2")[::way]
    message = f"in all {n} disagreements, the label of {{}} comes before the label of {{}} in the"
    for call in (confusion_counts, agreement):
        with pytest.warns(UserWarning, match=message.format(one, two)):
            call(y1, y2)
    with pytest.warns(UserWarning, match=message.format(*("one", "two")[::way])):
        fleiss_kappa(Ratings.from_raters({"one": y1, "two": y2}))
    with pytest.warns(UserWarning, match=f"in all {n} disagreements"):
        leaderboard(y1, {"one": y2, "two": y1}, n_resamples=0)
    path = write_csv(tmp_path / "pairs.csv", a=y1, b=y2)
    with pytest.warns(UserWarning, match=f"in all {n} disagreements"):
        confusion_from_source(path, "a", "b")


def test_unsorted_pairs_and_raters_of_two_labels() -> None:
    y1, y2 = _sorted_pairs()
    few = np.random.default_rng(0).permutation(np.flatnonzero(y1 != y2))[29:]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        confusion_counts(*_sorted_pairs(as_raters=True))
        confusion_counts(np.delete(y1, few), np.delete(y2, few))
        # One rater has only the first label.
        confusion_counts(np.full(300, "anger"), _sorted_pairs(as_raters=True)[1])
        # One rater is stricter than the other, so all disagreements are on one side.
        rng = np.random.default_rng(0)
        grades, quality = (
            np.array(["mild", "moderate", "severe", "very severe"]),
            rng.normal(size=800),
        )
        first, second = (np.searchsorted([-0.5, 0, 0.5], quality + by) for by in (0, 0.6))
        assert len({*zip(first, second)} - {*zip(first, first)}) > 3
        confusion_counts(grades[first], grades[second])


@pytest.mark.parametrize("table", [[[90, 10, 30], [10, 90, 30], [40, 40, 0]], [[150, 50], [60, 0]]])
@pytest.mark.parametrize("labels", [("none", "org", "per"), (0, 1, 2)])
def test_items_without_findings_that_are_left_out(table: Any, labels: Any, tmp_path: Path) -> None:
    labels = labels[::-1][-len(table) :]
    rows, columns = np.repeat(np.indices(np.shape(table)).reshape(2, -1), np.ravel(table), axis=1)
    y1, y2 = ([labels[i] for i in own] for own in (rows, columns))
    n, m = sum(table[-1]), sum(row[-1] for row in table)
    message = f"never agree on {labels[-1]!r}, although they use it {n} and {m} times and mostly"
    with pytest.warns(UserWarning, match=f"y1 and y2 {message}"):
        agreement(y1, y2)
    with pytest.warns(UserWarning, match=f"one and two {message}"):
        fleiss_kappa(Ratings.from_raters({"one": y1, "two": y2}))
    with pytest.warns(UserWarning, match=message):
        leaderboard(y1, {"one": y2}, n_resamples=0)
    path = write_csv(tmp_path / "spans.csv", a=y1, b=y2)
    with pytest.warns(UserWarning, match="never agree on"):
        confusion_from_source(path, "a", "b")
    # With a single agreement, or fewer agreements by chance, there is no warning.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        once = [*y1, labels[-1]], [*y2, labels[-1]]
        agreement(*once, labels=sorted({*y1}))
        agreement([labels[0]] * 2000 + y1, [labels[0]] * 2000 + y2, labels=sorted({*y1}))


def test_counts_that_are_passed_are_not_advised() -> None:
    """Each pair of labels occurs once, and the numbers of items are passed."""
    first, second = np.repeat(range(3), 3), np.tile(range(3), 3)
    accumulator = ConfusionAccumulator()
    accumulator.update(first, second)
    for count in (
        lambda: agreement(first, second),
        lambda: confusion_counts(first, second),
        accumulator.kappa,
    ):
        with pytest.warns(UserWarning, match="each pair of labels of y1 and y2 occurs once"):
            count()
    ones = np.ones(9, int)
    agreement(first, second, sample_weight=ones)
    agreement_by(first, second, groups=ones, sample_weight=ones)
    confusion_counts(first, second, sample_weight=ones)
    accumulator = ConfusionAccumulator()
    accumulator.update(first, second, sample_weight=ones)
    assert accumulator.kappa() == 0
