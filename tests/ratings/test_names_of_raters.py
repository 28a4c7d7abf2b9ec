"""The names of series and columns in reports, dictionaries and pictures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib
import numpy as np
import pandas
import pytest

matplotlib.use("agg")

from matplotlib import pyplot

from fastkappa import (
    Ratings,
    agreement,
    agreement_by,
    agreement_from_confusion,
    compare_predictions,
    pairwise_kappa,
)
from fastkappa.measurements import (
    concordance_correlation,
    intraclass_correlation,
    limits_of_agreement,
    overall_concordance_correlation,
)
from fastkappa.plotting import (
    plot_agreement,
    plot_agreement_chart,
    plot_confusion,
    plot_limits_of_agreement,
)
from tests.helpers.absent import library

polars = library("polars")

RATINGS = {"Dr. Ann": [1, 1, 2, 2, 3, 3], "Dr. Ben": [1, 2, 2, 2, 3, 1], "Cat": [1, 1, 2, 3, 3, 1]}
FRAMES = {"pandas": pandas.DataFrame(RATINGS), "polars": polars.DataFrame(RATINGS)}
UNNAMED = ("first rater", "second rater")


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_names_of_series_reach_reports(frame: Any) -> None:
    result = agreement(frame["Dr. Ann"], frame["Dr. Ben"])
    assert result.raters == ("Dr. Ann", "Dr. Ben")
    heading = "Agreement of Dr. Ann (rows) and Dr. Ben (columns) on 6 items, 3 labels, no weights"
    assert " ".join(str(result).split()).startswith(heading)
    assert f"<p>{heading}</p>" in result._repr_html_()
    assert result.to_dict()["raters"] == ["Dr. Ann", "Dr. Ben"]
    groups = agreement_by(frame["Dr. Ann"], frame["Dr. Ben"], groups=[1, 2] * 3)
    assert groups[1].raters == groups.pooled.raters == ("Dr. Ann", "Dr. Ben")
    difference = compare_predictions(frame["Dr. Ben"], frame["Cat"], y_true=frame["Dr. Ann"])
    assert "kappa of Dr. Ben" in str(difference)
    assert "kappa of Cat" in str(difference)
    for ratings in (frame, Ratings.from_raters([frame[name] for name in RATINGS])):
        assert pairwise_kappa(ratings).rater_names == tuple(RATINGS)


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_names_of_series_reach_reports_of_measurements(frame: Any) -> None:
    pair = frame["Dr. Ann"], frame["Dr. Ben"]
    limits = limits_of_agreement(*pair)
    assert str(limits).startswith("Limits of agreement, Dr. Ann minus Dr. Ben, 6 items\n")
    assert plot_limits_of_agreement(limits).get_ylabel() == "difference, Dr. Ann minus Dr. Ben"
    for result in (limits, concordance_correlation(*pair)):
        assert result.raters == ("Dr. Ann", "Dr. Ben")
        assert result.to_dict()["raters"] == ["Dr. Ann", "Dr. Ben"]
    assert "correlation of Dr. Ann and Dr. Ben, 6 items\n" in str(result)
    for each in (intraclass_correlation(frame), overall_concordance_correlation(frame)):
        assert each.raters == tuple(RATINGS)
        assert "correlation of Dr. Ann, Dr. Ben and Cat, 6 items\n" in str(each)


@pytest.mark.parametrize("numbered", [np.array, pandas.DataFrame, list])
def test_raters_of_measurements_without_names(numbered: Any) -> None:
    rows = list(map(list, zip(*RATINGS.values())))
    assert " of 3 raters, 6 items\n" in str(intraclass_correlation(numbered(rows)))
    given = (numbered(ratings) for ratings in list(RATINGS.values())[:2])
    if numbered is not pandas.DataFrame:
        result = concordance_correlation(*given)
        assert result.raters == UNNAMED
        assert " of two raters, 6 items\n" in str(result)


def test_names_of_a_cross_table_are_those_of_its_axes() -> None:
    frame = FRAMES["pandas"]
    table = pandas.crosstab(frame["Dr. Ann"], frame["Dr. Ben"])
    assert agreement_from_confusion(table).raters == ("Dr. Ann", "Dr. Ben")
    ax = plot_confusion(table)
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("Dr. Ann", "Dr. Ben")
    assert agreement(frame["Dr. Ann"], frame["Dr. Ben"]).to_dict() == {
        **agreement_from_confusion(table).to_dict()
    }


@pytest.mark.parametrize("plot", [plot_agreement, plot_confusion, plot_agreement_chart])
@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_names_reach_pictures(plot: Any, frame: Any) -> None:
    result = agreement(frame["Dr. Ann"], frame["Dr. Ben"])
    ax = plot(result)
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("Dr. Ann", "Dr. Ben")
    ax = plot(result, raters=("A", "B"))
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("A", "B")
    ax = plot(result.table)
    assert (ax.get_ylabel(), ax.get_xlabel()) == UNNAMED


def test_missing_ratings_are_counted_by_name() -> None:
    first = pandas.Series([1.0, 2.0, None, 1.0], name="Dr. Ann")
    second = pandas.Series([1.0, None, None, 2.0], name="Dr. Ben")
    text = " ".join(str(agreement(first, second, missing="drop")).split())
    assert "2 items left out because of a missing rating (1 of Dr. Ann, 2 of Dr. Ben)" in text
    text = " ".join(str(agreement(first.to_numpy(), second.to_numpy(), missing="drop")).split())
    assert "(1 of the first rater, 2 of the second)" in text


def test_without_two_names_raters_are_first_and_second() -> None:
    frame = FRAMES["pandas"]
    rating = frame["Cat"]
    with pytest.warns(UserWarning, match="y1 and y2 are the same column 'Cat'"):
        assert agreement(rating, rating).raters == UNNAMED
    assert agreement(np.array(rating), list(rating)).raters == UNNAMED
    assert agreement(rating, list(rating)).raters == ("Cat", "second rater")
    numbered = pandas.DataFrame(frame.to_numpy())
    assert agreement(numbered[0], numbered[1]).raters == UNNAMED
    assert agreement(frame[["Cat"]], frame[["Dr. Ann"]]).raters == ("Cat", "Dr. Ann")
