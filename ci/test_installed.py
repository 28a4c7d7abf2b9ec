"""Run the tests on an installed copy of fastkappa, from a folder without its source.

usage: python ci/test_installed.py [WHAT [TESTS ...] [--OPTION-OF-pytest ...]]

WHAT is a wheel, a source archive or a folder, and is installed in a new environment; without it
the copy in this one is tested. The tests' libraries are installed as far as they exist for this
Python without a compiler; what is missing is printed, and pytest says which tests were skipped
for it. TESTS are files or folders, or tests as pytest names them; without any all tests run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
# What the tests read besides themselves.
NEEDED = ("tests", "bench", "docs", "ci", "README.md", "CITATION.cff", "pyproject.toml", "setup.py")
# The walls between the files of the source, its pages, and what recipes ask for in both.
OF_THE_SOURCE = tuple(
    f"tests/house/test_{name}.py" for name in ("imports", "docs", "recipes", "versions")
)
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())


def requirements(group: str) -> list[str]:
    """Return the requirements of a dependency group, with the extras that it names written out."""
    found: list[str] = []
    for requirement in SETTINGS["dependency-groups"][group]:
        found += _written_out(requirement)
    return list(dict.fromkeys(found))


def _written_out(requirement: str) -> list[str]:
    """Return a requirement, or those of the extras of fastkappa that it names."""
    own = re.fullmatch(r"fastkappa\[(.*)\]", requirement)
    if own is None:
        return [requirement]
    extras = SETTINGS["project"]["optional-dependencies"]
    return [
        one for name in own[1].split(",") for other in extras[name] for one in _written_out(other)
    ]


def install(python: str, *arguments: str) -> bool:
    """Return whether pip installed it."""
    options = ["--quiet", "--no-compile", "--prefer-binary"]
    command = [python, "-m", "pip", "install", *options, *arguments]
    return subprocess.run(command, check=False).returncode == 0


def install_libraries(python: str) -> list[str]:
    """Install what the tests need; return what is not to be had for this Python."""
    wanted = [*requirements("test"), *requirements("libraries")]
    if install(python, "--only-binary", ":all:", *wanted):
        return []
    # PyYAML, which Dask needs, is made of its source without a compiler too.
    return [
        name
        for name in wanted
        if not install(python, "--only-binary", ":all:", name)
        and not install(python, "--only-binary", ":all:", "--no-binary", "pyyaml", name)
    ]


def main(what: str | None = None, *arguments: str) -> int:
    """Run the tests and return pytest's exit status."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        python = sys.executable
        if what is not None:
            venv.create(folder / "venv", with_pip=True)
            python = str(folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python")
            if not install(python, str(Path(what).resolve())):
                return 1
        missing = install_libraries(python)
        elsewhere = folder / "tests_alone"
        elsewhere.mkdir()
        for name in NEEDED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, elsewhere / name)
        print(f"Python {sys.version}\nwithout {', '.join(missing) or 'nothing'}", flush=True)
        command = [python, "-m", "pytest", "-q", "-n", "auto"]
        command += [f"--ignore={path}" for path in OF_THE_SOURCE]
        if not any((elsewhere / argument.partition("::")[0]).exists() for argument in arguments):
            command += ["tests", "docs", "README.md"]
        return subprocess.run([*command, *arguments], cwd=elsewhere).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
