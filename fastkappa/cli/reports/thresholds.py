"""The best thresholds for the scores in a file, as text for a person or as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.cli.files.raters import KINDS
from fastkappa.cli.files.ratings import parse_labels
from fastkappa.columns.column import read_column
from fastkappa.columns.missing import find_missing, without
from fastkappa.engines.arrow_files import read_columns
from fastkappa.engines.ratings import LARGEST_NUMBER_OF_LABELS, RatingsError
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import Weights
from fastkappa.thresholds.rounding import Method, Rounding, find_rounding, table_at_thresholds
from fastkappa.two_raters.report import LARGEST_TABLE, figure, label_text

FOLDS = 5
RESAMPLES = 100
SEED = 0


class ThresholdReport(NamedTuple):
    """Thresholds, and kappa with them and with scores rounded at the half points.

    ``n`` counts the items, ``n_outside`` those left out because their label is none of those
    wanted. ``half_points`` are the middles between labels that are ascending numbers, else
    0.5, 1.5, ...: those between the labels' positions.
    """

    file: str
    columns: tuple[str, str]
    weights: Weights
    method: Method
    n_rows: int
    missing: tuple[int, int]
    n_dropped: int
    n_outside: int
    n: int
    rounding: Rounding
    half_points: NDArray[np.float64]
    kappa_at_half_points: float


def report_on_thresholds(
    path: Path,
    y: str,
    score: str,
    *,
    weights: Weights = "quadratic",
    method: Method = "exact",
    labels: str | None = None,
    drop_missing: bool = False,
) -> ThresholdReport:
    """Find the best thresholds for a column of scores in a file.

    The same file gives the same result: folds and resamples are drawn from a fixed seed.

    Parameters
    ----------
    path : Path
        A file of a format known by its suffix, one of `fastkappa.engines.arrow_files.SUFFIXES`.
    y, score : str
        The column of the labels, and that of the scores.
    weights : {'linear', 'quadratic'} or None, default='quadratic'
    method : {'exact', 'bagged', 'smoothed', 'closed_form'}, default='exact'
        As for `KappaRounder`.
    labels : str, default=None
        The labels in their order, written as ``a,b,c``. None takes all that occur, sorted.
    drop_missing : bool, default=False
        Whether rows without a label or a score are left out. They are an error otherwise.

    Returns
    -------
    report : ThresholdReport

    Raises
    ------
    ValueError
        If the file cannot be read, a column is not there, a label or a score is missing or
        not of its kind, or no label is among those wanted.
    ImportError
        If pyarrow is not installed.
    """
    arrays = read_columns(path, list(dict.fromkeys((y, score))))
    n_rows = len(arrays[y])
    masks = [find_missing(arrays[name]) for name in (y, score)]
    missing = [0 if mask is None else int(mask.sum()) for mask in masks]
    dropped = np.zeros(n_rows, bool)
    for mask in masks:
        if mask is not None:
            dropped |= mask
    n_dropped = int(dropped.sum())
    if n_dropped and not drop_missing:
        told = " and ".join(f"{n} in column {name!r}" for n, name in zip(missing, (y, score)) if n)
        raise RatingsError(
            f"values are missing: {told}, of {n_rows} rows. --missing drop leaves such rows out."
        )
    if n_dropped == n_rows:
        raise RatingsError(f"no rows are left: all {n_rows} of {path} have a missing value.")
    truth = _read_labels(without(arrays[y], dropped) if n_dropped else arrays[y], y)
    scores = without(arrays[score], dropped) if n_dropped else arrays[score]
    known = None
    outside = np.zeros(len(truth), bool)
    if labels is not None:
        known = parse_labels(labels, KINDS.get(truth.dtype.kind, "integers"))
        outside = ~np.isin(truth, known)
        if outside.all():
            raise RatingsError(f"none of the labels in column {y!r} is among those of --labels.")
        truth, scores = truth[~outside], without(scores, outside) if outside.any() else scores
    try:
        rounding = find_rounding(
            truth,
            scores,
            method=method,
            labels=known,
            weights=weights,
            n_resamples=RESAMPLES,
            n_folds=FOLDS if len(truth) >= FOLDS else None,
            rng=np.random.default_rng(SEED),
        )
    except ValueError as error:
        raise RatingsError(
            f"{error} Here y_true is column {y!r} and scores are column {score!r}."
        ) from error
    half_points = _half_points(rounding.labels)
    table = table_at_thresholds(truth, scores, half_points, labels=rounding.labels)
    return ThresholdReport(
        file=str(path),
        columns=(y, score),
        weights=weights,
        method=method,
        n_rows=n_rows,
        missing=(missing[0], missing[1]),
        n_dropped=n_dropped,
        n_outside=int(outside.sum()),
        n=len(truth),
        rounding=rounding,
        half_points=half_points,
        kappa_at_half_points=float(kappas(table, weights)),
    )


def as_json(report: ThresholdReport) -> str:
    """Return a report as a JSON object, one line for each of its keys.

    Kappa is null where it is undefined, and an infinite threshold a string that ``float``
    reads, for JSON has no number for it.
    """
    rounding = report.rounding
    kappas_told = {
        "half_points": report.kappa_at_half_points,
        "thresholds": rounding.kappa,
        "out_of_fold": math.nan if rounding.oof_kappa is None else rounding.oof_kappa,
    }
    names = ("y", "score")
    fields = {
        "file": report.file,
        "columns": dict(zip(names, report.columns)),
        "rows": report.n_rows,
        "missing": dict(zip(names, report.missing)),
        "dropped": report.n_dropped,
        "outside": report.n_outside,
        "n": report.n,
        "weights": "none" if report.weights is None else report.weights,
        "method": report.method,
        "labels": rounding.labels.tolist(),
        "thresholds": [
            value if math.isfinite(value) else str(value) for value in rounding.thresholds.tolist()
        ],
        "half_points": report.half_points.tolist(),
        "kappa": {
            name: None if math.isnan(value) else value for name, value in kappas_told.items()
        },
        "table": rounding.table.tolist(),
    }
    lines = (f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in fields.items())
    return "{\n" + ",\n".join(lines) + "\n}"


def as_text(report: ThresholdReport) -> str:
    """Return a report for a person."""
    return "\n".join(_lines(report))


def _lines(report: ThresholdReport) -> Iterator[str]:
    rounding = report.rounding
    y, score = (label_text(name) for name in report.columns)
    kind = "no" if report.weights is None else report.weights
    yield f"{label_text(report.file)}: cut points on {score} for {y}"
    yield f"n = {report.n}, {kind} weights, method {report.method}"
    if report.n_dropped:
        yield (
            f"{report.n_dropped} left out for a missing value ({report.missing[0]} in {y},"
            f" {report.missing[1]} in {score})"
        )
    if report.n_outside:
        yield f"{report.n_outside} left out for a label outside those wanted"
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
    cells = [[str(count) for count in row] for row in rounding.table.tolist()]
    widths = [max(map(len, column)) + 2 for column in zip(labels, *cells)]
    yield ""
    yield f"  {y} (rows) and the labels given (columns)"
    for head, row in zip(["", *labels], [labels, *cells]):
        yield f"  {head:<{margin}}" + "".join(f"{cell:>{w}}" for cell, w in zip(row, widths))


def _read_labels(column: Any, name: str) -> AnyArray:
    """Return the labels of a column: whole numbers, strings or booleans."""
    try:
        read = read_column(column, name)
    except (ValueError, TypeError) as error:
        raise RatingsError(f"column {name!r} cannot hold the labels: {error}") from error
    if read.obstacle or read.label_dtype.kind in "mM":
        held = read.obstacle or "date or time"
        raise RatingsError(
            f"column {name!r} holds {held} values: labels must be whole numbers, strings or"
            " booleans."
        )
    if read.categories is not None:
        truth = np.asarray(read.categories)[read.values]
    else:
        truth = read.values.astype(np.int64 if read.label_dtype.kind == "f" else read.label_dtype)
    n_labels = len(np.unique(truth))
    if n_labels > LARGEST_NUMBER_OF_LABELS:
        raise RatingsError(
            f"column {name!r} holds {n_labels} different values, more than the"
            f" {LARGEST_NUMBER_OF_LABELS} labels a table is made for: is it a label?"
        )
    return truth


def _half_points(labels: AnyArray) -> NDArray[np.float64]:
    numbers = np.arange(len(labels), dtype=np.float64)
    if labels.dtype.kind in "iu" and (labels[1:] > labels[:-1]).all():
        numbers = labels.astype(np.float64)
    middles: NDArray[np.float64] = (numbers[:-1] + numbers[1:]) / 2
    return middles
