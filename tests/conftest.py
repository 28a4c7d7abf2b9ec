"""Fixtures that run a test on every backend, and the settings of the test run.

Tests import shared code from `tests.helpers`, not from here, because only pytest loads this file.
"""

from __future__ import annotations

import gc
import re
import signal
from collections import Counter
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest

from fastkappa.kernels import dispatch
from tests.helpers.absent import mark_what_is_absent
from tests.helpers.backends import backend_lines, kernel_variants
from tests.helpers.quick import mark_what_is_left_out, n_examples

# What these start or compile takes long and is kept for the tests of one process: they come first,
# for a process that has nothing left to do takes tests from the end of another's.
FIRST = (
    "tests/sources/test_clusters.py",
    "tests/kernels/test_cimport.py",
    "tests/jit/",
    "fastkappa/jit/",
    "docs/how_to/scale/compiled_loops.md",
)


# A background job of a shell ignores SIGINT, and so would the processes that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header() -> list[str]:
    return backend_lines()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Switch garbage collection off, because it would take half of the time for all tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        # What was collected lives until the end, and need not be searched again.
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Iterator[Any]:
    """Collect a test file once, because --doctest-modules would collect it again."""
    collectors = yield
    return [collector for collector in collectors if type(collector) is pytest.Module]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    mark_what_is_left_out(items)
    mark_what_is_absent(items)
    items.sort(key=lambda item: not item.nodeid.startswith(FIRST))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Count the tests skipped because a library is missing, by library."""
    skipped = terminalreporter.stats.get("skipped", [])
    missing = Counter(
        found[1]
        for report in skipped
        if (found := re.search(r"could not import '([^'.]+)", str(report.longrepr)))
    )
    if missing:
        counts = ", ".join(f"{number} of {name}" for name, number in sorted(missing.items()))
        terminalreporter.line(f"tests of libraries that are not installed: {counts}")


def skip_if_missing(backend: str) -> None:
    """Skip the test if a backend is missing here."""
    reason = dispatch.why_missing(backend)
    if reason is not None:
        # test_backends.py fails in CI for the same reason, so a skip never goes unnoticed there.
        pytest.skip(f"backend {backend} is missing: {reason}")


@pytest.fixture(params=dispatch.BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    """Yield the name of each backend; skip the test if the backend is missing."""
    name: str = request.param
    skip_if_missing(name)
    return name


@pytest.fixture(params=kernel_variants())
def kernels(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Yield the kernel module of each backend and SIMD level."""
    name, _, level = request.param.partition("-")
    skip_if_missing(name)
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
    """Make the drop-in functions, which have no ``backend`` argument, use each backend."""
    monkeypatch.setenv("FASTKAPPA_BACKEND", backend)
    dispatch.forget_choice()
    yield backend
    monkeypatch.undo()
    dispatch.forget_choice()


hypothesis.settings.register_profile(
    "fastkappa",
    deadline=None,
    derandomize=True,
    max_examples=n_examples(40),
    # The backend is the same for all examples of a test, so nothing needs a reset.
    suppress_health_check=[
        hypothesis.HealthCheck.function_scoped_fixture,
        hypothesis.HealthCheck.too_slow,
    ],
)
hypothesis.settings.load_profile("fastkappa")
