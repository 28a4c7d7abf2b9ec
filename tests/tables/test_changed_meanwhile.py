"""If another thread changes ratings during a call, there is an error, never a wrong table.

If a test needs the change at a certain moment, it replaces the function that reads first by one
that changes the ratings at its end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fastkappa
from fastkappa.accumulator.accumulator import ConfusionAccumulator
from fastkappa.kernels.numpy import keys as numpy_keys
from fastkappa.kernels.numpy import pairs as numpy_pairs
from fastkappa.multirater.items import identified
from fastkappa.ratings.column import Column, read_column
from fastkappa.tables import by_group
from fastkappa.tables.by_group import RatedColumn, count_by_cluster, count_by_group
from fastkappa.tables.codecs import LabelMap, LabelRange
from fastkappa.tables.count import count_unknown, tabulate
from fastkappa.tables.known_labels import Encoding
from fastkappa.tables.tally import Tally

CHANGED = "changed while they were being read, perhaps by another thread"
N = 20_000


def ratings(n_labels: int, dtype: Any = np.int64) -> Any:
    return np.random.default_rng(0).integers(0, n_labels, N).astype(dtype)


class Changing:
    """Kernels that change ratings before the call of a given number."""

    def __init__(self, kernels: Any, call: int, change: Callable[[], None]) -> None:
        self._kernels, self._left, self._change = kernels, call, change

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kernels, name)

    def count_pairs(self, *arguments: Any) -> None:
        self._left -= 1
        if self._left == 0:
            self._change()
        self._kernels.count_pairs(*arguments)


def test_a_fraction_among_floats_is_no_endless_loop(kernels: Any) -> None:
    y = ratings(3, np.float64)
    column = read_column(y, "y1")
    changing: Any = Changing(kernels, 1, lambda: y.__setitem__(0, 1.5))
    if "numpy" in kernels.__name__ or "numba" in kernels.__name__:
        # Chunks of floats are truncated to integers: the item is counted as another label.
        assert count_unknown(changing, column, column, 1).counts.sum() == N
        return
    with pytest.raises(RuntimeError, match=CHANGED):
        count_unknown(changing, column, column, 1)


def test_a_label_that_comes_between_labels_and_sums(kernels: Any) -> None:
    y = ratings(3)
    column = read_column(y, "y1")

    class Summing:
        def __getattr__(self, name: str) -> Any:
            return getattr(kernels, name)

        def sum_pairs(self, *arguments: Any) -> None:
            y[7] = 9
            kernels.sum_pairs(*arguments)

    summing: Any = Summing()
    with pytest.raises(RuntimeError, match=CHANGED):
        tabulate(summing, column, column, None, np.ones(N), 1)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_groups_and_labels_looked_up(
    kernels: Any, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    arrays = [ratings(3), ratings(4), ratings(5)]
    # Outside the sample's range: the table is widened, and the items are counted again.
    arrays[place][N // 2 + 1] = 40
    columns = [Column(array, array.dtype) for array in arrays]
    widen = Tally._widen

    def widened(*arguments: Any) -> Any:
        found = widen(*arguments)
        arrays[place][3] = 60
        return found

    monkeypatch.setattr(Tally, "_widen", widened)
    with pytest.raises(RuntimeError, match=CHANGED):
        count_by_group(kernels, *columns, None, 1)


@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize("value", [-1, 999, 1 << 40])
def test_clusters_that_come_while_they_are_counted(
    kernels: Any, monkeypatch: pytest.MonkeyPatch, far: bool, value: int
) -> None:
    clusters = ratings(700) * (10**9 if far else 1)
    rated = Column(np.zeros(N, np.uint8), np.dtype(np.uint8))
    encoding = Encoding(LabelRange(0, 2), np.arange(2))
    cells = by_group._Items._cells

    def changed(self: Any, start: int, stop: int) -> Any:
        clusters[min(start + 1, N - 1)] = value
        return cells(self, start, stop)

    monkeypatch.setattr(by_group._Items, "_cells", changed)
    column, ratings_of = Column(clusters, clusters.dtype), RatedColumn(rated, encoding, 2)
    if far:
        # The clusters were copied earlier, so there is no error.
        assert count_by_cluster(kernels, column, [ratings_of], 1).counts.sum() == N
        return
    with pytest.raises(RuntimeError, match=CHANGED):
        count_by_cluster(kernels, column, [ratings_of], 1)


def test_labels_known_to_be_within(kernels: Any) -> None:
    y = ratings(3, np.uint8)
    clusters = np.arange(N)
    rated = RatedColumn(
        Column(y, y.dtype), Encoding(LabelRange(0, 3), np.arange(3)), 3, is_within=True
    )
    y[5] = 200
    with pytest.raises(RuntimeError, match=CHANGED):
        count_by_cluster(kernels, Column(clusters, clusters.dtype), [rated], 1)


def test_outsiders_of_an_accumulator(kernels: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    backend: Any = kernels.__name__.split(".")[-2]
    accumulator = ConfusionAccumulator(backend=backend)
    y = ratings(3)
    accumulator.update(y, y)
    y[4] = 9

    def change() -> None:
        y[4] = 0

    widen = Tally._widen

    def changed(*arguments: Any) -> Any:
        change()
        return widen(*arguments)

    monkeypatch.setattr(Tally, "_widen", changed)
    with pytest.raises(RuntimeError, match=CHANGED):
        accumulator.update(y, y)


@pytest.mark.parametrize("n_labels", [2, 3, 6, 16])
@pytest.mark.parametrize("dtype", [np.uint8, np.int64])
def test_keys_of_numpy(monkeypatch: pytest.MonkeyPatch, n_labels: int, dtype: Any) -> None:
    """Ratings are judged, then converted to keys: the chunk is counted in the plain way."""
    y = ratings(n_labels, dtype)
    judge = numpy_keys._are_codes

    def judged(values: Any, *limits: Any) -> bool:
        legal = judge(values, *limits)
        y[9] = 200
        return legal

    monkeypatch.setattr(numpy_keys, "_are_codes", judged)
    table = np.zeros((n_labels + 1, n_labels + 1), np.int64)
    numpy_pairs.count_pairs(y, y, (0, 0), table, (0, N))
    assert table.sum() == N
    assert table[-1, -1] == 1


@pytest.mark.parametrize("wide", [False, True])
def test_a_map_of_labels_learns_what_it_looked_at(kernels: Any, wide: bool) -> None:
    labels = LabelMap(np.empty(0, np.int64))
    values = ratings(50)[:200] * (10**9 if wide else 1)
    change = labels.add

    def add(new: Any) -> None:
        change(new)
        values[:] = -77

    labels.add = add  # type: ignore[method-assign]
    with pytest.raises(RuntimeError, match=CHANGED):
        labels.learn(kernels, values)


def test_a_map_of_labels_has_each_label_once(monkeypatch: pytest.MonkeyPatch, kernels: Any) -> None:
    """Test ratings that change to known labels between the look-up and their sorting."""
    labels = LabelMap(np.empty(0, np.int64))
    labels.add(np.arange(10, dtype=np.int64) * 10**9)
    values = ratings(50) * 10**9
    look_up, calls = LabelMap._look_up, []

    def looked_up(self: Any, kernels: Any, given: Any) -> Any:
        found = look_up(self, kernels, given)
        calls.append(given)
        if len(calls) == 1:
            values[:] = 0
        return found

    monkeypatch.setattr(LabelMap, "_look_up", looked_up)
    codes = labels.learn(kernels, values)
    assert len(np.unique(labels.labels())) == labels.n_labels == 10
    assert (codes == 0).all()


@pytest.mark.parametrize("step", [1, 10**12])
@pytest.mark.parametrize("value", [-1, 1 << 62])
def test_items_in_long_form(monkeypatch: pytest.MonkeyPatch, step: int, value: int) -> None:
    items = ratings(1000) * step
    before = items.copy()

    def then_change(function: Any) -> Any:
        def changed(*arguments: Any, **options: Any) -> Any:
            found = function(*arguments, **options)
            items[3] = value
            return found

        return changed

    monkeypatch.setattr(identified.np, "unique", then_change(np.unique))
    monkeypatch.setattr(identified.np, "cumsum", then_change(np.cumsum))
    if step > 1:
        # The numbers were copied earlier, so there is no error.
        numbers, distinct = identified.numbers_of(items)
        np.testing.assert_array_equal(distinct[numbers], before)
        return
    with pytest.raises(RuntimeError, match=CHANGED):
        identified.numbers_of(items)


def test_weights_of_predictions(drop_in_backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from fastkappa.leaderboards.items import many_columns

    y, first, second = ratings(3), ratings(3), ratings(3)
    count = many_columns._count_known

    def changed(*arguments: Any, **options: Any) -> Any:
        second[5] = 8
        return count(*arguments, **options)

    monkeypatch.setattr(many_columns, "_count_known", changed)
    with pytest.raises(RuntimeError, match=CHANGED):
        fastkappa.score_many(y, {"a": first, "b": second}, sample_weight=np.ones(N))


@pytest.mark.parametrize("step", [1, 2, 10**9])
@pytest.mark.parametrize("dtype", [np.int64, np.float64, np.uint64])
@pytest.mark.parametrize("value", [1, 7, (1 << 50) + 200])
def test_ratings_that_change_before_clusters_are_counted(
    monkeypatch: pytest.MonkeyPatch, step: int, dtype: Any, value: int
) -> None:
    """The same for labels that are looked up, and for one between two labels."""
    from fastkappa.two_raters import item_clusters

    y1, y2 = ratings(3, dtype) * dtype(step), ratings(3, dtype) * dtype(step)
    count = item_clusters.count_by_cluster

    def changed(*arguments: Any) -> Any:
        y1[5] = value
        return count(*arguments)

    monkeypatch.setattr(item_clusters, "count_by_cluster", changed)
    if value == step:
        return  # Another label, which appears only after the first pass.
    with pytest.raises(RuntimeError, match=CHANGED):
        fastkappa.agreement(y1, y2, clusters=np.arange(N) // 2)
