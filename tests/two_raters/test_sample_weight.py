"""Item weights that say how many items each one stands for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from fastkappa import agreement, cohen_kappa_score

RNG = np.random.default_rng(5)
Y1 = RNG.integers(1, 5, 40)
Y2 = np.where(RNG.random(40) < 0.6, Y1, RNG.integers(1, 5, 40))
TIMES = RNG.integers(0, 6, 40)


def figures(result: Any) -> dict[str, Any]:
    """Return all that a result says, but how many items were left out."""
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


@pytest.mark.parametrize(
    ("sample_weight", "options", "message"),
    [
        ([0.5] + [1] * 39, {}, "must be whole numbers from 0 on, .* standard errors are those of"),
        ([-1] + [1] * 39, {}, "must be whole numbers from 0 on"),
        ([np.nan] + [1] * 39, {}, "must be whole numbers from 0 on"),
        ([1e300] * 40, {}, "must be whole numbers from 0 on"),
        ([1] * 41, {"missing": "drop"}, "one weight for each of the 40 items, got 41"),
        ([1] * 39, {}, "one weight for each of the 40 items, got 39"),
        ([0] * 40, {}, "at least one non-zero"),
        ([1] * 40, {"clusters": [1, 2] * 20}, "without clusters"),
    ],
)
def test_other_weights_are_refused(
    sample_weight: list[float], options: dict[str, Any], message: str
) -> None:
    y1 = [None, *Y1[1:].tolist()] if "missing" in options else Y1
    with pytest.raises(ValueError, match=message):
        agreement(y1, Y2, sample_weight=sample_weight, **options)
