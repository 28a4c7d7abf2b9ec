"""Columns computed from the raters' columns cause a warning; ordinary raters do not."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastkappa import Ratings, fleiss_kappa, krippendorff_alpha, pairwise_kappa
from tests.helpers.command_line import CommandLine, report_on_nothing, write_csv

RNG = np.random.default_rng(1)
TRUTH = RNG.integers(0, 4, 80)
RATERS = {
    name: np.where(RNG.random(80) < 0.8, TRUTH, RNG.integers(0, 4, 80))
    for name in ("r1", "r2", *"xyz")
}
TABLE = np.stack([*RATERS.values()])
MODE = np.array([np.bincount(ratings).argmax() for ratings in TABLE.T])
MEAN = np.rint(TABLE.mean(axis=0)).astype(int)
DERIVED = {
    "consensus": ("consensus", MODE, "consensus equals the most frequent of the other ratings"),
    "final": ("final", MODE, "final equals the most frequent of the other ratings"),
    "curated": ("CURATION_USER", MODE, "CURATION_USER equals the most frequent of the other"),
    "majority": ("Majority_vote", MODE, "Majority_vote equals the most frequent"),
    "mean": ("mean grade", MEAN, "mean grade equals the mean of the other ratings"),
    "total": ("total", TABLE.sum(axis=0), "total equals the sum of the other ratings"),
    "a copy": ("zeta", RATERS["y"], "y and zeta agree on all 80 items"),
}


def of_columns(columns: dict[str, Any], folder: Path) -> None:
    krippendorff_alpha(Ratings.from_raters(columns))


def of_long(columns: dict[str, Any], folder: Path) -> None:
    ratings = np.concatenate([*columns.values()])
    raters = np.repeat([*columns], len(TRUTH))
    fleiss_kappa(
        Ratings.from_long(
            item=np.tile(np.arange(len(TRUTH)), len(columns)), rater=raters, rating=ratings
        )
    )


def of_frame(columns: dict[str, Any], folder: Path) -> None:
    pairwise_kappa(pytest.importorskip("pandas").DataFrame(columns))


def of_file(columns: dict[str, Any], folder: Path) -> None:
    path = write_csv(folder / "r.csv", **columns)
    run = CommandLine("agree").run(path, "--raters", *columns)
    assert run.exit_code == 0, run.stderr
    if run.stderr:
        warnings.warn(run.stderr, UserWarning, stacklevel=1)


ENTRANCES = [of_columns, of_long, of_frame, of_file]


@pytest.mark.parametrize(("name", "ratings", "match"), DERIVED.values(), ids=DERIVED)
@pytest.mark.parametrize("entrance", ENTRANCES)
def test_columns_that_no_rater_gave(
    entrance: Any,
    name: str,
    ratings: Any,
    match: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    report_on_nothing(monkeypatch)
    with pytest.warns(UserWarning, match=match):
        entrance({**RATERS, name: ratings}, tmp_path)


@pytest.mark.parametrize(
    ("name", "ratings"),
    {
        "another rater": ("total", RATERS["x"][::-1]),
        "an expert": ("expert", MODE),
        "a model": ("model", MODE),
        "a summary": ("summary", MODE),
    }.values(),
)
def test_other_columns_are_silent(name: str, ratings: Any, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        of_columns({**RATERS, name: ratings}, tmp_path)
        # Raters who nearly always agree, and a consensus of two.
        sure = {f"r{i}": np.where(np.arange(80) == i, 0, TRUTH) for i in range(11)}
        of_columns({**sure, "r10": TRUTH, "r1": TRUTH}, tmp_path)
        of_two = np.where(np.arange(80) % 2, RATERS["x"], RATERS["y"])
        of_columns({"a": RATERS["x"], "b": RATERS["y"], "consensus": of_two}, tmp_path)


SOURCES = np.arange(120) % 4
OWN = "all raters agree on all 120 items. Check that each rater rated them"


def _long(sources: Any, n_raters: int) -> dict[str, Any]:
    """Return three ratings of each item, which are all equal to its source."""
    items = np.repeat(np.arange(len(sources)), min(n_raters, 3))
    raters = (items * 3 + np.arange(len(items))) % n_raters
    return {"item": items, "rater": raters, "rating": sources[items]}


@pytest.mark.parametrize("n_raters", [2, 5, 25])
def test_a_property_of_the_items_as_ratings(n_raters: int, tmp_path: Path) -> None:
    columns = _long(SOURCES, n_raters)
    with pytest.warns(UserWarning, match=OWN):
        Ratings.from_long(**columns)
    path = write_csv(tmp_path / "long.csv", **columns)
    options = [text for name in columns for text in (f"--{name}", name)]
    assert OWN in " ".join(CommandLine("agree").run(path, *options).stderr.split())
    if 2 < n_raters < 20:
        with pytest.warns(UserWarning, match=OWN):
            Ratings.from_raters([SOURCES] * n_raters)


@pytest.mark.parametrize(
    "ratings", [SOURCES[:99], np.repeat([0, 1], [400, 19])], ids=["few", "a rare label"]
)
def test_easy_items_are_silent(ratings: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Ratings.from_long(**_long(ratings, 3))
        Ratings.from_raters([ratings] * 3)
        columns = _long(np.append(ratings, SOURCES), 3)
        columns["rating"][-1] = 0
        Ratings.from_long(**columns)
