"""Report the versions, backends, SIMD level and threads of this installation."""

from __future__ import annotations

import platform
import sys
from typing import Any

import numpy as np

from fastkappa.kernels import dispatch, threads


def show_config() -> None:
    """Print the versions, backends, SIMD level and number of threads of this installation.

    If a backend is not available, the output explains why.

    Examples
    --------
    >>> import fastkappa
    >>> fastkappa.show_config()  # doctest: +ELLIPSIS
    fastkappa ...
    """
    print(configuration_text())


def configuration_text() -> str:
    """Return the lines that `show_config` prints."""
    return "\n".join(f"{name:<18}{value}" for name, value in configuration().items())


def configuration() -> dict[str, Any]:
    """Return the names and values that `show_config` prints."""
    from fastkappa import __version__

    lines: dict[str, Any] = {
        "fastkappa": __version__,
        "Python": f"{platform.python_version()} ({sys.executable})",
        "NumPy": np.__version__,
        "platform": f"{platform.system()} {platform.machine()}",
    }
    for backend in dispatch.BACKENDS:
        reason = dispatch.why_missing(backend)
        lines[f"backend {backend}"] = "available" if reason is None else f"missing: {reason}"
    kernels = dispatch.get_kernels()
    lines["backend in use"] = dispatch.name_of(kernels)
    lines["SIMD level"] = kernels.simd_level()
    lines["threads"] = threads.available_threads()
    return lines
