"""The modules that `import fastkappa` loads, its import time, and the walls between packages."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import fastkappa
from fastkappa.results.result import Result
from tests.helpers.public import NAMES, public_objects

ROOT = Path(__file__).parents[2]
OPTIONAL = (
    "sklearn",
    "pandas",
    "numba",
    "llvmlite",
    "matplotlib",
    "pyarrow",
    "polars",
    "typer",
    "rich",
    "scipy",
    "narwhals",
    "duckdb",
    "dask",
    "pyspark",
    "torch",
)


def run(code: str, environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "use",
    [
        "",
        "fastkappa.kappa_from_confusion([[1, 2], [3, 4]])",
        "fastkappa.cohen_kappa_score([1, 2, 1], [1, 2, 2])",
        "fastkappa.cohen_kappa_score(['a', 'b', 'a'], ['a', 'b', 'b'], weights='linear')",
        "fastkappa.confusion_matrix([1, 2, 1], [1, 2, 2], sample_weight=[1, 2, 3])",
        "fastkappa.confusion_counts([1, 2, 1], [1, 2, 2], backend='numpy')",
        "str(fastkappa.agreement([1, 2, 1], [1, 2, 2], weights='linear'))",
        "fastkappa.agreement_by([1, 2, 1, 2], [1, 2, 1, 2], groups=[1, 1, 2, 2])",
        "fastkappa.bootstrap([[20, 5], [10, 15]], n_resamples=99)",
        "fastkappa.planning.sample_size(0.7, null_kappa=0.5)",
    ],
)
def test_no_optional_library_is_loaded(use: str) -> None:
    code = f"""
import sys
import fastkappa
loaded = {{name.partition(".")[0] for name in sys.modules}} & set({OPTIONAL!r})
assert not loaded, loaded
{use}
loaded = {{name.partition(".")[0] for name in sys.modules}} & set({OPTIONAL!r})
from fastkappa.kernels import dispatch
if dispatch.name_of(dispatch.get_kernels()) == "numba":
    loaded -= {{"numba", "llvmlite", "scipy"}}  # it was chosen for want of a compiled backend
assert not loaded, loaded
"""
    run(code)


def test_numba_is_loaded_when_it_is_asked_for() -> None:
    """Without this test, the test above could pass because the names never appear."""
    pytest.importorskip("numba")
    run(
        "import sys, fastkappa;"
        "fastkappa.confusion_counts([1], [1], backend='numba');"
        "assert 'numba' in sys.modules"
    )


def test_it_works_where_no_optional_library_is_installed() -> None:
    code = f"""
import sys
for name in {OPTIONAL!r}:
    sys.modules[name] = None  # an import of it raises ImportError
import fastkappa
assert fastkappa.cohen_kappa_score(["a", "b", "a"], ["a", "b", "b"]) == 0.4
assert fastkappa.kappa_from_confusion([[20, 5], [10, 15]]) == 0.4
assert fastkappa.confusion_matrix([1, 2], [2, 2]).tolist() == [[0, 1], [0, 1]]
fastkappa.show_config()
"""
    assert "missing" in run(code)


def test_importing_starts_no_threads_and_changes_no_environment() -> None:
    run(
        "import os, threading; before = dict(os.environ); import numpy, fastkappa;"
        "assert dict(os.environ) == before; assert threading.active_count() == 1"
    )


def test_import_time(tmp_path: Path) -> None:
    """`import fastkappa` loads nothing; with the first kappa, it takes 1.4 times NumPy's import.

    Both are timed alternately, from bytecode. Processor time is used, because other work on the
    machine affects the clock. Without bytecode, each import would compile the source, which takes
    five times as long.
    """
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    code = "import time; t = time.process_time(); {}; print(time.process_time() - t)"

    def seconds(statement: str) -> float:
        return float(run(code.format(statement), environment))

    kappa = "import fastkappa; fastkappa.cohen_kappa_score([1, 2], [1, 2])"
    seconds(kappa)  # This call writes the bytecode of both.
    found: dict[str, list[float]] = {"import numpy": [], "import fastkappa": [], kappa: []}
    for _ in range(12):
        for statement, times in found.items():
            times.append(seconds(statement))
        numpys, alone, used = map(min, found.values())
        if len(found[kappa]) > 2 and used < 1.4 * numpys and alone < 0.2 * numpys:
            return
    pytest.fail(f"import numpy takes {numpys}, import fastkappa {alone}, with a kappa {used}")


def test_public_names() -> None:
    # Even if all packages are imported, they are not public names.
    modules = {"boosting", "datasets", "estimators", "jit", "measurements", "planning"}
    modules |= {"plotting", "results"}
    assert {*dir(fastkappa)} == {*fastkappa.__all__, *modules, "__version__"}
    assert len(fastkappa.__all__) <= 40
    for name, thing in public_objects("measurements", "planning", "plotting", "results").items():
        assert thing.__doc__, name


def test_each_public_name_is_in_one_place() -> None:
    names = [name.rpartition(".")[2] for name in NAMES if not name.startswith("jit.")]
    assert len(names) == len(set(names))


def test_results_are_in_one_module() -> None:
    def below(base: type) -> Iterator[type]:
        for found in base.__subclasses__():
            yield found
            yield from below(found)

    public_objects()
    # The base classes of tables and measurements, and results that only the command line prints.
    inner = {"CountsResult", "MeasuredResult", "Plan", "ResultInUnits", "TableKappas"}
    own = {found.__name__ for found in below(Result) if found.__module__.startswith("fastkappa.")}
    assert own - inner == {*fastkappa.results.__all__}


def test_public_names_are_found_at_once_the_second_time() -> None:
    run(
        "import fastkappa; f = fastkappa.agreement; assert vars(fastkappa)['agreement'] is f;"
        "r = fastkappa.results.AgreementResult; assert r is f.__globals__['AgreementResult']"
    )


def test_unknown_names() -> None:
    with pytest.raises(AttributeError, match=r"'fastkappa\.results' has no attribute 'Nothing'"):
        _ = fastkappa.results.Nothing
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = fastkappa.no_such_name


# Walls.


def _script(name: str) -> Any:
    """Return a script of ci/ as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "ci" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def walls() -> Any:
    return _script("check_walls")


def test_files_that_are_too_long_are_found(walls: Any, tmp_path: Path) -> None:
    (tmp_path / "pairs").mkdir()
    for name in ("count.py", "pairs/kernel.h", "call.pyx", "notes.txt"):
        for n_lines in (450, 451):
            path = tmp_path / name.replace(".", f"_{n_lines}.")
            path.write_text("# a line\n" * n_lines)
    found = [
        line.removeprefix(f"{tmp_path}/").partition(":")[0] for line in walls.breaches(tmp_path)
    ]
    assert found == ["call_451.pyx", "count_451.py", "pairs/kernel_451.h"]


@pytest.mark.parametrize("name", ["bench/study.py", "ci/check.py", "tests/fuzz/any_call.h"])
def test_files_beside_the_package_are_as_short(walls: Any, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text("# a line\n" * 450)
    assert walls.all_breaches(tmp_path) == []
    path.write_text("# a line\n" * 451)
    assert walls.all_breaches(tmp_path) == [f"{path}: 451 lines, but at most 450 are allowed"]


def test_walls_are_checked_by_the_script() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "ci" / "check_walls.py"],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=os.sep,
    )
    assert (done.stdout.strip(), done.returncode) == ("every wall stands", 0)


BREACHES = {
    (
        "statistics/kappa.py",
        "from fastkappa.tables.count import tabulate",
    ): "must not read samples",
    ("thresholds/cuts/a.py", "from fastkappa.thresholds.items import b"): "must not read samples",
    (
        "thresholds/items/a.py",
        "from fastkappa.thresholds.cuts import b",
    ): "must not compute statistics",
    (
        "multirater/items/a.py",
        "import fastkappa.multirater.statistics",
    ): "must not compute statistics",
    ("leaderboards/ranking.py", "import fastkappa.tables.count"): "must not read samples",
    ("statistics/kappa.py", "from fastkappa import tables"): "must not read samples",
    ("statistics/kappa.py", "from ..tables import count"): "must not read samples",
    ("tables/count.py", "import fastkappa.statistics.kappa"): "must not compute statistics",
    (
        "tables/count.py",
        "def f():\n    from fastkappa.statistics import kappa",
    ): "must not compute statistics",
    ("tables/count.py", "from fastkappa.metrics import cohen_kappa_score"): "is below",
    ("statistics/kappa.py", "from fastkappa import config"): "is below",
    ("kernels/numpy/pairs.py", "from fastkappa.kernels import threads"): "its own engine",
    ("kernels/numba/pairs.py", "from fastkappa.kernels.numpy.pairs import x"): "own engine",
    ("kernels/cython/pairs.pyx", "from fastkappa.kernels.numpy cimport pairs"): "own engine",
    ("kernels/cython/pairs.pyx", "import pandas"): "pandas may be imported only in",
    ("tables/count.py", "from fastkappa.kernels.numba import pairs"): "chooses a backend",
    ("metrics.py", "import fastkappa.kernels.cython.pairs"): "chooses a backend",
    ("tables/count.py", "import threading"): "starts threads",
    ("metrics.py", "from concurrent.futures import ThreadPoolExecutor"): "starts threads",
    ("metrics.py", "import numba"): "numba may be imported only in",
    ("jit/kappas.py", "from fastkappa.kernels.numba import loops"): "chooses a backend",
    ("metrics.py", "def f():\n    from sklearn import metrics"): "sklearn may be imported only in",
    ("config.py", "import requests"): "not a dependency",
    ("sources/frames.py", "from fastkappa.statistics import kappa"): "only fills tables",
    ("sources/batches.py", "import pyarrow"): "pyarrow may be imported only in",
    ("thresholds/optimal.py", "import fastkappa.two_raters.result"): "thresholds may import",
    ("two_raters/result.py", "from fastkappa.cli import options"): "two_raters may import",
    ("cli/reports/a.py", "from fastkappa.formatting import figure"): "formats its figures",
    ("cli/commands/a.py", "from fastkappa.results.report import facts"): "formats its figures",
    ("cli/files/a.py", "from fastkappa.results.report import Grid"): "formats its figures",
    ("multirater/result.py", "import textwrap"): "only results/text.py wraps text",
    ("ratings/read.py", "from fastkappa.kernels.threads import new_lock"): "ratings is below",
    ("cli/reports/a.py", "print(1)"): "writes this",
    ("cli/commands/a.py", "console.print(1)"): "writes this",
    ("cli/files/a.py", "import sys\nsys.stderr.write('x')"): "writes this",
    ("cli/files/b.py", "import csv\ncsv.writer(file)"): "only results/csv_rows",
    ("cli/pages/a.py", "import html\nhtml.escape('x')"): "only results/html",
    ("multirater/items/a.py", "from fastkappa.multirater import result"): "multirater/items may",
    ("leaderboards/items/a.py", "def f(labels):\n    labels.widened([])"): "only a Tally widens",
    ("tables/by_group.py", "def f(self):\n    self._kernels.sum_pairs()"): "sums weights",
}


@pytest.mark.parametrize(("file", "code"), BREACHES)
def test_breaches_are_found(walls: Any, tmp_path: Path, file: str, code: str) -> None:
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text(f"import numpy as np\n{code}\n")
    (found,) = walls.breaches(tmp_path)
    assert BREACHES[file, code] in found
    assert f"{file}:" in found


def test_no_breach_is_seen_where_none_is(walls: Any, tmp_path: Path) -> None:
    for file, code in {
        "kernels/numba/pairs.py": "import numba\nfrom fastkappa.arrays import AnyArray",
        "kernels/threads.py": "import threading, os",
        "statistics/kappa.py": "from fastkappa.statistics.weights import Weights",
        "metrics.py": "from fastkappa.tables import confusion\nimport fastkappa.statistics.kappa",
        "estimators/regressor.py": "import sklearn.base",
        "jit/confusion.py": "import numba\nfrom fastkappa.kernels.numba import loops",
        "kernels/cython/pairs.pyx": "from libc.stdint cimport int64_t\nimport sys",
    }.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(code)
    assert walls.breaches(tmp_path) == []


def test_circles_and_rooms_too_large_are_found(walls: Any, tmp_path: Path) -> None:
    room = tmp_path / "tables"
    room.mkdir()
    for i in range(14):
        (room / f"file_{i}.py").write_text("")
    (room / "one.py").write_text("from fastkappa.tables import two")
    assert walls.breaches(tmp_path) == []
    (room / "two.py").write_text("def f():\n    from fastkappa.tables.one import g")
    too_large, circle = walls.breaches(tmp_path)
    assert too_large.endswith("a room must have at most 15 files")
    assert circle == "tables/one.py imports tables/two.py imports tables/one.py: a circle"


# A feature, and the features that need it.
FEATURES = {
    "accumulator": (),
    "boosting": (),
    "datasets": (),
    "decoding": ("estimators",),
    "measurements": ("boosting", "estimators"),
    "planning": (),
    # Only `Ratings.from_long` of a file or frame.
    "sources": ("multirater",),
    "estimators": (),
    "jit": (),
    "leaderboards": (),
    "multirater": (),
    "plotting": (),
    "thresholds": ("estimators",),
    # Only `ConfusionAccumulator.agreement` and `PairwiseKappa[a, b]`.
    "two_raters": ("accumulator", "multirater"),
}


@pytest.mark.parametrize("feature", FEATURES)
def test_no_other_room_needs_a_feature(walls: Any, feature: str) -> None:
    users = {
        room.partition("/")[0]
        for room, allowed in walls.MAY_IMPORT.items()
        if any(other.partition("/")[0] == feature for other in allowed)
    }
    assert users - {feature, "cli"} == set(FEATURES[feature])


def test_the_rest_works_without_any_feature(tmp_path: Path) -> None:
    """Delete the folders of the features: the rest can still be imported and computes scores."""
    package = tmp_path / "fastkappa"
    shutil.copytree(ROOT / "fastkappa", package, ignore=shutil.ignore_patterns("__pycache__"))
    for feature in (*FEATURES, "cli"):
        if (package / feature).is_dir():
            shutil.rmtree(package / feature)
        else:
            (package / f"{feature}.py").unlink()
    code = (
        "import importlib, pathlib, fastkappa\n"
        f"root = pathlib.Path({str(tmp_path)!r})\n"
        "assert pathlib.Path(fastkappa.__file__).parent.parent == root\n"
        "for file in sorted((root / 'fastkappa').rglob('*.py')):\n"
        "    parts = file.relative_to(root).with_suffix('').parts\n"
        "    if parts[-1] != '__main__' and not any('numba' in part for part in parts):\n"
        "        importlib.import_module('.'.join(parts).removesuffix('.__init__'))\n"
        "print(fastkappa.cohen_kappa_score([1, 2, 3, 3], [1, 3, 3, 2], weights='quadratic'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert (done.returncode, done.stdout) == (0, "0.6363636363636364\n"), done.stderr
