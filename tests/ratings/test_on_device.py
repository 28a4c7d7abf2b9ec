"""Ratings on a device are counted there: no column is copied to the host.

Without a GPU, host tensors and the second device of array-api-strict, which NumPy cannot read, take
its place. Where a GPU is found, the tests also run on it with PyTorch, CuPy and JAX.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fastkappa import ConfusionAccumulator, agreement, cohen_kappa_score, confusion_counts
from fastkappa.metrics import confusion_matrix
from fastkappa.ratings import interop, on_device
from tests.helpers.absent import library

torch, strict = library("torch"), library("array_api_strict")
Make = Callable[[np.ndarray], Any]
N = 3000
RNG = np.random.default_rng(0)
Y1 = RNG.integers(1, 5, N)
Y2 = np.where(RNG.random(N) < 0.6, Y1, RNG.integers(1, 5, N))


def tensor(array: np.ndarray) -> Any:
    return torch.from_numpy(array.copy())


def second_device(array: np.ndarray) -> Any:
    return strict.asarray(array, device=strict.Device("device1"))


def on_gpu(name: str) -> Make:
    """Return a function that copies an array to the GPU by the library of that name."""
    if name == "torch_cuda":
        return lambda array: torch.from_numpy(array.copy()).cuda()
    if name == "cupy":
        cupy = pytest.importorskip("cupy")
        return lambda array: cupy.asarray(array)
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    return lambda array: jax.numpy.asarray(array)


GPU_LIBRARIES = ["torch_cuda", "cupy", "jax"] if shutil.which("nvidia-smi") else []


@pytest.fixture(params=["torch", "array_api_strict", *GPU_LIBRARIES])
def make(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Return a function that makes arrays on a device, from which no long array may be copied."""
    to_numpy = interop.to_numpy

    def short(array: Any) -> Any:
        assert len(array) < N, "a column is copied to the host"
        return to_numpy(array)

    monkeypatch.setattr(on_device, "to_numpy", short)
    if request.param in GPU_LIBRARIES:
        return on_gpu(request.param)
    pytest.importorskip(request.param)
    if request.param == "torch":
        monkeypatch.setattr(on_device, "is_on_device", torch.is_tensor)
        monkeypatch.setattr(torch.Tensor, "cpu", lambda array: short(array.numpy()))
        numpy = torch.Tensor.numpy

        def as_on_a_gpu(array: Any, *_: Any, **__: Any) -> Any:
            if len(array) < N:
                return numpy(array)
            raise TypeError("can't convert cuda:0 device type tensor to numpy")

        monkeypatch.setattr(torch.Tensor, "numpy", as_on_a_gpu)
        monkeypatch.setattr(torch.Tensor, "__array__", as_on_a_gpu)
    return tensor if request.param == "torch" else second_device


DTYPES = ["int64", "int32", "int16", "int8", "uint8", "float32", "float64"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_result_is_that_of_the_host(make: Make, dtype: str) -> None:
    y1, y2 = Y1.astype(dtype), Y2.astype(dtype)
    for weights in (None, "linear", "quadratic"):
        expected = cohen_kappa_score(y1, y2, weights=weights)
        assert cohen_kappa_score(make(y1), make(y2), weights=weights) == expected
    for labels in (None, [4, 2, 1]):
        expected_counts = confusion_counts(y1, y2, labels=labels)
        found = confusion_counts(make(y1), make(y2), labels=labels)
        assert found.table.dtype == np.int64
        np.testing.assert_array_equal(found.table, expected_counts.table)
        assert found.labels.tolist() == expected_counts.labels.tolist()
        assert found.labels.dtype.kind == expected_counts.labels.dtype.kind
        assert found.n_outside == expected_counts.n_outside
        np.testing.assert_array_equal(
            confusion_matrix(make(y1), make(y2), labels=labels),
            confusion_matrix(y1, y2, labels=labels),
        )
    for missing in ("raise", "drop"):
        assert str(agreement(make(y1), make(y2), missing=missing)) == str(agreement(y1, y2))


def test_booleans_and_types_that_differ(make: Make) -> None:
    counts = confusion_counts(make(Y1 > 2), make(Y2 > 2))
    assert counts.labels.tolist() == [False, True]
    np.testing.assert_array_equal(counts.table, confusion_counts(Y1 > 2, Y2 > 2).table)
    mixed = confusion_counts(make(Y1.astype(np.int8)), make(Y2.astype(np.float64)))
    np.testing.assert_array_equal(mixed.table, confusion_counts(Y1, Y2).table)
    wide = np.array([-128, 127])[Y1 % 2].astype(np.int8), np.array([-128, 127])[Y2 % 2]
    assert confusion_counts(*map(make, wide)).labels.tolist() == [-128, 127]


def test_labels_that_lie_far_apart(make: Make) -> None:
    y1, y2 = Y1 * 10**6 - 7, Y2 * 10**6 - 7
    found, expected = confusion_counts(make(y1), make(y2)), confusion_counts(y1, y2)
    assert found.labels.tolist() == expected.labels.tolist()
    np.testing.assert_array_equal(found.table, expected.table)


def test_accumulators(make: Make) -> None:
    for labels in (None, [1, 2, 3]):
        found, expected = ConfusionAccumulator(labels=labels), ConfusionAccumulator(labels=labels)
        for _ in range(2):
            found.update(make(Y1), make(Y2))
            expected.update(Y1, Y2)
        found.update(Y1[:5], Y2[:5])
        found.subtract(make(Y1), make(Y2))
        expected.subtract(Y1, Y2)
        expected.update(Y1[:5], Y2[:5])
        np.testing.assert_array_equal(found.table, expected.table)
        assert found.n_outside == expected.n_outside
        assert found.kappa(weights="quadratic") == expected.kappa(weights="quadratic")


def on_second_device(array: Any) -> Any:
    pytest.importorskip("array_api_strict")
    return second_device(np.asarray(array))


def test_what_cannot_be_counted_there_is_copied() -> None:
    y1, y2 = on_second_device(Y1), on_second_device(Y2)
    expected = confusion_counts(Y1, Y2)
    for large in (on_second_device(array * 10**12) for array in (Y1, Y2.astype(np.uint64))):
        np.testing.assert_array_equal(confusion_counts(large, large).table.sum(), N)
    weighted = confusion_counts(y1, y2, sample_weight=np.full(N, 2)).table
    np.testing.assert_array_equal(weighted, 2 * expected.table)
    np.testing.assert_array_equal(confusion_counts(y1, Y2).table, expected.table)
    coded = agreement(y1, y2, missing="drop", missing_codes=[4])
    assert coded.n_dropped == ((Y1 == 4) | (Y2 == 4)).sum()
    clustered = agreement(y1, y2, clusters=on_second_device(np.arange(N) // 3))
    assert str(clustered) == str(agreement(Y1, Y2, clusters=np.arange(N) // 3))


def test_errors_are_those_of_the_host() -> None:
    good = on_second_device(Y1[:4])
    for bad, message in (
        ([1.0, np.nan, 2, 2], "y1 has 1 missing value in 4 items, the first at position 1"),
        ([1.5, 2, 2, 2], "y1 must be labels, got numbers with fractions"),
        ([1.0, np.inf, 2, 2], "y1 must be finite, got inf at position 1"),
        ([1, 2, 2], "y1 and y2 must have the same length"),
    ):
        with pytest.raises(ValueError, match=message):
            confusion_counts(on_second_device(np.array(bad)), good)


def test_where_arrays_lie() -> None:
    assert on_device.is_on_device(on_second_device(Y1))
    assert not on_device.is_on_device(strict.asarray(Y1))
    for host in (Y1, Y1.tolist()):
        assert not on_device.is_on_device(host)


def test_tensors_of_the_host_are_read_in_place() -> None:
    pytest.importorskip("torch")
    assert not on_device.is_on_device(tensor(Y1))
    # It has no ratings, but it says where they would be.
    assert on_device.is_on_device(torch.empty(3, device="meta"))
