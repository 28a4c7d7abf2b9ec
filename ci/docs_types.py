"""Check the types of the code in the documentation, as a user's type checker would.

    python ci/docs_types.py [FOLDER]

writes the Python code of each page (README.md and the pages of docs/) to a file in FOLDER, which is
a temporary folder by default. It runs `mypy --strict` on these files, and basedpyright or pyright
if installed. Line numbers in a file are those of its page. It also checks that wrong names of
schemes, methods and functions are rejected. The script exits with 1 if there is an error.

Functions that a page defines without annotations are allowed, and so are results of libraries
without types. Calls of fastkappa must pass the check.
"""

from __future__ import annotations

import doctest
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Errors to ignore: a page's own definitions have no annotations, and some libraries are untyped.
NOT_OURS = ("no-untyped-def", "no-untyped-call", "override", "import-untyped", "import-not-found")
# Errors to ignore: in an interactive session, a name is often reassigned with another type.
REDEFINED = ("assignment", "no-redef")
CHECKERS = ("basedpyright", "pyright")
PYRIGHT_RULES = {
    "typeCheckingMode": "standard",
    "reportMissingModuleSource": "none",
    "reportMissingImports": "none",
    "reportRedeclaration": "none",
    "reportIncompatibleMethodOverride": "none",
    "reportUnusedExpression": "none",
    "reportUnnecessaryTypeIgnoreComment": "error",
}

# Code that a checker must reject. If a line is accepted, the checker reports that its ignore
# comment is unused.
WRONG = """
import numpy as np

import fastkappa

y = [1, 2, 2]
fastkappa.cohen_kappa_score(y, y, weights="quadratc")  # type: ignore[arg-type]
fastkappa.agreement(y, y, distribution="z")  # type: ignore[arg-type]
fastkappa.agreement(y, y, alternative="one-sided")  # type: ignore[arg-type]
fastkappa.measurements.intraclass_correlation([y, y], missing="omit")  # type: ignore[arg-type]
fastkappa.agreement(y, y).interpret("landis")  # type: ignore[arg-type]
fastkappa.krippendorff_alpha([y, y], level="cardinal")  # type: ignore[arg-type]
fastkappa.optimal_thresholds(y, y, method="fast")  # type: ignore[arg-type]
fastkappa.bootstrap([[1, 2], [3, 4]], method="BCA")  # type: ignore[arg-type]
fastkappa.score_many(y, [y], backend="gpu")  # type: ignore[arg-type]
fastkappa.planning.sample_size(0.7, alternative="larger")  # type: ignore[arg-type]
fastkappa.confusion_from_source({}, "a", "b", group="c").table  # type: ignore[attr-defined]
fastkappa.no_such_function(y)  # type: ignore[attr-defined]
# And what it must take.
for weights in (None, "linear", [[0, 1], [1, 0]], np.eye(2)):
    fastkappa.cohen_kappa_score(y, y, weights=weights)
number: float = fastkappa.fleiss_kappa([y, y]).value
table: dict[str, object] = fastkappa.ConfusionAccumulator().agreement().to_dict()
"""


def pages() -> list[Path]:
    """Return the pages with code."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def code_of(page: Path) -> str:
    """Return the Python code of a page, with each line at its line number in the page.

    An expression whose value is shown is not assigned to a name.
    """
    text = page.read_text(encoding="utf-8")
    lines = [""] * (text.count("\n") + 1)
    for block in BLOCK.finditer(text):
        start = text.count("\n", 0, block.start(1))
        examples = doctest.DocTestParser().get_examples(block[1])
        if not examples:
            for i, line in enumerate(block[1].splitlines()):
                lines[start + i] = line
        for example in examples:
            for i, line in enumerate(example.source.splitlines()):
                lines[start + example.lineno + i] = line
    return "\n".join(lines) + "\n"


def write_pages(folder: Path) -> list[Path]:
    """Write the code of all pages, and return the files."""
    files = []
    for page in pages():
        code = code_of(page)
        if code.strip():
            name = "_".join(page.relative_to(ROOT).with_suffix("").parts).lower()
            files.append(folder / f"{name}_page.py")
            files[-1].write_text(code, encoding="utf-8")
    files.append(folder / "wrong_calls.py")
    files[-1].write_text(WRONG, encoding="utf-8")
    return files


def run_mypy(files: list[Path]) -> int:
    """Run mypy in strict mode."""
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--pretty"]
    # The cache is separate from the package's, because the options differ.
    command += ["--cache-dir", str(ROOT / ".mypy_cache" / "docs")]
    command += ["--allow-redefinition", "--no-error-summary", "--follow-imports=silent"]
    # If a framework is not installed, its classes have the type Any, so mypy would reject
    # subclasses of them.
    command += ["--allow-subclassing-any"]
    command += [f"--disable-error-code={code}" for code in NOT_OURS + REDEFINED]
    return subprocess.run([*command, *map(str, files)], cwd=ROOT).returncode


def run_pyright(files: list[Path], folder: Path) -> int:
    """Run basedpyright or pyright, if one is installed."""
    beside = Path(sys.executable).parent
    found = (shutil.which(name, path=str(beside)) or shutil.which(name) for name in CHECKERS)
    checker = next((path for path in found if path), None)
    if checker is None:
        print("neither basedpyright nor pyright is installed: only mypy has checked the pages")
        return 0
    settings = {
        **PYRIGHT_RULES,
        "include": [file.name for file in files],
        "extraPaths": [str(ROOT)],
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [checker, "--project", str(folder), "--pythonpath", sys.executable]
    return subprocess.run(command, cwd=folder).returncode


def main() -> int:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary).resolve()
        folder.mkdir(exist_ok=True)
        files = write_pages(folder)
        return run_mypy(files) or run_pyright(files, folder)


if __name__ == "__main__":
    sys.exit(main())
