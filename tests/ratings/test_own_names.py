"""Series and raters whose ratings contain the name of the column, as in a repeated row of names."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

from fastkappa import (
    ConfusionAccumulator,
    Ratings,
    agreement,
    agreement_by,
    compare_predictions,
    confusion_counts,
    fleiss_kappa,
    leaderboard,
    pairwise_kappa,
    score_many,
)
from tests.helpers.absent import library

pd = library("pandas")
GROUPS = ["g", "h"] * 20
ENTRANCES: dict[str, Callable[[Any, Any], object]] = {
    "agreement": agreement,
    "agreement_by": lambda y1, y2: agreement_by(y1, y2, groups=GROUPS),
    "confusion_counts": confusion_counts,
    "accumulator": lambda y1, y2: ConfusionAccumulator().update(y1, y2),
    "compare_predictions": lambda y1, y2: compare_predictions(y2, [*y2], y_true=y1),
    "score_many": lambda y1, y2: score_many(y1, {"one": y2}),
    "leaderboard": lambda y1, y2: leaderboard(y1, pd.DataFrame({"ben": y2}), n_resamples=0),
    "pairwise_kappa": lambda y1, y2: pairwise_kappa(pd.concat([y1, y2], axis=1)),
    "fleiss_kappa": lambda y1, y2: fleiss_kappa(pd.concat([y1, y2], axis=1)),
    "from_raters": lambda y1, y2: Ratings.from_raters({"ann": y1, "ben": y2}),
}


@pytest.mark.parametrize("name", ENTRANCES)
def test_a_row_of_names_among_ratings(name: str) -> None:
    y1, y2 = ([*"xyzx" * 9, "xz"[i], "yz"[i], "z", "x"] for i in (0, 1))
    for is_repeated in (True, False):
        first, second = (
            pd.Series([*own[:20], title if is_repeated else "x", *own[21:]], name=title)
            for own, title in ((y1, "ann"), (y2, "ben"))
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ENTRANCES[name](first, second)
        said = [str(one.message) for one in caught]
        for title in ("ann", "ben"):
            # A leaderboard judges the truth alone and beside each prediction, in the same words.
            found = {text for text in said if f"{title!r}, which is also the name of" in text}
            assert len(found) == is_repeated, said
