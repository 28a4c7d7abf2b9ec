"""Find the best thresholds by trying all of them, in exact rational arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise


def exact_kappa(
    table: Sequence[Sequence[Fraction]], weights: Sequence[Sequence[Fraction]]
) -> Fraction | None:
    """Return kappa as defined by Cohen (1968), or None if it is 0 / 0."""
    labels = range(len(table))
    n = sum(map(sum, table))
    rows = [sum(row) for row in table]
    columns = [sum(row[j] for row in table) for j in labels]
    observed = sum(weights[i][j] * table[i][j] for i in labels for j in labels) * n
    expected = sum(weights[i][j] * rows[i] * columns[j] for i in labels for j in labels)
    return None if expected == 0 else 1 - Fraction(observed) / Fraction(expected)


def best_kappa(
    codes: Sequence[int],
    scores: Sequence[float],
    weights: Sequence[Sequence[Fraction]],
    item_weights: Sequence[Fraction],
) -> Fraction | None:
    """Return the highest kappa for any cuts, or None if kappa is undefined for all cuts."""
    n_labels = len(weights)
    distinct = sorted({score for score, w in zip(scores, item_weights) if w})
    # For each possible cut, the total weight per label of the items below the cut.
    below = [[Fraction(0)] * n_labels]
    for score in distinct:
        sums = list(below[-1])
        for code, own, weight in zip(codes, scores, item_weights):
            if own == score and weight:
                sums[code] += weight
        below.append(sums)
    best = None
    for cuts in combinations_with_replacement(range(len(distinct) + 1), n_labels - 1):
        places = [0, *cuts, len(distinct)]
        given = [(below[a], below[b]) for a, b in pairwise(places)]
        table = [[b[y] - a[y] for a, b in given] for y in range(n_labels)]
        kappa = exact_kappa(table, weights)
        if kappa is not None and (best is None or kappa > best):
            best = kappa
    return best
