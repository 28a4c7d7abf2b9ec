"""The command line, as used by people and by programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastkappa
from fastkappa import datasets
from fastkappa.install_hint import install_command

pytest.importorskip("typer")
pytest.importorskip("pyarrow")
pytest.importorskip("rich")

from fastkappa import cli
from tests.helpers.command_line import CommandLine, refusal_of, write_csv

KEYS = [
    "file",
    "columns",
    "rows",
    "missing",
    "dropped",
    "outside",
    "n",
    "labels",
    "table",
    "observed_agreement",
    "expected_agreement",
    "weights",
    "kappa",
    "kappas",
    "interval",
    "version",
]


program, command = CommandLine(), CommandLine("score")
run, text_of, json_of, refusal = command.run, command.text_of, command.json_of, command.refusal


def run_process(*arguments: object, code: str = "", **environment: str) -> Any:
    """Run the command line in a separate process, with its output piped."""
    start = ["-c", code] if code else ["-m", "fastkappa"]
    return subprocess.run(
        [sys.executable, "-W", "error", *start, *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "80", **environment},
        timeout=120,
    )


def exact(pairs: list[tuple[Any, Any]], labels: list[Any]) -> dict[str, Any]:
    """Return the figures of a report from the pairs of ratings, in rational arithmetic."""
    position = {label: i for i, label in enumerate(labels)}
    pairs = [(a, b) for a, b in pairs if a in position and b in position]
    count, n = Counter(pairs), len(pairs)
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)

    def kappa(power: int) -> float:
        def weight(a: Any, b: Any) -> int:
            return abs(position[a] - position[b]) ** power if power else int(a != b)

        observed = Fraction(sum(weight(a, b) for a, b in pairs), n)
        expected = Fraction(
            sum(weight(a, b) * first[a] * second[b] for a in first for b in second), n * n
        )
        return float(1 - observed / expected)

    return {
        "n": n,
        "labels": labels,
        "table": [[count[a, b] for b in labels] for a in labels],
        "observed_agreement": float(Fraction(sum(a == b for a, b in pairs), n)),
        "expected_agreement": float(Fraction(sum(first[a] * second[a] for a in first), n * n)),
        "kappas": {"none": kappa(0), "linear": kappa(1), "quadratic": kappa(2)},
    }


def assert_reports(result: Any, expected: dict[str, Any], keys: list[str] = KEYS) -> dict[str, Any]:
    assert result.exit_code == 0, result.stderr
    report: dict[str, Any] = json.loads(result.stdout)
    assert list(report) == keys
    for key in ("n", "labels", "table"):
        assert report[key] == expected[key]
    for key in ("observed_agreement", "expected_agreement", "kappas"):
        assert report[key] == pytest.approx(expected[key], rel=1e-15)
    assert report["kappa"] == report["kappas"][report["weights"]]
    return report


@pytest.fixture
def integers(tmp_path: Path) -> tuple[Path, list[tuple[int, int]]]:
    random = np.random.default_rng(3)
    left = random.choice([1, 2, 3, 10], 400).tolist()
    right = [a if random.random() < 0.6 else int(random.choice([1, 2, 3, 10])) for a in left]
    return write_csv(tmp_path / "ratings.csv", item=range(400), left=left, right=right), list(
        zip(left, right)
    )


@pytest.fixture
def retinopathy(tmp_path: Path) -> Path:
    y1, y2 = datasets.load("diabetic_retinopathy").expand()
    return write_csv(tmp_path / "retinopathy.csv", left=y1, right=y2)


def test_retinopathy_as_a_person_reads_it(
    retinopathy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(retinopathy.parent)
    text = text_of(retinopathy.name, "--y1", "left", "--y2", "right", "--weights", "quadratic")
    # These are the kappas that scikit-learn 1.9.1 computes for these ratings.
    assert text == (
        """\
17563 items rated in left (rows) and right (columns) of retinopathy.csv

  left       0     1     2    3    4  total
  0      12155   407   295    3   11  12871
  1        435   600   171    2    4   1212
  2        336   222  1998   96   50   2702
  3          3     1    87  307   27    425
  4         10     1    39   40  263    353
  total  12939  1231  2590  448  355  17563

n                            17563
kappa, quadratic weights    0.8545
unweighted kappa            0.7045
  observed agreement p_o    0.8725
  expected agreement p_e    0.5685
kappa, linear weights       0.7909
"""
    )


def test_retinopathy_in_json_beside_scikit_learn(retinopathy: Path) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    y1, y2 = datasets.load("diabetic_retinopathy").expand()
    report = json_of(retinopathy, "--y1", "left", "--y2", "right")
    assert report["table"] == metrics.confusion_matrix(y1, y2).tolist()
    assert report["observed_agreement"] == pytest.approx(metrics.accuracy_score(y1, y2))
    for name, weights in (("none", None), ("linear", "linear"), ("quadratic", "quadratic")):
        expected = metrics.cohen_kappa_score(y1, y2, weights=weights)
        assert report["kappas"][name] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_integers(integers: tuple[Path, list[tuple[int, int]]], weights: str) -> None:
    path, pairs = integers
    arguments: tuple[object, ...] = (path, "--y1", "left", "--y2", "right", "--weights", weights)
    if weights != "none":
        # Unequal steps would cause a warning.
        arguments += ("--labels", "1,2,3,10")
    report = assert_reports(run(*arguments, "--format", "json"), exact(pairs, [1, 2, 3, 10]))
    assert report["weights"] == weights
    assert report["file"] == str(path)
    assert report["columns"] == {"y1": "left", "y2": "right"}
    assert (report["rows"], report["dropped"], report["outside"]) == (400, 0, 0)
    assert report["missing"] == {"y1": 0, "y2": 0}


def test_labels_give_the_order_and_leave_others_out(
    integers: tuple[Path, list[tuple[int, int]]],
) -> None:
    path, pairs = integers
    arguments = (path, "--y1", "left", "--y2", "right", "--labels", "10,7,1,2")
    expected = exact(pairs, [10, 7, 1, 2])
    report = assert_reports(run(*arguments, "--format", "json"), expected, [*KEYS, "warnings"])
    assert report["outside"] == sum(3 in pair for pair in pairs) > 0
    text = text_of(*arguments)
    assert f"\n{report['outside']} items left out because of a rating outside the labels\n" in text


def test_labels_may_be_negative(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "r.csv", a=[-1, 0, 1, -1], b=[-1, 0, 0, 1])
    result = run(path, "--y1", "a", "--y2", "b", "--labels", "-1,1,0", "--format", "json")
    assert_reports(result, exact([(-1, -1), (0, 0), (1, 0), (-1, 1)], [-1, 1, 0]))


def test_strings_in_the_order_of_the_labels(tmp_path: Path) -> None:
    pairs = [("low", "low"), ("low", "mid"), ("high", "high"), ("mid", "high"), ("mid", "mid")]
    path = write_csv(tmp_path / "r.csv", a=[a for a, _ in pairs], b=[b for _, b in pairs])
    arguments = (path, "--y1", "a", "--y2", "b", "--format", "json")
    # Weights depend on the order.
    unweighted = json.loads(run(*arguments).stdout)
    assert unweighted["kappas"] == {"none": unweighted["kappa"]}
    assert "warnings" not in unweighted
    weighted = json.loads(run(*arguments, "--weights", "linear").stdout)
    assert "high < low < mid" in weighted["warnings"][0]
    expected = exact(pairs, ["high", "low", "mid"])
    assert weighted["kappas"] == pytest.approx(expected["kappas"], abs=1e-15)
    ordered = run(*arguments, "--labels", "low,mid,high")
    assert_reports(ordered, exact(pairs, ["low", "mid", "high"]))


def test_missing_ratings(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "r.csv", a=[1, "", 2, 2, 1], b=[1, 2, "", "", 2])
    arguments = (path, "--y1", "a", "--y2", "b")
    message = refusal(*arguments)
    assert "1 in column 'a' and 2 in column 'b', out of 5 rows. Use --missing drop" in message
    dropped = run(*arguments, "--missing", "drop", "--format", "json")
    report = assert_reports(dropped, exact([(1, 1), (1, 2)], [1, 2]))
    assert (report["rows"], report["dropped"]) == (5, 3)
    assert report["missing"] == {"y1": 1, "y2": 2}
    text = text_of(*arguments, "--missing", "drop")
    assert "\n3 rows dropped because of a missing rating (1 in a, 2 in b)\n" in text


def test_one_label_leaves_kappa_undefined(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "r.csv", a=["yes", "yes"], b=["yes", "yes"])
    # Weighted kappas of words are printed if --labels gives an order.
    result = run(path, "--y1", "a", "--y2", "b", "--labels", "yes")
    assert result.exit_code == 0
    assert result.stdout.count("undefined\n") == 3
    assert "Kappa is undefined: all ratings are yes, so no disagreement is" in result.stdout
    report = json_of(path, "--y1", "a", "--y2", "b", "--labels", "yes")
    assert report["kappa"] is None
    assert report["kappas"] == {"none": None, "linear": None, "quadratic": None}
    assert (report["observed_agreement"], report["expected_agreement"]) == (1, 1)


def test_no_pair_among_the_labels_leaves_kappa_undefined(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "r.csv", a=[1, 2], b=[3, 3])
    arguments = (path, "--y1", "a", "--y2", "b", "--labels", "1,2")
    report = json_of(*arguments)
    assert (report["n"], report["outside"], report["kappa"]) == (0, 2, None)
    assert report["observed_agreement"] is None
    text = text_of(*arguments)
    assert "Kappa is undefined: every item has a rating that is not among the labels." in text


def test_the_same_column_twice(integers: tuple[Path, Any]) -> None:
    message = refusal(integers[0], "--y1", "left", "--y2", "left")
    assert "--y1 and --y2 must name different columns, got 'left' twice." in message


def many_labels(tmp_path: Path, n_labels: int) -> Path:
    random = np.random.default_rng(8)
    left = random.integers(n_labels, size=4000)
    right = np.clip(left + random.integers(-2, 3, 4000), 0, n_labels - 1)
    return write_csv(tmp_path / "many.csv", left=left, right=right)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_many_labels_fit_the_terminal(tmp_path: Path, width: int) -> None:
    path = many_labels(tmp_path, 25)
    result = run(path, "--y1", "left", "--y2", "right", columns=width)
    lines = result.stdout.splitlines()
    table = [line for line in lines[2:] if str(path) not in line]
    assert max(map(len, table)) <= width
    blocks = sum(line.lstrip().startswith("total") for line in lines)
    assert (blocks > 1) == (width < 200)
    # Joined together, the blocks form the table.
    rows: dict[str, list[int]] = {}
    for line in table:
        head, *cells = line.split() or [""]
        if head.isdigit() and len(cells) > 0 and int(head) < 25:
            rows.setdefault(head, []).extend(0 if cell == "." else int(cell) for cell in cells)
    report = json_of(path, "--y1", "left", "--y2", "right")
    assert [rows[str(label)] for label in range(25)] == [
        [*row, sum(row)] for row in report["table"]
    ]


def test_a_table_too_large_to_read_is_left_to_json(tmp_path: Path) -> None:
    path = many_labels(tmp_path, 60)
    result = run(path, "--y1", "left", "--y2", "right")
    assert (
        "The table of 60 labels is too large to show here. For the full table, use" in result.stdout
    )
    assert len(result.stdout.splitlines()) < 15
    assert len(json_of(path, "--y1", "left", "--y2", "right")["table"]) == 60


def test_labels_are_shown_as_they_are(tmp_path: Path) -> None:
    odd = ["[bold]x[/]", ":smile:", "良い", "tab\there", "a" * 50]
    path = write_csv(tmp_path / "r.csv", a=odd, b=odd)
    lines = text_of(path, "--y1", "a", "--y2", "b", columns=200).splitlines()
    heads = [line.strip().split("  ")[0] for line in lines]
    for label in ("[bold]x[/]", ":smile:", "良い", r"'tab\there'", "a" * 37 + "…"):
        assert label in heads


def test_an_unknown_column_is_named_with_those_there(integers: tuple[Path, Any]) -> None:
    message = refusal(integers[0], "--y1", "left", "--y2", "rihgt")
    assert "no column 'rihgt'; it has 'item', 'left', 'right'. Did you mean 'right'?" in message


def test_labels_none_of_which_occurs(integers: tuple[Path, Any]) -> None:
    arguments = (integers[0], "--y1", "left", "--y2", "right", "--labels")
    text = text_of(*arguments, "7,8")
    assert "every item has a rating that is not among the labels." in text
    assert "labels must be distinct, got 1 more than once" in refusal(*arguments, "1,1")
    assert "--labels contains 'x'" in refusal(*arguments, "1,x")


def test_an_identifier_is_refused_unless_labels_are_given(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "r.csv", item=range(3000), y=[1, 2, 3] * 1000)
    assert "Check that it is a column of ratings." in refusal(path, "--y1", "item", "--y2", "y")
    result = run(path, "--y1", "item", "--y2", "y", "--labels", "1,2,3")
    assert result.exit_code == 0


def test_a_backend_that_is_not_there(integers: tuple[Path, Any]) -> None:
    for arguments in (("score", integers[0], "--y1", "left", "--y2", "right"), ("config",)):
        result = run_process(*arguments, FASTKAPPA_BACKEND="abacus")
        assert "FASTKAPPA_BACKEND must be one of" in refusal_of(result)


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "r.csv", "--y1", "a"),
        ("score", "--y1", "a", "--y2", "b"),
        ("score", "r.csv", "--y1", "a", "--y2", "b", "--weights", "cubic"),
        ("score", "r.csv", "--y1", "a", "--y2", "b", "--weight", "linear"),
        ("scoer", "r.csv"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...]) -> None:
    result = program.run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Usage: " in result.stderr


def test_version_and_config() -> None:
    assert program.run("--version").stdout == fastkappa.__version__ + "\n"
    config = program.run("config")
    assert config.exit_code == 0
    assert config.stdout.startswith("fastkappa ")
    assert "backend in use" in config.stdout


def test_help_names_the_commands() -> None:
    result = program.run("--help")
    assert result.exit_code == 0
    commands = {file.stem for file in Path(cli.__file__).parent.glob("commands/[!_]*.py")}
    assert {"score", "config"} <= commands <= set(result.stdout.split())


def test_the_program_scores(integers: tuple[Path, Any]) -> None:
    path, pairs = integers
    arguments = (path, "--y1", "left", "--y2", "right")
    as_json = run_process("score", *arguments, "--format", "json")
    assert (as_json.returncode, as_json.stderr) == (0, "")
    assert json.loads(as_json.stdout)["kappas"] == exact(pairs, [1, 2, 3, 10])["kappas"]
    text = run_process("score", *arguments)
    assert (text.returncode, text.stderr) == (0, "")
    assert "\x1b" not in text.stdout
    assert text.stdout == text_of(*arguments)


def test_the_installed_command_is_the_same_program(integers: tuple[Path, Any]) -> None:
    from importlib.metadata import entry_points

    (command,) = entry_points(group="console_scripts", name="fastkappa")
    assert command.load() is cli.main


def test_the_program_refuses_in_one_line(integers: tuple[Path, Any], tmp_path: Path) -> None:
    (tmp_path / "ratings.docx").write_bytes(b"PK")
    for path, column, problem in (
        (tmp_path / "none.csv", "left", "there is no file"),
        (tmp_path / "none", "left", "there is no file or folder"),
        (tmp_path / "ratings.docx", "left", "is unknown;"),
        (integers[0], "leftt", "Did you mean 'left'?"),
    ):
        result = run_process("score", path, "--y1", column, "--y2", "right")
        assert problem in refusal_of(result)


def test_a_terminal_that_lacks_a_character_is_no_error(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "r.csv", a=["höher", "gleich"], b=["höher", "höher"])
    arguments = ("score", path, "--y1", "a", "--y2", "b")
    result = run_process(*arguments, PYTHONIOENCODING="ascii")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.isascii()
    assert r"h\xf6her" in result.stdout


@pytest.mark.parametrize("library", ["typer", "pyarrow"])
def test_without_an_extra_library(integers: tuple[Path, Any], library: str) -> None:
    code = f"import sys; sys.modules[{library!r}] = None; from fastkappa.cli import main; main()"
    result = run_process("score", integers[0], "--y1", "left", "--y2", "right", code=code)
    assert install_command("fastkappa[cli]") in refusal_of(result)
