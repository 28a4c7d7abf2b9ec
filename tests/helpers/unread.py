"""Columns of ratings beside other columns, and checks of the warnings about them."""

from __future__ import annotations

import json
import random
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from fastkappa import confusion_from_source
from tests.helpers.absent import library
from tests.helpers.command_line import CommandLine
from tests.helpers.entrances import csv_text

pandas, polars, pyarrow = library("pandas"), library("polars"), library("pyarrow")
parquet, feather = library("pyarrow.parquet"), library("pyarrow.feather")

Columns = dict[str, list[Any]]
GENERATOR = random.Random(1)


def rated(labels: list[Any], n: int) -> tuple[list[Any], list[Any]]:
    """Return the ratings of two raters who agree on about three of four items."""
    first = GENERATOR.choices(labels, k=n)
    return first, [x if GENERATOR.random() < 0.7 else GENERATOR.choice(labels) for x in first]


def sources_of(columns: Columns, folder: Path) -> dict[str, Any]:
    """Return a source of each kind whose columns are at hand."""
    table = pyarrow.table(columns)
    text, binary = folder / "ratings.csv", folder / "ratings.parquet"
    text.write_text(csv_text(columns), encoding="utf-8")
    parquet.write_table(table, binary)
    feather.write_feather(table, arrow := folder / "ratings.arrow", "uncompressed")
    rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
    lines = folder / "ratings.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    frames = {"pandas": pandas.DataFrame(columns), "polars": polars.DataFrame(columns)}
    files = {"csv": text, "parquet": binary, "arrow": arrow, "json": lines}
    return {**frames, **files, "mapping": columns, "rows": rows, "table": table}


def check_doubtful(columns: Columns, message: str, tmp_path: Path) -> None:
    """Check that each kind of source and both commands give exactly one warning."""
    for name, source in sources_of(columns, tmp_path).items():
        with pytest.warns(UserWarning, match=message) as warned:
            confusion_from_source(source, "a", "b")
        assert len(warned) == 1, name
    path = tmp_path / "ratings.csv"
    parts = message.replace("row 5", "row 6 below the column names")
    parts = re.sub(r"group='(\w+)'", r"--group '\1' of fastkappa agree", parts)
    for command in (("score", "--y1", "a", "--y2", "b"), ("agree", "--raters", "a", "b")):
        run = CommandLine(command[0]).run(path, *command[1:])
        assert run.stderr.count("warning") == 1
        assert re.search(parts, run.stderr)


def check_ordinary(columns: Columns, tmp_path: Path) -> None:
    """Check that no kind of source gives a warning."""
    for source in sources_of(columns, tmp_path).values():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            confusion_from_source(source, "a", "b")
