"""The evaluator returns the kappa of the labels that thresholds assign."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from fastkappa import ThresholdEvaluator, kappa_from_confusion, optimal_thresholds
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.kernels.dispatch import get_kernels, score_kernels
from fastkappa.thresholds.items.grouped_scores import ITEMS_WORTH_BINS, MOST_IN_GROUP, group_scores
from fastkappa.thresholds.items.scored_items import read_scored_items

pytestmark = pytest.mark.usefixtures("drop_in_backend")


def some_items(n, n_labels, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_labels, n)
    y[:n_labels] = range(n_labels)
    return y, (y + rng.normal(size=n) * 1.5).round(2).astype(dtype)


def table_of(y, given, n_labels, item_weights=None):
    """Count pairs without the code under test."""
    table = np.zeros((n_labels, n_labels))
    np.add.at(table, (y, given), 1 if item_weights is None else item_weights)
    return table if item_weights is not None else table.astype(int)


def kappa_of(table):
    """Return quadratic kappa in whole numbers."""
    n = len(table)
    weights = np.subtract.outer(np.arange(n), np.arange(n)) ** 2
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    by_chance = int((weights * np.multiply.outer(rows, columns)).sum())
    observed = int((weights * table).sum()) * int(table.sum())
    return (by_chance - observed) / by_chance if by_chance else math.nan


@pytest.mark.parametrize("weights", [None, "linear", "quadratic", "whole", "fractions"])
@pytest.mark.parametrize("items", ["ones", "whole", "fractions"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kappa_and_table(weights, items, dtype):
    rng = np.random.default_rng(1)
    for n, n_labels in ((7, 2), (64, 3), (500, 5)):
        y, scores = some_items(n, n_labels, dtype)
        if weights in ("whole", "fractions"):
            matrix = rng.integers(1, 9, (n_labels, n_labels)) * (1 - np.eye(n_labels, dtype=int))
            given_weights = matrix if weights == "whole" else matrix / 7
        else:
            given_weights = weights
        item_weights = {
            "ones": None,
            "whole": rng.integers(1, 5, n),
            "fractions": rng.random(n) + 0.1,
        }[items]
        evaluator = ThresholdEvaluator(y, scores, weights=given_weights, sample_weight=item_weights)
        thresholds = rng.normal(n_labels / 2, 2, (20, n_labels - 1)).round(1)
        thresholds[0] = -math.inf
        thresholds[1] = math.inf
        thresholds[2] = scores[: n_labels - 1]
        many = evaluator.many(thresholds)
        assert many.shape == (20,)
        for row, kappa in zip(thresholds, many):
            given = np.searchsorted(np.sort(row), scores.astype(np.float64), side="right")
            table = table_of(y, given, n_labels, item_weights)
            np.testing.assert_allclose(evaluator.confusion(row), table, rtol=1e-12)
            assert evaluator.confusion(row).min() >= 0
            expected = kappa_from_confusion(table, weights=given_weights)
            if items != "fractions":
                assert evaluator.confusion(row).dtype == np.int64
            assert evaluator(row) == pytest.approx(expected, abs=1e-12)
            assert kappa == pytest.approx(expected, abs=1e-12)
            if items != "fractions" and weights != "fractions":
                assert evaluator(row) == expected


SHAPES = {
    "smooth": lambda rng, n: rng.normal(size=n),
    "far away": lambda rng, n: rng.standard_cauchy(n),
    "one in two": lambda rng, n: np.where(rng.random(n) < 0.5, 0.25, rng.normal(size=n)),
    "few": lambda rng, n: rng.normal(size=n).round(1),
    "one": lambda rng, n: np.full(n, -0.0),
    "tiny": lambda rng, n: rng.normal(size=n) * 5e-324 * 1e4,
    "in order": lambda rng, n: np.sort(rng.normal(size=n)),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, ">f8"])
@pytest.mark.parametrize("weighted", [False, True])
def test_many_items(shape, dtype, weighted):
    rng = np.random.default_rng(3)
    n, n_labels = ITEMS_WORTH_BINS + 7, 4
    scores = SHAPES[shape](rng, n).astype(dtype)
    y = np.where(rng.random(n) < 0.3, rng.integers(0, n_labels, n), scores > np.median(scores))
    item_weights = rng.integers(1, 4, n) if weighted else None
    evaluator = ThresholdEvaluator(y, scores, labels=range(n_labels), sample_weight=item_weights)
    thresholds = rng.choice(scores, (25, n_labels - 1)).astype(np.float64)
    thresholds[:10] += rng.normal(size=(10, n_labels - 1)) * 0.01
    thresholds[0] = [-math.inf, math.inf, 0]
    for row, kappa in zip(thresholds, evaluator.many(thresholds)):
        given = np.searchsorted(np.sort(row), scores.astype(np.float64), side="right")
        table = table_of(y, given, n_labels, item_weights).astype(int)
        assert (evaluator.confusion(row) == table).all()
        expected = kappa_of(table)
        assert (kappa, evaluator(row)) == pytest.approx(
            (expected, expected), nan_ok=True, rel=1e-14
        )
    again = pickle.loads(pickle.dumps(evaluator))
    assert (again.confusion(thresholds[3]) == evaluator.confusion(thresholds[3])).all()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("threads", [1, 2])
def test_groups(shape, threads):
    rng = np.random.default_rng(5)
    kernels = get_kernels()
    for n in (1, 63, 64, 65, 1000, 300_000):
        scores, y = SHAPES[shape](rng, n), rng.integers(0, 3, n)
        item_weights = rng.integers(1, 9, n)
        items = read_scored_items(kernels, y, scores, range(3), item_weights, threads)
        groups = group_scores(score_kernels(kernels), items, threads)
        assert (groups.starts[0], groups.starts[-1]) == (0, n)
        sizes = np.diff(groups.starts)
        assert (sizes.min() > 0, sizes.max() <= MOST_IN_GROUP) == (True, True)
        assert (
            np.maximum.reduceat(groups.scores, groups.starts[:-1])[:-1] <= groups.least[1:]
        ).all()
        assert (np.minimum.reduceat(groups.scores, groups.starts[:-1]) == groups.least).all()
        given = np.lexsort((item_weights, y, scores))
        held = np.lexsort((groups.weights, groups.codes, groups.scores))
        for own, column in (
            (scores, groups.scores),
            (y, groups.codes),
            (item_weights, groups.weights),
        ):
            assert (own[given] == column[held]).all()
        for label in range(3):
            of_label = np.where(groups.codes == label, groups.weights, 0)
            assert (
                groups.prefix[:, label] == np.append(0, np.cumsum(of_label))[groups.starts]
            ).all()


def test_agrees_with_the_optimum():
    y, scores = some_items(3000, 5)
    evaluator = ThresholdEvaluator(y, scores)
    best = optimal_thresholds(y, scores)
    assert evaluator(best.thresholds) == best.kappa
    assert (evaluator.confusion(best.thresholds) == best.table).all()
    others = best.thresholds + np.random.default_rng(0).normal(size=(500, 4)) * 0.1
    assert evaluator.many(others).max() <= best.kappa


def test_thresholds_of_any_kind():
    y, scores = some_items(100, 3, np.float32)
    evaluator = ThresholdEvaluator(y, scores)
    expected = evaluator(np.array([0.5, 1.5]))
    descending = np.array([1.5, 0.5])
    read_only = np.array([0.5, 1.5])
    read_only.flags.writeable = False
    strided = np.array([0.5, 9, 1.5, 9])[::2]
    for thresholds in (
        [0.5, 1.5],
        (1.5, 0.5),
        descending,
        read_only,
        strided,
        *(descending.astype(dtype) for dtype in ("f4", ">f4", ">f8", "g", object)),
        np.ma.array(descending),
    ):
        assert evaluator(thresholds) == expected
        assert evaluator.many([thresholds])[0] == expected
    assert evaluator(np.array([2, 0], np.int8)) == evaluator([2.0, 0.0])
    # Between two neighbouring float32 numbers, only the upper one is not below.
    y, scores = [0, 1], np.array([1, np.nextafter(np.float32(1), np.float32(2))], np.float32)
    evaluator = ThresholdEvaluator(y, scores)
    assert evaluator([1 + 1e-8]) == evaluator([1 + 1.1e-7]) == 1
    assert evaluator.confusion([1 + 1e-8]).tolist() == [[1, 0], [0, 1]]
    assert evaluator([1.0]) == 0


def test_labels():
    evaluator = ThresholdEvaluator(["b", "a", "b"], [1, 2, 0], labels=["b", "a"])
    assert evaluator.labels.tolist() == ["b", "a"]
    assert evaluator([1.5]) == 1
    assert len(evaluator.many(np.empty((0, 1)))) == 0


def test_single_label():
    evaluator = ThresholdEvaluator([3, 3, 3], [1.0, 2.0, 3.0])
    assert math.isnan(evaluator([]))
    assert evaluator.confusion([]).tolist() == [[3]]
    evaluator = ThresholdEvaluator([1, 1], [1.0, 2.0], labels=[0, 1])
    assert math.isnan(evaluator([0.0]))
    assert evaluator([1.5]) == 0
    with pytest.warns(undefined_metric_warning()):
        assert math.isnan(kappa_from_confusion(evaluator.confusion([0.0])))


def test_it_can_be_pickled():
    y, scores = some_items(200, 4)
    evaluator = ThresholdEvaluator(y, scores)
    again = pickle.loads(pickle.dumps(evaluator))
    assert again([0.5, 1.5, 2.5]) == evaluator([0.5, 1.5, 2.5])


@pytest.mark.parametrize(
    ("thresholds", "message"),
    [
        ([0.5], r"thresholds must have the shape \(2,\).* got \(1,\)"),
        ([0.5, 1, 2], r"thresholds must have the shape \(2,\).* got \(3,\)"),
        ([[0.5, 1.5]], r"thresholds must have the shape \(2,\).* got \(1, 2\)"),
        ([0.5, math.nan], "thresholds must not contain NaN"),
        (np.ma.masked_array([0.5, 1.5], mask=[0, 1]), "thresholds must not have masked entries"),
    ],
)
def test_bad_thresholds(thresholds, message):
    evaluator = ThresholdEvaluator([0, 1, 2], [0.0, 1.0, 2.0])
    for call in (evaluator, evaluator.confusion):
        with pytest.raises(ValueError, match=message):
            call(thresholds)


def test_bad_many():
    evaluator = ThresholdEvaluator([0, 1, 2], [0.0, 1.0, 2.0])
    with pytest.raises(ValueError, match=r"thresholds must have the shape \(m, 2\).* got \(2,\)"):
        evaluator.many([0.5, 1.5])
    with pytest.raises(ValueError, match="must not contain NaN"):
        evaluator.many([[0.5, math.nan]])


def test_bad_items():
    with pytest.raises(ValueError, match="scores must be finite, got nan at position 1"):
        ThresholdEvaluator([0, 1], [0.0, math.nan])
    with pytest.raises(ValueError, match="y_true and scores"):
        ThresholdEvaluator([0, 1], [0.0])
    with pytest.raises(ValueError, match="weights must be"):
        ThresholdEvaluator([0, 1], [0.0, 1.0], weights="cubic")
