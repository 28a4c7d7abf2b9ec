"""`fastkappa agree`: the test that was planned, and the confidence of intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("rich")
pytest.importorskip("typer")

from fastkappa import agreement, agreement_by, fleiss_kappa
from tests.helpers.command_line import CommandLine, write_csv

agree = CommandLine("agree")


@pytest.fixture(scope="module")
def ratings() -> dict[str, Any]:
    random = np.random.default_rng(3)
    a = random.integers(1, 5, 120)
    b, c = (np.clip(a + random.integers(-1, 2, 120), 1, 4) for _ in "bc")
    return {"a": a, "b": b, "c": c, "ward": np.arange(120) // 4, "city": np.arange(120) % 2}


@pytest.fixture
def path(ratings: dict[str, Any], tmp_path: Path) -> Path:
    return write_csv(tmp_path / "ratings.csv", **ratings)


@pytest.mark.parametrize("clusters", [None, "ward"])
def test_a_planned_test(path: Path, ratings: dict[str, Any], clusters: str | None) -> None:
    test = ["--null", 0.4, "--alternative", "greater", "--confidence", 0.9]
    given: dict[str, Any] = {"null_kappa": 0.4, "alternative": "greater", "confidence": 0.9}
    options = [path, "--raters", "a", "b", "--weights", "linear", *test]
    if clusters is not None:
        options += ["--cluster", clusters]
        given["clusters"] = ratings[clusters]
    expected = agreement(ratings["a"], ratings["b"], weights="linear", **given)
    found = agree.json_of(*options)
    for name in ("null_kappa", "alternative", "confidence", "z", "p_value", "interval"):
        value = expected.to_dict()[name]
        assert found[name] == (value if isinstance(value, str) else pytest.approx(value))
    assert "p of kappa <= 0.4" in agree.text_of(*options)
    groups = agreement_by(
        ratings["a"], ratings["b"], weights="linear", groups=ratings["city"], **given
    )
    found = agree.json_of(*options, "--group", "city")
    for one, result in zip([*found["groups"], found["all"]], [*groups.values(), groups.pooled]):
        assert one["p_value"] == pytest.approx(result.p_value)
        assert one["interval"] == pytest.approx(result.interval)
    text = agree.text_of(*options, "--group", "city")
    assert "p of each kappa is of the test of kappa <= 0.4" in text
    assert f"{groups.pooled.p_value:.2g}" in text


def test_confidence_of_several_raters(path: Path, ratings: dict[str, Any]) -> None:
    options = [path, "--raters", *"abc", "--confidence", 0.9]
    table = np.column_stack([ratings[name] for name in "abc"])
    found = agree.json_of(*options)["coefficients"]["fleiss_kappa"]["interval"]
    assert found == pytest.approx(fleiss_kappa(table, confidence=0.9).interval)
    assert "with --confidence 0.9." in agree.refusal(*options, "--null", 0.4)
    assert "apply only to two raters" in agree.refusal(*options, "--alternative", "less")
    assert "--confidence must be a number between" in agree.refusal(*options, "--confidence", 95)
    assert "--null must be a number above -1" in agree.refusal(path, "--raters", *"ab", "--null", 1)
