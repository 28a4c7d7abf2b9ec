"""Rows of a rater who rated an item more than once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastkappa
from fastkappa import Ratings
from tests.helpers.command_line import write_csv


def test_duplicates_keep_the_first_or_the_last_rating() -> None:
    items, raters = [1, 1, 2, 1, 2, 2, 1], list("abaabbb")
    ratings = ["x", "y", "x", "z", "y", "x", None]
    wide: dict[Any, Any] = {
        # Ratings of items 1 and 2, by a and by b.
        "first": {"a": ["x", "x"], "b": ["y", "y"]},
        "last": {"a": ["z", "x"], "b": ["y", "x"]},
    }
    for which, columns in wide.items():
        found = Ratings.from_long(item=items, rater=raters, rating=ratings, duplicates=which)
        expected = Ratings.from_raters(columns, labels=["x", "y", "z"])
        of_found, of_expected = (
            fastkappa.pairwise_kappa(given).values for given in (found, expected)
        )
        np.testing.assert_array_equal(of_found, of_expected)
    with pytest.raises(ValueError, match="use duplicates='first' or 'last' to keep one rating"):
        Ratings.from_long(item=items, rater=raters, rating=ratings)
    with pytest.raises(ValueError, match="duplicates must be 'error', 'first' or 'last', got"):
        Ratings.from_long(item=items, rater=raters, rating=ratings, duplicates="mean")  # type: ignore[arg-type]


@pytest.mark.parametrize("source", ["mapping", "frame", "file"])
def test_duplicates_of_a_source(source: str, tmp_path: Path) -> None:
    columns = {"i": [1, 1, 2, 1, 2], "r": [*"abaab"], "v": [*"xyxzy"]}
    made: dict[str, Callable[[], Any]] = {
        "mapping": lambda: columns,
        "frame": lambda: pytest.importorskip("pandas").DataFrame(columns),
        "file": lambda: write_csv(tmp_path / "r.csv", **columns),
    }
    given = made[source]()
    names = {"item": "i", "rater": "r", "rating": "v"}
    for which, label in (("first", "x"), ("last", "z")):
        found = Ratings.from_long(given, **names, duplicates=which)
        expected = Ratings.from_raters({"a": [label, "x"], "b": ["y", "y"]})
        assert fastkappa.fleiss_kappa(found).value == fastkappa.fleiss_kappa(expected).value
    with pytest.raises(ValueError, match="to keep one rating"):
        Ratings.from_long(given, **names)
