"""Reports mention intervals that depend on one or two items, and explain wide comparisons."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

from fastkappa import (
    agreement,
    agreement_from_confusion,
    compare_independent,
    compare_paired,
    compare_predictions,
    compare_strata,
    fleiss_kappa,
    krippendorff_alpha,
    light_kappa,
)
from fastkappa.datasets import load_items
from fastkappa.formatting import figure, interval_text, p_text
from tests.helpers.published import TABLES

ORDINARY = agreement_from_confusion([[20, 5], [10, 15]])
RARE = agreement(["no"] * 38 + ["yes"] * 2, ["no"] * 39 + ["yes"])
PLAIN = "asymptotic"
COEFFICIENTS = (fleiss_kappa, light_kappa, krippendorff_alpha)


def doubt(n: int, n_items: int, items: str, label: str) -> str:
    have = "has" if n == 1 else "have"
    return (
        f"only {n} of {n_items} {items} {have} a rating other than {label}, so intervals and tests"
        " cannot be trusted"
    )


def in_one_line(shown: Any) -> str:
    return " ".join(str(shown).split())


def test_two_raters() -> None:
    expected = doubt(2, 40, "items", "no")
    assert RARE.doubt == RARE.to_dict()["doubt"] == expected
    assert expected in in_one_line(RARE)
    assert expected in RARE._repr_html_()
    assert agreement([1] * 9 + [2], [1] * 10).doubt == doubt(1, 10, "items", "1")


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_several_raters(coefficient: Any) -> None:
    rows: list[Any] = [["no"] * 3] * 30 + [["no", "no", None]] * 8 + [["no", "yes", "yes"]] * 2
    result = coefficient(rows)
    expected = doubt(2, 40, "items", "no")
    assert result.doubt == result.to_dict()["doubt"] == expected
    assert expected in in_one_line(result)
    assert pickle.loads(pickle.dumps(result)).doubt == expected


def test_comparisons() -> None:
    expected = doubt(2, 40, "items", "no")
    assert compare_independent(ORDINARY, RARE).doubt == expected
    assert expected in in_one_line(compare_independent(RARE, ORDINARY))
    strata = {"a": ORDINARY, "b": RARE, "c": RARE}
    assert f"in b {expected}; the same is true of c" in in_one_line(compare_strata(strata))
    truth = [0] * 38 + [1] * 2
    found = compare_predictions([0] * 38 + [1] * 2, [0] * 39 + [1], y_true=truth)
    assert found.doubt == doubt(2, 40, "items", "the most frequent label")


def test_ordinary_data_are_silent() -> None:
    # A label on one or two items is no reason if others are frequent.
    rare_third = agreement_from_confusion([[20, 5, 0], [10, 15, 0], [0, 1, 0]])
    three_items = agreement_from_confusion([[37, 1], [0, 2]])
    published = [agreement_from_confusion(one.table) for one in TABLES.values()]
    assert not any(result.doubt for result in (ORDINARY, rare_third, three_items, *published))
    ratings = load_items("anaesthetists").ratings
    assert not any(coefficient(ratings).doubt for coefficient in COEFFICIENTS)
    assert not compare_independent(ORDINARY, three_items).doubt
    assert not compare_strata([ORDINARY, three_items]).doubt


def near(n_apart: int) -> list[list[int]]:
    """Return a table in which all disagreements are between adjacent labels."""
    counts = {0: 60, 1: n_apart}
    return [[counts.get(abs(i - j), 0) for j in range(4)] for i in range(4)]


def test_a_much_narrower_asymptotic_comparison_is_named() -> None:
    """Reports give the result that `interval_method="asymptotic"` returns."""
    tables = [near(8), near(2)]
    joint = np.zeros((4, 4, 4), int)
    for i, j in np.ndindex(4, 4):
        joint[i, j, i] += near(8)[i][j]
        joint[i, i, j] += near(2)[i][j]
    calls: list[Any] = [
        lambda **given: compare_independent(*tables, **given),
        lambda **given: compare_paired(joint, **given),
        lambda **given: compare_strata(tables, **given),
    ]
    for call, tail in zip(calls, ("", "", " for equality")):
        found, plain = call(weights="quadratic"), call(weights="quadratic", interval_method=PLAIN)
        (low, high), (least, most) = found.interval, plain.interval
        ratio = (high - low) / (most - least)
        assert ratio > 1.5
        text = " ".join(str(found).split())
        assert f"is {ratio:.1f} times as wide as its standard error suggests, because" in text
        expected = f"{interval_text(plain.interval)}, {p_text(plain.p_value)}"
        if tail:
            # The asymptotic interval belongs to another estimate.
            assert abs(plain.kappa - found.kappa) > 1e-4
            expected = f"{figure(plain.kappa)} ({interval_text(plain.interval)}), with"
            expected += f" {p_text(plain.p_value)}{tail}"
        assert text.endswith(f" {expected}")
        assert "at least 200 items (for a common value, 1000 per group). The " in text
        assert "The asymptotic method gives the " in text
        assert "standard error suggests" not in str(plain)
        # Without weights, all disagreements count the same.
        assert "standard error suggests" not in str(call())


def test_few_clusters_are_no_reason_to_trust_the_raters() -> None:
    """Neither Student's t nor a design effect below 1 is due to large disagreements."""
    table = np.array([[40, 10], [10, 40]])
    y1, y2 = np.indices((2, 2)).reshape(2, -1).repeat(table.ravel(), axis=1)
    alike = np.arange(len(y1)) % 4
    first, second = (agreement(y1, y2, clusters=clusters) for clusters in (alike, alike + 4))
    assert first.design_effect < 0.4
    for found in (compare_independent(first, second), compare_strata([first, second])):
        assert math.isfinite(found.p_value)
        assert "standard error suggests" not in str(found)
