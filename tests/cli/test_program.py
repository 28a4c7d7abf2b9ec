"""The whole program: help, completion, closed pipes, Ctrl-C, seeds, and the demonstration."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("pyarrow")
pytest.importorskip("rich")

import typer

from fastkappa import cli, cohen_kappa_score, datasets, optimal_thresholds
from tests.helpers.command_line import CommandLine, write_csv

program = CommandLine()
GROUP: Any = typer.main.get_command(cli.make_app())
COMMANDS = sorted(GROUP.commands)
START = [sys.executable, "-m", "fastkappa"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
thresholds = CommandLine("thresholds")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_short_form_and_examples(name: str) -> None:
    short, long = program.run(name, "-h"), program.run(name, "--help")
    assert (short.exit_code, short.stdout) == (0, long.stdout)
    examples = short.stdout.partition("Examples:")[2]
    assert f"fastkappa {name}" in examples
    # At 80 columns, each fits on one line.
    lines = [line.strip() for line in examples.splitlines() if line.strip()]
    assert all(line.startswith(("fastkappa ", "zcat ")) for line in lines), lines


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_80_columns_and_cuts_no_word(name: str) -> None:
    lines = program.run(name, "--help", columns=80).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert not any("\N{HORIZONTAL ELLIPSIS}" in line for line in lines)
    # Choices such as <none
    # linear> and ranges such as [0<=x<=9] are not broken.
    options = "\n".join(lines).partition("Examples:")[0].splitlines()
    choices = [re.sub(r"\[[^]]*\]", "", line) for line in options]
    assert [line for line in choices if line.count("<") != line.count(">")] == []
    words = {
        word for parameter in GROUP.commands[name].params for word in str(parameter.help).split()
    }
    printed = {
        word
        for line in lines
        for word in line.replace("\N{BOX DRAWINGS LIGHT VERTICAL}", " ").split()
    }
    assert words - printed == set()


def test_the_program_names_every_command_with_examples() -> None:
    text = program.run("--help", columns=80).stdout
    assert max(map(len, text.splitlines())) <= 80
    listed, _, examples = text.partition("Examples:")
    assert all(f" {name} " in listed for name in COMMANDS)
    for line in filter(None, map(str.strip, examples.splitlines())):
        name, *options = line.split()[1:]
        there = {opt for p in GROUP.commands[name].params for opt in p.opts} | {"--help"}
        assert {option for option in options if option.startswith("--")} <= there
    assert all(f"fastkappa {name} " in examples for name in ("plan", "agree", "measure"))


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_name_options_that_are_there(name: str) -> None:
    for command, arguments in re.findall(r"fastkappa (\w+)(.*)", GROUP.commands[name].epilog):
        used = set(re.findall(r" (--[\w-]+)", arguments))
        assert used <= {opt for option in GROUP.commands[command].params for opt in option.opts}


def test_several_files_for_a_command_of_one_source(tmp_path: Path) -> None:
    files = [write_csv(tmp_path / f"{name}.csv", a=[1, 2], b=[1, 2]) for name in "xy"]
    said = " ".join(program.run("score", *files, "--y1", "a", "--y2", "b").stderr.split())
    assert "unexpected extra argument" in said
    assert "a pattern in" in said
    assert "a pattern in" not in program.run("plan", "0.8", "--kappa", 0.7).stderr


def test_completion() -> None:
    code = "import sys; sys.argv = ['fastkappa']; from fastkappa.cli import main; main()"

    def complete(words: str, position: int) -> list[str]:
        """Return the completions of a line that the shell receives."""
        environment = {
            **ENVIRONMENT,
            "_FASTKAPPA_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(position),
        }
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, timeout=60
        )
        return done.stdout.decode().split()

    assert complete("fastkappa sc", 1) == ["score"]
    assert complete("fastkappa agree --weights l", 3) == ["linear"]
    assert "--install-completion" in program.run("--help").stdout


@pytest.mark.skipif(os.name == "nt", reason="pipes and signals are those of Unix")
@pytest.mark.parametrize("arguments", [["--help"], ["agree", "r.csv", "--raters", "a", "b"]])
def test_who_closes_the_pipe_hears_nothing(tmp_path: Path, arguments: list[str]) -> None:
    write_csv(tmp_path / "r.csv", a=[1, 2, 2] * 9, b=[1, 2, 1] * 9)
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*START, *arguments],
        stdout=write,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=ENVIRONMENT,
        timeout=60,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(os.name == "nt", reason="pipes and signals are those of Unix")
def test_an_interruption() -> None:
    waiting = subprocess.Popen(
        [*START, "score", "-", "--y1", "a", "--y2", "b"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    assert waiting.stdin is not None
    # The output exceeds the capacity of a pipe, so writing it requires a reader.
    waiting.stdin.write(b"a,b\n" + b"1,1\n" * 50_000)
    waiting.stdin.flush()
    time.sleep(0.2)
    waiting.send_signal(signal.SIGINT)
    _, errors = waiting.communicate(timeout=60)
    assert waiting.returncode == 130
    assert b"Traceback" not in errors


def test_seeds(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    a = random.integers(1, 4, 60)
    scores = a + random.normal(0, 0.5, 60)
    path = write_csv(tmp_path / "r.csv", id=range(60), a=a, s=scores)
    other = write_csv(tmp_path / "o.csv", id=range(60), a=np.where(random.random(60) < 0.7, a, 2))
    board = CommandLine("leaderboard")
    last = write_csv(tmp_path / "l.csv", id=range(60), a=np.where(random.random(60) < 0.6, a, 2))
    options = (path, other, last, "--id", "id", "--target", "a", "--bootstrap", 100)
    first = board.json_of(*options)
    assert first == board.json_of(*options, "--seed", 0)
    assert first != board.json_of(*options, "--seed", 1)
    options = (path, "--y", "a", "--score", "s", "--method", "bagged")
    cuts = thresholds.json_of(*options)["thresholds"]
    assert cuts == thresholds.json_of(*options, "--seed", 0)["thresholds"]
    assert cuts != thresholds.json_of(*options, "--seed", 1)["thresholds"]


def test_the_demonstration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = program.text_of("demo")
    assert max(map(len, text.splitlines())) <= 80
    y1, y2 = datasets.load("diabetic_retinopathy").expand()
    words = " ".join(text.split())
    for weights in (None, "quadratic"):
        assert f"{cohen_kappa_score(y1, y2, weights=weights):.4f}" in words
    assert f"same grade in {np.mean(y1 == y2):.1%} of the patients" in words
    assert f"{np.mean(y1 == 0):.0%} of left eyes have grade 0" in words
    assert list(tmp_path.iterdir()) == []


# New scores.


@pytest.fixture
def oof(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(4)
    y = random.integers(0, 4, 200)
    scores = (y * 0.5 + random.normal(0, 0.3, 200)).round(3)
    write_csv(Path("oof.csv"), y=y, s=scores)
    Path("new.csv").write_text('name,s,note\n007,0.1,"a, b"\n008,5,NA\n009,-3,\n')
    return y, scores


FIT = ("oof.csv", "--y", "y", "--score", "s", "--method", "exact")


@pytest.mark.parametrize("saved", [True, False])
def test_new_scores(oof: tuple[Any, Any], saved: bool) -> None:
    start: tuple[str, ...] = FIT
    if saved:
        Path("cuts.json").write_text(thresholds.text_of(*FIT, "--format", "json"))
        start = ("cuts.json",)
    rows = list(csv.reader(thresholds.text_of(*start, "--apply", "new.csv").splitlines()))
    best = optimal_thresholds(*oof)
    labels = best.predict(np.array([0.1, 5, -3]))
    assert rows[0] == ["name", "s", "note", "predicted"]
    assert [row[3] for row in rows[1:]] == list(map(str, labels))
    assert [row[0] for row in rows[1:]] == ["007", "008", "009"]
    assert [float(row[1]) for row in rows[1:]] == [0.1, 5, -3]
    assert rows[1][2] == "a, b"


def test_a_score_at_a_cut_point_has_the_upper_label(oof: tuple[Any, Any]) -> None:
    cuts = {"labels": ["low", "mid", "high"], "thresholds": [1.5, "inf"], "columns": {"score": "s"}}
    Path("cuts.json").write_text(json.dumps(cuts))
    write_csv(Path("new.csv"), t=[1.4999999, 1.5, 1e300])
    rows = thresholds.text_of("cuts.json", "--apply", "new.csv", "--score", "t").splitlines()
    assert [row.split(",")[1] for row in rows[1:]] == ["low", "mid", "mid"]


@pytest.mark.parametrize("form", ["parquet", "arrow", "arrows", "stdin"])
def test_new_scores_of_every_form(oof: tuple[Any, Any], form: str) -> None:
    import pyarrow
    from pyarrow import parquet

    table = pyarrow.table({"id": ["x", "y"], "s": [0.1, 5.0]})
    name, stdin = f"scores.{form}", None
    if form == "parquet":
        parquet.write_table(table, name)
    elif form == "stdin":
        name, stdin = "-", b"id,s\nx,0.1\ny,5.0\n"
    else:
        new = pyarrow.ipc.new_file if form == "arrow" else pyarrow.ipc.new_stream
        with new(name, table.schema) as writer:
            writer.write_table(table)
    result = thresholds.run(*FIT, "--apply", name, stdin=stdin)
    labels = optimal_thresholds(*oof).predict(np.array([0.1, 5]))
    assert result.stdout == f"id,s,predicted\nx,0.1,{labels[0]}\ny,5.0,{labels[1]}\n"


def test_new_scores_stay_as_they_were_written(oof: tuple[Any, Any]) -> None:
    rows = [
        ["country", "s", "note"],
        ["NA", "0.10", ""],
        ["null", "5e0", "01"],
        ["nan", "1", "NaN"],
    ]
    with open("new.csv", "w", newline="") as file:
        csv.writer(file).writerows(rows)
    labels = optimal_thresholds(*oof).predict(np.array([0.1, 5, 1]))
    found = list(csv.reader(thresholds.text_of(*FIT, "--apply", "new.csv").splitlines()))
    assert found[0] == [*rows[0], "predicted"]
    assert found[1:] == [[*row, str(label)] for row, label in zip(rows[1:], labels)]


def test_new_scores_that_are_missing(oof: tuple[Any, Any]) -> None:
    write_csv(Path("new.csv"), id=[1, 2, 3], s=[0.5, "", -9])
    message = thresholds.refusal(*FIT, "--apply", "new.csv")
    assert "scores are missing: 1 in column 's', out of 3 rows" in message
    options = ("--missing", "drop", "--missing-codes=-9")
    result = thresholds.run(*FIT, "--apply", "new.csv", *options)
    assert "2 rows of new.csv left out because the score is missing." in result.stderr
    assert [row.split(",")[0] for row in result.stdout.splitlines()] == ["id", "1"]


@pytest.mark.parametrize("options", [(*FIT, "--apply", "odd.csv"), ("odd.csv", *FIT[1:])])
def test_words_among_scores_are_no_labels(oof: tuple[Any, Any], options: tuple[str, ...]) -> None:
    write_csv(Path("odd.csv"), y=[1, 2, 1, 2], s=[0.5, "abc", 0.7, 1.5])
    for labels in ((), ("--labels", "0,1,2,3")):
        message = thresholds.refusal(*options, *labels)
        assert "column 's' contains numbers and also 'abc' (1 time)" in message
        assert "use --missing-codes if they stand for missing values" in message
        assert "--labels" not in message
    drop = ("--missing", "drop")
    assert "and also 'abc'" in thresholds.refusal(*options, *drop)
    assert thresholds.run(*options, *drop, "--missing-codes", "abc").exit_code == 0


@pytest.mark.parametrize(
    ("saved", "message"),
    [
        ("[1]", "cuts.json is not a file of cut points"),
        ("no JSON", "cuts.json is not a file of cut points"),
        ('{"labels": [1], "thresholds": ["x"]}', "cuts.json is not a file of cut points"),
        (
            '{"labels": [1, 2], "thresholds": [], "columns": {"score": "s"}}',
            "ascending cut points, and one more label than cut points",
        ),
        (
            '{"labels": [1, 2, 3], "thresholds": [2, 1], "columns": {"score": "s"}}',
            "ascending cut points",
        ),
        (
            '{"labels": [1, 2], "thresholds": [NaN], "columns": {"score": "s"}}',
            "ascending cut points",
        ),
        (
            '{"labels": [1, 2], "thresholds": [1], "columns": {"score": "t"}}',
            "new.csv has no column 't'",
        ),
        (
            '{"labels": [1, 2], "thresholds": [1], "columns": {"score": "name"}}',
            "column 'name' of new.csv: scores must be real numbers",
        ),
    ],
)
def test_cut_points_that_cannot_be(oof: tuple[Any, Any], saved: str, message: str) -> None:
    Path("cuts.json").write_text(saved)
    Path("new.csv").write_text("name,s\nx,0.1\ny,5\n")
    assert message in thresholds.refusal("cuts.json", "--apply", "new.csv")


def test_what_new_scores_need(oof: tuple[Any, Any]) -> None:
    refusal = thresholds.refusal
    Path("cuts.json").write_text(thresholds.text_of(*FIT, "--format", "json"))
    assert "use --apply to name the file of new scores" in refusal("cuts.json")
    assert "--y is missing: it must name a column" in refusal("oof.csv", "--score", "s")
    assert "--score is missing: it must name a column" in refusal("oof.csv", "--y", "y")
    assert "prints only CSV, got --format json" in refusal(
        "cuts.json", "--apply", "new.csv", "--format", "json"
    )
    assert "there is no file no.csv" in refusal("cuts.json", "--apply", "no.csv")
    assert "no.json cannot be read" in refusal("no.json", "--apply", "new.csv")
    write_csv(Path("twice.csv"), s=[1.0], predicted=[1])
    assert "twice.csv already has a column 'predicted'" in refusal(
        "cuts.json", "--apply", "twice.csv"
    )
