"""Rows of ratings that nobody gave, but that might have been given.

The most likely proportions under a hypothesis may have a disagreement that was not seen, so that
a score interval needs the rows that are possible. With many raters or labels these are too many,
and rows of one or two labels stand for them: they are those of least and of most disagreement.
"""

from __future__ import annotations

from itertools import combinations, product
from math import comb

import numpy as np

from fastkappa.arrays import AnyArray

# The most multiplications of a step of Newton's method, of which hard cases need hundreds.
MOST_WORK = 1 << 22
# The most rows that nobody gave: with more, steps become many and short.
MOST_ROWS = 1500


def most_rows(n_features: int) -> int:
    """Return how many rows a score interval can have, 0 or less if it has too many features.

    A step multiplies each row by the square of the features, and solves a system of the features.
    """
    return MOST_WORK // n_features**2 - 2 * n_features


def with_unseen_patterns(
    counts: AnyArray, multiplicities: AnyArray, n_features: int
) -> tuple[AnyArray, AnyArray] | None:
    """Return patterns and those that might have been, with multiplicity 0; None if too many.

    Parameters
    ----------
    counts : ndarray of shape (P, l)
        Distinct patterns.
    multiplicities : ndarray of shape (P,)
    n_features : int
        How many features each has.
    """
    sizes, n_labels = np.unique(counts.sum(axis=1)).tolist(), counts.shape[1]
    most = min(MOST_ROWS, most_rows(n_features) - len(counts))
    if sum(comb(r + n_labels - 1, r) for r in sizes) <= most:
        possible = [_all_patterns(n_labels, r) for r in sizes]
    elif comb(n_labels, 2) * sum(sizes) + n_labels <= most:
        possible = [_of_two_labels(n_labels, r) for r in sizes]
    elif n_labels * len(sizes) <= most:
        possible = [r * np.eye(n_labels, dtype=np.int64) for r in sizes]
    else:
        return None
    return _joined(counts, multiplicities, np.concatenate(possible))


def with_unseen_profiles(
    codes: AnyArray, multiplicities: AnyArray, n_labels: int, n_features: int
) -> tuple[AnyArray, AnyArray] | None:
    """Return profiles and those that might have been, as `with_unseen_patterns` does.

    ``codes`` of shape (P, R) have ``n_labels`` where a rating is missing. Ratings are taken to be
    missing as they are in some profile.
    """
    present = np.unique(codes < n_labels, axis=0)
    n_raters = present.sum(axis=1).tolist()
    most = min(MOST_ROWS, most_rows(n_features) - len(codes))
    if sum(n_labels**r for r in n_raters) <= most:
        made = [list(product(range(n_labels), repeat=r)) for r in n_raters]
    elif sum(n_labels + n_labels * (n_labels - 1) * r for r in n_raters) <= most:
        made = [_one_against_others(n_labels, r) for r in n_raters]
    elif n_labels * len(present) <= most:
        made = [[(k,) * r for k in range(n_labels)] for r in n_raters]
    else:
        return None
    possible = []
    for raters, rows in zip(present, made):
        full = np.full((len(rows), codes.shape[1]), n_labels, codes.dtype)
        full[:, raters] = rows
        possible.append(full)
    return _joined(codes, multiplicities, np.concatenate(possible))


def _all_patterns(n_labels: int, n_ratings: int) -> AnyArray:
    """Return all ways to give so many ratings (stars and bars)."""
    bars = np.array(list(combinations(range(n_ratings + n_labels - 1), n_labels - 1)), np.int64)
    bars = bars.reshape(comb(n_ratings + n_labels - 1, n_ratings), n_labels - 1)
    edges = np.pad(bars, ((0, 0), (1, 1)), constant_values=-1)
    edges[:, -1] = n_ratings + n_labels - 1
    return np.asarray(np.diff(edges, axis=1) - 1)


def _of_two_labels(n_labels: int, n_ratings: int) -> AnyArray:
    """Return the patterns with one or two labels."""
    rows = [n_ratings * np.eye(n_labels, dtype=np.int64)]
    for first, second in combinations(range(n_labels), 2):
        some = np.zeros((n_ratings - 1, n_labels), np.int64)
        some[:, first] = np.arange(1, n_ratings)
        some[:, second] = n_ratings - some[:, first]
        rows.append(some)
    return np.concatenate(rows)


def _one_against_others(n_labels: int, n_raters: int) -> list[tuple[int, ...]]:
    """Return the profiles where all raters agree, or all but one."""
    rows = [(k,) * n_raters for k in range(n_labels)]
    for label, other in product(range(n_labels), repeat=2):
        if label != other:
            rows += [
                tuple(other if i == j else label for i in range(n_raters)) for j in range(n_raters)
            ]
    return rows


def _joined(
    rows: AnyArray, multiplicities: AnyArray, possible: AnyArray
) -> tuple[AnyArray, AnyArray]:
    """Return the rows and those that are possible, sorted: nothing depends on who came first."""
    both = np.concatenate([rows, possible.astype(rows.dtype)])
    distinct, places = np.unique(both, axis=0, return_inverse=True)
    numbers = np.zeros(len(distinct), multiplicities.dtype)
    # The same row may come twice, where a rater has been left out.
    np.add.at(numbers, places.ravel()[: len(rows)], multiplicities)
    return distinct, numbers
