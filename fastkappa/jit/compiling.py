"""How the functions for compiled loops are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def exactly(function: Callable[..., Any]) -> Any:
    """Compile a function when it is first called, and keep it on disk if that is possible.

    It does not take ``fastmath`` from its caller, which would undo error-free sums and the
    search for NaN. (numba checks the time of the function's own file only: touch it after
    editing what it calls.)
    """
    try:
        return numba.njit(fastmath=False, cache=True)(function)
    except RuntimeError:  # no cache folder is writable
        return numba.njit(fastmath=False)(function)
