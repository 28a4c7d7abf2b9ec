"""A prediction for selected items has no rank, unless a lower coverage is allowed."""

from __future__ import annotations

import csv
import io
import json
import re
from contextlib import nullcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastkappa import leaderboard
from tests.helpers.command_line import CommandLine, write_csv
from tests.helpers.exact_kappa import exact_kappa

N = 600
IDS = np.arange(N)
TRUTH = IDS % 3
# Right on two thirds of the items, in each run of six.
FAIR = np.where(IDS % 6 < 4, TRUTH, (TRUTH + 1) % 3)
# The same prediction without its wrong items.
CHOSEN = IDS[IDS % 6 < 4]
MESSAGE = "it has labels for only 400 of the 600 items"


def kappa_of(items: np.ndarray) -> Fraction:
    table = np.zeros((3, 3), int)
    np.add.at(table, (TRUTH[items], FAIR[items]), 1)
    found = exact_kappa(table, None)
    assert found is not None
    return found


def boards(**options: Any) -> Any:
    """Yield the leaderboard of both, matched by position and by id."""
    chosen = np.where(np.isin(IDS, CHOSEN), FAIR, np.nan)
    missing = {"fair": FAIR, "chosen": chosen}
    by_id = {"fair": (IDS, FAIR), "chosen": (CHOSEN, FAIR[CHOSEN])}
    with nullcontext() if options else pytest.warns(UserWarning, match=MESSAGE):
        yield leaderboard(TRUTH, missing, missing="drop", rng=0, **options)
    with nullcontext() if options else pytest.warns(UserWarning, match=MESSAGE):
        yield leaderboard(TRUTH, by_id, ids=IDS, on_mismatch="drop", rng=0, **options)


def test_who_leaves_out_what_is_hard_has_no_rank() -> None:
    for board in boards():
        assert board.names == ("fair", "chosen")
        assert board.rank.tolist() == [1, 0]
        assert board.coverage.tolist() == [1, 400 / 600]
        assert board.kappa[0] == pytest.approx(float(kappa_of(IDS)), abs=1e-15)
        assert np.isnan(board.kappa[1])
        assert MESSAGE in str(board)
        assert "Use min_coverage=0.666 to rank it" in " ".join(str(board).split())


def test_part_of_the_items_is_ranked_where_it_is_enough_and_the_table_says_so() -> None:
    for board in boards(min_coverage=0.6):
        assert board.names == ("chosen", "fair")
        expected = [float(kappa_of(CHOSEN)), float(kappa_of(IDS))]
        assert board.kappa == pytest.approx(expected, abs=1e-15)
        assert board.coverage.tolist() == [400 / 600, 1]
        assert re.search(r"name +.*coverage", str(board))
        assert "66.7 %" in str(board)
        assert "<td>66.7 %</td>" in board._repr_html_()
        assert board.to_frame()["coverage"].tolist() == [400 / 600, 1]
        assert [row["coverage"] for row in board.to_dict()["rows"]] == [400 / 600, 1]


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_csv(Path("truth.csv"), id=IDS, y=TRUTH)
    write_csv(Path("fair.csv"), id=IDS, y=FAIR)
    write_csv(Path("chosen.csv"), id=CHOSEN, y=FAIR[CHOSEN])
    command = CommandLine("leaderboard", "truth.csv", "fair.csv", "chosen.csv")
    options = ("--id", "id", "--target", "y", "--mismatch", "drop")
    result = command.run(*options, "--format", "csv")
    assert result.exit_code == 1
    first, second = csv.DictReader(io.StringIO(result.stdout))
    assert (first["name"], first["rank"], first["coverage"]) == ("fair.csv", "1", "1.0")
    assert (second["rank"], float(second["coverage"])) == ("", 400 / 600)
    known = [row[field] for row in (first, second) for field in ("n", "other_labels", "missing")]
    assert known == ["600", "0", "0", "", "", "200"]
    assert MESSAGE in second["failure"]
    assert "Use --min-coverage 0.666 to rank it" in second["failure"]
    enough = (*options, "--min-coverage", "0.666")
    rows = json.loads(command.text_of(*enough, "--format", "json"))["rows"]
    assert [(row["name"], row["rank"], row["coverage"]) for row in rows] == [
        ("chosen.csv", 1, 400 / 600),
        ("fair.csv", 2, 1),
    ]
    assert "66.7 %" in command.text_of(*enough)
    assert "<td>66.7 %</td>" in command.text_of(*enough, "--format", "html")


def test_unknown_ids_are_to_be_checked_before_part_of_the_items_is_ranked() -> None:
    few = {"few": (IDS + 500, TRUTH), "none": (IDS + 600, TRUTH), "fair": (IDS, FAIR)}
    with pytest.warns(UserWarning, match="cannot be scored"):
        board = leaderboard(TRUTH, few, ids=IDS, on_mismatch="drop", rng=0)
    assert board.names == ("fair", "few", "none")
    why = "and {} of its ids are unknown. Check that matching ids are written the same way, "
    why += "including leading zeros."
    assert board.failures[1:] == (
        f"it has labels for only 100 of the 600 items, {why.format(500)}",
        f"it has a label for none of the 600 items, {why.format(600)}",
    )
    with pytest.raises(ValueError, match=r"500 extra .* Check that matching ids"):
        leaderboard(TRUTH, few, ids=IDS)
    with pytest.raises(ValueError, match=r"2 extra .* Use on_mismatch='drop'"):
        leaderboard(TRUTH, {"most": (IDS + 2, TRUTH)}, ids=IDS)


def test_unlabelled_items_are_no_unknown_ids() -> None:
    blank = np.full(N, np.nan)
    with pytest.warns(UserWarning, match="cannot be scored"):
        board = leaderboard(TRUTH, {"a": (IDS, blank)}, ids=IDS, missing="drop", rng=0)
    assert board.failures == ("it has a label for none of the 600 items.",)


def test_a_coverage_of_exactly_the_least_is_enough() -> None:
    # In floats, 0.07 * 100 is above 7.
    truth, some = np.arange(100) % 2, np.full(100, np.nan)
    some[:7] = truth[:7]
    found = leaderboard(truth, {"a": some}, missing="drop", min_coverage=0.07, rng=0)
    assert (found.n.tolist(), found.rank.tolist()) == ([7], [1])


def test_labels_that_are_allowed_to_be_others_are_covered() -> None:
    found = leaderboard(
        [1, 2, 1, 2], {"a": [1, 2, 1, 9]}, labels=[1, 2], allow_other_labels=True, rng=0
    )
    assert (found.coverage.tolist(), found.other_labels.tolist()) == ([1], [1])


@pytest.mark.parametrize("coverage", [-0.1, 1.1, "all", None, float("nan")])
def test_coverages_that_are_none(coverage: Any) -> None:
    with pytest.raises(ValueError, match=r"min_coverage must be a number from 0 to 1, got"):
        leaderboard([1, 2], {"a": [1, 2]}, min_coverage=coverage)


def test_coverage_below_one_is_not_printed_as_100_percent() -> None:
    truth = np.arange(20_000) % 2
    rated = {"all": truth, "most": np.where(np.arange(20_000) < 5, np.nan, truth)}
    board = leaderboard(truth, rated, missing="drop", min_coverage=0.9, n_resamples=0)
    assert re.search(r"all +1\.0000 .* 100 %", str(board))
    assert re.search(r"most +1\.0000 .* >99\.9 %", str(board))
