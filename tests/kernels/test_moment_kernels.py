"""The kernels for moments, which only some backends have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fastkappa.kernels import dispatch
from tests.helpers.kernel_inputs import LAYOUTS, LOWEST, RATING_TYPES, codes_of, ratings


@pytest.fixture(
    params=[
        name
        for name in dispatch.BACKENDS
        if dispatch.why_missing(name) is None and dispatch.get_kernels(name).sum_moments is not None
    ]
)
def moment_kernels(request: pytest.FixtureRequest) -> Any:
    return dispatch.get_kernels(request.param)


def test_the_compiled_backend_sums_moments() -> None:
    """This test ensures that the tests below cannot all be skipped unnoticed."""
    if dispatch.why_missing("cython") is None:
        assert dispatch.get_kernels("cython").sum_moments is not None


def assert_moments(
    kernels: Any,
    first: Any,
    second: Any,
    n_labels: int,
    lowest: int = 0,
    start: int = 0,
    stop: int | None = None,
) -> None:
    stop = len(first) if stop is None else stop
    pairs = list(
        zip(
            codes_of(first, lowest, n_labels, start, stop),
            codes_of(second, lowest, n_labels, start, stop),
            strict=True,
        )
    )
    inside = [(a, b) for a, b in pairs if a < n_labels and b < n_labels]
    assert kernels.sum_moments(first, second, lowest, n_labels, (start, stop)) == (
        len(pairs) - len(inside),
        len(inside),
        sum(a for a, _ in inside),
        sum(b for _, b in inside),
        sum(a * a for a, _ in inside),
        sum(b * b for _, b in inside),
        sum(a * b for a, b in inside),
    )


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", RATING_TYPES)
def test_moments(moment_kernels: Any, dtype: str, layout: str) -> None:
    lay = LAYOUTS[layout]
    high = 120 if dtype in ("int8", "uint8") else 2000
    for n_labels in (1, 5, 60, high - 3):
        first = lay(ratings(dtype, 3001, 41, 0, min(n_labels + 3, high)))
        second = ratings(dtype, 3001, 42, 0, min(n_labels + 3, high))
        assert_moments(moment_kernels, first, second, n_labels)
        assert_moments(moment_kernels, second, first, n_labels, 2, 5, 2990)


@pytest.mark.parametrize("name", LOWEST)
def test_moments_for_lowest_labels(moment_kernels: Any, name: str) -> None:
    lowest, dtype = LOWEST[name]
    offset = np.random.default_rng(43).integers(0, 5, (2, 500))
    first, second = (
        np.array([lowest + i for i in codes.tolist()], np.dtype(dtype)) for codes in offset
    )
    assert_moments(moment_kernels, first, second, 5, lowest)
    assert_moments(moment_kernels, first, second, 3, lowest)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint16", "int32", "int64", "float64"])
def test_moments_do_not_overflow(moment_kernels: Any, dtype: str) -> None:
    """Repeat the largest code many times."""
    n = 2_000_000
    code = 65_534 if dtype not in ("uint8", "int16") else int(np.iinfo(dtype).max)
    column = np.full(n, code, dtype)
    square = code * code * n
    assert moment_kernels.sum_moments(column, column, 0, code + 1, (0, n)) == (
        *(0, n, code * n, code * n),
        *(square, square, square),
    )


def test_moments_for_sizes(moment_kernels: Any) -> None:
    for n in (*range(70), 255, 256, 257, 1023, 1024, 1025, 4096, 4097, 65_537):
        for dtype in ("uint8", "int32", "int64"):
            first, second = ratings(dtype, n, n, 0, 101), ratings(dtype, n, n + 1, 0, 101)
            assert_moments(moment_kernels, first, second, 100)


def test_moments_of_too_many_labels(moment_kernels: Any) -> None:
    with pytest.raises(ValueError, match="65535"):
        moment_kernels.sum_moments(np.zeros(9, np.int64), np.zeros(9, np.int64), 0, 65_536, (0, 9))
