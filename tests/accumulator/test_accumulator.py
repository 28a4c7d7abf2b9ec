"""The accumulator has the same table, however ratings are split, ordered and merged."""

from __future__ import annotations

import copy
import enum
import json
import math
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastkappa import (
    ConfusionAccumulator,
    agreement_from_confusion,
    cohen_kappa_score,
    confusion_counts,
)
from fastkappa.results import SourceCounts
from fastkappa.tables.codecs import NO_LABELS
from fastkappa.tables.tally import Tally

DTYPES = ("int64", "uint8", "int8", "int32", "uint16", "float64", "bool", "uint64")
# Labels that are close together, far apart, and on both sides of 0.
ALPHABETS = ([0, 1], [0, 1, 2, 3, 4, 5], [-3, -1, 4], [0, 50, 100], [-(10**12), 7, 10**15, 8, 9])

# Random batches can look like mistakes, which cause warnings.
doubtful = pytest.mark.filterwarnings(
    "ignore:(y2 seems to be shifted|the ratings contain|some parts seem to use|.* agree on .* only)"
)


def assert_same(accumulator: ConfusionAccumulator, expected: Any) -> None:
    counts = accumulator.counts()
    assert counts.labels.tolist() == expected.labels.tolist()
    assert counts.labels.dtype.kind == expected.labels.dtype.kind
    assert counts.table.dtype == expected.table.dtype
    np.testing.assert_array_equal(counts.table, expected.table)
    assert counts.n_outside == expected.n_outside


@st.composite
def batches(draw: st.DrawFn) -> list[tuple[np.ndarray, np.ndarray]]:
    alphabet = draw(st.sampled_from(ALPHABETS))
    drawn = []
    for n in draw(st.lists(st.sampled_from([0, 1, 3, 40, 3000]), min_size=1, max_size=6)):
        # Later batches can have labels and types that earlier batches do not have.
        labels = np.array(draw(st.lists(st.sampled_from(alphabet), min_size=1, max_size=4)))
        rng = np.random.default_rng(draw(st.integers(0, 1000)))
        pair = []
        for _ in range(2):
            ratings = rng.choice(labels, n)
            held = draw(st.sampled_from(["int64", "int32", "int16", "int8", "uint8"]))
            fits = (ratings.astype(held) == ratings).all()
            pair.append(ratings.astype(held) if fits else ratings)
        drawn.append((pair[0], pair[1]))
    return drawn


def in_one_shot(parts: Any, **options: Any) -> Any:
    y1, y2 = (np.concatenate([np.asarray(part[k], np.int64) for part in parts]) for k in (0, 1))
    return confusion_counts(y1, y2, backend="numpy", **options)


@doubtful
@given(parts=batches(), data=st.data())
def test_any_split_order_and_merge_is_one_shot(parts: Any, data: Any, backend: str) -> None:
    order = data.draw(st.permutations(range(len(parts))))
    accumulators = [ConfusionAccumulator(backend=backend) for _ in range(3)]
    for position in order:
        accumulators[data.draw(st.integers(0, 2))].update(*parts[position])
    total, *others = data.draw(st.permutations(accumulators))
    for other in others:
        total += other
    assert_same(total, in_one_shot(parts))


@doubtful
@given(parts=batches(), data=st.data())
def test_subtracting_undoes(parts: Any, data: Any, backend: str) -> None:
    accumulator = ConfusionAccumulator(backend=backend)
    for part in parts:
        accumulator.update(*part)
    n_gone = data.draw(st.integers(0, len(parts) - 1))
    order = data.draw(st.permutations(range(len(parts))))
    for position in order[:n_gone]:
        if data.draw(st.booleans()):
            accumulator.subtract(*parts[position])
        else:
            other = ConfusionAccumulator(backend=backend)
            other.update(*parts[position])
            accumulator -= other
    assert_same(accumulator, in_one_shot([parts[position] for position in order[n_gone:]]))


@doubtful
@given(parts=batches(), labels=st.sampled_from([[0, 1, 2], [4, -3, 0], [100, 0], [2]]))
def test_given_labels(parts: Any, labels: Any, backend: str) -> None:
    accumulator = ConfusionAccumulator(labels=labels, backend=backend)
    for part in parts:
        accumulator.update(*part)
    assert_same(accumulator, in_one_shot(parts, labels=labels))
    accumulator.subtract(*parts[0])
    if len(parts) > 1:
        assert_same(accumulator, in_one_shot(parts[1:], labels=labels))


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_type_of_rating(dtype: str, backend: str) -> None:
    rng = np.random.default_rng(3)
    y1, y2 = (rng.integers(0, 2, 500).astype(dtype) for _ in range(2))
    accumulator = ConfusionAccumulator(backend=backend)
    for part in range(0, 500, 100):
        accumulator.update(y1[part : part + 100], y2[part : part + 100])
    assert_same(accumulator, confusion_counts(y1, y2, backend="numpy"))


def test_strings_dates_and_long_batches(backend: str) -> None:
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 3, (2, 900))
    dates = np.array(["2024-01-01", "2024-05-01", "2025-01-01"], "datetime64[D]")
    for ratings in (np.array(["no", "perhaps", "yes"])[codes], dates[codes]):
        accumulator = ConfusionAccumulator(backend=backend)
        for part in np.split(ratings, 3, axis=1):
            accumulator.update(*part)
        assert_same(accumulator, confusion_counts(*ratings))
    long = rng.integers(0, 5, (2, (1 << 20) + 1), dtype=np.uint8)
    accumulator = ConfusionAccumulator(backend=backend)
    accumulator.update([7], [1])
    accumulator.update(*long)
    accumulator.subtract([7], [1])
    assert_same(accumulator, confusion_counts(*long))


@given(data=st.data())
def test_float_weights_sum_up_without_rounding(data: Any, backend: str) -> None:
    weight = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e200, max_value=1e200)
    weights = data.draw(st.lists(weight, min_size=2, max_size=30))
    if not any(weights):
        weights[0] = 0.1
    pairs = [data.draw(st.tuples(st.integers(0, 2), st.integers(0, 2))) for _ in weights]
    exact = [[Fraction(0)] * 3 for _ in range(3)]
    for (row, column), given_weight in zip(pairs, weights):
        exact[row][column] += Fraction(given_weight)
    cut = data.draw(st.integers(1, len(weights) - 1))
    accumulator = ConfusionAccumulator(labels=range(3), backend=backend)
    for part in (slice(cut, None), slice(None, cut)):
        y1, y2 = zip(*pairs[part])
        accumulator.update(y1, y2, sample_weight=weights[part])
    assert accumulator.table.tolist() == [[float(cell) for cell in row] for row in exact]
    gone: dict[str, Any] = {"y1": [1, 2], "y2": [0, 0], "sample_weight": [1 / 3, 1e-300]}
    before = accumulator.table
    accumulator.update(**gone)
    accumulator.subtract(**gone)
    np.testing.assert_array_equal(accumulator.table, before)


@pytest.mark.parametrize("weights", [[3, 0, 5, 1, 1, 2], [0.5, 0.25, 3.0, 8.0, 0.0, 1.0]])
def test_weights_without_rounding_are_bit_for_bit_one_shot(weights: Any, backend: str) -> None:
    y1, y2 = [0, 1, 2, 2, 5, 1], [0, 1, 1, 2, 5, 0]
    accumulator = ConfusionAccumulator(backend=backend)
    for i in range(0, 6, 2):
        accumulator.update(y1[i : i + 2], y2[i : i + 2], sample_weight=weights[i : i + 2])
    expected = confusion_counts(y1, y2, sample_weight=weights)
    assert_same(accumulator, expected)
    assert accumulator.kappa() == cohen_kappa_score(y1, y2, sample_weight=weights)
    # An item without a weight has weight 1.
    accumulator.update([5], [5])
    assert accumulator.table[-1, -1] == expected.table[-1, -1] + 1


def test_large_integer_weights() -> None:
    accumulator = ConfusionAccumulator()
    accumulator.update([1, 2], [1, 2], sample_weight=np.array([1 << 62, 3], np.uint64))
    accumulator.update([1, 2], [1, 2], sample_weight=np.array([(1 << 62) - 1, 4]))
    assert accumulator.table.tolist() == [[(1 << 63) - 1, 0], [0, 7]]
    accumulator.update([1], [1], sample_weight=[1])
    with pytest.raises(OverflowError, match="beyond int64"):
        accumulator.counts()
    accumulator.subtract([1], [1], sample_weight=[1])
    assert accumulator.table[0, 0] == (1 << 63) - 1


def test_kappa_and_agreement_at_any_time() -> None:
    y1, y2 = [1, 2, 3, 3, 2, 1], [1, 3, 3, 2, 2, 1]
    accumulator = ConfusionAccumulator()
    with pytest.warns(UserWarning, match="undefined"):
        assert math.isnan(accumulator.kappa())
    for n in range(3, 7):
        part = slice(None if n == 3 else n - 1, n)
        accumulator.update(y1[part], y2[part])
        for weights in (None, "linear", "quadratic"):
            expected = cohen_kappa_score(y1[:n], y2[:n], weights=weights)
            assert accumulator.kappa(weights=weights) == expected
    result = accumulator.agreement(weights="linear")
    assert result.kappa == cohen_kappa_score(y1, y2, weights="linear")
    assert result.labels.tolist() == [1, 2, 3]


def example(labels: Any = None) -> ConfusionAccumulator:
    accumulator = ConfusionAccumulator(labels=labels)
    accumulator.update([0, 1, 2], [0, 2, 2])
    accumulator.update([1, 2, 9], [1, 1, 9], sample_weight=[0.1, 1e-300, 2.0])
    return accumulator


@pytest.mark.parametrize("labels", [None, [2, 1, 0]])
def test_pickle_copy_and_json_hold_everything(labels: Any) -> None:
    accumulator = example(labels)
    for twin in (
        pickle.loads(pickle.dumps(accumulator)),
        copy.deepcopy(accumulator),
        ConfusionAccumulator.from_json(accumulator.to_json()),
        ConfusionAccumulator.from_json(json.dumps(json.loads(accumulator.to_json()))),
    ):
        assert_same(twin, accumulator.counts())
        twin.subtract([1, 2, 9], [1, 1, 9], sample_weight=[0.1, 1e-300, 2.0])
        twin.update([3], [3])
        expected = confusion_counts([0, 1, 2, 3], [0, 2, 2, 3], labels=labels)
        assert_same(twin, expected)


@pytest.mark.parametrize(
    "ratings",
    [[True, False], ["a", "é"], np.array(["2024-01-01", "NaT"], "datetime64[s]")[:1], [1.0, 2.0]],
)
def test_json_holds_labels_of_every_kind(ratings: Any) -> None:
    accumulator = ConfusionAccumulator()
    accumulator.update(ratings, ratings)
    twin = ConfusionAccumulator.from_json(accumulator.to_json())
    assert twin.labels.dtype == accumulator.labels.dtype
    assert_same(twin, accumulator.counts())
    twin += accumulator
    assert int(twin.table.sum()) == 2 * len(ratings)


@pytest.mark.parametrize(
    "change",
    [
        {"version": 1},
        {"counts": [[1]]},
        {"counts": [[1, 0], [0, -1]]},
        {"counts": [[1, 0], [0, 0.5]]},
        {"labels": [1, 1]},
        {"weight_exponent": 10**9},
        {"labels": None},
    ],
)
def test_invalid_json(change: dict[str, Any]) -> None:
    accumulator = ConfusionAccumulator()
    accumulator.update([0, 1], [0, 1])
    fields = {**json.loads(accumulator.to_json())["accumulator"], **change}
    with pytest.raises(ValueError, match="JSON from ConfusionAccumulator"):
        ConfusionAccumulator.from_json(json.dumps({"accumulator": fields}))
    for text in ("", "[]", "{}", "3"):
        with pytest.raises(ValueError, match="JSON from ConfusionAccumulator"):
            ConfusionAccumulator.from_json(text)


@pytest.mark.parametrize("labels", [None, [0, 1]])
def test_a_batch_of_no_items_says_nothing_of_labels(labels: Any) -> None:
    """Later batches of the same type define the labels, so strings are refused after them."""
    accumulator = ConfusionAccumulator(labels=labels)
    accumulator.update(np.empty(0, np.int64), np.empty(0, np.int64))
    accumulator.update(np.array([0, 1]), np.array([0, 1]))
    with pytest.raises(ValueError, match="labels have been numbers so far, got strings"):
        accumulator.update(["a"], ["b"])
    twin = ConfusionAccumulator.from_json(accumulator.to_json())
    assert_same(twin, confusion_counts([0, 1], [0, 1]))


def test_members_of_an_enum_are_given_by_name() -> None:
    class Grade(enum.Enum):
        LOW = "lo"
        HIGH = "hi"

    y1, y2 = [Grade.LOW, Grade.HIGH, Grade.HIGH], [Grade.LOW, Grade.HIGH, Grade.LOW]
    accumulator = ConfusionAccumulator(labels=["HIGH", "LOW"])
    for first, second in zip(y1, y2):
        accumulator.update([first], [second])
    assert accumulator.labels.tolist() == ["HIGH", "LOW"]
    assert accumulator.table.tolist() == [[1, 1], [0, 1]]
    assert accumulator.n_outside == 0


def test_refused_updates_change_nothing() -> None:
    accumulator = example()
    before = accumulator.counts()
    refusals: list[tuple[Any, str]] = [
        (lambda: accumulator.update([1], [1, 2]), "y1 and y2 must have the same length"),
        (lambda: accumulator.update(["a"], ["b"]), "labels have been numbers so far, got strings"),
        (lambda: accumulator.update([1.5], [1.0]), "continuous"),
        (lambda: accumulator.update([1], [1], sample_weight=[np.nan]), "NaN"),
        (lambda: accumulator.subtract([1], [0]), "some of the items passed"),
        (lambda: accumulator.subtract([9], [9], sample_weight=[3.0]), "same ratings and weights"),
        (lambda: accumulator.subtract([77], [77]), "some of the items passed"),
        (lambda: accumulator.merge(ConfusionAccumulator(labels=[0, 1])), "the same labels"),
    ]
    for refused, reason in refusals:
        with pytest.raises(ValueError, match=reason):
            refused()
        assert_same(accumulator, before)
    with pytest.raises(TypeError, match="must be a ConfusionAccumulator, got int"):
        accumulator += 3
    with pytest.raises(ValueError, match="distinct"):
        ConfusionAccumulator(labels=[1, 1])
    with pytest.raises(ValueError, match="num_threads"):
        ConfusionAccumulator(num_threads=0)
    with pytest.raises(ValueError, match="backend"):
        ConfusionAccumulator(backend="fortran")


def test_threads_may_share_one(backend: str) -> None:
    rng = np.random.default_rng(5)
    ratings = rng.integers(0, 40, (2, 200, 500))
    shared = ConfusionAccumulator(backend=backend)

    def feed(i: int) -> None:
        shared.update(ratings[0, i], ratings[1, i])
        if i % 2:
            shared.subtract(ratings[0, i], ratings[1, i])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert not shared.kappa() > 1

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(feed, range(200)))
    even = ratings[:, ::2].reshape(2, -1)
    assert_same(shared, confusion_counts(*even))


def test_a_table_grows_in_place_and_gives_up_a_range(backend: str) -> None:
    from fastkappa.kernels.dispatch import get_kernels

    tally = Tally(get_kernels(backend), (NO_LABELS, NO_LABELS))
    ratings = np.array([5, 6, 5, -2, 10**9, 5], np.int64)
    for stop in range(1, 7):
        tally.add((ratings, ratings), stop - 1, stop)
    counts = tally.finish()
    assert counts.rows.tolist() == [-2, 5, 6, 10**9]
    assert np.diagonal(counts.counts).tolist() == [1, 3, 1, 1]
    assert int(counts.counts.sum()) == 6


def test_an_accumulator_shares_no_array() -> None:
    labels = np.array([1, 2])
    held = ConfusionAccumulator(labels=labels)
    strings = ConfusionAccumulator()
    strings.update(["a"], ["a"])
    labels[0] = held.labels[0] = 7
    strings.table[0, 0] = 9
    assert held.labels.tolist() == [1, 2]
    assert strings.table.tolist() == [[1]]


def test_agreement_reports_the_items_left_out() -> None:
    total = ConfusionAccumulator(labels=range(4))
    total.update([1, 2, 3, None, 2], [1, 2, 2, 1, 9], missing="drop")
    total.update([0, None], [0, None], missing="drop")
    found = total.agreement()
    assert (found.missing, found.n_dropped, found.n_outside, found.n) == ((2, 1), 2, 1, 4)
    saved = agreement_from_confusion(SourceCounts.from_json(total.to_json()))
    assert found.to_dict() == saved.to_dict()
    assert (str(found), found.sentence()) == (str(saved), saved.sentence())
    assert "2 items left out" in str(found)


def test_an_empty_accumulator_has_no_agreement() -> None:
    with pytest.raises(ValueError, match="has no items"):
        ConfusionAccumulator().agreement()


def test_damaged_json() -> None:
    held = ConfusionAccumulator()
    held.update([1, 2], [1, 2])
    text = held.to_json()
    for old, new in (
        ("[1, 2]", "[2, 1]"),
        ("false", '"no"'),
        ("[[1, 0]", f"[[{10**30}, 0]"),
    ):
        assert old in text
        with pytest.raises(ValueError, match="must be JSON"):
            ConfusionAccumulator.from_json(text.replace(old, new))


@pytest.mark.parametrize("labels", [None, range(3)])
def test_tensors(labels: Any) -> None:
    torch = pytest.importorskip("torch")
    y1, y2 = np.random.default_rng(0).integers(0, 3, (2, 300))
    accumulator = ConfusionAccumulator(labels=labels)
    for dtype in (torch.int64, torch.uint8, torch.float32, torch.bfloat16):
        for start in range(0, 300, 60):
            batch = (torch.from_numpy(y[start : start + 60]).to(dtype) for y in (y1, y2))
            accumulator.update(*batch)
    whole = confusion_counts(y1, y2, labels=range(3)).table
    np.testing.assert_array_equal(accumulator.table, 4 * whole)
    tracked = torch.from_numpy(y1.astype(float)).requires_grad_()
    accumulator.update(tracked, torch.from_numpy(y2)[::1])
    accumulator.update(torch.from_numpy(np.repeat(y1, 2))[::2], y2)
    np.testing.assert_array_equal(accumulator.table, 6 * whole)
    with pytest.raises(ValueError, match="y1 and y2 must have the same length"):
        accumulator.update(torch.from_numpy(y1), torch.from_numpy(y2)[:7])


def test_items_that_are_all_outside_the_labels_are_said_to_be() -> None:
    accumulator = ConfusionAccumulator(labels=[1, 2])
    accumulator.update([3, 4], [3, 3])
    with pytest.raises(
        ValueError, match=r"has no items \(items left out because of ratings not in labels: 2\)"
    ):
        accumulator.agreement()


def test_repr_states_the_items_left_out() -> None:
    accumulator = ConfusionAccumulator(labels=[0, 1])
    accumulator.update([0, 1], [0, 1])
    assert repr(accumulator) == "<ConfusionAccumulator: 2 items, 2 labels>"
    accumulator.update([0, 1, 2, None], [0, 3, 1, 2], missing="drop")
    shown = "3 items, 2 labels, 2 outside the labels, 1 missing"
    assert repr(accumulator) == f"<ConfusionAccumulator: {shown}>"
