"""The report of ``fastkappa thresholds``, as text, JSON, CSV or a page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.cli.files.scores import ScoredColumns
from fastkappa.cli.pages.page import page
from fastkappa.cli.reports.parts import Part, Tables, parts_as_text, warned
from fastkappa.engines.ratings import RatingsError
from fastkappa.formatting import json_object, label_text
from fastkappa.results import Grid, Report, counts_grid, facts, rows_as_csv
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import Weights
from fastkappa.thresholds.rounding import Method, Rounding, find_rounding, table_at_thresholds

FOLDS = 5
RESAMPLES = 100


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
    file: str,
    columns: tuple[str, str],
    items: ScoredColumns,
    weights: Weights,
    method: Method,
    seed: int,
) -> ThresholdReport:
    """Find the best thresholds for the scores of a file, and report on them.

    The same file and seed, from which folds and resamples are drawn, give the same result.

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
            rng=np.random.default_rng(seed),
        )
    except ValueError as error:
        y, score = columns
        raise RatingsError(
            f"{error} Here y_true is column {y!r} and scores are column {score!r}."
        ) from error
    half_points = _half_points(rounding.labels)
    table = table_at_thresholds(items.y_true, items.scores, half_points, labels=rounding.labels)
    kappa = float(kappas(table, weights))
    return ThresholdReport(file, columns, weights, method, items, rounding, half_points, kappa)


def as_json(report: ThresholdReport, warnings: Sequence[str]) -> str:
    """Return a report and warnings as a JSON object.

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
        **warned(warnings),
    }
    return json_object(fields)


def as_csv(report: ThresholdReport, warnings: Sequence[str]) -> str:
    """Return the cut points as CSV: a row for each label, with the score it begins at."""
    columns = zip(
        report.rounding.labels.tolist(),
        [-math.inf, *report.rounding.thresholds.tolist()],
        [None, *report.half_points.tolist()],
    )
    return rows_as_csv([{"label": a, "from": b, "half_point": c} for a, b, c in columns])


def as_text(report: ThresholdReport, warnings: Sequence[str]) -> str:
    """Return a report for a person."""
    return "\n".join([_title(report), parts_as_text(_parts(report))])


def as_page(report: ThresholdReport, warnings: Sequence[str]) -> str:
    """Return a report as a page of HTML."""
    return page(_title(report), _parts(report), (), warnings)


WRITERS: dict[str, Callable[[ThresholdReport, Sequence[str]], str]] = {
    "text": as_text,
    "json": as_json,
    "csv": as_csv,
    "html": as_page,
}


def _title(report: ThresholdReport) -> str:
    y, score = (label_text(name) for name in report.columns)
    return f"{label_text(report.file)}: cut points on {score} for {y}"


def _parts(report: ThresholdReport) -> Iterator[Part]:
    items, rounding = report.items, report.rounding
    y, score = (label_text(name) for name in report.columns)
    kind = "no" if report.weights is None else report.weights
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
    rows = list(zip(labels, ["-inf", *cuts], ["", *halves]))
    oof = math.nan if rounding.oof_kappa is None else rounding.oof_kappa
    kappas_found = {
        "kappa at the half points": report.kappa_at_half_points,
        "kappa at the cut points": rounding.kappa,
        "kappa out of fold": oof,
    }
    grids = [
        Grid(("label", "from", "half point"), rows, indent=2, least_width=12),
        facts(kappas_found.items())._replace(indent=2),
    ]
    yield Tables(Report([], grids), ["Each label and the score it begins at", "Kappa"])
    table = counts_grid(rounding.labels, rounding.table, totals=True)
    if table:
        caption = f"{y} (rows) and the labels given (columns)"
        yield ""
        yield Tables(Report([caption], table), [caption])


def _half_points(labels: AnyArray) -> NDArray[np.float64]:
    numbers = np.arange(len(labels), dtype=np.float64)
    if labels.dtype.kind in "iu" and (labels[1:] > labels[:-1]).all():
        numbers = labels.astype(np.float64)
    middles: NDArray[np.float64] = (numbers[:-1] + numbers[1:]) / 2
    return middles
