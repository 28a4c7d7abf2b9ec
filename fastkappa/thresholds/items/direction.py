"""Check that scores rise with the labels."""

from __future__ import annotations

import math
import warnings

import numpy as np

from fastkappa.arrays import AnyArray, Floats
from fastkappa.exceptions import FallingScoresWarning, users_stacklevel

# At most this many evenly spaced items are checked.
MOST_SEEN = 10_000
# The limit for Fisher's z, in standard errors. About 1 in 700 sets of unrelated scores falls below
# this limit.
CLEARLY = -3.0


def warn_if_falling(scores: AnyArray, codes: AnyArray, weights: Floats | None) -> None:
    """Warn if scores clearly fall as labels rise, judging by the correlation in a sample."""
    seen = slice(None, None, -(-len(scores) // MOST_SEEN))
    size = float(len(scores[seen]))
    proportions = np.full(int(size), 1 / size)
    if weights is not None:
        proportions = weights[seen] / weights[seen].sum()
        size = 1 / float(proportions @ proportions)
    if size <= 3:
        return
    largest = float(np.abs(scores[seen]).max()) or 1.0
    x, y = scores[seen].astype(np.float64) / largest, codes[seen].astype(np.float64)
    x, y = x - proportions @ x, y - proportions @ y
    spread = math.sqrt(float(proportions @ x**2) * float(proportions @ y**2))
    if spread == 0:
        return
    # The correlation is kept above -1, because atanh is infinite at -1.
    correlation = max(float(proportions @ (x * y)) / spread, -1 + 1e-15)
    if correlation < 0 and math.atanh(correlation) * math.sqrt(size - 3) < CLEARLY:
        warnings.warn(
            # The text contains no numbers, so that Python can suppress the same warning for other
            # folds.
            "scores fall as labels rise, but thresholds need scores that rise with the labels. If"
            " the order of the labels is right, multiply the scores by -1.",
            FallingScoresWarning,
            stacklevel=users_stacklevel(),
        )
