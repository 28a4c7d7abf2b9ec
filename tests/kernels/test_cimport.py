"""Cython code of users can cimport the kernels: the documented example is compiled."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastkappa
from fastkappa.kernels import dispatch
from tests.helpers.exact_kappa import exact_kappa

# The example and other user code are in one module, because compiling takes time.
MORE = """

from fastkappa.shortcuts.compiled_kappa cimport (
    cohen_kappa, kappa_of_counts, kappa_of_pairs, label_t, linear_kappa,
)


def all_kappas(
    const label_t[::1] y1, const label_t[::1] y2, int64_t lowest, Py_ssize_t n_labels
):
    cdef double plain, linear, quadratic
    with nogil:
        plain = cohen_kappa(&y1[0], &y2[0], y1.shape[0], lowest, n_labels)
        linear = linear_kappa(&y1[0], &y2[0], y1.shape[0], lowest, n_labels)
        quadratic = quadratic_kappa(&y1[0], &y2[0], y1.shape[0], lowest, n_labels)
    return plain, linear, quadratic


def of_pairs(first, second, int64_t lowest, n_first, n_second, start, stop, int weights):
    cdef column_t a, b
    read_array(first, lowest, n_first, &a)
    read_array(second, lowest, n_second, &b)
    return kappa_of_pairs(&a, &b, start, stop, weights)


def of_counts(const int64_t[:, ::1] table, Py_ssize_t n_labels, int weights):
    return kappa_of_counts(&table[0, 0], n_labels, table.shape[1], weights)
"""
NAMED = (None, "linear", "quadratic")
ROOT = Path(__file__).parents[2]
pytestmark = [
    pytest.mark.skipif(
        dispatch.why_missing("cython") is not None,
        reason=f"backend cython is missing: {dispatch.why_missing('cython')}",
    ),
    # Compiling the example takes as long as a hundred other tests.
    pytest.mark.slow,
]


def block(language: str, after: str) -> str:
    """Return the first code block in a language after a string on the page."""
    text = (ROOT / "docs" / "how_to" / "scale" / "cython_loops.md").read_text()
    return re.findall(rf"```{language}\n(.*?)```", text[text.index(after) :], re.DOTALL)[0]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files of an installation."""
    if not (ROOT / "fastkappa").exists():
        return Path(fastkappa.__file__).parents[1]
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run(
        [sys.executable, "setup.py", "--quiet", "build_py", "--build-lib", folder],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=120,
    )
    return folder


@pytest.fixture(scope="module")
def example(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the module of the page, compiled using only the installed files."""
    folder = tmp_path_factory.mktemp("example")
    (folder / "agreement.pyx").write_text(block("cython", "`agreement.pyx`") + MORE)
    (folder / "setup.py").write_text(block("python", "`setup.py`"))
    done = subprocess.run(
        [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    sys.path.insert(0, str(folder))
    try:
        import agreement
    finally:
        sys.path.remove(str(folder))
    return agreement


@pytest.mark.parametrize("n", [0, 3, 100_000])
@pytest.mark.parametrize(("first", "second"), [("i8", "u1"), (">i2", "f4"), ("?", "i4")])
def test_the_example_counts(example: Any, n: int, first: str, second: str) -> None:
    rng = np.random.default_rng(n)
    y1, y2 = rng.integers(0, 2, (2, n)) if first == "?" else rng.integers(0, 9, (2, n))
    for lowest, n_labels in ((0, 2), (0, 5), (3, 4)):
        if first == "?" and lowest:
            continue
        known = (y1 == y2) & (lowest <= y1) & (y1 < lowest + n_labels)
        got = example.agreeing(y1.astype(first)[::-1], y2.astype(second)[::-1], lowest, n_labels)
        assert got == known.sum()


def test_the_example_refuses_what_it_cannot_read(example: Any) -> None:
    good = np.zeros(3, np.int64)
    for bad in (np.zeros((3, 3)), np.array(["a", "b", "c"]), np.zeros(3, complex)):
        for pair in ((bad, good), (good, bad)):
            with pytest.raises(TypeError, match="one-dimensional array of numbers"):
                example.agreeing(*pair, 0, 2)
    with pytest.raises(ValueError, match="same length"):
        example.agreeing(good, good[:2], 0, 2)


def exact(y1: Any, y2: Any, lowest: int, n_labels: int, weights: Any) -> float:
    """Return kappa in exact arithmetic, or NaN if it is undefined."""
    cells = (y1.astype(np.int64) - lowest) * n_labels + (y2.astype(np.int64) - lowest)
    table = np.bincount(cells, minlength=n_labels**2).reshape(n_labels, n_labels)
    kappa = exact_kappa(table, weights)
    return float("nan") if kappa is None else float(kappa)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
@pytest.mark.parametrize(
    ("n", "lowest", "n_labels"),
    [(1, 0, 2), (30, 0, 5), (100, 3, 16), (400, 0, 17), (700, 0, 5), (700, 1, 33), (40_000, 0, 4)],
)
def test_kappas(example: Any, dtype: str, n: int, lowest: int, n_labels: int) -> None:
    y1, y2 = np.random.default_rng(n).integers(lowest, lowest + n_labels, (2, n)).astype(dtype)
    right = [exact(y1, y2, lowest, n_labels, weights) for weights in NAMED]
    np.testing.assert_array_equal(example.all_kappas(y1, y2, lowest, n_labels), right)
    if np.dtype(dtype).kind == "i":
        y1, y2 = y1 - y1.dtype.type(50), y2 - y2.dtype.type(50)
        found = example.all_kappas(y1, y2, lowest - 50, n_labels)
        np.testing.assert_array_equal(found, right)


def test_kappa_of_many_pairs_and_of_part_of_them(example: Any) -> None:
    y1, y2 = np.random.default_rng(0).integers(0, 40, (2, 1_100_000), dtype=np.uint8)
    for weights in range(3):
        for start, stop in ((0, 1_100_000), (7, 60), (100, 90_000), (5, 5)):
            found = example.of_pairs(y1, y2.astype(">i2"), 0, 40, 40, start, stop, weights)
            right = exact(y1[start:stop], y2[start:stop], 0, 40, NAMED[weights])
            np.testing.assert_equal(found, right)


@pytest.mark.parametrize("largest", [3, 10**6, 2**40, 2**61])
@pytest.mark.parametrize("n_labels", [2, 5, 40])
def test_kappa_of_counts(example: Any, largest: int, n_labels: int) -> None:
    table = np.random.default_rng(0).integers(0, largest, (n_labels, n_labels + 1))
    for weights in range(3):
        right = exact_kappa(table[:, :n_labels], NAMED[weights])
        assert example.of_counts(table, n_labels, weights) == float(right)
    table[1, 1] = -1
    with pytest.raises(ValueError, match="counts must not contain negative numbers, got -1"):
        example.of_counts(table, n_labels, 0)


def test_labels_that_are_none(example: Any) -> None:
    y = np.array([0, 1, 2, 3], np.uint8)
    for dtype in (np.uint8, np.int64):
        with pytest.raises(ValueError, match="not among the labels: there are 3, from 0 on"):
            example.all_kappas(y.astype(dtype), y.astype(dtype), 0, 3)
    with pytest.raises(ValueError, match="not among the labels: there are 40, from 1 on"):
        example.all_kappas(y, y, 1, 40)
    for lowest, n_labels in ((-1, 4), (250, 7), (0, 0), (0, -3)):
        with pytest.raises(ValueError, match="their dtypes must represent all labels"):
            example.all_kappas(y, y, lowest, n_labels)
    with pytest.raises(ValueError, match="got 4 and 5 labels from 0 on"):
        example.of_pairs(y, y, 0, 4, 5, 0, 4, 0)
    with pytest.raises(ValueError, match="their dtypes must represent all labels"):
        example.all_kappas(y.astype(np.int8), y.astype(np.int8), 120, 9)


def test_the_bootstrap_of_the_page(example: Any) -> None:
    y1, y2 = np.random.default_rng(0).integers(0, 3, (2, 300))
    y2[:200] = y1[:200]
    kappas = np.empty(500)
    example.bootstrap(y1, y2, 3, kappas, 1)
    kappa = exact(y1, y2, 0, 3, "quadratic")
    error = fastkappa.agreement(y1, y2, weights="quadratic").standard_error
    assert abs(kappas.mean() - kappa) < error / 3
    assert 0.8 < kappas.std() / error < 1.25
    with pytest.raises(ValueError, match="one length"):
        example.bootstrap(y1, y2[1:], 3, kappas, 1)
    with pytest.raises(ValueError, match="not among the labels"):
        example.bootstrap(y1, y2, 2, kappas, 1)


def test_what_cimport_needs_is_installed(installed: Path) -> None:
    """The package contains the declarations and every header."""
    kernels = installed / "fastkappa" / "kernels"
    assert (kernels / "cython" / "pairs.pxd").is_file()
    assert (installed / "fastkappa" / "shortcuts" / "compiled_kappa.pxd").is_file()
    folder = Path(fastkappa.get_include())
    headers = {path.relative_to(folder) for path in folder.rglob("*.h")}
    assert Path("common/column.h") in headers
    assert {path.relative_to(kernels / "c") for path in kernels.rglob("*.h")} == headers
