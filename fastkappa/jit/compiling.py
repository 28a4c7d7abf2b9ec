"""How the functions for compiled loops are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba import types


def _intrinsic(function: Callable[..., Any]) -> Any:
    """Make a function of one that writes its instructions, as numba's decorator of this name."""
    return numba.extending.intrinsic(function)


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


@_intrinsic
def out_of_line(typing: Any) -> Any:
    """Keep LLVM from copying the function that calls this into its callers.

    For what seldom runs or takes long, where a call costs nothing.
    """

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.none(), write


@_intrinsic
def borrowed(typing: Any, array: Any) -> Any:
    """Return an array without its count of references, which takes atomic operations to keep.

    Only for an argument, whose owner is the caller, and only to pass it on: a local array
    would be freed after this.
    """

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        own = context.make_array(array)(context, builder, arguments[0])
        own.meminfo = own.meminfo.type(None)
        own.parent = own.parent.type(None)
        return own._getvalue()

    return array(array), write
