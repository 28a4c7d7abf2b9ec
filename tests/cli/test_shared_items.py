"""Files of raters with few items in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

import pytest

pytest.importorskip("typer")
pytest.importorskip("pyarrow")

from tests.helpers.command_line import CommandLine, report_on_nothing, write_csv

agree = CommandLine("agree")
# The affine plane of order 3: 9 raters, each in 4 teams of 3, with each pair in one team.
TEAMS = [
    team
    for team in combinations(range(9), 3)
    if not sum(i % 3 for i in team) % 3 and not sum(i // 3 for i in team) % 3
]
# The items of each rater, and the rater that the warning names, if any.
SHARED: dict[str, tuple[Mapping[str, Sequence[int]], str | None]] = {
    "other ids": ({"a": range(100), "b": range(86, 186)}, "a (14 of 100), b (14 of 100)"),
    "half of a selection": ({"a": range(100), "b": range(90, 110)}, None),
    "less of it": ({"a": range(100), "b": range(91, 111)}, "a (9 of 100), b (9 of 20)"),
    "half": ({"a": range(100), "b": range(50, 150)}, None),
    "two check a tenth each": ({"a": range(200), "b": range(20), "c": range(20, 40)}, None),
    "one of three": ({"a": range(200), "b": range(20), "c": range(300, 400)}, "'c'"),
    "teams": (
        {f"r{i}": [j for j, team in enumerate(TEAMS) if i in team] for i in range(9)},
        None,
    ),
}


@pytest.mark.parametrize("design", SHARED)
def test_few_shared_items_are_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, design: str
) -> None:
    items, named = SHARED[design]
    report_on_nothing(monkeypatch)
    for name, own in items.items():
        write_csv(tmp_path / f"{name}.csv", id=own, grade=[i % 3 for i in own])
    result = agree.run(tmp_path, "--id", "id")
    assert result.exit_code == 0
    if named is None:
        assert result.stderr == ""
    else:
        assert f"any other rater: {named}. " in result.stderr
        assert result.stderr.count("warning:") == 1


def test_files_whose_ratings_differ_in_type(tmp_path: Path) -> None:
    write_csv(tmp_path / "a.csv", id=[1, 2, 3], grade=[True, False, True])
    write_csv(tmp_path / "b.csv", id=[1, 2, 3], grade=[1, 2, 3])
    refused = agree.refusal(tmp_path, "--id", "id")
    assert "column 'grade' has booleans in " in refused
    assert "use the same type in all files." in refused


def test_numbers_by_one_and_words_by_another(tmp_path: Path) -> None:
    write_csv(tmp_path / "a.csv", id=[1, 2, 3], grade=[1, 2, 1])
    write_csv(tmp_path / "b.csv", id=[1, 2, 3], grade=["1", "x", "1"])
    files = [tmp_path / "a.csv", tmp_path / "b.csv", "--id", "id"]
    # As in one file: an x among numbers is doubtful.
    assert "contains numbers and also 'x' (1 time)" in agree.refusal(*files)
    found = agree.json_of(*files, "--labels", "1,2,x")
    assert found["table"] == [[2, 0, 0], [0, 0, 1], [0, 0, 0]]
