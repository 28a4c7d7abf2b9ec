"""`fastkappa measure`: published measurements, long files, plots and refusals."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")
pytest.importorskip("pyarrow")

from fastkappa.measurements import (
    concordance_correlation,
    intraclass_correlation,
    limits_of_agreement,
    overall_concordance_correlation,
)
from tests.helpers.command_line import CommandLine, write_csv
from tests.helpers.published_measurements import (
    EJECTION,
    MINI,
    SHROUT_FLEISS,
    WRIGHT,
    WRIGHT_AGAIN,
)

measure = CommandLine("measure")


@pytest.fixture
def flows(tmp_path: Path) -> Path:
    third = [value + 5 for value in MINI]
    return write_csv(tmp_path / "flow.csv", wright=WRIGHT, mini=MINI, third=third)


def test_two_methods(flows: Path) -> None:
    found = measure.json_of(flows, "--raters", "wright", "mini")
    # Bland and Altman (1986): a mean difference of -2.1 l/min, standard deviation 38.8.
    assert found["limits"]["bias"] == pytest.approx(-2.1, abs=0.05)
    assert found["limits"]["standard_deviation"] == pytest.approx(38.8, abs=0.05)
    assert found["limits"]["raters"] == ["wright", "mini"]
    assert found["concordance"]["value"] == concordance_correlation(WRIGHT, MINI).value
    forms = {form["form"]: form["value"] for form in found["intraclass"]["forms"]}
    assert forms["ICC(A,1)"] == intraclass_correlation(np.array([WRIGHT, MINI]).T)["ICC(A,1)"].value
    text = measure.text_of(flows, "--raters", "wright", "mini", "--confidence", 0.9)
    limits = limits_of_agreement(WRIGHT, MINI, confidence=0.9)
    assert "Limits of agreement, wright minus mini, 17 items" in text
    assert f"{limits.bias:.2f}" in text
    assert "proportional bias (slope)" in text
    assert "90 % interval" in text


def test_the_report_has_the_unit(flows: Path) -> None:
    text = measure.text_of(flows, "--raters", "wright", "mini", "--units", "l/min")
    correlations, limits, repeated = re.split("\nLimits of|\nRepeatability of", text)
    assert "l/min" not in correlations
    # The slope has no unit.
    assert limits.count("value (l/min)") == repeated.count("value (l/min)") == 1
    assert "standard deviation (l/min)" in limits


def test_each_group_is_reported_as_alone(tmp_path: Path) -> None:
    site = np.where(np.arange(17) < 8, "north", "south")
    path = write_csv(tmp_path / "sites.csv", wright=WRIGHT, mini=MINI, site=site)
    options = ("--raters", "wright", "mini", "--scale", "cicchetti")
    whole = measure.json_of(path, *options)
    found = measure.json_of(path, *options, "--group", "site")
    assert {name: found[name] for name in whole} == whole
    rows = measure.text_of(path, *options, "--group", "site", "--format", "csv").splitlines()
    text = measure.text_of(path, *options, "--group", "site")
    assert text.startswith(f"{path}: wright, mini, by site\n")
    long = write_csv(
        tmp_path / "long.csv",
        item=np.tile(np.arange(17), 2),
        who=np.repeat(["wright", "mini"], 17),
        value=np.concatenate([WRIGHT, MINI]),
        site=np.tile(site, 2),
    )
    in_rows = (
        "--item",
        "item",
        "--rater",
        "who",
        "--rating",
        "value",
        "--raters",
        "wright",
        "mini",
    )
    stacked = measure.json_of(long, *in_rows, "--scale", "cicchetti", "--group", "site")
    assert stacked["groups"] == found["groups"]
    for of_site, name in zip(found["groups"], ("north", "south"), strict=True):
        columns = {"wright": np.array(WRIGHT)[site == name], "mini": np.array(MINI)[site == name]}
        alone = write_csv(tmp_path / f"{name}.csv", **columns)
        expected = measure.json_of(alone, *options)
        assert of_site.pop("group") == name
        assert of_site == {one: expected[one] for one in of_site}
        lines = measure.text_of(alone, *options, "--format", "csv").splitlines()[1:]
        assert [row for row in rows if row.startswith(f"{name},")] == [f"{name},{x}" for x in lines]
        assert f"\nsite {name}\n\nIntraclass correlation of wright and mini, " in text
        sentences = measure.text_of(alone, *options, "--format", "sentence").splitlines()
        of_group = measure.text_of(path, *options, "--group", "site", "--format", "sentence")
        assert [f"site {name}: {one}" in of_group.splitlines() for one in sentences] == 6 * [True]
    assert "No test compares the groups." in text
    assert "No test compares the groups." not in measure.text_of(alone, *options)
    refused = measure.refusal(path, *options, "--group", "mini")
    assert "--group must name a column that no other option uses, got 'mini'." in refused
    single = write_csv(tmp_path / "one.csv", wright=WRIGHT, mini=MINI, site=["a", *"b" * 16])
    assert "site a: at least two subjects" in measure.refusal(single, *options, "--group", "site")


@pytest.mark.parametrize("raters", [["wright", "mini"], ["wright", "mini", "third"]])
def test_words_of_a_scale(flows: Path, raters: list[str]) -> None:
    options = [flows, "--raters", *raters, "--scale", "cicchetti"]
    columns = {"wright": WRIGHT, "mini": MINI, "third": [value + 5 for value in MINI]}
    given = np.array([columns[name] for name in raters]).T
    forms = intraclass_correlation(given)
    readings = {form.form: forms.interpret("cicchetti", form.form) for form in forms}
    found = measure.json_of(*options)["interpretation"]
    assert {name: found[name] for name in readings} == {
        name: one.to_dict() for name, one in readings.items()
    }
    text = " ".join(measure.text_of(*options).split())
    assert "read by Cicchetti" in text
    assert f"ICC(A,1): {readings['ICC(A,1)'].in_short()}" in text
    # Cicchetti (1994) calls values of 0.75 or more excellent.
    assert found["concordance correlation"]["reading"] == "excellent"
    assert "concordance correlation: excellent" in text


def test_four_judges(tmp_path: Path) -> None:
    columns = dict(zip("abcd", zip(*SHROUT_FLEISS)))
    path = write_csv(tmp_path / "r.csv", **columns)
    found = measure.json_of(path, "--raters", *"abcd")
    # The correlations in their text.
    values = [round(form["value"], 2) for form in found["intraclass"]["forms"]]
    assert sorted(values) == [0.17, 0.29, 0.44, 0.62, 0.71, 0.91]
    overall = overall_concordance_correlation(SHROUT_FLEISS)
    assert found["concordance"]["value"] == overall.value
    assert "limits" not in found
    printed = measure.text_of(path, "--raters", *"abcd", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(printed)))
    assert (rows[0]["statistic"], rows[0]["value"]) == ("n", "6")
    of_concordance = [row for row in rows if row["statistic"] == "concordance correlation"]
    assert [float(row["value"]) for row in of_concordance] == [overall.value]


def test_a_row_per_measurement(flows: Path, tmp_path: Path) -> None:
    order = np.random.default_rng(0).permutation(34)
    columns = {
        "who": [*range(17)] * 2,
        "meter": ["wright"] * 17 + ["mini"] * 17,
        "flow": [*WRIGHT, *MINI],
    }
    shuffled: dict[str, Any] = {
        name: [column[i] for i in order] for name, column in columns.items()
    }
    path = write_csv(tmp_path / "long.csv", **shuffled)
    long = ["--item", "who", "--rater", "meter", "--rating", "flow"]
    found = measure.json_of(path, *long)
    expected = measure.json_of(flows, "--raters", "mini", "wright")
    assert found["raters"] == ["mini", "wright"]
    for result, figure in (("limits", "bias"), ("concordance", "value")):
        assert found[result][figure] == pytest.approx(expected[result][figure])
    assert found["limits"]["upper_interval"] == pytest.approx(expected["limits"]["upper_interval"])
    with path.open("a") as file:
        file.write("3,mini,400\n")
    refused = measure.refusal(path, *long)
    assert "rater 'mini' has more than one measurement of item '3'" in refused
    assert "To compare sessions of a rater, treat each session as a separate rater" in " ".join(
        refused.split()
    )


def test_a_file_per_method(flows: Path, tmp_path: Path) -> None:
    n = len(WRIGHT)
    order = [(7 * i) % n for i in range(n)]
    names = [f"P{i}" for i in range(n)]
    wright = write_csv(tmp_path / "wright.csv", patient=names, flow=WRIGHT)
    # Another order and another name, and a first value with a fraction.
    moved = {"patient": [names[i] for i in order], "litres": [float(MINI[i]) for i in order]}
    mini = write_csv(tmp_path / "mini.csv", **moved)
    found = measure.json_of(wright, mini, "--id", "patient")
    expected = measure.json_of(flows, "--raters", "wright", "mini")
    assert found["raters"] == ["wright", "mini"]
    assert found["limits"] == expected["limits"]
    turned = measure.json_of(wright, mini, "--id", "patient", "--raters", "mini", "wright")
    assert turned["limits"]["bias"] == -found["limits"]["bias"]
    fewer = write_csv(tmp_path / "fewer.csv", **{name: c[2:] for name, c in moved.items()})
    refused = measure.refusal(wright, fewer, "--id", "patient")
    assert "'fewer' has no measurement of 2 items, for example 'P0'. Use --missing drop" in refused
    kept = measure.json_of(wright, fewer, "--id", "patient", "--missing", "drop")
    assert (kept["limits"]["n_subjects"], kept["limits"]["n_dropped"]) == (n - 2, 2)


def test_clusters(tmp_path: Path) -> None:
    n = len(WRIGHT)
    ward = [f"w{i // 3}" for i in range(n)]
    names = [f"P{i}" for i in range(n)]
    wide = write_csv(tmp_path / "r.csv", a=WRIGHT, b=MINI, ward=ward)
    found = measure.json_of(wide, "--raters", *"ab", "--cluster", "ward")
    expected = limits_of_agreement(WRIGHT, MINI, clusters=ward)
    assert (found["limits"]["n_clusters"], expected.n_clusters) == (6, 6)
    assert found["limits"]["bias_interval"] == list(expected.bias_interval)
    assert found["concordance"]["interval"] == list(
        concordance_correlation(WRIGHT, MINI, clusters=ward).interval
    )
    # The result is the same from shuffled rows per measurement and from one file per method.
    rows = [*zip(names, ["a"] * n, WRIGHT, ward), *zip(names, ["b"] * n, MINI, ward)]
    rows = [rows[(7 * i) % (2 * n)] for i in range(2 * n)]
    long = write_csv(tmp_path / "long.csv", **dict(zip(("id", "who", "flow", "ward"), zip(*rows))))
    options = ["--item", "id", "--rater", "who", "--rating", "flow", "--cluster", "ward"]
    of_long = measure.json_of(long, *options)["limits"]
    files = [
        write_csv(tmp_path / f"{name}.csv", id=names, flow=values, ward=ward)
        for name, values in (("a", WRIGHT), ("b", MINI))
    ]
    # Besides the ids and the wards, there is only one column.
    by_file = [*files, "--id", "id", "--cluster", "ward"]
    for limits in (of_long, measure.json_of(*by_file)["limits"]):
        assert limits["bias_interval"] == pytest.approx(found["limits"]["bias_interval"])
    assert "17 items in 6 clusters" in measure.text_of(long, *options)
    lost = write_csv(tmp_path / "lost.csv", a=WRIGHT, b=MINI, ward=["", *ward[1:]])
    lacking = [lost, "--raters", *"ab", "--cluster", "ward"]
    assert "1 in column 'ward'" in measure.refusal(*lacking)
    kept = measure.json_of(*lacking, "--missing", "drop")
    assert kept["limits"]["n_subjects"] == n - 1
    assert "left out 1 row, because the cluster is missing in column 'ward'." in kept["warnings"]
    with long.open("a") as file:
        file.write("P3,c,400,elsewhere\n")
    options += ["--missing", "drop"]
    assert "item 'P3' is in clusters 'w1' and 'elsewhere'" in measure.refusal(long, *options)
    refused = measure.refusal(wide, "--raters", *"ab", "--cluster", "a")
    assert "--cluster must name a column that no other option uses, got 'a'" in refused


def test_replicates_of_an_item(tmp_path: Path) -> None:
    """The mean of replicates would make the limits too narrow, so the error names the clusters."""
    pairs = [pair for of_patient in EJECTION for pair in of_patient]
    patient = [i for i, of_patient in enumerate(EJECTION) for _ in of_patient]
    rows = [(p, m, v) for p, pair in zip(patient, pairs) for m, v in zip("ab", pair)]
    columns = dict(zip(("patient", "method", "value"), zip(*rows)))
    long = write_csv(tmp_path / "long.csv", **columns, replicate=np.arange(len(rows)) // 2)
    options = ["--rater", "method", "--rating", "value"]
    refused = measure.refusal(long, "--item", "patient", *options)
    assert "give each replicate its own item id" in refused
    assert "--cluster" in refused
    found = measure.json_of(long, "--item", "replicate", *options, "--cluster", "patient")
    # Bland and Altman (2007) print -1.34 and 2.54.
    assert found["limits"]["limits"] == pytest.approx([-1.34, 2.54], abs=0.005)


def test_the_repeatability_of_columns(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "flow.csv", first=WRIGHT, second=WRIGHT_AGAIN)
    options = [path, "--raters", "first", "second"]
    found = measure.json_of(*options)["repeatability"]
    # Bland and Altman (1986) print 21.6 for the standard deviation of a difference.
    assert round(found["within_sd"] * 2**0.5, 1) == 21.6
    assert "Repeatability of first and second, 17 items" in measure.text_of(*options)
    rows = list(csv.DictReader(io.StringIO(measure.text_of(*options, "--format", "csv"))))
    of_name = {row["statistic"]: row for row in rows}
    assert float(of_name["repeatability coefficient"]["value"]) == found["coefficient"]
    assert float(of_name["within-item SD (SEM)"]["lower"]) == found["within_sd_interval"][0]


def test_missing_measurements(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "r.csv", a=[1.5, "", 2.5, 4, -9], b=[1.7, 2, 2.4, 3.5, 5])
    options = [path, "--raters", "a", "b"]
    assert "measurements are missing: 1 in column 'a', out of 5 rows. Use --missing drop" in (
        measure.refusal(*options)
    )
    dropped = measure.json_of(*options, "--missing", "drop", "--missing-codes", "-9")
    assert (dropped["limits"]["n_subjects"], dropped["limits"]["n_dropped"]) == (3, 2)


@pytest.mark.parametrize("raters", [["wright", "mini"], ["wright", "mini", "third"]])
def test_pictures(flows: Path, tmp_path: Path, raters: list[str]) -> None:
    pytest.importorskip("matplotlib")
    picture, page = tmp_path / "p.svg", tmp_path / "p.html"
    measure.text_of(flows, "--raters", *raters, "--plot", picture, "--report", page)
    drawn = picture.read_text(encoding="utf-8")
    assert ("difference, wright minus mini" in drawn) is (len(raters) == 2)
    assert page.read_text(encoding="utf-8").count("<figcaption>") == 4 - len(raters)
    columns = {"wright": WRIGHT, "mini": MINI, "third": MINI[::-1]}
    sites = write_csv(tmp_path / "s.csv", site=["s", *"t" * (len(MINI) - 9), *"s" * 8], **columns)
    measure.text_of(sites, "--raters", *raters, "--report", page, "--group", "site")
    assert "The plot is of all groups together.</figcaption>" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--raters", "wright"], "--raters must name two or more columns, got only 'wright'."),
        (["--raters", "wright", "word"], "word must be real numbers, got 'x'."),
        (["--item", "who"], "--item also needs --rater and --rating."),
        (
            ["--raters", "who", "wright", "word"],
            "Use --item, --rater and --rating for a file with one row per measurement.",
        ),
        (["--raters", "who", "wright"], "Leave it out of --raters"),
        (["--raters", "who", "wright", "mini"], "Leave it out of --raters"),
        (["--raters", "wright", "mini", "--dpi", "90"], "--dpi needs --plot."),
    ],
)
def test_refusals(tmp_path: Path, options: list[str], message: str) -> None:
    path = write_csv(tmp_path / "r.csv", who=range(17), wright=WRIGHT, mini=MINI, word=["x"] * 17)
    assert message in measure.refusal(path, *options)


def test_the_csv_has_the_figures_of_the_report(flows: Path) -> None:
    stats = pytest.importorskip("scipy.stats")
    printed = measure.text_of(flows, "--raters", "wright", "mini", "--format", "csv")
    found = {row["statistic"]: row["value"] for row in csv.DictReader(io.StringIO(printed))}
    differences = np.subtract(WRIGHT, MINI)
    sd = float(differences.std(ddof=1))
    assert float(found["standard deviation"]) == pytest.approx(sd)
    # F of ICC(C,1) is the mean square of the subjects over that of the residuals.
    subjects = np.add(WRIGHT, MINI).var(ddof=1) / 2
    assert float(found["F of ICC(C,1)"]) == pytest.approx(subjects / (sd**2 / 2))
    assert (found["df1 of ICC(C,1)"], found["df2 of ICC(C,1)"]) == ("16", "16")
    p_value = stats.f.sf(2 * subjects / sd**2, 16, 16)
    assert float(found["p of ICC(C,1)"]) == pytest.approx(p_value)
    precision = float(np.corrcoef(WRIGHT, MINI)[0, 1])
    assert float(found["precision"]) == pytest.approx(precision)
    of_both = precision * float(found["accuracy"])
    assert float(found["concordance correlation"]) == pytest.approx(of_both)
    ratio = np.std(WRIGHT) / np.std(MINI)
    assert float(found["scale shift"]) == pytest.approx(ratio)
    product = np.std(WRIGHT) * np.std(MINI)
    shift = differences.mean() / np.sqrt(product)
    assert float(found["location shift"]) == pytest.approx(shift)
    three = measure.text_of(flows, "--raters", "wright", "mini", "third", "--format", "csv")
    assert "\nprecision," in three
    assert "shift" not in three


def test_decimal_commas_are_named_before_missing_values(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("id;y;a;b\n1;1;1,5;\n2;2;2,25;2\n3;1;3;3,5\n")
    reason = "column 'a' contains numbers with a decimal comma, such as '1,5': use --decimal ,."
    assert reason in measure.refusal(path, "--raters", "a", "b")
    assert reason in measure.refusal(path, "--raters", "a", "b", "--missing", "drop")
    assert reason in CommandLine("thresholds").refusal(path, "--y", "y", "--score", "a")
    refused = measure.refusal(path, "--raters", "a", "b", "--decimal", ",")
    assert "measurements are missing: 1 in column 'b'" in refused
