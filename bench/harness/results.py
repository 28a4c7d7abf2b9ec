"""Write measurements to files, and read them again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "results"


def write(name: str, measured: dict[str, Any]) -> None:
    """Write bench/results/NAME.json."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(measured, indent=1) + "\n")


def read(name: str) -> dict[str, Any]:
    """Return the measurements last written under a name."""
    measured: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text())
    return measured
