"""Run the tests on an installed copy of fastkappa, from a folder without its source.

usage: python ci/test_installed.py [WHAT [TESTS ...] [--OPTION-OF-pytest ...]]

WHAT is a wheel, a source archive or a folder, which is installed in a new environment. Without
WHAT, the copy in the current environment is tested. The libraries for the tests are installed if
they have wheels for this Python. The names of missing libraries are printed, and pytest reports the
tests that are skipped because of them. TESTS are files, folders or pytest node IDs. By default, all
tests are run.
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
# The files and folders that the tests need.
NEEDED = ("tests", "bench", "docs", "ci", "README.md", "CITATION.cff", "pyproject.toml", "setup.py")
# Tests of the source tree, for example of its pages and of the recipes in CONTRIBUTING.md. They are
# not run on an installed package.
OF_THE_SOURCE = tuple(
    f"tests/house/test_{name}.py" for name in ("imports", "docs", "recipes", "versions")
)
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())


def requirements(group: str) -> list[str]:
    """Return the requirements of a dependency group, with extras replaced by their requirements."""
    found: list[str] = []
    for requirement in SETTINGS["dependency-groups"][group]:
        found += _written_out(requirement)
    return list(dict.fromkeys(found))


def _written_out(requirement: str) -> list[str]:
    """Return a requirement, or the requirements of the extras of fastkappa that it names."""
    own = re.fullmatch(r"fastkappa\[(.*)\]", requirement)
    if own is None:
        return [requirement]
    extras = SETTINGS["project"]["optional-dependencies"]
    return [
        one for name in own[1].split(",") for other in extras[name] for one in _written_out(other)
    ]


def install(python: str, *arguments: str) -> bool:
    """Run pip install, and return whether it succeeded."""
    options = ["--quiet", "--no-compile", "--prefer-binary"]
    command = [python, "-m", "pip", "install", *options, *arguments]
    return subprocess.run(command, check=False).returncode == 0


def install_libraries(python: str) -> list[str]:
    """Install the libraries for the tests, and return those without wheels for this Python."""
    wanted = [*requirements("test"), *requirements("libraries")]
    if install(python, "--only-binary", ":all:", *wanted):
        return []
    # If PyYAML, which Dask needs, has no wheel, it can be built from source without a compiler.
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
