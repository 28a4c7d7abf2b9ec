"""Add rows of ratings that are possible but were not observed, for use in score intervals.

The proportions that are most likely under a hypothesis can include rows that were not observed. A
score interval therefore needs all possible rows. With many raters or labels, there are too many
possible rows. In this case, only rows with one or two labels are added, because they have the least
and the most disagreement. With even more raters, only rows in which at most one rater disagrees
with the others are added. If subjects differ in their number of ratings, observed rows are also
added as rows with multiplicity 0, because the most likely rows must include some rows of each size.
"""

from __future__ import annotations

from itertools import combinations, product
from math import comb

import numpy as np

from fastkappa.arrays import AnyArray

# The maximum number of multiplications per step of Newton's method. Difficult cases need hundreds
# of steps.
MOST_WORK = 1 << 22
# The maximum number of unseen rows. With more unseen rows, Newton's method needs many short steps.
MOST_ROWS = 1500


def most_rows(n_features: int) -> int:
    """Return the maximum number of rows, which is 0 or less if there are too many features.

    With k features, each step of Newton's method performs k**2 multiplications per row and solves k
    equations.
    """
    return MOST_WORK // n_features**2 - 2 * n_features


def with_unseen_patterns(
    counts: AnyArray, multiplicities: AnyArray, n_features: int
) -> tuple[AnyArray, AnyArray] | None:
    """Add possible unseen patterns, with multiplicity 0, or return None if there are too many.

    Parameters
    ----------
    counts : ndarray of shape (P, l)
        Distinct patterns.
    multiplicities : ndarray of shape (P,)
        The number of subjects with each pattern.
    n_features : int
        The number of features of a pattern.
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
    return _joined(counts, multiplicities, np.concatenate(possible), len(sizes) > 1)


def with_unseen_profiles(
    codes: AnyArray, multiplicities: AnyArray, n_labels: int, n_features: int
) -> tuple[AnyArray, AnyArray] | None:
    """Add possible unseen profiles, as `with_unseen_patterns` does.

    ``codes`` has shape (P, R) and contains ``n_labels`` for each missing rating. Each unseen
    profile lacks the same raters as some observed profile.
    """
    present = np.unique(codes < n_labels, axis=0)
    n_raters = present.sum(axis=1).tolist()
    most = min(MOST_ROWS, most_rows(n_features) - len(codes))
    if sum(n_labels**r for r in n_raters) <= most:
        made = [list(product(range(n_labels), repeat=r)) for r in n_raters]
    elif sum(n_labels + comb(n_labels, 2) * (2**r - 2) for r in n_raters) <= most:
        made = [_of_one_or_two_labels(n_labels, r) for r in n_raters]
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
    return _joined(codes, multiplicities, np.concatenate(possible), len({*n_raters}) > 1)


def _all_patterns(n_labels: int, n_ratings: int) -> AnyArray:
    """Return all patterns with ``n_ratings`` ratings, enumerated by stars and bars."""
    bars = np.array(list(combinations(range(n_ratings + n_labels - 1), n_labels - 1)), np.int64)
    bars = bars.reshape(comb(n_ratings + n_labels - 1, n_ratings), n_labels - 1)
    edges = np.pad(bars, ((0, 0), (1, 1)), constant_values=-1)
    edges[:, -1] = n_ratings + n_labels - 1
    return np.asarray(np.diff(edges, axis=1) - 1)


def _of_two_labels(n_labels: int, n_ratings: int) -> AnyArray:
    """Return the patterns that contain only one or two distinct labels."""
    rows = [n_ratings * np.eye(n_labels, dtype=np.int64)]
    for first, second in combinations(range(n_labels), 2):
        some = np.zeros((n_ratings - 1, n_labels), np.int64)
        some[:, first] = np.arange(1, n_ratings)
        some[:, second] = n_ratings - some[:, first]
        rows.append(some)
    return np.concatenate(rows)


def _of_one_or_two_labels(n_labels: int, n_raters: int) -> list[tuple[int, ...]]:
    """Return the profiles that contain only one or two distinct labels."""
    pairs = combinations(range(n_labels), 2)
    return sorted({row for pair in pairs for row in product(pair, repeat=n_raters)})


def _one_against_others(n_labels: int, n_raters: int) -> list[tuple[int, ...]]:
    """Return the profiles in which all raters, or all but one, agree."""
    rows = [(k,) * n_raters for k in range(n_labels)]
    for label, other in product(range(n_labels), repeat=2):
        if label != other:
            rows += [
                tuple(other if i == j else label for i in range(n_raters)) for j in range(n_raters)
            ]
    return rows


def _joined(
    rows: AnyArray, multiplicities: AnyArray, possible: AnyArray, are_apart: bool
) -> tuple[AnyArray, AnyArray]:
    """Merge observed and possible rows, or append the possible rows if ``are_apart`` is True.

    Rows are sorted, so their input order does not matter.
    """
    possible = possible.astype(rows.dtype)
    both = rows if are_apart else np.concatenate([rows, possible])
    distinct, places = np.unique(both, axis=0, return_inverse=True)
    numbers = np.zeros(len(distinct), multiplicities.dtype)
    # If a rater was left out, the same row can occur twice.
    np.add.at(numbers, places.ravel()[: len(rows)], multiplicities)
    if not are_apart:
        return distinct, numbers
    return np.concatenate([distinct, possible]), np.pad(numbers, (0, len(possible)))
