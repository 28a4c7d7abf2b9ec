"""The compiled search for cuts, on each backend that has it, at every SIMD level."""

from __future__ import annotations

import numpy as np

from fastkappa.kernels.contract import PairKernels
from fastkappa.kernels.dispatch import name_of, score_kernels
from fastkappa.shortcuts.loading import cut_search
from fastkappa.thresholds.cuts.cut_programme import Programme, best_cuts


def test_search_cuts(kernels: PairKernels) -> None:
    """It finds the same cuts as the general search, or leaves the search to it."""
    search_cuts = cut_search(score_kernels(kernels))
    if search_cuts is None:
        assert name_of(kernels) == "numpy"
        return
    rng = np.random.default_rng(8)
    n_found = 0
    for _ in range(60):
        n_labels, n_rows = int(rng.integers(2, 6)), int(rng.integers(1, 400))
        table = rng.integers(0, 5, (n_rows, n_labels)) + rng.integers(0, 2, n_labels)
        table += np.rint(np.linspace(0, 3, n_rows)[:, None] * np.arange(n_labels)).astype(int)
        prefix = np.zeros((n_labels, n_rows + 1))
        np.cumsum(table.T, axis=1, out=prefix[:, 1:])
        position = np.arange(n_labels)
        matrix = (position[:, None] - position) ** 2
        general = Programme(prefix[:, -1], matrix)
        expected = best_cuts(general, prefix)
        found = best_cuts(Programme(prefix[:, -1], matrix, search_cuts), prefix)
        assert (found.positions == expected.positions).all()
        assert found.ratio == expected.ratio
        ratio, positions = np.array(general.start), np.empty(n_labels - 1, np.int64)
        rounds = search_cuts(prefix, general.matrix, general.chance, ratio, positions, False)
        n_found += rounds > 0
    assert n_found > 40
