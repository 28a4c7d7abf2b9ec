"""Run a command of the command line in this process."""

from __future__ import annotations

import json
from typing import Any

from typer.testing import CliRunner

from fastkappa import cli


class CommandLine:
    """One command, what it prints and its error messages."""

    def __init__(self, name: str) -> None:
        self.name = name

    def run(self, *arguments: object) -> Any:
        runner = CliRunner(env={"COLUMNS": "80", "FORCE_COLOR": None})
        return runner.invoke(cli.make_app(), [self.name, *map(str, arguments)])

    def text_of(self, *arguments: object) -> str:
        result = self.run(*arguments)
        assert result.exit_code == 0, result.stderr
        return str(result.stdout)

    def json_of(self, *arguments: object) -> dict[str, Any]:
        fields: dict[str, Any] = json.loads(self.text_of(*arguments, "--format", "json"))
        return fields

    def refusal(self, *arguments: object) -> str:
        """Check that a run ends with an error of one line, and return that line."""
        result = self.run(*arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("fastkappa: ")
        assert result.stderr.count("\n") == 1
        return str(result.stderr)
