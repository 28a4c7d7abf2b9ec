"""Describe the machine, the versions and the date of a measurement."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform

import cpuinfo

from fastkappa.config import configuration

LIBRARIES = (
    "fastkappa",
    "numpy",
    "numba",
    "scikit-learn",
    "boost-histogram",
    "torch",
    "torchmetrics",
)


def describe() -> dict[str, object]:
    """Return the date, the versions, the machine and the settings of the package."""
    config = configuration()
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "cpu": cpuinfo.get_cpu_info().get("brand_raw", platform.processor()),
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "backend": config["backend in use"],
        "simd": config["SIMD level"],
        "threads": config["threads"],
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "versions": {name: version for name in LIBRARIES if (version := _version(name))},
    }


def announce(*, times: bool = True) -> dict[str, object]:
    """Print the versions and the machine, and return `describe()`.

    If the figures are times, also print a warning if the machine is busy.
    """
    machine = describe()
    print(in_words(machine))
    if times:
        print(warning(machine), end="")
    return machine


def in_words(machine: dict) -> str:
    """Return the description as one sentence."""
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    return (
        f"The figures were measured on {machine['date']} on {machine['cpu']}, {machine['cores']}"
        f" cores, {machine['system']}, with Python {machine['python']}, {versions}; backend"
        f" {machine['backend']}, SIMD level {machine['simd']}, {machine['threads']} threads."
    )


def warning(machine: dict) -> str:
    """Return a warning if the machine is busy, and "" otherwise."""
    load = machine["load"]
    if load is None or load < 0.3 * machine["cores"]:
        return ""
    return f"The machine was BUSY: load {load:.1f} on {machine['cores']} cores. Measure again.\n"


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
