"""Each rule about labels applies to all sources of ratings, through `judge_labels`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastkappa
from fastkappa import ConfusionAccumulator, agreement, confusion_counts, confusion_from_source
from fastkappa.ratings.column import Column
from fastkappa.ratings.read import judge_labels
from tests.helpers.absent import library

# Neither rater spells a word in two ways, but the two raters spell it differently.
COLUMNS = {"a": ["Yes", "no", "Yes", "no"], "b": ["yes", "no", "yes", "no"]}
CASE = r"labels that differ only in how they are written, .* 'Yes' \(2 times\), 'yes' \(2 times\)"


def written(columns: dict[str, list[str]], path: Path) -> Path:
    pa = pytest.importorskip("pyarrow")
    csv, parquet = pytest.importorskip("pyarrow.csv"), pytest.importorskip("pyarrow.parquet")
    write = csv.write_csv if path.suffix == ".csv" else parquet.write_table
    write(pa.table(columns), path)
    return path


def in_frame(columns: dict[str, list[str]], name: str, make: str = "DataFrame") -> Any:
    pytest.importorskip("narwhals")
    return confusion_from_source(getattr(library(name), make)(columns), "a", "b")


def scored(path: Path) -> Any:
    pytest.importorskip("typer")
    from tests.helpers.counted_files import count_ratings

    return count_ratings(path, "a", "b")


ENTRANCES: dict[str, Callable[[dict[str, list[str]], Path], Any]] = {
    "agreement": lambda c, _: agreement(c["a"], c["b"]),
    "confusion_counts": lambda c, _: confusion_counts(c["a"], c["b"]),
    "accumulator": lambda c, _: ConfusionAccumulator().update(c["a"], c["b"]),
    "score_many": lambda c, _: fastkappa.score_many(c["a"], {"b": c["b"]}),
    "several raters": lambda c, _: fastkappa.fleiss_kappa(fastkappa.Ratings.from_raters(c)),
    "mapping": lambda c, _: confusion_from_source(c, "a", "b"),
    "pandas": lambda c, _: in_frame(c, "pandas"),
    "polars": lambda c, _: in_frame(c, "polars"),
    "polars, lazy": lambda c, _: in_frame(c, "polars", "LazyFrame"),
    "CSV": lambda c, folder: confusion_from_source(written(c, folder / "x.csv"), "a", "b"),
    "Parquet": lambda c, folder: confusion_from_source(written(c, folder / "x.parquet"), "a", "b"),
    "score": lambda c, folder: scored(written(c, folder / "x.csv")),
}


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_labels_that_differ_in_case_are_warned_of(entrance: str, tmp_path: Path) -> None:
    if entrance == "mapping":
        pytest.importorskip("pyarrow")
    with pytest.warns(UserWarning, match=CASE):
        ENTRANCES[entrance](COLUMNS, tmp_path)


def test_distinct_labels_are_judged_as_the_ratings_that_they_stand_for() -> None:
    whole = Column(np.array([0, 1, 1, 1, 2]), np.dtype(object), ["x", "1", "2"])
    distinct = whole._replace(values=np.arange(3), counts=np.array([1, 3, 1]))
    messages = []
    for column in (whole, distinct):
        with pytest.raises(ValueError, match=r"and also 'x' \(1 time\)") as raised:
            judge_labels({"y1": column})
        messages.append(str(raised.value))
    assert len(set(messages)) == 1
    # One of three distinct labels is odd, but most ratings are.
    assert judge_labels({"y1": distinct._replace(counts=np.array([9, 3, 1]))}) == (None, False)
