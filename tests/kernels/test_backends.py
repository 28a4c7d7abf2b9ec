"""The choice of the backend, the reasons for it, and backends that are not tested."""

from __future__ import annotations

import importlib.machinery
import inspect
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastkappa
from fastkappa import cohen_kappa_score, confusion_counts
from fastkappa.install_hint import install_command
from fastkappa.kernels import dispatch
from fastkappa.kernels.contract import PairKernels
from fastkappa.shortcuts.loading import threshold_shortcuts
from tests.helpers.backends import IN_CI, backend_lines, missing_backends
from tests.helpers.fresh_python import run_python

needs_extension = pytest.mark.skipif(
    "cython" in missing_backends(), reason="the extension was not built; in CI that fails above"
)

# Set on purpose by jobs that build without a compiler or run without numba.
ALLOWED = set(filter(None, os.environ.get("FASTKAPPA_MISSING_BACKENDS", "").split(",")))


@pytest.mark.skipif(not IN_CI, reason="outside CI a backend may be missing: the header says so")
def test_no_backend_is_missing_in_ci() -> None:
    assert set(missing_backends()) <= ALLOWED, missing_backends()


@pytest.mark.slow
def test_missing_backends_fail_a_run_in_ci(tmp_path: Path) -> None:
    """Run the test above with a backend removed."""
    here = Path(__file__)
    plugin = tmp_path / "without_numba.py"
    plugin.write_text("import sys\nsys.modules['numba'] = None\n")

    def run(**environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-q", "-p", "without_numba"),
                *("-p", "no:cacheprovider", f"{here}::test_no_backend_is_missing_in_ci"),
            ],
            capture_output=True,
            text=True,
            timeout=120,
            cwd=here.parents[2],
            env={
                **{
                    k: v
                    for k, v in os.environ.items()
                    if k not in ("CI", "FASTKAPPA_MISSING_BACKENDS")
                },
                "PYTHONPATH": str(tmp_path),
                **environment,
            },
        )

    in_ci = run(CI="true")
    assert in_ci.returncode == 1, in_ci.stdout
    assert "numba" in in_ci.stdout
    at_home = run()
    assert at_home.returncode == 0, at_home.stdout
    assert "1 skipped" in at_home.stdout


def test_header_names_every_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    header = "\n".join(backend_lines())
    assert all(f"backend {name}" in header for name in dispatch.BACKENDS)
    monkeypatch.setattr(dispatch, "why_missing", lambda name: f"no {name} here")
    header = "\n".join(backend_lines())
    assert "NOT TESTED, missing: no numba here" in header


@needs_extension
def test_the_extension_is_compiled_and_in_use() -> None:
    kernels = dispatch.get_kernels("cython")
    assert kernels.__file__.endswith(tuple(importlib.machinery.EXTENSION_SUFFIXES))
    assert Path(kernels.__file__).parent == Path(fastkappa.__file__).parent / "kernels" / "cython"
    assert isinstance(kernels.__loader__, importlib.machinery.ExtensionFileLoader)
    for name in ("count_pairs", "sum_pairs", "sum_pairs_exactly"):
        assert not inspect.isfunction(getattr(kernels, name))
    code = "from fastkappa.kernels import dispatch; print(dispatch.get_kernels().__name__)"
    environment = {k: v for k, v in os.environ.items() if k != "FASTKAPPA_BACKEND"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=environment
    )
    assert done.stdout.strip() == "fastkappa.kernels.cython.pairs", done.stderr


def test_numpy_is_always_there() -> None:
    assert dispatch.why_missing("numpy") is None
    assert dispatch.BACKENDS[-1] == "numpy"


def test_asked_for_by_name(backend: str) -> None:
    kernels = dispatch.get_kernels(backend)
    assert dispatch.name_of(kernels) == backend
    assert kernels.__name__ == f"fastkappa.kernels.{backend}.pairs"


def test_all_compiled_modules_use_one_simd_level(kernels: PairKernels) -> None:
    scores = dispatch.score_kernels(kernels)
    shortcuts = threshold_shortcuts(scores)
    if dispatch.name_of(kernels) == "cython":
        assert scores.simd_level() == shortcuts.simd_level() == kernels.simd_level()
    else:
        assert kernels.simd_level() == "left to the compiler"


def test_the_backend_asked_for_is_the_one_that_counts(
    backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    for name in dispatch.BACKENDS:
        if dispatch.why_missing(name) is not None:
            continue
        kernels = dispatch.get_kernels(name)

        def count_pairs(*arguments: Any, name: str = name, real: Any = kernels.count_pairs) -> None:
            calls.append(name)
            real(*arguments)

        monkeypatch.setattr(kernels, "count_pairs", count_pairs)
    confusion_counts([1, 2, 1], [1, 2, 2], backend=backend)
    assert set(calls) == {backend}
    calls.clear()
    monkeypatch.setenv("FASTKAPPA_BACKEND", backend)
    dispatch.forget_choice()
    try:
        confusion_counts([1, 2, 1], [1, 2, 2])
        cohen_kappa_score(["a", "b"], ["a", "a"])
    finally:
        monkeypatch.undo()
        dispatch.forget_choice()
    assert set(calls) == {backend}


def test_an_unknown_backend_is_refused() -> None:
    with pytest.raises(ValueError, match=r"backend must be one of .*got 'cuda'"):
        dispatch.get_kernels("cuda")


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if k != "FASTKAPPA_BACKEND"}
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        env={**clean, **environment},
    )


def test_environment_variable(backend: str) -> None:
    done = run(
        "from fastkappa.kernels import dispatch as d; print(d.name_of(d.get_kernels()))",
        FASTKAPPA_BACKEND=backend,
    )
    assert done.stdout.strip() == backend, done.stderr
    empty = run(
        "from fastkappa.kernels import dispatch as d; print(d.name_of(d.get_kernels()))",
        FASTKAPPA_BACKEND="",
    )
    assert empty.stdout.strip() in dispatch.BACKENDS


def test_an_unknown_backend_in_the_environment_is_refused() -> None:
    done = run(
        "import fastkappa; fastkappa.cohen_kappa_score([1, 2], [1, 2])", FASTKAPPA_BACKEND="x"
    )
    assert done.returncode == 1
    assert "ValueError: FASTKAPPA_BACKEND must be one of" in done.stderr
    assert "'x'" in done.stderr


WITHOUT = """
import sys
for name in {names!r}:
    sys.modules[name] = None
import fastkappa
"""


def test_a_missing_backend_says_why() -> None:
    code = WITHOUT.format(names=["numba"]) + (
        "fastkappa.confusion_counts([1, 2], [1, 2], backend='numba')"
    )
    done = run(code)
    assert done.returncode == 1
    assert "ImportError: backend='numba' is not available" in done.stderr
    assert install_command("fastkappa[numba]") in done.stderr
    by_environment = run(
        WITHOUT.format(names=["numba"]) + "fastkappa.cohen_kappa_score([1, 2], [1, 2])",
        FASTKAPPA_BACKEND="numba",
    )
    assert "ImportError: FASTKAPPA_BACKEND='numba' is not available" in by_environment.stderr


def test_a_missing_extension_says_why_and_another_backend_counts() -> None:
    extension = ["fastkappa.kernels.cython.pairs", "fastkappa.shortcuts.compiled_kappa"]
    code = WITHOUT.format(names=[*extension, "numba"]) + (
        "assert fastkappa.cohen_kappa_score([1, 2, 1], [1, 2, 2]) == 0.4\n"
        "fastkappa.show_config()\n"
        "fastkappa.confusion_counts([1], [1], backend='cython')"
    )
    done = run(code)
    lines = {line.split("  ")[0].strip(): line for line in done.stdout.splitlines()}
    assert "missing" in lines["backend cython"], done.stderr
    assert "missing" in lines["backend numba"]
    assert lines["backend in use"].endswith("numpy")
    assert done.returncode == 1
    assert "ImportError: backend='cython' is not available" in done.stderr
    assert "compiler" in done.stderr


def test_numba_stands_in_for_the_extension() -> None:
    pytest.importorskip("numba")
    code = WITHOUT.format(names=["fastkappa.kernels.cython.pairs"]) + (
        "from fastkappa.kernels import dispatch as d\nprint(d.name_of(d.get_kernels()))"
    )
    assert run(code).stdout.strip() == "numba"


def test_show_config(capsys: pytest.CaptureFixture[str]) -> None:
    fastkappa.show_config()
    shown = capsys.readouterr().out
    for word in (fastkappa.__version__, np.__version__, sys.version.split()[0], "SIMD", "threads"):
        assert word in shown
    for name in dispatch.BACKENDS:
        (line,) = (line for line in shown.splitlines() if line.startswith(f"backend {name}"))
        assert ("available" in line) == (dispatch.why_missing(name) is None)


def test_the_default_gives_the_same_as_each_backend(drop_in_backend: str) -> None:
    rng = np.random.default_rng(1)
    y1, y2 = rng.integers(0, 5, (2, 1000))
    one = cohen_kappa_score(y1, y2, weights="quadratic")
    table = confusion_counts(y1, y2, backend="numpy").table
    assert one == fastkappa.kappa_from_confusion(table, weights="quadratic")


@needs_extension
def test_a_wrong_simd_level_is_warned_of() -> None:
    code = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import fastkappa
    print(fastkappa.cohen_kappa_score([0, 1], [0, 1]))
print(*(warning.message for warning in caught))
"""
    printed = run_python(code, FASTKAPPA_SIMD="AVX9", FASTKAPPA_BACKEND="")
    kappa, warned = printed.splitlines()
    assert kappa == "1.0"
    assert "the cython backend is not used" in warned
    assert "FASTKAPPA_SIMD must be one of" in warned
