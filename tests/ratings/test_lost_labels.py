"""A label that disappears with the missing ratings of the other rater causes a warning."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import pytest

from fastkappa import ConfusionAccumulator, agreement, confusion_from_source
from tests.helpers.absent import library
from tests.helpers.command_line import CommandLine
from tests.helpers.entrances import csv_text

pandas, polars = library("pandas"), library("polars")
pytest.importorskip("pyarrow")
pytest.importorskip("typer")

CHOOSE = random.Random(4)
TRUE = CHOOSE.choices(["none", "nodule", "effusion"], [5, 3, 2], k=200)
FIRST = [x if CHOOSE.random() < 0.9 else "nodule" for x in TRUE]
BLANK = [None if x == "none" else x for x in FIRST]
PAIRS = [*zip(BLANK, TRUE)]
N_LOST, N = PAIRS.count((None, "none")), TRUE.count("none")
MESSAGE = (
    r"{0} never has the label 'none', and has no rating for "
    rf"{N_LOST} of {N} items to which {{1}} gave this label\. If a missing rating of {{0}} means"
)


def test_a_blank_that_means_a_label(tmp_path: Path) -> None:
    columns = {"a": BLANK, "b": TRUE}
    path = tmp_path / "ratings.csv"
    path.write_text(csv_text(columns), encoding="utf-8")
    message = MESSAGE.format("column 'a'", "column 'b'")
    frames = pandas.DataFrame(columns), polars.DataFrame(columns)
    for source in (path, *frames, polars.LazyFrame(columns), columns):
        with pytest.warns(UserWarning, match=message):
            confusion_from_source(source, "a", "b")
        with pytest.warns(UserWarning, match=MESSAGE.format("column 'a'", "column 'b'")):
            confusion_from_source(source, "b", "a", labels=["none", "nodule", "effusion"])
    for command in (("score", "--y1", "a", "--y2", "b"), ("agree", "--raters", "a", "b")):
        run = CommandLine(command[0]).run(path, *command[1:], "--missing", "drop")
        assert message.replace("\\", "")[:99] in run.stderr
    for first, second in ((BLANK, TRUE), *((frame["a"], frame["b"]) for frame in frames)):
        with pytest.warns(UserWarning, match=MESSAGE.format("y1", "y2")):
            agreement(first, second, missing="drop")
        with pytest.warns(UserWarning, match=MESSAGE.format("y2", "y1")):
            ConfusionAccumulator().update(second, first, missing="drop")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([None if i % 3 == 0 else x for i, x in enumerate(FIRST)], TRUE),
        ([None if i % 3 == 0 else x for i, x in enumerate(BLANK)], BLANK),
        (["none", *BLANK[1:]], ["none", *TRUE[1:]]),
        ([x if i % 4 == 0 else y for i, (x, y) in enumerate(zip(FIRST, BLANK))], TRUE),
    ],
    ids=["any rating", "both", "a label of both", "some of them"],
)
def test_other_missing_ratings(first: list[Any], second: list[Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        agreement(first, second, missing="drop")
        confusion_from_source({"a": first, "b": second}, "a", "b")
