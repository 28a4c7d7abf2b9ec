"""Define the cases to measure: the number of ratings, their type and their distribution."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

DTYPES = {
    "uint8": (np.uint8, np.uint8),
    "int32": (np.int32, np.int32),
    "int64": (np.int64, np.int64),
    "mixed": (np.uint8, np.int64),
}
SIZES = tuple(10**k for k in range(2, 9))
LABEL_COUNTS = (2, 5, 6, 8, 10, 16, 64, 256, 1000)
# The number of ratings to draw at once. Drawing in chunks needs little memory beyond the arrays
# themselves.
CHUNK = 1 << 20


class Case(NamedTuple):
    """Two raters' ratings of n items, with the labels ``lowest``, ``lowest + 1``, ..."""

    n: int
    dtype: str = "int64"
    n_labels: int = 6
    distribution: str = "ordinal"
    lowest: int = 0

    def __str__(self) -> str:
        highest = self.lowest + self.n_labels - 1
        labels = f"labels {self.lowest}..{highest}"
        return f"n = {self.n:.0e}, {self.dtype}, {labels}, {self.distribution}".replace("e+0", "e")

    @property
    def labels(self) -> list[int]:
        return list(range(self.lowest, self.lowest + self.n_labels))


def make_ratings(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Return both raters' ratings. Every label occurs, so that every contender finds all labels."""
    rng = np.random.default_rng(20260)
    first, second = (np.empty(case.n, dtype) for dtype in DTYPES[case.dtype])
    draw = DISTRIBUTIONS[case.distribution]
    for begin in range(0, case.n, CHUNK):
        end = min(begin + CHUNK, case.n)
        codes = draw(rng, case.n_labels, end - begin)
        for ratings, drawn in zip((first, second), codes):
            ratings[begin:end] = drawn + case.lowest
    somewhere = rng.choice(case.n, case.n_labels, replace=False)
    first[somewhere] = second[somewhere] = case.labels
    return first, second


def _uniform(rng, n_labels, size):
    """Draw pairs of labels, with all pairs equally likely."""
    return rng.integers(0, n_labels, size), rng.integers(0, n_labels, size)


def _skew(rng, n_labels, size):
    """Put a random 90 % of the items in one cell, which slows a histogram down the most."""
    first, second = _uniform(rng, n_labels, size)
    common = rng.random(size) < 0.9
    first[common] = second[common] = 0
    return first, second


def _identical(rng, n_labels, size):
    """Draw the ratings of two raters who always agree."""
    first = rng.integers(0, n_labels, size)
    return first, first


def _ordinal(rng, n_labels, size):
    """Draw two ratings of the severity of each item, with independent errors."""
    severity = rng.standard_normal(size)
    return tuple(
        np.clip(
            (severity + 0.4 * rng.standard_normal(size)) * n_labels / 5 + n_labels / 2,
            0,
            n_labels - 1,
        ).astype(np.int64)
        for _ in range(2)
    )


DISTRIBUTIONS = {
    "uniform": _uniform,
    "skew": _skew,
    "identical": _identical,
    "ordinal": _ordinal,
}


def plain_cases(*, quick: bool) -> list[Case]:
    """Return the cases of the plain timings: a base case, and variants that change one property."""
    usual = Case(10**5 if quick else 10**6)
    if quick:
        other = [usual._replace(n=10**2), usual._replace(distribution="skew")]
        return [usual, *other, usual._replace(lowest=1), usual._replace(dtype="uint8", n_labels=16)]
    cases = [usual]
    cases += [usual._replace(n=n) for n in SIZES]
    cases += [usual._replace(dtype=dtype) for dtype in DTYPES]
    cases += [usual._replace(n=10**8, dtype=dtype) for dtype in ("uint8", "int32")]
    cases += [usual._replace(distribution=distribution) for distribution in DISTRIBUTIONS]
    cases += [usual._replace(lowest=lowest) for lowest in (1, -3)]
    cases += [
        usual._replace(
            dtype="uint8" if n_labels <= 256 else "int32",
            n_labels=n_labels,
            distribution=distribution,
        )
        for n_labels in LABEL_COUNTS
        for distribution in ("uniform", "skew")
    ]
    return list(dict.fromkeys(cases))
