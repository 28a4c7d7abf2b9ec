"""Detect columns that are computed from the raters' columns, such as a consensus or a copy.

Experts also agree with most others, so ratings alone are not enough: the names must also suggest a
summary.
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
# The largest probability that two other raters would always agree.
BY_CHANCE = 1e-4


def warn_of_derived(codes: AnyArray, labels: AnyArray, names: Sequence[str]) -> None:
    """Warn about columns that are computed from other columns, and about copies of columns.

    ``codes`` has one row per rater and one column per item. Each code is the position of the label,
    or the number of labels if the rating is missing.
    """
    computed = [place for place, name in enumerate(names) if COMPUTED.search(name)]
    pairs = [pair for pair in combinations(range(len(names)), 2) if _is_copy(names, *pair)]
    complete = codes[:, (codes < len(labels)).all(axis=0)]
    if len(names) < 3 or complete.shape[1] < FEWEST_ITEMS:
        return
    for place in computed:
        _warn_of_summary(complete, labels, place, names)
    for a, b in pairs:
        _warn_of_copy(complete, a, b, names)


def _is_copy(names: Sequence[str], a: int, b: int) -> bool:
    short, long = sorted((names[a], names[b]), key=len)
    return long.startswith(short)


def _warn_of_copy(codes: AnyArray, a: int, b: int, names: Sequence[str]) -> None:
    """Warn if two raters always agree, although all others often disagree."""
    others = [(codes[i] == codes[j]).mean() for i, j in combinations(range(len(codes)), 2)]
    n_items = codes.shape[1]
    others.remove((codes[a] == codes[b]).mean())
    if (codes[a] == codes[b]).all() and max(others) ** n_items < BY_CHANCE:
        warn(
            f"{names[a]} and {names[b]} have the same rating of each of {n_items} items, but"
            f" other raters agree on {max(others):.0%} of them at most: leave out one of them"
            " if it is a copy."
        )


def _warn_of_summary(codes: AnyArray, labels: AnyArray, place: int, names: Sequence[str]) -> None:
    """Warn if a column is always a summary of the other columns, on items on which they differ."""
    others = np.delete(codes, place, axis=0)
    same = (others[:, None] == others).sum(axis=0)
    most = same.max(axis=0)
    # Items with several most frequent ratings are not informative.
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
