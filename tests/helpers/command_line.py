"""Run the command line in this process, and write files for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fastkappa import cli
from fastkappa.cli.reports.output import Output
from fastkappa.results.report import Report


class CommandLine:
    """A command, or the whole program, whose output and errors can be checked."""

    def __init__(self, *command: str) -> None:
        self.command = command

    def run(self, *arguments: object, columns: int = 80, stdin: bytes | None = None) -> Any:
        runner = CliRunner(env={"COLUMNS": str(columns), "FORCE_COLOR": None})
        given = [*self.command, *map(str, arguments)]
        # Create only the named command, as the program does, because creating all commands takes
        # ten times as long.
        named = [name for name in cli.COMMANDS if name in given[:1]]
        return runner.invoke(cli.make_app(named or cli.COMMANDS), given, input=stdin)

    def text_of(self, *arguments: object, columns: int = 80) -> str:
        result = self.run(*arguments, columns=columns)
        assert result.exit_code == 0, result.stderr
        return str(result.stdout)

    def json_of(self, *arguments: object) -> dict[str, Any]:
        fields: dict[str, Any] = json.loads(self.text_of(*arguments, "--format", "json"))
        return fields

    def refusal(self, *arguments: object) -> str:
        """Check that a run ended with a one-line error, and return the line."""
        return refusal_of(self.run(*arguments))


def refusal_of(result: Any) -> str:
    """Check that a run in any process ended with a one-line error, and return the line."""
    code = result.exit_code if hasattr(result, "exit_code") else result.returncode
    assert (code, result.stdout) == (2, "")
    assert result.stderr.startswith("fastkappa: ")
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr
    return str(result.stderr)


def report_on_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Omit the figures for several raters from reports, to test messages about the ratings."""
    nothing = Output("", [Report()], {}, [])
    monkeypatch.setattr("fastkappa.cli.reports.agree.report_on_several", lambda *_: nothing)


def write_csv(path: Path, **columns: Any) -> Path:
    """Write columns to a CSV file, and return its path."""
    rows = [columns, *zip(*columns.values())]
    path.write_text("".join(",".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    return path
