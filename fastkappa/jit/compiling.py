"""Compile the functions that are called inside compiled loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba import types


def _intrinsic(function: Callable[..., Any]) -> Any:
    """Turn a function that emits LLVM instructions into an intrinsic, as numba's decorator does."""
    return numba.extending.intrinsic(function)


def exactly(function: Callable[..., Any]) -> Any:
    """Compile a function on its first call, without ``fastmath``, and cache it on disk if possible.

    If ``fastmath`` were inherited from a caller, error-free sums and checks for NaN would fail.
    numba recompiles a function only if its own file has changed. After editing a function that is
    called from another file, update the modification time of the calling file.
    """
    try:
        return numba.njit(fastmath=False, cache=True)(function)
    except RuntimeError:  # the cache folder is not writable
        return numba.njit(fastmath=False)(function)


@_intrinsic
def out_of_line(typing: Any) -> Any:
    """Prevent LLVM from inlining the calling function.

    Use this intrinsic for code that runs rarely or takes a long time, because the cost of a call
    does not matter there.
    """

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.none(), write


@_intrinsic
def borrowed(typing: Any, array: Any) -> Any:
    """Return an array without reference counting, to avoid atomic operations.

    Use this intrinsic only to pass on an argument, which the caller owns. A local array would be
    freed too early.
    """

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        own = context.make_array(array)(context, builder, arguments[0])
        own.meminfo = own.meminfo.type(None)
        own.parent = own.parent.type(None)
        return own._getvalue()

    return array(array), write
