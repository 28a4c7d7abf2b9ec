"""Replicates of sums over groups, and the resulting ranks and intervals."""

from __future__ import annotations

import numpy as np
import pytest

from fastkappa.leaderboards.ranking import (
    draw_groups,
    rank,
    ranks_of,
    resampled_kappas,
)


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("largest", [9, 2**14 - 3, 2**23 - 1])
def test_replicates_of_whole_numbers_are_exact(largest: int, power: int) -> None:
    """Each factor of the quotient is a float64."""
    rng = np.random.default_rng(largest)
    n_groups, m, n_labels = 60, 3, 4
    matrix = np.abs(np.subtract.outer(range(n_labels), range(n_labels))).astype(float) ** power
    (times,) = draw_groups(n_groups, 30, rng)
    weighted = rng.integers(0, largest + 1, (n_groups, m))
    rows = rng.integers(0, largest + 1, (n_groups, 1, n_labels))
    # There are as many items as the rows have.
    columns = rng.permuted(np.repeat(rows, m, axis=1), axis=2)
    sums = [values.astype(float) for values in (weighted, rows, columns)]
    found = resampled_kappas(times, *sums, matrix)
    drawn = times.astype(int).astype(object)
    for i in range(m):
        true, predicted = drawn @ rows[:, 0], drawn @ columns[:, i]
        observed = true.sum(axis=1) * (drawn @ weighted[:, i])
        expected = (true @ matrix.astype(int) * predicted).sum(axis=1)
        if max(*observed, *expected) < 2**53:
            quotients = [float(a) / float(b) for a, b in zip(observed, expected)]
            assert found[:, i].tolist() == [1 - quotient for quotient in quotients]
    assert (largest == 2**23 - 1) == (max(*observed, *expected) >= 2**53)


def test_ranks_and_intervals_of_replicates() -> None:
    kappas = np.array([0.2, np.nan, 0.7, 0.7])
    three = [[0.3, np.nan, 0.6, 0.6], [0.8, 0.1, 0.5, 0.7], [0.1, np.nan, 0.9, 0.8]]
    replicates = np.array([*three * 20, [np.nan] * 4])
    found = rank(kappas, replicates, 0.9)
    assert found.order.tolist() == [2, 3, 0, 1]
    assert found.rank.tolist() == [3, 0, 1, 1]
    assert ranks_of(replicates)[:3].tolist() == [[3, 4, 1, 1], [1, 4, 3, 2], [3, 4, 1, 2]]
    # Two are tied for first in the first replicate, and nobody is first in the last.
    np.testing.assert_allclose(found.proportion_first, [1 / 3, np.nan, 0.5, 1 / 6])
    assert found.rank_interval.tolist() == [[1, 3], [0, 0], [1, 3], [1, 2]]
    np.testing.assert_allclose(found.difference, [-0.5, np.nan, 0, 0])
    expected = np.quantile([0.3, 0.8, 0.1] * 20, [0.05, 0.95])
    np.testing.assert_allclose(found.interval[0], expected)
    # It is undefined in most replicates, so the others are not a representative sample.
    assert np.isnan(found.interval[1]).all()
    assert found.difference_interval[2].tolist() == [0, 0]
    expected = np.quantile([0, 0.2, -0.1] * 20, [0.05, 0.95])
    np.testing.assert_allclose(found.difference_interval[3], expected, atol=1e-15)
