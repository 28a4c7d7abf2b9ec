"""Columns that are not read can show that ratings of a part were made differently."""

from __future__ import annotations

import warnings
from operator import eq
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("typer")
from fastkappa import confusion_from_source
from fastkappa.formatting import percent_text
from tests.helpers.command_line import CommandLine
from tests.helpers.unread import (
    GENERATOR,
    Columns,
    check_doubtful,
    check_ordinary,
    rated,
    sources_of,
)

GENERATOR.seed(1)


def _failed() -> Columns:
    """Return 300 predictions, of which every sixth is the default "neutral" of a failed request."""
    a, b = rated(["neg", "neutral", "pos"], 300)
    failed = [GENERATOR.random() < 1 / 6 for _ in a]
    return {
        "error": ["timeout" if one else None for one in failed],
        "a": a,
        "b": ["neutral" if one else x for x, one in zip(b, failed)],
    }


def _stopped() -> Columns:
    """Return the same predictions with a column that is never blank."""
    own = _failed()
    ends = ["filter" if error else "stop" for error in own.pop("error")]
    return {"finish": ends, **own}


def _swapped() -> Columns:
    """Return 300 comparisons of A and B, which a judge saw in either order."""
    a, b = rated(["A", "B", "tie"], 300)
    shown = [GENERATOR.choice(["AB", "BA"]) for _ in a]
    of_judge = {"A": "B", "B": "A", "tie": "tie"}
    return {
        "shown_order": shown,
        "a": a,
        "b": [of_judge[x] if s == "BA" else x for x, s in zip(b, shown)],
    }


def _in_roles(name: str) -> Columns:
    """Return the ratings of Kim and Ortiz, who exchange the roles a and b."""
    orders = [GENERATOR.sample(["Kim", "Ortiz"], 2) for _ in range(100)]
    raters = zip(*orders)
    return dict(zip(("a", "b"), rated([0, 1, 2], 100))) | {
        f"{name}_{role}": [*names] for role, names in zip("ab", raters)
    }


def _copied() -> Columns:
    """Return the ratings of 100 items by Kim and Ortiz, and of 60 items by Kim alone."""
    (a, b), (alone, _) = rated([0, 1, 2], 100), rated([0, 1, 2], 60)
    second = ["Ortiz"] * 100 + ["Kim"] * 60
    return {"a": a + alone, "b": b + alone, "reader_a": ["Kim"] * 160, "reader_b": second}


DOUBTFUL = {
    "copied": (
        (own := _copied()),
        "in 60 of 160 rows, 'reader_a' and 'reader_b' contain the same name, and 'a' and 'b' agree"
        " on 100 % of these rows, but on only"
        f" {percent_text(sum(map(eq, own['a'][:100], own['b'][:100])) / 100)} of the others",
    ),
    "roles": (
        (own := _in_roles("reader")),
        "'reader_a' and 'reader_b' contain the same names, in alphabetical order in"
        f" {own['reader_a'].count('Kim')} of 100 rows",
    ),
    "failed": (
        (own := _failed()),
        f"b has the same rating for the {300 - own['error'].count(None)} items for which 'error' is"
        " not blank, but a does not",
    ),
    "stopped": (
        (own := _stopped()),
        f"for the {own['finish'].count('filter')} items for which 'finish' is 'filter', but a",
    ),
    "swapped": (_swapped(), "where 'shown_order' is 'BA', a and b use .* 'A' of a with 'B' of b"),
}
ORDINARY = {
    # One person entered some ratings of both raters, or rated all items twice.
    "entered": {
        **dict(zip("ab", rated([0, 1, 2], 200))),
        "entered_by_a": ["Kim", "Lee"] * 100,
        "entered_by_b": ["Kim", "Kim", "Lee", "Lee"] * 50,
    },
    "twice": {**_in_roles("x"), "reader_a": ["Kim"] * 100, "reader_b": ["Kim"] * 100},
    # The two answers that both raters compare are in either order.
    "compared": _in_roles("model"),
    "own columns": {**_in_roles("x"), "reader_a": ["Kim"] * 100, "reader_b": ["Ortiz"] * 100},
    # The column is filled in only for disagreements in which one rater has a certain label.
    "disputed": {
        **dict(zip("ab", (own := rated([0, 1, 2, 3], 400)))),
        "note": ["?" if y == 2 != x else None for x, y in zip(*own)],
    },
    # A third rater disagrees with one of the raters.
    "corrected": {
        **dict(zip("ab", (own := rated(["no", "yes"], 400)))),
        "b_is_correct": [x == y if i % 9 else x != y for i, (x, y) in enumerate(zip(*own))],
    },
}


@pytest.mark.parametrize(("columns", "message"), DOUBTFUL.values(), ids=DOUBTFUL)
def test_a_doubtful_part(columns: Columns, message: str, tmp_path: Path) -> None:
    check_doubtful(columns, message, tmp_path)


@pytest.mark.parametrize("columns", ORDINARY.values(), ids=ORDINARY)
def test_an_ordinary_part(columns: Columns, tmp_path: Path) -> None:
    check_ordinary(columns, tmp_path)


def test_a_column_that_was_renamed_on_the_way(tmp_path: Path) -> None:
    a, b = rated(["x", "y", "z"], 100)
    columns = {"id": [*range(100)], "a": a, "b": [*b[:60], *[None] * 40]}
    columns["label"] = [None] * 60 + b[60:]
    message = "column 'label' has ratings in only 40 rows, and 'b' is blank in all of them"
    for source in sources_of(columns, tmp_path).values():
        with pytest.warns(UserWarning, match=message):
            confusion_from_source(source, "a", "b")
    file = tmp_path / "ratings.csv"
    assert message in CommandLine("score").run(file, "--y1", "a", "--y2", "b").stderr
    options = ("--id", "id", "--target", "b", "--missing", "drop")
    assert message in CommandLine("leaderboard").run(file, file, *options).stderr
    # A third rater also rated some items of the others, and a note has other labels.
    shared = {**columns, "label": [None] * 50 + b[50:]}
    noted = {**columns, "label": [None] * 60 + ["late", "lost"] * 20}
    for ordinary in (shared, noted):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            confusion_from_source(ordinary, "a", "b")


def _in_blocks(end: str, n_ids: int) -> Columns:
    """Return 100 rows with two items each, or with two readings of one item."""
    (a, b), (c, d) = rated(["x", "y", "z"], 100), rated(["x", "y", "z"], 100)
    ids = [f"P{i % n_ids}" for i in range(200)]
    first = {"id": ids[:100], "a": a, "b": b}
    return first | {f"{name}{end}": own for name, own in zip(first, (ids[100:], c, d))}


@pytest.mark.parametrize("end", [".1", "_2", "2"])
def test_two_blocks_side_by_side(end: str, tmp_path: Path) -> None:
    columns = _in_blocks(end, 200)
    message = (
        f"column 'id{end}' has other items than column 'id', but the ratings of these items in"
        f" 'a{end}' and 'b{end}' are not read"
    )
    check_doubtful(columns, message, tmp_path)
    # A third block does not matter.
    third = {"id.3": [f"Q{i}" for i in range(100)], "a.3": columns["b"], "b.3": columns["a"]}
    check_doubtful(columns | third, message, tmp_path)
    # The second block has second readings of the items, or notes.
    check_ordinary(_in_blocks(end, 100), tmp_path)
    check_ordinary({**columns, f"a{end}": ["late"] * 100}, tmp_path)
    check_ordinary({name: own for name, own in columns.items() if "id" not in name}, tmp_path)


def _changed(*names: str) -> Columns:
    """Return 1000 ratings, after which most disagreements were settled in a discussion."""
    a, b = rated(["x", "y", "z"], 1000)
    before = [y if x != y and i % 5 else None for i, (x, y) in enumerate(zip(a, b))]
    after = [y if old is None else x for x, y, old in zip(a, b, before)]
    return dict(zip(("a", *names), (a, after, before)))


@pytest.mark.parametrize("name", ["b_previous_value", "old_b", "b original", "initialB"])
def test_ratings_changed_after_a_discussion(name: str, tmp_path: Path) -> None:
    columns = _changed("b", name)
    a, b, before = columns.values()
    n_before = sum(x == (old or y) for x, y, old in zip(a, b, before))
    message = (
        f"{1000 - before.count(None)} ratings in 'b' differ from '{name}', and agree with 'a' on"
        " 100 % of these items. Before the changes, the agreement on all items was only"
        f" {percent_text(n_before / 1000)}"
    )
    check_doubtful(columns, message, tmp_path)
    # All earlier ratings are given, not only changed ones.
    all_before = [y if old is None else old for y, old in zip(b, before)]
    check_doubtful({**columns, name: all_before}, message, tmp_path)
    # The column is not an earlier one, or the rater corrected slips without knowing a's ratings.
    check_ordinary({"a": a, "b": b, "note": before}, tmp_path)
    slips = [None if i % 20 else GENERATOR.choice("xyz") for i in range(1000)]
    check_ordinary({"a": a, "b": all_before, name: slips}, tmp_path)


def test_predictions_cut_off_instead_of_rounded(tmp_path: Path) -> None:
    scores = [GENERATOR.uniform(0.6, 5.4) for _ in range(300)]
    grades = [round(score) for score in scores]
    raw = [score + GENERATOR.uniform(-0.4, 0.4) for score in scores]
    cut = [i for i, x in enumerate(raw) if int(x) != round(x)]
    before, after = (
        percent_text(sum(as_label(raw[i]) == grades[i] for i in cut) / len(cut))
        for as_label in (int, round)
    )
    columns = {"raw": raw, "a": grades, "b": [*map(int, raw)]}
    message = (
        f"'b' contains the numbers in 'raw' without their decimals, such as {int(raw[cut[0]])} for"
        f" {raw[cut[0]]:g}. Of the {len(cut)} items for which rounding makes a difference, 'b' and"
        f" 'a' agree on {before}, but would agree on {after} after rounding"
    )
    check_doubtful(columns, message, tmp_path)
    # The predictions are rounded, or both columns are parts of a number, such as an age in years.
    check_ordinary({**columns, "b": [*map(round, raw)]}, tmp_path)
    check_ordinary({**columns, "a": [*map(int, scores)]}, tmp_path)


def test_items_whose_ids_differ_by_rater(tmp_path: Path) -> None:
    a, b = rated(["x", "y", "z"], 40)
    ids = [f"doc_{i:02}" for i in range(40)]
    columns: Columns = {
        "doc": [*ids, *(f"{name}.txt" for name in ids[20:])],
        "a": [*a, *[None] * 20],
        "b": [*b[:20], *[None] * 20, *b[20:]],
    }
    message = "'doc' contains 20 groups of similar names: 'doc_20', 'doc_20.txt'; 'doc_21'"
    for name, source in sources_of(columns, tmp_path).items():
        with pytest.warns(UserWarning, match=message) as warned:
            confusion_from_source(source, "a", "b")
        assert len(warned) == 1, name
    path = tmp_path / "ratings.csv"
    for command in (
        ("score", path, "--y1", "a", "--y2", "b"),
        ("agree", path, "--raters", "a", "b"),
        ("agree", path, "--raters", "a", "b", "--item", "doc"),
    ):
        said = CommandLine(command[0]).run(*command[1:], "--missing", "drop").stderr
        assert message in said
    # Rows that one rater rated twice are different items.
    columns["a"][40:] = a[20:]
    for source in sources_of(columns, tmp_path).values():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            confusion_from_source(source, "a", "b")
