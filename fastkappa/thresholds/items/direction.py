"""Check that scores separate the labels, and rise with them."""

from __future__ import annotations

import math
import warnings

import numpy as np

from fastkappa.arrays import AnyArray, Floats
from fastkappa.exceptions import FallingScoresWarning, users_stacklevel
from fastkappa.ratings.doubtful_labels import are_ids

# At most this many evenly spaced items are checked.
MOST_SEEN = 10_000
# A warning that scores fall as labels rise requires Fisher's z, in standard errors, to be below
# this limit. Among unrelated scores, about one set in 700 causes a warning.
CLEARLY = -3.0
# With fewer items than this, even good scores can fail to separate the labels by chance.
FEWEST_ITEMS = 20
# The warnings contain no numbers, so that Python can suppress repeated warnings for other folds.
FALLING = (
    "scores fall as labels rise, but thresholds need scores that rise with the labels. If the order"
    " of the labels is right, multiply the scores by -1."
)
ONE_LABEL = (
    "the best thresholds give all items the same label, because the scores do not separate the"
    " labels. Check that the scores are a model's output for these items, not another column."
)

LIKE_IDS = (
    "the scores are distinct whole numbers that do not separate the labels, so they look like ids."
    " Check that the scores are a model's output for these items, not another column."
)


def warn_of_poor_scores(
    scores: AnyArray, codes: AnyArray, weights: Floats | None, thresholds: AnyArray
) -> None:
    """Warn if scores fall as labels rise, if all items get the same label, or if scores are ids."""
    z = _z_of_correlation(scores, codes, weights)
    if z < CLEARLY:
        warnings.warn(FALLING, FallingScoresWarning, stacklevel=users_stacklevel())
        return
    if len(scores) < FEWEST_ITEMS:
        return
    lowest, highest = np.searchsorted(thresholds, [scores.min(), scores.max()], side="right")
    if lowest == highest and (codes != codes[0]).any():
        warnings.warn(ONE_LABEL, UserWarning, stacklevel=users_stacklevel())
    elif z < -CLEARLY and (np.rint(scores) == scores).all():
        n_labels = len(thresholds) + 1
        if are_ids(len(np.unique(scores)), n_labels, len(scores)):
            warnings.warn(LIKE_IDS, UserWarning, stacklevel=users_stacklevel())


def _z_of_correlation(scores: AnyArray, codes: AnyArray, weights: Floats | None) -> float:
    """Return Fisher's z of the correlation of scores and labels in a sample, in standard errors."""
    seen = slice(None, None, -(-len(scores) // MOST_SEEN))
    size = float(len(scores[seen]))
    proportions = np.full(int(size), 1 / size)
    if weights is not None:
        proportions = weights[seen] / weights[seen].sum()
        size = 1 / float(proportions @ proportions)
    if size <= 3:
        return 0.0
    largest = float(np.abs(scores[seen]).max()) or 1.0
    x, y = scores[seen].astype(np.float64) / largest, codes[seen].astype(np.float64)
    x, y = x - proportions @ x, y - proportions @ y
    spread = math.sqrt(float(proportions @ x**2) * float(proportions @ y**2))
    if spread == 0:
        return 0.0
    # Keep the correlation away from -1 and 1, where atanh is infinite.
    most = 1 - 1e-15
    correlation = min(max(float(proportions @ (x * y)) / spread, -most), most)
    return math.atanh(correlation) * math.sqrt(size - 3)
