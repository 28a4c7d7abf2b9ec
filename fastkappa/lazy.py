"""Load public names on first use, to keep `import fastkappa` fast."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def loader(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a module-level ``__getattr__`` that loads names from other modules.

    A name can also refer to a module.

    Parameters
    ----------
    package : str
        The name of the module that gets the ``__getattr__``.
    homes : mapping
        Maps each name to the module that defines it, relative to ``fastkappa``.
    """

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = importlib.import_module(f"fastkappa.{homes[name]}")
        if name != homes[name]:
            found = getattr(found, name)
        # The value is stored in the package, so that the next access does not call this function.
        setattr(sys.modules[package], name, found)
        return found

    return load
