"""Explain kappa, using published ratings."""

from __future__ import annotations

import numpy as np

from fastkappa import datasets
from fastkappa.cli.reports.output import text_width
from fastkappa.cli.reports.score import report_on_table
from fastkappa.cli.terminal import write
from fastkappa.formatting import figure, interval_text
from fastkappa.results.text import wrapped
from fastkappa.sources.source_counts import SourceCounts
from fastkappa.statistics.kappa import kappas
from fastkappa.thresholds.rounding import find_rounding, table_at_thresholds
from fastkappa.two_raters.agreement import agreement_from_confusion

COMMAND = "$ fastkappa score retinopathy.csv --y1 left --y2 right --weights quadratic"
SEED = 2015


def tell_story() -> None:
    """Print the kappa between grades of left and right eyes, explain it, and print cut points."""
    rated = datasets.load("diabetic_retinopathy")
    labels = np.array(rated.labels)
    n = int(rated.table.sum())
    _say(rated.description)
    _say(rated.source)
    write(COMMAND)
    counts = SourceCounts(rated.table, labels, 0, n, (0, 0), 0)
    columns = "left", "right"
    report = report_on_table("retinopathy.csv", columns, counts, "quadratic")
    write(report.written("text", ()) + "\n")
    p_o, p_e = report.fields["observed_agreement"], report.fields["expected_agreement"]
    kappas_of_table = report.fields["kappas"]
    none = rated.table[0].sum() / n
    _say(
        f"What it means: both eyes have the same grade in {p_o:.1%} of the patients. But"
        f" {none:.0%} of left eyes have grade 0, so randomly paired eyes would have the same grade"
        f" in {p_e:.1%} of pairs. Kappa is the observed agreement beyond chance, as a proportion"
        f" of the largest possible agreement beyond chance: ({figure(p_o)} - {figure(p_e)}) / (1 -"
        f" {figure(p_e)}) = {figure(kappas_of_table['none'])}. With quadratic weights, grades"
        f" two steps apart count four times as much disagreement as neighbouring grades. Most"
        f" disagreements here are between neighbouring grades, so the weighted kappa is higher:"
        f" {figure(kappas_of_table['quadratic'])}."
    )
    result = agreement_from_confusion(rated.table, weights="quadratic", labels=labels)
    reading = result.interpret("landis-koch")
    _say(
        f"How precise it is: the 95% interval is {interval_text(result.interval)}, which is at"
        f" least '{reading.confident_reading}' on the scale of {reading.source}."
    )
    _say(_cut_points())
    _say(
        "For your own ratings, run: fastkappa agree ratings.csv --raters left right --report"
        " page.html. For all commands, run: fastkappa --help"
    )


def _cut_points() -> str:
    """Return a paragraph on how much the best cut points increase kappa for simulated scores."""
    y1, y2 = datasets.load("diabetic_retinopathy").expand()
    rng = np.random.default_rng(SEED)
    # The simulated scores vary less than the grades, like the predictions of a regression model.
    scores = 0.6 * y2 + rng.normal(0, 0.3, len(y2))
    rounding = find_rounding(y1, scores, folds=None, rng=rng)
    halves = np.arange(4) + 0.5
    rounded = table_at_thresholds(y1, scores, halves, labels=rounding.labels)
    cuts = ", ".join(f"{cut:.2f}" for cut in rounding.thresholds.tolist())
    return (
        "What else it can do: take simulated model scores, here 0.6 times the right eye's grade"
        " plus noise. Rounded at 0.5, 1.5, 2.5 and 3.5, they agree with the left eye's grades with"
        f" a quadratic kappa of {figure(float(kappas(rounded, 'quadratic')))}. `fastkappa"
        f" thresholds` finds the cut points {cuts}, which raise kappa to {figure(rounding.kappa)}."
    )


def _say(text: str) -> None:
    write("\n".join(wrapped(text, text_width())) + "\n")
