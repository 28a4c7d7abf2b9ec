"""Altered JSON is refused, or leads to contents that updates can also reach."""

from __future__ import annotations

import enum
import json
import re
import time
import tracemalloc
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastkappa import ConfusionAccumulator
from tests.helpers.quick import n_examples

UNIT_BITS = 1074
KINDS: dict[str, Any] = {
    "numbers": 987654321,
    "strings": "outside",
    "dates": np.datetime64("1801-01-01"),
    "durations": np.timedelta64(987654321, "s"),
}
CODES: dict[str, Any] = {
    "numbers": 123456789,
    "strings": "code",
    "dates": np.datetime64("1802-02-02"),
    "durations": np.timedelta64(123456789, "s"),
}
WITH_WEIGHTS = {"weighted_counts", "weight_sums", "weight_exponent", "n_float_weights"}
Grade = enum.Enum("Grade", {"low": 1, "middle": 2, "high": 5})


def states() -> Iterator[ConfusionAccumulator]:
    """Yield accumulators of every kind of labels and weights."""
    for ratings in (
        [1, 2, 5, 2], [1.0, -3.0, 5.0, 5.0], [True, False, True, True], ["b", "a", "é", "a"],
        np.array([3, 1, 9, 1], "M8[D]"), np.array([3, 1, 9, 1], "m8[s]"),
        np.array([1 << 63, 5, 7, 7], np.uint64),
    ):  # fmt: skip
        for weights in (None, [1, 2, 0, -3], [0.5, 1e-300, 0.1, 2.0]):
            for labels in (None, ratings[:2]):
                accumulator = ConfusionAccumulator(labels=labels)
                accumulator.update(ratings, ratings[::-1], sample_weight=weights)
                accumulator.update(ratings[:2], ratings[1:3])
                yield accumulator
    both = ConfusionAccumulator()
    both.update(np.array([1 << 63, 5], np.uint64), np.array([5, 5], np.uint64))
    both.update([-1, 5], [5, 5])
    yield both
    for declared in (
        pandas.Categorical(["b", "a"], ["c", "b", "a"], ordered=True),
        pandas.Categorical([2, 1], [3, 2, 1], ordered=True),
        list(Grade),
    ):
        accumulator = ConfusionAccumulator()
        accumulator.update(declared, declared)
        yield accumulator
    dropped = ConfusionAccumulator()
    dropped.update([1, -9], [1, 2], missing="drop", missing_codes=[-9])
    yield dropped
    dropped.subtract([1], [1])
    yield dropped


def exact_of(accumulator: ConfusionAccumulator) -> dict[str, Any]:
    """Return the JSON fields that only the accumulator reads."""
    fields: dict[str, Any] = json.loads(accumulator.to_json())["accumulator"]
    return fields


STATES = [exact_of(accumulator) for accumulator in states()]
ODD: list[Any] = [
    None, True, False, -1, 0, 1, 2, 3, 7, 1 << 62, (1 << 63) - 1, 1 << 63, 10**30, 2.0, 1.5, -0.0,
    float("nan"), float("inf"), "", "a", "zz", "1", "numbers", "strings", "dates", "<i8", "<f8",
    "<U1", ">i8", "|b1", "|O", "<M8[D]", "<M8", [], {}, [1], [[1]], [1, 2, 5], ["a", "b"],
    {"labels": [1, 2], "label_dtype": "<i8", "names": None},
]  # fmt: skip


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each container in a value, with each of its keys or positions."""
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from places(value[key])


@st.composite
def mutated(draw: st.DrawFn) -> str:
    fields = deepcopy(draw(st.sampled_from(STATES)))
    for _ in range(draw(st.integers(1, 3))):
        here = list(places(fields))
        container, key = here[draw(st.integers(0, len(here) - 1))]
        change = draw(st.sampled_from(["replace", "swap", "delete", "double", "order"]))
        if change == "replace":
            container[key] = deepcopy(draw(st.sampled_from(ODD)))
        elif change == "swap":
            other, place = here[draw(st.integers(0, len(here) - 1))]
            container[key], other[place] = deepcopy((other[place], container[key]))
        elif change == "delete":
            del container[key]
        elif change == "double" and isinstance(container, list):
            container.insert(key, deepcopy(container[key]))
        elif change == "order":
            fields["order"] = deepcopy(draw(st.sampled_from([None, ODD[-1]])))
    return json.dumps({"accumulator": fields})


def times(n: int, once: ConfusionAccumulator, total: ConfusionAccumulator) -> None:
    """Add an accumulator n times."""
    while n:
        if n & 1:
            total += once
        n >>= 1
        if n:
            once += once


def reached(fields: dict[str, Any]) -> ConfusionAccumulator:
    """Return an accumulator, updated until it has the contents that the fields describe."""
    dtype = np.dtype(fields["label_dtype"])
    labels = as_labels(fields["labels"], dtype)
    given = labels if fields["labels_given"] else None
    total = ConfusionAccumulator(labels=given)
    if fields["kind"] is not None:
        some = [KINDS[fields["kind"]]]
        total.update(some, some)
        total.subtract(some, some)
    if fields["order"] is not None:
        declare(total, fields["order"])
    for i, j in np.ndindex(len(labels), len(labels)):
        pair = [labels[i : i + 1], labels[j : j + 1]]
        if fields["counts"][i][j]:
            once = ConfusionAccumulator(labels=given)
            once.update(*pair)
            times(fields["counts"][i][j], once, total)
    # An accumulator without weights cannot be added to one that has only weights.
    for i, j in np.ndindex(len(labels), len(labels)):
        pair = [labels[i : i + 1], labels[j : j + 1]]
        if fields["weighted_counts"] and fields["weighted_counts"][i][j]:
            exponent = fields["weight_exponent"]
            for weight in pieces(fields["weight_sums"][i][j], exponent, fields["n_float_weights"]):
                total.update(*pair, sample_weight=[weight])
    kind = fields["kind"] or "numbers"
    some, code = [KINDS[kind]], [CODES[kind]]
    n_dropped, first, second = fields["dropped"]
    for n, pair in (
        (fields["n_outside"], (some, some)),
        (n_dropped - second, (code, some)),
        (n_dropped - first, (some, code)),
        (first + second - n_dropped, (code, code)),
    ):
        once = ConfusionAccumulator(labels=given)
        if n:
            once.update(*pair, missing="drop", missing_codes=code)
        times(n, once, total)
    return total


def as_labels(listed: list[Any], dtype: np.dtype[Any]) -> Any:
    if dtype.kind in "mM":
        return np.array(listed, np.int64).view(dtype)
    if dtype.kind != "O":
        return np.array(listed, "U" if dtype.kind == "U" else dtype)
    return AsOne(listed)


class AsOne(list[Any]):
    """Return integers near the limits of int64 and uint64, some of which fit only one type."""

    def __getitem__(self, key: Any) -> Any:
        return np.array(super().__getitem__(key))


def pieces(total: int, exponent: int, n_float: int) -> Iterator[Any]:
    """Yield weights whose sum is ``total * 2**exponent``."""
    if n_float:
        yield 0.0
        units = total << (UNIT_BITS + exponent)
        while units:
            shift = max(abs(units).bit_length() - 53, 0)
            top = (abs(units) >> shift << shift) * (1 if units > 0 else -1)
            yield top / (1 << UNIT_BITS)
            units -= top
    else:
        yield 0
        whole = total << exponent if exponent >= 0 else total >> -exponent
        while whole:
            part = max(min(whole, (1 << 63) - 1), -(1 << 63))
            yield part
            whole -= part


def declare(total: ConfusionAccumulator, order: dict[str, Any]) -> None:
    labels = as_labels(order["labels"], np.dtype(order["label_dtype"]))
    if order["names"] is None:
        nothing = pandas.Categorical.from_codes([], pandas.Index(labels), ordered=True)
        total.update(nothing, nothing)
    else:
        members = list(enum.Enum("Members", dict(zip(order["names"], labels.tolist()))))
        total.update(members, members)
        total.subtract(members, members)


@settings(max_examples=n_examples(400), deadline=None)
@given(mutated())
def test_changed_json_is_refused_or_can_be_reached(text: str) -> None:
    started = time.process_time()
    tracemalloc.start()
    try:
        accumulator = ConfusionAccumulator.from_json(text)
    except ValueError:
        return
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 2_000_000
        assert time.process_time() - started < 2
    fields, again = exact_of(accumulator), json.loads(text)["accumulator"]
    twin = reached(again)
    reached_fields = exact_of(twin)
    for name in fields.keys() - WITH_WEIGHTS:
        values = (each[name] for each in (fields, reached_fields, again))
        first, second, third = (without_length(value) for value in values)
        assert first == second == third, name
    try:
        table = accumulator.table
    except OverflowError:
        return
    assert table.dtype == twin.table.dtype
    assert table.tolist() == twin.table.tolist()


def without_length(field: Any) -> Any:
    """Return a field without the string length in its dtype, which comes from the labels."""
    if not isinstance(field, dict):
        return field
    return {**field, "label_dtype": re.sub(r"^<U\d+$", "<U", field["label_dtype"])}


@pytest.mark.parametrize("fields", STATES)
def test_what_was_written_is_read(fields: dict[str, Any]) -> None:
    accumulator = ConfusionAccumulator.from_json(json.dumps({"accumulator": fields}))
    assert exact_of(accumulator) == fields
    assert reached(fields).table.tolist() == accumulator.table.tolist()
    text = accumulator.to_json()
    assert ConfusionAccumulator.from_json(text).to_json() == text
