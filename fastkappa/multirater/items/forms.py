"""Recognise a table of counts that was given as ratings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.multirater.items.columns import CHUNK, Rater

# In fewer rows equal sums are too often a coincidence.
FEWEST_ROWS = 3


def look_like_counts(raters: Sequence[Rater]) -> bool:
    """Return whether ratings look like counts of how many raters gave each label.

    They do if there are three rows or more, all ratings are whole numbers of 0 or more, none
    is missing, every row has the same sum, some rating is 0, and some is 2 or more. Ratings
    that start at 1, or are only 0 and 1, never do; others do by chance alone, and less so the
    more the raters agree.
    """
    if raters[0].n_subjects < FEWEST_ROWS or not all(map(_may_be_counts, raters)):
        return False
    total, smallest, largest = None, 1, 1
    for start in range(0, raters[0].n_subjects, CHUNK):
        rows: AnyArray = np.stack(
            [rater.column.values[start : start + CHUNK].astype(np.int64) for rater in raters]
        )
        sums = rows.sum(axis=0)
        total = sums[0] if total is None else total
        smallest, largest = min(smallest, rows.min()), max(largest, rows.max())
        if smallest < 0 or (sums != total).any():
            return False
    return smallest == 0 and largest >= 2


def _may_be_counts(rater: Rater) -> bool:
    column = rater.column
    return rater.missing is None and column.categories is None and column.label_dtype.kind in "iuf"
