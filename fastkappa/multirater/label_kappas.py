"""Compute Fleiss' kappa of each label against all others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.formatting import figure, interval_text, label_text
from fastkappa.frame import data_frame
from fastkappa.multirater.inference import Inference
from fastkappa.multirater.statistics.chance_corrected import (
    ChanceCorrected,
    FleissNull,
    chance_of_fleiss,
    distances_of,
)
from fastkappa.multirater.statistics.patterns import Patterns
from fastkappa.multirater.statistics.set_distances import each_label
from fastkappa.results.report import MOST_COLUMNS, Grid, Report, abridged, interval_head
from fastkappa.results.result import Result
from fastkappa.results.text import shortened

# The number of pairs of labels that a report lists as the most confused.
MOST_CONFUSED = 3


@dataclass(frozen=True, repr=False)
class LabelKappa(Result):
    """Fleiss' kappa for one label, with all other labels merged into one.

    If ratings are sets, kappa measures the agreement on whether a set contains the label.

    Attributes
    ----------
    label : object
        The label.
    value : float
        The kappa for the label. It is NaN if no ratings or all ratings have this label.
    standard_error : float
        The standard error of kappa, with subjects treated as a sample.
    null_standard_error : float
        The standard error under the null hypothesis of chance agreement. It is NaN unless every
        subject has the same number of ratings.
    z : float
        Kappa divided by ``null_standard_error``. If that error is NaN, z is computed as for the
        overall kappa.
    p_value : float
        The two-sided p-value for the null hypothesis of chance agreement, computed from z.
    interval : tuple of float
        The confidence interval for this kappa, computed with the same method as for the overall
        kappa.
    confidence : float
        The confidence level of the interval.
    n_ratings : int
        The number of ratings with this label.
    agreement : float
        The probability that a rater gives this label to a subject, given that another, randomly
        chosen rater gave the subject this label. With two raters, this probability is the specific
        agreement.
    """

    label: Any
    value: float
    standard_error: float
    null_standard_error: float
    z: float
    p_value: float
    interval: tuple[float, float]
    confidence: float
    n_ratings: int
    agreement: float

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a single row and one column per attribute.

        The interval is split into two columns, ``lower`` and ``upper``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        lower, upper = self.interval
        parts = {**vars(self), "lower": lower, "upper": upper}
        del parts["interval"]
        return data_frame({name: [part] for name, part in parts.items()})

    def _report(self) -> Report:
        return Report([], [label_grid([self])])

    def __repr__(self) -> str:
        return f"<LabelKappa: {shortened(label_text(self.label))}, {figure(self.value)}>"


@dataclass(frozen=True, eq=False, repr=False)
class LabelKappas:
    """The data from which the kappa of each label is computed when it is needed."""

    patterns: Patterns
    labels: AnyArray
    errors: FleissNull | None

    def found(self, whole: Inference) -> Iterator[LabelKappa]:
        """Yield the kappa of each label, with the same settings as for the overall kappa."""
        patterns = self.patterns
        multiplicities = patterns.multiplicities
        for label, is_label in each_label(self.labels):
            counts = patterns.counts[:, is_label].sum(axis=1, dtype=np.int64)
            pair = np.stack([counts, patterns.n_ratings - counts], axis=1)
            two = ChanceCorrected(
                Patterns(pair, multiplicities), distances_of(None, 2), chance_of_fleiss
            )
            own = Inference(
                coefficient=two,
                confidence=whole.confidence,
                distribution=whole.distribution,
                clusters=whole.clusters,
                null_error=math.nan if self.errors is None else self.errors.by_label,
                asked=whole.asked,
                sampled=None if whole.sampled is None else whole.sampled.of_labels(is_label),
            )
            n_pairs = int(multiplicities @ (counts * (patterns.n_ratings - 1)))
            n_agreeing = int(multiplicities @ (counts * (counts - 1)))
            yield LabelKappa(
                label,
                own.value,
                own.standard_error,
                own.null_standard_error,
                own.z,
                own.p_value,
                own.interval,
                own.confidence,
                int(multiplicities @ counts),
                n_agreeing / n_pairs if n_pairs else math.nan,
            )


def label_grid(labels: Sequence[LabelKappa]) -> Grid:
    """Return a grid that shows the agreement on each label."""
    rows = [
        (
            f"kappa of {label_text(one.label)}",
            str(one.n_ratings),
            figure(one.agreement, ""),
            figure(one.value),
            interval_text(one.interval, "", width=7),
        )
        for one in labels
    ]
    head = ("", "ratings", "agreement", "value", interval_head(labels[0].confidence))
    caption = "Each label against all others"
    return Grid(head, abridged(rows), least_width=0, caption=caption)


def kappas_by_group(groups: Mapping[str, Mapping[str, float]], above: str) -> Grid:
    """Return a grid with a column of kappas for each group. ``above`` is the caption."""
    names = dict.fromkeys(name for kappas in groups.values() for name in kappas)
    rows = [
        (name, *(figure(kappas[name]) if name in kappas else "" for kappas in groups.values()))
        for name in names
    ]
    return Grid(("", *groups), abridged(rows), least_width=0, caption=above, above=above)


def pooled(tables: IntTable) -> IntTable:
    """Return the number of rating pairs for each pair of labels, summed over all tables."""
    whole: IntTable = tables.sum(axis=0)
    return whole + whole.T - np.diag(np.diag(whole))


def confusions(label_pairs: IntTable, labels: AnyArray) -> Report:
    """Return a report on the labels that raters confuse most.

    ``label_pairs`` contains the number of rating pairs for each pair of labels.
    """
    names = [label_text(label) for label in labels.tolist()]
    first, second = np.triu_indices(len(names), 1)
    counts = label_pairs[first, second]
    most = np.argsort(-counts, kind="stable")[:MOST_CONFUSED]
    named = [
        f"{names[first[i]]} and {names[second[i]]} ({100 * counts[i] / counts.sum():.0f} %)"
        for i in most[counts[most] > 0]
    ]
    caption = "Labels of two ratings of the same item, for all pairs of raters"
    grids = []
    if len(names) <= MOST_COLUMNS:
        rows = [(name, *map(str, row)) for name, row in zip(names, label_pairs.tolist())]
        grids.append(Grid(("", *names), rows, caption=caption, above=caption))
    return Report([], grids, [f"confused most: {', '.join(named)}"] if named else [])
