"""Compare cut points with rounding at half points, and report the result."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray, Floats
from fastkappa.formatting import count_text, figure, interval_text, label_text
from fastkappa.frame import data_frame
from fastkappa.results.report import Grid, Report, counts_grid, facts
from fastkappa.results.result import Result
from fastkappa.results.sentence import WITHOUT_INTERVAL, decimals, listed, versioned
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import Weights, weights_text
from fastkappa.thresholds.rounding import Method, Rounding, table_at_thresholds

INTERVAL = "95 % interval"


@dataclass(frozen=True, eq=False, repr=False)
class RoundingReport(Result):
    """A comparison of cut points on scores with the midpoints between labels.

    Attributes
    ----------
    n : int
        The number of items.
    weights : {'none', 'linear', 'quadratic'} or ndarray
    method : str
        The method used to find the cut points.
    labels : ndarray of shape (l,)
    thresholds : ndarray of shape (l - 1,)
        The cut points: the lowest score of each label except the first.
    half_points : ndarray of shape (l - 1,)
        The midpoints between adjacent labels if the labels are ascending numbers. For other labels,
        these are the midpoints between their positions: 0.5, 1.5, ...
    kappa : dict
        The kappas, with the keys ``half_points``, ``thresholds`` and ``out_of_fold``. Undefined
        kappas are NaN. The out-of-fold kappa is None if there are no folds.
    table : ndarray of shape (l, l)
        The cell in row i, column j is the number of items with true label ``labels[i]`` to which
        the thresholds assign ``labels[j]``.
    interval : tuple of float or None
        The 95 % confidence interval for the out-of-fold kappa, or None if it was not computed.
    n_clusters : int or None
        The number of clusters, or None if the items are not clustered.
    """

    n: int
    weights: Any
    method: Method
    labels: AnyArray
    thresholds: AnyArray
    half_points: Floats
    kappa: dict[str, float | None]
    table: AnyArray
    interval: tuple[float, float] | None = None
    n_clusters: int | None = None
    _y: str = "labels"

    @classmethod
    def of(
        cls,
        rounding: Rounding,
        y_true: Any,
        scores: Any,
        weights: Weights,
        method: Method,
        y: str = "labels",
    ) -> RoundingReport:
        """Build a report on the cut points of ``rounding``.

        ``y`` is the name that the report uses for the labels.
        """
        halves = half_points_of(rounding.labels)
        table = table_at_thresholds(y_true, scores, halves, labels=rounding.labels)
        found = {
            "half_points": float(kappas(table, weights)),
            "thresholds": rounding.kappa,
            "out_of_fold": rounding.oof_kappa,
        }
        return cls(
            len(y_true),
            "none" if weights is None else weights,
            method,
            rounding.labels,
            rounding.thresholds,
            halves,
            found,
            rounding.table,
            _y=y,
        )

    def sentence(self) -> str:
        """Return the cut points and their kappas as a sentence for a paper."""
        cuts = [f"{cut:.6g}" for cut in self.thresholds.tolist()]
        digits, between = WITHOUT_INTERVAL, ""
        if self.interval is not None:
            digits = decimals(self.interval)
            between = f" ({INTERVAL} {interval_text(self.interval, digits=digits)})"
        half, own, out = (
            "undefined" if kappa is None else figure(kappa, digits=digits)
            for kappa in self.kappa.values()
        )
        clusters = self._in_clusters()
        unseen = "" if self.kappa["out_of_fold"] is None else f", {out} out of fold{between}"
        return versioned(
            f"{f'Cut points of {listed(cuts)}' if cuts else 'No cut points'} on the scores of"
            f" {self.n} items{clusters}, chosen to maximise kappa ({weights_text(self._scheme)},"
            f" method {self.method}), gave a kappa of {own} on the same items{unseen} and {half} at"
            " the half points"
        )

    def _in_clusters(self) -> str:
        return "" if self.n_clusters is None else f" in {count_text(self.n_clusters, 'cluster')}"

    @property
    def _scheme(self) -> Weights:
        return None if isinstance(self.weights, str) and self.weights == "none" else self.weights

    def rows(self) -> list[dict[str, Any]]:
        """Return one dictionary per label.

        Each dictionary contains the label's name, its lowest score and the half point below it.
        """
        columns = zip(
            self.labels.tolist(),
            [-math.inf, *self.thresholds.tolist()],
            [None, *self.half_points.tolist()],
        )
        return [{"label": a, "from": b, "half_point": c} for a, b, c in columns]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per label.

        The column ``from`` contains the lowest score of the label, and the column ``half_point``
        contains the half point below the label.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        rows = self.rows()
        columns = {name: [row[name] for row in rows] for name in ("from", "half_point")}
        return data_frame(columns, ("label", self.labels.tolist()))

    def _report(self) -> Report:
        rows = [
            (
                label_text(row["label"]),
                f"{row['from']:.6g}",
                "" if row["half_point"] is None else f"{row['half_point']:g}",
            )
            for row in self.rows()
        ]
        named = ("kappa at the half points", "kappa at the cut points", "kappa out of fold")
        found = [math.nan if kappa is None else kappa for kappa in self.kappa.values()]
        kappas_named: list[tuple[str, Any]] = [*zip(named, found)]
        if self.interval is not None:
            kappas_named.append((INTERVAL, self.interval))
        y, clusters = label_text(self._y), self._in_clusters()
        begins = "Each label and the score it begins at"
        head = ("label", "from", "half point")
        counts = counts_grid(self.labels, self.table, axes=(y, "the labels given"))
        return Report(
            [f"n = {self.n}{clusters}, {weights_text(self._scheme)}, method {self.method}"],
            [
                Grid(head, rows, indent=2, least_width=12, caption=begins),
                facts(kappas_named, "Kappa")._replace(indent=2),
                *counts,
            ],
        )


def half_points_of(labels: AnyArray) -> Floats:
    """Return the midpoints between ascending numbers, or between the positions of other labels."""
    numbers = np.arange(len(labels), dtype=np.float64)
    if labels.dtype.kind in "iuf" and (labels[1:] > labels[:-1]).all():
        numbers = labels.astype(np.float64)
    middles: Floats = (numbers[:-1] + numbers[1:]) / 2
    return middles
