"""Compute coefficients of several raters in exact arithmetic, pair by pair."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

Rows = list[list[int | None]]
Distance = Callable[[int, int], Fraction]


def distance_of(weights: Any, n_labels: int) -> Distance:
    """Return a function for the distance between two label positions, which is at most 1."""
    if weights is None:
        return lambda a, b: Fraction(a != b)
    power = {"linear": 1, "quadratic": 2}[weights]
    return lambda a, b: Fraction(abs(a - b), max(n_labels - 1, 1)) ** power


def _given(row: list[int | None]) -> list[int]:
    return [rating for rating in row if rating is not None]


def _mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def _ratio(observed: Fraction, expected: Fraction) -> Fraction | None:
    return None if expected == 0 else 1 - observed / expected


def observed(rows: Rows, distance: Distance) -> Fraction | None:
    paired = [_given(row) for row in rows if len(_given(row)) > 1]
    if not paired:
        return None
    return _mean([_mean([distance(a, b) for a, b in permutations(row, 2)]) for row in paired])


def proportions(rows: Rows, n_labels: int) -> list[Fraction]:
    rated = [_given(row) for row in rows if _given(row)]
    return [
        _mean([Fraction(row.count(label), len(row)) for row in rated]) for label in range(n_labels)
    ]


def coefficient(name: str, rows: Rows, n_labels: int, weights: Any) -> Fraction | None:
    """Return a coefficient of ratings 0 .. n_labels - 1, or None if it is undefined."""
    distance = distance_of(weights, n_labels)
    labels = range(n_labels)
    if name == "light_kappa":
        pairs = [_cohen(rows, a, b, distance) for a, b in combinations(range(len(rows[0])), 2)]
        return None if None in pairs else _mean([pair for pair in pairs if pair is not None])
    apart, p = observed(rows, distance), proportions(rows, n_labels)
    if apart is None:
        return None
    total = sum((distance(a, b) for a in labels for b in labels), Fraction(0))
    if name == "fleiss_kappa":
        expected = sum((p[a] * p[b] * distance(a, b) for a in labels for b in labels), Fraction(0))
    elif name == "randolph_kappa":
        expected = total / n_labels**2
    elif name == "gwet":
        if n_labels < 2:
            return None
        factor = (n_labels**2 - total) / (n_labels * (n_labels - 1))
        expected = 1 - factor * sum((q * (1 - q) for q in p), Fraction(0))
    else:
        margins = []
        for rater in zip(*rows):
            given = _given(list(rater))
            if not given:
                return None
            margins.append([Fraction(given.count(label), len(given)) for label in labels])
        expected = _mean(
            [
                sum((g[a] * h[b] * distance(a, b) for a in labels for b in labels), Fraction(0))
                for g, h in permutations(margins, 2)
            ]
        )
    return _ratio(apart, expected)


def _cohen(rows: Rows, first: int, second: int, distance: Distance) -> Fraction | None:
    pairs = [
        (row[first], row[second])
        for row in rows
        if row[first] is not None and row[second] is not None
    ]
    if not pairs:
        return None
    apart = _mean([distance(a, b) for a, b in pairs])
    expected = _mean([distance(a, b) for a, _ in pairs for _, b in pairs])
    return _ratio(apart, expected)


def alpha(rows: Rows, level: str, values: list[int]) -> Fraction | None:
    """Return Krippendorff's alpha. The ratings are positions in ``values``, the labels."""
    paired = [_given(row) for row in rows if len(_given(row)) > 1]
    everything = [rating for row in paired for rating in row]
    n = len(everything)

    def distance(a: int, b: int) -> Fraction:
        low, high = min(a, b), max(a, b)
        if level == "nominal":
            return Fraction(a != b)
        if level == "ordinal":
            between = sum(everything.count(label) for label in range(low, high + 1))
            return (between - Fraction(everything.count(a) + everything.count(b), 2)) ** 2
        if level == "interval":
            return Fraction(values[a] - values[b]) ** 2
        total = values[a] + values[b]
        return Fraction(values[a] - values[b], total) ** 2 if total else Fraction(0)

    if not paired:
        return None
    apart = sum(
        (
            sum((distance(a, b) for a, b in permutations(row, 2)), Fraction(0)) / (len(row) - 1)
            for row in paired
        ),
        Fraction(0),
    )
    chance = sum((distance(a, b) for a, b in permutations(everything, 2)), Fraction(0))
    return _ratio(apart / n, chance / (n * (n - 1)))
