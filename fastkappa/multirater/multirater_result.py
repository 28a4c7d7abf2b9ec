"""The result class for agreement coefficients of several raters."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from fastkappa.arrays import AnyArray
from fastkappa.exceptions import undefined_metric_warning, users_stacklevel
from fastkappa.formatting import count_text, figure, interval_text, label_text, p_value_text, plain
from fastkappa.frame import data_frame
from fastkappa.multirater.counted_ratings import items_text, missing_text
from fastkappa.multirater.inference import Inference, population_of
from fastkappa.multirater.label_kappas import LabelKappa, LabelKappas, label_grid
from fastkappa.multirater.ratings import Ratings
from fastkappa.multirater.statistics.coefficient import Disagreement
from fastkappa.results.report import Report, estimate_grid, facts
from fastkappa.results.result import Result
from fastkappa.results.sentence import estimate_sentence, interval_name
from fastkappa.statistics.bootstrap import BootstrapResult, Method, bootstrap_counts
from fastkappa.statistics.clusters import doubt_of_clusters, widened_text
from fastkappa.statistics.intervals.doubt import wide_intervals
from fastkappa.statistics.scales import Interpretation, ScaleName, interpret
from fastkappa.statistics.weights import Weights, weights_text

# The keys of `to_dict`, in order.
IN_DICTIONARY = (
    *("method", "value", "standard_error", "interval", "confidence", "interval_method"),
    *("distribution", "population", "null_standard_error", "z", "p_value"),
    *("observed_disagreement", "expected_disagreement", "n_subjects", "n_clusters"),
    *("design_effect", "n_paired", "n_raters", "n_missing", "labels", "doubt", "by_label"),
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MultiRaterResult(Inference, Result):
    """An agreement coefficient for several raters, with its standard error, interval and test.

    The result is immutable, and printing it shows a report. Undefined values are NaN.

    Attributes
    ----------
    method : str
        The coefficient's name.
    coefficient : Coefficient
        The object that computes the coefficient from the distinct rows of ratings.
    confidence : float
        The confidence level of the interval.
    distribution : {'t', 'normal'}
        The reference distribution used for an asymptotic interval. It also determines the divisor
        of the variance; see `fleiss_kappa`.
    clusters : Clusters or None
        The clusters of the subjects, or None if the subjects are not clustered.
    disagreement : Disagreement
        The mean distance between two ratings: the observed mean and the mean expected by chance.
        The coefficient is one minus the observed distance divided by the expected distance. Both
        are NaN for Light's kappa, because it is a mean of kappas rather than a single ratio.
    n_subjects : int
        The number of subjects.
    n_paired : int
        The number of subjects with at least two ratings. Subjects with one rating still contribute
        to the label frequencies of Fleiss', Conger's and Gwet's coefficients, but do not affect
        Krippendorff's alpha, Light's kappa or Randolph's kappa.
    n_raters : int
        The number of raters. For counts, this is the largest number of ratings that any subject
        has.
    n_missing : int
        The number of missing ratings.
    labels : ndarray of shape (l,)
        The labels. For measurements, the array is empty; see `krippendorff_alpha`.
    of_labels : LabelKappas or None
        The inputs from which ``by_label`` is computed.
    ratings : Ratings or None
        The ratings, which `compare_coefficients` needs. This attribute is None in a copied or
        unpickled result.
    weights : {'linear', 'quadratic'}, ndarray of shape (l, l) or None
        The disagreement weights. For Krippendorff's alpha, this is None, because ``method`` states
        the level of measurement.
    """

    method: str
    disagreement: Disagreement
    n_subjects: int
    n_paired: int
    n_raters: int
    n_missing: int
    labels: AnyArray
    of_labels: LabelKappas | None = None
    ratings: Ratings | None = None
    weights: Weights = None

    @property
    def population(self) -> tuple[float, float | None] | None:
        """The arguments of the call of `for_population` that returned this result, or None."""
        found = self.sampled
        return None if found is None else (found.n_subjects, found.n_raters)

    @cached_property
    def by_label(self) -> tuple[LabelKappa, ...]:
        """Fleiss' kappa for each label, or an empty tuple for other coefficients."""
        return () if self.of_labels is None else tuple(self.of_labels.found(self))

    @property
    def n_clusters(self) -> int:
        """The number of independent units used: clusters, or subjects if there are no clusters."""
        return int(self.n_units)

    @property
    def observed_agreement(self) -> float:
        """The observed agreement p_o: one minus the observed (weighted) disagreement."""
        return 1 - float(self.disagreement.observed)

    @property
    def expected_agreement(self) -> float:
        """The expected agreement p_e: one minus the expected (weighted) disagreement."""
        return 1 - float(self.disagreement.expected)

    @cached_property
    def doubt(self) -> str:
        """Why intervals and tests are unreliable, or an empty string if they are reliable."""
        return "" if self.ratings is None else self.ratings.counted.doubt(self.labels)

    @cached_property
    def ratings_text(self) -> str:
        """A description of the missing ratings, or an empty string if no rating is missing."""
        counted = None if self.ratings is None else self.ratings.counted
        return missing_text(counted, self.n_missing, self.n_subjects, self.n_raters)

    @cached_property
    def n_blank(self) -> int:
        """The number of rows without a rating in long form; 0 for other forms."""
        return 0 if self.ratings is None else self.ratings.counted.n_blank

    def __getstate__(self) -> dict[str, Any]:
        # The ratings are not pickled: they can be large, and only `compare_coefficients` needs
        # them.
        read = {"doubt": self.doubt, "ratings_text": self.ratings_text, "n_blank": self.n_blank}
        return {**super().__getstate__(), "ratings": None, **read}

    def bootstrap(
        self,
        *,
        n_resamples: int = 9999,
        method: Method = "bca",
        confidence: float | None = None,
        rng: Any = None,
    ) -> BootstrapResult:
        """Return a bootstrap confidence interval, computed by resampling subjects.

        If there are clusters, whole clusters are resampled. The running time depends on the number
        of distinct rows of ratings, not on the number of subjects. With ``method='bca'``, it grows
        with the square of the number of distinct rows. If there are many thousands of distinct
        rows, use 'percentile'.

        Parameters
        ----------
        n_resamples : int, default=9999
            The number of bootstrap samples to draw.
        method : {'percentile', 'bca'}, default='bca'
            How to compute the interval, as in `fastkappa.bootstrap`.
        confidence : float, default=None
            The confidence level of the interval. By default, this is the confidence level of the
            result.
        rng : Generator, int or None, default=None
            The random number generator, or a seed for reproducible results.

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
        self.check_default_population("bootstrap")
        return bootstrap_counts(
            self.coefficient.multiplicities,
            self.coefficient.values,
            n_resamples,
            method,
            self.confidence if confidence is None else confidence,
            rng,
            self.clusters,
            name=self.method,
        )

    def for_population(
        self, *, n_subjects: float = math.inf, n_raters: float | None = None
    ) -> MultiRaterResult:
        """Adjust the result for a finite population of subjects or for a sample of raters.

        Parameters
        ----------
        n_subjects : float, default=infinity
            The number of subjects in the population, or the number of clusters in the population if
            the subjects are clustered.
        n_raters : float, default=None
            The number of raters in the population from which the study's raters were drawn. It can
            be ``math.inf``. The study must have 3 to 100 raters. If None, the raters are not
            treated as a sample, and the result applies only to these raters.

        Returns
        -------
        result : MultiRaterResult
            The result with an adjusted variance. The variance due to sampling n subjects is
            multiplied by 1 - n / ``n_subjects``. If ``n_raters`` is given, the jackknife variance
            due to sampling r raters, multiplied by 1 - r / ``n_raters``, is added to the variance
            due to sampling subjects (Gwet 2014). In this case, intervals and tests use Student's t
            distribution with Satterthwaite's degrees of freedom.

        Raises
        ------
        ValueError
            If the population is smaller than the sample, or if ``n_raters`` is given although it is
            unknown which rater gave which rating.

        Examples
        --------
        >>> import math
        >>> from fastkappa import datasets, fleiss_kappa
        >>> result = fleiss_kappa(datasets.load_items("anaesthetists").ratings)
        >>> result.for_population(n_raters=math.inf)
        <Fleiss' kappa: 0.5812 (0.4219 to 0.7282), 45 items, 7 raters, no weights>
        """
        found = replace(
            self,
            null_error=math.nan,
            sampled=population_of(self, self.ratings, n_subjects, n_raters),
            of_labels=self.of_labels and replace(self.of_labels, errors=None),
        )
        if math.isnan(found.standard_error) and not math.isnan(self.standard_error):
            warnings.warn(
                "the standard error is undefined because the coefficient is undefined if one of"
                " the raters is left out.",
                undefined_metric_warning(),
                stacklevel=users_stacklevel(),
            )
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the results as a dict. Arrays become lists, and undefined values become None."""
        parts = {f"{name}_disagreement": part for name, part in self.disagreement._asdict().items()}
        figures = {
            name: parts[name] if name in parts else getattr(self, name) for name in IN_DICTIONARY
        }
        return {name: plain(figure) for name, figure in figures.items()}

    def to_frame(self) -> Any:
        """Return the coefficient and, for Fleiss' kappa, each label's kappa as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            The first row contains the overall coefficient. For Fleiss' kappa, it is followed by one
            row per label. The columns are ``value``, ``standard_error``, ``lower``, ``upper``,
            ``z`` and ``p_value``.
        """
        both: tuple[MultiRaterResult | LabelKappa, ...] = (self, *self.by_label)
        rows = [(one.value, one.standard_error, *one.interval, one.z, one.p_value) for one in both]
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
        Fleiss' kappa (no weights) of 3 raters on 4 items was 0.31 (95 % score
        interval -0.24 to 0.80; fastkappa ...).
        """
        of_weights = f" ({self._weighted})" if self._weighted else ""
        sampled = " for sampled raters" if self.population and self.population[1] else ""
        return estimate_sentence(
            f"{self.method}{of_weights} of {count_text(self.n_raters, 'rater')} on"
            f" {self._items}{self.ratings_text and f', {self.ratings_text},'}",
            self.value,
            self.interval,
            f"{interval_name(self)}{sampled}{widened_text(self, ',')}",
        )

    def __repr__(self) -> str:
        return (
            f"<{self.method}: {figure(self.value)} ({interval_text(self.interval)}),"
            f" {self._items}, {count_text(self.n_raters, 'rater')}"
            f"{self._weighted and ', ' + self._weighted}>"
        )

    @property
    def _weighted(self) -> str:
        """The weights as text, or "" for Krippendorff's alpha, whose name includes its level."""
        return "" if self.method.endswith(")") else weights_text(self.weights)

    def interpret(self, scale: ScaleName) -> Interpretation:
        """Interpret the coefficient on a scale, as `AgreementResult.interpret` does.

        Examples
        --------
        >>> from fastkappa import datasets, fleiss_kappa
        >>> result = fleiss_kappa(datasets.load_items("anaesthetists").ratings[:, 3:])
        >>> result.interpret("landis-koch")
        <Interpretation: moderate, by landis-koch>
        """
        return interpret(self.value, self._ends, scale, self.confidence)

    def _ends(self, confidence: float) -> tuple[float, float]:
        """Return the interval at another confidence level."""
        return replace(self, confidence=confidence).interval

    @property
    def _items(self) -> str:
        return items_text(self.n_subjects, self.n_paired, self._clusters_text())

    def _clusters_text(self) -> str:
        return "" if self.clusters is None else f" in {count_text(self.n_clusters, 'cluster')}"

    def _report(self) -> Report:
        found = (self.method, self.value, self.standard_error, self.interval)
        grids = [estimate_grid([found], self.confidence), facts(self._facts())]
        if self.by_label:
            grids.append(label_grid(self.by_label))
        return Report([], grids, doubts=doubts_of(self), notes=wide_intervals([("", self)]))

    def _facts(self) -> Iterator[tuple[str, Any]]:
        if not math.isnan(self.null_standard_error):
            yield "null standard error", self.null_standard_error
        yield "interval", self.interval_method
        yield "z", self.z
        yield "p", p_value_text(self.p_value, 4)
        if not math.isnan(self.disagreement.observed):
            yield "observed disagreement", float(self.disagreement.observed)
            yield "expected disagreement", float(self.disagreement.expected)
        yield "items", self.n_subjects
        yield "  with two ratings or more", self.n_paired
        if self.clusters is not None:
            yield "clusters", self.n_clusters
            yield "design effect", self.design_effect
        yield "raters", self.n_raters
        if self.population is not None:
            yield "items of the population", self.population[0]
            yield "raters of the population", self.population[1] or "these only"
        yield "missing ratings", self.n_missing
        if self.n_blank not in (0, self.n_missing):
            yield "rows without a rating", self.n_blank


def doubts_of(result: MultiRaterResult) -> list[str]:
    """Return the reasons why intervals cannot be trusted."""
    are_clustered = result.clusters is not None and 1 < result.n_clusters < result.n_subjects
    few = doubt_of_clusters(result.n_clusters) if are_clustered else ""
    return [text for text in (result.doubt, few) if text]
