"""Counts of parts can be added, and written to JSON and read again."""

from __future__ import annotations

import json
import operator
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastkappa import (
    ConfusionAccumulator,
    agreement,
    agreement_from_confusion,
    confusion_counts,
    confusion_from_source,
)
from fastkappa.results import SourceCounts
from tests.fuzz.damage import damaged
from tests.helpers.rating_files import pa

assert pa

REFUSED = "text must be JSON from SourceCounts.to_json"
RATINGS: dict[str, Any] = {
    "numbers": [1, 2, 5, 2, 1, 7],
    "words": ["a", "b", "é", "b", "a", "zz"],
    "numbers as strings": ["1", "2", "10", "2", "1", "9"],
    "booleans": [True, False, True, True, False, True],
    "dates": np.array([3, 1, 9, 1, 3, 4], "M8[D]"),
    "none of them": [None] * 6,
}


def counted(first: Any, second: Any, **options: Any) -> SourceCounts:
    columns = {"r1": first, "r2": second}
    weights = options.pop("weights", None)
    if weights is not None:
        columns["w"], options["sample_weight"] = weights, "w"
    found: SourceCounts = confusion_from_source(columns, "r1", "r2", **options)
    return found


def same(first: SourceCounts, second: SourceCounts) -> None:
    assert first.to_dict() == second.to_dict()
    assert first.labels.dtype == second.labels.dtype
    assert first.table.dtype == second.table.dtype or not first.table.size


@pytest.mark.parametrize("ratings", RATINGS.values(), ids=RATINGS)
@pytest.mark.parametrize("weights", [None, [1, 2, 3, 4, 5, 6], [0.5, 0.25, 1e-300, 3.0, 0.1, 7.0]])
def test_json_and_back(ratings: Any, weights: Any) -> None:
    counts = counted(ratings, ratings[::-1], weights=weights)
    same(SourceCounts.from_json(counts.to_json()), counts)


@pytest.mark.filterwarnings("ignore:the ratings contain 9")
@pytest.mark.parametrize("kind", ["numbers", "words", "numbers as strings", "dates"])
@pytest.mark.parametrize("cut", range(1, 6))
def test_parts_add_up_whatever_labels_they_have(kind: str, cut: int) -> None:
    first, second = RATINGS[kind], RATINGS[kind][::-1]
    weights = [1, 2, 3, 4, 5, 6]
    for options in ({}, {"weights": weights}):
        whole = counted(first, second, **options)
        parts = [
            counted(first[part], second[part], **{name: own[part] for name, own in options.items()})
            for part in (slice(cut), slice(cut, None))
        ]
        same(parts[0] + parts[1], whole)
        same(sum(map(SourceCounts.from_json, (part.to_json() for part in parts)), 0), whole)  # type: ignore[arg-type]


def test_missing_ratings_and_those_outside_add_up() -> None:
    first = ["x", None, "y", "z", "x", None]
    second = ["x", "y", None, "x", "y", None]
    whole = counted(first, second, labels=["x", "y"])
    parts = [counted(first[p], second[p], labels=["x", "y"]) for p in (slice(3), slice(3, None))]
    total = parts[0] + SourceCounts.from_json(parts[1].to_json())
    same(total, whole)
    assert (total.n_outside, total.n_dropped, total.missing) == (1, 3, (2, 2))


@pytest.mark.parametrize("count", [counted, confusion_counts])
def test_a_sum_of_tables_with_other_codes_is_remarked_on(count: Any) -> None:
    grades = np.repeat(np.arange(5), 40)
    first, shifted, few = (count(own, own) for own in (grades, grades + 1, grades[::20] + 1))
    with pytest.warns(UserWarning, match="in y1 and y2, only the second table has 5, but"):
        first + shifted
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first + count(grades[:120], grades[:120]) + few


def test_labels_that_do_not_go_together() -> None:
    some = counted(["x", "y"], ["x", "y"])
    for other in (
        counted(["x", "y"], ["x", "x"], labels=["x"]),
        counted(["x", "z"], ["x", "z"], labels=["z", "x"]),
    ):
        with pytest.raises(ValueError, match="pass the same labels= to both"):
            some + other
    with pytest.raises(ValueError, match=r"Mix of label .* Write the labels the same way in"):
        some + counted([1, 2], [1, 2])
    with pytest.raises(ValueError, match="pass the same labels= to both"):
        confusion_counts([1, 2], [1, 2]) + confusion_counts([1, 3], [1, 3], labels=[3, 1])
    assert (confusion_counts([1], [1]) + confusion_counts([3], [1])).table.tolist() == [
        [1, 0],
        [1, 0],
    ]


def accumulated(first: Any, second: Any, weights: Any = None) -> ConfusionAccumulator:
    total = ConfusionAccumulator()
    total.update(first, second, sample_weight=weights)
    return total


def added(first: ConfusionAccumulator, second: ConfusionAccumulator) -> Any:
    first += second
    return first


BOTH = {"counts": (counted, operator.add), "accumulator": (accumulated, added)}


@pytest.mark.parametrize(("count", "add"), BOTH.values(), ids=BOTH)
def test_weights_and_booleans_that_do_not_go_together(count: Any, add: Any) -> None:
    ratings = [0, 1, 2]
    parts = count(ratings, ratings, weights=[1, 2, 3]), count(ratings, ratings)
    booleans = count([True, False], [True, True])
    for a, b in (parts, parts[::-1]):
        with pytest.raises(ValueError, match="weighted and unweighted counts cannot be added"):
            add(a, b)
    for a, b in ((parts[1], booleans), (booleans, parts[1])):
        with pytest.raises(ValueError, match=r"the sum contains booleans in one .* such as 2"):
            add(a, b)
    ones = count(ratings, ratings, weights=[1, 1, 1])
    assert add(ones, parts[0]).table.trace() == 9
    assert add(booleans, count([0, 1], [1, 1])).table.tolist() == [[0, 2], [0, 2]]


def test_a_batch_of_other_numbers_after_booleans() -> None:
    total = accumulated(np.array([True, False]), np.array([True, False]))
    for other in (np.array([0, 3], np.uint8), np.array([0.0, 3.0])):
        with pytest.raises(ValueError, match="contains booleans"):
            total.update(other, other)
    total.update(np.array([0, 1], np.uint8), np.array([0, 1], np.uint8))
    assert total.table.tolist() == [[2, 0], [0, 2]]
    numbers = accumulated(np.array([0, 3]), np.array([0, 3]))
    with pytest.raises(ValueError, match="contains booleans"):
        numbers.update(np.array([True]), np.array([True]))
    assert numbers.table.trace() == 2


def test_counts_of_other_classes() -> None:
    counts, stream = counted([1, 2], [1, 2]), accumulated([1, 2], [1, 2])
    with pytest.raises(TypeError, match=r"use SourceCounts\.from_json\(other\.to_json\(\)\)"):
        counts + stream
    assert (counts + SourceCounts.from_json(stream.to_json())).table.trace() == 4
    with pytest.raises(TypeError, match=r"ConfusionAccumulator\.from_json\(counts\.to_json\(\)\)"):
        stream += counts  # type: ignore[arg-type]


def test_labels_of_two_parts_that_look_alike_are_warned_of() -> None:
    with pytest.warns(
        UserWarning, match=r"differ only in how they are written, .*'Yes' \(4 times\), 'yes' \(2"
    ):
        counted(["Yes", "Yes"], ["Yes", "Yes"]) + counted(["yes", "no"], ["yes", "no"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        counted(["Yes"], ["Yes"]) + counted(["No"], ["No"])


def example() -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(counted([1, 2, None, 2], [1, 2, 2, 1]).to_json())
    return fields


WRONG: dict[str, list[Any]] = {
    "version": [None, 2, "1", 1e400, []],
    "labels": [None, "12", [1], [1, 1], [1, "2"], [1, 10**30], list(range(10_000))],
    "label_dtype": [None, "<U500000000", "V8", "(2,)i4", 7],
    "table": [
        None, [], [[1]], [[1, 2], [3]], [[1, -1], [0, 1]], [[1.0, 0], [0, 1]],
        [[1 << 63, 0], [0, 0]],
        [[1e400, 0.0], [0.0, 0.0]], [[float("nan"), 0.0], [0.0, 0.0]], [[True, 0], [0, 1]],
        [[1, 1], [1, 1]], {"0": 1},
    ],
    "is_weighted": [None, 1, "yes", []],
    "n_rows": [None, -1, 0, 2, 4.0, 10**30],
    "n_outside": [None, 4, "0", -1],
    "n_dropped": [None, 0, 2, -1],
    "missing": [None, [1], [1, 0, 0], [2, 0], [1, -1], "10", {"a": 1}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value"), [(field, value) for field, values in WRONG.items() for value in values]
)
def test_json_that_no_source_leads_to(field: str, value: Any) -> None:
    with pytest.raises(ValueError, match=REFUSED) as refused:
        SourceCounts.from_json(json.dumps({**example(), field: value}))
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize(
    "text", ["", "null", "[]", "{}", "[" * 100_000, "NaN", "\ud800", "1" * 5000]
)
def test_other_texts(text: str) -> None:
    with pytest.raises(ValueError, match=REFUSED):
        SourceCounts.from_json(text)


@given(st.integers(0))
def test_damaged_texts(number: int) -> None:
    whole = counted(["a", "b", None, "b"], ["a", "b", "b", "é"]).to_json()
    text = damaged(whole.encode(), np.random.default_rng(number)).decode(errors="replace")
    try:
        counts = SourceCounts.from_json(text)
    except ValueError:
        return
    same(SourceCounts.from_json(counts.to_json()), counts)
    assert (counts.table >= 0).all()


def test_a_declared_order_is_kept() -> None:
    kind = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    frame = pd.DataFrame({"a": ["low", "high"], "b": ["low", "low"]}, dtype=kind)
    counts = confusion_from_source(frame, "a", "b")
    total = counts + SourceCounts.from_json(counts.to_json())
    assert total.labels.tolist() == ["low", "mid", "high"]
    assert total.table.tolist() == [[2, 0, 0], [0, 0, 0], [2, 0, 0]]


def test_agreement_takes_counts_of_sources() -> None:
    columns = {"a": [1, 2, 3, 1, 2, None, 9], "b": [1, 2, 3, 2, 2, 1, 1]}
    counts = confusion_from_source(columns, "a", "b", labels=[1, 2, 3])
    found = agreement_from_confusion(counts, weights="quadratic")
    pairs = [(a, b) for a, b in zip(*columns.values()) if a is not None]
    peer = agreement(*zip(*pairs), weights="quadratic", labels=[1, 2, 3])
    assert found.interval == peer.interval
    assert found.labels.tolist() == [1, 2, 3]
    assert (found.n_outside, found.n_dropped, found.missing) == (1, 1, (1, 0))


def test_printed_tables_name_their_axes() -> None:
    for counts in (counted([1, 2], [1, 1]), confusion_counts([1, 2], [1, 1])):
        assert "First rater (rows) and second rater (columns)" in str(counts)
        assert "First rater (rows)" in counts._repr_html_()
