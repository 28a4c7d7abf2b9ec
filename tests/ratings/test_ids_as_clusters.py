"""A warning if each cluster has one item, as if the column contained ids: at every entrance."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import fastkappa
from fastkappa import measurements
from tests.helpers.command_line import CommandLine

pytest.importorskip("typer")
pytest.importorskip("pyarrow")

N = 40
RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 3, N)
FIRST, SECOND = (np.where(RNG.random(N) < 0.3, RNG.integers(0, 3, N), TRUTH) for _ in range(2))
SCORES = [TRUTH + RNG.normal(0, 0.3, N) for _ in range(2)]
LONG = {"item": np.tile(np.arange(N), 2), "rater": np.repeat(["a", "b"], N)}
ONE_ITEM = "each cluster has one item.*Check that the clusters are not item ids"
# The entrances of clusters, given the cluster of each of the first n items.
ENTRANCES: dict[str, Callable[[int, Any], Any]] = {
    "agreement": lambda n, c: fastkappa.agreement(FIRST[:n], SECOND[:n], clusters=c),
    "agreement_by": lambda n, c: fastkappa.agreement_by(
        FIRST[:n], SECOND[:n], groups=np.arange(n) % 2, clusters=c
    ),
    "compare_predictions": lambda n, c: fastkappa.compare_predictions(
        FIRST[:n], SECOND[:n], y_true=TRUTH[:n], clusters=c
    ),
    "leaderboard": lambda n, c: fastkappa.leaderboard(
        TRUTH[:n], [FIRST[:n], SECOND[:n]], clusters=c, rng=0
    ),
    "several raters": lambda n, c: fastkappa.fleiss_kappa(
        np.stack([TRUTH, FIRST, SECOND], axis=1)[:n], clusters=c
    ),
    "long form": lambda n, c: fastkappa.Ratings.from_long(
        item=LONG["item"].reshape(2, N)[:, :n].ravel(),
        rater=LONG["rater"].reshape(2, N)[:, :n].ravel(),
        rating=np.concatenate([FIRST[:n], SECOND[:n]]),
        cluster=np.tile(c, 2),
    ),
    "measurements": lambda n, c: measurements.concordance_correlation(
        SCORES[0][:n], SCORES[1][:n], clusters=c
    ),
}


@pytest.mark.parametrize("use", ENTRANCES.values(), ids=ENTRANCES)
@pytest.mark.parametrize("of_type", [int, str, np.uint64])
def test_ids_are_remarked_on(use: Any, of_type: Any) -> None:
    ids = RNG.permutation(N).astype(of_type)
    with pytest.warns(UserWarning, match=ONE_ITEM) as caught:
        use(N, ids)
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize("use", ENTRANCES.values(), ids=ENTRANCES)
def test_clusters_and_few_items_are_not(use: Any) -> None:
    repeated = np.append(np.arange(N - 1), 0)
    for n, clusters in ((N, repeated), (N, repeated * 1000), (N, repeated.astype(str))):
        use(n, clusters)
    use(19, np.arange(19))


def write(folder: Path, columns: dict[str, Any]) -> str:
    path = folder / "items.csv"
    pandas.DataFrame(columns).to_csv(path, index=False)
    return str(path)


LONG_FILE = {**LONG, "value": np.concatenate(SCORES), "grade": np.concatenate([FIRST, SECOND])}
COMMANDS: dict[str, tuple[dict[str, Any], str, list[str]]] = {
    "agree": ({"a": FIRST, "b": SECOND}, "agree", ["--raters", "a", "b"]),
    "agree, several": (
        {"a": FIRST, "b": SECOND, "c": TRUTH},
        "agree",
        ["--raters", "a", "b", "c"],
    ),
    "agree, long": (
        LONG_FILE,
        "agree",
        ["--item", "item", "--rater", "rater", "--rating", "grade"],
    ),
    "thresholds": ({"y": TRUTH, "s": SCORES[0]}, "thresholds", ["--y", "y", "--score", "s"]),
    "measure": ({"a": SCORES[0], "b": SCORES[1]}, "measure", ["--raters", "a", "b"]),
    "measure, long": (
        LONG_FILE,
        "measure",
        ["--item", "item", "--rater", "rater", "--rating", "value"],
    ),
}


@pytest.mark.filterwarnings("default:each cluster has one item")
@pytest.mark.parametrize("name", COMMANDS)
def test_commands_print_it_once(name: str, tmp_path: Path) -> None:
    columns, command, options = COMMANDS[name]
    ids = np.tile(np.arange(N), len(next(iter(columns.values()))) // N)
    path = write(tmp_path, {**columns, "id": ids})
    printed = CommandLine(command).run(path, *options, "--cluster", "id")
    assert printed.exit_code == 0, printed.stderr
    assert printed.stderr.count("each cluster has one item") == 1


@pytest.mark.filterwarnings("default")
def test_clusters_with_one_item_in_each_group_are_clusters(tmp_path: Path) -> None:
    """Both eyes of a patient, and raters who each rated other items than the other raters."""
    eyes = {"eye": np.repeat(["left", "right"], N // 2), "patient": np.tile(np.arange(N // 2), 2)}
    path = write(tmp_path, {"a": SCORES[0], "b": SCORES[1], **eyes})
    options = ("--cluster", "patient", "--group", "eye")
    printed = [CommandLine("measure").run(path, "--raters", "a", "b", *options)]
    path = write(tmp_path, {"a": FIRST, "b": SECOND, "c": TRUTH, **eyes})
    agree = CommandLine("agree").run
    printed += [agree(path, "--raters", *raters, *options) for raters in ("ab", "abc")]
    halves = [np.where(np.arange(N) // 20 == i, one, None) for i, one in enumerate([FIRST, SECOND])]
    path = write(tmp_path, {"a": halves[0], "b": halves[1], "truth": TRUTH})
    options = ("--reference", "truth", "--missing", "drop")
    printed.append(agree(path, "--raters", "a", "b", *options))
    for one in printed:
        assert one.exit_code == 0, one.stderr
        assert "one item" not in one.stderr
