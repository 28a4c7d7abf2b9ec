"""A column that was sorted or shifted alone causes a warning; items in order do not."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastkappa import (
    ConfusionAccumulator,
    Ratings,
    agreement,
    agreement_by,
    compare_predictions,
    confusion_counts,
    confusion_from_source,
    fleiss_kappa,
    leaderboard,
    score_many,
)
from tests.helpers.command_line import CommandLine, write_csv

RNG = np.random.default_rng(3)
TRUTH = RNG.integers(0, 3, 90)
RATED = np.where(RNG.random(90) < 0.8, TRUTH, RNG.integers(0, 3, 90))


def of_file(count: Callable[[Path], object]) -> Callable[[Any, Any, Path], None]:
    def call(first: Any, second: Any, folder: Path) -> None:
        pytest.importorskip("pyarrow")
        count(write_csv(folder / "r.csv", id=np.arange(len(first)), a=first, b=second))

    return call


def command(*arguments: str) -> Callable[[Path], None]:
    def count(path: Path) -> None:
        run = CommandLine(arguments[0]).run(path, *arguments[1:])
        assert run.exit_code == 0, run.stderr
        if run.stderr:
            warnings.warn(run.stderr, UserWarning, stacklevel=1)

    return count


def of_parquet(first: Any, second: Any, folder: Path) -> None:
    rating_files = pytest.importorskip("tests.helpers.rating_files")
    table = rating_files.pa.table({"a": first, "b": second})
    rating_files.parquet.write_table(table, folder / "r.parquet", row_group_size=50)
    confusion_from_source(folder / "r.parquet", "a", "b", num_threads=2)


def of_folder(first: Any, second: Any, folder: Path) -> None:
    """Test files with more rows than are read to find odd lines."""
    pytest.importorskip("pyarrow")
    whole = {"id": np.arange(300 * len(first))}
    whole |= {"a": np.repeat(first, 300), "b": np.resize(second, 300 * len(second))}
    for i, part in enumerate(np.array_split(whole["id"], 2)):
        write_csv(folder / f"{i}.csv", **{name: own[part] for name, own in whole.items()})
    confusion_from_source(folder, "a", "b", num_threads=1)


def of_batches(first: Any, second: Any, folder: Path) -> None:
    total = ConfusionAccumulator()
    total.update(first[:1], [None], missing="drop")
    total.update(first, second)
    total.kappa()


def of_raters(first: Any, second: Any, folder: Path) -> None:
    fleiss_kappa(Ratings.from_raters({"y1": first, "y2": second}))


def of_board(first: Any, second: Any, folder: Path) -> None:
    ids = [f"item {i}" for i in range(len(first))]
    leaderboard(first, {"m": (ids, second)}, ids=ids, n_resamples=0)


def of_files(name: str, *options: str) -> Callable[[Any, Any, Path], None]:
    """Return a function that passes a file per column to a command, joined by their ids."""

    def call(first: Any, second: Any, folder: Path) -> None:
        pytest.importorskip("pyarrow")
        ids = [f"item {i}" for i in range(len(first))]
        files = [
            write_csv(folder / f"{column}.csv", id=ids, y=ratings)
            for column, ratings in (("a", first), ("b", second))
        ]
        command(name, *map(str, files[1:]), "--id", "id", *options)(files[0])

    return call


AGREE_FILES = of_files("agree", "--interval-method", "asymptotic")
# The first column contains the true labels.
OF_PREDICTIONS: dict[str, Callable[[Any, Any, Path], object]] = {
    "score_many": lambda a, b, folder: score_many(a, {"m": b}),
    "compare_predictions": lambda a, b, folder: compare_predictions(
        b, np.roll(a, 1), y_true=a, interval_method="asymptotic"
    ),
    "leaderboard": lambda a, b, folder: leaderboard(a, {"m": b}, n_resamples=0),
    "leaderboard, ids": of_board,
    "leaderboard of files": of_files("leaderboard", "--target", "y", "--bootstrap", "0"),
}
ENTRANCES: dict[str, Callable[[Any, Any, Path], object]] = {
    "agreement": lambda a, b, folder: agreement(a, b),
    "agreement_by": lambda a, b, folder: agreement_by(a, b, groups=["x"] * len(a)),
    "confusion_counts": lambda a, b, folder: confusion_counts(a, b),
    "an accumulator": of_batches,
    "a file": of_file(lambda path: confusion_from_source(path, "a", "b")),
    "Parquet": of_parquet,
    "score": of_file(command("score", "--y1", "a", "--y2", "b")),
    "agree": of_file(command("agree", "--raters", "a", "b", "--interval-method", "asymptotic")),
    "agree, a file each": AGREE_FILES,
    "raters": of_raters,
}


@pytest.mark.parametrize("call", ENTRANCES.values(), ids=ENTRANCES)
@pytest.mark.parametrize("words", [False, True], ids=["numbers", "words"])
def test_a_column_that_was_sorted_alone(call: Any, words: bool, tmp_path: Path) -> None:
    labels = np.array(["low", "mid", "high"]) if words else np.array([1, 2, 10])
    for first, second in ((TRUTH, np.sort(RATED)), (np.sort(TRUTH)[::-1], RATED)):
        with pytest.warns(UserWarning, match="sorted but .* is not, and they agree no more than"):
            call(labels[first], labels[second], tmp_path)


@pytest.mark.parametrize("call", OF_PREDICTIONS.values(), ids=OF_PREDICTIONS)
def test_a_prediction_that_was_sorted_alone(call: Any, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="sorted but .* is not, and they agree no more than"):
        call(TRUTH, np.sort(RATED), tmp_path)
    # Items are often sorted by their true label, and a baseline can predict at random.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call(np.sort(TRUTH), RATED, tmp_path)


def test_whole_rows_may_be_sorted(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    ids = np.array([f"item {i}" for i in range(len(TRUTH))])
    order = np.argsort(TRUTH, kind="stable")
    files = [
        write_csv(tmp_path / "a.csv", id=ids[order], y=TRUTH[order]),
        write_csv(tmp_path / "b.csv", id=ids, y=np.roll(TRUTH, 45)),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for one, other in (files, files[::-1]):
            command("agree", str(other), "--id", "id")(one)


def test_large_files_that_were_sorted_alone(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="'a' is sorted but column 'b' is not"):
        of_folder(np.sort(TRUTH), RATED, tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        of_folder(TRUTH, RATED, tmp_path)
        of_folder(np.arange(90) // 87, RATED % 2, tmp_path)


SILENT = {
    "not sorted": (TRUTH, RATED[::-1]),
    "items in order": (np.sort(TRUTH), RATED[np.argsort(TRUTH, kind="stable")]),
    "both sorted": (np.sort(TRUTH), np.sort(RATED)),
    "few items": (np.sort(TRUTH[:19]), RATED[:19]),
    "one rare label": (np.arange(90) // 87, RATED % 2),
    "patients": (np.arange(90) // 6 + 1, RATED + 1),
    "ids": (np.arange(90), RATED[np.argsort(RATED)]),
    "the other way round": (np.sort(TRUTH), 2 - np.sort(TRUTH)),
}


@pytest.mark.parametrize(("first", "second"), SILENT.values(), ids=SILENT)
@pytest.mark.parametrize("entrance", ["confusion_counts", "a file", "Parquet"])
def test_ordinary_columns_are_silent(
    entrance: str, first: Any, second: Any, tmp_path: Path
) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ENTRANCES[entrance](first, second, tmp_path)
    assert not any("sorted" in str(warning.message) for warning in caught)


def of_frame(first: Any, second: Any, folder: Path) -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("narwhals")
    # With a missing rating, the columns are still compared row by row.
    columns = {"a": [None, *first.tolist()[1:]], "b": second}
    confusion_from_source(pd.DataFrame(columns, dtype=object), "a", "b")


SHIFTED = {**ENTRANCES, "a frame": of_frame}


@pytest.mark.filterwarnings("ignore:.* agree on all")
@pytest.mark.parametrize("call", SHIFTED.values(), ids=SHIFTED)
@pytest.mark.parametrize("words", [False, True], ids=["numbers", "words"])
def test_a_column_that_was_pasted_a_row_too_low(call: Any, words: bool, tmp_path: Path) -> None:
    labels = np.array(["low", "mid", "high"]) if words else np.array([1, 2, 10])
    first, second = labels[TRUTH], labels[RATED]
    kappa = agreement(first, second).kappa
    for y1, y2, how in (
        (first[:-1], second[1:], "down"),
        (first[1:], second[:-1], "up"),
    ):
        right = agreement(first[1:-1], second[1:-1]).kappa
        assert abs(right - kappa) < 0.05
        with pytest.warns(UserWarning, match=f"seems to be shifted .* moved one row {how}"):
            call(y1, y2, tmp_path)


WALK = np.clip(np.cumsum(RNG.integers(-1, 2, 200)) // 2, -4, 4)
IN_TIME = {
    "a slow series": (WALK[1:], WALK[:-1]),
    "sleep stages": (np.repeat(TRUTH, 8)[3:], np.repeat(RATED, 8)[:-3]),
    "a cycle": (np.arange(90) % 3, (np.arange(90) + 1) % 3),
    "two in turn": (np.arange(90) % 2, 1 - np.arange(90) % 2),
    "independent": (TRUTH, RNG.permutation(RATED)),
    "one frequent label": (TRUTH * (RNG.random(90) < 0.1), RATED * (RNG.random(90) < 0.1)),
    "few items": (TRUTH[1:19], RATED[:18]),
    "a rare label": (np.arange(43) == 2, np.arange(43) == 1),
}


@pytest.mark.parametrize(("first", "second"), IN_TIME.values(), ids=IN_TIME)
@pytest.mark.parametrize("entrance", ["confusion_counts", "a file"])
def test_series_are_not_shifted(entrance: str, first: Any, second: Any, tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ENTRANCES[entrance](first, second, tmp_path)
    assert not any("shifted" in str(warning.message) for warning in caught)


@pytest.mark.parametrize("call", SHIFTED.values(), ids=SHIFTED)
def test_cells_that_were_dragged_down(call: Any, tmp_path: Path) -> None:
    filled = np.concatenate([TRUTH[:40], np.arange(2, 26), TRUTH[64:]])
    weeks = np.arange(90) % 10
    for columns, is_filled in ((filled, RATED), True), ((weeks, np.minimum(weeks, 8)), False):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call(*columns, tmp_path)
        assert any("that were filled down" in str(one.message) for one in caught) == is_filled


def test_labels_and_scores_are_no_ratings(tmp_path: Path) -> None:
    scores = np.sort(TRUTH) + RNG.normal(0, 0.2, 90).round(1)
    path = write_csv(tmp_path / "scores.csv", y=np.sort(TRUTH), score=scores)
    of_thresholds = command("thresholds", "--y", "y", "--score", "score")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        of_thresholds(path)
    write_csv(path, y=np.sort(TRUTH), score=RNG.permutation(scores))
    with pytest.warns(
        UserWarning, match="'y' is sorted but the column of out-of-fold labels is not"
    ):
        of_thresholds(path)


def test_only_the_first_batch_of_an_accumulator_is_compared_row_by_row() -> None:
    total = ConfusionAccumulator()
    total.update(TRUTH, RATED)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        total.update(TRUTH[1:], RATED[:-1])
        total += total
