"""One fixture over all backends, and the promise that none is left out unnoticed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest

from fastkappa.kernels import dispatch


def missing_backends() -> dict[str, str]:
    """Return the backends that cannot be used here, with the reason."""
    reasons = {name: dispatch.why_missing(name) for name in dispatch.BACKENDS}
    return {name: reason for name, reason in reasons.items() if reason is not None}


def pytest_report_header() -> list[str]:
    lines = []
    for name in dispatch.BACKENDS:
        reason = dispatch.why_missing(name)
        state = "tested" if reason is None else f"NOT TESTED, missing: {reason}"
        lines.append(f"fastkappa backend {name}: {state}")
    return lines


@pytest.fixture(params=dispatch.BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    """Name each backend in turn; the test is skipped, with the reason, for a missing one."""
    name: str = request.param
    reason = dispatch.why_missing(name)
    if reason is not None:
        # test_backends.py fails in CI for the same reason: a skip is never silent there.
        pytest.skip(f"backend {name} is missing: {reason}")
    return name


def kernel_variants() -> list[str]:
    """Return the backends, the compiled one at each SIMD level that this processor has."""
    variants = ["numpy", "numba"]
    if dispatch.why_missing("cython") is not None:
        return [*variants, "cython"]
    return variants + [f"cython-{level}" for level in dispatch.get_kernels("cython").simd_levels()]


@pytest.fixture(params=kernel_variants())
def kernels(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Return the kernel module of each backend, and at each SIMD level, in turn."""
    name, _, level = request.param.partition("-")
    reason = dispatch.why_missing(name)
    if reason is not None:
        pytest.skip(f"backend {name} is missing: {reason}")
    module = dispatch.get_kernels(name)
    if not level:
        yield module
        return
    before = module.simd_level()
    module.use_simd_level(level)
    yield module
    module.use_simd_level(before)


@pytest.fixture
def drop_in_backend(backend: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Make the drop-in functions, which take no ``backend``, use each one in turn."""
    monkeypatch.setenv("FASTKAPPA_BACKEND", backend)
    dispatch.forget_choice()
    yield backend
    monkeypatch.undo()
    dispatch.forget_choice()


IN_CI = os.environ.get("CI", "").lower() not in ("", "0", "false")

hypothesis.settings.register_profile(
    "fastkappa",
    deadline=None,
    derandomize=True,
    max_examples=40,
    # The backend fixture is the same for every example of a test: nothing needs a reset.
    suppress_health_check=[
        hypothesis.HealthCheck.function_scoped_fixture,
        hypothesis.HealthCheck.too_slow,
    ],
)
hypothesis.settings.load_profile("fastkappa")
