"""Names and labels of spreadsheets and exports that are taken for others get a word."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastkappa import (
    Ratings,
    agreement,
    agreement_by,
    confusion_counts,
    confusion_from_table,
    fleiss_kappa,
    leaderboard,
)

ALIKE = {
    "Cyrillic and Latin": ("В", "B"),
    "Cyrillic in two cases": ("Важно", "важно"),
    "an en dash": ("1–2", "1-2"),
    "a minus sign": ("a−b", "a-b"),
    "an apostrophe": ("don’t", "don't"),
    "an entity of HTML": ("caf&eacute;", "café"),
    "a text of Excel": ('="01"', "1"),
    "a text in quotes": ('"low"', "low"),
    "a NUL": ("lo\0w", "low"),
    "percent": ("10 %", "10"),
    "a code, a text and both": ("1 - mild", "1", "mild"),
    "a code and its text in two ways": ("1. mild", "1) Mild"),
}
APART = {
    "signs": ("+", "-", "±", "<", ">", "="),
    "ranges": ("1-2", "2-3", "12", "0"),
    "forms": ("10-K", "10", "8-K", "K"),
    "a hierarchy": ("1", "1.a", "1.b", "1.1", "a"),
    "codes with texts": ("1 - mild", "2 - mild", "3 - none"),
    "accents": ("e", "é", "è", "cote", "côté"),
    "units": ("mg", "µg", "%", "5%", "50 %"),
    "Greek letters": ("α", "a", "β", "b"),
    "grades": ("1a", "1b", "2a", "A", "B"),
    "times": ("10:30", "1030", "10"),
}


@pytest.mark.parametrize("labels", ALIKE.values(), ids=ALIKE)
def test_labels_that_look_alike(labels: tuple[str, ...]) -> None:
    with pytest.warns(UserWarning, match="alone, and are counted apart") as caught:
        confusion_counts([*labels, "x"], ["x", *labels])
    (warning,) = caught
    assert str(warning.message).count("(2 times)") == len(labels)


@pytest.mark.parametrize("labels", APART.values(), ids=APART)
def test_labels_that_do_not(labels: tuple[str, ...]) -> None:
    # Given labels are judged for their looks alone.
    confusion_counts(labels, labels, labels=labels)


NAMES = ["North", "north", "south"] * 4
FIRST, SECOND = ["x", "y", "z", "y"] * 3, ["x", "y", "z", "x"] * 3
COLUMNS = {"a": FIRST, "b": SECOND, "where": NAMES}
NAMED = {
    "groups": lambda: agreement_by(FIRST, SECOND, groups=NAMES),
    "clusters": lambda: agreement(FIRST, SECOND, clusters=NAMES),
    "clusters of several raters": lambda: fleiss_kappa(
        Ratings.from_raters([FIRST, SECOND], clusters=NAMES)
    ),
    "clusters of predictions": lambda: leaderboard(
        FIRST, {"one": SECOND}, clusters=NAMES, n_resamples=0
    ),
    "groups of a source": lambda: confusion_from_table(COLUMNS, "a", "b", group="where"),
}


@pytest.mark.parametrize("of_names", NAMED.values(), ids=NAMED)
def test_groups_and_clusters_whose_names_look_alike(of_names: Any) -> None:
    with pytest.warns(UserWarning, match="names that differ in case alone") as caught:
        of_names()
    assert all("'North'" in str(warning.message) for warning in caught)


def _long(items: dict[str, list[str]]) -> Ratings:
    rows = [(item, rater) for rater, rated in items.items() for item in rated]
    names, raters = zip(*rows)
    return Ratings.from_long(item=names, rater=raters, rating=["x", "y"] * (len(rows) // 2))


@pytest.mark.parametrize("other", ["I1", "i1 ", "і1"])
def test_items_that_each_rater_writes_in_another_way(other: str) -> None:
    with pytest.warns(UserWarning, match="item has 1 names that look alike.*Write them alike"):
        ratings = _long({"Ann": ["i1", "i2"], "Ben": [other, "i2"]})
    assert ratings.n_subjects == 3


def test_items_that_a_rater_tells_apart() -> None:
    # "aB" and "ab" are ids of two videos, of which Ann has rated both.
    assert _long({"Ann": ["aB", "ab"], "Ben": ["aB", "cd"]}).n_subjects == 3
    assert _long({"Ann": ["aB", "ab"], "Ben": ["aB", "ab"]}).n_subjects == 2


def test_items_of_a_crowd_need_no_look() -> None:
    rng = np.random.default_rng(0)
    items = np.repeat(np.arange(1000), 3)
    raters = np.concatenate([rng.choice(20, 3, replace=False) for _ in range(1000)])
    names = np.char.add("item ", items.astype(str)).tolist()
    ratings = Ratings.from_long(item=names, rater=raters, rating=items % 3)
    assert ratings.n_subjects == 1000


def test_groups_of_several_raters_in_a_file(tmp_path: Path) -> None:
    pytest.importorskip("typer")
    from tests.helpers.command_line import CommandLine, write_csv

    path = write_csv(tmp_path / "r.csv", **COLUMNS, c=FIRST)
    run = CommandLine("agree").run(path, "--raters", *"abc", "--group", "where")
    assert run.exit_code == 0
    assert "names that differ in case alone" in run.stderr


def _silent(first: Any, second: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        confusion_counts(first, second)
        fleiss_kappa(Ratings.from_raters([first, second, second]))


def test_a_second_line_of_names_is_known_by_its_place() -> None:
    first, second = FIRST * 2, SECOND * 2
    with pytest.warns(UserWarning, match="first item of y1 and y2 has .* 'Ann', 'Ben'"):
        confusion_counts(["Ann", *first], ["Ben", *second])
    with pytest.warns(UserWarning, match="'Response'"):
        confusion_counts(["Response", *first], ["Response", *second])
    # A rare label, whoever gave it: to the first item by both, to the first and another item, to
    # another one than the first, and beside others as rare.
    _silent(["rare", *first], ["rare", *second])
    _silent(["rare", *first, "x"], ["x", *second, "rare"])
    _silent([*first, "rare"], [*second, "odd"])
    _silent(["rare", *first, "odd", "x"], ["seldom", *second, "x", "even"])
    _silent(["rare", *"xyxy"], ["odd", *"xyyy"])


def test_a_row_of_totals_is_known_by_its_numbers() -> None:
    first, second = [0, 1, 2, 1] * 4, [0, 1, 2, 2] * 4
    for sums in ((16, 20), (16.0, 20.0)):
        with pytest.warns(UserWarning, match="sums of all other ratings, 16.* and 20.*leave it"):
            confusion_counts([*first, sums[0]], [*second, sums[1]])
    with pytest.warns(UserWarning, match="16 of rater 1 and 20 of rater 2 and 20 of rater 3"):
        fleiss_kappa(Ratings.from_raters([[*first, 16], [*second, 20], [*second, 20]]))
    # Another number that is far from the others, the sum of one rater alone, counts of lesions.
    _silent([*first, 17], [*second, 20])
    _silent([*first, 16], [*second, 2])
    _silent([0] * 9 + [1, 1, 2], [0] * 9 + [1, 1, 2])
    _silent([0] * 9 + [1, 1, 1, 1, 4], [0] * 9 + [1, 1, 1, 1, 4])
