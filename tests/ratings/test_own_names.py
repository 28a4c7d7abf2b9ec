"""Series and raters whose ratings contain the name of the column, as in a repeated row of names."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

from fastkappa import (
    Ratings,
    agreement,
    agreement_by,
    confusion_counts,
    fleiss_kappa,
    pairwise_kappa,
)
from tests.helpers.absent import library

pd = library("pandas")
GROUPS = ["g", "h"] * 20
ENTRANCES: dict[str, Callable[[Any, Any], object]] = {
    "agreement": agreement,
    "agreement_by": lambda y1, y2: agreement_by(y1, y2, groups=GROUPS),
    "confusion_counts": confusion_counts,
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
        found = [text for text in said if "'ann', which is also the name of the column" in text]
        assert len(found) == is_repeated, said
