"""Compute the most likely proportions with given kappas, for arrays of any shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastkappa.statistics.intervals.constrained import MostLikely
from fastkappa.statistics.intervals.table_constraint import most_likely_tables
from fastkappa.statistics.weights import disagreement_matrix


def constrained_proportions(table: Any, weights: Any, kappa0: Any) -> MostLikely:
    """Return the most likely proportions for (..., l, l) tables and (...) kappas."""
    tables, target = np.asarray(table, float), np.asarray(kappa0, float)
    size = tables.shape[-1]
    stack = np.broadcast_shapes(tables.shape[:-2], target.shape)
    counts = np.broadcast_to(tables, (*stack, size, size))
    found = most_likely_tables(
        counts.reshape(-1, size, size),
        disagreement_matrix(weights, size),
        np.broadcast_to(target, stack).ravel(),
    )
    return MostLikely(
        found.proportions.reshape(counts.shape), found.likelihood_ratio.reshape(stack)
    )
