"""Labels of a narrow type give the same results as int64, however far apart they are.

The difference of two int8 labels needs nine bits. If it is computed in the type of the labels,
labels more than 127 apart are confused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fastkappa
from fastkappa import ThresholdEvaluator, optimal_thresholds

pytestmark = pytest.mark.usefixtures("drop_in_backend")

N = 60
ENDS = {
    "int8": (-100, 100),
    "uint8": (1, 250),
    "int16": (-30_000, 30_000),
    "int32": (-(2**31), 2**31 - 1),
}


def ratings(dtype: str, seed: int) -> Any:
    """Return both ends of a type and some nearby labels."""
    low, high = ENDS[dtype]
    rng = np.random.default_rng(seed)
    found = rng.choice([low, low + 1, high - 1, high], N, p=[0.4, 0.1, 0.1, 0.4])
    found[:2] = low, high
    return found.astype(dtype)


def kappas(a: Any, b: Any) -> Any:
    return [fastkappa.cohen_kappa_score(a, b, weights=w) for w in (None, "linear", "quadratic")]


def tables(a: Any, b: Any) -> Any:
    weights = np.arange(len(a)).astype(a.dtype) % 100
    return [
        fastkappa.confusion_matrix(a, b).tolist(),
        fastkappa.confusion_matrix(a, b, sample_weight=weights).tolist(),
    ]


def reports(a: Any, b: Any) -> Any:
    by_group = fastkappa.agreement_by(a, b, groups=b[::-1])
    return [
        fastkappa.agreement(a, b, weights="linear").to_dict(),
        fastkappa.agreement(a, b, clusters=b[::-1]).to_dict(),
        by_group.to_dict(),
    ]


def several_raters(a: Any, b: Any) -> Any:
    n = len(a)
    long = fastkappa.Ratings.from_long(
        item=np.tile(np.arange(n).astype(a.dtype), 2),
        rater=np.repeat(a[:2], n),
        rating=np.concatenate([a, b]),
    )
    return [
        fastkappa.krippendorff_alpha(ratings, level=level).value
        for ratings in (np.column_stack([a, b, b[::-1]]), long)
        for level in ("nominal", "ordinal", "interval", "ratio" if a.min() > 0 else "nominal")
    ]


def measurements(a: Any, b: Any) -> Any:
    return [
        fastkappa.measurements.continuous_kappa(a, b),
        fastkappa.measurements.limits_of_agreement(a, b).to_dict(),
        fastkappa.measurements.concordance_correlation(a, b).to_dict(),
        fastkappa.measurements.intraclass_correlation(np.column_stack([a, b])).to_dict(),
    ]


def predictions(a: Any, b: Any) -> Any:
    return fastkappa.score_many(a, np.array([b, b[::-1]]), axis=1).kappas.tolist()


def thresholds(a: Any, b: Any) -> Any:
    evaluator = ThresholdEvaluator(a, b)
    at = evaluator.labels[1:].astype(float)
    found = optimal_thresholds(a, b, method="sort")
    return [found.thresholds.tolist(), found.kappa, evaluator(at), evaluator.confusion(at).tolist()]


CALLS = (kappas, tables, reports, several_raters, measurements, predictions, thresholds)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("dtype", ENDS)
@pytest.mark.filterwarnings("ignore:each step:fastkappa.exceptions.LabelOrderWarning")
def test_ends_of_a_type(call: Callable[[Any, Any], Any], dtype: str) -> None:
    first, second = ratings(dtype, 1), ratings(dtype, 2)
    second[::2] = first[::2]
    wide = first.astype(np.int64), second.astype(np.int64)
    assert repr(call(first, second)) == repr(call(*wide))


@pytest.mark.parametrize("weighted", [False, True])
def test_thresholds_of_labels_across_a_type(weighted: bool) -> None:
    """Labels without gaps are used as codes, and more than 127 of them do not fit in int8."""
    rng = np.random.default_rng(3)
    y = rng.permutation(np.append(np.arange(-100, 101), rng.integers(-100, 101, 200)))
    scores = y + rng.normal(size=len(y))
    given = rng.integers(1, 4, len(y)) if weighted else None
    at = np.arange(-99, 101) - 0.5
    expected = np.zeros((201, 201))
    np.add.at(
        expected, (y + 100, np.searchsorted(at, scores, "right")), 1 if given is None else given
    )
    evaluator = ThresholdEvaluator(y.astype(np.int8), scores, sample_weight=given)
    np.testing.assert_array_equal(evaluator.confusion(at), expected)
    assert evaluator(at) == pytest.approx(
        fastkappa.kappa_from_confusion(expected, weights="quadratic"), abs=1e-12
    )


# Labels of one type, and labels of a narrower type or another sign that equal them except for
# multiples of the range of the narrower type.
TURNED = {
    "uint8": (np.array([300, 301, 302]), np.array([44, 45, 46], np.uint8)),
    "int8": (np.array([200, 201], np.uint8), np.array([-56, -55], np.int8)),
    "uint16": (np.array([65536, 65537]), np.array([0, 1], np.uint16)),
    "int32": (np.array([(1 << 32) - 5, 1 << 32]), np.array([-5, 0], np.int32)),
    "bool": (np.array([256, 257]), np.array([False, True])),
    "some of them": (np.array([300, 301]), np.array([0, 1, 44, 45], np.uint8)),
}


# An accumulator refuses booleans next to other numbers.
@pytest.mark.parametrize("turned", [name for name in TURNED if name != "bool"])
def test_an_accumulator_counts_batches_of_another_type(turned: str) -> None:
    first, second = TURNED[turned]
    total = fastkappa.ConfusionAccumulator()
    for batch in (first, second, second, first, second):
        total.update(batch, batch)
    labels = np.concatenate([first, second.astype(np.int64)])
    assert total.counts().labels.tolist() == sorted(labels.tolist())
    times = dict.fromkeys(first.tolist(), 2) | dict.fromkeys(second.astype(int).tolist(), 3)
    assert total.counts().table.tolist() == np.diag([times[i] for i in sorted(times)]).tolist()
    only = fastkappa.ConfusionAccumulator()
    only.update(first, first)
    with pytest.raises(ValueError, match="can remove only items that were added"):
        only.subtract(second[:2], second[:2])


@pytest.mark.filterwarnings("ignore:.*contains booleans")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("turned", TURNED)
@pytest.mark.filterwarnings("ignore:.* (have no label in common|seems to number the labels)")
def test_predictions_of_another_type(turned: str, weighted: bool) -> None:
    first, second = (np.tile(labels[:2], 50) for labels in TURNED[turned])
    weights = np.ones(100) if weighted else None
    for num_threads in (1, 2):
        found = fastkappa.score_many(
            first, [second] * 9, num_threads=num_threads, sample_weight=weights
        )
        assert found.kappas.tolist() == [0.0] * 9
    board = fastkappa.leaderboard(first, [second] * 9, num_threads=1, n_resamples=50, rng=0)
    assert board.kappa.tolist() == [0.0] * 9
