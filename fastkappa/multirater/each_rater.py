"""Compare each rater's agreement with the other raters to their agreement with each other."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable, IntTable
from fastkappa.choices import check_choice
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.formatting import count_text, figure, interval_text, label_text, printable
from fastkappa.frame import data_frame
from fastkappa.multirater.coefficient_difference import JointRows, paired_error
from fastkappa.multirater.estimation import Inferred, read_weights
from fastkappa.multirater.inference import Inference
from fastkappa.multirater.ratings import Ratings
from fastkappa.multirater.statistics.alpha import Alpha
from fastkappa.multirater.statistics.chance_corrected import (
    ChanceCorrected,
    chance_of_fleiss,
    distances_of,
)
from fastkappa.multirater.statistics.coefficient import Coefficient
from fastkappa.multirater.statistics.known_raters import Conger
from fastkappa.multirater.statistics.profiles import Profiles
from fastkappa.multirater.statistics.set_distances import SetLevel, each_label
from fastkappa.results.report import LARGEST_TABLE, Grid, Report, interval_head
from fastkappa.results.result import Result
from fastkappa.results.sentence import decimals, estimate_text, listed, versioned
from fastkappa.results.text import shortened
from fastkappa.statistics import distributions
from fastkappa.statistics.clusters import Clusters, correction, n_units
from fastkappa.statistics.comparison import difference_of
from fastkappa.statistics.inference import symmetric_interval
from fastkappa.statistics.weights import Weights, disagreement_matrix, weights_text

# The maximum number of raters. The running time grows with the square of their number.
MOST_RATERS = 100
# The maximum number of raters that a report shows.
MOST_SHOWN = 10
# Kappas that differ by less than this are treated as equal, because such a difference is a rounding
# error.
TIED = 1e-12
Panel: TypeAlias = Literal["conger", "fleiss", "alpha"]
NAMES: dict[Panel, str] = {
    "conger": "Conger's kappa",
    "fleiss": "Fleiss' kappa",
    "alpha": "Krippendorff's alpha",
}


class Estimates(NamedTuple):
    """Estimates for R raters. Each field has shape (R,) and is NaN where undefined."""

    values: FloatTable
    standard_errors: FloatTable
    lower: FloatTable
    upper: FloatTable
    p_values: FloatTable


@dataclass(frozen=True, eq=False, repr=False)
class RaterComparison(Result):
    """A comparison of each rater with the other raters.

    Attributes
    ----------
    rater_names : tuple of str of length R
        The names of the raters.

    labels : ndarray of shape (l,)
        The labels.
    label_counts : ndarray of int, shape (R, l)
        The number of times that each rater gave each label.
    with_others : Estimates
        The kappa between each rater and all other raters (Schouten 1982). It is computed from the
        subjects rated by that rater and at least one other rater. The observed and expected
        disagreements are averaged over the other raters. With only two raters, this kappa would
        equal Cohen's kappa.
    difference : Estimates
        For each rater, ``with_others`` minus Conger's kappa among the other raters. Both kappas are
        computed on the same subjects, so the difference is paired. A negative value means that the
        rater agrees less with the other raters than they agree with each other.
    method : str
        The name of the coefficient computed for all raters.
    value : float
        The value of this coefficient for all raters.
    without : Estimates
        For each rater, the coefficient computed without that rater.
    change : Estimates
        For each rater, the coefficient computed without that rater minus the coefficient for all
        raters. This difference is paired.
    confidence : float
        The confidence level of each interval.
    weights : {'linear', 'quadratic', 'jaccard', 'masi'}, ndarray of shape (l, l) or None
        The disagreement weights.
    """

    rater_names: tuple[str, ...]
    labels: AnyArray
    label_counts: IntTable
    with_others: Estimates
    difference: Estimates
    method: str
    value: float
    without: Estimates
    change: Estimates
    confidence: float
    weights: Weights | SetLevel

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per rater.

        The column ``n`` contains the number of ratings. The columns ``with_others``,
        ``difference``, ``without`` and ``change`` contain the estimates. Each estimate has further
        columns with the suffixes ``_standard_error``, ``_lower``, ``_upper`` and ``_p_value``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        columns: dict[str, Any] = {"n": self.label_counts.sum(axis=1)}
        for name in ("with_others", "difference", "without", "change"):
            values, *rest = getattr(self, name)
            columns[name] = values
            suffixes = ("standard_error", "lower", "upper", "p_value")
            columns |= {f"{name}_{suffix}": part for suffix, part in zip(suffixes, rest)}
        return data_frame(columns, ("rater", list(self.rater_names)))

    def rows(self) -> Iterator[tuple[str, float, float, tuple[float, float]]]:
        """Yield the name, value, standard error and interval of each estimate for each rater."""
        names = {
            "kappa of {} with the others": self.with_others,
            "difference of {} from the others": self.difference,
            self.method + " without {}": self.without,
            "change without {}": self.change,
        }
        for i, rater in enumerate(self.rater_names):
            for name, found in names.items():
                value, error, low, high, _ = (float(part[i]) for part in found)
                yield name.format(rater), value, error, (low, high)

    def counts_by_label(self) -> Iterator[tuple[Any, IntTable]]:
        """Yield each label and its counts per rater. A set counts once for each label in it."""
        for label, is_label in each_label(self.labels):
            yield label, self.label_counts[:, is_label].sum(axis=1)

    def sentence(self) -> str:
        """Return a sentence for a paper, naming the rater who agrees least with the others."""
        if np.isnan(self.with_others.values).all():
            return versioned("No rater has a kappa with the others")
        least, *tied = self._least()
        found, what = self.with_others, f"kappa ({weights_text(self.weights)}) was"
        digits = decimals((found.lower[least], found.upper[least]))
        if tied:
            names = [printable(self.rater_names[i]) for i in (least, *tied)]
            are_all = len(names) == len(self.rater_names)
            agreed = "all agreed equally" if are_all else f"{listed(names)} agreed least"
            value = figure(float(found.values[least]), digits=digits)
            return versioned(
                f"Of {len(self.rater_names)} raters {agreed} with the others: {what} {value} each"
            )
        level = f"{100 * self.confidence:g} %"
        with_others, without, change = (
            estimate_text(
                float(found.values[least]), (found.lower[least], found.upper[least]), name
            )
            for found, name in (
                (self.with_others, f"{level} interval"),
                (self.without, f"{level} interval"),
                (self.change, f"paired {level} t interval"),
            )
        )
        return versioned(
            f"Of {len(self.rater_names)} raters {printable(self.rater_names[least])} agreed least"
            f" with the others: {what} {with_others} on"
            f" {count_text(int(self.label_counts[least].sum()), 'rating')}; without this rater"
            f" {self.method} of the others was {without}, a change of {change} from"
            f" {figure(self.value, digits=digits)}"
        )

    def _least(self) -> list[int]:
        """Return the indices of the raters with the lowest kappa, or [0] if all kappas are NaN."""
        kappas = self.with_others.values
        if np.isnan(kappas).all():
            return [0]
        found: list[int] = np.flatnonzero(np.isclose(kappas, np.nanmin(kappas), 0, TIED)).tolist()
        return found

    def __repr__(self) -> str:
        least, *_ = self._least()
        name = shortened(printable(self.rater_names[least]))
        value = figure(float(self.with_others.values[least]))
        n_raters, weights = len(self.rater_names), weights_text(self.weights)
        return f"<RaterComparison: {n_raters} raters, least {name} ({value}), {weights}>"

    def _report(self) -> Report:
        ratings = [f"{n}" for n in self.label_counts.sum(axis=1).tolist()]
        ends = interval_head(self.confidence)
        grids = [
            self._grid(
                ("ratings", "kappa", ends, "difference", ends),
                [ratings, *_texts(self.with_others, 0), *_texts(self.difference)],
                "Kappa of each rater with the others, minus the kappa among the others",
            ),
        ]
        of_labels = list(self.counts_by_label())
        if len(of_labels) <= LARGEST_TABLE:
            head = [label_text(label) for label, _ in of_labels]
            counts = [list(map(str, column.tolist())) for _, column in of_labels]
            grids.append(self._grid(head, counts, "How often each rater gave each label"))
        return Report([], grids, list(self._without()))

    def _without(self) -> Iterator[str]:
        """Yield a line that names the rater whose removal gives the highest coefficient."""
        if not np.isnan(self.change.values).all():
            most = int(np.nanargmax(self.change.values))
            _, _, low, high, _ = (float(part[most]) for part in self.change)
            yield (
                f"highest without {printable(self.rater_names[most])}: {self.method}"
                f" {figure(float(self.without.values[most]))}, change"
                f" {figure(float(self.change.values[most]))} ({interval_text((low, high))})"
            )

    def _grid(self, head: Sequence[str], columns: Sequence[Sequence[str]], caption: str) -> Grid:
        rows = list(zip(map(printable, self.rater_names), *columns))
        if len(rows) > LARGEST_TABLE:
            order = np.argsort(self.with_others.values, kind="stable")[:MOST_SHOWN]
            caption += f" (the {MOST_SHOWN} of {len(rows)} who agree least)"
            rows = [rows[i] for i in order]
        return Grid(("", *head), rows, least_width=0, caption=caption, above=caption)


def _texts(found: Estimates, width: int = 7) -> Iterator[list[str]]:
    """Yield the values and the intervals of estimates as columns of text."""
    values, _, lower, upper, _ = (part.tolist() for part in found)
    yield [figure(value) for value in values]
    yield [interval_text(ends, "", width=width) for ends in zip(lower, upper)]


def compare_raters(
    ratings: Any,
    *,
    coefficient: Panel = "conger",
    weights: Weights | SetLevel = None,
    labels: Any = None,
    missing_codes: Sequence[Any] = (),
    clusters: Any = None,
    confidence: float = 0.95,
) -> RaterComparison:
    """Compare each rater with all other raters.

    The result shows which rater agrees least with the others, and how leaving out each rater
    changes the overall agreement.

    Parameters
    ----------
    ratings : array-like of shape (n_subjects, n_raters), or Ratings
        As in `fleiss_kappa`, with 3 to 100 raters. Counts are not accepted, because they do not
        show who gave which rating.
    coefficient : {'conger', 'fleiss', 'alpha'}, default='conger'
        The coefficient to compute for all raters, and for the remaining raters when one is left
        out. Krippendorff's alpha uses ``weights`` as the distances between labels.
    weights : {'linear', 'quadratic', 'jaccard', 'masi'}, array-like of shape (l, l) or None, \
default=None
        Disagreement weights, as in `disputed_items`.
    labels, missing_codes, clusters
        Passed to `Ratings.from_array`; valid only if ``ratings`` is an array.
    confidence : float, default=0.95
        The confidence level of each interval. Intervals for coefficients are computed as in
        `conger_kappa`. Intervals for differences are based on Student's t distribution.

    Returns
    -------
    result : RaterComparison
        The intervals are not adjusted for multiple comparisons.

    Raises
    ------
    ValueError
        As in `conger_kappa`. An error is also raised if there are fewer than 3 or more than 100
        raters.

    References
    ----------
    H. J. A. Schouten (1982). Measuring pairwise interobserver agreement when all subjects are
    judged by the same observers. Statistica Neerlandica 36, 45-61.

    K. L. Gwet (2016). Testing the difference of correlated agreement coefficients for
    statistical significance. Educational and Psychological Measurement 76, 609-637.

    Examples
    --------
    >>> from fastkappa import compare_raters, datasets
    >>> grades = datasets.load_items("anaesthetists").ratings[:, [0, 3, 4, 5]]
    >>> compare_raters(grades, weights="linear")
    <RaterComparison: 4 raters, least rater 2 (0.6501), linear weights>
    """
    inferred = Inferred(confidence, "t", None)
    given = inferred.read(ratings, labels, missing_codes, clusters)
    check_choice("coefficient", coefficient, get_args(Panel))
    profiles = given.profiles("compare_raters")
    if not 3 <= given.n_raters <= MOST_RATERS:
        raise ValueError(
            f"compare_raters needs 3 to {MOST_RATERS} raters, got {given.n_raters}. For two"
            " raters, use agreement."
        )
    dense = profiles.dense
    panel = _Panel(given, dense, read_weights(given, weights), float(confidence))
    names = given.rater_names or ()
    margins = dense.margins(dense.multiplicities)
    whole = panel.coefficient(coefficient, None)
    with_others, difference, without, change = [], [], [], []
    for rater in range(len(names)):
        alone, others = panel.with_others(rater), panel.coefficient("conger", rater)
        left = panel.coefficient(coefficient, rater)
        with_others.append(panel.estimate(alone))
        difference.append(panel.difference(alone, others))
        without.append(panel.estimate(left))
        change.append(panel.difference(left, whole))
    n_undefined = int(np.isnan([found[0] for found in with_others]).sum())
    if n_undefined:
        warnings.warn(
            f"kappa with the other raters is undefined for {n_undefined} of {len(names)} raters,"
            " because a rater has no ratings or shares no subject with another rater, or because"
            " all ratings of the shared subjects are equal.",
            undefined_metric_warning(),
            stacklevel=2,
        )
    return RaterComparison(
        names,
        given.labels,
        margins,
        _columns(with_others),
        _columns(difference),
        NAMES[coefficient],
        whole.value,
        _columns(without),
        _columns(change),
        float(confidence),
        weights,
    )


def _columns(rows: list[tuple[float, ...]]) -> Estimates:
    return Estimates(*np.array(rows).T)


class _Found(NamedTuple):
    """A coefficient, its value, the row index of each profile, and a mask of the used profiles."""

    coefficient: Coefficient
    value: float
    places: AnyArray
    used: AnyArray


class _Panel:
    """Coefficients of subsets of the raters, computed from the profiles of all raters."""

    def __init__(
        self, given: Ratings, profiles: Profiles, weights: Weights, confidence: float
    ) -> None:
        self._given, self._profiles, self._confidence = given, profiles, confidence
        self._distances = distances_of(weights, len(given.labels))
        self._level: Any = "nominal"
        if weights is not None:
            self._level = disagreement_matrix(weights, len(given.labels))

    def coefficient(self, name: Panel, left_out: int | None) -> _Found:
        """Return the named coefficient of all raters, or of all raters but one."""
        profiles, n_ratings = self._profiles, self._profiles.n_ratings
        if left_out is not None:
            n_ratings = n_ratings - (profiles.codes[:, left_out] < profiles.n_labels)
            profiles = profiles.without(left_out)
        used = np.asarray(n_ratings > 0)
        if name == "conger":
            return self._found(Conger(profiles, self._distances), used)
        patterns = profiles.patterns
        if name == "fleiss":
            return self._found(ChanceCorrected(patterns, self._distances, chance_of_fleiss), used)
        used[used] = patterns.paired
        return self._found(Alpha(patterns, self._level, self._given.label_values), used)

    def with_others(self, rater: int) -> _Found:
        """Return the kappa between a rater and the other raters."""
        rated = self._profiles.codes < self._profiles.n_labels
        paired = rated[:, rater] & (self._profiles.n_ratings > 1)
        every = np.arange(len(rated))
        kappa = Conger(self._profiles, self._distances, rater)
        return _Found(kappa, float(kappa.values(kappa.multiplicities)), every, paired)

    def _found(self, coefficient: Coefficient, used: AnyArray) -> _Found:
        places = np.where(used, np.cumsum(used) - 1, -1)
        return _Found(
            coefficient, float(coefficient.values(coefficient.multiplicities)), places, used
        )

    def estimate(self, found: _Found) -> tuple[float, ...]:
        """Return the value, standard error, interval limits and p-value of a coefficient."""
        if math.isnan(found.value):
            return (math.nan,) * 5
        everyone = self._clusters(found.places >= 0)
        n, clusters = self._units(found.used)
        error = found.coefficient.standard_error("normal", everyone)
        error *= math.sqrt(correction(n, clusters))
        inference = Inference(
            coefficient=found.coefficient,
            confidence=self._confidence,
            distribution="normal",
            clusters=everyone,
        )
        if inference.model is None:
            return self._row(found.value, error, n, clusters)
        return found.value, error, *inference.interval, inference.p_value

    def difference(self, first: _Found, second: _Found) -> tuple[float, ...]:
        """Return the same values as `estimate`, but for the difference between two coefficients."""
        if math.isnan(first.value - second.value):
            return (math.nan,) * 5
        value = difference_of("coefficients", (first.value, second.value))
        kept = (first.places >= 0) | (second.places >= 0)
        none = np.zeros(0, np.int64)
        counts = self._profiles.multiplicities[kept]
        joint = JointRows(first.places[kept], second.places[kept], counts, none)
        error = paired_error(
            first.coefficient, second.coefficient, joint, "normal", self._clusters(kept)
        )
        n, clusters = self._units(first.used)
        return self._row(value, error * math.sqrt(correction(n, clusters)), n, clusters)

    def _row(
        self, value: float, error: float, n: float, clusters: Clusters | None
    ) -> tuple[float, ...]:
        freedom = max(n_units(n, clusters) - 1, 1)
        low, high = symmetric_interval(value, error, self._confidence, freedom)
        z = value / error if error > 0 else math.nan
        return value, error, low, high, distributions.t_two_sided_p(z, freedom)

    def _units(self, used: AnyArray) -> tuple[float, Clusters | None]:
        return float(self._profiles.multiplicities[used].sum()), self._clusters(used)

    def _clusters(self, used: AnyArray) -> Clusters | None:
        return self._given.counted.clusters_of_profiles(used)
