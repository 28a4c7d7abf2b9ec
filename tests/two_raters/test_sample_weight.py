"""Item weights that are the numbers of items that rows represent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from fastkappa import agreement, agreement_by, cohen_kappa_score

RNG = np.random.default_rng(5)
Y1 = RNG.integers(1, 5, 40)
Y2 = np.where(RNG.random(40) < 0.6, Y1, RNG.integers(1, 5, 40))
TIMES = RNG.integers(0, 6, 40)


def figures(result: Any) -> dict[str, Any]:
    """Return all fields of a result, except the number of items left out."""
    left_out = ("missing", "n_dropped", "n_outside")
    return {name: value for name, value in result.to_dict().items() if name not in left_out}


@pytest.mark.parametrize("make", [list, np.array, pd.Series, lambda w: np.array(w, float)])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"weights": "quadratic"},
        {"labels": [4, 3, 2, 1, 7], "interval_method": "profile"},
        {"distribution": "t", "null_kappa": 0.3},
        {"labels": [1, 2, 3]},
    ],
)
def test_weights_are_items_repeated(make: Any, options: dict[str, Any]) -> None:
    found = agreement(Y1, Y2, sample_weight=make(TIMES.tolist()), **options)
    expected = agreement(np.repeat(Y1, TIMES), np.repeat(Y2, TIMES), **options)
    assert figures(found) == figures(expected)
    if "labels" not in options:
        kappa = cohen_kappa_score(Y1, Y2, sample_weight=TIMES, weights=options.get("weights"))
        assert found.kappa == pytest.approx(kappa, abs=1e-15)


def test_weights_of_items_left_out_are_left_out() -> None:
    with_gaps = [None if i < 3 else label for i, label in enumerate(Y1.tolist())]
    found = agreement(with_gaps, Y2, missing="drop", sample_weight=TIMES.tolist())
    expected = agreement(np.repeat(Y1[3:], TIMES[3:]), np.repeat(Y2[3:], TIMES[3:]))
    assert figures(found) == figures(expected)
    assert found.n_dropped == 3
    # n is a sum of weights, so the text must say that the number left out is not.
    assert ", with 3 rows left out, was" in found.sentence()
    assert "3 rows left out because of a missing rating (3 of the first rater" in str(found)
    assert ", with 3 left out, was" in agreement(with_gaps, Y2, missing="drop").sentence()
    labels = np.unique(Y1)[:-1]
    found = agreement(Y1, Y2, labels=labels, sample_weight=TIMES)
    grouped = agreement_by(Y1, Y2, groups=GROUPS, labels=labels, sample_weight=TIMES)
    for result in (found, grouped):
        n = int((~(np.isin(Y1, labels) & np.isin(Y2, labels))).sum())
        assert f"{n} rows left out because of a rating outside the labels" in str(result)


@pytest.mark.parametrize(
    ("sample_weight", "options", "message"),
    [
        (
            [0.5] + [1] * 39,
            {},
            "must be non-negative whole numbers, .* standard errors are based on",
        ),
        ([-1] + [1] * 39, {}, "must be non-negative whole numbers"),
        ([np.nan] + [1] * 39, {}, "must be non-negative whole numbers"),
        ([1e300] * 40, {}, "must be non-negative whole numbers"),
        ([1] * 41, {"missing": "drop"}, "one weight for each of the 40 items, got 41"),
        ([1] * 39, {}, "one weight for each of the 40 items, got 39"),
        ([0] * 40, {}, "at least one non-zero"),
        ([1] * 40, {"clusters": [1, 2] * 20}, "combined with clusters"),
    ],
)
def test_other_weights_are_refused(
    sample_weight: list[float], options: dict[str, Any], message: str
) -> None:
    y1 = [None, *Y1[1:].tolist()] if "missing" in options else Y1
    with pytest.raises(ValueError, match=message):
        agreement(y1, Y2, sample_weight=sample_weight, **options)


GROUPS = RNG.choice(["x", "y", "z"], 40)


@pytest.mark.parametrize("make", [list, np.array, pd.Series, lambda w: np.array(w, float)])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"weights": "quadratic"},
        {"labels": [4, 3, 2, 1, 7], "interval_method": "profile"},
        {"labels": [1, 2, 3]},
    ],
)
def test_weights_of_grouped_items_are_items_repeated(make: Any, options: dict[str, Any]) -> None:
    times = np.where(GROUPS == "z", 0, TIMES)
    found = agreement_by(Y1, Y2, groups=GROUPS, sample_weight=make(times.tolist()), **options)
    repeated = [np.repeat(column, times) for column in (Y1, Y2, GROUPS)]
    expected = agreement_by(*repeated[:2], groups=repeated[2], **options)
    # No item of group z remains.
    assert [*found] == [*expected] == ["x", "y"]
    for group, result in found.items():
        assert figures(result) == figures(expected[group])
    assert figures(found.pooled) == figures(expected.pooled)
    assert found.equality.p_value == expected.equality.p_value


def test_weights_of_grouped_items_left_out_are_left_out() -> None:
    groups = pa.array(GROUPS).dictionary_encode()
    with_gaps = [None if i < 3 else label for i, label in enumerate(Y1.tolist())]
    found = agreement_by(
        with_gaps, Y2, groups=groups, missing="drop", sample_weight=TIMES.astype(np.uint8)
    )
    for group, result in found.items():
        inside = (group == GROUPS) & (np.arange(40) > 2)
        expected = agreement(Y1[inside], Y2[inside], sample_weight=TIMES[inside])
        assert figures(result)["kappa"] == figures(expected)["kappa"]
        assert result.n == TIMES[inside].sum()


@pytest.mark.parametrize(
    ("sample_weight", "options", "message"),
    [
        ([0.5] + [1] * 39, {}, "must be non-negative whole numbers"),
        ([1] * 39, {}, "one weight for each of the 40 items, got 39"),
        ([0] * 40, {}, "at least one non-zero"),
        ([1] * 40, {"clusters": [1, 2] * 20}, "combined with clusters"),
        ([2**62] * 40, {}, "beyond int64"),
    ],
)
def test_other_weights_of_grouped_items_are_refused(
    sample_weight: list[float], options: dict[str, Any], message: str
) -> None:
    with pytest.raises((ValueError, OverflowError), match=message):
        agreement_by(Y1, Y2, groups=GROUPS, sample_weight=sample_weight, **options)
