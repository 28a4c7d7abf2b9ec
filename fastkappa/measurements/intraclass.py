"""Compute the six forms of the intraclass correlation from mean squares."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fastkappa.exceptions import undefined_metric_warning
from fastkappa.formatting import count_text, figure, interval_text, p_value_text
from fastkappa.frame import data_frame
from fastkappa.measurements.clustered import clustered_sums
from fastkappa.measurements.mean_squares import (
    ClusteredErrors,
    MeanSquares,
    absolute_interval,
    clustered_errors,
    each,
    f_limits,
    mean_squares,
    quotient,
    ratio,
    spearman_brown,
    why_undefined,
)
from fastkappa.measurements.measured import read_ratings
from fastkappa.measurements.report_texts import MeasuredResult
from fastkappa.measurements.sums_of_squares import sums_of_squares
from fastkappa.ratings.missing import Missing
from fastkappa.results.report import NO_ENDS, Grid, Report, interval_head
from fastkappa.results.result import Result
from fastkappa.results.sentence import estimate_sentence
from fastkappa.statistics.distributions import f_tail
from fastkappa.statistics.inference import check_confidence
from fastkappa.statistics.scales import Interpretation, ScaleName, interpret

# The description of each form of the coefficient, as used in the sentence for a paper.
MODELS = {
    "ICC(1)": "one-way, single rating",
    "ICC(A,1)": "two-way, absolute agreement, single rating",
    "ICC(C,1)": "two-way, consistency, single rating",
    "ICC(k)": "one-way, mean rating",
    "ICC(A,k)": "two-way, absolute agreement, mean rating",
    "ICC(C,k)": "two-way, consistency, mean rating",
}
OF_CLUSTERS = "intervals, F and df are from the jackknife over clusters, with fixed raters"


@dataclass(frozen=True, repr=False)
class IntraclassCorrelation(Result):
    """One form of the intraclass correlation.

    Attributes
    ----------
    form : str
        The name of the form in McGraw and Wong (1996), such as 'ICC(A,1)'.
    shrout_fleiss : str
        The name of the form in Shrout and Fleiss (1979), such as 'ICC(2,1)'.
    value : float
        The coefficient, at most 1, or NaN if undefined.
    interval : tuple of float
        The lower and upper limits of the interval.
    confidence : float
        The confidence level of the interval.
    f : float
        The F statistic for the test that the coefficient is 0. It is a ratio of two mean squares.
        With clusters, it is a squared t statistic instead, computed on the same logarithmic scale
        as the interval.
    degrees_of_freedom : tuple of int
        The degrees of freedom of the two mean squares. With clusters, the degrees of freedom are 1
        and the number of clusters minus 1.
    p_value : float
        The probability of an F statistic at least as large as ``f`` if the coefficient is 0.
    """

    form: str
    shrout_fleiss: str
    value: float
    interval: tuple[float, float]
    confidence: float
    f: float
    degrees_of_freedom: tuple[int, int]
    p_value: float

    def to_frame(self) -> Any:
        """Return a one-row pandas DataFrame with the columns of `IntraclassResult.to_frame`.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return _frame([self])

    def __repr__(self) -> str:
        return f"<{self.form}: {figure(self.value)} ({interval_text(self.interval)})>"

    def _report(self) -> Report:
        return Report([], [_grid([self], self.confidence)])


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class IntraclassResult(MeasuredResult):
    """The six forms of the intraclass correlation.

    Printing the result shows a table. To get a single form, index the result with its name, as in
    ``result['ICC(A,1)']``. The names used by McGraw and Wong (1996), by Shrout and Fleiss (1979)
    and by R's psych package (such as 'ICC2k') are accepted.

    Attributes
    ----------
    forms : tuple of IntraclassCorrelation
        The forms ICC(1), ICC(A,1), ICC(C,1), ICC(k), ICC(A,k) and ICC(C,k), in this order.
    mean_squares : MeanSquares
        The mean squares from which the forms are computed.
    n_subjects : int
        The number of subjects with ratings from all raters.
    n_raters : int
        The number of raters.
    n_dropped : int
        The number of subjects left out because a rating is missing.
    n_clusters : int
        The number of clusters, or the number of subjects if there are no clusters.
    confidence : float
        The confidence level of the intervals.
    raters : tuple of str
        The names of the raters, taken from the column names of the ratings, if any.
    """

    forms: tuple[IntraclassCorrelation, ...]
    mean_squares: MeanSquares
    _clustered: ClusteredErrors | None = None

    def __getitem__(self, name: str) -> IntraclassCorrelation:
        wanted = str(name).replace(" ", "")
        for form in self.forms:
            # The R package psych uses the names 'ICC2' for 'ICC(2,1)' and 'ICC2k' for 'ICC(2,k)'.
            psych = "".join(c for c in form.shrout_fleiss if c not in "(),").removesuffix("1")
            if wanted in (form.form, form.shrout_fleiss, psych):
                return form
        known = ", ".join(f"{form.form} or {form.shrout_fleiss}" for form in self.forms)
        raise KeyError(
            f"{name!r} is not a form of the intraclass correlation. The forms are {known}."
        )

    def __iter__(self) -> Iterator[IntraclassCorrelation]:
        return iter(self.forms)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per form.

        Returns
        -------
        frame : pandas.DataFrame
            The index contains the names of the forms. The columns are ``shrout_fleiss``, ``value``,
            ``lower`` and ``upper`` (the limits of the interval), ``f``, ``df1`` and ``df2`` (the
            degrees of freedom of F), and ``p_value``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return _frame(self.forms)

    def sentence(self, form: str = "ICC(A,1)") -> str:
        """Describe the value of one form in a sentence for a paper."""
        found = self[form]
        model = "; ".join((found.form, found.shrout_fleiss, MODELS[found.form]))
        what = f"Intraclass correlation ({model})"
        method = "F" if self._clustered is None else "jackknife"
        return estimate_sentence(
            self._of_sample(what),
            found.value,
            found.interval,
            f"{100 * self.confidence:g} % {method} interval",
        )

    def interpret(self, scale: ScaleName, form: str = "ICC(A,1)") -> Interpretation:
        """Interpret the value and the interval of one form with a published scale.

        Parameters
        ----------
        scale : {'cohen', 'landis-koch', 'mchugh', 'fleiss', 'altman', 'cicchetti'}
            The name of the scale. Cicchetti's scale (1994) was made for intraclass correlations as
            well as for kappas. Always report which scale you use.
        form : str, default='ICC(A,1)'
            The form to interpret.

        Returns
        -------
        interpretation : Interpretation

        Examples
        --------
        >>> from fastkappa.measurements import intraclass_correlation
        >>> result = intraclass_correlation([[9, 8], [6, 5], [8, 8], [7, 6], [10, 9], [6, 6]])
        >>> reading = result.interpret("cicchetti")
        >>> reading.reading, reading.confident_reading
        ('excellent', 'poor')
        """
        found = self[form]
        place = self.forms.index(found)

        def ends(confidence: float) -> tuple[float, float]:
            of_size = self.n_subjects, self.n_raters
            forms = _forms(*of_size, self.mean_squares, confidence, self._clustered)
            return forms[place].interval

        return interpret(found.value, ends, scale, self.confidence)

    def __repr__(self) -> str:
        single = self["ICC(A,1)"]
        return (
            f"<IntraclassResult: ICC(A,1) {figure(single.value)}"
            f" ({interval_text(single.interval)}), {self._items()},"
            f" {count_text(self.n_raters, 'rater')}>"
        )

    def _report(self) -> Report:
        above = [self._heading("Intraclass correlation"), *self._left_out()]
        below = [] if self._clustered is None else [OF_CLUSTERS]
        return Report(above, [_grid(self.forms, self.confidence)], below)


def _frame(forms: Sequence[IntraclassCorrelation]) -> Any:
    return data_frame(
        {
            "shrout_fleiss": [form.shrout_fleiss for form in forms],
            "value": [form.value for form in forms],
            "lower": [form.interval[0] for form in forms],
            "upper": [form.interval[1] for form in forms],
            "f": [form.f for form in forms],
            "df1": [form.degrees_of_freedom[0] for form in forms],
            "df2": [form.degrees_of_freedom[1] for form in forms],
            "p_value": [form.p_value for form in forms],
        },
        ("form", [form.form for form in forms]),
    )


def _grid(forms: Sequence[IntraclassCorrelation], confidence: float) -> Grid:
    rows = [
        (
            form.form,
            form.shrout_fleiss,
            figure(form.value),
            interval_text(form.interval, "", width=7),
            figure(form.f, "", digits=3),
            "{}, {}".format(*form.degrees_of_freedom),
            "" if math.isnan(form.p_value) else p_value_text(form.p_value, 3),
        )
        for form in forms
    ]
    head = ("form", "also", "value", interval_head(confidence), "F", "df", "p")
    return Grid(head, rows, least_width=0)


def intraclass_correlation(
    ratings: Any,
    *,
    missing: Missing = "raise",
    clusters: Any = None,
    confidence: float = 0.95,
) -> IntraclassResult:
    """Compute the six forms of the intraclass correlation, with F tests and intervals.

    If not all subjects were rated by the same raters, use ICC(1). Otherwise, use ICC(A,1) if a
    constant difference between raters counts as disagreement, and ICC(C,1) if it does not. If the
    mean of all k raters' measurements will be used instead of a single measurement, use the form
    with k in place of 1.

    Parameters
    ----------
    ratings : array-like of shape (n_subjects, n_raters)
        Numeric ratings, with one row per subject and one column per rater. Ratings can be an array,
        a list of rows, or a pandas, polars or pyarrow data frame. None, NaN and similar values
        count as missing.
    missing : {'raise', 'drop'}, default='raise'
        How to treat missing ratings. 'raise' raises an error. 'drop' leaves out subjects with a
        missing rating and counts them in ``n_dropped``.
    clusters : array-like of shape (n_subjects,), default=None
        The cluster of each subject, such as the patient if subjects are lesions. Clusters change
        the intervals, but not the values. With clusters, the intervals are computed by a jackknife
        that leaves out one cluster at a time, with quantiles of Student's t distribution. The
        jackknife is applied to log((1 + (k - 1) ICC) / (1 - ICC)). For ICC(1), this is the
        logarithm of F. The reported F and its degrees of freedom also come from the jackknife.
        Because the jackknife leaves out clusters, not raters, it treats the raters as fixed.
        Without clusters, the intervals treat the raters as a random sample (McGraw and Wong 1996).
        If the raters' means differ, the intervals for ICC(A,.) are therefore narrower with clusters
        than without.
    confidence : float, default=0.95
        The confidence level of the intervals.

    Returns
    -------
    result : IntraclassResult

    Raises
    ------
    ValueError
        If there are fewer than two raters, if fewer than two subjects have ratings from all raters,
        or if ratings are missing or are not finite real numbers. An error is also raised if a
        column seems to contain ids, or if a data frame seems to have one row per measurement
        instead of one row per subject.

    Warns
    -----
    UndefinedMetricWarning
        If the value of a form is undefined and therefore NaN, for example because all ratings are
        equal.

    Notes
    -----
    The values and intervals of ICC(A,.) and ICC(C,.) are the same for random and fixed raters
    (McGraw and Wong 1996). ICC(A,.) and ICC(C,.) also have the same F test (table 8 of that paper),
    because one coefficient is 0 if and only if the other is 0.

    References
    ----------
    P. E. Shrout and J. L. Fleiss (1979). Intraclass correlations: uses in assessing rater
    reliability. Psychological Bulletin 86, 420-428.

    K. O. McGraw and S. P. Wong (1996). Forming inferences about some intraclass correlation
    coefficients. Psychological Methods 1, 30-46; correction on p. 390.

    Examples
    --------
    The example of Shrout and Fleiss:

    >>> from fastkappa.measurements import intraclass_correlation
    >>> ratings = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9],
    ...            [6, 2, 4, 7]]
    >>> result = intraclass_correlation(ratings)
    >>> print(result)
    Intraclass correlation of 4 raters, 6 items
    <BLANKLINE>
    form          also   value       95 % interval       F     df         p
    ICC(1)    ICC(1,1)  0.1657  -0.1329 to  0.7226   1.795  5, 18     0.165
    ICC(A,1)  ICC(2,1)  0.2898   0.0188 to  0.7611  11.027  5, 15  0.000135
    ICC(C,1)  ICC(3,1)  0.7148   0.3425 to  0.9459  11.027  5, 15  0.000135
    ICC(k)    ICC(1,k)  0.4428  -0.8844 to  0.9124   1.795  5, 18     0.165
    ICC(A,k)  ICC(2,k)  0.6201   0.0711 to  0.9272  11.027  5, 15  0.000135
    ICC(C,k)  ICC(3,k)  0.9093   0.6757 to  0.9859  11.027  5, 15  0.000135
    >>> round(result["ICC(A,1)"].value, 6)
    0.289764
    """
    confidence = check_confidence(confidence)
    measured = read_ratings(ratings, missing, clusters)
    squares = sums_of_squares(measured)
    n, k = squares.n, squares.k
    means = mean_squares(squares)
    centre = squares.centre + squares.means
    sums = clustered_sums(measured.clusters, measured.chunks(), centre)
    clustered = None if sums is None else clustered_errors(sums, centre)
    forms = _forms(n, k, means, confidence, clustered)
    undefined = [form.form for form in forms if math.isnan(form.value)]
    if undefined:
        warnings.warn(
            f"{', '.join(undefined)} {'is' if len(undefined) == 1 else 'are'} undefined, because"
            f" {why_undefined(means)}.",
            undefined_metric_warning(),
            stacklevel=2,
        )
    return IntraclassResult(
        forms=forms,
        mean_squares=means,
        _clustered=clustered,
        **measured.sample(confidence, None if clustered is None else clustered.n_clusters),
    )


def _forms(
    n: int,
    k: int,
    means: MeanSquares,
    confidence: float,
    clustered: ClusteredErrors | None = None,
) -> tuple[IntraclassCorrelation, ...]:
    subjects, within, raters, residual = means
    p = (1 + confidence) / 2
    excess = (raters - residual) / n
    models = (
        ("", within, 0.0, n * (k - 1)),
        ("A,", residual, excess, (n - 1) * (k - 1)),
        ("C,", residual, 0.0, (n - 1) * (k - 1)),
    )

    def of_ratio(f: float) -> float:
        return (f - 1) / (f + k - 1)

    found: dict[str, IntraclassCorrelation] = {}
    for i, (model, error, more, freedom) in enumerate(models):
        one = quotient(subjects - error, subjects + (k - 1) * error + k * more)
        mean = quotient(subjects - error, subjects + more)
        f, freedoms = ratio(subjects, error), (n - 1, freedom)
        if clustered is not None:
            ends = each(clustered.interval(i, p), of_ratio)
            f, freedoms = clustered.test(i)
        elif model == "A,":
            ends = absolute_interval(n, k, means, one, p)
        else:
            ends = each(f_limits(f, *freedoms, p), of_ratio)
        # The Spearman-Brown formula converts the interval for one rater to the interval for the
        # mean of k raters.
        of_means = each(ends, lambda r: spearman_brown(r, k))
        for size, value, limits in (("1", one, ends), ("k", mean, of_means)):
            name = f"ICC({model}{size})"
            found[name] = IntraclassCorrelation(
                name,
                f"ICC({i + 1},{size})",
                value,
                NO_ENDS if math.isnan(value) else limits,
                confidence,
                f,
                freedoms,
                f_tail(f, *freedoms),
            )
    return tuple(found[name] for name in MODELS)
