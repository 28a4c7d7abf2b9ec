"""The report of ``fastkappa thresholds``, as text for a person or as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.cli.files.scores import ScoredColumns
from fastkappa.engines.ratings import RatingsError
from fastkappa.formatting import figure, json_object, label_text, table_lines
from fastkappa.results import LARGEST_TABLE
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import Weights
from fastkappa.thresholds.rounding import Method, Rounding, find_rounding, table_at_thresholds

FOLDS = 5
RESAMPLES = 100
SEED = 0


class ThresholdReport(NamedTuple):
    """Thresholds, and kappa with them and with scores rounded at the half points.

    ``half_points`` are the midpoints of labels that are ascending numbers; for other labels
    those of their positions: 0.5, 1.5, ...
    """

    file: str
    columns: tuple[str, str]
    weights: Weights
    method: Method
    items: ScoredColumns
    rounding: Rounding
    half_points: NDArray[np.float64]
    kappa_at_half_points: float


def make_report(
    path: Path, columns: tuple[str, str], items: ScoredColumns, weights: Weights, method: Method
) -> ThresholdReport:
    """Find the best thresholds for the scores of a file, and report on them.

    The same file gives the same result: folds and resamples are drawn from a fixed seed.

    Raises
    ------
    RatingsError
        If there are no such thresholds, or the scores or labels are not of their kind.
    """
    try:
        rounding = find_rounding(
            items.y_true,
            items.scores,
            method=method,
            labels=items.labels,
            weights=weights,
            n_resamples=RESAMPLES,
            n_folds=FOLDS if len(items.y_true) >= FOLDS else None,
            rng=np.random.default_rng(SEED),
        )
    except ValueError as error:
        y, score = columns
        raise RatingsError(
            f"{error} Here y_true is column {y!r} and scores are column {score!r}."
        ) from error
    half_points = _half_points(rounding.labels)
    table = table_at_thresholds(items.y_true, items.scores, half_points, labels=rounding.labels)
    kappa = float(kappas(table, weights))
    return ThresholdReport(str(path), columns, weights, method, items, rounding, half_points, kappa)


def as_json(report: ThresholdReport, remarks: Mapping[str, Any]) -> str:
    """Return a report and remarks as a JSON object.

    Kappa is null where it is undefined. An infinite threshold is a string that ``float``
    reads, for JSON has no number for it.
    """
    items, rounding = report.items, report.rounding
    names = ("y", "score")
    fields = {
        "file": report.file,
        "columns": dict(zip(names, report.columns)),
        "rows": items.n_rows,
        "missing": dict(zip(names, items.missing)),
        "dropped": items.n_dropped,
        "outside": items.n_outside,
        "n": len(items.y_true),
        "weights": "none" if report.weights is None else report.weights,
        "method": report.method,
        "labels": rounding.labels.tolist(),
        "thresholds": [
            value if math.isfinite(value) else str(value) for value in rounding.thresholds.tolist()
        ],
        "half_points": report.half_points.tolist(),
        "kappa": {
            "half_points": report.kappa_at_half_points,
            "thresholds": rounding.kappa,
            "out_of_fold": rounding.oof_kappa,
        },
        "table": rounding.table.tolist(),
        **remarks,
    }
    return json_object(fields)


def as_text(report: ThresholdReport) -> str:
    """Return a report for a person."""
    return "\n".join(_lines(report))


def _lines(report: ThresholdReport) -> Iterator[str]:
    items, rounding = report.items, report.rounding
    y, score = (label_text(name) for name in report.columns)
    kind = "no" if report.weights is None else report.weights
    yield f"{label_text(report.file)}: cut points on {score} for {y}"
    yield f"n = {len(items.y_true)}, {kind} weights, method {report.method}"
    if items.n_dropped:
        yield (
            f"{items.n_dropped} left out for a missing value ({items.missing[0]} in {y},"
            f" {items.missing[1]} in {score})"
        )
    if items.n_outside:
        yield f"{items.n_outside} left out for a label outside those wanted"
    yield ""
    labels = [label_text(label) for label in rounding.labels.tolist()]
    cuts = [f"{cut:.6g}" for cut in rounding.thresholds.tolist()]
    halves = [f"{half:g}" for half in report.half_points.tolist()]
    rows = [("label", "from", "half point"), *zip(labels, ["-inf", *cuts], ["", *halves])]
    margin = max(len(label) for label in (*labels, "label"))
    yield from (f"  {a:<{margin}}{b:>14}{c:>14}".rstrip() for a, b, c in rows)
    yield ""
    oof = "undefined" if rounding.oof_kappa is None else figure(rounding.oof_kappa)
    yield f"  {'kappa at the half points':<28}{figure(report.kappa_at_half_points):>10}"
    yield f"  {'kappa at the cut points':<28}{figure(rounding.kappa):>10}"
    yield f"  {'kappa out of fold':<28}{oof:>10}"
    if len(labels) > LARGEST_TABLE:
        return
    yield ""
    yield f"  {y} (rows) and the labels given (columns)"
    yield from table_lines(labels, rounding.table, margin)


def _half_points(labels: AnyArray) -> NDArray[np.float64]:
    numbers = np.arange(len(labels), dtype=np.float64)
    if labels.dtype.kind in "iu" and (labels[1:] > labels[:-1]).all():
        numbers = labels.astype(np.float64)
    middles: NDArray[np.float64] = (numbers[:-1] + numbers[1:]) / 2
    return middles
