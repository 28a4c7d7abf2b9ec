"""Measure the peak memory of a process during one call."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from typing import Any


def peak_above(call: Callable[[], Any]) -> int:
    """Return the peak increase in resident memory during a call, in bytes.

    On Linux, the recorded peak is reset before the call. On other systems, an earlier peak of the
    process can hide that of the call, so inputs are created in small chunks.
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
