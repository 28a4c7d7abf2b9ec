"""Choose the backend, and explain why a backend is unavailable."""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from fastkappa.choices import did_you_mean
from fastkappa.exceptions import users_stacklevel
from fastkappa.install_hint import install_command
from fastkappa.kernels.contract import (
    CsvLineKernels,
    PairKernels,
    ScoreKernels,
)

if TYPE_CHECKING:
    # At run time, the backends are imported by name. These imports let type checkers compare the
    # backends with the protocols.
    import fastkappa.kernels.numba.csv_lines as numba_lines
    import fastkappa.kernels.numba.pairs as numba_pairs
    import fastkappa.kernels.numba.scores as numba_scores
    import fastkappa.kernels.numpy.csv_lines as numpy_lines
    import fastkappa.kernels.numpy.pairs as numpy_pairs
    import fastkappa.kernels.numpy.scores as numpy_scores

    _pairs: tuple[PairKernels, ...] = (numba_pairs, numpy_pairs)
    _scores: tuple[ScoreKernels, ...] = (numba_scores, numpy_scores)
    _lines: tuple[CsvLineKernels, ...] = (numba_lines, numpy_lines)

# The backends in order of preference. The default is the first one that is available.
Backend: TypeAlias = Literal["cython", "numba", "numpy"]
BACKENDS: tuple[Backend, ...] = get_args(Backend)

# The default backend is cached in a module variable rather than with functools.cache, because in
# free-threaded Python, threads would contend for the cache's lock and call counter.
_default: PairKernels | None = None
_to_forget: list[Callable[[], None]] = []
_loaded: dict[str, PairKernels] = {}
_missing: dict[str, str] = {}


def get_kernels(backend: str | None = None) -> PairKernels:
    """Return the kernel module of a backend.

    Parameters
    ----------
    backend : {'cython', 'numba', 'numpy'} or None
        If None, the environment variable ``FASTKAPPA_BACKEND`` determines the backend. The variable
        is read the first time it is needed. If the variable is not set, the best available backend
        is used.

    Raises
    ------
    ValueError
        If there is no backend with that name.
    ImportError
        If a backend requested by name cannot be used. The message states the reason.
    """
    if backend is None:
        return _default_kernels()
    return _kernels_by_name(backend, "backend")


def score_kernels(kernels: PairKernels) -> ScoreKernels:
    """Return the score kernels of the backend to which the pair kernels belong."""
    found: ScoreKernels = _module(name_of(kernels), "scores")
    return found


def csv_line_kernels(kernels: PairKernels) -> CsvLineKernels:
    """Return the CSV line kernels of the backend to which the pair kernels belong."""
    found: CsvLineKernels = _module(name_of(kernels), "csv_lines")
    return found


def call_when_forgotten(forget: Callable[[], None]) -> None:
    """Register a function to call when the chosen backend is forgotten."""
    _to_forget.append(forget)


def forget_choice() -> None:
    """Forget the chosen backend, so that the environment variable is read again."""
    global _default
    _default = None
    for forget in _to_forget:
        forget()


def name_of(kernels: PairKernels | ScoreKernels) -> str:
    """Return the name of the backend to which a kernel module belongs."""
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
        raise ValueError(
            f"{asked_by} must be one of {BACKENDS}{or_none}, got {backend!r}."
            f"{did_you_mean(backend, BACKENDS)}"
        )
    kernels = _load(backend)
    if kernels is None:
        raise ImportError(f"{asked_by}={backend!r} is not available: {_missing[backend]}.")
    return kernels


def _load(name: str) -> PairKernels | None:
    if name in _loaded:
        return _loaded[name]
    if name in _missing:
        return None
    try:
        _loaded[name] = _module(name, "pairs")
    except ImportError as error:
        _missing[name] = f"{error} ({_hint(name)})"
        return None
    except MemoryError:
        # The backend is not recorded as missing, because importing it can succeed once more memory
        # is free.
        raise
    except Exception as error:
        # Importing an installed library can fail for any reason, such as incompatible versions. The
        # other backends still work, so the failure is only recorded.
        why = " ".join(str(error).split())
        _missing[name] = f"importing it failed with {type(error).__name__}: {why}"
        if name == BACKENDS[0]:
            # Without a warning, users would not know why the slower backends are used.
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


def _module(backend: str, subject: str) -> Any:
    """Return a module of a backend. All backends have modules with the same names."""
    return importlib.import_module(f"fastkappa.kernels.{backend}.{subject}")
