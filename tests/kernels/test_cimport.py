"""Cython code of others can cimport the kernels: the example of the documentation, compiled."""

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

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(
    dispatch.why_missing("cython") is not None,
    reason=f"backend cython is missing: {dispatch.why_missing('cython')}",
)


def block(language: str, after: str) -> str:
    """Return the first block of code in a language after a string of the page."""
    text = (ROOT / "docs" / "compiled_loops.md").read_text()
    return re.findall(rf"```{language}\n(.*?)```", text[text.index(after) :], re.DOTALL)[0]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what an installation has of the package, extensions apart."""
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
    """Return the module of the page, compiled with what is installed alone."""
    folder = tmp_path_factory.mktemp("example")
    (folder / "agreement.pyx").write_text(block("cython", "`agreement.pyx`"))
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


def test_what_cimport_needs_is_installed(installed: Path) -> None:
    """The declarations and every header are among the files of the package."""
    kernels = installed / "fastkappa" / "kernels"
    assert (kernels / "cython" / "pairs.pxd").is_file()
    folder = Path(fastkappa.get_include())
    headers = {path.relative_to(folder) for path in folder.rglob("*.h")}
    assert Path("common/column.h") in headers
    assert {path.relative_to(kernels / "c") for path in kernels.rglob("*.h")} == headers
