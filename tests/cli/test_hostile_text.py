"""Text that attacks a terminal, a spreadsheet or a browser, in every text input of a command.

The attacks are derived from the parameters of the commands, so a new option or a new command
is tested without being named here.
"""

from __future__ import annotations

import csv
import io
import json
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

pytest.importorskip("typer")
pytest.importorskip("pyarrow")

import typer.main

from fastkappa import cli
from fastkappa.cli.pages.sorting import SCRIPT
from fastkappa.cli.reports import agree as reports
from tests.cli.test_pages import Page
from tests.helpers.command_line import CommandLine

# Warnings are printed, including the text that they quote.
pytestmark = pytest.mark.filterwarnings("always")
# Escape sequences, C1 controls, a bidirectional override, line breaks, tabs, markup of rich and
# HTML, a formula of spreadsheets, and what cannot be shown in a line.
CONTROLS = "\x1b]0;evil\x07\x1b[2J\x9b31m\x85\u202egnp\u2066\u200b\u2028\n\r\tz"
MARKUP = "[bold]evil[/bold][link=x]<script>evil()<b onclick=x>&amp;'\"$\\frac{%s%n{0}"
FORMULA = "=cmd|' -C calc'!A1"
LONG = "evil" * 5000
HOSTILE = {"controls": CONTROLS, "markup": FORMULA + MARKUP, "long": LONG}
# The last of these cannot be part of a file name.
IN_FILES = ("controls", "markup")
FORMATS = {
    "text": "text",
    "table": "text",
    "sentence": "text",
    "json": "json",
    "csv": "csv",
    "html": "html",
}


def hostile_rows(text: str) -> dict[str, list[Any]]:
    """Return columns that are named after a text and filled with labels made from it."""
    names = [f"{text}{i}" for i in range(3)]
    labels = [[0, 1, 2, 0, 1, 2, 0, 1], [0, 1, 2, 0, 2, 2, 0, 1], [0, 1, 1, 0, 1, 2, 0, 2]]
    columns = {f"{text} {i}": [names[j] for j in row] for i, row in enumerate(labels)}
    return {f"{text} id": [f"{text}{i}" for i in range(8)], **columns}


def write_hostile(path: Path, text: str) -> None:
    columns = {
        **hostile_rows(text),
        f"{text} g": [f"{text}{i % 2}" for i in range(8)],
        f"{text} s": [0.1, 1.2, 2.1, 0.3, 1.1, 1.9, 0.2, 0.8],
        f"{text} t": [0.2, 1.2, 2.3, 0.1, 1.3, 1.7, 0.2, 0.9],
        # A file of three raters in long form.
        f"{text} item": [f"{text}{i // 2}" for i in range(8)],
        f"{text} who": [f"{text}{i % 2}" for i in range(8)],
        # The names that are harmless.
        "id": range(8),
        "a": [0, 1, 2, 0, 1, 2, 0, 1],
        "b": [0, 1, 2, 0, 2, 2, 0, 1],
        "c": [0, 1, 1, 0, 1, 2, 0, 2],
        "w": [1] * 8,
    }
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values()))


def runs(text: str, file: str) -> dict[str, list[list[str]]]:
    """Return the arguments of each command for a file in which every text is hostile."""
    one, two, three = (f"{text} {i}" for i in range(3))
    raters = [f"--raters={name}" for name in (one, two, three)]
    group, score = f"{text} g", f"{text} s"
    long = [f"--item={text} item", f"--rater={text} who", f"--rating={one}"]
    board = [file, file, f"--id={text} id", f"--target={one}", "--bootstrap=20"]
    fitted = [file, f"--y={one}", f"--score={score}", "--method=exact"]
    return {
        "score": [
            [file, f"--y1={one}", f"--y2={two}", "--save=saved.json"],
            [file, "--y1=a", "--y2=b"],
        ],
        "merge": [["saved.json"]],
        "agree": [
            [file, *raters[:2], "--weights=linear", "--scale=altman", "--bootstrap=20"],
            [file, *raters[:2], f"--group={group}", f"--cluster={text} item"],
            [file, *raters[:2], f"--group={group}", "--scale=cohen"],
            # A scale, which has no text of the user, takes ten intervals of each coefficient.
            [file, *raters, "--bootstrap=20"],
            [file, *raters, f"--group={group}"],
            [file, *long],
        ],
        "measure": [
            [file, f"--raters={score}", f"--raters={text} t"],
            [file, f"--raters={score}", f"--raters={text} t", "--raters=a"],
            [file, *long[:2], f"--rating={score}"],
        ],
        "leaderboard": [board, [*board, f"--split={group}", f"--cluster={text} item"]],
        "thresholds": [fitted, [*fitted, f"--apply={file}"], [f"{file}.json", f"--apply={file}"]],
        "plan": [["--kappa=0.8", "--n=50"]],
        # These options accept no text.
        "demo": [[]],
        "config": [[]],
    }


def parameters() -> Iterator[tuple[str, Any]]:
    """Yield the name of each command with each of its parameters that accepts text."""
    program: Any = typer.main.get_command(cli.make_app())
    for name, command in program.commands.items():
        yield from ((name, p) for p in command.params if not getattr(p, "is_flag", False))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute the output of `agree` in several formats once, repeating its warnings."""
    read_and_report = reports.read_and_report
    known: dict[str, Any] = {}

    def once(request: Any, source: Any, raters: Any, reading: Any) -> Any:
        key = repr((request, source, raters))
        if key not in known:
            labels: list[Any] = []
            noted = reading._replace(on_sorted=labels.append)
            with warnings.catch_warnings(record=True) as warned:
                known[key] = read_and_report(request, source, raters, noted), labels, warned
        report, labels, warned = known[key]
        for one in warned:
            warnings.warn(one.message, stacklevel=1)
        for each in labels:
            reading.on_sorted(each)
        return report

    monkeypatch.setattr(reports, "read_and_report", once)


def formats_of(command: str) -> list[str]:
    """Return the choices of the ``--format`` option of a command."""
    function = getattr(import_module(f"fastkappa.cli.commands.{command}"), command)
    return list(get_args(get_type_hints(function).get("output")))


def attack(*arguments: str) -> Any:
    """Run a command, and check that its output is plain text."""
    result = CommandLine(*arguments).run()
    assert result.exception is None or isinstance(result.exception, SystemExit), arguments
    assert result.exit_code in (0, 1, 2)
    for text in (result.stdout, result.stderr):
        odd = {c for line in text.split("\n") for c in line if not c.isprintable()}
        assert not odd, (arguments, odd)
    assert "Traceback" not in result.stderr
    return result


def check_format(text: str, output: str) -> None:
    if output == "json":
        json.loads(text)
    elif output == "csv":
        cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
        assert not any(cell.startswith(("=", "@", "\t")) for cell in cells)
    elif output == "html":
        tags = {tag for tag, _ in Page(text.replace(f"<script>\n{SCRIPT}</script>\n", "")).elements}
        assert not tags & {"script", "b", "link"}
    else:
        # Text that rich would read as markup is preserved.
        assert text.count("evil[/bold]") == text.count("[bold]evil[/bold]")


def test_every_command_is_attacked(here: Path) -> None:
    assert set(runs("", "")) == set(cli.COMMANDS)
    assert {name for name, _ in parameters()} >= {"score", "agree", "leaderboard", "thresholds"}


@pytest.mark.cover(1)
@pytest.mark.parametrize("kind", IN_FILES)
@pytest.mark.parametrize("command", [name for name in cli.COMMANDS if runs("", "")[name] != [[]]])
@pytest.mark.usefixtures("computed_once")
def test_names_and_cells(here: Path, command: str, kind: str) -> None:
    text = HOSTILE[kind]
    file = f"{text} f.csv".replace("/", "|")
    write_hostile(Path(file), text)
    labels = [f"{text}{i}" for i in range(3)]
    cuts = {"labels": labels, "thresholds": [0.5, 1.5], "columns": {"score": f"{text} s"}}
    Path(f"{file}.json").write_text(json.dumps(cuts))
    formats = formats_of(command)
    attack("score", *runs(text, file)["score"][0])
    pictured = [*runs(text, file)["agree"][::4], *runs(text, file)["measure"][:2]]
    for arguments in runs(text, file)[command]:
        applied = any(argument.startswith("--apply=") for argument in arguments)
        for output in ["csv"] if applied else formats:
            options = [f"--format={output}"]
            if arguments in pictured and output == "html":
                options += [f"--report={file}.html", f"--plot={file}.png"]
            result = attack_file if applied else attack
            done = result(command, *arguments, *options)
            assert done.exit_code == 0, done.stderr
            if not applied:
                check_format(done.stdout, FORMATS[output])


def attack_file(*arguments: str) -> Any:
    """Run a command that adds a column to the user's file; only this column is ours."""
    result = CommandLine(*arguments).run()
    if result.exit_code:
        return result
    head, *rows = csv.reader(io.StringIO(result.stdout, newline=""))
    assert head[-1] == "predicted"
    assert len(rows) == 8
    for row in rows:
        assert row[-1].isprintable()
        assert not row[-1].startswith("=")
    return result


@pytest.mark.cover(1)
@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("command", sorted({name for name, _ in parameters()}))
def test_every_option(here: Path, command: str, kind: str) -> None:
    text = HOSTILE[kind]
    write_hostile(Path("f.csv"), "x")
    cuts = {"labels": [1, 2], "thresholds": [0.5], "columns": {"score": "x s"}}
    Path("f.csv.json").write_text(json.dumps(cuts))
    attack("score", *runs("x", "f.csv")["score"][0])
    own = [p for name, p in parameters() if name == command]
    arguments = [p for p in own if p.param_type_name == "argument"]
    every = runs("x", "f.csv")[command]
    for given in (every[0], every[-1]):
        for parameter in own:
            if parameter in arguments:
                place = arguments.index(parameter)
                attack(command, *(text if i == place else old for i, old in enumerate(given)))
            else:
                attack(command, *given, f"{max(parameter.opts, key=len)}={text}")
        attack(command, *given, f"--{text}")
        attack(command, *given, text)
    attack(text)


def fields_of(value: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the path to each field of a JSON value."""
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield (key,)
            yield from ((key, *rest) for rest in fields_of(value[key]))


CUTS = {"labels": ["a", "b"], "thresholds": [0.5], "columns": {"score": "x s"}}
DEEP = "[" * 100_000 + "]" * 100_000
VALUES = [*map(json.dumps, HOSTILE.values()), DEEP, "null", "{}", "[]", "1e999", "NaN", "9" * 5000]


@pytest.mark.parametrize("way", [(), *fields_of(CUTS)])
def test_every_field_of_cut_points(here: Path, way: tuple[Any, ...]) -> None:
    write_hostile(Path("f.csv"), "x")
    for value in VALUES:
        saved: Any = {"": json.loads(json.dumps(CUTS))}
        place = saved
        for key in ("", *way[:-1]) if way else ():
            place = place[key]
        place[way[-1] if way else ""] = "HERE"
        Path("c.json").write_text(json.dumps(saved[""]).replace('"HERE"', value))
        result = attack("thresholds", "c.json", "--apply", "f.csv")
        assert result.exit_code in (0, 2)
        if result.exit_code == 0:
            check_format(result.stdout, "csv")
        else:
            assert result.stderr.count("\n") == 1
            assert len(result.stderr) < 40_000


def test_a_terminal_shows_no_control_of_the_users_own_file(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import sys

    from fastkappa.cli.terminal import write

    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    write("a,\x1b[2J\nb,c", is_data=True)
    assert capsys.readouterr().out == "a,\\x1b[2J\nb,c\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: False)
    write("a,\x1b[2J\nb,c", is_data=True)
    assert capsys.readouterr().out == "a,\x1b[2J\nb,c\n"


def test_signs_and_numbers_are_no_formulas() -> None:
    from fastkappa.results.csv_rows import as_csv

    cells = ["-", "+", "-1.5", "+1e3", "-1+1", "@x", "=1", " =1"]
    written = as_csv(["x"], [[cell] for cell in cells]).split("\n")[1:]
    assert written == ["-", "+", "-1.5", "+1e3", "'-1+1", "'@x", "'=1", " =1"]
