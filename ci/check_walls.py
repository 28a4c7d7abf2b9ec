"""Check the walls of the house: which file may import what.

    python ci/check_walls.py [FOLDER]

reads the imports of every Python and Cython file of the package (those inside functions
too), prints every breach and exits with 1 if there is one.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "fastkappa"

# Optional libraries and the one place each may be imported in.
OPTIONAL = {
    "numba": r"(kernels/numba|jit)/\w+\.py",
    "llvmlite": r"kernels/numba/\w+\.py",
    "typer": r"cli/(\w+|commands/\w+)\.py",
    "rich": r"cli/(reports/score|progress)\.py",
    "pandas": r"frame\.py",
    "pyarrow": r"engines/arrow_\w+\.py",
    "sklearn": r"estimators/\w+\.py",
    "narwhals": r"engines/frames\.py",
    "dask": r"engines/dask_chunks\.py",
    "matplotlib": r"plotting/\w+\.py",
}
STARTS_THREADS = {"threading", "concurrent", "multiprocessing", "_thread", "asyncio"}
# What sees samples, and what sees tables.
SAMPLES = re.compile(r"(columns|counting|\w+[/.]items)\b")
TABLES = re.compile(r"(statistics|\w+[/.](cuts|statistics|ranking))\b")
CORE = re.compile(r"(arrays|exceptions|formatting|columns|kernels|counting|statistics)\b")
KERNEL = re.compile(r"kernels/(numpy|numba|cython)/")
IMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+c?import\s+\(?\s*(.*)|c?import\s+([\w.]+))")


def imports(file: Path, name: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the full name of everything a file imports."""
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
    for number, line in enumerate(text.splitlines(), 1):  # Cython: ast cannot read it
        found = IMPORT.match(line)
        if found:
            yield (
                number,
                found[3] or f"{found[1]}.{found[2].split(',')[0].split()[0] if found[2] else ''}",
            )


def breaches(folder: Path) -> list[str]:
    """Return a line for every import that goes through a wall."""
    found = []
    for file in sorted(folder.rglob("*")):
        if file.suffix not in (".py", ".pyx", ".pxd"):
            continue
        name = file.relative_to(folder).as_posix()
        for line, imported in imports(file, name):
            reason = breach(name, imported)
            if reason:
                found.append(f"{file}:{line}: {imported}: {reason}")
    return found


def breach(name: str, imported: str) -> str | None:
    """Return why a file may not import something, or None if it may."""
    top = imported.partition(".")[0]
    inside = imported.removeprefix(f"{PACKAGE}.") if top == PACKAGE else None
    kernel = KERNEL.search(name)
    if inside is not None:
        if TABLES.match(name) and SAMPLES.match(inside):
            return "what sees tables never sees a sample"
        if SAMPLES.match(name) and TABLES.match(inside):
            return "what sees samples knows no statistic"
        if name.startswith("engines/") and TABLES.match(inside):
            return "engines/ fills tables"
        if CORE.match(name) and not CORE.match(inside):
            return "the core stands below the rest of the package"
        if kernel and not re.match(rf"(arrays|kernels\.{kernel[1]})\b", inside):
            return "a kernel file imports NumPy and its own engine"
        if re.match(r"kernels\.(numpy|numba|cython)\b", inside) and not (
            # What is compiled into other compiled code cannot be chosen at run time.
            kernel
            or name in ("kernels/dispatch.py", "jit/tables.py", "shortcuts/numba_thresholds.py")
            or name.endswith(".pyx")
        ):
            return "only kernels/dispatch.py chooses a backend"
        return None
    if top in STARTS_THREADS and name != "kernels/threads.py":
        return "only kernels/threads.py starts threads"
    if top in (*sys.stdlib_module_names, "cython", "cpython", "libc", "numpy"):
        return None
    if top not in OPTIONAL:
        return "no dependency of the package"
    if not re.fullmatch(OPTIONAL[top], name):
        return f"{top} is imported in one place alone, {OPTIONAL[top]}"
    return None


if __name__ == "__main__":
    arguments = sys.argv[1:] or [str(Path(__file__).parent.parent / PACKAGE)]
    lines = breaches(Path(arguments[0]))
    print("\n".join(lines) or "every wall stands")
    sys.exit(bool(lines))
