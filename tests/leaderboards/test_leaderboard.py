"""Leaderboards: ranks, paired intervals, and ids that do not match."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas
import pytest

from fastkappa import agreement, cohen_kappa_score, leaderboard, score_many
from fastkappa.leaderboards.items.alignment import ItemIds
from fastkappa.results import Leaderboard
from tests.helpers.contest import contest


@pytest.mark.parametrize("n_known", [2, 60])
def test_labels_that_come_after_all_were_counted(n_known: int, backend: str) -> None:
    """Another thread writes labels that no item had, for few and for many labels."""
    from fastkappa.kernels.dispatch import get_kernels
    from fastkappa.leaderboards.items import random_groups
    from fastkappa.leaderboards.items.reference import Pair
    from fastkappa.ratings.read import read_columns
    from fastkappa.tables.known_labels import KnownLabels

    rng = np.random.default_rng(5)
    pair = read_columns(*rng.integers(0, n_known + 1, (2, 3000)), ("truth", "prediction"))
    known = KnownLabels(np.arange(n_known), *pair)
    matrix = np.ones((n_known, n_known)) - np.eye(n_known)
    with pytest.raises(RuntimeError, match="ratings were changed while they were being read"):
        random_groups.sum_by_group(
            get_kernels(backend),
            random_groups.ItemGroups(3000, 1000, rng),
            pair[0],
            known,
            [Pair(pair, None, 0)],
            matrix,
            1,
            have_all=True,
        )


def test_a_prediction_whose_type_holds_no_label() -> None:
    truth = np.array([300, 301] * 15)
    options: dict[str, Any] = {"labels": [300, 301], "allow_other_labels": True, "rng": 0}
    with pytest.warns(UserWarning, match="it has no items left to score"):
        board = leaderboard(truth, {"none": np.zeros(30, np.int8), "all": truth.copy()}, **options)
    assert board.names == ("all", "none")
    np.testing.assert_array_equal(board.kappa, [1, np.nan])


def test_a_prediction_of_none_of_the_items_drawn_is_last() -> None:
    """It has 2 of 20 items, which a replicate lacks with probability .9**20, an eighth."""
    truth, few = np.arange(20) % 2, np.full(20, np.nan)
    few[:2] = truth[:2]
    options: dict[str, Any] = {"missing": "drop", "min_coverage": 0.1, "n_resamples": 4000}
    board = leaderboard(truth, {"all": truth, "few": few}, rng=0, **options)
    # Both are first if it has an item: kappa is 1, or undefined because all items agree.
    has_none = 0.9**20
    expected = [(1 - has_none) / 2 + has_none, (1 - has_none) / 2]
    np.testing.assert_allclose(board.proportion_first, expected, atol=0.02)
    assert board.rank_interval.tolist() == [[1, 1], [1, 2]]


def test_one_item_alone_makes_no_significant_difference() -> None:
    """A label of one item is in 63 % of the replicates; in the others, kappa is undefined."""
    truth = np.zeros(60, int)
    truth[0] = 1
    board = leaderboard(truth, {"p": truth.copy(), "q": np.zeros(60, int)}, rng=0)
    assert board.kappa.tolist() == [1, 0]
    assert np.isnan(board.simultaneous_interval).all()
    assert np.isnan(board.difference_interval).all()


@pytest.mark.filterwarnings("ignore:n_resamples=1 is too few")
@pytest.mark.filterwarnings("ignore:prediction 'messy' has 70 labels")
def test_no_prediction_changes_the_interval_of_another() -> None:
    truth = np.random.default_rng(1).integers(0, 3, 300)
    clean, messy = truth.copy(), truth.copy()
    clean[:4] = (clean[:4] + 1) % 3
    messy[:70] = np.arange(170, 100, -1)
    board = leaderboard(truth, {"clean": clean, "messy": messy}, rng=0)
    assert board.interval[0].tolist() == pytest.approx(agreement(truth, clean).interval, abs=1e-9)
    others = {0: [1, 3], 1: [0, 2], 2: [1, 0], 3: [3, 0]}
    board = leaderboard([1, 3], others, labels=range(4), confidence=0.9, n_resamples=1)
    alone = agreement([1, 3], others[1], labels=range(4), confidence=0.9).interval
    assert board.interval[board.names.index(1)].tolist() == pytest.approx(alone, abs=1e-9)


@pytest.mark.parametrize(
    "weights", [None, "quadratic", 1 - np.eye(4)], ids=["none", "quadratic", "matrix"]
)
def test_intervals_are_those_of_agreement(weights: Any) -> None:
    """Percentile intervals are too short for few errors, and have no length without errors."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 600)
    wrong = (truth + 1) % 3
    predictions = {m: np.where(np.arange(600) < m, wrong, truth) for m in (0, 3, 20, 400)}
    # With only two labels, this table is not solved together with others.
    predictions["two"] = np.minimum(truth, 1)
    labels = [0, 1, 2, 3] if isinstance(weights, np.ndarray) else None
    board = leaderboard(truth, predictions, weights=weights, labels=labels, rng=0)
    for name, found in zip(board.names, board.interval):
        alone = agreement(truth, predictions[name], weights=weights, labels=labels)
        assert alone.interval_method == "score"
        assert found.tolist() == pytest.approx(list(alone.interval), abs=1e-9)


@pytest.mark.filterwarnings("ignore:each cluster has one item")
def test_intervals_of_clusters_or_of_many_labels_are_percentiles() -> None:
    rng = np.random.default_rng(3)
    truth = rng.permutation(np.arange(600) % 129)
    prediction = np.where(rng.random(600) < 0.9, truth, 0)
    board = leaderboard(truth, [prediction], rng=0)
    clustered = leaderboard(truth, [prediction], clusters=np.arange(600), rng=0)
    assert board.interval.tolist() == clustered.interval.tolist()
    assert not np.isnan(board.interval).any()


def test_a_prediction_without_an_item_left_is_not_ranked() -> None:
    truth = ["low", "medium", "high"] * 4
    why = (
        "it has no items left to score: 0 without a label, 12 with a predicted label that is not"
        " in labels, and 0 with a true label that is not in labels."
    )
    with pytest.warns(Warning, match=f"1 of 2 predictions cannot.*'none': {why}") as caught:
        board = leaderboard(
            truth,
            {"none": ["x"] * 12, "all": truth},
            labels=["low", "medium", "high"],
            allow_other_labels=True,
            rng=0,
        )
    assert caught[0].filename == __file__
    assert board.names == ("all", "none")
    assert board.failures == (None, why)


@pytest.mark.parametrize("score", [leaderboard, score_many])
def test_a_misspelt_label_is_warned_of(score: Any) -> None:
    truth = ["low", "medium", "high"] * 4
    with pytest.warns(UserWarning, match="no rating equals the label 'med', and 4 items are left"):
        score(truth, {"all": truth}, labels=["low", "med", "high"])


def test_undefined_and_equal_predictions(backend: str) -> None:
    truth = [0, 1, 0, 1, 1, 0, 1, 0]
    result = leaderboard(
        truth, {"b": truth, "a": truth, "worse": [0, 1, 0, 1, 1, 0, 0, 1]}, rng=0, backend=backend
    )
    assert result.names == ("b", "a", "worse")
    assert result.rank.tolist() == [1, 1, 3]
    assert result.proportion_first[0] == result.proportion_first[1]
    assert math.isclose(result.proportion_first.sum(), 1)
    with pytest.warns(Warning, match="undefined for 1 of 2") as caught:
        one_label = leaderboard([1, 1, 1], {"same": [1, 1, 1], "other": [1, 2, 1]}, rng=0)
    assert caught[0].filename == __file__
    assert one_label.names == ("other", "same")
    assert np.isnan(one_label.kappa).tolist() == [False, True]
    assert one_label.rank.tolist() == [1, 0]
    assert [row.rank for row in one_label] == [1, None]


def test_a_replicate_without_a_label_does_not_count_against_who_finds_it() -> None:
    truth = np.repeat([1, 0], [2, 28])
    worse = truth.copy()
    worse[5:15] = 1
    board = leaderboard(truth, {"perfect": truth.copy(), "worse": worse}, rng=0)
    assert board.proportion_first.tolist() == [1, 0]
    assert board.rank_interval.tolist() == [[1, 1], [2, 2]]


@pytest.mark.parametrize("n_resamples", [1, 38])
def test_too_few_replicates_are_warned_of(n_resamples: int) -> None:
    truth, predictions = contest(200, 2)
    with pytest.warns(UserWarning, match=f"={n_resamples} is too few for a 95 % .*least 39") as w:
        leaderboard(truth, predictions, axis=1, n_resamples=n_resamples, rng=0)
    assert {warning.filename for warning in w} == {__file__}
    leaderboard(truth, predictions, axis=1, n_resamples=39, rng=0)


@pytest.mark.parametrize("kind", ["int", "str", "int as float"])
def test_items_are_matched_by_their_ids(kind: str, backend: str) -> None:
    truth, predictions = contest(400, 3)
    ids = np.random.default_rng(3).permutation(10_000)[:400]
    ids = {"int": ids, "str": ids.astype(str), "int as float": ids.astype(float)}[kind]
    expected = leaderboard(truth, predictions, axis=1, rng=1, backend=backend)
    order = np.random.default_rng(4).permutation(400)
    shuffled = {j: (ids[order], p[order]) for j, p in enumerate(predictions)}
    found = leaderboard(truth, shuffled, ids=ids, rng=1, backend=backend)
    assert str(found) == str(expected)
    in_a_list = [(ids.tolist(), predictions[0]), *list(shuffled.values())[1:]]
    assert str(leaderboard(truth, in_a_list, ids=ids, rng=1)) == str(expected)


def test_ids_that_do_not_match_are_counted_and_named(backend: str) -> None:
    truth, (good, bad) = contest(30, 2)
    ids = np.arange(100, 130)
    # 105 and 106 are missing, 107 occurs twice, and 1 (twice) and 2 are unknown ids.
    broken_ids = np.r_[ids[8:], 107, 1, ids[:5], 107, 2, 1]
    place = np.clip(broken_ids - 100, 0, None)
    predictions = {"good": (ids, good), "broken": (broken_ids, bad[place])}
    message = (
        r"ids of prediction 'broken' do not match the ids of the 30 items: 2 missing \(105, 106\),"
        r" 2 extra \(1, 2\), 1 repeated \(107\)"
    )
    with pytest.raises(ValueError, match=message):
        leaderboard(truth, predictions, ids=ids, backend=backend)
    dropping: dict[str, Any] = {"ids": ids, "on_mismatch": "drop", "rng": 0, "backend": backend}
    result = leaderboard(truth, predictions, n_resamples=50, min_coverage=0.9, **dropping)
    row = next(row for row in result if row.name == "broken")
    assert (row.n, row.missing, row.extra, row.repeated) == (27, 2, 2, 1)
    assert (row.coverage, row.rank) == (0.9, 2)
    kept = np.delete(np.arange(30), [5, 6, 7])
    assert row.kappa == cohen_kappa_score(truth[kept], bad[kept])
    assert "missing" in str(result)
    # A prediction without any of the items is last, and the others are ranked.
    nothing = {**predictions, "nothing": ([1, 2], [0, 1])}
    with pytest.warns(Warning, match="'nothing': it has no items left to score: 30 without a"):
        result = leaderboard(truth, nothing, min_coverage=0, **dropping)
    assert result.names[-1] == "nothing"
    assert math.isnan(result.kappa[-1])
    assert result.n[-1] == 0


@pytest.mark.parametrize("seed", range(5))
def test_alignment_against_a_plain_loop(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ids = rng.permutation(40)[:30]
    others = rng.integers(0, 45, 35)
    for convert in (np.asarray, lambda a: a.astype(str), lambda a: a.astype(str).astype(object)):
        mine, theirs = convert(ids), convert(others)
        found = ItemIds(mine, "ids").align(theirs, "others")
        lists = mine.tolist(), theirs.tolist()
        once = [i for i in lists[0] if lists[1].count(i) == 1]
        assert [lists[0][i] for i in found.items] == once
        assert [lists[1][i] for i in found.others] == once
        assert found.missing == [i for i in lists[0] if i not in lists[1]]
        assert found.repeated == [i for i in lists[0] if lists[1].count(i) > 1]
        assert set(found.extra) == set(lists[1]) - set(lists[0])
        assert len(found.extra) == len(set(found.extra))


@pytest.mark.filterwarnings("ignore:.* neither ascending nor descending")
def test_given_labels_leave_items_out(backend: str) -> None:
    truth, predictions = contest(300, 3)
    matrix = [[0, 2, 1], [1, 0, 3], [4, 1, 0]]
    options: dict[str, Any] = {"labels": [3, 1, 4], "backend": backend, "rng": 0}
    options["allow_other_labels"] = True
    for weights in ("quadratic", matrix):
        result = leaderboard(truth, predictions, axis=1, weights=weights, **options)
        for name, kappa, n in zip(result.names, result.kappa, result.n):
            p = predictions[name]
            assert kappa == cohen_kappa_score(truth, p, weights=weights, labels=[3, 1, 4])
            inside = np.isin(truth, [3, 1, 4]), np.isin(p, [3, 1, 4])
            assert n == (inside[0] & inside[1]).sum()
            assert result.other_labels[result.names.index(name)] == (inside[0] & ~inside[1]).sum()


@pytest.mark.filterwarnings("ignore::fastkappa.exceptions.LabelOrderWarning")
def test_late_labels_of_strings(backend: str) -> None:
    """A label used by only one prediction does not change the weights of the others."""
    strings = np.array(["a", "b", "c", "d"])
    truth, predictions = contest(500, 2, 3)
    late = predictions[1].copy()
    late[:9] = 3
    alone = leaderboard(strings[truth], {"x": strings[predictions[0]]}, weights="quadratic", rng=0)
    columns = {"x": strings[predictions[0]], "late": strings[late]}
    both = leaderboard(strings[truth], columns, weights="quadratic", rng=0, backend=backend)
    j = both.names.index("x")
    assert both.kappa[j] == alone.kappa[0]
    np.testing.assert_allclose(both.interval[j], alone.interval[0], rtol=1e-12)


def test_dates_are_labels_too(backend: str) -> None:
    days = np.array(["2025-01-01", "2025-02-01", "2026-01-01"], "datetime64[D]")
    truth, predictions = contest(300, 2, 3)
    months = days.astype("datetime64[M]")
    columns = {"days": days[predictions[0]], "months": months[predictions[1]]}
    ids = np.arange(300)
    by_id = {name: (ids[::-1], column[::-1]) for name, column in columns.items()}
    for result in (
        leaderboard(days[truth], columns, rng=0, backend=backend),
        leaderboard(days[truth], by_id, ids=ids, rng=0, backend=backend),
    ):
        for name, kappa, interval in zip(result.names, result.kappa, result.interval):
            j = list(columns).index(name)
            assert kappa == cohen_kappa_score(truth, predictions[j])
            alone = leaderboard(truth, [predictions[j]], rng=0).interval[0]
            np.testing.assert_allclose(interval, alone, rtol=1e-12)
    with pytest.raises(ValueError, match="a finer unit than y_true"):
        leaderboard(months[truth], columns)


def test_the_result_is_a_table() -> None:
    truth, predictions = contest(2000, 3)
    names = {"<b>bold</b>": predictions[0], "two\nlines": predictions[1], "plain": predictions[2]}
    result = leaderboard(truth, names, rng=0)
    assert isinstance(result, Leaderboard)
    assert len(result) == 3
    lines = str(result).splitlines()
    assert lines[0] == "3 predictions ranked by unweighted kappa; 1000 bootstrap replicates"
    assert [line.split()[0] for line in lines[3:6]] == ["1", "2", "3"]
    assert repr(result) == str(result)
    assert "&lt;b&gt;bold&lt;/b&gt;" in result._repr_html_()
    assert "'two\\nlines'" in str(result)
    fields = json.loads(json.dumps(result.to_dict()))
    assert [row["name"] for row in fields["rows"]] == list(result.names)
    assert [row["kappa"] for row in fields["rows"]] == result.kappa.tolist()
    frame = result.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["kappa"].tolist() == result.kappa.tolist()
    assert frame["high"].tolist() == result.interval[:, 1].tolist()
    with pytest.raises(ValueError, match="read-only"):
        result.kappa[0] = 1
    with pytest.raises(AttributeError):
        result.confidence = 0.5  # type: ignore[misc]
    without = leaderboard(truth, names, n_resamples=0)
    assert np.isnan(without.interval).all()
    assert without.kappa.tolist() == result.kappa.tolist()
    assert "interval" not in str(without)


def test_a_seed_makes_it_repeatable() -> None:
    truth, predictions = contest(5000, 3)
    results = [leaderboard(truth, predictions, axis=1, rng=seed) for seed in (3, 3, 4)]
    assert results[0].to_dict() == results[1].to_dict()
    assert results[0].to_dict() != results[2].to_dict()
    threads = leaderboard(truth, predictions, axis=1, rng=3, num_threads=1, backend="numpy")
    assert threads.to_dict() == results[0].to_dict()


def test_refusals_name_the_argument() -> None:
    truth, ids = [0, 1, 2], [7, 8, 9]
    good = {"a": truth}
    paired = {"a": (ids, truth)}
    refusals: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
        (good, {"ids": ids}, TypeError, r"prediction 'a' must be a pair \(ids, labels\)"),
        (np.zeros((3, 2)), {"ids": ids}, TypeError, "must be a mapping or an iterable of pairs"),
        (paired, {"ids": [7, 8]}, ValueError, r"one id per item of y_true \(3\), got 2"),
        (paired, {"ids": [7, 7, 9]}, ValueError, "ids must be distinct, but .* once: 7"),
        (paired, {"ids": [7, None, 9]}, ValueError, "ids must not contain missing values"),
        (paired, {"ids": [7, 8.5, 9]}, ValueError, "ids must be whole numbers or strings"),
        ({"a": (ids, [1])}, {"ids": ids}, ValueError, r"as many ratings as ids \(3\), got 1"),
        (good, {"on_mismatch": "ignore"}, ValueError, "on_mismatch must be"),
        (good, {"n_resamples": -1}, ValueError, "n_resamples must be a whole number"),
        (good, {"n_resamples": 1.5}, ValueError, "n_resamples must be a whole number"),
        (good, {"confidence": 95}, ValueError, "confidence"),
        (good, {"weights": "cubic"}, ValueError, "weights must be"),
        (good, {"weights": np.ones((3, 3))}, ValueError, "labels must be given if weights is"),
        (good, {"weights": np.ones((3, 3)), "labels": truth}, ValueError, "diagonal"),
        ({}, {}, ValueError, "at least one prediction"),
        ({"a": [1]}, {}, ValueError, "prediction 'a'"),
    ]
    for predictions, options, error, reason in refusals:
        with pytest.raises(error, match=reason):
            leaderboard(truth, predictions, **options)
    with pytest.raises(ValueError, match="at least one item"):
        leaderboard([], {"a": []})


def test_a_prediction_of_items_without_weight_has_no_kappa() -> None:
    """Only this prediction is undefined: kappa of the other is that of the items with weight."""
    truth = np.array([0, 1, 0, 1, 1, 0])
    rated = {"first": [0, 1, 0, None, None, None], "all": [1, 0, 1, 1, 0, 0]}
    weights = [0, 0, 0, 2, 1, 2]
    options: dict[str, Any] = {"missing": "drop", "sample_weight": weights}
    with pytest.warns(UserWarning, match="kappa is undefined for 1 of 2 predictions"):
        board = leaderboard(truth, rated, min_coverage=0.5, rng=0, **options)
    assert board.names == ("all", "first")
    expected = cohen_kappa_score(truth[3:], rated["all"][3:], sample_weight=weights[3:])
    np.testing.assert_allclose(board.kappa, [expected, np.nan])
