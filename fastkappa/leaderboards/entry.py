"""The row of one prediction before the leaderboard is ranked."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from fastkappa.leaderboards.items.reference import Pair
from fastkappa.ratings.lengths import CHECK_IDS, share_few_ids


class Entry(NamedTuple):
    """One prediction and its kappa."""

    name: Any
    kappa: float = float("nan")
    n: int = 0
    coverage: float = 0.0
    missing: int = 0
    extra: int = 0
    repeated: int = 0
    other_labels: int = 0
    failure: str | None = None
    score_interval: tuple[float, float] = (float("nan"), float("nan"))


def too_few_items(name: Any, read: Pair, n_items: int, min_coverage: float) -> Entry | None:
    """Return the entry of a prediction with too few items to be ranked, or None."""
    n_covered = read.n_covered(n_items)
    coverage = n_covered / n_items
    if coverage >= min_coverage:
        return None
    failure = f"it has labels for only {n_covered} of the {n_items} items"
    if not n_covered:
        failure = f"it has a label for none of the {n_items} items"
    if share_few_ids(n_covered, n_items, n_covered + read.n_extra):
        failure += f", and {read.n_extra} of its ids are unknown. {CHECK_IDS}"
    elif n_covered:
        failure += (
            ", and the kappa of a selection is not comparable with that of all items."
            f" Use min_coverage={math.floor(1000 * coverage) / 1000:g} to rank it anyway."
        )
    else:
        failure += "."
    return Entry(
        name,
        coverage=coverage,
        missing=read.n_missing,
        extra=read.n_extra,
        repeated=read.n_repeated,
        failure=failure,
    )
