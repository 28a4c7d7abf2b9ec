"""Results of R's psych, vcd, epiR and stats for published ratings, written by `ci/r_values.R`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

STORED = Path(__file__).with_suffix(".json")
_VALUES = json.loads(STORED.read_text())
VERSIONS: dict[str, str] = _VALUES["versions"]
# Tables of two raters, and the results of each R function.
SQUARE: dict[str, dict[str, Any]] = _VALUES["square"]
# Ratings with one row per subject, and the results of each R function.
BY_RATER: dict[str, dict[str, Any]] = _VALUES["by_rater"]
# Tables of two raters, each with its own disagreement weights.
WEIGHTED: dict[str, dict[str, Any]] = _VALUES["weighted"]


def r_value(data: str, function: str) -> dict[str, Any]:
    """Return the results of an R function for a data set."""
    (found,) = (sets[data] for sets in (SQUARE, BY_RATER) if data in sets)
    values: dict[str, Any] = found["values"][function]
    return values
