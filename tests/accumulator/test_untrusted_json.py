"""JSON that does not describe an accumulator raises ValueError at once."""

from __future__ import annotations

import enum
import json
import tracemalloc
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastkappa.accumulator.accumulator import ConfusionAccumulator
from tests.fuzz.damage import damaged

REFUSED = "text must be JSON from ConfusionAccumulator.to_json"


def fields_of(accumulator: ConfusionAccumulator) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(accumulator.to_json())["accumulator"]
    return fields


def text_of(fields: Any) -> str:
    return json.dumps({"accumulator": fields})


def example(dtype: Any = np.int64) -> dict[str, Any]:
    accumulator = ConfusionAccumulator()
    accumulator.update(np.array([1, 2, 2]).astype(dtype), np.array([1, 2, 1]).astype(dtype))
    return fields_of(accumulator)


WRONG: dict[str, list[Any]] = {
    "version": [None, 2, 3.0, True, "3", [], {}, 1e400],
    "labels": [
        None, 5, "12", {}, [[1], [2]], [1], [1, 1], [2, 1], [1, 1.5], [1, None], [True, [2]],
        [1, 10**30], ["1", "2"], list(range(100_000)),
    ],
    "label_dtype": [
        None, 7, "V8", "<U500000000", "<c16", "i4,i4", [["a", "<i8"]], {"names": ["a"]}, "O8,",
        "<M8[s", "nonsense", "<f8,<f8", "S5", "(2,)i4", "|V9999999999",
    ],
    "counts": [
        None, 3, [], [[1]], [[1, 2], [3]], [[1, 2], [3, -4]], [[1.0, 2], [3, 4]],
        [["1", 2], [3, 4]],
        [[True, 2], [3, 4]], [[10**400, 2], [3, 4]], [[1 << 63, 0], [0, 0]], {"a": 1, "b": 2},
        [[(1 << 63) - 1, 1], [0, 0]],
    ],
    "weighted_counts": [[], [[1, 2]], [[-1, 0], [0, 0]], [[1 << 62, 1 << 62], [1 << 62, 0]]],
    "weight_sums": [[], [[1, 0], [0, 0]], [[float("nan"), 0], [0, 0]]],
    "weight_exponent": [None, 0.5, 10**9, -(10**9), "1", True],
    "n_float_weights": [None, -1, 0.0, "0"],
    "n_outside": [None, -1, 1, float("inf"), 10**30],
    "dropped": [None, 0, "many", [0], [0, 0, 10**30], [-1, 0, 0], [1, 0, 0], [1, 2, 0], [3, 1, 1]],
    "kind": [None, "strings", "words", 1, []],
    "labels_given": [None, 1, "true"],
    "order": [
        5, "a", [], {}, {"labels": [1, 2]},
        {"labels": [2], "label_dtype": "<i8", "names": None},
        {"labels": [1, 2], "label_dtype": "<i8", "names": ["a"]},
        {"labels": [1, 2], "label_dtype": "<i8", "names": ["a", "a"]},
        {"labels": ["1", "2"], "label_dtype": "<U1", "names": None},
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value"), [(field, value) for field, values in WRONG.items() for value in values]
)
def test_wrong_fields(field: str, value: Any) -> None:
    text = text_of({**example(), field: value})
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=REFUSED) as refused:
            ConfusionAccumulator.from_json(text)
        # No array is allocated for data that are not there, and no message repeats all of them.
        assert tracemalloc.get_traced_memory()[1] < 40_000_000
    finally:
        tracemalloc.stop()
    assert len(str(refused.value)) < 700


@pytest.mark.parametrize(
    "text",
    [
        "", "null", "[]", "5", '"text"', "{", "{}", "[" * 100_000, '{"a":' * 100_000, "NaN",
        "1" * 5000, '{"version": 1}', "\ud800", "\x00",
    ],
)  # fmt: skip
def test_other_texts(text: str) -> None:
    with pytest.raises(ValueError, match=REFUSED):
        ConfusionAccumulator.from_json(text)


def test_fields_that_are_missing_or_unknown() -> None:
    for fields in (
        {**example(), "ordr": None},
        *({k: v for k, v in example().items() if k != name} for name in example()),
    ):
        with pytest.raises(ValueError, match="fields must be"):
            ConfusionAccumulator.from_json(text_of(fields))


def test_a_field_that_is_there_twice() -> None:
    text = text_of(example())
    with pytest.raises(ValueError, match="field must occur once"):
        ConfusionAccumulator.from_json(text[:-2] + ', "counts": [[5, 5], [5, 5]]}}')


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(max_size=4), inside),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(sorted(WRONG)), values, max_size=2), st.integers(0))
def test_damaged_texts(changes: dict[str, Any], number: int) -> None:
    """Accepted JSON behaves like any other contents; other JSON is refused quickly."""
    whole = text_of({**example("<U3"), **changes})
    text = damaged(whole.encode(), np.random.default_rng(number)).decode(errors="replace")
    for given_text in (whole, text):
        tracemalloc.start()
        try:
            accumulator = ConfusionAccumulator.from_json(given_text)
        except ValueError:
            accumulator = ConfusionAccumulator()
        finally:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert peak < 40_000_000
        again = ConfusionAccumulator.from_json(accumulator.to_json())
        assert again.table.tolist() == accumulator.table.tolist()
        assert (accumulator.table >= 0).all()


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float64, bool, "<U3", "M8[D]", "m8[s]"])
def test_what_is_right_is_taken(dtype: Any) -> None:
    accumulator = ConfusionAccumulator()
    accumulator.update(np.array([1, 0, 0]).astype(dtype), np.array([1, 0, 1]).astype(dtype))
    again = ConfusionAccumulator.from_json(accumulator.to_json())
    assert (again.table == accumulator.table).all()
    assert (again.labels == accumulator.labels).all()
    assert again.labels.dtype == accumulator.labels.dtype


TOO_MANY = "at most 4096 given or declared labels, got 4097"


def test_declared_labels_are_as_many_as_given_ones_at_most() -> None:
    """The table has a cell for every label, although few of them may occur."""
    names = [f"c{i}" for i in range(4097)]
    pair = [pandas.Categorical(y, names, ordered=True) for y in (["c7"], ["c9"])]
    accumulator = ConfusionAccumulator()
    for change in (accumulator.update, accumulator.subtract):
        with pytest.raises(ValueError, match=TOO_MANY):
            change(*pair)
    accumulator.update(*(y.remove_categories("c4096") for y in pair))
    assert len(accumulator.labels) == 4096
    few = ConfusionAccumulator()
    few.update(*(y.set_categories(["c7", "c9"]) for y in pair))
    fields = fields_of(few)
    fields["order"]["labels"] = names
    with pytest.raises(ValueError, match=f"{REFUSED}.*{TOO_MANY}"):
        ConfusionAccumulator.from_json(text_of(fields))


def test_many_given_labels_are_refused_when_they_are_given() -> None:
    with pytest.raises(ValueError, match="at most 4096 given or declared labels, got 20000"):
        ConfusionAccumulator(labels=range(20_000))


@pytest.mark.parametrize("labels", [[1.0, float("nan")], [1.0, float("inf")], [b"a", b"b"]])
def test_labels_that_json_cannot_hold(labels: Any) -> None:
    with pytest.raises(ValueError, match="JSON cannot represent labels of"):
        ConfusionAccumulator(labels=labels).to_json()


def test_what_is_read_takes_the_same_batches() -> None:
    """A restored accumulator accepts the same batches as the original."""
    given = ConfusionAccumulator.from_json(ConfusionAccumulator(labels=[1, 2]).to_json())
    given.update(["a"], ["b"])
    assert given.n_outside == 1
    grade = enum.Enum("Grade", {"LOW": 1, "HIGH": 2})
    accumulator = ConfusionAccumulator()
    accumulator.update(pandas.Categorical([1], [1, 2], ordered=True), [1])
    for one in (accumulator, ConfusionAccumulator.from_json(accumulator.to_json())):
        one.update([grade.LOW], [grade.HIGH])
        assert one.table.tolist() == [[1, 1], [0, 0]]
    both = ConfusionAccumulator()
    both.update(np.array([1 << 63], np.uint64), [5])
    both.update([-1], [5])
    both = ConfusionAccumulator.from_json(both.to_json())
    both.update([5], [5])
    assert both.labels.tolist() == [-1, 5, 1 << 63]
    with pytest.raises(ValueError, match="contains -1, which is not among"):
        both.update(pandas.Categorical([5], [5, 6], ordered=True), [5])
