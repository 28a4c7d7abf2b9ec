"""Compute Cohen's kappa of every pair of raters."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable, IntTable
from fastkappa.choices import position_of
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.formatting import counts_text, figure, interval_text, printable
from fastkappa.frame import data_frame
from fastkappa.multirater.counted_ratings import Counted
from fastkappa.multirater.estimation import read_weights
from fastkappa.multirater.label_kappas import pooled
from fastkappa.multirater.ratings import Ratings
from fastkappa.multirater.statistics.known_raters import of_pairs
from fastkappa.multirater.statistics.rated_profiles import MOST_CELLS
from fastkappa.multirater.statistics.set_distances import SetLevel
from fastkappa.results.report import MOST_COLUMNS, Grid, Report, interval_head
from fastkappa.results.result import Result
from fastkappa.results.sentence import decimals, estimate_text, versioned
from fastkappa.statistics.inference import check_confidence, standard_error, symmetric_interval
from fastkappa.statistics.intervals.inverted import inverted_test
from fastkappa.statistics.intervals.methods import (
    MOST_LABELS,
    IntervalMethod,
    root_quantile,
    widening,
)
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import Weights, as_weights, weights_text

if TYPE_CHECKING:
    from fastkappa.two_raters.agreement_result import AgreementResult

# Score intervals are computed only if the tables have at most this many cells in total. For 100
# raters and 14 labels, this takes 5 s.
MOST_SCORE_CELLS = 1 << 20
# The maximum width of a rater's name in a printed matrix.
LONGEST_NAME = 16
# With up to this many raters, a report lists all pairs with their intervals. With more raters, it
# contains a matrix of the kappas instead.
MOST_LISTED = 6


@dataclass(frozen=True, eq=False, repr=False)
class PairwiseKappa(Result):
    """Cohen's kappa for every pair of R raters.

    Attributes
    ----------
    rater_names : tuple of str
        The names of the raters, in the order of the rows and columns.
    values : ndarray of shape (R, R)
        The kappas. Rows correspond to the first rater of a pair, and columns to the second. The
        diagonal is 1. A kappa is NaN if the two raters have no subjects in common, or if both gave
        the same label to all the subjects that they have in common.
    standard_errors : ndarray of shape (R, R)
        The standard errors of the kappas, as in `fastkappa.agreement`. They are computed as in
        Fleiss, Cohen and Everitt (1969) or, with clusters, as in Yang and Zhou (2014, 2015). They
        are 0 on the diagonal.
    lower, upper : ndarray of shape (R, R)
        The lower and upper limits of the confidence intervals, computed as in `agreement`.
    confidence : float
        The confidence level of each interval.
    n : ndarray of shape (R, R)
        The number of subjects rated by both raters. On the diagonal, this is the number of subjects
        rated by that rater.
    n_missing : ndarray of shape (R, R)
        The number of subjects left out of the pair's kappa because a rating is missing.
    tables : ndarray of shape (R (R - 1) / 2, l, l)
        The confusion matrices of the pairs, ordered as (0, 1), (0, 2), ..., (1, 2), ... The rows
        correspond to the labels given by the first rater of the pair.
    labels : ndarray of shape (l,)
        The labels of the rows and columns of ``tables``.
    weights : {'linear', 'quadratic'}, ndarray of shape (l, l) or None
        The disagreement weights.
    interval_method : {'score', 'asymptotic'}
        The method used for the confidence intervals. It is 'score' unless there are too many pairs
        or labels, in which case it is 'asymptotic'.
    """

    rater_names: tuple[str, ...]
    values: FloatTable
    standard_errors: FloatTable
    lower: FloatTable
    upper: FloatTable
    confidence: float
    n: IntTable
    n_missing: IntTable
    tables: IntTable
    labels: Any
    weights: Weights
    _counted: Counted | None = None
    interval_method: IntervalMethod = "asymptotic"
    # The weights as text. If the ratings are sets, the text names the distance, and ``weights`` is
    # a matrix.
    _weighted: str = ""

    @property
    def mean(self) -> float:
        """The mean of the kappas of all pairs, which is Light's kappa."""
        return float(_of_pairs(self.values).mean())

    @property
    def label_pairs(self) -> IntTable:
        """The number of rating pairs for each pair of labels, in a symmetric table of shape (l, l).

        The table is summed over all pairs of raters. It shows which labels are confused with each
        other, regardless of which rater gave which label.
        """
        return pooled(self.tables)

    def __getitem__(self, pair: tuple[str | int, str | int]) -> AgreementResult:
        """Return the agreement between two raters, selected by their names or positions.

        The interval has the same limits as in ``lower`` and ``upper``. A number selects the rater
        with that number as a name. If there is no such rater, the number is a position.

        Raises
        ------
        KeyError
            If a rater is unknown, or if both raters are the same.

        Examples
        --------
        >>> from fastkappa import Ratings, pairwise_kappa
        >>> ratings = {"Ann": [1, 1, 2, 2, 3], "Ben": [1, 2, 2, 2, 3], "Cat": [1, 1, 3, 3, 3]}
        >>> pairs = pairwise_kappa(Ratings.from_raters(ratings))
        >>> pairs["Ben", "Cat"]
        <AgreementResult: kappa 0.2500 (-0.3398 to 0.6322), n = 5, 3 labels, no weights>
        """
        # Imported here because nothing else in this module needs the two-rater code.
        from fastkappa.two_raters.agreement import make_result

        first, second = self._position_of(pair)
        number = self._number_of(min(first, second), max(first, second))
        table, clusters = self.tables[number], None
        if self._counted is not None:
            clusters = dict(self._counted.clusters_of_pairs()).get(number)
        if first > second:
            table = table.T
            if clusters is not None:
                rows, columns = np.divmod(clusters.cells, len(table))
                clusters = replace(clusters, cells=columns * len(table) + rows)
        n_subjects = self.n[first, second] + self.n_missing[first, second]
        own = n_subjects - np.diag(self.n)
        return make_result(
            table,
            self.labels,
            self.weights,
            self.confidence,
            interval_method=self.interval_method,
            raters=(self.rater_names[first], self.rater_names[second]),
            missing=(int(own[first]), int(own[second])),
            n_dropped=int(self.n_missing[first, second]),
            clusters=clusters,
        )

    def _number_of(self, first: int, second: int) -> int:
        """Return the index of a pair's table in ``tables``."""
        n_raters = len(self.rater_names)
        return first * (2 * n_raters - first - 1) // 2 + second - first - 1

    def _position_of(self, pair: Any) -> tuple[int, int]:
        """Return the positions of two raters, or raise KeyError."""
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise KeyError(f"pass two raters, as in pairs['anna', 'eve'], got {pair!r}.")
        places = [position_of(one, self.rater_names, "rater") for one in pair]
        if places[0] == places[1]:
            raise KeyError(f"give two different raters, got {pair!r}.")
        return places[0], places[1]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per pair of raters.

        The index levels ``first`` and ``second`` contain the names of the raters. The columns are
        ``kappa``, ``standard_error``, ``lower``, ``upper``, ``n`` and ``n_missing``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        first, second = zip(*combinations(self.rater_names, 2))
        matrices = {
            "kappa": self.values,
            "standard_error": self.standard_errors,
            "lower": self.lower,
            "upper": self.upper,
            "n": self.n,
            "n_missing": self.n_missing,
        }
        columns = {name: _of_pairs(matrix) for name, matrix in matrices.items()}
        frame = data_frame({"first": first, "second": second, **columns})
        return frame.set_index(["first", "second"])

    def n_of_pairs(self) -> dict[tuple[str, str], int]:
        """Return the number of subjects rated by both raters, for each pair of raters."""
        return dict(zip(combinations(self.rater_names, 2), _of_pairs(self.n).tolist()))

    def rows(self) -> list[tuple[str, float, float, tuple[float, float]]]:
        """Return the raters' names, kappa, standard error and interval for each pair of raters."""
        matrices = (self.values, self.standard_errors, self.lower, self.upper)
        figures = zip(*(_of_pairs(matrix).tolist() for matrix in matrices))
        names = combinations(self.rater_names, 2)
        return [(f"{a}, {b}", k, se, (low, up)) for (a, b), (k, se, low, up) in zip(names, figures)]

    def sentence(self) -> str:
        """Return a sentence for a paper that states the range of the pairwise kappas."""
        n = _of_pairs(self.n).tolist()
        what = (
            f"Cohen's kappa ({self._weighted}) of the {len(n)} pairs of {len(self.n)} raters, on"
            f" {counts_text(n, 'item')} each,"
        )
        rows = self._defined_rows()
        if not rows:
            return versioned(f"{what} was undefined")
        digits = decimals(rows[0][3])
        mean = figure(float(np.mean([row[1] for row in rows])), digits=digits)
        if rows[0][1] == rows[-1][1]:
            return versioned(f"{what} was {mean} each")
        of_interval = f"{100 * self.confidence:g} % {self.interval_method} interval"
        low, high = (
            estimate_text(kappa, ends, f"{printable(names)}; {of_interval}")
            for names, kappa, _, ends in (rows[0], rows[-1])
        )
        return versioned(f"{what} was between {low} and {high}, with a mean of {mean}")

    def _defined_rows(self) -> list[tuple[str, float, float, tuple[float, float]]]:
        """Return the rows with a defined kappa, from the smallest kappa to the largest."""
        return sorted((row for row in self.rows() if not math.isnan(row[1])), key=itemgetter(1))

    def __repr__(self) -> str:
        n_raters, mean = len(self.values), figure(self.mean)
        return f"<PairwiseKappa: {n_raters} raters, mean {mean}, {self._weighted}>"

    def _report(self) -> Report:
        names = [_short_name(name) for name in self.rater_names]
        heading = "Kappa of each pair of raters"
        n = _of_pairs(self.n)
        if len(names) <= MOST_LISTED:
            rows = [
                (*map(printable, pair), str(k), figure(kappa), interval_text(ends, "", width=7))
                for pair, k, (_, kappa, _, ends) in zip(self.n_of_pairs(), n, self.rows())
            ]
            head = ("first", "second", "n", "kappa", interval_head(self.confidence))
            return Report([], [Grid(head, rows, n_fixed=2)], heading=heading)
        shared = f"{n.min()}" if n.min() == n.max() else f"{n.min()} to {n.max()}"
        if len(names) <= MOST_COLUMNS:
            values = ([figure(value) for value in row] for row in self.values)
            matrix = [(name, *row) for name, row in zip(names, values)]
            grids = [Grid(("", *names), matrix)]
            below = [f"items of each pair: {shared}"] if n.min() < n.max() else []
            return Report([], grids, below, heading)
        defined = self._defined_rows()
        unknown = f" ({len(n) - len(defined)} undefined)" if len(defined) < len(n) else ""
        below = [f"kappa of {len(n)} pairs of raters{unknown}, on {shared} items each"]
        if defined:
            low, first, middle, third, high = (
                figure(float(value))
                for value in np.quantile([row[1] for row in defined], np.arange(5) / 4)
            )
            below.append(f"  median {middle}, quartiles {first} and {third}")
            below.append(f"  from {low} ({printable(defined[0][0])}) to {high}")
        return Report(below)


def _of_pairs(matrix: AnyArray) -> AnyArray:
    """Return the entries above the diagonal of a matrix, row by row."""
    return np.asarray(matrix[np.triu_indices(len(matrix), 1)])


def _short_name(name: str) -> str:
    text = printable(name)
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"


def pairs_are_few(ratings: Ratings) -> bool:
    """Return whether the tables of all pairs of raters fit in memory."""
    return comb(ratings.n_raters, 2) * len(ratings.labels) ** 2 <= MOST_CELLS


def pairwise_kappa(
    ratings: Any,
    *,
    weights: Weights | SetLevel = None,
    labels: Any = None,
    missing_codes: Sequence[Any] = (),
    clusters: Any = None,
    confidence: float = 0.95,
) -> PairwiseKappa:
    """Return Cohen's kappa for every pair of raters, computed in one pass over the ratings.

    Parameters
    ----------
    ratings : array-like of shape (n_subjects, n_raters), or Ratings
        The ratings, as in `fleiss_kappa`. Counts are not accepted, because they do not show which
        rater gave which rating.
    weights : {'linear', 'quadratic', 'jaccard', 'masi'}, array-like of shape (l, l) or None, \
default=None
        Disagreement weights, as in `disputed_items`, except that they need not be symmetric.
    labels, missing_codes, clusters
        These arguments are passed to `Ratings.from_array`. They must be omitted if ``ratings`` is a
        `Ratings` object.
    confidence : float, default=0.95
        The confidence level of each interval.

    Returns
    -------
    result : PairwiseKappa
        Each kappa is computed from the subjects that both raters rated, and ``n_missing`` counts
        the other subjects. An ``UndefinedMetricWarning`` is issued if a kappa is undefined, or if a
        standard error is undefined because all subjects that both raters rated are in one cluster.
        The warnings of `fleiss_kappa` are also issued.

    Raises
    ------
    ValueError
        If the ratings were read from counts or are not valid for `Ratings.from_array`, if the
        weights are invalid, or if ``labels``, ``missing_codes`` or ``clusters`` is given although
        ``ratings`` is a `Ratings` object.

    Examples
    --------
    >>> from fastkappa import Ratings, pairwise_kappa
    >>> ratings = Ratings.from_raters(
    ...     {"Ann": [1, 1, 2, 2, 3], "Ben": [1, 2, 2, 2, 3], "Cat": [1, 1, None, 3, 3]}
    ... )
    >>> result = pairwise_kappa(ratings)
    >>> print(result)
    Kappa of each pair of raters
    <BLANKLINE>
    first  second         n     kappa       95 % interval
      Ann  Ben            5    0.6875  -0.0424 to  0.9432
      Ann  Cat            4    0.6000  -0.0596 to  0.9091
      Ben  Cat            4    0.3333  -0.2298 to  0.7422
    >>> int(result.n_missing[0, 2])
    1
    """
    given = Ratings.of(ratings, labels, missing_codes, clusters)
    check_confidence(confidence)
    checked = as_weights(read_weights(given, weights), len(given.labels))
    tables, n_rated = given.rater_pairs("pairwise_kappa")
    names = given.rater_names or ()
    first, second = np.triu_indices(len(names), 1)

    values, errors = np.eye(len(names)), np.zeros((len(names), len(names)))
    quantiles = np.full(values.shape, root_quantile(confidence, math.inf))
    both_ways = (first, second, tables), (second, first, tables.swapaxes(-1, -2))
    for rows, columns, oriented in both_ways:
        values[rows, columns] = of_pairs(kappas, oriented, checked)
        errors[rows, columns] = of_pairs(standard_error, oriented, checked)
    if given.counted.clusters is not None:
        other = checked.T if isinstance(checked, np.ndarray) else checked
        for i, clusters_found in given.counted.clusters_of_pairs():
            if clusters_found.are_single:
                continue
            a, b = first[i], second[i]
            alone = errors[a, b], errors[b, a]
            errors[a, b] = standard_error(tables[i], checked, clusters_found)
            errors[b, a] = standard_error(tables[i], other, clusters_found)
            n_clusters = clusters_found.n_clusters
            widened = widening((errors[a, b], errors[b, a]), alone, n_clusters)
            quantiles[[a, b], [b, a]] = root_quantile(confidence, n_clusters - 1) * widened
    n = np.diag(n_rated)
    n[first, second] = n[second, first] = tables.sum(axis=(1, 2))
    n_undefined = int(np.isnan(values[first, second]).sum())
    if n_undefined:
        warnings.warn(
            f"kappa is undefined for {n_undefined} of {len(first)} pairs of raters, because the two"
            " raters have no subject in common, or gave all common subjects the same label.",
            undefined_metric_warning(),
            stacklevel=2,
        )
    n_unknown = int((np.isnan(errors) & ~np.isnan(values))[first, second].sum())
    if n_unknown:
        warnings.warn(
            f"the standard errors of {n_unknown} of {len(first)} pairs of raters are undefined,"
            " because all subjects that both raters rated are in one cluster.",
            undefined_metric_warning(),
            stacklevel=2,
        )
    lower, upper = symmetric_interval(values, errors, confidence)
    has_scores = len(given.labels) <= MOST_LABELS and tables.size <= MOST_SCORE_CELLS
    if has_scores:
        for rows, columns, oriented in both_ways:
            lower[rows, columns], upper[rows, columns] = inverted_test(
                "score", oriented, checked, confidence, quantiles[rows, columns]
            )
    return PairwiseKappa(
        names,
        values,
        errors,
        lower,
        upper,
        float(confidence),
        n,
        given.n_subjects - n,
        tables,
        given.labels,
        checked,
        None if given.counted.clusters is None else given.counted,
        "score" if has_scores else "asymptotic",
        weights_text(weights),
    )
