"""The result of a coefficient of several raters."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from fastkappa.arrays import AnyArray
from fastkappa.formatting import (
    count_text,
    figure,
    interval_text,
    label_text,
    p_value_text,
    plain,
)
from fastkappa.frame import data_frame
from fastkappa.multirater.ratings import Ratings
from fastkappa.multirater.statistics.coefficient import Coefficient, Disagreement
from fastkappa.results.report import (
    Grid,
    Report,
    abridged,
    estimate_grid,
    facts,
    interval_head,
)
from fastkappa.results.result import Result
from fastkappa.results.sentence import estimate_sentence
from fastkappa.results.text import shortened
from fastkappa.statistics.bootstrap import BootstrapResult, Method, bootstrap_counts
from fastkappa.statistics.clusters import Clusters, are_joined, n_units
from fastkappa.statistics.inference import (
    Distribution,
    degrees_of_freedom,
    symmetric_interval,
)
from fastkappa.statistics.scales import Interpretation, ScaleName, interpret
from fastkappa.statistics.weights import Weights, weights_text

# What `to_dict` has, in this order.
IN_DICTIONARY = (
    *("method", "value", "standard_error", "interval", "confidence", "distribution"),
    *("null_standard_error", "z", "p_value", "observed_disagreement", "expected_disagreement"),
    *("n_subjects", "n_clusters", "design_effect", "n_paired", "n_raters", "n_missing", "labels"),
    "by_label",
)


class _LabelKappa(NamedTuple):
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


class LabelKappa(Result, _LabelKappa):
    """Fleiss' kappa of one label against all others.

    Attributes
    ----------
    label : object
        The label.
    value : float
        Its kappa; NaN if no rating or every rating is this label.
    standard_error : float
        Its standard error over samples of subjects.
    null_standard_error : float
        Its standard error if all agreement is by chance; NaN unless every subject has the
        same number of ratings.
    z : float
        Kappa over its null standard error if there is one, else over its standard error.
    p_value : float
        The two-sided probability of such a z if all agreement is by chance.
    interval : tuple of float
        The interval of its kappa, by the distribution of the result.
    confidence : float
        The confidence of the interval.
    n_ratings : int
        How many ratings are this label.
    agreement : float
        The agreement on this label: the probability that a rater gives it to a subject to which
        another one, drawn at random, gave it. Two raters' is their specific agreement.
    """

    __slots__ = ()

    def to_frame(self) -> Any:
        """Return a pandas DataFrame of one row, with a column for each attribute.

        The interval has two, ``lower`` and ``upper``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        lower, upper = self.interval
        parts = {**self._asdict(), "lower": lower, "upper": upper}
        del parts["interval"]
        return data_frame({name: [part] for name, part in parts.items()})

    def _report(self) -> Report:
        return Report([], [label_grid([self])])

    def __repr__(self) -> str:
        return f"<LabelKappa: {shortened(label_text(self.label))}, {figure(self.value)}>"


@dataclass(frozen=True, eq=False, repr=False)
class MultiRaterResult(Result):
    """A coefficient of agreement of several raters, with its error, interval and test.

    It is immutable and prints as a report. Undefined figures are NaN.

    Attributes
    ----------
    method : str
        The coefficient's name.
    value : float
        At most 1, which is full agreement; 0 is the agreement expected by chance.
    standard_error : float
        Gwet's (2014), for Light's kappa the delta method's: subjects are a sample, raters
        are fixed. With clusters it is the sandwich estimator, clusters being a sample. It is
        exactly 0 where all subjects add the same to the coefficient.
    interval : tuple of float
        The value minus and plus a quantile times the standard error. With
        ``distribution='t'``, the default but for Light's kappa, the variance is over the
        number of subjects, or of clusters, less one and the quantile that of Student's t with
        so many degrees of freedom; `fastkappa.agreement` takes the number of items and the normal
        distribution, as ``distribution='normal'`` does here. The interval is not cut off at 1.
    confidence : float
        The confidence of the interval.
    null_standard_error : float
        The standard error if all agreement is by chance, for Fleiss' kappa without weights,
        without clusters and with the same number of ratings for every subject; else NaN.
    z : float
        The value over its null standard error if there is one, else over its standard error.
    p_value : float
        The two-sided probability of such a z if all agreement is by chance: by the normal
        distribution if there is a null standard error, else by that of the interval.
    disagreement : Disagreement
        The observed and the expected distance of two ratings; one minus their ratio is the
        value. NaN for Light's kappa, which is a mean of others.
    n_subjects : int
        How many subjects there are.
    n_paired : int
        How many of them have two ratings or more. Subjects with one rating still count in
        the labels' frequencies of Fleiss', Conger's and Gwet's coefficients; the values of
        Krippendorff's alpha, Light's kappa and Randolph's do not depend on them.
    n_raters : int
        How many raters there are; for counts, the most that rated one subject.
    n_missing : int
        How many ratings are missing.
    labels : ndarray of shape (l,)
        The labels; none for measurements, as `krippendorff_alpha` says.
    by_label : tuple of LabelKappa
        Fleiss' kappa of each label, if there are no weights; empty for other coefficients.
    distribution : {'t', 'normal'}
        How the standard error and the interval are made.
    coefficient : Coefficient
        The coefficient as a function of the distinct rows of ratings.
    clusters : Clusters or None
        The clusters of the subjects that count, if they were given.
    ratings : Ratings or None
        The ratings, for `compare_coefficients`; None in a copy and where it has been unpickled.
    weights : {'linear', 'quadratic'}, ndarray of shape (l, l) or None
        The disagreement weights; None for Krippendorff's alpha, whose name has its level.
    """

    method: str
    value: float
    standard_error: float
    interval: tuple[float, float]
    confidence: float
    null_standard_error: float
    z: float
    p_value: float
    disagreement: Disagreement
    n_subjects: int
    n_paired: int
    n_raters: int
    n_missing: int
    labels: AnyArray
    coefficient: Coefficient
    by_label: tuple[LabelKappa, ...] = ()
    distribution: Distribution = "t"
    clusters: Clusters | None = None
    ratings: Ratings | None = None
    weights: Weights = None

    @property
    def n_clusters(self) -> int:
        """The number of clusters with a subject that counts; without clusters, of subjects."""
        return int(n_units(self._n_used, self.clusters))

    @cached_property
    def design_effect(self) -> float:
        """How much larger the variance is than if the subjects were independent."""
        if not self._in_clusters:
            return 1.0
        alone, error = (
            self.coefficient.standard_error("normal", clusters)
            for clusters in (None, self.clusters)
        )
        return (error / alone) ** 2 if alone else math.nan

    @property
    def observed_agreement(self) -> float:
        """One minus the observed disagreement, p_o; weighted if there are weights."""
        return 1 - float(self.disagreement.observed)

    @property
    def expected_agreement(self) -> float:
        """One minus the expected disagreement, p_e; weighted if there are weights."""
        return 1 - float(self.disagreement.expected)

    @property
    def _n_used(self) -> int:
        return int(self.coefficient.multiplicities.sum())

    @property
    def _in_clusters(self) -> bool:
        """Whether there are clusters of several subjects: those of one change nothing."""
        return are_joined(self.clusters)

    def __getstate__(self) -> dict[str, Any]:
        # Ratings may be large, and are there for `compare_coefficients` alone.
        return {**vars(self), "ratings": None}

    def bootstrap(
        self,
        *,
        n_resamples: int = 9999,
        method: Method = "bca",
        confidence: float | None = None,
        rng: Any = None,
    ) -> BootstrapResult:
        """Return the bootstrap interval over resampled subjects.

        Clusters of subjects are drawn whole. Subjects with the same ratings are drawn together,
        so the time depends on the number of distinct ones, not of subjects. For 'bca' it grows
        with the square of that number: take 'percentile' if there are many thousands.

        Parameters
        ----------
        n_resamples : int, default=9999
            How many samples to draw.
        method : {'percentile', 'bca'}, default='bca'
            How to make the interval, as for `fastkappa.bootstrap`.
        confidence : float, default=None
            The confidence of the interval; None takes that of this result.
        rng : Generator, int or None, default=None
            The source of random numbers; a seed makes the result repeatable.

        Returns
        -------
        result : BootstrapResult

        Raises
        ------
        ValueError
            If an argument is invalid.

        Examples
        --------
        >>> from fastkappa import fleiss_kappa
        >>> result = fleiss_kappa([[1, 1, 1], [1, 2, 2], [2, 2, 2], [2, 2, 1]])
        >>> result.bootstrap(n_resamples=999, method="percentile", rng=0)
        <BootstrapResult: 0.3143 (-0.5000 to 1.0000), percentile, 999 replicates>
        """
        return bootstrap_counts(
            self.coefficient.multiplicities,
            self.coefficient.values,
            n_resamples,
            method,
            self.confidence if confidence is None else confidence,
            rng,
            self.clusters,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figures by name, with lists for arrays and two entries for disagreement.

        Undefined figures are None.
        """
        parts = {
            f"{name}_disagreement": float(d) for name, d in self.disagreement._asdict().items()
        }
        figures = {
            name: parts[name] if name in parts else getattr(self, name) for name in IN_DICTIONARY
        }
        return {name: plain(figure) for name, figure in figures.items()}

    def to_frame(self) -> Any:
        """Return the coefficient, and the kappa of each label, as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            A row for each; the columns are ``value``, ``standard_error``, the ends of the
            interval, ``lower`` and ``upper``, ``z`` and ``p_value``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        rows = [(self.value, self.standard_error, *self.interval, self.z, self.p_value)]
        rows += [
            (one.value, one.standard_error, *one.interval, one.z, one.p_value)
            for one in self.by_label
        ]
        columns = ("value", "standard_error", "lower", "upper", "z", "p_value")
        names = [f"kappa of {label_text(one.label)}" for one in self.by_label]
        return data_frame(dict(zip(columns, zip(*rows))), ("index", [self.method, *names]))

    def sentence(self) -> str:
        """Return the coefficient as a sentence for a paper.

        Examples
        --------
        >>> from fastkappa import fleiss_kappa
        >>> result = fleiss_kappa([[1, 1, 1], [1, 2, 2], [2, 2, 2], [2, 2, 1]])
        >>> print(result.sentence())  # doctest: +ELLIPSIS
        Fleiss' kappa (no weights) of 3 raters on 4 subjects was 0.3143 (95 % t interval -1.0522
        to 1.6808; fastkappa ...).
        """
        # The name of an alpha has its level.
        of_weights = "" if self.method.endswith(")") else f" ({weights_text(self.weights)})"
        how = "t" if self.distribution == "t" else "asymptotic"
        return estimate_sentence(
            f"{self.method}{of_weights} of {count_text(self.n_raters, 'rater')} on"
            f" {count_text(self.n_subjects, 'subject')}{self._clusters_text()}{self._missing()}",
            self.value,
            self.interval,
            f"{100 * self.confidence:g} % {how} interval",
        )

    def __repr__(self) -> str:
        return (
            f"<{self.method}: {figure(self.value)} ({interval_text(self.interval)}),"
            f" {count_text(self.n_subjects, 'subject')}{self._clusters_text()},"
            f" {count_text(self.n_raters, 'rater')}>"
        )

    def interpret(self, scale: ScaleName) -> Interpretation:
        """Interpret the coefficient by a scale, as `AgreementResult.interpret` does.

        Examples
        --------
        >>> from fastkappa import datasets, fleiss_kappa
        >>> result = fleiss_kappa(datasets.load_items("anaesthetists").ratings[:, 3:])
        >>> result.interpret("landis-koch")
        <Interpretation: moderate, by landis-koch>
        """
        return interpret(self.value, self._ends, scale, self.confidence)

    def _ends(self, confidence: float) -> tuple[float, float]:
        """Return the interval of another confidence."""
        freedom = degrees_of_freedom(self.distribution, self.n_clusters)
        return symmetric_interval(self.value, self.standard_error, confidence, freedom)

    def _missing(self) -> str:
        of_all = self.n_subjects * self.n_raters
        return f", {self.n_missing} of {of_all} ratings missing," if self.n_missing else ""

    def _clusters_text(self) -> str:
        if self.clusters is None:
            return ""
        return f" in {count_text(self.n_clusters, 'cluster')}"

    def _report(self) -> Report:
        found = (self.method, self.value, self.standard_error, self.interval)
        grids = [estimate_grid([found], self.confidence), facts(self._facts())]
        if self.by_label:
            grids.append(label_grid(self.by_label))
        return Report([], grids)

    def _facts(self) -> Iterator[tuple[str, Any]]:
        if not math.isnan(self.null_standard_error):
            yield "null standard error", self.null_standard_error
        yield "z", self.z
        yield "p", p_value_text(self.p_value, 4)
        if not math.isnan(self.disagreement.observed):
            yield "observed disagreement", float(self.disagreement.observed)
            yield "expected disagreement", float(self.disagreement.expected)
        yield "subjects", self.n_subjects
        yield "  with two ratings or more", self.n_paired
        if self.clusters is not None:
            yield "clusters", self.n_clusters
            yield "design effect", self.design_effect
        yield "raters", self.n_raters
        yield "missing ratings", self.n_missing


def coefficients_grid(results: Sequence[MultiRaterResult]) -> Grid:
    """Return the grid of several coefficients of the same ratings."""
    names = [short_name(r) for r in results]
    if len(set(names)) < len(names):
        names = [r.method for r in results]
    rows = [(name, r.value, r.standard_error, r.interval) for name, r in zip(names, results)]
    return estimate_grid(rows, results[0].confidence)


def short_name(result: MultiRaterResult) -> str:
    """Return the coefficient's name: beside others the level of an alpha goes without saying."""
    return result.method.partition(" (")[0]


def label_grid(labels: Sequence[LabelKappa]) -> Grid:
    """Return the grid of the agreement on each label."""
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
