"""Labels that look alike are remarked on by the commands, in a line of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.command_line import CommandLine, write_csv


@pytest.mark.parametrize(
    "arguments", [("score", "--y1", "a", "--y2", "b"), ("agree", "--raters", "a", "b", "c")]
)
def test_blanks_are_remarked_on(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    columns = {name: ["x", "y", last] for name, last in (("a", "x "), ("b", "x"), ("c", "x"))}
    name, *options = arguments
    result = CommandLine(name).run(write_csv(tmp_path / "r.csv", **columns), *options)
    assert result.exit_code == 0, result.stderr
    (line,) = [line for line in result.stderr.splitlines() if "blanks" in line]
    assert line.startswith("fastkappa: warning: ")
    assert line.endswith("Strip them if they are one label.")
