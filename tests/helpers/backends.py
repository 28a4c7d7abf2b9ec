"""Find the backends and SIMD levels that can be tested here."""

from __future__ import annotations

import os

from fastkappa.kernels import dispatch

IN_CI = os.environ.get("CI", "").lower() not in ("", "0", "false")


def missing_backends() -> dict[str, str]:
    """Return the backends that cannot be used here, each with the reason."""
    reasons = {name: dispatch.why_missing(name) for name in dispatch.BACKENDS}
    return {name: reason for name, reason in reasons.items() if reason is not None}


def backend_lines() -> list[str]:
    """Return one line per backend, with the reason if it is not tested."""
    missing = missing_backends()
    return [
        f"fastkappa backend {name}: "
        + (f"NOT TESTED, missing: {missing[name]}" if name in missing else "tested")
        for name in dispatch.BACKENDS
    ]


def kernel_variants() -> list[str]:
    """Return the backends, with one entry per SIMD level for the compiled backend."""
    variants = ["numpy", "numba"]
    if dispatch.why_missing("cython") is not None:
        return [*variants, "cython"]
    return variants + [f"cython-{level}" for level in dispatch.get_kernels("cython").simd_levels()]
