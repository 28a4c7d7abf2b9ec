"""What the reports have in common."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from fastkappa.engines.counted import SourceCounts
from fastkappa.engines.ratings import RatingsError
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.formatting import label_text
from fastkappa.statistics.bootstrap import BootstrapResult, bootstrap
from fastkappa.statistics.weights import Weights
from fastkappa.two_raters.agreement import make_result
from fastkappa.two_raters.result import AgreementResult

CONFIDENCE = 0.95
ALL = "all items"
METHODS = {"bca": "BCa", "percentile": "percentiles"}


class Asked(NamedTuple):
    """What is to be told: of which columns of which file, and what beside the agreement."""

    file: str
    raters: tuple[str, ...]
    group: str | None
    weights: Weights
    scale: str | None
    n_resamples: int
    seed: int | None

    def fields(self) -> dict[str, Any]:
        """Return what the JSON begins with."""
        fields = {"file": self.file, "raters": list(self.raters)}
        return fields if self.group is None else {**fields, "group": self.group}

    def heading(self) -> str:
        """Return the first line of the text."""
        by = "" if self.group is None else f", by {label_text(self.group)}"
        return f"{label_text(self.file)}: {', '.join(map(label_text, self.raters))}{by}"


class Report(NamedTuple):
    """The fields of the JSON, the lines of the text, and what draws the picture."""

    fields: dict[str, Any]
    lines: list[str]
    draw: Callable[[], Any]

    def as_text(self) -> str:
        """Return the text."""
        return "\n".join(self.lines)

    def as_json(self) -> str:
        """Return a JSON object, one line for each of its keys, null for what is undefined."""
        lines = (
            f"  {json.dumps(key)}: {json.dumps(_without_nan(value))}"
            for key, value in self.fields.items()
        )
        return "{\n" + ",\n".join(lines) + "\n}"


@contextmanager
def undefined_is_told() -> Iterator[None]:
    """Keep warnings of what is undefined from being printed: the report says so itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", undefined_metric_warning())
        yield


def result_of(counts: SourceCounts, weights: Weights) -> AgreementResult:
    """Return the agreement of two raters that were counted."""
    if not counts.table.any():
        raise RatingsError("no row has both its ratings among the labels.")
    return make_result(
        counts.table,
        counts.labels,
        weights,
        CONFIDENCE,
        missing=counts.missing,
        n_dropped=counts.n_dropped,
        n_outside=counts.n_outside,
    )


def bootstrap_of(result: AgreementResult, asked: Asked) -> BootstrapResult:
    """Return the bootstrap of kappa that was asked for."""
    return bootstrap(result, n_resamples=asked.n_resamples, confidence=CONFIDENCE, rng=asked.seed)


def bootstrap_fields(drawn: BootstrapResult) -> dict[str, Any]:
    """Return a bootstrap for the JSON, without its replicates."""
    return {
        "method": drawn.method,
        "n_resamples": len(drawn.replicates),
        "n_undefined": drawn.n_undefined,
        "standard_error": drawn.standard_error,
        "confidence": drawn.confidence,
        "interval": list(drawn.interval),
    }


def bootstrap_line(name: str, drawn: BootstrapResult) -> str:
    """Return a bootstrap for the text."""
    undefined = f", {drawn.n_undefined} undefined" if drawn.n_undefined else ""
    return (
        f"{name}, {100 * drawn.confidence:g} % bootstrap interval: {between(drawn.interval)}"
        f" ({METHODS[drawn.method]}, {len(drawn.replicates)} replicates{undefined})"
    )


def between(interval: tuple[float, float]) -> str:
    """Return an interval as text."""
    if math.isnan(sum(interval)):
        return "undefined"
    return f"{interval[0]:.4f} to {interval[1]:.4f}"


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(part) for part in value]
    return None if isinstance(value, float) and math.isnan(value) else value
