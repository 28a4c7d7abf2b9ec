"""Labels and tags that only one of the raters uses can have the same meaning."""

from __future__ import annotations

import numpy as np
import pytest

from fastkappa import Ratings, agreement, krippendorff_alpha


def test_names_of_the_ends_of_a_scale_among_given_labels() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 6, 240)
    grades = [
        np.where(rng.random(240) < 0.9, truth, rng.integers(1, 6, 240)).astype("U10")
        for _ in range(7)
    ]
    last = np.where(grades[-1] == "1", "Not at all", grades[-1])
    last = np.where(last == "5", "Extremely", last)
    order = ["Not at all", *"12345", "Extremely"]
    with pytest.warns(UserWarning, match="'1' of y1 with 'Not at all' of y2 .*'5' of y1 with 'Ex"):
        agreement(grades[0].tolist(), last.tolist(), labels=order)
    # Each item has two raters of seven, and the last has few items in common with each other rater.
    items = np.full((240, 7), None, object)
    for i, row in enumerate(items):
        pair = [i % 6, 6] if i % 2 else [i % 6, (i + 1) % 6]
        row[pair] = [(*grades[:6], last)[j][i] for j in pair]
    names = "'Not at all' of rater 7 with '1' of the other raters .*'Extremely' of rater 7 with '5'"
    with pytest.warns(UserWarning, match=names):
        krippendorff_alpha(
            Ratings.from_raters(
                {f"rater {1 + j}": items[:, j].tolist() for j in range(7)}, labels=order
            )
        )
