"""If the import of an optional library fails with any error, there is a reason, not a crash."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fastkappa.install_hint import install_command
from tests.helpers.fresh_python import ROOT, run_python

ERRORS = {
    "AttributeError": "raise AttributeError(\"module 'coverage' has no attribute 'types'\")",
    "ImportError": "raise ImportError('undefined symbol: PyFoo')",
    "ValueError": "raise ValueError('numpy.dtype size changed,\\n may be incompatible')",
    "RuntimeError": "raise RuntimeError('CPU is too old')",
}


def with_broken(library: str, error: str, code: str, folder: Path) -> str:
    """Return the output of code if the import of a library fails with an error."""
    (folder / f"{library}.py").write_text(ERRORS[error])
    path = os.pathsep.join([str(folder), str(ROOT)])
    return run_python(code, PYTHONPATH=path, FASTKAPPA_BACKEND="")


@pytest.mark.parametrize("error", ERRORS)
def test_a_broken_numba_is_a_reason_and_the_rest_works(error: str, tmp_path: Path) -> None:
    code = """
import sys
sys.modules["fastkappa.kernels.cython.pairs"] = None  # so that numba is the next to try
import fastkappa
fastkappa.show_config()
assert fastkappa.cohen_kappa_score([1, 2, 1], [1, 2, 2]) == 0.4
assert fastkappa.optimal_thresholds([1, 2, 2], [0.1, 0.7, 0.9]).kappa == 1
try:
    fastkappa.confusion_counts([1], [1], backend="numba")
except ImportError as error:
    print(error)
"""
    shown = with_broken("numba", error, code, tmp_path)
    lines = [line for line in shown.splitlines() if "numba" in line]
    assert len(lines) == 2
    assert lines[0].startswith("backend numba     missing: ")
    assert lines[1].startswith("backend='numba' is not available: ")
    for line in lines:
        assert {
            "AttributeError": "AttributeError: module 'coverage' has no attribute 'types'",
            "ImportError": "undefined symbol: PyFoo",
            "ValueError": "ValueError: numpy.dtype size changed, may be incompatible",
            "RuntimeError": "RuntimeError: CPU is too old",
        }[error] in line
    assert "backend in use    numpy" in shown


@pytest.mark.parametrize("error", ["AttributeError", "ImportError"])
@pytest.mark.parametrize(
    ("library", "extra", "use", "message"),
    [
        ("numba", "numba", "fastkappa.jit", "fastkappa.jit needs numba: "),
        (
            "sklearn",
            "sklearn",
            "fastkappa.estimators.KappaRounder",
            "fastkappa.estimators needs scikit-learn: ",
        ),
        (
            "matplotlib",
            "plot",
            "fastkappa.plotting.plot_confusion([[1, 2], [3, 4]])",
            "a picture needs matplotlib: ",
        ),
        (
            "pandas",
            "pandas",
            "fastkappa.leaderboard([1, 2], {'a': [1, 2]}).to_frame()",
            "to_frame needs pandas: ",
        ),
        (
            "pyarrow",
            "cli",
            "fastkappa.confusion_from_source('x.parquet', y1='a', y2='b')",
            " needs pyarrow: ",
        ),
        (
            "narwhals",
            "frames",
            "fastkappa.confusion_from_source(object(), y1='a', y2='b')",
            " needs narwhals: ",
        ),
    ],
)
def test_a_feature_names_the_extra_and_the_cause(
    library: str, extra: str, use: str, message: str, error: str, tmp_path: Path
) -> None:
    code = f"""
import fastkappa
try:
    {use}
except ImportError as error:
    print(error)
    assert error.__cause__ is not None
"""
    shown = with_broken(library, error, code, tmp_path)
    assert f"{message}install it with: {install_command(f'fastkappa[{extra}]')}" in shown
    assert f"({error}: " in shown


@pytest.mark.parametrize(
    ("library", "terminal"), [("typer", False), ("rich", True)], ids=["typer", "rich"]
)
def test_the_command_line_says_what_is_broken(library: str, terminal: bool, tmp_path: Path) -> None:
    """Only the progress bar uses rich, and only on a terminal."""
    ratings = tmp_path / "ratings.csv"
    ratings.write_text("a,b\n1,1\n2,2\n1,2\n")
    code = f"""
import io, sys
sys.argv = ["fastkappa", "score", {str(ratings)!r}, "--y1", "a", "--y2", "b"]
sys.stderr = io.StringIO()
sys.stderr.isatty = lambda: {terminal}
from fastkappa.cli import main
try:
    main()
except SystemExit as exit:
    # The standard output is closed by then.
    open({str(tmp_path / "shown")!r}, "w").write(f"{{exit.code}} {{sys.stderr.getvalue()}}")
"""
    with_broken(library, "AttributeError", code, tmp_path)
    shown = (tmp_path / "shown").read_text()
    assert shown.startswith("2 fastkappa: ")
    assert f" needs {library}: install it with: {install_command('fastkappa[cli]')}" in shown
    assert "(AttributeError: module 'coverage' has no attribute 'types')" in shown
