"""Refusals of the functions for several raters, and names in reports and pictures."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import fastkappa
from fastkappa import Ratings, agreement, agreement_by, agreement_from_confusion, fleiss_kappa
from fastkappa.plotting.grid import read_table

CROSSTAB = pd.crosstab(pd.Series(list("abab")), pd.Series(list("abbb")))
NOT_TABLES: list[tuple[Any, str]] = [
    (None, "None"),
    (3, "3"),
    ("abc", "'abc'"),
    ({1}, r"\{1\}"),
    ({"a": [1, 2]}, r"\{'a': \[1, 2\]\}"),
    (np.ones(3), r"an array of shape \(3,\)"),
    ([1, 2], "a list that contains no lists"),
]


@pytest.mark.parametrize(("ratings", "got"), NOT_TABLES, ids=str)
def test_ratings(ratings: Any, got: str) -> None:
    with pytest.raises(ValueError, match=f"ratings must have one row .* per rater, got {got}"):
        fleiss_kappa(ratings)


@pytest.mark.parametrize("raters", [None, 3, "ab", b"ab"])
def test_raters(raters: Any) -> None:
    with pytest.raises(ValueError, match=f"raters must be a list or a dict .* got {raters!r}"):
        Ratings.from_raters(raters)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (None, "counts must be a table of numbers .* got None"),
        ([["a", "b"]], r"counts must be a table of numbers .* got \[\['a', 'b'\]\]"),
        ([[1, 2], [3]], r"counts must be a table of numbers .* got \[\[1, 2\], \[3\]\]"),
        ([1, 2], r"counts must be a table of numbers .* got an array of shape \(2,\)"),
        (np.ma.array([[3, 0]], mask=[[0, 1]]), "counts must not have masked entries"),
        (np.zeros((0, 2)), r"counts must not be empty, got shape \(0, 2\)"),
    ],
)
def test_counts(counts: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Ratings.from_counts(counts)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1, None], "labels must not contain missing values, got None"),
        (3, "labels must be .* got 3"),
        ("ab", "labels must be .* got 'ab'"),
    ],
)
def test_labels(labels: Any, message: str) -> None:
    for take in (
        lambda: Ratings.from_counts([[3, 0], [1, 2]], labels=labels),
        lambda: Ratings.from_array([[1, 2], [1, 1]], labels=labels),
        lambda: agreement([1, 2], [1, 1], labels=labels),
        lambda: agreement_by([1, 2], [1, 1], groups=[0, 0], labels=labels),
    ):
        with pytest.raises(ValueError, match=message):
            take()


def test_ragged_weights() -> None:
    with pytest.raises(ValueError, match="weights must have rows of equal length"):
        fleiss_kappa([[1, 2], [1, 1]], weights=[[0, 1], [1]])
    with pytest.raises(ValueError, match="weights must not have masked entries"):
        fleiss_kappa([[1, 2], [1, 1]], weights=np.ma.array([[0, 1], [1, 0]], mask=np.eye(2)))


def test_labels_of_a_data_frame() -> None:
    """They are the labels of rows and columns for every function that accepts a table."""
    assert Ratings.from_table(CROSSTAB).labels.tolist() == ["a", "b"]
    assert Ratings.from_table(CROSSTAB, labels=[1, 2]).labels.tolist() == [1, 2]
    counts = pd.DataFrame([[3, 0], [1, 2]], columns=["no", "yes"])
    assert Ratings.from_counts(counts).labels.tolist() == ["no", "yes"]
    assert read_table(CROSSTAB, None)[1] == ["a", "b"]
    assert read_table(CROSSTAB, ["x", "y"])[1] == ["x", "y"]
    assert read_table(CROSSTAB.to_numpy(), None)[1] == ["0", "1"]
    assert agreement_from_confusion(CROSSTAB).labels.tolist() == ["a", "b"]


def test_no_probability_is_printed_as_0() -> None:
    """With 15000 items, z exceeds 100: exp(-z**2 / 2) is less than any positive float."""
    items = np.tile([0, 1, 1], 5000)
    pair = agreement(items, items.copy())
    several = fleiss_kappa(np.c_[items, items, [1, *items[1:]]])
    assert (pair.p_value, several.p_value) == (0, 0)
    assert re.search(r"^p of kappa = 0 +< 1e-300$", str(pair), re.MULTILINE)
    assert "< 1e-300" in pair._repr_html_() or "&lt; 1e-300" in pair._repr_html_()
    lines = str(several).splitlines()
    assert [line.endswith("< 1e-300") for line in lines if line.startswith("p ")] == [True]


@pytest.mark.parametrize(
    "take",
    [
        fastkappa.krippendorff_alpha,
        fastkappa.fleiss_kappa,
        fastkappa.measurements.intraclass_correlation,
    ],
)
def test_a_mapping_of_raters_gets_the_name_of_what_takes_it(take: Any) -> None:
    raters = {"a": [1, 2, 2, 3], "b": [1, 2, 3, 3]}
    with pytest.raises(
        ValueError, match=r"got \{.*use Ratings\.from_raters, or convert the mapping .*DataFrame"
    ):
        take(raters)
    assert fastkappa.fleiss_kappa(Ratings.from_raters(raters)).value == pytest.approx(
        fastkappa.fleiss_kappa(pd.DataFrame(raters)).value
    )
