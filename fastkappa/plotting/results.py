"""The estimate and the interval of a result: read from it, and written as text."""

from __future__ import annotations

import math
from typing import Any

from fastkappa.formatting import figure

ESTIMATES = ("kappa", "value", "estimate")


def read_estimate(name: str, result: Any) -> tuple[float, float, float]:
    """Return the estimate and both ends of the interval of a result."""
    held = [attribute for attribute in ESTIMATES if hasattr(result, attribute)]
    if not held or not hasattr(result, "interval"):
        raise ValueError(
            f"the result {name!r} must have a kappa or value and an interval, got"
            f" {type(result).__name__}."
        )
    low, high = result.interval
    return float(getattr(result, held[0])), float(low), float(high)


def write_figures(estimate: float, low: float, high: float) -> str:
    """Return an estimate with its interval as text."""
    if math.isnan(estimate):
        return "undefined"
    minus = "\N{MINUS SIGN}"
    between = ", ".join(figure(end, digits=3) for end in (low, high))
    ends = f"  [{between}]" if not math.isnan(low + high) else "  no interval"
    return f"{figure(estimate, digits=3)}{ends}".replace("-", minus)
