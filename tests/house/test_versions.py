"""The version and the requirements stand in more than one file."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

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
