"""Public names that are loaded on first use, so that `import fastkappa` stays quick."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def loader(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return ``__getattr__`` of a module whose names are in other modules, or are modules.

    Parameters
    ----------
    package : str
        The name of the module.
    homes : mapping
        The module of each name, below ``fastkappa``.
    """

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = importlib.import_module(f"fastkappa.{homes[name]}")
        if name != homes[name]:
            found = getattr(found, name)
        setattr(sys.modules[package], name, found)  # the next use finds it at once
        return found

    return load
