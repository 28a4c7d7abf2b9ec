"""The item weights, disagreement weights and clusters of commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("pyarrow")
pytest.importorskip("rich")

from fastkappa import (
    ConfusionAccumulator,
    agreement,
    agreement_from_confusion,
    cohen_kappa_score,
    confusion_from_source,
    disagreement_weights,
    fleiss_kappa,
)
from tests.cli.test_opening import PAIR, RATERS, A, B, C, agree, kappa, score
from tests.helpers.command_line import write_csv


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_csv(Path("ratings.csv"), a=A, b=B, c=C)


def test_item_weights() -> None:
    weights = np.random.default_rng(0).random(300).round(3)
    write_csv(Path("ratings.csv"), a=A, b=B, w=weights)
    expected = cohen_kappa_score(A, B, sample_weight=weights)
    assert kappa("ratings.csv", *PAIR, "--sample-weight", "w") == pytest.approx(expected)
    shown = score.text_of("ratings.csv", *PAIR, "--sample-weight", "w")
    assert "300 items rated in a (rows) and b (columns) of ratings.csv, weighted by w\n" in shown
    assert f"{weights.sum():.6g}" in shown
    assert "whole numbers" in agree.refusal("ratings.csv", *RATERS, "--sample-weight", "w")
    message = score.refusal("ratings.csv", *PAIR, "--sample-weight", "x")
    assert "has no column 'x'" in message


@pytest.mark.parametrize("group", [[], ["--group", "g"]])
def test_a_row_may_stand_for_several_items(group: list[str]) -> None:
    n = np.random.default_rng(0).integers(0, 4, 300)
    g = np.where(np.arange(300) % 2, "u", "v")
    write_csv(Path("counts.csv"), a=A, b=B, n=n, g=g)
    write_csv(Path("rows.csv"), a=np.repeat(A, n), b=np.repeat(B, n), g=np.repeat(g, n))
    found = agree.json_of("counts.csv", *RATERS, "--sample-weight", "n", *group)
    expected = agree.json_of("rows.csv", *RATERS, *group)
    assert {**found, "file": ""} == {**expected, "file": ""}


def test_rows_left_out_are_not_called_items() -> None:
    columns = {"a": ["x", "y", "x", "z", ""], "b": ["x", "y", "y", "z", "x"], "n": [9, 8, 2, 5, 4]}
    write_csv(Path("counts.csv"), **columns, g=[*"uuvvu"])
    options = ("--sample-weight", "n", "--missing", "drop", "--labels", "x,y")
    of_both = " (the weights of 3 rows), with 2 rows left out, was"
    assert of_both in score.text_of("counts.csv", *PAIR, *options, "--format", "sentence")
    for command, own in ((score, PAIR), (agree, RATERS), (agree, (*RATERS, "--group", "g"))):
        shown = command.text_of("counts.csv", *own, *options)
        assert "1 row left out because of a rating outside the labels" in shown
    shown = agree.text_of("counts.csv", *RATERS, *options)
    assert "1 row left out because of a missing rating (1 of a, 0 of b)" in shown
    counts = confusion_from_source("counts.csv", "a", "b", sample_weight="n")
    assert ", with 1 row left out, was" in agreement_from_confusion(counts).sentence()
    accumulator = ConfusionAccumulator(labels=["x", "y"])
    accumulator.update(["x", "y", "z"], ["x", "y", "z"], sample_weight=[9, 8, 5])
    assert ", with 1 row left out, was" in accumulator.agreement().sentence()


def test_item_weights_that_cannot_be() -> None:
    words = np.where(np.arange(300) % 2, "x", "1")
    write_csv(Path("ratings.csv"), a=A, b=B, c=C, w=words, m=np.full(300, -1))
    message = score.refusal("ratings.csv", *PAIR, "--sample-weight", "w")
    assert "column 'w' of ratings.csv must contain numeric item weights" in message
    for command in (score, agree):
        columns = PAIR if command is score else RATERS
        assert "weights below 0" in command.refusal("ratings.csv", *columns, "--sample-weight", "m")
    several = ("--raters", "a", "b", "c", "--sample-weight", "m")
    assert "--sample-weight needs two raters" in agree.refusal("ratings.csv", *several)


@pytest.mark.parametrize("order", [None, [4, 2, 1, 3]])
@pytest.mark.parametrize("raters", [RATERS, (*RATERS, "c")])
def test_a_matrix_of_weights(order: list[int] | None, raters: tuple[str, ...]) -> None:
    weights = disagreement_weights("ordinal", [1, 2, 3, 4])
    if order is None:
        rows = weights.tolist()
    else:
        places = [label - 1 for label in order]
        body = weights[np.ix_(places, places)].tolist()
        rows = [["", *order], *([label, *row] for label, row in zip(order, body))]
    Path("w.txt").write_text("\n".join(";".join(map(str, row)) for row in rows))
    options = ("ratings.csv", "--weight-matrix", "w.txt")
    if len(raters) > 3:
        found = agree.json_of(*options, *raters)["coefficients"]["fleiss_kappa"]["value"]
        expected = fleiss_kappa(np.column_stack([A, B, C]), weights=weights).value
        assert found == pytest.approx(expected)
        return
    expected = agreement(A, B, weights=weights).kappa
    assert agree.json_of(*options, *raters)["kappa"] == pytest.approx(expected)
    found = score.json_of(*options, *PAIR)
    assert found["kappa"] == pytest.approx(expected)
    assert found["weights"] == weights.tolist()
    words = score.text_of(*options, *PAIR).split()
    assert f"kappa, weights of a matrix {expected:.4f}" in " ".join(words)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("0,1\n1,0\n", "w.csv has weights for 2 labels, but the ratings have 4: 1, 2, 3, 4"),
        (",1,2\n1,0,1\n2,1,0\n", "w.csv has no weights for the label '3'"),
        ("0,1,2\n1,0\n", "got 2 rows of 2 or 3 cells"),
        (",a,b\na,0,1\nc,1,0\n", "the same labels, each only once, in its first row"),
        ("0,x\n1,0\n", "must be numbers, got 'x'"),
        ("1,0,0,0\n0,1,0,0\n0,0,1,0\n0,0,0,1\n", "their diagonal must be 0"),
        ("", "must have one row and one column of weights per label, got 0 rows"),
    ],
)
def test_matrices_that_cannot_be(content: str, message: str) -> None:
    Path("w.csv").write_text(content)
    assert message in score.refusal("ratings.csv", *PAIR, "--weight-matrix", "w.csv")


def test_weights_are_given_once() -> None:
    both = ("--weight-matrix", "w.csv", "--weights", "linear")
    assert "use either --weights or --weight-matrix" in score.refusal("ratings.csv", *PAIR, *both)
    assert "no.csv cannot be read" in score.refusal(
        "ratings.csv", *PAIR, "--weight-matrix", "no.csv"
    )


# Clusters.


@pytest.mark.parametrize("weights", [None, "quadratic"])
def test_clusters_of_two(weights: Any) -> None:
    patient = np.arange(300) // 3
    write_csv(Path("ratings.csv"), a=A, b=B, patient=patient)
    options = ("ratings.csv", *RATERS, "--cluster", "patient", "--weights", weights or "none")
    found = agree.json_of(*options)
    expected = agreement(A, B, weights=weights, clusters=patient)
    assert found["standard_error"] == pytest.approx(expected.standard_error)
    assert found["n_clusters"] == 100
    assert found["raters"] == ["a", "b"]
    assert "on 300 items in 100 clusters" in " ".join(agree.text_of(*options).split())


def test_clusters_of_groups_and_of_several() -> None:
    patient, g = np.arange(300) // 3, np.where(np.arange(300) < 150, "u", "v")
    write_csv(Path("ratings.csv"), a=A, b=B, c=C, patient=patient, g=g)
    options = ("ratings.csv", "--cluster", "patient")
    found = agree.json_of(*options, *RATERS, "--group", "g")["groups"][1]
    expected = agreement(A[150:], B[150:], clusters=patient[150:])
    assert found["standard_error"] == pytest.approx(expected.standard_error)
    assert found["raters"] == ["a", "b"]
    several = agree.json_of(*options, "--raters", "a", "b", "c")["coefficients"]["fleiss_kappa"]
    ratings = np.column_stack([A, B, C])
    of_three = fleiss_kappa(ratings, clusters=patient)
    assert several["standard_error"] == pytest.approx(of_three.standard_error)
    u, v = (
        fleiss_kappa(ratings[g == name], clusters=patient[g == name]).design_effect for name in "uv"
    )
    text = agree.text_of(*options, "--raters", "a", "b", "c", "--group", "g")
    assert f"design effects: u {u:.2f}, v {v:.2f}\n" in text


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("raters", [RATERS, (*RATERS, "c")])
def test_a_rater_is_no_cluster(form: str, raters: tuple[str, ...]) -> None:
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"a": A, "b": B, "c": C}), "ratings.parquet")
    message = agree.refusal(f"ratings.{form}", *raters, "--cluster", "b")
    assert "--cluster must not name a column of ratings, got 'b'." in message


def test_clusters_with_labels_and_missing_ratings() -> None:
    a, b = ["x", "y", "", "z", "x", "y"], ["x", "x", "y", "z", "x", "y"]
    write_csv(Path("r.csv"), a=a, b=b, k=[1, 1, 2, 2, 3, ""])
    options = ("r.csv", *RATERS, "--cluster", "k")
    message = agree.refusal(*options)
    assert "1 in column 'a'" in message
    assert "1 in column 'k'" in message
    found = agree.json_of(*options, "--missing", "drop", "--labels", "y,x")
    assert (found["labels"], found["n"], found["n_dropped"]) == (["y", "x"], 3, 2)
