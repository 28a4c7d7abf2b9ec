"""All entrances warn if a pandas index shows that rows are in different orders."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fastkappa import agreement, cohen_kappa_score, leaderboard, optimal_thresholds
from fastkappa.measurements import continuous_kappa

pd = pytest.importorskip("pandas")

N = 400
RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, 4, N)
NOISE = RNG.normal(0, 0.8, N)
COLUMNS = {
    "truth": LABELS,
    "rated": np.where(RNG.random(N) < 0.7, LABELS, RNG.integers(0, 4, N)),
    "scores": LABELS + NOISE,
    "clusters": np.repeat(np.arange(N // 4), 4),
    "weights": RNG.integers(1, 4, N),
}


def _fit(name: str, model: str | None, *columns: str) -> Callable[..., Any]:
    def fit(frame: Any, other: Any) -> None:
        estimators = pytest.importorskip("fastkappa.estimators")
        models = pytest.importorskip("sklearn.linear_model")
        given = () if model is None else (getattr(models, model)(),)
        y, weights, groups = (
            (other if column in columns else frame)[column]
            for column in ("truth", "weights", "clusters")
        )
        groups = {} if name == "KappaRegressor" else {"groups": groups}
        X = frame["scores"] if name == "KappaRounder" and model is None else frame[["scores"]]
        getattr(estimators, name)(*given).fit(X, y, weights, **groups)

    return fit


# Each function gets a frame, and the same frame with its rows in another order.
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "ratings": lambda f, o: agreement(f["truth"], o["rated"]),
    "clusters": lambda f, o: agreement(f["truth"], f["rated"], clusters=o["clusters"]),
    "weights": lambda f, o: agreement(f["truth"], f["rated"], sample_weight=o["weights"]),
    "a board": lambda f, o: leaderboard(f["truth"], {"a": o["rated"]}, n_resamples=0),
    "clusters of a board": lambda f, o: leaderboard(
        f["truth"], {"a": f["rated"]}, clusters=o["clusters"], n_resamples=0
    ),
    "weights of a board": lambda f, o: leaderboard(
        f["truth"], {"a": f["rated"]}, sample_weight=o["weights"], n_resamples=0
    ),
    "scores": lambda f, o: optimal_thresholds(f["truth"], o["scores"]),
    "weights of scores": lambda f, o: optimal_thresholds(
        f["truth"], f["scores"], sample_weight=o["weights"]
    ),
    "weights of predictions": lambda f, o: continuous_kappa(
        f["truth"], f["scores"], sample_weight=o["weights"]
    ),
    "groups of scores": _fit("KappaRounder", None, "clusters"),
    "groups of a rounder": _fit("KappaRounder", "Ridge", "clusters"),
    "weights of a rounder": _fit("KappaRounder", "Ridge", "weights"),
    "labels of a decoder": _fit("KappaDecoder", "LogisticRegression", "truth"),
    "groups of a decoder": _fit("KappaDecoder", "LogisticRegression", "clusters"),
    "labels of a regressor": _fit("KappaRegressor", None, "truth"),
    "weights of a regressor": _fit("KappaRegressor", None, "weights"),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_an_index_in_another_order(call: Callable[[Any, Any], Any]) -> None:
    frame = pd.DataFrame(COLUMNS, index=[f"i{i}" for i in RNG.permutation(N)])
    with pytest.warns(UserWarning, match="have the same index in a different order") as caught:
        call(frame, frame.sort_index())
    assert {warning.filename for warning in caught} == {__file__}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call(frame, frame)
        call(frame.reset_index(drop=True), frame.reset_index(drop=True))


def test_the_drop_in_matches_by_position() -> None:
    frame = pd.DataFrame(COLUMNS, index=[f"i{i}" for i in RNG.permutation(N)])
    cohen_kappa_score(frame["truth"], frame.sort_index()["rated"])
