"""A spreadsheet is read like a text file with the same cells."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")
pytest.importorskip("pyarrow")
pytest.importorskip("python_calamine")

from fastkappa.install_hint import install_command
from tests.helpers.command_line import CommandLine
from tests.helpers.spreadsheet import write_xlsx

program = CommandLine()
NAMES = ["id", "a", "b", "c", "s"]
ROWS: list[list[Any]] = [
    [f"p{i}", 1 + i % 3, 1 + (i + i // 7) % 3, 1 + i % 2, i % 3 + (i + 0.5) / 50] for i in range(20)
]
COMMANDS = {
    "score": ["score", "FILE", "--y1", "a", "--y2", "b"],
    "agree": ["agree", "FILE", "--raters", "a", "b", "--group", "c"],
    "several": ["agree", "FILE", "--raters", "a", "b", "c"],
    "measure": ["measure", "FILE", "--raters", "a", "s"],
    "thresholds": ["thresholds", "FILE", "--y", "a", "--score", "s"],
    "apply": ["thresholds", "FILE", "--y", "a", "--score", "s", "--apply", "FILE"],
    "leaderboard": ["leaderboard", "FILE", "FILE", "--id", "id", "--target", "a"],
}


def printed(command: str, file: Path) -> str:
    arguments = [str(file) if part == "FILE" else part for part in COMMANDS[command]]
    return program.text_of(*arguments, "--format", "csv").replace(str(file), "FILE")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_reads_the_same_cells(command: str, tmp_path: Path) -> None:
    book = write_xlsx(tmp_path / "r.xlsx", ratings=[NAMES, *ROWS])
    with (tmp_path / "r.csv").open("w", newline="") as file:
        csv.writer(file).writerows([NAMES, *ROWS])
    assert printed(command, book) == printed(command, tmp_path / "r.csv")


def test_an_empty_cell_is_missing_and_an_empty_row_is_none(tmp_path: Path) -> None:
    rows: list[list[Any]] = [["a", "b"], [1, 1], [], [2, None], [2, 2], [1, 2]]
    path = write_xlsx(tmp_path / "r.xlsx", ratings=rows)
    columns = ["score", path, "--y1", "a", "--y2", "b"]
    assert "1 in column 'b', out of 4 rows. Use --missing drop" in program.refusal(*columns)
    assert program.json_of(*columns, "--missing", "drop")["n"] == 3


def test_rows_above_the_names_and_words(tmp_path: Path) -> None:
    rows: list[list[Any]] = [["Ward 3"], [], ["a", "b"], ["yes", "no, never"], ["yes", "yes"]]
    path = write_xlsx(tmp_path / "r.xlsx", ratings=rows)
    refused = program.refusal("score", path, "--y1", "a", "--y2", "b")
    assert "Line 3 has these names: leave out the lines above it" in refused
    assert "with --skip 2 on the command line." in refused
    found = program.json_of("score", path, "--y1", "a", "--y2", "b", "--skip", 2)
    assert (found["labels"], found["n"]) == (["no, never", "yes"], 2)
    unnamed = program.json_of("score", path, "--y1", "1", "--y2", "2", "--skip", 3, "--no-header")
    assert unnamed["table"] == found["table"]


def test_a_pattern_of_spreadsheets_is_one_table(tmp_path: Path) -> None:
    for i in range(2):
        write_xlsx(tmp_path / f"part-{i}.xlsx", ratings=[["a", "b"], [1, 1], [2, 1]])
    found = program.json_of("score", tmp_path / "part-*.xlsx", "--y1", "a", "--y2", "b")
    assert found["table"] == [[2, 0], [2, 0]]


def test_one_of_several_sheets(tmp_path: Path) -> None:
    first, second = [["a", "b"], [1, 1]], [["a", "b"], [1, 1], [2, 2]]
    path = write_xlsx(tmp_path / "r.xlsx", one=first, notes=[], two=second)
    columns = ["score", path, "--y1", "a", "--y2", "b"]
    assert program.refusal(*columns) == (
        f"fastkappa: {path} has the sheets 'one', 'notes', 'two'. Use --sheet to choose one.\n"
    )
    assert program.json_of(*columns, "--sheet", "two")["n"] == 2
    refused = program.refusal(*columns, "--sheet", "three")
    assert "has no sheet 'three'. Its sheets are 'one'," in refused
    # Empty sheets, which Excel adds, are not offered as choices.
    alone = write_xlsx(tmp_path / "alone.xlsx", one=second, Sheet2=[])
    assert program.json_of("score", alone, "--y1", "a", "--y2", "b")["n"] == 2


def test_decimal_commas_in_text_beside_numbers(tmp_path: Path) -> None:
    rows: list[list[Any]] = [["cuff", "sensor"], ["120,5", 121.5], ["110,25", 111], [130, 128.5]]
    path = write_xlsx(tmp_path / "r.xlsx", ratings=rows)
    measure = ["measure", path, "--raters", "cuff", "sensor"]
    assert "decimal comma, such as '120,5': use --decimal ,." in program.refusal(*measure)
    found = program.json_of(*measure, "--decimal", ",")
    # The mean of -1, -0.75 and 1.5.
    assert found["limits"]["bias"] == pytest.approx(-0.25 / 3)


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
@pytest.mark.parametrize("code", ["k.A.", "fehlt", "."])
def test_missing_codes_among_decimal_commas(suffix: str, code: str, tmp_path: Path) -> None:
    rows = [["a", "b"], ["1,5", "1,7"], ["2,5", "2,1"], ["3,0", code], ["4,1", "4,4"]]
    rows += [["5,2", "5,5"], ["2,2", "2,0"]]
    path = tmp_path / f"r.{suffix}"
    if suffix == "csv":
        path.write_text("".join(";".join(row) + "\n" for row in rows))
    else:
        write_xlsx(path, ratings=rows)
    measure = ["measure", path, "--raters", "a", "b", "--decimal", ","]
    found = program.json_of(*measure, "--missing-codes", code, "--missing", "drop")
    # The mean of -0.2, 0.4, -0.3, -0.3 and 0.2.
    assert found["intraclass"]["n_subjects"] == 5
    assert found["limits"]["bias"] == pytest.approx(-0.04)
    refused = program.refusal(*measure)
    assert f"column 'b' contains numbers and also '{code}' (1 time)" in refused


def test_options_of_other_files(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "r.xlsx", ratings=[["a", "b"], [1, 1]])
    columns = ["score", path, "--y1", "a", "--y2", "b"]
    refused = program.refusal(*columns, "--quote", "none")
    assert f"--quote applies only to text files, but {path} has the format xlsx." in refused
    text = tmp_path / "r.csv"
    text.write_text("a,b\n1,1\n")
    refused = program.refusal("score", text, "--y1", "a", "--y2", "b", "--sheet", "one")
    assert f"--sheet applies only to spreadsheets, but {text} has the format csv." in refused


def test_errors_name_the_spreadsheet(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "r.xlsx", ratings=[["a", "b"], [1, 1]])
    assert f"{path} has no column 'c'; it has 'a', 'b'." in program.refusal(
        "score", path, "--y1", "a", "--y2", "c"
    )
    empty = write_xlsx(tmp_path / "empty.xlsx", ratings=[])
    assert f"{empty} has no rows." in program.refusal("score", empty, "--y1", "a", "--y2", "b")
    damaged = tmp_path / "damaged.xlsx"
    damaged.write_bytes(path.read_bytes()[:300])
    assert f"{damaged} cannot be read: " in program.refusal(
        "score", damaged, "--y1", "a", "--y2", "b"
    )


def test_without_the_library_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = write_xlsx(tmp_path / "r.xlsx", ratings=[["a", "b"], [1, 1]])
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    refused = program.refusal("score", path, "--y1", "a", "--y2", "b")
    assert "reading spreadsheets needs python_calamine" in refused
    assert install_command("fastkappa[excel]") in refused
