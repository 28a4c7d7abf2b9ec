"""Whether short calls can go all the way from arrays to kappa in compiled code."""

from __future__ import annotations

import functools
import importlib
from typing import Any

from fastkappa.kernels.contract import PairKernels
from fastkappa.kernels.dispatch import get_kernels, name_of


def compiled_kappa() -> Any:
    """Return the compiled module, or None where that backend is not the one in use."""
    return _module_beside(get_kernels())


@functools.cache
def _module_beside(kernels: PairKernels) -> Any:
    if name_of(kernels) != "cython":
        return None
    return importlib.import_module("fastkappa.shortcuts.compiled_kappa")
