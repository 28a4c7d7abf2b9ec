"""A blank name of a cluster or group is missing, in every form of the ratings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastkappa import (
    Ratings,
    agreement,
    agreement_by,
    compare_predictions,
    confusion_from_source,
    leaderboard,
)
from fastkappa.measurements import intraclass_correlation
from tests.helpers.absent import library
from tests.helpers.command_line import CommandLine, write_csv

A = ["x", "y", "x", "y", "x", "y", "x", "x"]
B = ["x", "y", "y", "y", "x", "x", "x", "y"]
# A blank, several blanks, no character, and a no-break space.
BLANK = ["p", "p", "q", " ", "  ", "", "\N{NO-BREAK SPACE}", "q"]
NULL = [name if name.strip() else None for name in BLANK]
FORMS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "objects": lambda names: np.array(names, object),
    "pandas": lambda names: library("pandas").Series(names),
    "categorical": lambda names: library("pandas").Series(names, dtype="category"),
    "polars": lambda names: library("polars").Series(names),
    "pyarrow": lambda names: library("pyarrow").array(names),
}
DROPPED: dict[str, Callable[[Any], Any]] = {
    "agreement": lambda names: agreement(A, B, clusters=names, missing="drop"),
    "agreement_by": lambda names: agreement_by(A, B, groups=names, missing="drop"),
    "both": lambda names: agreement_by(A, B, groups=names, clusters=names, missing="drop"),
    "compare_predictions": lambda names: compare_predictions(
        B, B[::-1], y_true=A, clusters=names, missing="drop"
    ),
}
RAISES: dict[str, Callable[[Any], Any]] = {
    "agreement": lambda names: agreement(A, B, clusters=names),
    "agreement_by": lambda names: agreement_by(A, B, groups=names),
    "ratings": lambda names: Ratings.from_raters({"a": A, "b": B}, clusters=names),
    "leaderboard": lambda names: leaderboard(A, {"b": B}, clusters=names),
    "measurements": lambda names: intraclass_correlation(np.eye(8)[:, :2], clusters=names),
}


@pytest.mark.filterwarnings("ignore:standard errors are undefined", "ignore:invalid value")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", DROPPED)
def test_dropped_like_none(name: str, form: str) -> None:
    found = DROPPED[name](FORMS[form](BLANK))
    assert str(found) == str(DROPPED[name](FORMS[form](NULL)))
    assert found.n_dropped == 4


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", RAISES)
def test_refused_like_none(name: str, form: str) -> None:
    texts = []
    for names in (BLANK, NULL):
        with pytest.raises(ValueError, match="4 missing values in 8 items") as caught:
            RAISES[name](FORMS[form](names))
        texts.append(str(caught.value))
    assert texts[0] == texts[1]


def test_groups_of_sources(tmp_path: Path) -> None:
    pyarrow = library("pyarrow")
    columns = {"a": A, "b": B, "group": BLANK}
    path = write_csv(tmp_path / "r.csv", **columns)
    for source in (columns, pyarrow.table(columns), library("polars").DataFrame(columns), path):
        found = confusion_from_source(source, "a", "b", group="group")
        assert list(found) == ["p", "q", None]
        assert [part.n_rows for part in found.values()] == [2, 2, 4]


@pytest.mark.parametrize("option", ["--cluster", "--group"])
@pytest.mark.parametrize("raters", ["ab", "abc"])
@pytest.mark.parametrize("command", ["agree", "measure"])
def test_files(tmp_path: Path, command: str, raters: str, option: str) -> None:
    numbers = {name: [ord(label) - 120 for label in labels] for name, labels in zip("ab", (A, B))}
    columns = {**numbers, "c": numbers["b"][::-1]}
    run = CommandLine(command).run
    options = ["--raters", *raters, option, "name", "--format", "csv", "--missing"]
    outputs = []
    for names in (BLANK, ["" if name is None else name for name in NULL]):
        path = write_csv(tmp_path / "r.csv", **columns, name=names)
        refused = run(path, *options, "raise")
        assert "missing" in refused.stderr
        outputs.append((run(path, *options, "drop").stdout, refused.stderr))
    assert outputs[0] == outputs[1]
