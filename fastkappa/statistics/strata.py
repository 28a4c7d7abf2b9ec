"""Test whether kappa is the same in all strata, given as tables or results."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from fastkappa.arrays import FloatTable
from fastkappa.choices import check_choice
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.formatting import figure, label_text, p_text
from fastkappa.frame import frame_of_estimate
from fastkappa.results.report import Report
from fastkappa.results.result import Result
from fastkappa.results.sentence import estimate_text, p_rounded, versioned
from fastkappa.statistics.distributions import f_tail
from fastkappa.statistics.inference import check_confidence, chi_square_p, standard_error
from fastkappa.statistics.intervals.doubt import (
    Wide,
    also_true_of,
    doubt_of_table,
    wide_common,
    wide_intervals,
)
from fastkappa.statistics.intervals.methods import (
    IntervalMethod,
    choose_method,
    joint_freedom,
    root_quantile,
)
from fastkappa.statistics.intervals.tested import Estimates, Together, kappas_tested
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.tables import as_table, refuse_fractions, warn_of_names, warn_of_sums
from fastkappa.statistics.weights import Weights, as_weights, what_needs_order

Undefined: TypeAlias = Literal["nan", "drop"]
UNDEFINED: tuple[Undefined, ...] = get_args(Undefined)
# The maximum number of strata that a warning names.
MOST_NAMED = 5
# The reason why groups that share clusters cannot be tested.
TOO_FEW_SHARED = (
    "they share clusters, and there are too few clusters to estimate the covariance of kappas"
)


@dataclass(frozen=True, eq=False, repr=False)
class EqualKappas(Result):
    """The result of testing whether kappa is the same in all strata, with the common kappa.

    Attributes
    ----------
    kappa : float
        The estimate of the common kappa. At this value, the sum of the strata's z statistics, each
        weighted by the inverse of its standard error, is 0. In asymptotic tests, the estimate is
        the mean of the strata's kappas, weighted by their inverse variances.
    standard_error : float
        The standard error of the common kappa. It is computed on the assumption that all strata
        have this kappa.
    interval : tuple of float
        The confidence interval for the common kappa. It contains the values at which the weighted
        sum of the z statistics is not significant.
    statistic : float
        Q, the sum of the squared z statistics, each of which compares a stratum's kappa with the
        common kappa.
    degrees_of_freedom : int
        The number of strata minus one.
    p_value : float
        The probability of a Q at least this large if kappa is the same in all strata. In score and
        profile tests with clusters, the p-value is computed from an F distribution. In this case,
        reports show F, which is Q divided by its degrees of freedom, instead of Q.
    confidence : float
        The confidence level of the interval.
    undefined : tuple
        The names of the strata that cannot be compared, because kappa or its standard error is
        undefined, or because the standard error is 0 in an asymptotic test. If the argument
        ``undefined`` is 'drop', these strata are left out. If it is 'nan', they make the test
        undefined (NaN).
    interval_method : str
        The method used to test the kappa of each stratum: 'score', 'profile' or 'asymptotic'.
    doubt : str
        The reason why the interval and the test cannot be trusted, or an empty string if they can.
    coefficient : str
        The name of the coefficient.
    second_degrees_of_freedom : float or None
        The denominator degrees of freedom of the F distribution, or None if the p-value is computed
        from a chi-square distribution.
    """

    kappa: float
    standard_error: float
    interval: tuple[float, float]
    statistic: float
    degrees_of_freedom: int
    p_value: float
    confidence: float
    undefined: tuple[Any, ...] = ()
    interval_method: str = "asymptotic"
    doubt: str = ""
    coefficient: str = "kappa"
    second_degrees_of_freedom: float | None = None
    _wide: Wide | None = None

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row for the test.

        The columns ``value``, ``standard_error``, ``lower`` and ``upper`` describe the common
        kappa. The columns ``statistic``, ``degrees_of_freedom`` and ``p_value`` describe the test.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return frame_of_estimate(
            self.kappa,
            self.standard_error,
            self.interval,
            statistic=self.statistic,
            degrees_of_freedom=self.degrees_of_freedom,
            p_value=self.p_value,
        )

    def sentence(self) -> str:
        """Return the result of the test as a sentence for a paper."""
        if math.isnan(self.p_value):
            return versioned("The kappas of the groups cannot be compared")
        how = f"{100 * self.confidence:g} % {self.interval_method} interval"
        found = estimate_text(self.kappa, self.interval, how)
        return versioned(
            f"The common {self.coefficient} of {self.degrees_of_freedom + 1} groups was {found}; in"
            f" the test of equality {self.test_text(in_sentence=True)}"
        )

    def _report(self) -> Report:
        named = ", ".join(map(label_text, self.undefined[:MOST_NAMED]))
        more = ", ..." if len(self.undefined) > MOST_NAMED else ""
        zero = ", or the standard error is 0," if "asymptotic" in self.interval_method else ""
        why = f"kappa or its standard error is undefined{zero} in {named}{more}"
        if math.isnan(self.p_value):
            # If every kappa is defined, only shared clusters can make the test impossible.
            reason = why if self.undefined else TOO_FEW_SHARED
            return Report([f"the groups cannot be compared: {reason}"])
        differ = f"the values differ, so the common {self.coefficient} is only their average"
        remarks = [differ] if self.p_value < 1 - self.confidence else []
        remarks += [f"left out, because {why}"] if self.undefined else []
        error = f"standard error {figure(self.standard_error)}"
        found = estimate_text(self.kappa, self.interval, digits=4)
        common = f"common {self.coefficient} {found}, {error}"
        return Report(
            [common, f"test of equality: {self.test_text()}", *remarks],
            doubts=[self.doubt] if self.doubt else [],
            notes=wide_intervals([("", self)]),
        )

    def test_text(self, *, in_sentence: bool = False) -> str:
        """Return the statistic, the degrees of freedom and the p-value as text."""
        if math.isnan(self.p_value):
            return "undefined"
        digits, p = (2, p_rounded(self.p_value)) if in_sentence else (4, p_text(self.p_value))
        first, second = self.degrees_of_freedom, self.second_degrees_of_freedom
        if second is None:
            return f"Q = {figure(self.statistic, digits=digits)}, df = {first}, {p}"
        f = figure(self.statistic / first, digits=digits)
        return f"F = {f}, df = {first} and {second:g}, {p}"

    def __repr__(self) -> str:
        found = estimate_text(self.kappa, self.interval, digits=4)
        return f"<EqualKappas: common {self.coefficient} {found}, {p_text(self.p_value)}>"


def compare_strata(
    tables: Any,
    *,
    weights: Weights = None,
    undefined: Undefined = "nan",
    confidence: float = 0.95,
    interval_method: IntervalMethod | None = None,
) -> EqualKappas:
    """Test whether kappa is the same in independent strata, and estimate their common kappa.

    Parameters
    ----------
    tables : sequence or mapping of tables or of results, or array of shape (h, l, l)
        One table or result per stratum. Results must be `AgreementResult` objects, or
        `MultiRaterResult` objects for the same coefficient. The strata can have different labels.
        If a result has clusters, the test accounts for them. For strata that share clusters, use
        `agreement_by`.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights for tables of counts. They must be None if results are given, because
        results have their own weights.
    undefined : {'nan', 'drop'}, default='nan'
        How to treat strata whose kappa is undefined (0 / 0), for example because both raters use
        only one label. With 'nan', the test is undefined, and an ``UndefinedMetricWarning`` names
        these strata. With 'drop', these strata are left out, and the warning is issued only if
        fewer than two strata remain. In both cases, the attribute ``undefined`` of the result
        contains the names of these strata. In asymptotic tests, strata whose standard error is 0
        are treated in the same way as strata whose kappa is undefined. The standard error is 0 if
        the raters always agree or if one rater uses only one label.
    confidence : float, default=0.95
        The confidence level of the interval.
    interval_method : {'asymptotic', 'score', 'profile'}, default=None
        The method used to test the kappa of each stratum. If None, the kappa of a result is tested
        with the method of that result, and the kappa of a table with the default method of
        `agreement`. 'asymptotic' is the test that SAS performs (PROC FREQ, option AGREE).

    Returns
    -------
    test : EqualKappas

    Raises
    ------
    ValueError
        If there are fewer than two strata, if a table does not contain whole counts, if results
        differ in their coefficients, weights or distributions, or if ``undefined`` is unknown.

    Notes
    -----
    If the strata are small, a mean weighted by inverse variances is strongly biased, because a
    kappa that is high by chance has a small estimated variance. Instead of estimated variances,
    score tests use the variances under the null hypothesis. To see the size of the test and the
    coverage of the interval for the asymptotic and score methods, run
    ``python -m bench.studies.strata``.

    References
    ----------
    J. L. Fleiss, B. Levin and M. C. Paik (2003). Statistical Methods for Rates and
    Proportions, third edition, section 18.1.

    Examples
    --------
    Compare the asymptotic test, as in SAS, with the default:

    >>> from fastkappa import compare_strata
    >>> winnipeg = [[38, 5, 0, 1], [33, 11, 3, 0], [10, 14, 5, 6], [3, 7, 3, 10]]
    >>> new_orleans = [[5, 3, 0, 0], [3, 11, 4, 0], [2, 13, 3, 4], [1, 2, 4, 14]]
    >>> test = compare_strata([winnipeg, new_orleans], interval_method="asymptotic")
    >>> round(test.kappa, 4), round(test.statistic, 4), round(test.p_value, 4)
    (0.2338, 0.9009, 0.3425)
    >>> test = compare_strata([winnipeg, new_orleans])
    >>> round(test.kappa, 4), round(test.statistic, 4), round(test.p_value, 4)
    (0.2343, 0.9013, 0.3424)
    """
    return equal_kappas(tables, weights, confidence, undefined, interval_method, stacklevel=3)


def equal_kappas(
    tables: Any,
    weights: Weights,
    confidence: float,
    undefined: Undefined,
    interval_method: IntervalMethod | None,
    stacklevel: int,
    covariance: FloatTable | None = None,
) -> EqualKappas:
    """Return the result of `compare_strata`, and issue any warnings at the given stack level.

    For strata that are not independent, ``covariance`` is the covariance matrix of the kappas.
    """
    check_confidence(confidence)
    check_undefined(undefined)
    named = _by_name(tables)
    strata = {
        name: stratum_of(f"the table of stratum {name!r}", table, weights, interval_method)
        for name, table in named.items()
    }
    if len(strata) < 2:
        raise ValueError(f"tables must have at least two strata, got {len(strata)}.")
    check_comparable(named.values(), weights)
    methods = " and ".join(dict.fromkeys(stratum.method for stratum in strata.values()))
    kept = [stratum for stratum in strata.values() if not stratum.obstacle]
    left_out = tuple(name for name, stratum in strata.items() if stratum.obstacle)
    freedom = max(len(strata if undefined == "nan" else kept) - 1, 0)
    nan = math.nan
    of = getattr(next(iter(named.values())), "method", "kappa")
    none = EqualKappas(
        nan, nan, (nan, nan), nan, freedom, nan, float(confidence), left_out, methods, "", of
    )
    if left_out and (undefined == "nan" or len(kept) < 2):
        reasons: dict[str, list[Any]] = {}
        for name in left_out:
            reasons.setdefault(strata[name].obstacle, []).append(name)
        why = ", and ".join(f"{what} in {_strata_text(reasons[what])}" for what in sorted(reasons))
        them = "it" if len(left_out) == 1 else "them"
        may_drop = undefined == "nan" and len(kept) > 1
        remedy = f" Use undefined='drop' to leave {them} out." if may_drop else ""
        _warn(f"{why}.{remedy}", stacklevel)
        return none
    correlation = None
    if covariance is not None:
        own = [i for i, stratum in enumerate(strata.values()) if not stratum.obstacle]
        shared = covariance[np.ix_(own, own)]
        if np.linalg.matrix_rank(shared, hermitian=True) < len(own):
            _warn(f"{TOO_FEW_SHARED}.", stacklevel)
            return none
        errors = np.sqrt(np.diag(shared))
        correlation = shared / errors / errors[:, None]
    together = Together([stratum.tested() for stratum in kept], correlation)
    quantile = root_quantile(confidence, math.inf)
    kappa, low, high = together.values_at(0.0, quantile, -quantile)
    common = together.at(kappa)
    p_value = chi_square_p(common.statistic, freedom)
    second = None
    freedoms = [stratum.freedom for stratum in kept]
    if not all(map(math.isinf, freedoms)):
        units = max(freedoms)
        if covariance is None:
            with np.errstate(divide="ignore"):
                units = joint_freedom(common.errors**-2.0, freedoms)
        quantile = root_quantile(confidence, units)
        low, high = together.values_at(quantile, -quantile)
        if not math.isinf(units):
            second = freedom * units
            p_value = f_tail(common.statistic / freedom, freedom, second)
    return replace(
        none,
        kappa=kappa,
        standard_error=common.error,
        interval=(low, high),
        statistic=common.statistic,
        p_value=p_value,
        doubt=_doubt({name: strata[name].doubt for name in strata if name not in left_out}),
        second_degrees_of_freedom=second,
        _wide=wide_common(f"the common {of}", (low, high), quantile, confidence, kept, correlation),
    )


def _doubt(of_strata: Mapping[Any, str]) -> str:
    """Return the reason to doubt the first doubtful stratum, and the names of the others."""
    found = [(label_text(name), doubt) for name, doubt in of_strata.items() if doubt]
    more = also_true_of([name for name, _ in found[1:]])
    return "".join(f"in {name} {doubt}{more}" for name, doubt in found[:1])


class Stratum(NamedTuple):
    """A stratum whose kappa is compared with others.

    ``freedom`` is the number of degrees of freedom of its test, or infinity for the normal
    distribution. ``tested`` returns the test. ``doubt`` is the reason why the test cannot be
    trusted, or an empty string if it can.
    """

    value: float
    error: float
    method: IntervalMethod
    freedom: float
    tested: Callable[[], Estimates]
    weights: Weights
    doubt: str

    @property
    def obstacle(self) -> str:
        """The reason why the kappa cannot be compared, or an empty string if it can."""
        if math.isnan(self.value):
            return "kappa is undefined"
        if math.isnan(self.error):
            return "the standard error is undefined"
        return "the standard error is 0" if self.method == "asymptotic" and not self.error else ""


def stratum_of(
    name: str, table: Any, weights: Weights, interval_method: IntervalMethod | None = None
) -> Stratum:
    """Return the stratum for a table or a result."""
    value = getattr(table, "kappa", getattr(table, "value", None))
    if value is None:
        counts = as_table(getattr(table, "table", table), name)
        refuse_fractions(counts, name)
        warn_of_sums(counts, name)
        warn_of_names(table, what_needs_order(weights))
        method = choose_method(interval_method, counts)
        error = float(standard_error(counts, weights))
        kappa, doubt = float(kappas(counts, weights)), doubt_of_table(counts)
        checked = as_weights(weights, len(counts))
        test = partial(kappas_tested, method, counts[None], checked, np.array([error]))
        return Stratum(kappa, error, method, math.inf, test, checked, doubt)
    result: Any = table
    if weights is not None:
        raise ValueError(
            "weights must be None if results are compared, because results have their own weights."
        )
    if interval_method is not None:
        if not hasattr(result, "table"):
            raise ValueError(
                "interval_method must be None for results of more than two raters,"
                " because these results have their own method."
            )
        chosen = choose_method(interval_method, result.table, result.distribution)
        result = replace(result, interval_method=chosen)
    method, error = result.interval_method, result.standard_error
    freedom = math.inf if method == "asymptotic" else result.freedom
    doubt = getattr(result, "doubt", "")
    return Stratum(value, error, method, freedom, lambda: result.tested, result.weights, doubt)


def _warn(why: str, stacklevel: int) -> None:
    warnings.warn(
        f"the strata cannot be compared: {why}", undefined_metric_warning(), stacklevel + 1
    )


def check_comparable(tables: Iterable[Any], weights: Weights) -> None:
    """Raise if tables or results differ in their coefficients, weights or distributions."""
    tables = list(tables)
    # The distribution for a plain table is 'normal', because its variances are divided by n.
    if len({getattr(table, "distribution", "normal") for table in tables}) > 1:
        raise ValueError(
            "all results must use the same distribution: compute them all with"
            " distribution='normal', or all with distribution='t'. Tables always use 'normal'."
        )
    methods = sorted({getattr(table, "method", "Cohen's kappa") for table in tables})
    if methods[1:]:
        raise ValueError(
            f"{methods[0]} and {methods[1]} cannot be compared with each other: use the same"
            " coefficient for all results."
        )
    first, *others = (getattr(table, "weights", weights) for table in tables)
    for other in others:
        if not np.array_equal(np.asarray(first), np.asarray(other)):
            raise ValueError(
                f"kappas with different weights cannot be compared, got {first!r} and"
                f" {other!r}: use the same weights for all."
            )


def check_undefined(undefined: Undefined) -> Undefined:
    """Return ``undefined`` if it is a valid option, otherwise raise."""
    return check_choice("undefined", undefined, UNDEFINED)


def _strata_text(names: list[Any]) -> str:
    """Return the names of at most `MOST_NAMED` strata as text."""
    more = ", ..." if len(names) > MOST_NAMED else ""
    stratum = "stratum" if len(names) == 1 else f"{len(names)} strata:"
    return f"{stratum} {', '.join(map(repr, names[:MOST_NAMED]))}{more}"


def _by_name(tables: Any) -> dict[Any, Any]:
    if isinstance(tables, Mapping):
        return dict(tables)
    if isinstance(tables, str) or not isinstance(tables, Iterable):
        raise ValueError(f"tables must be a sequence or a mapping of tables, got {tables!r}.")
    return dict(enumerate(tables))
