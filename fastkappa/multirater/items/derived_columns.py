"""Detect columns that are computed from the raters' columns, such as a consensus or a copy.

Experts also agree with most others, so the names must suggest a summary. A copy can be
recognised from the ratings alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.ratings.doubtful_labels import warn

COMPUTED = re.compile(
    r"(?<![^\W_])(consensus|majority|mode|votes?|adjudicated|mean|average|avg|median|total|sum)"
    r"(?![^\W_])",
    re.IGNORECASE,
)
# With fewer items, a rater often gives the most frequent rating by chance.
FEWEST_ITEMS = 20
# The largest probability that any two raters would always agree.
BY_CHANCE = 1e-3
# The largest number of copies to name.
MOST_COPIES = 3


def warn_of_derived(codes: AnyArray, labels: AnyArray, names: Sequence[str]) -> None:
    """Warn about columns that are computed from other columns, and about copies of columns.

    ``codes`` has one row per rater and one column per item. Each code is the position of the label,
    or the number of labels if the rating is missing.
    """
    if len(names) < 3:
        return
    _warn_of_copies(codes, len(labels), names)
    complete = codes[:, (codes < len(labels)).all(axis=0)]
    if complete.shape[1] >= FEWEST_ITEMS:
        for place, name in enumerate(names):
            if COMPUTED.search(name):
                _warn_of_summary(complete, labels, place, names)


def _warn_of_copies(codes: AnyArray, n_labels: int, names: Sequence[str]) -> None:
    """Warn if two raters always agree, although this is improbable given the other pairs."""
    pairs = list(combinations(range(len(names)), 2))
    both = [(codes[a] < n_labels) & (codes[b] < n_labels) for a, b in pairs]
    n = np.array([rated.sum() for rated in both])
    same = np.array([(codes[a] == codes[b])[rated].sum() for (a, b), rated in zip(pairs, both)])
    others = (same.sum() - same) / np.maximum(n.sum() - n, 1)
    are_many = (n >= FEWEST_ITEMS) & (n < n.sum())
    by_chance = np.where(are_many, len(pairs) * others**n, 1.0)
    for i in np.flatnonzero((same == n) & (by_chance < BY_CHANCE))[:MOST_COPIES]:
        a, b = pairs[i]
        warn(
            f"{names[a]} and {names[b]} have the same rating of each of {n[i]} items, but other"
            f" pairs of raters agree on {others[i]:.0%}: leave out one of them if it is a copy."
        )


def _warn_of_summary(codes: AnyArray, labels: AnyArray, place: int, names: Sequence[str]) -> None:
    """Warn if a column is always a summary of the other columns, on items on which they differ."""
    others = np.delete(codes, place, axis=0)
    same = (others[:, None] == others).sum(axis=0)
    most = same.max(axis=0)
    # An item with a tie for the most frequent rating is not informative.
    tells = (most < len(others)) & ((same == most).sum(axis=0) == most)
    own, others = codes[place, tells], others[:, tells]
    if len(own) < FEWEST_ITEMS:
        return
    follows = {"most frequent": (others == own).sum(axis=0) == most[tells]}
    if labels.dtype.kind in "iuf":
        own, others = labels[own].astype(float), labels[others].astype(float)
        follows["mean"] = abs(own - others.mean(axis=0)) <= 0.5
        follows["sum"] = own == others.sum(axis=0)
    what = next((what for what, is_summary in follows.items() if is_summary.all()), None)
    if what is not None:
        warn(
            f"{names[place]} is the {what} of the other ratings for each of {len(own)} items on"
            " which they differ: leave it out if it is computed from them."
        )
