"""Compare cuts in Python integers where float64 cannot tell them apart."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.statistics.tables import whole_numbers

# With more candidates than this, comparing them would take longer than the rest of the search.
MOST_CANDIDATES = 1000


def break_ties_exactly(
    prefix: AnyArray,
    cuts: NDArray[np.intp],
    candidates: list[NDArray[np.intp]],
    weights: AnyArray,
) -> NDArray[np.intp] | None:
    """Return the cuts that minimise O - ratio * C, where ratio is O / C at the given cuts.

    Each cut stays in place or moves to one of its candidate positions. If no other cuts are better,
    the given cuts are returned. If there are too many candidates, None is returned.
    """
    if sum(map(len, candidates)) > MOST_CANDIDATES:
        return None
    candidates = [np.union1d(own, [cut]) for own, cut in zip(candidates, cuts)]
    w = whole_numbers(weights).tolist()
    totals = [int(total) for total in prefix[:, -1]]
    n_labels = len(totals)
    labels = range(n_labels)
    chance = [sum(totals[y] * w[y][c] for y in labels) for c in labels]
    observed, by_chance = _ratio(prefix, cuts, w, chance)

    def value(c: int, position: int) -> int:
        below = [int(count) for count in prefix[:, position]]
        return sum(
            below[y]
            * ((w[y][c] - w[y][c + 1]) * by_chance - observed * (chance[c] - chance[c + 1]))
            for y in labels
        )

    # For each candidate position of the latest cut, the smallest sum of values up to this cut, and
    # the positions of the cuts that attain this sum.
    so_far: list[tuple[int, list[int]]] = [(0, [])]
    for c, own in enumerate(candidates):
        here: list[tuple[int, list[int]]] = []
        for position in own.tolist():
            fitting = [(total, path) for total, path in so_far if not path or path[-1] <= position]
            if fitting:
                total, path = min(fitting)
                here.append((total + value(c, position), [*path, position]))
        so_far = here
    total, path = min(so_far)
    current = sum(value(c, int(position)) for c, position in enumerate(cuts))
    return np.array(path, np.intp) if total < current else cuts


def _ratio(
    prefix: AnyArray, cuts: NDArray[np.intp], w: list[list[int]], chance: list[int]
) -> tuple[int, int]:
    """Return O and C at the given cuts."""
    edges = [0, *cuts.tolist(), prefix.shape[1] - 1]
    observed = by_chance = 0
    for (y, row), c in product(enumerate(prefix), range(len(chance))):
        count = int(row[edges[c + 1]]) - int(row[edges[c]])
        observed += count * w[y][c]
        by_chance += count * chance[c]
    return observed, by_chance
