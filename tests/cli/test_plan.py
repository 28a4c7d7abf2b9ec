"""`fastkappa plan`: published sample sizes, clusters, and the results for a given n."""

from __future__ import annotations

import csv
import io
import math
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")

from fastkappa.planning import (
    correlation_sample_size,
    correlation_sample_size_for_width,
    limits_sample_size_for_width,
    power,
    sample_size,
    sample_size_for_width,
)
from fastkappa.planning.kappa_studies import kappa_study
from fastkappa.planning.plan import plan_study
from tests.helpers.command_line import CommandLine, write_csv

plan = CommandLine("plan")


@pytest.mark.parametrize(
    ("options", "n"),
    [
        # Cantor (1996), as printed by N.cohen.kappa of the R package irr.
        (["--kappa", 0.7, "--null", 0.85, "--alternative", "less"], 96),
        (["--kappa", 0.8, "--null", 0.45, "--rates", "0.75", "--alternative", "greater"], 43),
    ],
)
def test_published_sample_sizes(options: list[object], n: int) -> None:
    found = plan.json_of(*options)
    assert found["n"] == n
    assert found["power"] >= 0.8


def test_a_width_and_several_raters() -> None:
    for raters in (2, 3):
        found = plan.json_of("--kappa", 0.8, "--width", 0.2, "--rates", 0.3, "--raters", raters)
        expected = sample_size_for_width(0.8, 0.2, rates=(0.3, 0.3), n_raters=raters)
        assert found["n"] == expected
        assert found["width"] <= 0.2
        # One item fewer is not enough.
        fewer = plan.json_of("--kappa", 0.8, "--n", expected - 1, "--rates", 0.3)
        if raters == 2:
            assert fewer["width"] > 0.2


def test_what_a_number_of_items_gives() -> None:
    test = ["--kappa", 0.8, "--null", 0.6, "--weights", "linear", "--rates", "0.5,0.3,0.2"]
    found = plan.json_of(*test, "--n", 120)
    rates = [0.5, 0.3, 0.2]
    assert found["n"] == 120
    assert found["power"] == power(120, 0.8, null_kappa=0.6, rates=(rates, rates), weights="linear")
    assert plan.json_of("--kappa", 0.8, "--n", 120)["power"] is None


def test_raters_with_rates_of_their_own() -> None:
    options = ["--kappa", 0.5, "--null", 0.2, "--rates", 0.3, "--second-rates", 0.4]
    assert plan.json_of(*options)["n"] == sample_size(0.5, null_kappa=0.2, rates=(0.3, 0.4))


def test_clusters() -> None:
    alone = sample_size_for_width(0.8, 0.2)
    options = ["--kappa", 0.8, "--width", 0.2, "--design-effect", 1.5]
    assert plan.json_of(*options)["n"] == math.ceil(1.5 * alone)
    found = plan.json_of(*options, "--cluster-size", 4)
    assert found["n_clusters"] == math.ceil(1.5 * alone / 4)
    assert found["n"] == 4 * found["n_clusters"]
    # With the design effect, 1.5 times as many items contain the same information.
    assert found["width"] <= 0.2
    # Clusters without a design effect add no items, and the report says so.
    independent = plan.text_of("--kappa", 0.8, "--n", 100, "--cluster-size", 4)
    assert "items of the same cluster are assumed to be independent" in independent
    for silent in (("--cluster-size", 1), ("--cluster-size", 4, "--design-effect", 2), ()):
        assert "independent" not in plan.text_of("--kappa", 0.8, "--n", 100, *silent)
    # As many clusters as there are.
    given = plan.json_of("--kappa", 0.8, "--n", 100, "--design-effect", 2, "--cluster-size", 4)
    assert (given["n"], given["n_clusters"]) == (100, 25)
    assert given["width"] == plan_study(kappa_study(0.8), n=50).width


def test_clusters_of_a_mean_size() -> None:
    alone = sample_size_for_width(0.8, 0.2)
    options = ["--kappa", 0.8, "--width", 0.2, "--cluster-size", 2.5]
    found = plan.json_of(*options)
    assert found["n_clusters"] == math.ceil(alone / 2.5)
    assert found["n"] == math.ceil(2.5 * found["n_clusters"])
    assert "clusters of 2.5" in plan.text_of(*options)
    whole = plan.json_of("--kappa", 0.8, "--width", 0.2, "--cluster-size", 3)
    assert whole["n"] == 3 * whole["n_clusters"]
    assert "clusters of 3 " in plan.text_of("--kappa", 0.8, "--n", 90, "--cluster-size", 3)


def test_numbers_of_a_spreadsheet() -> None:
    for rates in (["0,35,0,65"], ["0,35"]):
        refused = plan.refusal("--kappa", 0.8, "--width", 0.2, "--rates", *rates)
        assert "write decimals with a point, such as 0.35" in refused
    for rates in (["0,35", "0,65"], ["0.35", "0.65"]):
        found = plan.run("--kappa", 0.8, "--width", 0.2, "--rates", *rates, columns=200)
        assert found.exit_code == 2
        assert "separate numbers by commas, as in 0.35,0.25." in found.stderr
    # Percentages have their own hint.
    assert "35 % is 0.35" in plan.refusal("--kappa", 0.8, "--n", 9, "--rates", "35,40,25")
    assert "30 % is 0.3" in plan.refusal("--kappa", 0.8, "--n", 9, "--rates", "0.7,30")


@pytest.mark.parametrize("option", ["--kappa", "--width", "--null", "--alpha", "--confidence"])
def test_decimal_commas(option: str) -> None:
    found = plan.run("--kappa", 0.8, option, "0,75", columns=200)
    assert found.exit_code == 2
    assert "'0,75'" in found.stderr
    assert "Write decimals with a point, as in 0.75." in found.stderr
    for wrong in (("--width", "wide"), ("--n", "1,5")):
        found = plan.run("--kappa", 0.8, *wrong, columns=200)
        assert f"'{wrong[1]}'" in found.stderr
        assert "decimals" not in found.stderr


def test_correlations() -> None:
    options = ["--correlation", 0.8, "--coefficient", "icc", "--raters", 3]
    icc: dict[str, object] = {"coefficient": "icc", "n_raters": 3}
    test = ["--null", 0.6, "--alternative", "greater"]
    n = correlation_sample_size(0.8, null_correlation=0.6, alternative="greater", **icc)
    found = plan.json_of(*options, *test)
    assert found["n"] == n
    assert plan.json_of(*options, *test, "--n", n - 1)["power"] < 0.8 <= found["power"]
    n = correlation_sample_size_for_width(0.8, 0.2, **icc)
    found = plan.json_of(*options, "--width", 0.2, "--cluster-size", 5)
    assert found["n_clusters"] == math.ceil(n / 5)
    assert plan.json_of(*options, "--n", n - 1)["width"] > 0.2 >= found["width"]
    options = ["--correlation", 0.95, "--coefficient", "ccc", "--accuracy", 0.98, "--null", 0.9]
    n = correlation_sample_size(0.95, coefficient="ccc", accuracy=0.98, null_correlation=0.9)
    assert plan.json_of(*options)["n"] == n
    assert "bias correction factor" in plan.text_of(*options)
    sentence = plan.text_of(*options, "--format", "sentence")
    assert "test of concordance correlation = 0.9 at a significance level of 0.05" in sentence


def test_limits_of_agreement() -> None:
    n = limits_sample_size_for_width(4.5, 3.0)
    assert plan.json_of("--standard-deviation", 4.5, "--width", 3)["n"] == n
    given = plan.json_of("--standard-deviation", 4.5, "--n", n - 1)
    assert given["width"] > 3
    assert given["power"] is None
    text = plan.text_of("--standard-deviation", 4.5, "--width", 3, "--design-effect", 1.3)
    assert "width of the 95 % interval of a limit" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "use exactly one of --kappa, --correlation and --standard-deviation, got none."),
        (["--kappa", 0.8, "--correlation", 0.8], "got --kappa and --correlation."),
        (["--correlation", 0.8, "--n", 9], "--correlation needs --coefficient icc or ccc."),
        (
            ["--kappa", 0.8, "--n", 9, "--accuracy", 0.9],
            "--accuracy cannot be combined with --kappa",
        ),
        (
            ["--standard-deviation", 2, "--null", 1],
            "--null cannot be combined with --standard-deviation: leave out --null.",
        ),
        (
            ["--correlation", 0.8, "--coefficient", "ccc", "--n", 9, "--raters", 3],
            "--raters must be 2 for --coefficient ccc, got 3.",
        ),
        (["--correlation", 0.8, "--coefficient", "ccc", "--n", 3], "--n must be at least 4"),
        (["--correlation", 1.8, "--coefficient", "icc", "--n", 9], "--correlation must be above"),
        (["--standard-deviation", 2, "--width", -1], "--width must be a number above 0, got -1.0."),
    ],
)
def test_expected_values_that_do_not_fit(options: list[object], message: str) -> None:
    assert message in plan.refusal(*options)


def test_weights_need_the_rates_of_labels() -> None:
    for weights in ("linear", "quadratic"):
        refused = plan.refusal("--kappa", 0.8, "--width", 0.2, "--weights", weights)
        assert f"--weights {weights} needs --pilot or --rates, such as --rates 0.5," in refused
    assert plan.json_of("--kappa", 0.8, "--n", 90, "--weights", "linear", "--rates", 0.3)["n"] == 90
    default = plan.json_of("--kappa", 0.8, "--n", 90)
    assert default["rates"] == [[0.5, 0.5], [0.5, 0.5]]


def test_every_format() -> None:
    options = ["--kappa", 0.7, "--null", 0.85, "--alternative", "less", "--cluster-size", 6]
    text = plan.text_of(*options)
    assert text.startswith("Plan of a study of 2 raters, no weights\n")
    rows = {r["statistic"]: r["value"] for r in csv.DictReader(io.StringIO(csv_of(options)))}
    assert rows["items"] == "96"
    assert rows["clusters"] == "16"
    assert "<h1>Plan</h1>" in plan.text_of(*options, "--format", "html")


def csv_of(options: list[object]) -> str:
    return plan.text_of(*options, "--format", "csv")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            [],
            "one of --width (for an interval), --null (for a test) and --n (for a given number of",
        ),
        (["--power", 0.8], "one of --width (for an interval), --null (for a test) and --n"),
        (
            ["--width", 0.2, "--n", 90],
            "use only one of --width, --power, --n, got --width and --n.",
        ),
        (["--width", 0.2, "--null", 0.6], "--null is for a test and --width is for an interval"),
        (["--null", 0.8], "--kappa and --null must differ, got 0.8 for both."),
        (["--width", 3], "--width must be a number between 0 and 2, got 3.0."),
        (["--width", 0.2, "--rates", "x"], "--rates must be proportions such as 0.5,0.3,0.2"),
        (["--width", 0.2, "--rates", "0.9,0.3"], "--rates must be proportions that sum to 1"),
        (["--width", 0.2, "--raters", 200], "--raters must be at most 100, got 200."),
        (["--null", 0.6, "--alpha", 2], "--alpha must be a number between 0 and 1"),
        (["--n", 90, "--design-effect", 0.5], "--design-effect must be 1 or more, got 0.5."),
        (["--n", 90, "--cluster-size", 0], "--cluster-size must be 1 or more, got 0.0."),
        (["--n", 90, "--cluster-size", "nan"], "--cluster-size must be 1 or more, got nan."),
        (["--null", 0.6, "--alternative", "less"], "--alternative must be 'greater', "),
    ],
)
def test_refusals_name_options(options: list[object], message: str) -> None:
    assert message in plan.refusal("--kappa", 0.8, *options)


def test_the_assumption_about_disagreements_is_stated() -> None:
    study = ["--kappa", 0.8, "--width", 0.2, "--weights", "linear"]
    text = plan.text_of(*study, "--rates", "0.4,0.3,0.3")
    assert "Raters are assumed to agree on some items and to guess on the others." in text
    assert "are assumed to agree" not in plan.text_of(*study, "--rates", "0.4,0.6")


PILOT = [[30, 6, 0], [6, 20, 4], [0, 4, 30]]
LINEAR = ("--kappa", 0.8, "--width", 0.2, "--weights", "linear")


def write_pilot(path: Path, labels: list[Any]) -> Path:
    columns = {str(label): [row[i] for row in PILOT] for i, label in enumerate(labels)}
    return write_csv(path, **{"": labels, **columns})


def test_the_table_of_a_pilot_study(tmp_path: Path) -> None:
    named = write_pilot(tmp_path / "named.csv", ["low", "mid", "high"])
    (tmp_path / "bare.txt").write_text("\n".join(" ".join(map(str, row)) for row in PILOT))
    expected = sample_size_for_width(0.8, 0.2, pilot=PILOT, weights="linear")
    for path in (named, tmp_path / "bare.txt"):
        result = plan.run(*LINEAR, "--pilot", path)
        assert re.search(rf"^items +{expected}$", result.stdout, re.MULTILINE)
        assert result.stderr == ""
        assert "assumed to confuse the same labels as in the pilot" in result.stdout
        assert "to guess on the others" not in result.stdout
    sentence = plan.text_of(*LINEAR, "--pilot", named, "--format", "sentence")
    assert "label proportions of 0.36, 0.3, 0.34 and pilot kappa of 0.7801, the study" in sentence


@pytest.mark.parametrize("is_ordered", [False, True])
def test_the_ratings_of_a_pilot_study(tmp_path: Path, is_ordered: bool) -> None:
    """Saved counts keep the order of their labels, or the doubt about it."""
    labels = ["high", "low", "mid"]
    ratings = [
        (one, other)
        for one, row in zip(labels, PILOT)
        for other, n in zip(labels, row)
        for _ in range(n)
    ]
    ann, ben = zip(*ratings)
    file, saved = write_csv(tmp_path / "r.csv", ann=ann, ben=ben), tmp_path / "r.json"
    order = ["--labels", "high,low,mid"] if is_ordered else []
    CommandLine("score").text_of(file, "--y1", "ann", "--y2", "ben", "--save", saved, *order)
    result = plan.run(*LINEAR, "--pilot", saved, "--format", "csv")
    expected = sample_size_for_width(0.8, 0.2, pilot=PILOT, weights="linear")
    assert f"items,{expected}\n" in result.stdout
    said = "assumed to be alphabetical" in result.stderr
    assert said != is_ordered
    assert not said or "score --save with --labels" in result.stderr
    refused = plan.refusal(*LINEAR, "--pilot", file)
    assert "save their counts with `fastkappa score --save`" in refused


def test_refused_pilots(tmp_path: Path) -> None:
    pilot = ("--pilot", write_pilot(tmp_path / "pilot.csv", [1, 2, 3]))
    for options, message in (
        (("--rates", 0.3), "--rates must be left out if --pilot is given"),
        (("--raters", 3), "--raters must be 2 if --pilot is given, got 3."),
    ):
        assert message in plan.refusal(*LINEAR, *pilot, *options)
    icc = ("--correlation", 0.8, "--coefficient", "icc", "--n", 50)
    assert "--pilot cannot be combined with --correlation" in plan.refusal(*icc, *pilot)
    nowhere = plan.refusal(*LINEAR, "--pilot", tmp_path / "no.csv")
    assert "No such file" in nowhere
    assert "score --save" not in nowhere
    (tmp_path / "total.csv").write_text(",a,b,total\na,40,5,45\nb,4,51,55\ntotal,44,56,100\n")
    result = plan.run("--kappa", 0.5, "--n", 90, "--pilot", tmp_path / "total.csv")
    assert "column of --pilot equal the sums of the others" in result.stderr
    assert "If they are totals, remove them.\n" in result.stderr
