"""What the reports of ``fastkappa agree`` have in common."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from fastkappa.engines.counted import SourceCounts
from fastkappa.engines.ratings import RatingsError
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.formatting import BOOTSTRAP_METHODS, interval_text, json_object, label_text
from fastkappa.statistics.bootstrap import BootstrapResult, bootstrap
from fastkappa.statistics.intervals.methods import IntervalMethod
from fastkappa.statistics.scales import ScaleName
from fastkappa.statistics.weights import Weights
from fastkappa.two_raters.agreement import make_result
from fastkappa.two_raters.result import AgreementResult

CONFIDENCE = 0.95
ALL = "all items"
# A heading of more raters, and a matrix of their kappas, is not readable.
MOST_RATERS = 20


class AgreeRequest(NamedTuple):
    """What to report: the columns of a file, and what is wanted beside their agreement."""

    file: str
    raters: tuple[str, ...]
    group: str | None
    weights: Weights
    scale: ScaleName | None
    n_resamples: int
    seed: int | None
    interval_method: IntervalMethod | None = None

    def fields(self) -> dict[str, Any]:
        """Return the first fields of the JSON."""
        fields = {"file": self.file, "raters": list(self.raters)}
        return fields if self.group is None else {**fields, "group": self.group}

    def heading(self) -> str:
        """Return the first line of the text."""
        by = "" if self.group is None else f", by {label_text(self.group)}"
        named = ", ".join(map(label_text, self.raters[:MOST_RATERS]))
        more = len(self.raters) - MOST_RATERS
        rest = f" and {more} more" if more > 0 else ""
        return f"{label_text(self.file)}: {named}{rest}{by}"


class AgreeReport(NamedTuple):
    """The fields of the JSON, the lines of the text, and the function that draws the picture."""

    fields: dict[str, Any]
    lines: list[str]
    draw: Callable[[], Any]

    def as_text(self) -> str:
        """Return the text."""
        return "\n".join(self.lines)

    def as_json(self, remarks: Mapping[str, Any]) -> str:
        """Return a JSON object with remarks, null for what is undefined."""
        return json_object({**self.fields, **remarks})


@contextmanager
def no_undefined_warnings() -> Iterator[None]:
    """Print no warning of an undefined value: the report says so itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", undefined_metric_warning())
        yield


def result_of(counts: SourceCounts, request: AgreeRequest) -> AgreementResult:
    """Return the agreement of two raters from their counts."""
    if not counts.table.any():
        raise RatingsError("no row has both its ratings among the labels.")
    return make_result(
        counts.table,
        counts.labels,
        request.weights,
        CONFIDENCE,
        interval_method=request.interval_method,
        missing=counts.missing,
        n_dropped=counts.n_dropped,
        n_outside=counts.n_outside,
        raters=request.raters,
    )


def bootstrap_of(result: AgreementResult, request: AgreeRequest) -> BootstrapResult:
    """Return the requested bootstrap of kappa."""
    return bootstrap(
        result, n_resamples=request.n_resamples, confidence=CONFIDENCE, rng=request.seed
    )


def bootstrap_fields(resampled: BootstrapResult) -> dict[str, Any]:
    """Return the fields of a bootstrap, without its replicates."""
    return {
        "method": resampled.method,
        "n_resamples": len(resampled.replicates),
        "n_undefined": resampled.n_undefined,
        "standard_error": resampled.standard_error,
        "confidence": resampled.confidence,
        "interval": list(resampled.interval),
    }


def bootstrap_line(name: str, resampled: BootstrapResult) -> str:
    """Return a bootstrap as a line of text."""
    method, n = BOOTSTRAP_METHODS[resampled.method], len(resampled.replicates)
    undefined = f", {resampled.n_undefined} undefined" if resampled.n_undefined else ""
    return (
        f"{name}, {100 * resampled.confidence:g} % bootstrap interval:"
        f" {interval_text(resampled.interval)} ({method}, {n} replicates{undefined})"
    )
