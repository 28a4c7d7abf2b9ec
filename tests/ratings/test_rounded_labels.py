"""Integers beyond 2**53 next to floats: no label is rounded to another, at any entrance."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastkappa
from fastkappa import ConfusionAccumulator, agreement, confusion_counts, confusion_from_source

B = 2**53
INTEGERS = np.array([B, B + 1, 1, 1])
FLOATS = np.array([B, B, 1.0, 0.0])
# Data that NumPy and pyarrow convert to floats.
MIXED: list[Any] = [B, B + 1, 1.0, 0]
WEIGHTS = [1.0, 2.0, 1.0, 1.0]
REFUSED = rf"must not contain {B + 1} together with floats"


def update_twice(y1: Any, y2: Any) -> None:
    total = ConfusionAccumulator()
    total.update(y1, y1)
    total.update(y2, y2)


def merge(y1: Any, y2: Any) -> None:
    total, other = ConfusionAccumulator(), ConfusionAccumulator()
    total.update(y1, y1)
    other.update(y2, y2)
    total += other


def in_file(y1: Any, y2: Any, folder: Path, suffix: str) -> Any:
    pa = pytest.importorskip("pyarrow")
    csv, parquet = pytest.importorskip("pyarrow.csv"), pytest.importorskip("pyarrow.parquet")
    write = csv.write_csv if suffix == "csv" else parquet.write_table
    write(pa.table({"a": y1, "b": y2}), folder / f"x.{suffix}")
    return confusion_from_source(folder / f"x.{suffix}", "a", "b")


def in_folder(y1: Any, y2: Any, folder: Path) -> Any:
    """Each file has one type, but a dataset would cast both to the type of the first."""
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    (folder / "x").mkdir()
    for name, y in (("1", y1), ("2", y2)):
        parquet.write_table(pa.table({"a": y, "b": y}), folder / "x" / f"{name}.parquet")
    return confusion_from_source(folder / "x", "a", "b")


def in_frame(y1: Any, y2: Any, library: str) -> Any:
    frame = pytest.importorskip(library).DataFrame({"a": y1, "b": y2})
    return confusion_from_source(frame, "a", "b")


def in_duckdb(y1: Any, y2: Any) -> Any:
    duckdb = pytest.importorskip("duckdb")
    pairs = ", ".join(f"({a}::{_sql(y1)}, {b}::{_sql(y2)})" for a, b in zip(y1, y2, strict=True))
    return confusion_from_source(duckdb.sql(f"select * from (values {pairs}) t(a, b)"), "a", "b")


def _sql(values: Any) -> str:
    return "double" if values.dtype.kind == "f" else "bigint"


# Two columns, and a folder.
ENTRANCES: dict[str, Callable[[Any, Any, Path], Any]] = {
    "cohen_kappa_score": lambda a, b, _: fastkappa.cohen_kappa_score(a, b),
    "quadratic": lambda a, b, _: fastkappa.cohen_kappa_score(a, b, weights="quadratic"),
    "confusion_matrix": lambda a, b, _: fastkappa.confusion_matrix(a, b, sample_weight=WEIGHTS),
    "confusion_counts": lambda a, b, _: confusion_counts(a, b),
    "weighted": lambda a, b, _: confusion_counts(a, b, sample_weight=WEIGHTS),
    "agreement": lambda a, b, _: agreement(a, b),
    "clusters": lambda a, b, _: agreement(a, b, clusters=[1, 1, 2, 2]),
    "missing": lambda a, b, _: agreement(a, b, missing="drop"),
    "agreement_by": lambda a, b, _: fastkappa.agreement_by(a, b, groups=[1, 1, 2, 2]),
    "compare_paired": lambda a, b, _: fastkappa.compare_predictions(a, b, y_true=[1, 1, 0, 0]),
    "update": lambda a, b, _: ConfusionAccumulator().update(a, b),
    "two updates": lambda a, b, _: update_twice(a, b),
    "merge": lambda a, b, _: merge(a, b),
    "score_many": lambda a, b, _: fastkappa.score_many(a, {"b": b}),
    "leaderboard": lambda a, b, _: fastkappa.leaderboard([1, 0, 1, 1], {"a": a, "b": b}),
    "pairwise_kappa": lambda a, b, _: fastkappa.pairwise_kappa([[*r] for r in zip(a, b, a)]),
    "fleiss_kappa": lambda a, b, _: fastkappa.fleiss_kappa(_raters(a, b)),
    "mapping": lambda a, b, _: confusion_from_source({"a": a, "b": b}, "a", "b"),
    "pandas": lambda a, b, _: in_frame(a, b, "pandas"),
    "polars": lambda a, b, _: in_frame(a, b, "polars"),
    "DuckDB": lambda a, b, _: in_duckdb(a, b),
    "CSV": lambda a, b, folder: in_file(a, b, folder, "csv"),
    "Parquet": lambda a, b, folder: in_file(a, b, folder, "parquet"),
    "Parquet folder": in_folder,
}


def _raters(a: Any, b: Any) -> Any:
    return fastkappa.Ratings.from_raters({"a": a, "b": b, "c": b})


@pytest.mark.parametrize("entrance", ENTRANCES)
@pytest.mark.parametrize("swapped", [False, True])
def test_integers_beside_floats_are_refused(entrance: str, swapped: bool, tmp_path: Path) -> None:
    columns = (FLOATS, INTEGERS) if swapped else (INTEGERS, FLOATS)
    with pytest.raises(ValueError, match=REFUSED):
        ENTRANCES[entrance](*columns, tmp_path)


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_integers_that_floats_hold_are_none(entrance: str, tmp_path: Path) -> None:
    integers, floats = np.array([B, B + 2, 1, 1]), np.array([B, B, 1.0, 0.0])
    found = ENTRANCES[entrance](integers, floats, tmp_path)
    if entrance in ("confusion_counts", "weighted", "agreement", "mapping", "CSV", "pandas"):
        assert found.labels.tolist() == [0, 1, B, B + 2]
        assert found.table.shape == (4, 4)


def test_given_labels_say_which_are_meant() -> None:
    found = agreement(INTEGERS, FLOATS, labels=[0, 1, B, B + 1])
    assert found.table.tolist() == [[0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0]]


# A list of both.
LISTS: dict[str, Callable[[list[Any]], Any]] = {
    "cohen_kappa_score": lambda mixed: fastkappa.cohen_kappa_score(mixed, mixed),
    "confusion_counts": lambda mixed: confusion_counts(mixed, mixed),
    "column vectors": lambda mixed: confusion_counts([[x] for x in mixed], mixed),
    "agreement": lambda mixed: agreement(mixed, mixed),
    "objects": lambda mixed: agreement(np.array([*mixed, None]), [*mixed, 1], missing="drop"),
    "update": lambda mixed: ConfusionAccumulator().update(mixed, mixed),
    "score_many": lambda mixed: fastkappa.score_many(mixed, {"a": mixed}),
    "optimal_thresholds": lambda mixed: fastkappa.optimal_thresholds(mixed, [1, 2, 3, 4]),
    "ThresholdEvaluator": lambda mixed: fastkappa.ThresholdEvaluator(mixed, [1, 2, 3, 4]),
    "fleiss_kappa": lambda mixed: fastkappa.fleiss_kappa([[x, x] for x in mixed]),
    "clusters": lambda mixed: agreement([1, 1, 2, 2], [1, 2, 2, 2], clusters=mixed),
    "labels": lambda mixed: confusion_counts([1, 0], [1, 1], labels=mixed),
    "labels of an accumulator": lambda mixed: ConfusionAccumulator(labels=mixed),
    "labels of a scorer": lambda mixed: fastkappa.compile_scorer(mixed),
    "labels of raters": lambda mixed: fastkappa.fleiss_kappa([[1, 0], [1, 1]], labels=mixed),
    "labels of predictions": lambda mixed: fastkappa.score_many([1], {"a": [1]}, labels=mixed),
    "labels of thresholds": lambda mixed: fastkappa.optimal_thresholds(
        [1, 0], [1, 2], labels=mixed
    ),
    "labels of a source": lambda mixed: confusion_from_source({"a": [1]}, "a", "a", labels=mixed),
}


@pytest.mark.parametrize("entrance", LISTS)
def test_lists_of_both_are_refused(entrance: str) -> None:
    with pytest.raises(ValueError, match=REFUSED):
        LISTS[entrance](MIXED)


GIVEN: dict[str, Callable[[Any], Any]] = {
    "confusion_counts": lambda labels: confusion_counts([1, 0], [1, 1], labels=labels),
    "cohen_kappa_score": lambda labels: fastkappa.cohen_kappa_score([1], [1], labels=labels),
    "agreement": lambda labels: agreement([1, 0], [1, 1], labels=labels),
    "accumulator": lambda labels: ConfusionAccumulator(labels=labels),
    "thresholds": lambda labels: fastkappa.optimal_thresholds([1, 0], [1, 2], labels=labels),
    "table": lambda labels: fastkappa.agreement_from_confusion(np.eye(4), labels=labels),
}


@pytest.mark.parametrize("entrance", GIVEN)
@pytest.mark.parametrize("make", [list, tuple, "array", "pandas.Index", "pandas.Series"])
def test_labels_of_both_are_refused_in_any_container(entrance: str, make: Any) -> None:
    """The integer equals none of the floats, although Python can tell it from its neighbour."""
    labels: Any = [B + 1, float(B), 1, 0]
    if make == "array":
        labels = np.array(labels, object)
    elif isinstance(make, str):
        labels = getattr(pytest.importorskip("pandas"), make.partition(".")[2])(
            labels, dtype=object
        )
    else:
        labels = make(labels)
    with pytest.raises(ValueError, match=REFUSED):
        GIVEN[entrance](labels)


@pytest.mark.parametrize("make", [list, tuple])
def test_weights_of_labels_that_are_not_given_twice(make: Any) -> None:
    with pytest.raises(ValueError, match=f"float64 represents exactly, got {B + 1}"):
        fastkappa.disagreement_weights("linear", make([B + 1, float(B)]))


@pytest.mark.parametrize("names", [("1", "2"), ("2", "1")])
def test_a_folder_of_both_is_refused_in_commands(names: tuple[str, str], tmp_path: Path) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pytest.importorskip("typer")
    from tests.helpers.command_line import CommandLine

    for name, y in zip(names, (INTEGERS, FLOATS)):
        parquet.write_table(pa.table({"a": y, "b": y, "c": y}), tmp_path / f"{name}.parquet")
    refusal = CommandLine("agree").refusal(tmp_path, "--raters", "a", "b", "c")
    assert f"must not contain {B + 1} together with floats" in refusal


def test_texts_of_both_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "x.csv"
    path.write_text(f"a,b\n{B},1\n{B + 1},0\n1.0,1\n0,1\n")
    with pytest.raises(ValueError, match=REFUSED):
        confusion_from_source(path, "a", "b")


@pytest.mark.parametrize("command", ["agree", "thresholds"])
def test_a_column_of_both_is_refused_in_every_command(command: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("typer")
    from tests.helpers.command_line import CommandLine

    path = tmp_path / "x.csv"
    path.write_text(f"a,b,c\n{B},1,1\n{B + 1},0,0\n1.0,1,1\n0,1,2\n,1,1\n")
    options = {
        "agree": ["--raters", "a", "b", "c"],
        "thresholds": ["--y", "a", "--score", "c"],
    }
    refusal = CommandLine(command).refusal(path, *options[command], "--missing", "drop")
    assert f"column 'a' must not contain {B + 1} together with floats" in refusal


def test_an_accumulator_is_unchanged_by_what_it_refuses() -> None:
    for first, second in ((INTEGERS, FLOATS), (FLOATS, INTEGERS)):
        total = ConfusionAccumulator()
        total.update(first, first)
        before = total.counts()
        with pytest.raises(ValueError, match=REFUSED):
            total.update(second, second)
        np.testing.assert_array_equal(total.counts().labels, before.labels)
        np.testing.assert_array_equal(total.counts().table, before.table)
        total.update(first, first)
        assert total.counts().table.sum() == 2 * len(first)
