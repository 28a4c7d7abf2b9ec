"""Divide scored items into folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.ratings.column import read_column
from fastkappa.ratings.label_order import numbers_in_order
from fastkappa.thresholds.items.sorted_scores import SortedScores

# For each fold, the training items and the test items, as indices or as a mask.
Splits: TypeAlias = Sequence[tuple[AnyArray, AnyArray]]


def order_by_label(items: SortedScores) -> NDArray[np.intp]:
    """Return the order of items by label and, within a label, by score.

    Backends differ in how they order items with equal scores. Random draws use this order, because
    it does not depend on the backend.
    """
    if items.weights is None:
        return np.argsort(items.codes, kind="stable")
    return np.lexsort([items.weights, items.scores, items.codes])


def stratified_folds(
    items: SortedScores, n_folds: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Return the fold of each item. The counts of a label in any two folds differ by at most 1."""
    by_label = order_by_label(items)
    n_items = len(by_label)
    if n_items < n_folds:
        raise ValueError(
            f"{n_folds} folds need at least {n_folds} items, got n_samples = {n_items}. Use fewer"
            " folds, or cv=None to skip the out-of-fold kappa."
        )
    shuffled = by_label[np.lexsort([rng.random(n_items), items.codes[by_label]])]
    folds = np.empty(n_items, np.intp)
    folds[shuffled] = np.arange(n_items) % n_folds
    return folds


def clustered_splits(clusters: Any, n_folds: int, rng: np.random.Generator) -> Splits:
    """Return up to ``n_folds`` folds. All items of a cluster are in the same fold."""
    column = read_column(clusters, "groups")
    numbers = numbers_in_order(column.values, column.categories)
    n_clusters = int(numbers.max()) + 1
    if n_clusters < 2:
        raise ValueError("groups must have at least two different values, got one.")
    n_folds = min(n_folds, n_clusters)
    return splits_of((rng.permutation(n_clusters) % n_folds)[numbers], n_folds)


def splits_of(folds: NDArray[np.intp], n_folds: int) -> Splits:
    """Return masks of the training and test items of each fold."""
    return [(folds != fold, folds == fold) for fold in range(n_folds)]
