"""Which backends and SIMD levels can be tested here, and where none may be missing."""

from __future__ import annotations

import os

from fastkappa.kernels import dispatch

IN_CI = os.environ.get("CI", "").lower() not in ("", "0", "false")


def missing_backends() -> dict[str, str]:
    """Return the backends that cannot be used here, with the reason."""
    reasons = {name: dispatch.why_missing(name) for name in dispatch.BACKENDS}
    return {name: reason for name, reason in reasons.items() if reason is not None}


def backend_lines() -> list[str]:
    """Return a line for each backend: whether it is tested, and why not."""
    missing = missing_backends()
    return [
        f"fastkappa backend {name}: "
        + (f"NOT TESTED, missing: {missing[name]}" if name in missing else "tested")
        for name in dispatch.BACKENDS
    ]


def kernel_variants() -> list[str]:
    """Return the backends, the compiled one at each SIMD level that this processor has."""
    variants = ["numpy", "numba"]
    if dispatch.why_missing("cython") is not None:
        return [*variants, "cython"]
    return variants + [f"cython-{level}" for level in dispatch.get_kernels("cython").simd_levels()]
