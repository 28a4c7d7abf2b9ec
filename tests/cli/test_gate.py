"""The gate of `score`, `agree` and `leaderboard`: an exit status if kappa is low or undefined."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("rich")
typer = pytest.importorskip("typer")

from fastkappa import agreement, agreement_by, fleiss_kappa  # noqa: E402
from fastkappa.cli.gate import Estimate, Gate  # noqa: E402
from tests.helpers.command_line import CommandLine, write_csv  # noqa: E402

program = CommandLine()
# 8 of 10 items agree, and 5 would by chance: kappa is 0.6.
A = [1, 1, 1, 1, 1, 2, 2, 2, 2, 2]
B = [1, 1, 1, 1, 2, 2, 2, 2, 2, 1]
SCORE, AGREE = ["--y1", "a", "--y2", "b"], ["--raters", "a", "b"]
TOO_LOW = 3


@pytest.fixture
def path(tmp_path: Path) -> Path:
    columns = {"a": A, "b": B, "c": A, "g": list("uuuuuvvvvv"), "same": [1] * 10}
    return write_csv(tmp_path / "r.csv", **columns)


@pytest.mark.parametrize("arguments", [["score", *SCORE], ["agree", *AGREE]])
def test_a_kappa_that_is_too_low(path: Path, arguments: list[str]) -> None:
    name, *options = arguments
    plain = program.run(name, path, *options)
    assert program.run(name, path, *options, "--fail-under", 0.6).exit_code == 0
    found = program.run(name, path, *options, "--fail-under", 0.61)
    assert found.exit_code == TOO_LOW
    assert found.stdout == plain.stdout
    assert found.stderr == "fastkappa: kappa is 0.6000, too low for --fail-under 0.61.\n"


@pytest.mark.parametrize("arguments", [["score", *SCORE], ["agree", *AGREE]])
def test_the_lower_end_of_the_interval(path: Path, arguments: list[str]) -> None:
    name, *options = arguments
    lower = agreement(A, B).interval[0]
    gate = ["--fail-on", "lower", "--fail-under"]
    assert program.run(name, path, *options, *gate, lower - 1e-9).exit_code == 0
    found = program.run(name, path, *options, *gate, 0.59)
    assert found.exit_code == TOO_LOW
    assert found.stderr == (
        f"fastkappa: the lower end of the 95 % interval of kappa is {lower:.4f}, too low for"
        " --fail-under 0.59.\n"
    )


def test_as_many_digits_as_it_takes_to_see_why(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit):
        Gate(0.66668).check([Estimate("kappa", 2 / 3, 0.0)])
    found = capsys.readouterr().err
    assert found == f"fastkappa: kappa is {2 / 3!r}, too low for --fail-under 0.66668.\n"


def test_the_weights_asked_for_are_gated(tmp_path: Path) -> None:
    # A quarter of the items are two steps apart: quadratic kappa is lower than linear kappa.
    a, b = [1, 2, 3, 1], [1, 2, 3, 3]
    file = write_csv(tmp_path / "r.csv", a=a, b=b)
    kappas = {w: agreement(a, b, weights=w).kappa for w in ("linear", "quadratic")}
    between = sum(kappas.values()) / 2
    codes = {
        name: program.run(
            "score", file, *SCORE, "--weights", name, "--fail-under", between
        ).exit_code
        for name in kappas
    }
    assert codes == {name: 0 if kappa > between else TOO_LOW for name, kappa in kappas.items()}
    assert set(codes.values()) == {0, TOO_LOW}


def test_every_group_must_pass(path: Path) -> None:
    by_group = agreement_by(A, B, groups=list("uuuuuvvvvv"))
    kappas = {group: result.kappa for group, result in by_group.items()}
    least = min(kappas.values())
    group = [*AGREE, "--group", "g", "--fail-under"]
    assert program.run("agree", path, *group, least).exit_code == 0
    found = program.run("agree", path, *group, 0.9)
    assert found.exit_code == TOO_LOW
    assert f"is {least:.4f}, too low for --fail-under 0.9. 2 of 2 fail.\n" in found.stderr


def test_several_raters(path: Path) -> None:
    value = fleiss_kappa(np.column_stack([A, B, A])).value
    options = ["--raters", "a", "b", "c", "--fail-under"]
    assert program.run("agree", path, *options, value).exit_code == 0
    found = program.run("agree", path, *options, value + 1e-6)
    assert found.exit_code == TOO_LOW
    assert found.stderr.startswith(f"fastkappa: Fleiss' kappa is {value:.4f}, too low for ")
    grouped = program.run("agree", path, *options, 1, "--group", "g")
    assert grouped.exit_code == TOO_LOW
    assert "Fleiss' kappa of " in grouped.stderr


@pytest.mark.parametrize("on", ["estimate", "lower"])
@pytest.mark.parametrize("name", ["score", "agree"])
def test_an_undefined_kappa_never_passes(path: Path, name: str, on: str) -> None:
    columns = {"score": ["--y1", "same", "--y2", "same2"], "agree": ["--raters", "same", "same2"]}
    rows = path.read_text().splitlines()
    text = "\n".join([f"{rows[0]},same2", *(f"{row},1" for row in rows[1:])])
    path.write_text(f"{text}\n")
    found = program.run(name, path, *columns[name], "--fail-under", -1, "--fail-on", on)
    assert found.exit_code == TOO_LOW
    assert found.stderr.endswith("is undefined for --fail-under -1.0.\n")


def test_refusals(path: Path) -> None:
    message = "--fail-on lower needs --fail-under."
    assert message in program.refusal("score", path, *SCORE, "--fail-on", "lower")
    for value in ("nan", "1.5", "high"):
        found = program.run("score", path, *SCORE, "--fail-under", value)
        assert (found.exit_code, found.stdout) == (2, "")


def test_item_weights_have_no_interval(tmp_path: Path) -> None:
    file = write_csv(tmp_path / "r.csv", a=A, b=B, w=[0.5] * 10)
    gate: list[Any] = [*SCORE, "--sample-weight", "w", "--fail-under", 0.5]
    assert program.run("score", file, *gate).exit_code == 0
    refused = program.refusal("score", file, *gate, "--fail-on", "lower")
    assert "intervals require whole numbers in the --sample-weight column" in refused


def test_the_report_is_printed_in_every_format(path: Path) -> None:
    found = program.run("agree", path, *AGREE, "--fail-under", 0.9, "--format", "json")
    assert found.exit_code == TOO_LOW
    assert json.loads(found.stdout)["kappa"] == pytest.approx(0.6)


BOARD = ["--id", "id", "--target", "y"]


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.chdir(tmp_path)
    write_csv(Path("truth.csv"), id=range(10), y=A, part=["u"] * 5 + ["v"] * 5)
    write_csv(Path("b.csv"), id=range(10), y=B)
    write_csv(Path("same.csv"), id=range(10), y=A)
    write_csv(Path("short.csv"), id=range(9), y=A[:9])
    return CommandLine("leaderboard", "truth.csv")


def test_every_submission_must_pass(board: CommandLine) -> None:
    files = ["same.csv", "b.csv", *BOARD]
    assert board.run(*files, "--fail-under", 0.6).exit_code == 0
    found = board.run(*files, "--fail-under", 0.61)
    assert found.exit_code == TOO_LOW
    assert found.stdout == board.text_of(*files)
    assert found.stderr == (
        "fastkappa: kappa of b.csv is 0.6000, too low for --fail-under 0.61. 1 of 2 fail.\n"
    )
    lower = agreement(A, B).interval[0]
    gate = ["--fail-on", "lower", "--fail-under"]
    assert board.run(*files, *gate, lower - 1e-9).exit_code == 0
    found = board.run(*files, *gate, 0.59)
    assert f"interval of kappa of b.csv is {lower:.4f}, too low" in found.stderr
    kappa = agreement(A[5:], B[5:]).kappa
    found = board.run("b.csv", *BOARD, "--split", "part", "--labels", "1,2", "--fail-under", 0.7)
    assert (found.exit_code, kappa) == (TOO_LOW, 0)
    assert "kappa of b.csv in u is 0.0000, too low" in found.stderr
    assert "2 of 2 fail" in found.stderr


def test_a_submission_that_cannot_be_scored_does_not_pass(board: CommandLine) -> None:
    gate = [*BOARD, "--fail-under", -1]
    found = board.run("same.csv", "short.csv", *gate)
    assert found.exit_code == TOO_LOW
    assert found.stderr == (
        "fastkappa: short.csv cannot be scored: its ids differ from the ids of truth.csv: 1 missing"
        " (9). Use --mismatch drop to leave out such items, subject to --min-coverage. 1 of 2"
        " fail.\n"
    )
    found = board.run("no.csv", *gate, "--fail-on", "lower", "--split", "part")
    assert found.stderr == (
        "fastkappa: no.csv cannot be scored in u: there is no file no.csv. 2 of 2 fail.\n"
    )
    assert board.run("same.csv", "short.csv", *BOARD).exit_code == 1
    drop = ["--mismatch", "drop", "--min-coverage"]
    assert board.run("short.csv", *gate, *drop, 0.9).exit_code == 0
    assert board.run("short.csv", *gate, *drop, 0.95).exit_code == TOO_LOW
    lower = [*gate, "--fail-on", "lower", "--bootstrap", 0]
    assert "--fail-on lower needs intervals" in board.refusal("same.csv", *lower)
