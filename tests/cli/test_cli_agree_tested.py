"""`fastkappa agree`: planned tests, and the confidence of intervals."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm, t

pytest.importorskip("pyarrow")
pytest.importorskip("rich")
pytest.importorskip("typer")

from fastkappa import Ratings, agreement, agreement_by, compare_strata, fleiss_kappa
from fastkappa.formatting import p_text
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
    assert "p of each kappa is from the test of kappa <= 0.4" in text
    assert f"{groups.pooled.p_value:#.2g}" in text


def test_the_planned_test_is_in_every_format(path: Path, ratings: dict[str, Any]) -> None:
    test = ["--null", 0.4, "--alternative", "greater"]
    expected = agreement(ratings["a"], ratings["b"], null_kappa=0.4, alternative="greater")
    p = f"{expected.p_value:.3f}"
    options = [path, "--raters", "a", "b", *test]
    assert f"test of kappa <= 0.4: p = {p};" in agree.text_of(*options, "--format", "sentence")
    assert "p of kappa &lt;= 0.4" in agree.text_of(*options, "--format", "html")
    groups = [*options, "--group", "city"]
    assert agree.text_of(*groups, "--format", "sentence").count("test of kappa <= 0.4: p ") == 3
    rows = list(csv.DictReader(io.StringIO(agree.text_of(*groups, "--format", "csv"))))
    assert [(row["null"], row["alternative"]) for row in rows] == [
        *[("0.4", "greater")] * 3,
        ("0.0", "two-sided"),
        ("", ""),
    ]
    # Without a planned test, nothing is added.
    plain = agree.text_of(path, "--raters", "a", "b", "--format", "sentence")
    assert "test of" not in plain


@pytest.mark.parametrize("clusters", [None, "ward"])
def test_a_planned_test_of_three_raters(
    path: Path, ratings: dict[str, Any], clusters: str | None
) -> None:
    table = np.column_stack([ratings[name] for name in "abc"])
    given = Ratings.from_raters(table.T, clusters=None if clusters is None else ratings[clusters])
    expected = fleiss_kappa(given)
    null = expected.interval[0]
    options = [path, "--raters", *"abc", *([] if clusters is None else ["--cluster", clusters])]
    options += ["--null", null, "--alternative", "greater"]
    found = agree.json_of(*options)["coefficients"]["fleiss_kappa"]["test"]
    # A one-sided test rejects the lower end of the 95 % interval at the 2.5 % level.
    assert found["p_value"] == pytest.approx(0.025, rel=1e-4)
    assert (found["null"], found["alternative"]) == (null, "greater")
    text = " ".join(agree.text_of(*options).split())
    assert f"p is from the test of each coefficient <= {null:g}" in text
    assert f"p of Fleiss' kappa <= {null:g}," in agree.text_of(*options, "--format", "csv")
    sentences = agree.text_of(*options, "--format", "sentence")
    assert f"The test of Fleiss' kappa <= {null:g} gave p = 0.025 (fastkappa" in sentences


def test_confidence_of_several_raters(path: Path, ratings: dict[str, Any]) -> None:
    options = [path, "--raters", *"abc", "--confidence", 0.9]
    table = np.column_stack([ratings[name] for name in "abc"])
    found = agree.json_of(*options)["coefficients"]["fleiss_kappa"]["interval"]
    assert found == pytest.approx(fleiss_kappa(table, confidence=0.9).interval)
    assert "--confidence must be a number between" in agree.refusal(*options, "--confidence", 95)
    assert "--null must be a number above -1" in agree.refusal(path, "--raters", *"ab", "--null", 1)


def test_intervals_much_wider_than_their_standard_errors(tmp_path: Path) -> None:
    """The coefficients of three raters have one note, and the groups another."""
    near = [[40, 5, 0, 0], [5, 40, 5, 0], [0, 5, 40, 5], [0, 0, 5, 40]]
    pairs = np.repeat(list(np.ndindex(4, 4)), np.ravel(near), axis=0)
    a, b = pairs.T
    group = np.arange(len(a)) // 2 % 2
    c = np.where(np.arange(len(a)) % 2, a, b)
    path = write_csv(tmp_path / "near.csv", a=a, b=b, c=c, group=group)
    options = [path, "--raters", "a", "b", "c", "--weights", "quadratic", "--coefficient", "fleiss"]
    said = fleiss_kappa(np.column_stack([a, b, c]), weights="quadratic")._report().notes[0]
    said = said.replace("interval_method='asymptotic'", "--interval-method asymptotic")
    assert said in " ".join(agree.text_of(*options).split())
    text = " ".join(agree.text_of(*options, "--group", "group").split())
    assert said in text
    assert "0: the interval of Fleiss' kappa is" in text
    assert "; the same is true of 1, all items" in text
    # Formats without the note print it as a warning.
    for output in ("sentence", "csv", "json"):
        assert f"warning: {said}" in agree.run(*options, "--format", output).stderr
    assert "do not rule out" not in agree.run(*options).stderr
    assert said in agree.text_of(*options, "--format", "html").replace("&#x27;", "'")


@pytest.mark.parametrize("raters", ["ab", "abc"])
def test_groups_whose_asymptotic_comparison_differs(tmp_path: Path, raters: str) -> None:
    """One note contains the asymptotic difference, and p of the asymptotic test of equality."""
    pairs = [
        (site, *labels)
        for site, far in (("north", 8), ("south", 2))
        for labels in np.ndindex(4, 4)
        for _ in range((60, far, 0, 0)[abs(labels[0] - labels[1])])
    ]
    site, a, b = zip(*pairs)
    c = [two if i % 2 else one for i, (one, two) in enumerate(zip(a, b))]
    path = write_csv(tmp_path / "near.csv", a=a, b=b, c=c, site=site)
    options = [path, "--raters", *raters, "--weights", "quadratic", "--group", "site"]
    [warning] = [
        line
        for line in agree.run(*options, "--format", "sentence").stderr.splitlines()
        if "north minus south" in line
    ]
    found = agree.json_of(*options, "--interval-method", "asymptotic")
    [one] = found["differences"]
    ends = " to ".join(f"{end:.4f}" for end in one["interval"])
    p = p_text(one["p_value"])
    assert f"The asymptotic method gives north minus south {ends}, {p};" in warning
    assert f", with {p} for equality" in warning


def test_the_interval_method_of_three_raters(path: Path) -> None:
    """An asymptotic interval is the coefficient plus or minus a quantile times its error."""
    options = [path, "--raters", "a", "b", "c"]
    by_method = {
        method: agree.json_of(*options, "--interval-method", method)
        for method in ("auto", "score", "asymptotic")
    }
    assert by_method["auto"] == by_method["score"]
    found = by_method["asymptotic"]
    for one in [*found["coefficients"].values(), *found["by_label"]]:
        half = t.ppf(0.975, 119) * one["standard_error"]
        assert one["interval"] == pytest.approx([one["value"] - half, one["value"] + half])
    for method in ("score", "asymptotic"):
        coefficients = by_method[method]["coefficients"].values()
        assert {one["interval_method"] for one in coefficients} == {method}
    assert "Use asymptotic, score or auto." in agree.refusal(
        *options, "--interval-method", "profile"
    )


def test_a_score_interval_that_is_not_available(tmp_path: Path) -> None:
    columns = np.random.default_rng(1).integers(0, 40, (40, 300))
    path = write_csv(tmp_path / "many.csv", **{f"r{i}": one for i, one in enumerate(columns)})
    names = [f"r{i}" for i in range(40)]
    said = agree.refusal(path, "--raters", *names, "--interval-method", "score")
    assert "--interval-method score is not available for" in said
    assert "Use --interval-method auto, which" in said


def test_differences_between_independent_groups_of_three_raters(
    ratings: dict[str, Any], tmp_path: Path
) -> None:
    """Variances of independent groups add up, and a test of two groups has z**2 = Q."""
    rows, site = np.column_stack([ratings[name] for name in "abc"]), np.arange(120) % 3
    path = write_csv(tmp_path / "sites.csv", **dict(zip("abc", rows.T)), site=site)
    options: list[Any] = [path, "--raters", "a", "b", "c", "--group", "site"]
    by_site = [fleiss_kappa(rows[site == i], labels=range(1, 5)) for i in range(3)]
    pairs = [(0, 1), (0, 2), (1, 2)]
    found = agree.json_of(*options)
    for (i, j), one in zip(pairs, found["differences"], strict=True):
        assert one["names"] == [str(i), str(j)]
        assert one["value"] == pytest.approx(by_site[i].value - by_site[j].value)
        both = compare_strata([by_site[i], by_site[j]])
        assert one["z"] ** 2 == pytest.approx(both.statistic)
        assert one["p_value"] == pytest.approx(both.p_value)
    assert found["comparison"]["p_value"] == pytest.approx(compare_strata(by_site).p_value)
    plain = ["--interval-method", "asymptotic", "--distribution", "normal"]
    wald = agree.json_of(*options, *plain)["differences"]
    by_site = [fleiss_kappa(rows[site == i], distribution="normal") for i in range(3)]
    for (i, j), one in zip(pairs, wald, strict=True):
        half = norm.ppf(0.975) * np.hypot(by_site[i].standard_error, by_site[j].standard_error)
        assert one["interval"] == pytest.approx([one["value"] - half, one["value"] + half])
    text = " ".join(agree.text_of(*options).split())
    assert "p and intervals of differences are not adjusted for their number" in text
    value = found["differences"][1]["value"]
    assert f"0 2 {value:.4f}" in text
    sentences = agree.text_of(*options, "--format", "sentence")
    assert f"The difference of Fleiss' kappa, site 0 minus 2, was {value:.2f} (" in sentences
    csv_rows = csv.DictReader(io.StringIO(agree.text_of(*options, "--format", "csv")))
    assert value in [float(r["value"]) for r in csv_rows if r["statistic"] == "0 minus 2"]


@pytest.mark.parametrize("named", [True, False])
def test_a_group_that_contains_the_name_of_its_column(tmp_path: Path, named: bool) -> None:
    marks = {name: [1, 2, 3, 3, 1, i, 2, 3] for i, name in enumerate(("ann", "ben", "cat"), 1)}
    weeks = ["week 1" if named else 1] * 4 + ["week 2" if named else 2] * 4
    path = write_csv(tmp_path / "r.csv", **marks, week=weeks)
    options = [path, "--group", "week", "--format", "sentence", "--raters"]
    of_three = agree.text_of(*options, "ann", "ben", "cat")
    assert "on 4 items in week 1 was" in of_three
    assert f"kappa, week 1 minus {weeks[-1]}, was" in of_three
    of_reference = agree.text_of(*options, "ann", "ben", "--reference", "cat")
    measured = CommandLine("measure").text_of(*options, "ann", "ben", "cat")
    for text in (of_three, of_reference, measured):
        assert "week week" not in text
    for text in (of_reference, measured):
        assert "\nweek 2: " in text
