"""Names, numbers, intervals and NaN as text."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from fastkappa import agreement_from_confusion
from fastkappa.formatting import (
    count_text,
    figure,
    interval_text,
    json_object,
    label_text,
    p_value_text,
    printable,
)


@pytest.mark.parametrize(
    ("label", "text"),
    [(1.0, "1"), (-0.0, "0"), (1234567.0, "1234567"), (0.1, "0.1"), (1e20, "1e+20"), (7, "7")],
)
def test_labels_are_written_in_full(label: Any, text: str) -> None:
    assert label_text(label) == text
    assert f"kappa of {text}" in [
        name for name, *_ in agreement_from_confusion([[3, 1], [2, 4]], labels=[label, 99]).rows()
    ]


@pytest.mark.parametrize("write", [label_text, printable])
def test_names_are_one_visible_line(write: Any) -> None:
    assert [write(name) for name in ("a b", "a\nb", " ", "")] == ["a b", r"'a\nb'", "' '", "''"]


def test_names_that_are_numbers_stay_as_they_are() -> None:
    assert (printable(1.0), label_text(1.0)) == ("1.0", "1")


def test_a_p_value_is_never_zero() -> None:
    assert p_value_text(0.01234, 2) == "0.012"
    assert p_value_text(1e-299, 2) == "1.0e-299"
    assert p_value_text(1e-301, 2) == "< 1e-300"
    assert p_value_text(float("nan"), 2) == "undefined"


def test_a_p_value_has_all_its_digits() -> None:
    assert [p_value_text(p) for p in (0.2, 0.1996, 0.04, 1e-5)] == [
        "0.20",
        "0.20",
        "0.040",
        "1.0e-05",
    ]
    assert p_value_text(2.6e-18, 3) == "2.60e-18"
    assert [p_value_text(p) for p in (1.0, 0.996)] == ["> 0.99"] * 2


def test_zero_has_no_sign() -> None:
    assert [figure(value) for value in (-0.0, -1e-17, -0.00004)] == ["0.0000"] * 3
    assert (figure(-0.00006), figure(-1e-7, digits=6)) == ("-0.0001", "0.000000")
    assert interval_text((-1e-17, 1e-17)) == "0.0000 to 0.0000"
    assert interval_text((-0.5, -1e-9), width=8) == " -0.5000 to   0.0000"


def test_one_is_singular() -> None:
    assert [count_text(n, "label") for n in (0, 1, 2)] == ["0 labels", "1 label", "2 labels"]


def test_figures_and_intervals_may_be_undefined() -> None:
    assert (figure(0.5), figure(math.nan), figure(math.nan, "")) == ("0.5000", "undefined", "")
    assert interval_text((math.nan, 0.5)) == interval_text((0.5, math.nan)) == "undefined"
    assert interval_text((math.nan, math.nan), "") == ""


def test_json_has_null_for_nan() -> None:
    fields = {"kappa": np.float64("nan"), "n": np.int64(3), "parts": [{"p": (math.nan, 1.5)}]}
    text = json_object(fields)
    assert json.loads(text) == {"kappa": None, "n": 3, "parts": [{"p": [None, 1.5]}]}
    assert len(text.splitlines()) == 5
