"""Reports mention intervals that depend on one or two items, for two raters and for several."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from fastkappa import (
    agreement,
    agreement_from_confusion,
    compare_independent,
    compare_predictions,
    compare_strata,
    fleiss_kappa,
    krippendorff_alpha,
    light_kappa,
)
from fastkappa.datasets import load_items
from tests.helpers.published import TABLES

ORDINARY = agreement_from_confusion([[20, 5], [10, 15]])
RARE = agreement(["no"] * 38 + ["yes"] * 2, ["no"] * 39 + ["yes"])
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
