"""Ratings on the command line that are lists or sets of labels."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")
pytest.importorskip("pyarrow")

from fastkappa import Ratings, krippendorff_alpha
from tests.helpers.command_line import CommandLine, write_csv

agree = CommandLine("agree")


def test_empty_lists_among_lists_of_one_label(tmp_path: Path) -> None:
    """An empty list is a skipped item. At levels of sets, it is a rating of no label."""
    given = {"ann": "xyzxynx", "ben": "xyzyynx", "cat": "xyznyxx"}
    for name, own in given.items():
        lists = [[] if label == "n" else [label] for label in own]
        rows = [json.dumps({"id": i, "label": one}) for i, one in enumerate(lists)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(rows))
    options = [tmp_path, "--id", "id", "--rating", "label"]
    labels = {name: [None if x == "n" else x for x in own] for name, own in given.items()}
    right = krippendorff_alpha(Ratings.from_raters(labels)).value
    for codes in ([], ["--missing-codes", "[]"]):
        found = agree.json_of(*options, "--missing", "drop", *codes)
        assert found["n_missing"] == 3
        assert found["coefficients"]["krippendorff_alpha"]["value"] == pytest.approx(right)
    refused = agree.refusal(*options)
    assert "ann.jsonl: column 'label' has 1 empty list in 7 rows" in refused
    with_empty = Ratings.from_raters({name: list(own) for name, own in given.items()})
    sets = agree.json_of(*options, "--set-separator", ";")
    alpha = sets["coefficients"]["krippendorff_alpha_nominal"]["value"]
    assert alpha == pytest.approx(krippendorff_alpha(with_empty).value)
    (warning,) = sets["warnings"]
    assert "3 of 21 ratings are empty sets, and all others have exactly one label." in warning
    assert "--missing drop --missing-codes '[]' without --set-separator" in warning


def test_alpha_is_the_coefficient_of_sets(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "r.csv", a=["x;y", "y", "x"], b=["x", "y", "x"], c=["x", "y", "z"])
    options = [path, "--raters", "a", "b", "c", "--set-separator", ";", "--level", "masi"]
    found = agree.json_of(*options, "--coefficient", "krippendorff")
    assert found == agree.json_of(*options)
