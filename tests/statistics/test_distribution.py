"""Two raters and several raters offer the same choice of errors and quantiles."""

from __future__ import annotations

import inspect
import json
import math
from typing import Any

import numpy as np
import pytest

import fastkappa
from fastkappa import agreement, agreement_from_confusion, conger_kappa, light_kappa
from fastkappa.statistics import distributions

FUNCTIONS = {
    "agreement": "normal",
    "agreement_from_confusion": "normal",
    "fleiss_kappa": "t",
    "conger_kappa": "t",
    "light_kappa": "t",
    "randolph_kappa": "t",
    "gwet_ac1": "t",
    "gwet_ac2": "t",
    "krippendorff_alpha": "t",
}
RATINGS = np.random.default_rng(4).integers(0, 3, (25, 2))
RATINGS[:12, 1] = RATINGS[:12, 0]


def close(values: Any) -> Any:
    return pytest.approx(values, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_defaults_are_the_published_ones(name: str) -> None:
    parameters = inspect.signature(getattr(fastkappa, name)).parameters
    assert parameters["distribution"].default == FUNCTIONS[name]


@pytest.mark.parametrize("distribution", ["normal", "t"])
@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_the_same_kappa_has_the_same_error(weights: Any, distribution: Any) -> None:
    pair = agreement(
        *RATINGS.T, weights=weights, distribution=distribution, interval_method="asymptotic"
    )
    for function in (conger_kappa, light_kappa):
        several = function(
            RATINGS, weights=weights, distribution=distribution, interval_method="asymptotic"
        )
        assert several.value == close(pair.kappa)
        assert several.standard_error == close(pair.standard_error)
        assert several.interval == close(pair.interval)
        assert several.to_dict()["distribution"] == pair.to_dict()["distribution"] == distribution


def test_student_s_t_of_two_raters() -> None:
    table = agreement(*RATINGS.T).table
    normal = agreement_from_confusion(table)
    student = agreement_from_confusion(table, distribution="t")
    factor = math.sqrt(25 / 24)
    for (name, value, error, _), (_, same, larger, (low, high)) in zip(
        normal.rows(), student.rows()
    ):
        if name.startswith("agreement on"):
            continue  # The agreement on a label has its own interval.
        assert same == value
        assert larger == pytest.approx(error * factor, nan_ok=True), name
        half = distributions.t_quantile(0.975, 24) * error * factor
        assert (low, high) == pytest.approx((value - half, value + half), nan_ok=True)
    # The tests use the null standard error.
    assert (student.z, student.p_value) == (normal.z, normal.p_value)
    assert student.textbook_standard_error == normal.textbook_standard_error


def test_one_item_has_no_error_by_student_s_t() -> None:
    result = agreement_from_confusion([[0, 1], [0, 0]], distribution="t")
    assert all(map(math.isnan, (result.standard_error, *result.interval)))
    assert json.dumps(result.to_dict())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_other_names_are_refused(name: str) -> None:
    ratings = RATINGS.T if name == "agreement" else [RATINGS]
    ratings = [[[3, 1], [2, 4]]] if name == "agreement_from_confusion" else ratings
    options = {"weights": "linear"} if name == "gwet_ac2" else {}
    with pytest.raises(ValueError, match="distribution must be 'normal' or 't', got 'student'"):
        getattr(fastkappa, name)(*ratings, distribution="student", **options)
