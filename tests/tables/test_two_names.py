"""Labels and tags that only one of the raters uses can have the same meaning."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from fastkappa import Ratings, agreement, fleiss_kappa, krippendorff_alpha
from fastkappa.tables.two_codings import two_names


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


def _tags(spans: list[tuple[int, int, str]], scheme: str) -> list[str]:
    """Return the tags of 1200 tokens in a scheme, by its definition."""
    tags = ["O"] * 1200
    for start, stop, name in spans:
        inside = "I" if scheme == "IOB1" and (not start or tags[start - 1][2:] != name) else "B"
        tags[start:stop] = [f"{inside}-{name}", *[f"I-{name}"] * (stop - start - 1)]
        if scheme == "BIOES":
            tags[stop - 1] = f"{'E' if stop - start > 1 else 'S'}-{name}"
    return tags


@pytest.mark.parametrize("kinds", [["PER", "LOC", "ORG"], ["claim"]])
def test_tags_of_spans_in_two_schemes(kinds: list[str]) -> None:
    rng = np.random.default_rng(len(kinds))
    starts = np.flatnonzero(rng.random(300) < 0.5) * 4
    spans = [(i, i + int(rng.integers(1, 4)), str(rng.choice(kinds))) for i in starts.tolist()]
    # The second annotator misses some spans, and sees others begin or end one token later.
    seen = [
        (i + (r < 0.1), j + (r < 0.2), name)
        for (i, j, name), r in zip(spans, rng.random(len(spans)).tolist())
        if r < 0.9
    ]
    message = "the tags of {} and {} differ only in their prefix, such as '{}-'"
    pairs = (("IOB2", "IOB1", "B"), ("IOB1", "IOB2", "I"), ("IOB2", "BIOES", "[BI]"))
    for scheme, other, prefix in pairs:
        first, second = _tags(spans, scheme), _tags(seen, other)
        with pytest.warns(UserWarning, match=message.format("y1", "y2", prefix)):
            agreement(first, second)
        raters = {"a": first, "b": _tags(seen[1:], scheme), "c": second}
        with pytest.warns(UserWarning, match=message.format("a", "c", prefix)):
            fleiss_kappa(Ratings.from_raters(raters))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for scheme in ("IOB1", "IOB2", "BIOES"):
            agreement(_tags(spans, scheme), _tags(seen, scheme))


@pytest.mark.parametrize("are_sets", [False, True])
def test_another_set_is_no_second_name_of_a_label(are_sets: bool) -> None:
    labels = np.empty(3, object)
    names = ["anger", "anger|fear", "joy"]
    labels[:] = [frozenset(name.split("|")) for name in names] if are_sets else names
    table = np.array([[0, 30, 1], [0, 0, 0], [0, 1, 40]])
    assert (two_names(labels, table, ("one", "two"), 2) is None) == are_sets
