"""The parametrised tests that `make test` runs: every value, or every pair of values."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import combinations, product
from pathlib import Path

import pytest

from tests.helpers.fresh_python import ROOT
from tests.helpers.quick import covering

SIZES = [(3,), (3, 3), (3, 8, 7), (4, 3, 6, 2), (2, 2, 2, 2, 2)]


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("strength", [1, 2])
def test_every_combination_is_shown_by_few(sizes: tuple[int, ...], strength: int) -> None:
    if strength > len(sizes):
        return
    rows = list(product(*map(range, sizes)))
    chosen = covering([dict(enumerate(row)) for row in rows], strength)  # type: ignore[misc]
    shown = [rows[place] for place in chosen]
    for columns in combinations(range(len(sizes)), strength):
        found = {tuple(row[column] for column in columns) for row in shown}
        assert found == set(product(*(range(sizes[column]) for column in columns)))
    # At least the product of the two largest parameters is needed.
    least = 1
    for size in sorted(sizes)[-strength:]:
        least *= size
    assert least <= len(chosen) <= 1.5 * least


def test_what_does_not_occur_together_is_not_missed() -> None:
    rows = [{"a": 0, "b": 0}, {"a": 0, "b": 1}, {"a": 1, "b": 0}]
    assert covering(rows, 2) == {0, 1, 2}


def test_a_backend_is_combined_with_no_other_value() -> None:
    rows = [
        {"backend": backend, "a": a, "b": b} for backend, a, b in product("xyz", range(3), range(4))
    ]
    shown = [rows[place] for place in covering(rows, 2)]
    assert {row["backend"] for row in shown} == set("xyz")
    assert sorted((row["a"], row["b"]) for row in shown) == [*product(range(3), range(4))]


def test_the_marks_leave_every_backend(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        "from tests.conftest import backend, pytest_collection_modifyitems\n"
    )
    (tmp_path / "test_marks.py").write_text(
        """
import pytest

@pytest.mark.parametrize("size", range(5))
def test_sizes(backend, size): pass

@pytest.mark.slow
def test_slow(): pass

def test_plain(backend): pass

@pytest.mark.every(3)
@pytest.mark.parametrize("value", range(9))
def test_third(value): pass
"""
    )

    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider"]
    where = ["-c", str(ROOT / "pyproject.toml"), f"--rootdir={tmp_path}", str(tmp_path)]
    done = subprocess.run(
        [*command, *where, "-m", "not slow"],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=ROOT,
        env={**os.environ, "PYTEST_ADDOPTS": ""},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    quick = [line.partition("::")[2] for line in done.stdout.splitlines() if "::" in line]
    sizes = [name for name in quick if name.startswith("test_sizes")]
    assert len(sizes) == 5
    for backend in ("cython", "numba", "numpy"):
        assert any(backend in name for name in sizes)
        assert f"test_plain[{backend}]" in quick
    # Of the others, ten are variants, six have a mark, and one is slow.
    assert [name for name in quick if "third" in name] == [f"test_third[{i}]" for i in (0, 3, 6)]
    assert f"({1 + 10 + 6} deselected)" in done.stdout
