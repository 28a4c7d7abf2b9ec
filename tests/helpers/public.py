"""List the public names of the package and of its public modules."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastkappa

PACKAGE = Path(fastkappa.__file__).parent


def names_of(module: str) -> list[str]:
    """Return ``__all__`` of a public module without importing the libraries that it needs."""
    if module == "results":
        return list(fastkappa.results.__all__)
    file = PACKAGE / f"{module}.py"
    tree = ast.parse((file if file.is_file() else PACKAGE / module / "__init__.py").read_text())
    (found,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    return list(ast.literal_eval(found))


NAMES = [
    *fastkappa.__all__,
    *(f"{module}.{name}" for module in fastkappa._MODULES for name in names_of(module)),
]


def public_objects(*modules: str) -> dict[str, Any]:
    """Return the public objects of the package and the given modules (by default, all)."""
    found = {name: getattr(fastkappa, name) for name in fastkappa.__all__}
    for module in modules or fastkappa._MODULES:
        home = importlib.import_module(f"fastkappa.{module}")
        found |= {f"{module}.{name}": getattr(home, name) for name in home.__all__}
    return found


def public_functions(*modules: str) -> dict[str, Callable[..., Any]]:
    """Return the public functions of the package and the given modules (by default, all)."""
    objects = public_objects(*modules)
    return {name: thing for name, thing in objects.items() if inspect.isfunction(thing)}
