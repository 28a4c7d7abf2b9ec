"""The bootstrap of a table, compared with resampling items and scipy's BCa intervals."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.stats

from fastkappa import agreement_from_confusion, bootstrap, fleiss_kappa, kappa_from_confusion
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.statistics import bootstrap as module
from fastkappa.statistics.indices import gwet_ac2
from fastkappa.statistics.kappa import kappas

TABLE = np.array([[20, 5, 1], [6, 15, 4], [2, 3, 24]])


def items(table: Any) -> Any:
    """Return the cell of each item."""
    return np.repeat(np.arange(np.size(table)), np.ravel(table))


def kappa_of_cells(cells: Any, weights: Any = None, axis: int = -1) -> Any:
    """Return the kappa of items, in the form that scipy needs for a statistic."""
    cells = np.moveaxis(cells, axis, -1)
    counts = np.stack([(cells == cell).sum(axis=-1) for cell in range(9)], axis=-1)
    return kappa_from_confusion(counts.reshape(*counts.shape[:-1], 3, 3), weights=weights)


@pytest.mark.parametrize("weights", [None, "quadratic"])
@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_intervals_are_those_of_resampled_items(method: Any, weights: Any) -> None:
    peer = scipy.stats.bootstrap(
        (items(TABLE),),
        lambda cells, axis=-1: kappa_of_cells(cells, weights, axis),
        n_resamples=4000,
        method=method,
        rng=np.random.default_rng(1),
    )
    found = bootstrap(TABLE, weights=weights, n_resamples=20_000, method=method, rng=2)
    # Both are random; the ends of such intervals vary by about 0.005.
    assert found.interval == pytest.approx(tuple(peer.confidence_interval), abs=0.012)
    assert found.standard_error == pytest.approx(peer.standard_error, rel=0.06)


def test_replicates_have_the_distribution_of_resampled_items() -> None:
    rng = np.random.default_rng(3)
    cells = rng.choice(items(TABLE), (6000, TABLE.sum()))
    by_item = kappa_of_cells(cells)
    by_table = bootstrap(TABLE, n_resamples=6000, rng=4).replicates
    assert scipy.stats.ks_2samp(by_item, by_table).pvalue > 1e-3


@pytest.mark.parametrize("weights", [None, "linear"])
def test_bca_corrections_are_scipys(weights: Any) -> None:
    """From identical replicates, the interval is the same to the last digits."""
    result = bootstrap(TABLE, weights=weights, n_resamples=2999, rng=5)

    class Replayed:
        def statistic(self, cells: Any, axis: int = -1) -> Any:
            return kappa_of_cells(cells, weights, axis)

    peer = scipy.stats.bootstrap(
        (items(TABLE),),
        Replayed().statistic,
        n_resamples=0,
        bootstrap_result=type("Previous", (), {"bootstrap_distribution": result.replicates})(),
        method="BCa",
    )
    assert result.interval == pytest.approx(tuple(peer.confidence_interval), rel=1e-12)


def test_jackknife_leaves_out_each_item_once() -> None:
    table = np.array([[7, 1, 0], [2, 4, 1], [0, 0, 3]])
    tables, multiplicities = zip(*module._without_items(table, 2))
    values = kappas(np.concatenate(tables), "linear")
    n_alike = np.concatenate(multiplicities)
    assert n_alike.sum() == table.sum()
    cells = items(table)
    one_by_one = [kappa_of_cells(np.delete(cells, i)[None], "linear")[0] for i in range(len(cells))]
    assert sorted(np.repeat(values, n_alike)) == pytest.approx(sorted(one_by_one), rel=1e-15)


def test_example_of_the_statlab() -> None:
    """70 items rated v2 and v1, 30 v1 and v2: kappa -0.724138, about -0.9077 to -0.4966."""
    result = bootstrap([[0, 30], [70, 0]], n_resamples=20_000, method="percentile", rng=6)
    assert round(result.value, 6) == -0.724138
    assert result.interval == pytest.approx((-0.9077, -0.4966), abs=0.02)


def test_any_statistic_of_tables() -> None:
    shapes = []

    def ac1(tables: Any) -> Any:
        shapes.append(tables.shape)
        return gwet_ac2(tables).value

    found = bootstrap(TABLE, statistic=ac1, n_resamples=500, rng=7)
    assert found.value == agreement_from_confusion(TABLE).gwet_ac1
    assert found.interval[0] < found.value < found.interval[1]
    assert all(shape[1:] == (3, 3) for shape in shapes)
    assert bootstrap(TABLE, statistic=lambda t: t[:, 0, 0], n_resamples=39, rng=8).value == 20


def test_a_result_brings_its_weights() -> None:
    for weights in (None, "quadratic", [[0, 1, 3], [2, 0, 1], [4, 1, 0]]):
        result = agreement_from_confusion(TABLE, weights=weights)
        one = bootstrap(result, n_resamples=200, rng=9)
        other = bootstrap(TABLE, weights=weights, n_resamples=200, rng=9)
        assert one.value == result.kappa
        assert one.interval == other.interval
    assert bootstrap(agreement_from_confusion(TABLE), weights="linear", n_resamples=39).value == (
        kappa_from_confusion(TABLE, weights="linear")
    )


def test_a_seed_repeats_and_blocks_do_not_matter() -> None:
    one = bootstrap(TABLE, n_resamples=1000, rng=10)
    assert (bootstrap(TABLE, n_resamples=1000, rng=10).replicates == one.replicates).all()
    rng = np.random.default_rng(10)
    assert (bootstrap(TABLE, n_resamples=1000, rng=rng).replicates == one.replicates).all()
    kappa = module.kappa_statistic(None, 3)
    small = module.bootstrap_counts(TABLE, kappa, 1000, "bca", 0.95, 10, block_cells=9 * 7)
    assert (small.replicates == one.replicates).all()
    assert small.interval == one.interval


def test_memory_is_bounded() -> None:
    import tracemalloc

    table = np.random.default_rng(0).integers(0, 5, (60, 60))
    tracemalloc.start()
    bootstrap(table, n_resamples=2000, rng=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6  # All tables at once would need 58 MB, and the jackknife 104 MB.


def test_many_items_cost_no_more() -> None:
    from time import perf_counter

    def seconds(n: int) -> float:
        start = perf_counter()
        bootstrap(TABLE * n, n_resamples=4000, rng=0)
        return perf_counter() - start

    ratio = np.median([seconds(10**6) / seconds(10**3) for _ in range(7)])
    assert ratio < 3


def test_undefined_replicates_are_counted() -> None:
    result = bootstrap([[9, 1], [0, 0]], n_resamples=2000, method="percentile", rng=11)
    assert result.n_undefined == np.isnan(result.replicates).sum() > 0
    assert result.value == 0
    assert not math.isnan(result.interval[0])


def test_where_nothing_is_defined() -> None:
    for method in ("percentile", "bca"):
        with pytest.warns(undefined_metric_warning(), match="interval is undefined"):
            result = bootstrap([[9, 0], [0, 0]], n_resamples=50, method=method, rng=0)
        assert all(map(math.isnan, (result.value, *result.interval, result.standard_error)))
        assert result.n_undefined == 50


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_where_all_replicates_are_the_same(method: Any) -> None:
    assert bootstrap([[5, 0], [0, 50]], n_resamples=200, method=method, rng=0).interval == (1, 1)


def test_a_result_is_immutable_and_has_a_repr() -> None:
    result = bootstrap(TABLE, n_resamples=99, rng=0)
    with pytest.raises(ValueError, match="read-only"):
        result.replicates[0] = 1
    assert repr(result).startswith("<BootstrapResult: 0.6")
    assert "bca, 99 replicates" in repr(result)


@pytest.mark.parametrize(
    ("table", "arguments", "match"),
    [
        (TABLE, {"method": "normal"}, "method must be 'percentile' or 'bca', got 'normal'"),
        (TABLE, {"n_resamples": 0}, "n_resamples must be a whole number of at least 1, got 0"),
        (TABLE, {"n_resamples": 1.5}, "n_resamples must be .* got 1.5"),
        (TABLE, {"confidence": 1}, "confidence must be .* got 1"),
        (TABLE, {"weights": "cubic"}, "weights must be"),
        (TABLE, {"statistic": lambda t: t[0, 0, 0]}, "statistic must return 1 numbers"),
        (TABLE, {"statistic": lambda t: t}, r"statistic must return .* got an array of shape"),
        (TABLE, {"statistic": lambda t: t[:, 0, 0], "weights": "linear"}, "weights apply only"),
        ([[1, -1], [1, 1]], {}, "negative"),
        ([[1, 0.5], [1, 1]], {}, "whole counts"),
        ([[0, 0], [0, 0]], {}, "must not be empty"),
        ([1, 2], {}, "shape"),
        (np.ones((2, 2, 2)), {}, r"\(l, l\), got \(2, 2, 2\)"),
        ([[2**62, 1], [1, 1]], {}, "fewer than"),
    ],
)
def test_what_is_refused(table: Any, arguments: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        bootstrap(table, **arguments)


def test_a_table_too_small_for_a_jackknife_warns_of_nothing_else() -> None:
    """Without one of its two items, kappa is undefined, so no values remain for the mean."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = bootstrap([[1, 0], [0, 1]], rng=0)
    assert (result.value, result.interval) == (1, (1, 1))
    assert 0.4 < result.n_undefined / 9999 < 0.6


def test_the_sentence_names_the_statistic() -> None:
    result = agreement_from_confusion([[20, 5], [10, 15]])
    drawn = bootstrap(result, n_resamples=99, rng=0)
    assert drawn.sentence().startswith("The 95 % bootstrap interval of kappa was ")
    assert "interval of kappa was" in str(drawn)
    assert "interval of AC1 was" in drawn.sentence(name="AC1")
    other = bootstrap([[20, 5], [10, 15]], statistic=gwet_ac2, n_resamples=99, rng=0)
    assert "interval of the statistic was" in str(other)
    several = fleiss_kappa([[1, 1, 1], [1, 2, 2], [2, 2, 2], [2, 2, 1]])
    assert "interval of Fleiss' kappa was" in str(several.bootstrap(n_resamples=99, rng=0))
    reading = result.interpret("landis-koch")
    assert f"the agreement was {reading.reading}, at least" in reading.sentence()
