"""Requirements of the recipes in CONTRIBUTING.md that no other test checks."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import fastkappa
from fastkappa.statistics.scheme import NAMED

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "fastkappa"
KERNELS = PACKAGE / "kernels"
GUIDES = ("coming_from", "evidence", "how_to", "start", "understand")


def text_of(*parts: str) -> str:
    return ROOT.joinpath(*parts).read_text(encoding="utf-8")


def test_every_list_of_weighting_schemes_has_all_of_them() -> None:
    names = {name for name in NAMED if name is not None}
    runs = [
        (path.name, set(re.findall(r"\w+", re.sub(" or | and ", " ", run))))
        for path in PACKAGE.rglob("*")
        if path.suffix in (".py", ".pyi", ".pyx")
        for run in re.findall(
            r"""['"]linear['"](?:(?:,| or| and)+ ['"]\w+['"])*""", path.read_text("utf-8")
        )
        if "quadratic" in run
    ]
    assert len(runs) > 40
    assert [run for run in runs if not run[1] >= names] == []


COEFFICIENTS = [
    name
    for name, function in inspect.getmembers(fastkappa, inspect.isfunction)
    if inspect.signature(function).return_annotation == "MultiRaterResult"
]


@pytest.mark.parametrize(
    "file",
    [
        "tests/multirater/test_rater_forms.py",
        "tests/multirater/test_clusters_of_subjects.py",
        "fastkappa/cli/reports/agree_parts.py",
        "docs/understand/formulas.md",
    ],
)
def test_every_coefficient_of_several_raters_is_in(file: str) -> None:
    assert len(COEFFICIENTS) >= 7
    assert [name for name in COEFFICIENTS if name not in text_of(file)] == []


def test_every_compiled_kernel_is_called_wrongly_too() -> None:
    """Check the calls of ci/compiled_calls.py, which are repeated to find memory errors."""
    files = KERNELS.joinpath("cython").glob("*.pyx")
    kernels = {name for file in files for name in re.findall(r"^def (\w+)", file.read_text(), re.M)}
    of_levels = {name for name in kernels if "simd" in name} | {"looks_up_as_fast"}
    calls = set(re.findall(r"\w+", text_of("ci", "compiled_calls.py")))
    assert len(kernels - of_levels) > 10
    assert kernels - of_levels <= calls


# The kernels for pairs call the functions for narrow columns.
@pytest.mark.parametrize(
    "folder",
    sorted({path.parent.name for path in (KERNELS / "c").glob("*/*.h")} - {"common", "narrow"}),
)
def test_every_kind_of_kernel_is_fuzzed(folder: str) -> None:
    called = set(re.findall(r"(\w+)\(", text_of("tests", "fuzz", "any_call.h")))
    headers = (KERNELS / "c" / folder).glob("*.h")
    functions = {
        name
        for header in headers
        for name in re.findall(r"static (?:\w+ )+\**(\w+)\(", header.read_text())
    }
    assert functions & called


def test_every_simd_level_is_checked_and_timed() -> None:
    header = text_of("fastkappa", "kernels", "c", "common", "simd_level.h")
    levels = re.findall(r'"(\w+)"', re.findall(r"names\[SIMD_LEVELS\] = \{(.+)\}", header)[0])
    assert len(levels) > 3
    for file in ("ci/sanitize", "bench/harness/sweep.py"):
        assert [level for level in levels if f'"{level}"' not in text_of(file)] == []


def test_every_picture_has_a_baseline() -> None:
    plotting = pytest.importorskip("fastkappa.plotting")
    drawn = text_of("tests", "plotting", "test_plotting_images.py")
    assert [name for name in plotting.__all__ if f"lambda ax: {name}(" not in drawn] == []


def test_every_public_function_is_shown_in_a_guide() -> None:
    pages = [page for folder in GUIDES for page in (ROOT / "docs" / folder).rglob("*.md")]
    words = {word for page in pages for word in re.findall(r"\w+", page.read_text("utf-8"))}
    public = {name for name in fastkappa.__all__ if inspect.isroutine(getattr(fastkappa, name))}
    assert len(public) > 30
    assert public <= words
