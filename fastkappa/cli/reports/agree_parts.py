"""Shared parts of the reports of ``fastkappa agree``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter, warn

from fastkappa.arrays import AnyArray
from fastkappa.cli.files.opening import Source
from fastkappa.cli.files.weight_matrix import WeightMatrix
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.formatting import label_text
from fastkappa.results.sentence import listed
from fastkappa.sources.source_counts import SourceCounts
from fastkappa.sources.source_ratings import RatingsError
from fastkappa.statistics.bootstrap import BootstrapResult, bootstrap
from fastkappa.statistics.clusters import Clusters
from fastkappa.statistics.inference import Distribution
from fastkappa.statistics.intervals.methods import IntervalMethod
from fastkappa.statistics.scales import ScaleName
from fastkappa.statistics.weights import Weights
from fastkappa.two_raters.agreement import make_result
from fastkappa.two_raters.agreement_result import AgreementResult

CONFIDENCE = 0.95
# The pattern of a warning about an undefined value.
UNDEFINED = re.compile(r"(the standard error of )?(.*) is undefined: (.*)", re.DOTALL)
# A heading names at most this many raters, because it is also the title of a page.
MOST_RATERS = 4


class AgreeRequest(NamedTuple):
    """The options of ``fastkappa agree`` that determine its report."""

    file: str
    raters: tuple[str, ...]
    group: str | None
    weights: Weights | WeightMatrix
    scale: ScaleName | None
    n_resamples: int
    seed: int | None
    interval_method: IntervalMethod | None = None
    distribution: Distribution | None = None
    sample_weight: str | None = None
    cluster: str | None = None
    heat_map: bool = False
    pair: tuple[str, str] | None = None
    model: str | None = None
    epsilon: float | None = None
    disputed: Path | None = None
    gold: Path | None = None
    adjudicated: Source | None = None
    level: str | None = None
    separator: str | None = None
    duplicates: str = "error"

    @property
    def lists_items(self) -> bool:
        """Whether the ratings of each item are needed to write files of items."""
        return self.disputed is not None or self.gold is not None

    def fields(self) -> dict[str, Any]:
        """Return the first fields of the JSON output."""
        fields = {"file": self.file, "raters": list(self.raters)}
        return fields if self.group is None else {**fields, "group": self.group}

    @property
    def intervals(self) -> dict[str, Any]:
        """The options for the intervals of two raters."""
        return {
            "interval_method": self.interval_method,
            "distribution": self.distribution or "normal",
        }

    @property
    def of_several(self) -> dict[str, Any]:
        """The options for the intervals of three or more raters."""
        given = {} if self.distribution is None else {"distribution": self.distribution}
        return {"confidence": CONFIDENCE, **given}

    def weights_of(self, labels: AnyArray) -> Weights:
        """Return the weights for a table with the given labels."""
        if isinstance(self.weights, WeightMatrix):
            return self.weights.of(labels)
        return self.weights

    def heading(self) -> str:
        """Return the heading, which is the first line of the text and the title of the page."""
        by = "" if self.group is None else f", by {label_text(self.group)}"
        if self.sample_weight is not None:
            by += f", weighted by {label_text(self.sample_weight)}"
        named = ", ".join(map(label_text, self.raters[:MOST_RATERS]))
        if len(self.raters) > MOST_RATERS:
            named = f"{len(self.raters)} raters ({named}, ...)"
        return f"{label_text(self.file)}: {named}{by}"


@contextmanager
def no_undefined_warnings() -> Iterator[None]:
    """Suppress warnings about undefined values, because the report mentions them."""
    with catch_warnings():
        simplefilter("ignore", undefined_metric_warning())
        yield


@contextmanager
def why_undefined() -> Iterator[list[str]]:
    """Collect the reasons for undefined values for the report, instead of issuing warnings."""
    reasons: list[str] = []
    with catch_warnings(record=True) as warned:
        yield reasons
    # The names of the undefined values, by reason.
    names: dict[tuple[str, str], list[str]] = {}
    for one in warned:
        text = str(one.message)
        found = UNDEFINED.fullmatch(text)
        if not issubclass(one.category, undefined_metric_warning()):
            warn(text, one.category, stacklevel=3)
        elif found is None:
            reasons.append(text)
        else:
            names.setdefault((found[1] or "", found[3]), []).append(found[2])
    joined = []
    for (of, why), those in names.items():
        what = f"{of}{listed(list(dict.fromkeys(those)))}"
        joined.append(f"{what} {'is' if len(those) == 1 else 'are'} undefined: {why}")
    reasons[:0] = joined


def result_of(
    counts: SourceCounts, request: AgreeRequest, clusters: Clusters | None = None
) -> AgreementResult:
    """Return the agreement of two raters, given their counts and the clusters of the items."""
    if not counts.table.any():
        if not counts.n_outside:
            raise RatingsError(
                "no item has a rating from both raters. Check that both write the ids of items in"
                " the same way."
            )
        raise RatingsError("no item has two ratings that are among the labels.")
    check_whole(counts.table)
    return make_result(
        counts.table,
        counts.labels,
        request.weights_of(counts.labels),
        CONFIDENCE,
        **request.intervals,
        missing=counts.missing,
        n_dropped=counts.n_dropped,
        n_outside=counts.n_outside,
        raters=request.raters,
        clusters=clusters,
    )


def check_whole(table: AnyArray) -> None:
    """Raise if a table contains sums of item weights instead of numbers of items."""
    if table.dtype.kind == "f":
        raise RatingsError(
            "--sample-weight must name a column of whole numbers, because standard errors need the"
            " number of items that each row stands for. `fastkappa score` accepts any weights."
        )


def bootstrap_of(result: AgreementResult, request: AgreeRequest) -> BootstrapResult:
    """Return the bootstrap of kappa with the requested replicates."""
    return bootstrap(
        result, n_resamples=request.n_resamples, confidence=CONFIDENCE, rng=request.seed
    )


def bootstrap_fields(resampled: BootstrapResult) -> dict[str, Any]:
    """Return the JSON fields of a bootstrap, without its replicates."""
    return {
        "method": resampled.method,
        "n_resamples": len(resampled.replicates),
        "n_undefined": resampled.n_undefined,
        "standard_error": resampled.standard_error,
        "confidence": resampled.confidence,
        "interval": list(resampled.interval),
    }
