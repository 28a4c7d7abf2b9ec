"""The report of ``fastkappa thresholds``."""

from __future__ import annotations

from warnings import catch_warnings, simplefilter

import numpy as np

from fastkappa.cli.files.scored_columns import ScoredColumns
from fastkappa.cli.reports.output import Output
from fastkappa.cli.words import arguments_named
from fastkappa.formatting import count_text, label_text
from fastkappa.statistics.weights import Weights
from fastkappa.thresholds.rounding import Method, Rounding, find_rounding, generator_of
from fastkappa.thresholds.rounding_report import RoundingReport

FOLDS = 5
RESAMPLES = 100


def rounding_of(
    columns: tuple[str, str], items: ScoredColumns, weights: Weights, method: Method, seed: int
) -> Rounding:
    """Find the best thresholds for the scores in a file.

    The seed determines the folds and resamples, so the same file and seed give the same result.

    Raises
    ------
    RatingsError
        If no thresholds can be found, or the scores or labels are invalid.
    """
    with arguments_named(y_true=f"column {columns[0]!r}"):
        return find_rounding(
            items.y_true,
            items.scores,
            method=method,
            labels=items.labels,
            weights=weights,
            n_resamples=RESAMPLES,
            folds=FOLDS if len(items.y_true) >= FOLDS else None,
            rng=generator_of(np.random.RandomState(seed)),
        )


def output_of(
    file: str,
    columns: tuple[str, str],
    items: ScoredColumns,
    rounding: Rounding,
    weights: Weights,
    method: Method,
) -> Output:
    """Return the report that compares the thresholds with rounding at the half points."""
    y, score = map(label_text, columns)
    with catch_warnings():
        # Warnings about doubtful labels have already been issued.
        simplefilter("ignore", UserWarning)
        found = RoundingReport.of(rounding, items.y_true, items.scores, weights, method, columns[0])
    names = ("y", "score")
    of_file = {
        "file": file,
        "columns": dict(zip(names, columns)),
        "rows": items.n_rows,
        "missing": dict(zip(names, items.missing)),
        "dropped": items.n_dropped,
        "outside": items.n_outside,
    }
    report = found._report()
    left_out = []
    if items.n_dropped:
        of_y, of_score = items.missing
        left_out.append(
            f"{count_text(items.n_dropped, 'row')} dropped for a missing value ({of_y} in {y},"
            f" {of_score} in {score})"
        )
    if items.n_outside:
        left_out.append(
            f"{count_text(items.n_outside, 'item')} left out for a label outside --labels"
        )
    title = f"{label_text(file)}: cut points on {score} for {y}"
    reports = [report._replace(above=[*report.above, *left_out])]
    return Output(
        title,
        reports,
        {**of_file, **found.to_dict()},
        found.rows(),
        sentences=lambda: [found.sentence()],
    )
