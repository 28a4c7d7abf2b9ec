"""Measure the peak memory of a process during one call."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from typing import Any


def peak_above(call: Callable[[], Any]) -> int:
    """Return the increase of the resident memory at the peak of a call, in bytes.

    On Linux, an earlier peak can be reset. On other systems, the peak of the whole process is used,
    which can hide the peak of the call. Inputs are therefore created in small chunks.
    """
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        before = _status("VmRSS")
        call()
        return _status("VmHWM") - before
    except OSError:
        before = _process_peak()
        call()
        return _process_peak() - before


def _status(field: str) -> int:
    with open("/proc/self/status") as file:
        line = next(line for line in file if line.startswith(field + ":"))
    return int(line.split()[1]) * 1024


def _process_peak() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
