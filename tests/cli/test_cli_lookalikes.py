"""Commands warn about labels that look alike, each in one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas
import pytest

from fastkappa import fleiss_kappa
from tests.helpers.command_line import CommandLine, report_on_nothing, write_csv


@pytest.mark.parametrize(
    "arguments", [("score", "--y1", "a", "--y2", "b"), ("agree", "--raters", "a", "b", "c")]
)
def test_blanks_are_remarked_on(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    columns = {name: ["x", "y", last] for name, last in (("a", "x "), ("b", "x"), ("c", "x"))}
    name, *options = arguments
    result = CommandLine(name).run(write_csv(tmp_path / "r.csv", **columns), *options)
    assert result.exit_code == 0, result.stderr
    (line,) = [line for line in result.stderr.splitlines() if "how they are written" in line]
    assert line.startswith("fastkappa: warning: ")
    assert line.endswith("Write them the same way if they are the same label.")


def test_columns_of_another_form_are_warned_of_as_in_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report_on_nothing(monkeypatch)
    run = CommandLine("agree").run
    counts = {"yes": [3, 0, 2, 4, 1], "no": [1, 4, 1, 0, 2], "unsure": [0, 0, 1, 0, 1]}
    path = write_csv(tmp_path / "counts.csv", **counts)
    message = (
        "every row of ratings has the same sum and some entries are 0, as in a table of counts"
    )
    with pytest.warns(UserWarning, match=message):
        fleiss_kappa(pandas.DataFrame(counts))
    assert message in run(path, "--raters", *counts).stderr
    # There is no warning about given labels, because they are intended.
    assert run(path, "--raters", *counts, "--labels", "0,1,2,3,4").stderr == ""
    graded = np.random.default_rng(3).integers(1, 4, (3, 20))
    rated = {"id": np.arange(20), **dict(zip("abc", graded.tolist()))}
    path = write_csv(tmp_path / "ids.csv", **rated)
    assert "id has a different value in each of the 20 rows" in run(path, "--raters", *rated).stderr
    assert run(path, "--raters", *"abc").stderr == ""
    # Patients with two lesions each, but not scores from 0 to 100 next to tens.
    a, b, c = graded.repeat(2, axis=1)
    path = write_csv(tmp_path / "patients.csv", patient=np.arange(40) // 2, a=a, b=b, c=c)
    warned = run(path, "--raters", "patient", "a", "b").stderr
    assert "patient has 17 labels not used by the other raters (such as 0, 4" in warned
    scores = np.random.default_rng(0).integers(0, 101, 40)
    tens = scores // 10 * 10
    path = write_csv(tmp_path / "scores.csv", item=np.arange(40), a=scores, b=tens, c=tens[::-1])
    assert run(path, "--raters", "a", "b", "c").stderr == ""


@pytest.mark.parametrize("output", ["json", "html"])
@pytest.mark.parametrize(
    "arguments", [("score", "--y1", "a", "--y2", "b"), ("agree", "--raters", "a", "b")]
)
def test_a_page_and_json_have_the_warnings(
    tmp_path: Path, output: str, arguments: tuple[str, ...]
) -> None:
    name, *options = arguments
    path = write_csv(tmp_path / "r.csv", a=["x", "y", "x "] * 4, b=["x", "y", "x"] * 4)
    result = CommandLine(name).run(path, *options, "--format", output)
    assert "that differ only in how they are written, but are counted separately" in result.stderr
    assert "that differ only in how they are written, but are counted separately" in result.stdout


def test_a_copy_of_a_rater_is_warned_of(tmp_path: Path) -> None:
    for rater in ("ann", "ann (1)", "ben"):
        labels = ["x", "y", "x", "z"] if rater == "ben" else ["x", "y", "z", "z"]
        write_csv(tmp_path / f"{rater}.csv", item=[1, 2, 3, 4], label=labels)
    result = CommandLine("agree").run(tmp_path, "--id", "item")
    assert "ann (1).csv equals " in result.stderr
    (tmp_path / "ann (1).csv").unlink()
    assert CommandLine("agree").run(tmp_path, "--id", "item").stderr == ""


@pytest.mark.parametrize(
    ("tags", "separator", "warned"),
    [
        # ordinary sets and labels
        (["joy", "joy;pride", "fear", "not sure, again"], ";", None),
        (["joy", "fear", "fear, great", "not sure"], None, None),
        (["not sure, again", "joy", "fear", "fear"], ";", None),
        (["1", "5", "1,5", "5"], None, None),
        # Another separator, in all cells or in some of them.
        (["joy|pride", "joy|fear", "fear", "joy|fear"], ";", "|"),
        (["joy", "joy;pride", "fear", "joy, fear"], ";", ","),
        (["joy", "joy|pride", "pride", "fear"], None, "|"),
        (["['joy', 'pride']", "['joy']", "['fear']", "['joy']"], None, ","),
        (["['joy', 'pride']", "['joy']", "['fear']", "['joy']"], ",", None),
    ],
)
def test_another_separator_of_sets(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    tags: list[str],
    separator: str | None,
    warned: str | None,
) -> None:
    report_on_nothing(monkeypatch)
    quoted = [f'"{tag}"' for tag in tags]
    path = write_csv(tmp_path / "tags.csv", ann=quoted, ben=quoted[::-1], eve=quoted)
    options = [] if separator is None else ["--set-separator", separator]
    said = CommandLine("agree").run(path, "--raters", "ann", "ben", "eve", *options).stderr
    found = [line.partition(", use ")[2] for line in said.splitlines() if "separator" in line]
    found = [text.removesuffix(" of fastkappa agree.").rstrip(".") for text in found]
    assert found == ([] if warned is None else [f"--set-separator '{warned}'"])


def test_names_of_groups_are_shown_once_and_readably(tmp_path: Path) -> None:
    """Letters that can be told apart are not escaped. The counts are those of the rated items."""
    sites = ["Köln", "KÖLN", "Ulm"] * 20
    a = ["", *([1, 2] * 30)[1:]]
    path = write_csv(tmp_path / "r.csv", a=a, b=[1, 2, 1] * 20, site=sites, who=range(60))
    for options in (["--group", "site"], ["--group", "site", "--cluster", "who"]):
        given = ["--raters", "a", "b", "--missing", "drop", *options]
        said = CommandLine("agree").run(path, *given).stderr
        assert said.count("how they are written") == 1
        assert "'KÖLN' (20 times), 'Köln' (" in said
