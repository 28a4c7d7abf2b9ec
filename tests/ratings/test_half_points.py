"""Half points are labels if labels are given; otherwise they are refused with advice."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastkappa
from fastkappa import ConfusionAccumulator, agreement, confusion_counts, confusion_from_source
from tests.helpers.absent import library
from tests.helpers.exact_kappa import exact_kappa

A, B = [0.0, 0.5, 1.0, 2.0, 3.0, 0.5], [0.0, 0.5, 2.0, 2.0, 3.0, 1.0]
LABELS = [0, 0.5, 1, 2, 3]
TABLE = [
    [sum((a, b) == (row, column) for a, b in zip(A, B)) for column in LABELS] for row in LABELS
]
KAPPA = exact_kappa(TABLE, "quadratic")


def test_the_expected_kappa_is_that_of_positions() -> None:
    """Two items are one step apart; the mean square distance by chance follows from the margins."""
    rows, columns = [1, 2, 1, 1, 1], [1, 1, 1, 2, 1]
    by_chance = sum(
        Fraction(rows[i] * columns[j] * (i - j) ** 2, 36) for i in range(5) for j in range(5)
    )
    assert 1 - Fraction(2, 6) / by_chance == KAPPA == Fraction(61, 67)


def of_file(name: str, folder: Path, labels: Any) -> Any:
    pa = pytest.importorskip("pyarrow")
    csv, parquet = pytest.importorskip("pyarrow.csv"), pytest.importorskip("pyarrow.parquet")
    write = csv.write_csv if name.endswith("csv") else parquet.write_table
    write(pa.table({"a": A, "b": B}), folder / name)
    return confusion_from_source(folder / name, "a", "b", labels=labels).table


def of_frame(make: Callable[[dict[str, Any]], Any], labels: Any) -> Any:
    pytest.importorskip("narwhals")
    return confusion_from_source(make({"a": A, "b": B}), "a", "b", labels=labels).table


def accumulated(labels: Any) -> Any:
    found = ConfusionAccumulator(labels=labels)
    # A batch of whole numbers, before and after.
    found.update([0, 1, 2], [0, 2, 2])
    found.update(A, B)
    found.subtract([0, 1, 2], [0, 2, 2])
    return found.table


ENTRANCES: dict[str, Callable[[Any, Path], Any]] = {
    "agreement": lambda labels, _: agreement(A, B, labels=labels).table,
    "agreement_by": lambda labels, _: (
        fastkappa.agreement_by(A, B, groups=["x"] * 6, labels=labels).pooled.table
    ),
    "confusion_counts": lambda labels, _: confusion_counts(A, B, labels=labels).table,
    "float32": lambda labels, _: confusion_counts(np.array(A, "f4"), B, labels=labels).table,
    "accumulator": lambda labels, _: accumulated(labels),
    "score_many": lambda labels, _: fastkappa.score_many(A, {"b": B}, labels=labels).tables[0],
    "mapping": lambda labels, _: of_frame(dict, labels),
    "pandas": lambda labels, _: of_frame(library("pandas").DataFrame, labels),
    "polars": lambda labels, _: of_frame(library("polars").DataFrame, labels),
    "polars, lazy": lambda labels, _: of_frame(library("polars").LazyFrame, labels),
    "Arrow": lambda labels, _: of_frame(pytest.importorskip("pyarrow").table, labels),
    "CSV": lambda labels, folder: of_file("r.csv", folder, labels),
    "Parquet": lambda labels, folder: of_file("r.parquet", folder, labels),
}


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_labels_may_have_halves(entrance: str, tmp_path: Path) -> None:
    if entrance == "mapping":
        pytest.importorskip("pyarrow")
    table = ENTRANCES[entrance](LABELS, tmp_path)
    assert np.asarray(table).tolist() == TABLE
    assert fastkappa.kappa_from_confusion(table, weights="quadratic") == pytest.approx(
        float(KAPPA or 0)
    )


def test_a_scorer_of_halves() -> None:
    scorer = fastkappa.compile_scorer(LABELS, weights="quadratic", dtype=float)
    assert scorer(np.array(A, float), np.array(B, float)) == pytest.approx(float(KAPPA or 0))
    with pytest.raises(ValueError, match=r"y2 contains 0\.25"):
        scorer(np.array([0.5, 1.0]), np.array([0.5, 0.25]))


def test_predictions_may_have_halves() -> None:
    found = fastkappa.compare_predictions(B, A, y_true=A, labels=LABELS, weights="quadratic")
    assert found.kappas == pytest.approx((float(KAPPA or 0), 1))


@pytest.mark.parametrize("dtype", ["f2", "f4"])
def test_tenths_of_narrow_floats_are_the_same_labels(dtype: str, tmp_path: Path) -> None:
    tenths, expected = [0.1, 0.2, 0.3, 1.0] * 5, np.diag([5] * 4).tolist()
    narrow = np.array(tenths, dtype)
    for labels in ([0.1, 0.2, 0.3, 1], np.array([0.1, 0.2, 0.3, 1], dtype)):
        assert confusion_counts(narrow, tenths, labels=labels).table.tolist() == expected
        result = fastkappa.fleiss_kappa(
            fastkappa.Ratings.from_raters([narrow, tenths], labels=labels)
        )
        assert result.value == 1
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    for labels in ([0.1, 0.2, 0.3, 1], np.array([0.1, 0.2, 0.3, 1], "f4")):
        parquet.write_table(
            pa.table({"a": np.array(tenths, "f4"), "b": tenths}), tmp_path / "r.parquet"
        )
        counts = confusion_from_source(tmp_path / "r.parquet", "a", "b", labels=labels)
        assert counts.table.tolist() == expected


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_without_labels_the_error_names_them(entrance: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"(?i)half points.*labels="):
        ENTRANCES[entrance](None, tmp_path)


def test_ratings_outside_the_labels_are_counted() -> None:
    counts = confusion_counts([*A, 0.7, 1.0], [*B, 1.0, 0.25], labels=LABELS)
    assert (counts.table.tolist(), counts.n_outside) == (TABLE, 2)


def test_leaderboards_and_thresholds_take_them() -> None:
    board = fastkappa.leaderboard(A, {"b": B}, labels=LABELS, weights="quadratic", n_resamples=0)
    assert board.kappa[0] == pytest.approx(float(KAPPA or 0))
    # Scores have the order of the labels: cut points between them give each item its label.
    scores = [0.1, 0.6, 1.1, 2.0, 3.0, 0.4]
    found = fastkappa.optimal_thresholds(A, scores, labels=LABELS)
    assert found.table.tolist() == np.diag([1, 2, 1, 1, 1]).tolist()
    evaluator = fastkappa.ThresholdEvaluator(A, scores, labels=LABELS)
    assert evaluator([0.2, 0.8, 1.5, 2.5]) == 1


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_every_command_takes_them(suffix: str, tmp_path: Path) -> None:
    pytest.importorskip("typer")
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    from tests.helpers.command_line import CommandLine

    frame = pd.DataFrame({"id": range(6), "a": A, "b": B, "c": A})
    path = tmp_path / f"r.{suffix}"
    (frame.to_csv if suffix == "csv" else frame.to_parquet)(path, index=False)
    program, kappa = CommandLine(), pytest.approx(float(KAPPA or 0))
    named = ["--labels", "0,0.5,1,2,3"]
    weighted = ["--weights", "quadratic", *named]
    scored = program.json_of("score", path, "--y1", "a", "--y2", "b", *weighted)
    assert (scored["kappa"], scored["table"]) == (kappa, TABLE)
    assert program.json_of("agree", path, "--raters", "a", "b", *weighted)["kappa"] == kappa
    clustered = ["agree", path, "--raters", "a", "b", "--cluster", "id"]
    assert program.json_of(*clustered, *weighted)["kappa"] == kappa
    three = ["agree", path, "--raters", "a", "b", "c"]
    assert program.json_of(*three, *weighted)["pairwise"]["kappa"][0][1] == kappa
    cut = ["thresholds", path, "--y", "a", "--score", "b"]
    assert program.json_of(*cut, *named)["n"] == 6
    for command in (["score", path, "--y1", "a", "--y2", "b"], clustered, three, cut):
        assert "--labels" in program.refusal(*command)
