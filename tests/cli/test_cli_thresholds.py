"""`fastkappa thresholds`: its output for people and programs, and refusals."""

from __future__ import annotations

import re
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("typer")

from fastkappa import agreement, cohen_kappa_score, optimal_thresholds  # noqa: E402
from fastkappa.thresholds.rounding import METHODS  # noqa: E402
from tests.helpers.command_line import CommandLine, write_csv  # noqa: E402

EXACT = ("--method", "exact")
WORDS = np.array(["poor", "fair", "good", "best"])
SMALL = """\
grade,score
1,0.2
1,1.1
2,0.9
2,2.6
3,2.4
3,3.5
"""


command = CommandLine("thresholds")
run, text_of, json_of, refusal = command.run, command.text_of, command.json_of, command.refusal


@pytest.fixture(scope="module")
def items() -> tuple[np.ndarray, np.ndarray]:
    """Return labels 0 to 3 and scores."""
    rng = np.random.default_rng(0)
    latent = rng.normal(size=300)
    y = np.clip(np.rint(1.5 + 1.2 * latent), 0, 3).astype(int)
    return y, 1.5 + 0.5 * latent + rng.normal(0, 0.3, 300)


@pytest.fixture(scope="module")
def file(items: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from pyarrow import parquet

    y, scores = items
    path = tmp_path_factory.mktemp("files") / "items.parquet"
    columns = {"y": y, "word": WORDS[y], "s": scores, "narrow": scores.astype(np.float32)}
    parquet.write_table(pyarrow.table(columns), path)
    return path


def write(folder: Path, text: str) -> Path:
    path = folder / "small.csv"
    path.write_text(text)
    return path


def test_text(tmp_path: Path) -> None:
    path = write(tmp_path, SMALL)
    printed = text_of(path, "--y", "grade", "--score", "score", *EXACT)
    y, scores = [1, 1, 2, 2, 3, 3], np.array([0.2, 1.1, 0.9, 2.6, 2.4, 3.5])
    best = optimal_thresholds(y, scores)
    half = cohen_kappa_score(y, [1, 1, 1, 3, 2, 3], weights="quadratic")
    every = combinations_with_replacement([0, *sorted(scores + 0.01)], 2)
    assert best.kappa == max(
        cohen_kappa_score(y, 1 + np.searchsorted(cuts, scores), weights="quadratic")
        for cuts in every
    )
    assert printed.splitlines()[:8] == [
        f"{path}: cut points on score for grade",
        "n = 6, quadratic weights, method exact",
        "",
        "  label          from    half point",
        "  1              -inf",
        f"  2    {best.thresholds[0]:>14.6g}           1.5",
        f"  3    {best.thresholds[1]:>14.6g}           2.5",
        "",
    ]
    assert re.search(f"\n  kappa at the half points +{half:.4f}\n", printed)
    assert re.search(f"\n  kappa at the cut points +{best.kappa:.4f}\n", printed)
    rows = [
        ["1", "2", "3", "total"],
        *([str(i + 1), *map(str, row), str(row.sum())] for i, row in enumerate(best.table)),
        ["total", *map(str, best.table.sum(axis=0)), "6"],
    ]
    assert [line.split() for line in printed.splitlines()[-5:]] == rows


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
@pytest.mark.parametrize("score", ["s", "narrow"])
def test_json(items: Any, file: Path, weights: str, score: str) -> None:
    y, scores = items
    if score == "narrow":
        scores = scores.astype(np.float32)
    found = json_of(file, "--y", "y", "--score", score, "--weights", weights, *EXACT)
    name = None if weights == "none" else weights
    best = optimal_thresholds(y, scores, weights=name)
    half = np.clip(np.floor(scores + 0.5), 0, 3).astype(int)
    assert found["thresholds"] == best.thresholds.tolist()
    assert found["table"] == best.table.tolist()
    assert found["kappa"]["thresholds"] == best.kappa
    assert found["half_points"] == [0.5, 1.5, 2.5]
    assert found["kappa"]["half_points"] == pytest.approx(
        cohen_kappa_score(y, half, weights=name), abs=1e-14
    )
    assert 0.4 < found["kappa"]["out_of_fold"] < best.kappa
    assert (found["n"], found["rows"], found["dropped"], found["outside"]) == (300, 300, 0, 0)
    assert (found["labels"], found["method"], found["weights"]) == ([0, 1, 2, 3], "exact", weights)


@pytest.mark.parametrize("method", [*METHODS, "spline p", "spline "])
def test_methods_are_those_of_the_rounder(
    items: Any, file: Path, clustered: Any, method: str
) -> None:
    pytest.importorskip("sklearn")
    from fastkappa.estimators import KappaRounder

    (y, scores), groups = items, None
    method, in_clusters, prefix = method.partition(" ")
    options: list[Any] = ["--y", "y", "--score", "s", "--method", method]
    if in_clusters:
        y, scores, _, file = clustered
        # Clusters are not sorted in the file, and the command reads numbers as texts.
        numbers = np.repeat(np.random.default_rng(1).permutation(40), 5)
        groups = np.array([f"{prefix}{i}" for i in numbers]) if prefix else numbers
        write_csv(file, y=y, s=scores, patient=groups)
        options += ["--cluster", "patient"]
    found = json_of(file, *options)
    same = KappaRounder(method=method, random_state=0).fit(scores, y, groups=groups)
    assert found["thresholds"] == same.thresholds_.tolist()
    assert found["kappa"]["thresholds"] == same.kappa_
    assert found["kappa"]["out_of_fold"] == same.oof_kappa_
    assert found == json_of(file, *options)


@pytest.mark.filterwarnings("ignore:scores fall")
def test_labels_in_their_order(items: Any, file: Path) -> None:
    y, scores = items
    order = ",".join(WORDS)
    found = json_of(file, "--y", "word", "--score", "s", "--labels", order, *EXACT)
    assert found["labels"] == WORDS.tolist()
    assert found["thresholds"] == optimal_thresholds(y, scores).thresholds.tolist()
    assert found["half_points"] == [0.5, 1.5, 2.5]
    reverse = json_of(file, "--y", "y", "--score", "s", "--labels", "3,2,1,0")
    assert reverse["labels"] == [3, 2, 1, 0]
    assert reverse["half_points"] == [0.5, 1.5, 2.5]
    apart = json_of(file, "--y", "y", "--score", "s", "--labels", "0,2,9")
    assert apart["half_points"] == [1, 5.5]


def test_labels_leave_others_out(items: Any, file: Path) -> None:
    y, scores = items
    found = json_of(file, "--y", "word", "--score", "s", "--labels", "poor,good,best", *EXACT)
    kept = y != 1
    best = optimal_thresholds(WORDS[y[kept]], scores[kept], labels=["poor", "good", "best"])
    assert found["thresholds"] == best.thresholds.tolist()
    assert found["table"] == best.table.tolist()
    assert (found["n"], found["outside"]) == (kept.sum(), (~kept).sum())
    printed = text_of(file, "--y", "word", "--score", "s", "--labels", "poor,good,best")
    assert f"{(~kept).sum()} items left out because of a rating outside the labels" in printed


def test_missing_values(tmp_path: Path) -> None:
    path = write(tmp_path, SMALL + ",1.5\n2,\nNA,NaN\n")
    columns = ("--y", "grade", "--score", "score")
    message = refusal(path, *columns)
    assert (
        "2 in column 'grade' and 2 in column 'score', out of 9 rows. Use --missing drop" in message
    )
    found = json_of(path, *columns, "--missing", "drop")
    assert found["missing"] == {"y": 2, "score": 2}
    assert (found["rows"], found["dropped"], found["n"]) == (9, 3, 6)
    assert found["thresholds"] == json_of(write(tmp_path, SMALL), *columns)["thresholds"]
    path = write(tmp_path, SMALL + ",1.5\n")
    printed = text_of(path, *columns, "--missing", "drop")
    assert "1 row dropped because of a missing value (1 in grade, 0 in score)" in printed


def test_labels_without_items_and_undefined_kappa(tmp_path: Path) -> None:
    path = write(tmp_path, "y,s\n1,1\n1,2\n2,3\n2,4\n")
    found = json_of(path, "--y", "y", "--score", "s", "--labels", "0,1,2,3", *EXACT)
    assert found["thresholds"] == ["-inf", 2.5, "inf"]
    assert found["kappa"]["thresholds"] == 1
    assert found["kappa"]["out_of_fold"] is None  # Four items cannot fill five folds.
    printed = text_of(path, "--y", "y", "--score", "s", "--labels", "0,1,2,3", *EXACT)
    assert [line.split() for line in printed.splitlines()[4:8]] == [
        ["0", "-inf"],
        ["1", "-inf", "0.5"],
        ["2", "2.5", "1.5"],
        ["3", "inf", "2.5"],
    ]
    path = write(tmp_path, "y,s\n" + "yes,1\n" * 6)
    found = json_of(path, "--y", "y", "--score", "s")
    assert found["kappa"] == {"half_points": None, "thresholds": None, "out_of_fold": None}
    assert text_of(path, "--y", "y", "--score", "s").count("undefined") == 3


@pytest.mark.filterwarnings("ignore:scores fall")
def test_booleans_and_whole_floats(tmp_path: Path) -> None:
    path = write(tmp_path, "y,s,f\n" + "true,3,2.0\nfalse,1,1.0\n" * 3)
    found = json_of(path, "--y", "y", "--score", "s")
    assert (found["labels"], found["thresholds"]) == ([False, True], [2.0])
    found = json_of(path, "--y", "y", "--score", "s", "--labels", "true,false")
    assert found["labels"] == [True, False]
    found = json_of(path, "--y", "f", "--score", "s")
    assert (found["labels"], found["half_points"]) == ([1, 2], [1.5])


@pytest.mark.filterwarnings("default:scores fall")
def test_scores_that_fall_get_a_warning(file: Path) -> None:
    printed = run(str(file), "--y", "y", "--score", "s", "--labels", "3,2,1,0")
    assert printed.exit_code == 0
    assert printed.stderr.count("multiply the scores by -1") == 1


@pytest.mark.filterwarnings("default:the best thresholds give all items the same")
def test_a_column_that_does_not_separate_the_labels_gets_a_warning(tmp_path: Path) -> None:
    """A column of patients beside the labels, independent of them by design."""
    rows = [f"{grade},{patient}\n" for patient in range(30) for grade in range(4)]
    path = write(tmp_path, "grade,patient\n" + "".join(rows))
    printed = run(str(path), "--y", "grade", "--score", "patient")
    assert printed.exit_code == 0
    assert printed.stderr.count("not another column") == 1
    assert re.search(r"kappa at the cut points +0\.0000\n", printed.stdout)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--y", "y", "--score", "word"), "scores must be real numbers"),
        (
            ("--y", "s", "--score", "y"),
            "column 's' contains 1.923842796781646: ratings must be",
        ),
        (("--y", "y", "--score", "scores"), "has no column 'scores'"),
        (("--y", "y", "--score", "s", "--labels", "a,b"), "'a', but the ratings are numbers"),
        (("--y", "y", "--score", "s", "--labels", "8,9"), "none of the labels in column 'y'"),
        (
            ("--y", "y", "--score", "s", "--method", "closed_form", "--weights", "linear"),
            "'closed_form' requires --weights quadratic, got --weights linear",
        ),
    ],
)
def test_refusals(file: Path, arguments: tuple[str, ...], message: str) -> None:
    assert message in refusal(file, *arguments)


def test_refused_values(tmp_path: Path) -> None:
    path = write(tmp_path, "y,s\n1,1\n2,inf\n")
    message = refusal(path, "--y", "y", "--score", "s")
    assert "scores must be finite, got inf at position 1." in message
    path = write(tmp_path, "y,s\n2020-01-01,1\n2020-01-02,2\n")
    assert "column 'y' contains values of type date" in refusal(path, "--y", "y", "--score", "s")
    path = write(tmp_path, "y,s\n" + "".join(f"{i},{i}\n" for i in range(2001)))
    assert "has 2001 different ratings" in refusal(path, "--y", "y", "--score", "s")
    path = write(tmp_path, "y,s\n,1\n2,\n")
    message = refusal(path, "--y", "y", "--score", "s", "--missing", "drop")
    assert "no rows are left, because all 2 rows of" in message
    assert run(path, "--y", "y", "--score", "s", "--method", "best").exit_code == 2


def test_one_column_for_both_is_refused(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "f.csv", y=[0, 1, 1], score=[0.1, 0.4, 0.6])
    refused = CommandLine("thresholds").refusal(path, "--y", "y", "--score", "y")
    assert "--y and --score must name different columns, got 'y' twice" in refused


@pytest.fixture
def clustered(tmp_path: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray, Path]:
    """Return labels, scores and patients, and a file that contains them."""
    rng = np.random.default_rng(0)
    patient = np.repeat([f"p{i:02}" for i in range(40)], 5)
    latent = np.repeat(rng.normal(size=40), 5) + rng.normal(0, 0.7, 200)
    y = np.clip(np.rint(1.5 + latent), 0, 3).astype(int)
    scores = latent + rng.normal(0, 0.6, 200)
    return y, scores, patient, write_csv(tmp_path / "f.csv", y=y, s=scores, patient=patient)


def test_clusters_stay_in_one_fold(clustered: Any) -> None:
    y, scores, patient, path = clustered
    columns = ("--y", "y", "--score", "s", "--cluster", "patient", *EXACT)
    found = json_of(path, *columns)
    assert (found["n"], found["n_clusters"]) == (200, 40)
    # The same draw: patients in random order are assigned to the five folds in rotation.
    rng = np.random.default_rng(np.random.RandomState(0).randint(np.iinfo(np.int32).max))
    fold = np.repeat(rng.permutation(40) % 5, 5)
    given = np.empty_like(y)
    for i in range(5):
        best = optimal_thresholds(y[fold != i], scores[fold != i], labels=range(4))
        given[fold == i] = best.predict(scores[fold == i])
    result = agreement(y, given, weights="quadratic", clusters=patient)
    assert found["kappa"]["out_of_fold"] == pytest.approx(result.kappa, abs=1e-14)
    assert found["interval"] == pytest.approx(result.interval, abs=1e-12)
    printed = text_of(path, *columns)
    low, high = result.interval
    assert f"\n  95 % interval             {low:.4f} to {high:.4f}\n" in printed
    assert "n = 200 in 40 clusters, quadratic weights" in printed
    sentence = text_of(path, *columns, "--format", "sentence")
    assert f"out of fold (95 % interval {low:.2f} to {high:.2f})" in sentence
    assert json_of(path, *columns, "--weights", "none")["n_clusters"] == 40


def test_clusters_that_cannot_be(clustered: Any, tmp_path: Path) -> None:
    *_, path = clustered
    columns = ("--y", "y", "--score", "s", "--cluster")
    assert "--cluster must name a column that no other option uses, got 's'" in refusal(
        path, *columns, "s"
    )
    path = write(tmp_path, "y,s,c\n1,1,a\n1,2,a\n1,2,a\n2,3,a\n2,4,a\n2,5,\n")
    assert "1 in column 'c', out of 6 rows" in refusal(path, *columns, "c")
    message = "column 'c' must have at least two different values, got one"
    assert message in refusal(path, *columns, "c", "--missing", "drop")
    path = write(tmp_path, "y,s,c\n1,1,1\n1,2,2\n2,3,2\n2,4,1\n2,5,3\n1,2,3\n1,9,\n")
    printed = text_of(path, *columns, "c", "--missing", "drop")
    assert "1 row dropped because of a missing value (0 in y, 0 in s, 1 in c)" in printed
    assert "n = 6 in 3 clusters" in printed
