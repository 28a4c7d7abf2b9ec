"""What the reports of ``fastkappa agree`` have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

from fastkappa.arrays import AnyArray
from fastkappa.cli.files.weight_matrix import WeightMatrix
from fastkappa.cli.pages.page import page
from fastkappa.cli.pages.pictures import Picture, figures
from fastkappa.cli.reports.parts import Part, parts_as_text, warned
from fastkappa.engines.counted import SourceCounts
from fastkappa.engines.ratings import RatingsError
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.formatting import BOOTSTRAP_METHODS, interval_text, json_object, label_text
from fastkappa.results import interval_head, rows_as_csv
from fastkappa.statistics.bootstrap import BootstrapResult, bootstrap
from fastkappa.statistics.intervals.methods import IntervalMethod
from fastkappa.statistics.scales import ScaleName
from fastkappa.statistics.weights import Weights
from fastkappa.two_raters.agreement import make_result
from fastkappa.two_raters.result import AgreementResult

CONFIDENCE = 0.95
ALL = "all items"
# The captions of tables on a page.
OF_COEFFICIENTS = f"Coefficients, with standard errors and {interval_head(CONFIDENCE)}s"
# A heading of more raters, and a matrix of their kappas, is not readable.
MOST_RATERS = 20


class AgreeRequest(NamedTuple):
    """What to report: the columns of a file, and what is wanted beside their agreement."""

    file: str
    raters: tuple[str, ...]
    group: str | None
    weights: Weights | WeightMatrix
    scale: ScaleName | None
    n_resamples: int
    seed: int | None
    interval_method: IntervalMethod | None = None
    sample_weight: str | None = None
    cluster: str | None = None

    def fields(self) -> dict[str, Any]:
        """Return the first fields of the JSON."""
        fields = {"file": self.file, "raters": list(self.raters)}
        return fields if self.group is None else {**fields, "group": self.group}

    def weights_of(self, labels: AnyArray) -> Weights:
        """Return the weights of a table with these labels."""
        if isinstance(self.weights, WeightMatrix):
            return self.weights.of(labels)
        return self.weights

    def heading(self) -> str:
        """Return the first line of the text, and the title of the page."""
        by = "" if self.group is None else f", by {label_text(self.group)}"
        if self.sample_weight is not None:
            by += f", weighted by {label_text(self.sample_weight)}"
        named = ", ".join(map(label_text, self.raters[:MOST_RATERS]))
        more = len(self.raters) - MOST_RATERS
        rest = f" and {more} more" if more > 0 else ""
        return f"{label_text(self.file)}: {named}{rest}{by}"


class AgreeReport(NamedTuple):
    """A report in every form: its title and parts, the fields of the JSON, the rows of the CSV.

    ``pictures`` are those of the page; the first one is drawn into a file on request.
    """

    title: str
    fields: dict[str, Any]
    parts: Sequence[Part]
    rows: Sequence[Mapping[str, Any]]
    pictures: Sequence[Picture]

    def written(self, output: str, warnings: Sequence[str]) -> str:
        """Return the report as 'text', 'json', 'csv' or 'html', without pictures."""
        if output == "json":
            return json_object({**self.fields, **warned(warnings)})
        if output == "csv":
            return rows_as_csv(self.rows)
        if output == "html":
            return page(self.title, self.parts, (), warnings)
        return "\n".join([self.title, parts_as_text(self.parts)])

    def as_page(self, warnings: Sequence[str]) -> str:
        """Return the report and its pictures as a page of HTML.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        pictures = list(figures(self.pictures))
        return page(self.title, self.parts, pictures, warnings)


@contextmanager
def no_undefined_warnings() -> Iterator[None]:
    """Print no warning of an undefined value: the report says so itself."""
    with catch_warnings():
        simplefilter("ignore", undefined_metric_warning())
        yield


def result_of(counts: SourceCounts, request: AgreeRequest) -> AgreementResult:
    """Return the agreement of two raters from their counts."""
    if not counts.table.any():
        raise RatingsError("no row has both its ratings among the labels.")
    check_whole(counts.table)
    return make_result(
        counts.table,
        counts.labels,
        request.weights_of(counts.labels),
        CONFIDENCE,
        interval_method=request.interval_method,
        missing=counts.missing,
        n_dropped=counts.n_dropped,
        n_outside=counts.n_outside,
        raters=request.raters,
    )


def check_whole(table: AnyArray) -> None:
    """Raise if a table holds sums of item weights that are no numbers of items."""
    if table.dtype.kind == "f":
        raise RatingsError(
            "--sample-weight must be a column of whole numbers, how many items a row stands for:"
            " standard errors are those of items. `fastkappa score` takes any weights."
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


def estimate_row(
    name: str, value: float | None, standard_error: float, interval: tuple[float, float]
) -> dict[str, Any]:
    """Return an estimate as a row of CSV."""
    lower, upper = interval
    return {
        "statistic": name,
        "value": value,
        "standard_error": standard_error,
        "lower": lower,
        "upper": upper,
    }


def bootstrap_row(name: str, resampled: BootstrapResult) -> dict[str, Any]:
    """Return a bootstrap as a row of CSV."""
    name = f"{name} ({BOOTSTRAP_METHODS[resampled.method]} bootstrap)"
    return estimate_row(name, None, resampled.standard_error, resampled.interval)


def bootstrap_line(name: str, resampled: BootstrapResult) -> str:
    """Return a bootstrap as a line of text."""
    method, n = BOOTSTRAP_METHODS[resampled.method], len(resampled.replicates)
    undefined = f", {resampled.n_undefined} undefined" if resampled.n_undefined else ""
    return (
        f"{name}, {100 * resampled.confidence:g} % bootstrap interval:"
        f" {interval_text(resampled.interval)} ({method}, {n} replicates{undefined})"
    )
