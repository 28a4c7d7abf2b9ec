"""Which backend counts, and why another one is missing."""

from __future__ import annotations

import functools
import importlib
import os
import types
from typing import Any

from fastkappa.kernels.contract import PairKernels

# Best first: what an automatic choice takes.
BACKENDS = ("cython", "numba", "numpy")

_loaded: dict[str, types.ModuleType] = {}
_missing: dict[str, str] = {}

_HINTS = {
    "cython": "the compiled extension was not built when fastkappa was installed;"
    " reinstall with a C compiler and FASTKAPPA_REQUIRE_EXTENSION=1 to see why",
    "numba": "install it with: pip install 'fastkappa[numba]'",
}


def get_kernels(backend: str | None = None) -> Any:
    """Return the kernel module of a backend.

    Parameters
    ----------
    backend : {'cython', 'numba', 'numpy'} or None
        None takes the environment variable ``FASTKAPPA_BACKEND``, as it was when a
        backend was first needed, and where that is not set the best backend there is.

    Raises
    ------
    ValueError
        If there is no backend of that name.
    ImportError
        If a backend was asked for by name and is missing; the message says why.
    """
    if backend is None:
        return _default_kernels()
    return _kernels_by_name(backend, "backend")


def score_kernels(kernels: PairKernels) -> Any:
    """Return the kernels for scores that belong to a backend's kernel module."""
    return importlib.import_module(f"fastkappa.kernels.{name_of(kernels)}.scores")


def forget_choice() -> None:
    """Read the environment variable again when a backend is next needed."""
    _default_kernels.cache_clear()


def name_of(kernels: PairKernels) -> str:
    """Return the backend a kernel module belongs to."""
    module_name: str = kernels.__name__
    return module_name.split(".")[-2]


def why_missing(backend: str) -> str | None:
    """Return why a backend cannot be used, or None if it can."""
    return None if _load(backend) is not None else _missing[backend]


def simd_level(kernels: PairKernels) -> str:
    """Return the vector instructions that the kernels use, as far as they choose them."""
    level: str = kernels.simd_level() if hasattr(kernels, "simd_level") else "left to the compiler"
    return level


@functools.cache
def _default_kernels() -> Any:
    asked_for = os.environ.get("FASTKAPPA_BACKEND")
    if asked_for:
        return _kernels_by_name(asked_for, "FASTKAPPA_BACKEND")
    return next(kernels for name in BACKENDS if (kernels := _load(name)) is not None)


def _kernels_by_name(backend: str, asked_by: str) -> Any:
    if backend not in BACKENDS:
        raise ValueError(f"{asked_by} must be one of {BACKENDS} or None, got {backend!r}.")
    kernels = _load(backend)
    if kernels is None:
        raise ImportError(
            f"{asked_by}={backend!r} was asked for but is missing: {_missing[backend]}."
        )
    return kernels


def _load(name: str) -> types.ModuleType | None:
    if name in _loaded:
        return _loaded[name]
    if name in _missing:
        return None
    try:
        _loaded[name] = importlib.import_module(f"fastkappa.kernels.{name}.pairs")
    except ImportError as error:
        _missing[name] = f"{error} ({_HINTS[name]})"
        return None
    return _loaded[name]
