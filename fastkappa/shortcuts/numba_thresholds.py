"""Compute cuts and kappa from tables of scores, with functions compiled by numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, Floats
from fastkappa.kernels.contract import GroupedItems, check_range
from fastkappa.kernels.numba.loops import compile_lazily

MOST_ROUNDS = 100
NONE = np.empty(0)


def search_cuts(
    prefix: Floats,
    matrix: Floats,
    chance: Floats,
    ratio: Floats,
    positions: NDArray[np.int64],
    known: bool,
) -> int:
    """Search for the best cuts; return the number of rounds, or 0 if the general path is needed."""
    n_labels = len(matrix)
    check_range(0, n_labels, matrix.T, chance, prefix)
    check_range(0, 2, ratio)
    check_range(0, n_labels - 1, positions)
    rounds: int = _search(prefix, matrix, chance, ratio, positions, known)
    return rounds


class Evaluator:
    """Compute kappa at given thresholds; see `build_evaluator`.

    Threads can share an evaluator, because a call writes only to its own arrays.
    """

    def __init__(self, items: GroupedItems, matrix: Floats, chance: Floats, total: float) -> None:
        scores, codes, starts, least = items.scores, items.codes, items.starts, items.least
        weights, prefix = NONE if items.weights is None else items.weights, items.prefix
        n_items, n_labels = len(scores), len(matrix)
        check_range(0, n_items, codes, weights if len(weights) else None)
        check_range(0, len(least) + 1, starts, prefix)
        check_range(0, n_labels, matrix.T, prefix.T, chance)
        check_range(int(starts.min()), int(starts.max()), scores)
        check_range(0, int(codes.max(initial=0)) + 1, matrix)
        self._items = (scores, codes, weights, starts, least, prefix, matrix, chance, total)
        self._n_cuts = len(matrix) - 1

    def __call__(self, thresholds: AnyArray) -> float:
        """Return kappa, or NaN if it is undefined. The thresholds can be in any order."""
        thresholds = np.asarray(thresholds, np.float64)
        if thresholds.shape != (self._n_cuts,) or np.isnan(thresholds).any():
            raise ValueError(
                f"thresholds must be {self._n_cuts} numbers other than NaN, got {thresholds}."
            )
        kappa = np.empty(1)
        _kappas(*self._items, np.sort(thresholds)[None], kappa)
        return float(kappa[0])

    def many(self, thresholds: Floats, kappas: Floats) -> None:
        """Write kappa for each row of thresholds to ``kappas``."""
        check_range(0, len(thresholds), kappas)
        _kappas(*self._items, np.sort(thresholds, axis=1), kappas)


def build_evaluator(
    items: GroupedItems, matrix: Floats, chance: Floats, total: float, caller: Any
) -> Evaluator | None:
    """Return an evaluator of kappa at thresholds, or None if there are fewer than two labels.

    All computed sums must be integers that float64 represents exactly. ``caller`` is ignored.
    """
    if len(matrix) < 2:
        return None
    return Evaluator(items, matrix, chance, total)


@compile_lazily
def _search(prefix: Any, matrix: Any, chance: Any, ratio: Any, positions: Any, known: bool) -> Any:
    n_labels, n_places = prefix.shape
    candidates = np.empty(n_labels - 1, np.int64)
    values = np.empty(n_places)
    for rounds in range(1, MOST_ROUNDS + 1):
        for c in range(n_labels - 1):
            for y in range(n_labels):
                here = matrix[y, c] * ratio[1] - ratio[0] * chance[c]
                step = here - (matrix[y, c + 1] * ratio[1] - ratio[0] * chance[c + 1])
                row = prefix[y]
                if y == 0:
                    for j in range(n_places):
                        values[j] = step * row[j]
                else:
                    for j in range(n_places):
                        values[j] += step * row[j]
            place = 0
            for j in range(1, n_places):
                if values[j] < values[place]:
                    place = j
            candidates[c] = place
            if c and place < candidates[c - 1]:
                return 0
        observed = by_chance = 0.0
        for y in range(n_labels):
            below = 0.0
            for c in range(n_labels):
                upto = prefix[y, candidates[c] if c < n_labels - 1 else n_places - 1]
                observed += matrix[y, c] * (upto - below)
                by_chance += chance[c] * (upto - below)
                below = upto
        if by_chance == 0:
            return 0
        if (known or rounds > 1) and observed * ratio[1] >= ratio[0] * by_chance:
            return rounds
        positions[:] = candidates
        ratio[0], ratio[1] = observed, by_chance
    return 0


@compile_lazily
def _kappas(
    scores: Any,
    codes: Any,
    weights: Any,
    starts: Any,
    least: Any,
    prefix: Any,
    matrix: Any,
    chance: Any,
    total: float,
    thresholds: Any,
    kappas: Any,
) -> None:
    n_labels = len(matrix)
    below, upto = np.empty(n_labels), np.empty(n_labels)
    for k in range(len(thresholds)):
        observed = by_chance = 0.0
        below[:] = 0
        for c in range(n_labels):
            group = len(least)
            if c < n_labels - 1:
                group = max(0, np.searchsorted(least, thresholds[k, c]) - 1)
            upto[:] = prefix[group]
            if c < n_labels - 1:
                for i in range(starts[group], starts[group + 1]):
                    if scores[i] < thresholds[k, c]:
                        upto[codes[i]] += weights[i] if len(weights) else 1.0
            for y in range(n_labels):
                observed += matrix[y, c] * (upto[y] - below[y])
                by_chance += chance[c] * (upto[y] - below[y])
            below[:] = upto
        kappas[k] = (by_chance - total * observed) / by_chance if by_chance != 0 else np.nan
