"""Facts about the package that are stated in several files, and the text on a package index."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import fastkappa

ROOT = Path(__file__).parents[2]
RECIPE = ROOT / "ci" / "conda" / "recipe.yaml"


def test_every_file_has_the_same_version() -> None:
    citation = re.findall(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.M)
    recipe = re.findall(r'^  version: "(.+)"$', RECIPE.read_text(), re.M)
    assert citation == recipe == [fastkappa.__version__]


def test_the_conda_package_requires_what_the_wheel_does() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    host, run = re.findall(
        r"^  host:\n(.+?)^  run:\n(.+?)^  run_constraints:", RECIPE.read_text(), re.M | re.S
    )[0]
    for part, requirements in (
        (host, pyproject["build-system"]["requires"]),
        (run, pyproject["project"]["dependencies"]),
    ):
        assert set(re.findall(r"- (\S+ \S+)", part)) == {
            r.replace(">=", " >=") for r in requirements
        }


@pytest.fixture(scope="module")
def setup() -> ModuleType:
    """Return setup.py, which builds the package."""
    pytest.importorskip("Cython")
    spec = importlib.util.spec_from_file_location("setup", ROOT / "setup.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_conda_package_has_every_compiled_module(setup: ModuleType) -> None:
    imported = re.findall(r"^ +- (fastkappa\.\S+)$", RECIPE.read_text(), re.M)
    assert set(imported) == set(setup.MODULES)
    for module in setup.MODULES:
        assert (ROOT / f"{module.replace('.', '/')}.pyx").is_file()


def test_links_of_the_readme_work_on_an_index_page(setup: ModuleType) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    address = "https://host.example/owner/fastkappa"
    found = setup.absolute_links(readme, f"{address}/", "1.2.3")
    relative = re.findall(r"\]\(([^)]+)\)", readme)
    absolute = re.findall(r"\]\(([^)]+)\)", found)
    assert len(relative) == len(absolute) > 5
    for before, after in zip(relative, absolute, strict=True):
        kind = "raw" if before.endswith(".svg") else "blob"
        assert after == f"{address}/{kind}/v1.2.3/{before}"
    # Nothing else changes: neither absolute links nor links within the page.
    others = "[a](https://b.example/c) [d](mailto:e@f.example) [g](#h) x(1) y[0](1, 2)"
    assert setup.absolute_links(others, address, "1.2.3") == others
    assert re.sub(r"\]\([^)]+\)", "", found) == re.sub(r"\]\([^)]+\)", "", readme)


def test_extras_and_groups_name_what_is_there() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    groups = project["dependency-groups"]
    named = [one for group in [*extras.values(), *groups.values()] for one in group]
    for requirement in named:
        if isinstance(requirement, dict):
            assert requirement["include-group"] in groups
        elif own := re.fullmatch(r"fastkappa\[(.+)\]", requirement):
            assert set(own[1].split(",")) <= set(extras)
    (everything,) = extras["all"]
    assert everything == f"fastkappa[{','.join(sorted({*extras} - {'all'}))}]"
