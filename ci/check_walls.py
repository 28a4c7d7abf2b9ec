"""Check the rules for imports between files, and for the sizes of files and folders.

    python ci/check_walls.py [FOLDER]

reads the imports of every Python and Cython file of the package, including imports inside
functions. It prints every breach of a rule, and exits with 1 if there are any. Without FOLDER, it
also checks the lengths of the files in `bench/`, `ci/` and `tests/`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "fastkappa"

# The rooms that every room may import. A room is a folder or a file. If some subfolders
# of a folder are rooms of their own, the files directly in that folder together form one room.
EVERYBODY = {"arrays", "choices", "exceptions", "formatting", "frame"}
EVERYBODY |= {"install_hint", "lazy", "results"}
CORE = {"ratings", "tables", "kernels"}
# The rooms that each room may import, besides its own files and the rooms in EVERYBODY.
MAY_IMPORT: dict[str, set[str]] = {
    "ratings": set(),
    "kernels": set(),
    "tables": {"ratings", "kernels"},
    "statistics": set(),
    "shortcuts": {"kernels", "statistics"},
    "metrics": CORE | {"shortcuts", "statistics"},
    "scorer": CORE | {"shortcuts", "statistics"},
    "config": {"kernels"},
    "headers": set(),
    "measurements": {"ratings", "frame", "statistics"},
    "datasets": set(),
    "planning": {"statistics"},
    "two_raters": CORE | {"statistics"},
    "two_raters/statistics": {"statistics"},
    # multirater reads long ratings with sources, and scores pairs of raters with two_raters.
    "multirater": CORE | {"sources", "statistics", "two_raters"},
    "multirater/items": CORE,
    "multirater/statistics": {"statistics"},
    "thresholds": CORE | {"shortcuts", "statistics"},
    "thresholds/items": CORE,
    "thresholds/cuts": {"statistics"},
    "decoding": CORE | {"statistics"},
    "decoding/items": CORE,
    "leaderboards": CORE | {"statistics"},
    "leaderboards/items": CORE,
    "leaderboards/ranking": {"leaderboards/simultaneous", "statistics"},
    "leaderboards/simultaneous": {"kernels"},
    "accumulator": CORE | {"statistics", "two_raters"},
    "sources": CORE,
    "estimators": {"ratings", "measurements", "tables", "decoding", "statistics", "thresholds"},
    "boosting": {"measurements", "statistics", "tables"},
    "jit": CORE | {"statistics"},
    "plotting": {"statistics"},
    "cli": CORE
    | {"config", "datasets", "leaderboards", "measurements", "multirater", "planning", "plotting"}
    | {"sources", "statistics", "thresholds", "two_raters"},
}
# These files may import any room, because they list the public names of all rooms. The module of a
# name is loaded on first use.
LISTS_NAMES = ("__init__.py", "results/__init__.py")
LARGEST_ROOM = 15
LONGEST_FILE = 450
HAS_LINES = (".py", ".pyx", ".pxd", ".h")
# The limit LONGEST_FILE also applies to the files in these folders.
OTHER_FOLDERS = ("bench", "ci", "tests")

# For each optional library, the only files that may import it.
OPTIONAL = {
    "numba": r"(kernels/numba/\w+|shortcuts/numba_\w+|jit/\w+)\.py",
    "llvmlite": r"kernels/numba/\w+\.py",
    "typer": r"cli/(\w+|commands/\w+)\.py",
    "rich": r"cli/progress\.py",
    "pandas": r"frame\.py",
    "pyarrow": r"(sources/(arrow_\w+|text/\w+)|leaderboards/items/ids|ratings/interop)\.py",
    "sklearn": r"estimators/\w+\.py",
    "narwhals": r"sources/frames\.py",
    "dask": r"sources/dask_chunks\.py",
    "matplotlib": r"(plotting/\w+|cli/reports/picture)\.py",
    "python_calamine": r"cli/files/spreadsheets\.py",
}
# For each function that writes text to a terminal, a spreadsheet or a browser, the only files that
# may call it.
WRITES = {
    "print": r"(cli/terminal|config)\.py",
    "echo": r"",
    "secho": r"",
    "stdout.write": r"",
    "stderr.write": r"",
    "csv.writer": r"results/csv_rows\.py",
    "csv.DictWriter": r"",
    "escape": r"results/html\.py",
}
# For each function that widens tables or sums weights, the only files that may call it. A table is
# widened if a label is outside the expected range. The compiled shortcuts do the same for short
# calls.
WIDENS = {
    "widened": r"tables/(tally|codecs)\.py",
    "sum_pairs": r"tables/tally\.py",
    "sum_pairs_exactly": r"tables/tally\.py",
}
# Functions that format figures. In cli, only the demonstration (for its prose) and pages (for
# grids) may use them, because figures are formatted by the results themselves.
FIGURES = re.compile(
    r"(formatting|results)(\.\w+)*\.(Grid|abridged|counts_grid|estimate_grid|facts|figure|interval_head"
    r"|interval_text|number_text|p_value_text|BOOTSTRAP_METHODS)"
)
HAS_FIGURES = re.compile(r"cli/(reports/demo|pages/page)\.py|(?!cli/).*")
STARTS_THREADS = {"threading", "concurrent", "multiprocessing", "_thread", "asyncio"}
# Code that reads samples. This code and the code in TABLES must not import each other.
SAMPLES = re.compile(r"(ratings|tables|\w+[/.]items)\b")
# Code that reads tables.
TABLES = re.compile(r"(statistics|planning|\w+[/.](cuts|statistics|ranking|simultaneous))\b")
KERNEL = re.compile(r"kernels/(numpy|numba|cython)/")
# These files may import a backend directly, because code that is compiled into other compiled code
# cannot be chosen at run time.
COMPILED_TOGETHER = re.compile(r"(kernels/dispatch|jit/confusion|shortcuts/\w+)\.\w+")
IMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+c?import\s+\(?\s*(.*)|c?import\s+([\w.]+))")


def imports(file: Path, name: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the full name of each import in a file."""
    text = file.read_text()
    if file.suffix == ".py":
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                yield from ((node.lineno, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = node.module or ""
                if node.level:
                    folders = [PACKAGE, *Path(name).parts[:-1]]
                    base = ".".join([*folders[: len(folders) - node.level + 1], base]).strip(".")
                yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
        return
    for number, line in enumerate(text.splitlines(), 1):  # ast cannot parse Cython
        found = IMPORT.match(line)
        if found:
            yield (
                number,
                found[3] or f"{found[1]}.{found[2].split(',')[0].split()[0] if found[2] else ''}",
            )


def too_long(folder: Path) -> list[str]:
    """Return a message for each file of a folder that is too long."""
    found = []
    for file in sorted(folder.rglob("*")):
        if file.suffix in HAS_LINES:
            n_lines = file.read_text().count("\n")
            if n_lines > LONGEST_FILE:
                found.append(f"{file}: {n_lines} lines, but at most {LONGEST_FILE} are allowed")
    return found


def all_breaches(root: Path) -> list[str]:
    """Return the messages about the package, and about files of other folders that are too long."""
    others = [line for name in OTHER_FOLDERS for line in too_long(root / name)]
    return breaches(root / PACKAGE) + others


def breaches(folder: Path) -> list[str]:
    """Return a message for each forbidden import, and for each file or folder that is too large."""
    found = too_long(folder)
    imported_by: dict[str, set[str]] = {}
    for file in sorted(folder.rglob("*")):
        if file.is_dir() and len(list(file.glob("*.py"))) > LARGEST_ROOM:
            found.append(f"{file}: a room must have at most {LARGEST_ROOM} files")
        if file.suffix not in (".py", ".pyx", ".pxd"):
            continue
        name = file.relative_to(folder).as_posix()
        found += [f"{file}:{line}: {why}" for line, why in misplaced_calls(file, name)]
        for line, imported in imports(file, name):
            reason = breach(name, imported)
            if reason:
                found.append(f"{file}:{line}: {imported}: {reason}")
            if file.suffix == ".py" and name not in LISTS_NAMES:
                target = module_of(folder, imported)
                if target and target != name:
                    imported_by.setdefault(name, set()).add(target)
    circle = find_circle(imported_by)
    return [*found, *([f"{' imports '.join(circle)}: a circle"] if circle else [])]


def misplaced_calls(file: Path, name: str) -> Iterator[tuple[int, str]]:
    """Yield a line and message for each misplaced call that writes text or widens tables."""
    if file.suffix != ".py":
        return
    for node in ast.walk(ast.parse(file.read_text())):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        for writer, place in WRITES.items():
            if f".{called}".endswith(f".{writer}") and not re.fullmatch(place, name):
                yield node.lineno, f"{called}: only {place or 'cli/terminal.py'} writes this"
        for widener, place in WIDENS.items():
            if f".{called}".endswith(f".{widener}") and not re.fullmatch(place, name):
                yield node.lineno, f"{called}: only a Tally widens tables and sums weights, {place}"


def breach(name: str, imported: str) -> str | None:
    """Return the reason why a file must not import a module, or None if it may."""
    top = imported.partition(".")[0]
    if top == PACKAGE:
        return inner_breach(name, imported.removeprefix(PACKAGE).lstrip("."))
    if top in STARTS_THREADS and name != "kernels/threads.py":
        return "only kernels/threads.py starts threads"
    if top == "textwrap" and name != "results/text.py":
        return "only results/text.py wraps text"
    if top in (*sys.stdlib_module_names, "cython", "cpython", "libc", "numpy"):
        return None
    if top not in OPTIONAL:
        return "not a dependency of the package"
    if not re.fullmatch(OPTIONAL[top], name):
        return f"{top} may be imported only in {OPTIONAL[top]}"
    return None


def inner_breach(name: str, inside: str) -> str | None:
    """Return the reason why a file must not import a module of the package, or None if it may."""
    if name in LISTS_NAMES:
        return None
    kernel = KERNEL.match(name)
    if TABLES.match(name) and SAMPLES.match(inside):
        return "code for tables must not read samples"
    if SAMPLES.match(name) and TABLES.match(inside):
        return "code for samples must not compute statistics"
    if FIGURES.fullmatch(inside) and not HAS_FIGURES.fullmatch(name):
        return "only a result formats its figures"
    if name.startswith("sources/") and TABLES.match(inside):
        return "sources/ only fills tables"
    if kernel and not re.match(rf"(arrays|kernels\.(contract|{kernel[1]}))\b", inside):
        return "a kernel file may import only NumPy and its own engine"
    if (
        re.match(r"kernels\.(numpy|numba|cython)\b", inside)
        and not kernel
        and not COMPILED_TOGETHER.match(name)
    ):
        return "only kernels/dispatch.py chooses a backend"
    room, other = room_of(name), room_of(inside.replace(".", "/"))
    if room is None or other is None or other in EVERYBODY:
        return None
    allowed = MAY_IMPORT.get(room, set())
    # The files directly in a folder may import the rooms in its subfolders, but those rooms may not
    # import the files.
    if other == room or other in allowed or other.startswith(f"{room}/"):
        return None
    below = "is below the rest of the package and " if room in CORE | {"statistics"} else ""
    return f"{room} {below}may import only {', '.join(sorted(allowed)) or 'the shared files'}"


def room_of(path: str) -> str | None:
    """Return the room of a file or module, or None if it does not belong to a room."""
    parts = path.removesuffix(".py").removesuffix(".pyx").removesuffix(".pxd").split("/")
    rooms = ("/".join(parts[:length]) for length in (2, 1))
    return next((room for room in rooms if room in MAY_IMPORT or room in EVERYBODY), None)


def module_of(folder: Path, imported: str) -> str | None:
    """Return the file of an imported module or name, or None if it is not in the package."""
    parts = imported.split(".")[1:] if imported.startswith(f"{PACKAGE}.") else []
    for length in (len(parts), len(parts) - 1):
        path = "/".join(parts[: max(length, 0)])
        if path and (folder / f"{path}.py").is_file():
            return f"{path}.py"
    return None


def find_circle(imported_by: dict[str, set[str]]) -> list[str]:
    """Return a cycle of files that import each other, or an empty list if there is none."""
    done: set[str] = set()

    def search(file: str, path: list[str]) -> list[str]:
        if file in path:
            return [*path[path.index(file) :], file]
        if file in done:
            return []
        for other in sorted(imported_by.get(file, ())):
            circle = search(other, [*path, file])
            if circle:
                return circle
        done.add(file)
        return []

    return next((circle for file in sorted(imported_by) if (circle := search(file, []))), [])


if __name__ == "__main__":
    root = Path(__file__).parent.parent
    lines = breaches(Path(sys.argv[1])) if sys.argv[1:] else all_breaches(root)
    print("\n".join(lines) or "every wall stands")
    sys.exit(bool(lines))
