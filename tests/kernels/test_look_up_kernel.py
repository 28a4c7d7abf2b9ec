"""Every backend looks up labels that are far apart, with the same codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fastkappa.kernels.contract import LabelHash
from fastkappa.tables.codecs import LabelMap
from fastkappa.tables.label_hash import code_type, make_hash

TYPES = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", ">i4", ">f8")


def _far_labels(dtype: np.dtype[Any], n_labels: int, seed: int) -> np.ndarray[Any, Any]:
    """Return labels of a type in no order, including the ends of the type."""
    random = np.random.default_rng(seed)
    if dtype.kind == "f":
        ends = (-(1 << 24), 1 << 24) if dtype.itemsize == 4 else (-(1 << 53), 1 << 53)
    else:
        ends = (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    inside = random.integers(ends[0], ends[1], 4 * n_labels, dtype=_wide(dtype))
    labels = np.unique(np.append(inside, np.array(ends, _wide(dtype))))
    return random.permutation(labels)[:n_labels]


def _wide(dtype: np.dtype[Any]) -> Any:
    return np.uint64 if dtype.kind == "u" else np.int64


def _expected(values: Any, labels: Any) -> list[int]:
    code = {int(label): i for i, label in enumerate(labels)}
    return [code.get(int(value), len(labels)) for value in values]


@pytest.mark.parametrize("n_labels", [1, 16, 17, 256])
@pytest.mark.parametrize("name", TYPES)
def test_values_have_the_code_of_their_label(kernels: Any, name: str, n_labels: int) -> None:
    dtype = np.dtype(name)
    # A byte has too few values for 256 labels and another value.
    labels = _far_labels(dtype, min(n_labels, 99 * dtype.itemsize) + 1, n_labels)
    # The last value is not a label.
    labels, values = labels[:-1], np.random.default_rng(1).choice(labels, 3000)
    hashed = make_hash(labels)
    for column in (values.astype(dtype), values.astype(dtype).repeat(3)[::3]):
        codes = np.empty(960, code_type(len(labels)))
        n_unknown = kernels.look_up(column, hashed, codes, (37, 997))
        expected = _expected(values[37:997], labels)
        assert codes.tolist() == expected
        assert n_unknown == expected.count(len(labels))


@pytest.mark.parametrize("name", ["i2", "u2", "i4", "u4"])
@pytest.mark.parametrize("width", [16, 32])
def test_labels_that_the_type_of_the_values_cannot_hold(
    kernels: Any, name: str, width: int
) -> None:
    """Their lower bits equal those of some values, and the other values are still found."""
    dtype = np.dtype(name)
    inside = np.array([3, 300, 20000])
    labels = np.append(inside, inside + (1 << width))
    values = np.array([3, 300, 20000, 4]).repeat(100)
    beyond = np.append(labels, [-1, -3])
    for known in (labels, beyond, -labels):
        for column in (values, -values) if dtype.kind == "i" else (values,):
            codes = np.empty(len(values), np.uint8)
            kernels.look_up(column.astype(dtype), make_hash(known), codes, (0, len(values)))
            assert codes.tolist() == _expected(column, known)


def test_labels_whose_slots_are_taken_are_found(kernels: Any) -> None:
    """Many labels share a slot, some at the end, where the search continues at the start."""
    labels = 2 * np.unique(np.random.default_rng(0).integers(-(1 << 60), 1 << 60, 6000))[:5990]
    hashed = make_hash(labels)
    wanted = (labels.view(np.uint64) * np.uint64(hashed.multiplier)) >> np.uint64(hashed.shift)
    assert len(np.unique(wanted)) < len(labels)
    values = np.concatenate([labels, labels + 1])
    codes = np.empty(len(values), code_type(len(labels)))
    assert kernels.look_up(values, hashed, codes, (0, len(values))) == len(labels)
    assert codes.tolist() == [*range(5990), *[5990] * 5990]


def test_the_search_goes_on_at_the_first_slot(kernels: Any) -> None:
    """Eight slots, selected by the first three bits: two labels need the last slot."""
    labels = np.array([7 << 61, (7 << 61) + 1, 3 << 61], np.uint64)
    slots = np.array([1, 3, 3, 2, 3, 3, 3, 0], np.uint8)
    hashed = LabelHash(1, 61, slots, np.append(labels, labels[:1]))
    others = np.array([(7 << 61) + 2, 5, 2 << 61], np.uint64)
    codes = np.empty(6, np.uint8)
    assert kernels.look_up(np.append(labels, others), hashed, codes, (0, 6)) == 3
    assert codes.tolist() == [0, 1, 2, 3, 3, 3]


@pytest.mark.parametrize("n_labels", [1, 5, 16, 40, 300, 1025, 5000])
@pytest.mark.parametrize("step", [1, 1 << 20, (1 << 40) + 1])
def test_each_label_is_in_a_slot(n_labels: int, step: int) -> None:
    labels = np.arange(n_labels) * step - 7
    hashed = make_hash(labels)
    n_slots = 1 << (64 - hashed.shift)
    assert len(hashed.slots) == n_slots > n_labels
    assert sorted(hashed.slots[hashed.slots < n_labels].tolist()) == list(range(n_labels))
    assert hashed.labels.view(np.int64).tolist() == [*labels.tolist(), -7]


def test_few_labels_never_meet_in_a_slot() -> None:
    """Otherwise no look-up in registers was tested: try labels numbered in common ways."""
    random = np.random.default_rng(0)
    for n_labels in range(1, 17):
        for scale in (1, 10, 1000, 10**9):
            labels = scale * random.permutation(1000)[:n_labels]
            hashed = make_hash(labels)
            slot = labels.view(np.uint64) * np.uint64(hashed.multiplier) >> np.uint64(58)
            assert len(np.unique(slot)) == n_labels


def test_labels_are_learned_in_any_order(kernels: Any) -> None:
    random = np.random.default_rng(3)
    values = random.integers(-(10**9), 10**9, 3000)[random.integers(0, 3000, 20_000)]
    labels = LabelMap(np.empty(0, np.int64))
    for start in range(0, len(values), 5000):
        labels.learn(kernels, values[start : start + 5000])
    known = labels.labels()
    assert sorted(known.tolist()) == np.unique(values).tolist()
    codes = labels.encode(kernels, values)
    np.testing.assert_array_equal(known[codes], values)
