"""Write the report of ``fastkappa thresholds``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from warnings import catch_warnings, simplefilter

import numpy as np

from fastkappa.cli.files.scored_columns import ScoredColumns
from fastkappa.cli.reports.output import Output
from fastkappa.cli.words import arguments_named, names_of_columns
from fastkappa.formatting import count_text, label_text
from fastkappa.results.report import left_outside
from fastkappa.statistics.weights import Weights
from fastkappa.thresholds.rounding import Method, Rounding, find_rounding, generator_of
from fastkappa.thresholds.rounding_report import RoundingReport
from fastkappa.two_raters.agreement import agreement
from fastkappa.two_raters.agreement_result import AgreementResult

FOLDS = 5
RESAMPLES = 100


def rounding_of(
    columns: Mapping[str, str], items: ScoredColumns, weights: Weights, method: Method, seed: int
) -> Rounding:
    """Find the best thresholds for the scores in a file, and the out-of-fold label of each item.

    The seed determines the folds and resamples, so the same file and seed give the same result.

    Raises
    ------
    RatingsError
        If no thresholds can be found, or if scores, labels or clusters are invalid.
    """
    names = {"y_true": f"column {columns['y']!r}", "groups": f"column {columns.get('cluster')!r}"}
    with arguments_named(**names):
        return find_rounding(
            items.y_true,
            items.scores,
            method=method,
            labels=items.labels,
            weights=weights,
            n_resamples=RESAMPLES,
            folds=FOLDS if len(items.y_true) >= FOLDS else None,
            groups=items.clusters,
            rng=generator_of(np.random.RandomState(seed)),
        )


def output_of(
    file: str,
    columns: Mapping[str, str],
    items: ScoredColumns,
    rounding: Rounding,
    weights: Weights,
    method: Method,
) -> Output:
    """Return the report that compares the thresholds with rounding at the half points."""
    y, score = label_text(columns["y"]), label_text(columns["score"])
    out_of_fold = _out_of_fold(columns, items, rounding, weights)
    with catch_warnings():
        # Warnings about doubtful labels have already been issued.
        simplefilter("ignore", UserWarning)
        found = RoundingReport.of(
            rounding, items.y_true, items.scores, weights, method, columns["y"]
        )
    if out_of_fold is not None:
        n_clusters = None if items.clusters is None else out_of_fold.n_clusters
        found = replace(found, interval=out_of_fold.interval, n_clusters=n_clusters)
    of_file = {
        "file": file,
        "columns": columns,
        "rows": items.n_rows,
        "missing": {name: items.missing[column] for name, column in columns.items()},
        "dropped": items.n_dropped,
        "outside": items.n_outside,
    }
    report = found._report()
    left_out = []
    if items.n_dropped:
        missing = (f"{items.missing[name]} in {label_text(name)}" for name in columns.values())
        left_out.append(
            f"{count_text(items.n_dropped, 'row')} dropped because of a missing value"
            f" ({', '.join(missing)})"
        )
    title = f"{label_text(file)}: cut points on {score} for {y}"
    above = [*report.above, *left_out]
    reports = [report._replace(above=above, doubts=left_outside(items.n_outside))]
    return Output(
        title,
        reports,
        {**of_file, **found.to_dict()},
        found.rows(),
        sentences=lambda: [found.sentence()],
    )


def _out_of_fold(
    columns: Mapping[str, str], items: ScoredColumns, rounding: Rounding, weights: Weights
) -> AgreementResult | None:
    """Return the agreement of true and out-of-fold labels, or None if it is undefined."""
    if rounding.oof_positions is None or math.isnan(rounding.oof_kappa or math.nan):
        return None
    names = {"y1": f"column {columns['y']!r}", "y2": "the column of out-of-fold labels"}
    with arguments_named(**names, **names_of_columns(columns.get("cluster"))):
        return agreement(
            items.y_true,
            rounding.labels[rounding.oof_positions],
            labels=rounding.labels,
            weights=weights,
            clusters=items.clusters,
        )
