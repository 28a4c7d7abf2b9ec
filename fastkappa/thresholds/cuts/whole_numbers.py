"""Cuts that doubles cannot tell apart, compared in whole numbers."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.statistics.tables import whole_numbers

# Comparing more would take longer than all the rest.
MOST_PLACES = 1000


def least_in_whole_numbers(
    prefix: AnyArray,
    sizes: NDArray[np.int64],
    cuts: NDArray[np.intp],
    places: list[NDArray[np.intp]],
    weights: AnyArray,
    min_class_size: int,
) -> NDArray[np.intp] | None:
    """Return the cuts that minimise O - ratio * C, the ratio being that of given cuts.

    Each cut is at one of its ``places``. The given cuts come back if there are no better
    ones, and None if there are too many places to compare.
    """
    if sum(map(len, places)) > MOST_PLACES:
        return None
    places = [np.union1d(own, [cut]) for own, cut in zip(places, cuts)]
    w = whole_numbers(weights).tolist()
    totals = [int(total) for total in prefix[:, -1]]
    n_labels = len(totals)
    labels = range(n_labels)
    chance = [sum(totals[y] * w[y][c] for y in labels) for c in labels]
    observed, by_chance = _ratio(prefix, cuts, w, chance)

    def value(c: int, place: int) -> int:
        below = [int(count) for count in prefix[:, place]]
        return sum(
            below[y]
            * ((w[y][c] - w[y][c + 1]) * by_chance - observed * (chance[c] - chance[c + 1]))
            for y in labels
        )

    # The best cuts up to each place of a cut: the items below, their sum, where they are.
    so_far: list[tuple[int, int, list[int]]] = [(0, 0, [])]
    for c, own in enumerate(places):
        here: list[tuple[int, int, list[int]]] = []
        for place in own.tolist():
            items = int(sizes[place])
            fitting = [
                (total, path)
                for before, total, path in so_far
                if before <= items - min_class_size and (not path or path[-1] <= place)
            ]
            if fitting:
                total, path = min(fitting)
                here.append((items, total + value(c, place), [*path, place]))
        so_far = here
    ends = [
        (total, path) for items, total, path in so_far if int(sizes[-1]) - items >= min_class_size
    ]
    total, path = min(ends)
    current = sum(value(c, int(place)) for c, place in enumerate(cuts))
    return np.array(path, np.intp) if total < current else cuts


def _ratio(
    prefix: AnyArray, cuts: NDArray[np.intp], w: list[list[int]], chance: list[int]
) -> tuple[int, int]:
    """Return O and C of cuts."""
    edges = [0, *cuts.tolist(), prefix.shape[1] - 1]
    observed = by_chance = 0
    for (y, row), c in product(enumerate(prefix), range(len(chance))):
        count = int(row[edges[c + 1]]) - int(row[edges[c]])
        observed += count * w[y][c]
        by_chance += count * chance[c]
    return observed, by_chance
