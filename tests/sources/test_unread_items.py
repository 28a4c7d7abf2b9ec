"""Columns that are not read can show that items are repeated, sampled, or test questions."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("typer")
from fastkappa import Ratings, confusion_from_source
from tests.helpers.command_line import CommandLine, write_csv
from tests.helpers.unread import GENERATOR, Columns, check_doubtful, check_ordinary, rated

GENERATOR.seed(1)


def _stacked(n_models: int, fewest_right: float = 0.6) -> Columns:
    """Return the predictions of several models for the same 60 items."""
    true = rated([0, 1, 2], 60)[0] * n_models
    predicted = [x if GENERATOR.random() < fewest_right else (x + 1) % 3 for x in true]
    models = [f"model {i // 60}" for i in range(len(true))]
    return {"model": models, "item_id": [*range(60)] * n_models, "a": true, "b": predicted}


def _repeated(columns: Columns) -> tuple[Columns, str]:
    """Return the columns with the warning about them."""
    pairs = {*zip(columns["item_id"], columns["b"])}
    n_varied = sum(len([0 for one, _ in pairs if one == item]) > 1 for item in range(60))
    return columns, (
        "all rows of .* with the same 'item_id' have the same 'a', but"
        f" {n_varied} of 60 values of 'item_id' have several values of 'b'"
    )


def _sampled(name: str) -> Columns:
    weights = [1.0 if i % 3 else 15.5 for i in range(60)]
    return {"exam": [*range(60)], name: weights, **dict(zip("ab", rated(["x", "y"], 60)))}


def _with_questions(name: str, values: tuple[Any, Any], *, are_easy: bool = True) -> Columns:
    """Return 300 items. Every third is marked, and raters agree on these if they ``are_easy``."""
    a, b = rated([0, 1, 2], 300)
    marks = [values[i % 3 == 0] for i in range(300)]
    b = [x if are_easy and mark == values[1] else y for x, y, mark in zip(a, b, marks)]
    return {name: marks, "a": a, "b": b}


def _agreement(columns: Columns, of: int) -> str:
    """Return the agreement on every third item (1), or on the others (0), in percent."""
    rows = [
        x == y for i, (x, y) in enumerate(zip(columns["a"], columns["b"])) if (i % 3 == 0) == of
    ]
    return f"{sum(rows) / len(rows):.0%}"


WEIGHTS = ("sampling_weight", "Survey Weight", "pweight", "iptw", "inverse_probability")
GOLD = {"_golden": ("false", "true"), "is_gold": ("", "1"), "Test Question": ("no", "yes")}
DOUBTFUL = {
    "two models": _repeated(_stacked(2)),
    "epochs": _repeated(_stacked(5, 0.3)),
    **{
        name: (
            _sampled(name),
            f"'{name}' seems to contain sampling weights, but all items count equally",
        )
        for name in WEIGHTS
    },
    **{
        name: (
            (own := _with_questions(name, values)),
            f"'{name}' seems to mark test questions. They have 100% agreement and 2 ratings per"
            f" item; the other items have {_agreement(own, 0)} agreement and 2 ratings.",
        )
        for name, values in GOLD.items()
    },
}
ORDINARY = {
    # Some items have only one prediction, or the first column is made from the true labels.
    "stacked": {name: values[:-1] for name, values in _stacked(2).items()},
    "classes": {"class": (own := rated([0, 1, 2], 90))[0], **dict(zip("ab", own))},
    # Patients were weighed, all weights are equal, or some are missing.
    "weight": _sampled("weight"),
    "body": _sampled("body_weight"),
    "equal": {**_sampled("pweight"), "pweight": [2] * 60},
    "zero": {**_sampled("ipw"), "ipw": [i % 2 for i in range(60)]},
    # Raters do not agree better on the marked items, or the marks are true labels.
    "hard": _with_questions("_golden", ("false", "true"), are_easy=False),
    "names": _with_questions("_golden", ("x", "y")),
    "truth": _with_questions("gold", ("no", "yes")),
}


@pytest.mark.parametrize(("columns", "message"), DOUBTFUL.values(), ids=DOUBTFUL)
def test_doubtful_items(columns: Columns, message: str, tmp_path: Path) -> None:
    check_doubtful(columns, message, tmp_path)


@pytest.mark.parametrize("columns", ORDINARY.values(), ids=ORDINARY)
def test_ordinary_items(columns: Columns, tmp_path: Path) -> None:
    check_ordinary(columns, tmp_path)


def test_models_that_are_grouped_or_weights_that_are_used(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "stacked.csv", **_stacked(2))
    run = CommandLine("score").run(path, "--y1", "a", "--y2", "b")
    assert "pass 'item_id' as --cluster of fastkappa agree." in run.stderr
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        confusion_from_source(path, "a", "b", group="model")
        confusion_from_source(_sampled("pweight"), "a", "b", sample_weight="pweight")


def test_weights_that_are_not_used(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "exams.csv", **_sampled("Survey Weight"))
    with pytest.warns(UserWarning, match="use sample_weight='Survey Weight'"):
        confusion_from_source(path, "a", "b")
    run = CommandLine("agree").run(path, "--raters", "a", "b")
    assert "use --sample-weight 'Survey Weight'." in run.stderr


def test_questions_rated_by_all_raters(tmp_path: Path) -> None:
    """In long form, 10 questions were rated by 8 raters, and 100 items by 2 of them."""
    raters = [GENERATOR.sample(range(8), 8 if item < 10 else 2) for item in range(110)]
    rows = [(item, rater) for item, own in enumerate(raters) for rater in own]
    labels = [GENERATOR.choice("xyz") for _ in rows]
    items, of_rows = zip(*rows)
    long = {"item": items, "rater": of_rows, "label": labels}
    path = write_csv(tmp_path / "long.csv", **long, _golden=[item < 10 for item in items])
    names = {"item": "item", "rater": "rater", "rating": "label"}
    message = "'_golden' seems to mark test questions. .* 8 ratings per item; .* and 2 ratings"
    with pytest.warns(UserWarning, match=message):
        Ratings.from_long(path, **names)
    options = [text for name in names.items() for text in (f"--{name[0]}", name[1])]
    assert re.search(message, CommandLine("agree").run(path, *options).stderr)
    path = write_csv(tmp_path / "other.csv", **long, _golden=[item % 2 for item in items])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Ratings.from_long(path, **names)
