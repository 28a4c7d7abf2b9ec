"""`fastkappa agree`: its options, its output for people and programs, and refusals."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("rich")
pytest.importorskip("matplotlib")
pytest.importorskip("typer")

from fastkappa import (
    agreement,
    agreement_by,
    bootstrap,
    conger_kappa,
    datasets,
    fleiss_kappa,
    gwet_ac1,
    gwet_ac2,
    krippendorff_alpha,
    light_kappa,
    pairwise_kappa,
    randolph_kappa,
)
from tests.helpers.command_line import CommandLine, write_csv

CITIES = ("Winnipeg", "New Orleans")


command = CommandLine("agree")
run, text_of, json_of, refusal = command.run, command.text_of, command.json_of, command.refusal


def assert_same(found: Any, expected: Any) -> None:
    """Compare the JSON fields with the library's figures; null is NaN."""
    if isinstance(expected, dict):
        assert found.keys() >= expected.keys()
        for key, value in expected.items():
            assert_same(found[key], value)
    elif isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            assert_same(one, other)
    elif isinstance(expected, float):
        assert found is None if math.isnan(expected) else found == pytest.approx(expected)
    else:
        assert found == expected


def named(ratings: dict[str, Any]) -> list[Any]:
    """Return the ratings of two raters as series with their names."""
    return [pandas.Series(ratings[name], name=name) for name in "ab"]


@pytest.fixture(scope="module")
def ratings() -> dict[str, Any]:
    """Return two neurologists' ratings in two cities, with an invented third neurologist."""
    tables = [datasets.load(f"multiple_sclerosis_{city}") for city in ("winnipeg", "new_orleans")]
    first, second = (
        np.concatenate(ratings) for ratings in zip(*(table.expand() for table in tables))
    )
    third = np.where(np.arange(len(first)) % 3, first, 1 + np.arange(len(first)) % 4)
    city = np.repeat(CITIES, [table.table.sum() for table in tables])
    return {"a": first, "b": second, "c": third, "city": city}


@pytest.fixture
def path(ratings: dict[str, Any], tmp_path: Path) -> Path:
    return write_csv(tmp_path / "ratings.csv", **ratings)


# The option that accepts several values.


@pytest.mark.parametrize(
    "arguments",
    [
        ["FILE", "--raters", "a", "b"],
        ["FILE", "--raters", "a", "--raters", "b"],
        ["FILE", "--raters=a", "--raters=b"],
        ["--raters", "a", "b", "--weights", "none", "FILE"],
        ["--raters", "a", "b", "--", "FILE"],
        ["FILE", "--weights", "none", "--raters", "a", "b", "--missing", "drop"],
    ],
)
def test_raters_are_named_in_any_way(
    arguments: list[str], path: Path, ratings: dict[str, Any]
) -> None:
    given = [str(path) if word == "FILE" else word for word in arguments]
    found = json.loads(text_of("--format", "json", *given))
    assert found["raters"] == ["a", "b"]
    assert found["kappa"] == pytest.approx(agreement(ratings["a"], ratings["b"]).kappa)


def test_a_rater_may_begin_with_a_dash(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "r.csv", **{"-x": [1, 2, 2], "y": [1, 2, 1]})
    assert json_of(path, "--raters=-x", "--raters", "y")["raters"] == ["-x", "y"]


# Two raters.


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_two_raters(path: Path, ratings: dict[str, Any], weights: Any) -> None:
    options = ("--raters", "a", "b", "--weights", weights or "none")
    expected = agreement(*named(ratings), weights=weights)
    found = json_of(path, *options)
    assert_same(found, expected.to_dict())
    assert list(found)[:2] == ["file", "raters"]
    assert "bootstrap" not in found
    assert "interpretation" not in found
    lines = text_of(path, *options).splitlines()
    assert lines[0] == f"{path}: a, b"
    # The figures equal those of the library's report, and the table has totals.
    assert lines[-len(str(expected).splitlines()[8:]) :] == str(expected).splitlines()[8:]
    total = [*expected.table.sum(axis=0).tolist(), expected.n]
    assert ["total", *map(str, total)] in [line.split() for line in lines]


def test_standard_errors_of_a_published_table(tmp_path: Path) -> None:
    """Test the example of Fleiss, Cohen and Everitt (1969) and the variances of their formulas."""
    y1, y2 = datasets.load("fleiss_cohen_everitt_1969").expand()
    found = json_of(write_csv(tmp_path / "r.csv", a=y1, b=y2), "--raters", "a", "b")
    assert round(found["kappa"], 3) == 0.429
    assert found["standard_error"] == pytest.approx(math.sqrt(0.002885), abs=5e-6)
    assert found["null_standard_error"] == pytest.approx(math.sqrt(0.003082), abs=5e-6)


def test_labels_and_missing_ratings(tmp_path: Path) -> None:
    a, b = [1, 1, 2, 3, "", 2, 9], [1, 2, 2, 3, 3, "", 1]
    path = write_csv(tmp_path / "r.csv", a=a, b=b)
    options = ("--raters", "a", "b", "--labels", "3,2,1")
    assert "1 in column 'a' and 1 in column 'b', out of 7 rows. Use --missing" in refusal(
        path, *options
    )
    found = json_of(path, *options, "--missing", "drop", "--weights", "linear")
    known = (
        [None if rating == "" else rating for rating in a],
        [None if rating == "" else rating for rating in b],
    )
    expected = agreement(
        *named(dict(zip("ab", known))), labels=[3, 2, 1], missing="drop", weights="linear"
    )
    assert_same(found, expected.to_dict())
    assert (found["labels"], found["n"]) == ([3, 2, 1], 4)
    assert (found["missing"], found["n_dropped"], found["n_outside"]) == ([1, 1], 2, 1)


def test_one_label_leaves_kappa_undefined(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "r.csv", a=["yes"] * 3, b=["yes"] * 3)
    options = ("--raters", "a", "b", "--scale", "cohen", "--bootstrap", "40")
    found = json_of(path, *options)
    assert found["kappa"] is None
    assert found["bootstrap"]["interval"] == [None, None]
    assert found["interpretation"]["reading"] == "undefined"
    text = text_of(path, *options)
    assert "kappa is undefined: all ratings are yes" in text
    drawn = "bootstrap interval of kappa was undefined (BCa, 40 replicates, 40 undefined)"
    assert drawn in " ".join(text.split())
    assert text.endswith("read by Cohen (1960), as commonly tabled: undefined\n")


def test_bootstrap_of_two(path: Path, ratings: dict[str, Any]) -> None:
    result = agreement(ratings["a"], ratings["b"], weights="linear")
    expected = bootstrap(result, n_resamples=500, rng=7)
    options = ("--raters", "a", "b", "--weights", "linear", "--bootstrap", 500, "--seed", 7)
    found = json_of(path, *options)["bootstrap"]
    assert_same(found, {"interval": expected.interval, "n_resamples": 500, "method": "bca"})
    low, high = expected.interval
    drawn = f"{low:.4f} to {high:.4f} (BCa, 500 replicates)"
    line = f"\nThe 95 % bootstrap interval of kappa was {drawn}\n"
    assert line in text_of(path, *options)
    sentence = f"The 95 % bootstrap interval of kappa was {low:.2f} to {high:.2f} (BCa, 500"
    assert f"\n{sentence} replicates; fastkappa " in text_of(path, *options, "--format", "sentence")


def test_interval_method_of_two(path: Path, ratings: dict[str, Any]) -> None:
    options = ("--raters", "a", "b", "--weights", "linear", "--interval-method", "profile")
    expected = agreement(ratings["a"], ratings["b"], weights="linear", interval_method="profile")
    found = json_of(path, *options)
    assert_same(found, {"interval": expected.interval, "interval_method": "profile"})
    groups = json_of(path, *options, "--group", "city")["groups"]
    assert {group["interval_method"] for group in groups} == {"profile"}


def test_scale_of_two(path: Path, ratings: dict[str, Any]) -> None:
    options = ("--raters", "a", "b", "--weights", "linear", "--scale", "landis-koch")
    expected = agreement(ratings["a"], ratings["b"], weights="linear").interpret("landis-koch")
    assert_same(json_of(path, *options)["interpretation"], expected._asdict())
    text = text_of(path, *options)
    assert "\nread by Landis and Koch (1977): moderate\n" in text
    part = expected.proportions["moderate"]
    assert f"\n  moderate: {part:.1%} of the confidence distribution\n" in text
    assert text.endswith("\n  at least fair (one-sided, with 95 % confidence)\n")


# Groups of two raters' items.


def test_groups(path: Path, ratings: dict[str, Any]) -> None:
    method: Any = "asymptotic"
    expected = agreement_by(*named(ratings), groups=ratings["city"], interval_method=method)
    options = ("--raters", "a", "b", "--group", "city", "--interval-method", method)
    found = json_of(path, *options)
    assert [group["group"] for group in found["groups"]] == sorted(CITIES)
    for group in found["groups"]:
        assert_same(group, expected[group["group"]].to_dict())
    assert_same(found["all"], expected.pooled.to_dict())
    # Computed by the formulas of SAS/STAT (PROC FREQ, AGREE), independently of this package.
    assert found["equality"]["statistic"] == pytest.approx(0.9009, abs=5e-5)
    assert found["equality"]["p_value"] == pytest.approx(0.3425, abs=5e-5)
    text = text_of(path, *options)
    assert str(expected) in text
    error = f"standard error {found['equality']['standard_error']:.4f}"
    assert f"\ncommon kappa 0.2338 (0.1506 to 0.3170), {error}\n" in text
    assert "\ntest of equality: Q = 0.9009, df = 1, p = 0.34\n" in text


def test_groups_with_bootstrap_and_scale(path: Path) -> None:
    options = ("--raters", "a", "b", "--group", "city", "--bootstrap", 200, "--seed", 1)
    found = json_of(path, *options, "--scale", "altman")
    table = datasets.load("multiple_sclerosis_winnipeg").table
    expected = bootstrap(table, n_resamples=200, rng=1)
    assert_same(found["groups"][1]["bootstrap"]["interval"], expected.interval)
    tables = [
        datasets.load(f"multiple_sclerosis_{city}").table for city in ("new_orleans", "winnipeg")
    ]
    whole = bootstrap(np.sum(tables, axis=0), n_resamples=200, rng=1)
    assert_same(found["all"]["bootstrap"]["interval"], whole.interval)
    assert [g["interpretation"]["reading"] for g in found["groups"]] == ["fair", "fair"]
    text = text_of(path, *options, "--scale", "altman")
    assert "The 95 % bootstrap interval of kappa of Winnipeg was " in text
    assert "The 95 % bootstrap interval of kappa of all items was " in text
    at_least = "fair, at least poor (one-sided, with 95 % confidence)"
    assert text.endswith(
        f"read by Altman (1991)\n  New Orleans: {at_least}\n  Winnipeg: {at_least}\n"
    )


def test_missing_groups(tmp_path: Path) -> None:
    path = write_csv(
        tmp_path / "r.csv",
        g=["u", "", "u", "v", "v", "u", "v"],
        a=[1, 1, 2, 1, "", 1, 2],
        b=[1, 1, 2, 2, 1, 2, 2],
    )
    options = ("--raters", "a", "b", "--group", "g")
    assert "1 in column 'a'" in refusal(path, *options)
    found = json_of(path, *options, "--missing", "drop")
    assert [(group["group"], group["n"]) for group in found["groups"]] == [("u", 3), ("v", 2)]
    assert (found["n_dropped"], found["all"]["n"]) == (2, 5)
    text = text_of(path, *options, "--missing", "drop")
    assert "\n2 rows left out because of a missing value (1 in g, 1 in a, 0 in b)\n" in text
    path = write_csv(tmp_path / "r.csv", g=["u", ""], a=[1, 2], b=[1, 2])
    assert "the group is missing in 1 row of column 'g'" in refusal(path, *options)


def test_groups_that_cannot_be_compared(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "r.csv", g=list("uuvv"), a=[1, 1, 1, 2], b=[1, 1, 1, 2])
    options = ("--raters", "a", "b", "--group", "g")
    assert json_of(path, *options)["equality"]["p_value"] is None
    line = "the groups cannot be compared: kappa or its standard error is undefined"
    assert f"{line} in u" in " ".join(text_of(path, *options).split())
    path = write_csv(tmp_path / "r.csv", g=list("uuuu"), a=[1, 1, 1, 2], b=[1, 1, 2, 2])
    assert json_of(path, *options)["equality"] is None
    assert "cannot be compared" not in text_of(path, *options)


# Three or more raters.


@pytest.mark.parametrize("weights", [None, "quadratic"])
def test_three_raters(path: Path, ratings: dict[str, Any], weights: Any) -> None:
    given = np.column_stack([ratings[name] for name in "abc"])
    level: Any = "nominal"
    if weights:
        level = np.subtract.outer(np.arange(4.0), np.arange(4.0)) ** 2
    expected = {
        "fleiss_kappa": fleiss_kappa(given, weights=weights),
        "conger_kappa": conger_kappa(given, weights=weights),
        "light_kappa": light_kappa(given, weights=weights),
        "randolph_kappa": randolph_kappa(given, weights=weights),
        "gwet_ac2" if weights else "gwet_ac1": (
            gwet_ac2(given, weights=weights) if weights else gwet_ac1(given)
        ),
        "krippendorff_alpha": krippendorff_alpha(given, level=level),
    }
    options = ("--raters", "a", "b", "c", "--weights", weights or "none", "--scale", "fleiss")
    found = json_of(path, *options)
    assert found["raters"] == ["a", "b", "c"]
    assert (found["n_subjects"], found["n_missing"]) == (218, 0)
    assert list(found["coefficients"]) == list(expected)
    fields = {name: r.to_dict() for name, r in expected.items()}
    if weights:
        # The command line uses the name of the weights, which the function receives as distances.
        fields["krippendorff_alpha"]["method"] = f"Krippendorff's alpha ({weights} weights)"
    assert_same(found["coefficients"], fields)
    pairs = pairwise_kappa(given, weights=weights)
    assert_same(found["pairwise"]["kappa"], pairs.values.tolist())
    assert_same(found["pairwise"]["n"], pairs.n.tolist())
    text = text_of(path, *options)
    for result in expected.values():
        name = result.method.partition(" (")[0]
        (line,) = (line for line in text.splitlines() if line.startswith(f"{name}  "))
        assert f"{result.value:.4f} " in line
    assert "218 items, 0 of 654 ratings missing, 4 labels" in text


def test_three_raters_in_groups_with_bootstrap(path: Path, ratings: dict[str, Any]) -> None:
    options = ("--raters", "a", "b", "c", "--group", "city", "--bootstrap", 100, "--seed", 3)
    found = json_of(path, *options)
    assert [group["group"] for group in found["groups"]] == sorted(CITIES)
    given = np.column_stack([ratings[name] for name in "abc"])
    here = fleiss_kappa(given[ratings["city"] == "Winnipeg"])
    drawn = fleiss_kappa(given).bootstrap(n_resamples=100, rng=3)
    assert_same(found["coefficients"]["fleiss_kappa"]["bootstrap"]["interval"], drawn.interval)
    of_group = found["groups"][1]["coefficients"]["fleiss_kappa"]
    expected = here.bootstrap(n_resamples=100, rng=3).interval
    assert_same(of_group.pop("bootstrap")["interval"], expected)
    assert_same(of_group, here.to_dict())
    text = text_of(path, *options)
    assert "\nThe 95 % bootstrap interval of Fleiss' kappa was " in text
    low, high = expected
    interval = f"bootstrap interval of Fleiss' kappa of Winnipeg was {low:.4f} to {high:.4f} (BCa"
    assert interval in " ".join(text.split())
    values = [group["coefficients"]["gwet_ac1"]["value"] for group in found["groups"]]
    rows = csv.DictReader(text_of(path, *options, "--format", "csv").splitlines())
    (row,) = (r for r in rows if (r["group"], r["statistic"]) == ("Winnipeg", "Gwet's AC1"))
    assert float(row["value"]) == pytest.approx(values[1])
    sentences = text_of(path, *options, "--format", "sentence")
    assert sentences.count("bootstrap interval of Fleiss' kappa was") == 1
    assert interval.replace(f"{low:.4f} to {high:.4f}", f"{low:.2f} to {high:.2f}") in sentences


@pytest.mark.every(2)
@pytest.mark.parametrize("suffix", [".tsv", ".parquet", ".arrow", ".feather", ".csv.gz"])
def test_three_raters_in_files_of_every_kind(
    suffix: str, ratings: dict[str, Any], path: Path, tmp_path: Path
) -> None:
    import pyarrow
    from pyarrow import csv, feather, parquet

    table = pyarrow.table(ratings)
    other = tmp_path / f"other{suffix}"
    if suffix == ".parquet":
        parquet.write_table(table, other)
    elif suffix == ".feather":
        feather.write_feather(table, str(other))
    elif suffix == ".arrow":
        with pyarrow.ipc.new_stream(str(other), table.schema) as stream:
            stream.write_table(table)
    elif suffix == ".tsv":
        csv.write_csv(table, other, csv.WriteOptions(delimiter="\t"))
    else:
        with pyarrow.CompressedOutputStream(str(other), "gzip") as stream:
            csv.write_csv(table, stream)
    options = ("--raters", "a", "b", "c", "--group", "city")
    found, expected = json_of(other, *options), json_of(path, *options)
    assert {**found, "file": ""} == {**expected, "file": ""}


# Refusals.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--raters", "a"], "--raters must name two or more columns, got only 'a'"),
        (["--raters", "a,b"], "Separate the columns with spaces, not with commas."),
        (["--raters", "a", "b", "a"], "must name each column once, got 'a' twice"),
        (["--raters", "a", "x"], "no column 'x'; it has 'a', 'b', 'c', 'city'"),
        (["--raters", "a", "b", "x"], "no column 'x'; it has 'a', 'b', 'c', 'city'"),
        (["--raters", "a", "b", "--group", "town"], "no column 'town'"),
        (["--raters", "a", "b", "c", "--group", "town"], "no column 'town'"),
        (["--raters", "a", "city"], "cannot be compared"),
        (["--raters", "a", "b", "city"], "must all be of the same type"),
        (
            ["--raters", "a", "b", "--labels", "7,8"],
            "no item has both ratings in --labels",
        ),
    ],
)
def test_refusals(path: Path, options: list[str], message: str) -> None:
    assert message in refusal(path, *options)


@pytest.mark.parametrize("raters", [("a", "b"), ("a", "b", "c")])
def test_files_that_cannot_be_read(tmp_path: Path, raters: tuple[str, ...]) -> None:
    assert "there is no file" in refusal(tmp_path / "no.csv", "--raters", *raters)
    assert "is unknown;" in refusal(write_csv(tmp_path / "r.docx", a=[1]), "--raters", *raters)
    (tmp_path / "empty.csv").touch()
    assert "is empty" in refusal(tmp_path / "empty.csv", "--raters", *raters)
    (tmp_path / "head.csv").write_text("a,b,c\n")
    assert "has no rows" in refusal(tmp_path / "head.csv", "--raters", *raters)
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 no more")
    assert "cannot be read" in refusal(tmp_path / "broken.parquet", "--raters", *raters)


def test_identifiers_are_no_ratings(tmp_path: Path) -> None:
    item = range(3000)
    path = write_csv(tmp_path / "r.csv", a=item, b=item, c=item)
    assert "Check that it is a column of ratings." in refusal(path, "--raters", "a", "b")
    assert "For measurements, use fastkappa measure." in refusal(path, "--raters", "a", "b", "c")


def test_usage() -> None:
    result = run("--raters", "a", "b")
    assert result.exit_code == 2
    assert "FILE" in result.stderr
    result = run("file.csv", "--raters")
    assert result.exit_code == 2
    assert "--raters" in result.stderr
