"""Which backend counts, and why another one is missing."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

from fastkappa.exceptions import users_stacklevel
from fastkappa.install_hint import install_command
from fastkappa.kernels.contract import (
    CsvLineKernels,
    DifferenceKernels,
    PairKernels,
    ScoreKernels,
)

# Best first: what an automatic choice takes.
Backend: TypeAlias = Literal["cython", "numba", "numpy"]
BACKENDS: tuple[Backend, ...] = get_args(Backend)

# Kept in a variable of a module, as are short cuts that follow it: functools.cache has a lock
# and counts its calls, for which threads without a GIL would wait.
_default: PairKernels | None = None
_to_forget: list[Callable[[], None]] = []
_loaded: dict[str, PairKernels] = {}
_missing: dict[str, str] = {}


def get_kernels(backend: str | None = None) -> PairKernels:
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


def score_kernels(kernels: PairKernels) -> ScoreKernels:
    """Return the score kernels of the backend that pair kernels belong to."""
    # Written out, so that mypy checks each module against the protocol.
    if name_of(kernels) == "cython":
        from fastkappa.kernels.cython import scores as cython_scores

        return cython_scores
    if name_of(kernels) == "numba":
        from fastkappa.kernels.numba import scores as numba_scores

        return numba_scores
    from fastkappa.kernels.numpy import scores as numpy_scores

    return numpy_scores


def csv_line_kernels(kernels: PairKernels) -> CsvLineKernels:
    """Return the kernels for CSV lines of the backend that pair kernels belong to."""
    if name_of(kernels) == "cython":
        from fastkappa.kernels.cython import csv_lines as cython_csv_lines

        return cython_csv_lines
    if name_of(kernels) == "numba":
        from fastkappa.kernels.numba import csv_lines as numba_csv_lines

        return numba_csv_lines
    from fastkappa.kernels.numpy import csv_lines as numpy_csv_lines

    return numpy_csv_lines


def difference_kernels(kernels: PairKernels) -> DifferenceKernels:
    """Return the kernels for differences of the backend that pair kernels belong to."""
    if name_of(kernels) == "cython":
        from fastkappa.kernels.cython import differences as cython_differences

        return cython_differences
    if name_of(kernels) == "numba":
        from fastkappa.kernels.numba import differences as numba_differences

        return numba_differences
    from fastkappa.kernels.numpy import differences as numpy_differences

    return numpy_differences


def call_when_forgotten(forget: Callable[[], None]) -> None:
    """Have a function called when the choice is forgotten: it forgets what follows from it."""
    _to_forget.append(forget)


def forget_choice() -> None:
    """Read the environment variable again when a backend is next needed."""
    global _default
    _default = None
    for forget in _to_forget:
        forget()


def name_of(kernels: PairKernels | ScoreKernels) -> str:
    """Return the backend a kernel module belongs to."""
    return kernels.__name__.split(".")[-2]


def why_missing(backend: str) -> str | None:
    """Return why a backend cannot be used, or None if it can."""
    return None if _load(backend) is not None else _missing[backend]


def _default_kernels() -> PairKernels:
    global _default
    kernels = _default
    if kernels is None:
        asked_for = os.environ.get("FASTKAPPA_BACKEND")
        if asked_for:
            kernels = _kernels_by_name(asked_for, "FASTKAPPA_BACKEND")
        else:
            kernels = next(found for name in BACKENDS if (found := _load(name)) is not None)
        _default = kernels
    return kernels


def _kernels_by_name(backend: str, asked_by: str) -> PairKernels:
    if backend not in BACKENDS:
        or_none = " or None" if asked_by == "backend" else ""
        raise ValueError(f"{asked_by} must be one of {BACKENDS}{or_none}, got {backend!r}.")
    kernels = _load(backend)
    if kernels is None:
        raise ImportError(
            f"{asked_by}={backend!r} was asked for but is missing: {_missing[backend]}."
        )
    return kernels


def _load(name: str) -> PairKernels | None:
    if name in _loaded:
        return _loaded[name]
    if name in _missing:
        return None
    try:
        _loaded[name] = _import_pairs(name)
    except ImportError as error:
        _missing[name] = f"{error} ({_hint(name)})"
        return None
    except MemoryError:
        # It is there: there may be more memory the next time.
        raise
    except Exception as error:
        # A library that is there may fail in its import for any reason, such as versions that
        # do not go together. The other backends count nevertheless.
        why = " ".join(str(error).split())
        _missing[name] = f"its import fails with {type(error).__name__}: {why}"
        if name == BACKENDS[0]:
            # The others are slower, and nobody would see why.
            warnings.warn(
                f"the {name} backend is not used: {_missing[name]}",
                RuntimeWarning,
                stacklevel=users_stacklevel(),
            )
        return None
    return _loaded[name]


def _hint(name: str) -> str:
    if name == "numba":
        return f"install it with: {install_command('fastkappa[numba]')}"
    return (
        "the compiled extension was not built when fastkappa was installed; reinstall with a C"
        " compiler and FASTKAPPA_REQUIRE_EXTENSION=1 to see why"
    )


def _import_pairs(name: str) -> PairKernels:
    if name == "cython":
        from fastkappa.kernels.cython import pairs as cython_pairs

        return cython_pairs
    if name == "numba":
        from fastkappa.kernels.numba import pairs as numba_pairs

        return numba_pairs
    from fastkappa.kernels.numpy import pairs as numpy_pairs

    return numpy_pairs
