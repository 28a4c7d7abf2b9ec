"""Store distinct patterns of ratings. A pattern lists how many raters gave each label.

counts          (P, l)    the number of raters who gave each label, one row per pattern
multiplicities  (..., P)  the number of subjects with each pattern; one row per resample in a stack
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, Floats
from fastkappa.multirater.statistics.unseen import with_unseen_patterns

# The number of entries per block when patterns are converted to floats. A block uses 8 MB.
BLOCK = 1 << 20


class Patterns:
    """The distinct patterns, and the number of subjects with each pattern.

    Parameters
    ----------
    counts : ndarray of shape (P, l)
        The number of raters who gave each label. Patterns without a rating are left out.
    multiplicities : ndarray of shape (P,)
        The number of subjects with each pattern.
    """

    def __init__(self, counts: AnyArray, multiplicities: AnyArray) -> None:
        n_ratings = counts.sum(axis=1, dtype=np.int64)
        rated = n_ratings > 0
        if not rated.all():
            counts, multiplicities, n_ratings = (
                array[rated] for array in (counts, multiplicities, n_ratings)
            )
        self.counts, self.multiplicities, self.n_ratings = counts, multiplicities, n_ratings

    @property
    def n_labels(self) -> int:
        """The number of labels."""
        return int(self.counts.shape[1])

    @cached_property
    def paired(self) -> NDArray[np.bool_]:
        """A mask of the patterns with at least two ratings."""
        paired: NDArray[np.bool_] = self.n_ratings >= 2
        return paired

    def with_unseen(self, n_features: int) -> Patterns | None:
        """Return these patterns and all possible unseen patterns, or None if there are too many."""
        found = with_unseen_patterns(self.counts, self.multiplicities, n_features)
        return None if found is None else Patterns(*found)

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Yield slices of the rows, each with the counts in these rows as floats."""
        step = max(1, BLOCK // max(self.n_labels, 1))
        for start in range(0, len(self.counts), step):
            rows = slice(start, start + step)
            yield rows, self.counts[rows].astype(np.float64)

    def sums(self, factors: AnyArray) -> Floats:
        """Multiply each row of counts by its factor, and return the sum of all rows.

        The result has the shape (..., l).
        """
        parts = (factors[..., rows] @ counts for rows, counts in self.blocks())
        return sum(parts, np.zeros((*factors.shape[:-1], self.n_labels)))

    def products(self, values: AnyArray) -> Floats:
        """Return, for each pattern, the sum of its counts multiplied by the labels' ``values``."""
        parts = [counts @ values for _, counts in self.blocks()]
        return np.concatenate(parts) if parts else np.empty(0)

    def distances(self, between: Floats) -> Floats:
        """Return, for each pattern, the sum of the distances over its ordered pairs of ratings."""
        parts = [((counts @ between) * counts).sum(axis=1) for _, counts in self.blocks()]
        return np.concatenate(parts) if parts else np.empty(0)

    def proportions(self, multiplicities: AnyArray) -> Floats:
        """Return the proportion of each label within subjects, averaged over subjects."""
        n_subjects = multiplicities.sum(axis=-1, keepdims=True)
        return np.asarray(self.sums(multiplicities / self.n_ratings) / n_subjects)
