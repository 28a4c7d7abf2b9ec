"""The test whether kappa is the same in all strata, from tables or from results."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from fastkappa.arrays import FloatTable
from fastkappa.choices import check_choice
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.formatting import figure, interval_text, label_text, p_value_text
from fastkappa.frame import frame_of_estimate
from fastkappa.results.report import Report, facts
from fastkappa.results.result import Result
from fastkappa.results.sentence import estimate_text, versioned
from fastkappa.statistics.inference import (
    check_confidence,
    chi_square_p,
    standard_error,
    symmetric_interval,
)
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.tables import as_table, refuse_fractions, warn_of_sums
from fastkappa.statistics.weights import Weights

Undefined: TypeAlias = Literal["nan", "drop"]
UNDEFINED: tuple[Undefined, ...] = get_args(Undefined)
# A warning names at most so many strata.
MOST_NAMED = 5
# Why groups that share clusters may have no test.
TOO_FEW_SHARED = (
    "they share clusters, of which there are too few to know how their kappas vary together"
)


@dataclass(frozen=True, eq=False, repr=False)
class EqualKappas(Result):
    """A test whether kappa is the same in all strata, and their common kappa.

    Attributes
    ----------
    kappa : float
        The overall kappa: the mean over the strata, weighted by their inverse variances.
    standard_error : float
        Its standard error.
    interval : tuple of float
        Its interval.
    statistic : float
        Q, the sum of squared deviations from the overall kappa, each over its variance.
    degrees_of_freedom : int
        The number of strata minus one.
    p_value : float
        The probability of a Q at least as large if kappa is the same in all strata.
    confidence : float
        The confidence of the interval.
    undefined : tuple
        The names of the strata that cannot be weighted by their variance: kappa or its
        standard error is undefined, or that is 0. They are left out, or the rest is NaN.
    """

    kappa: float
    standard_error: float
    interval: tuple[float, float]
    statistic: float
    degrees_of_freedom: int
    p_value: float
    confidence: float
    undefined: tuple[Any, ...] = ()

    def to_frame(self) -> Any:
        """Return a pandas DataFrame of one row.

        Its columns are ``value``, ``standard_error``, ``lower`` and ``upper``, those of the
        common kappa, and ``statistic``, ``degrees_of_freedom`` and ``p_value``.

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
        """Return the test as a sentence for a paper."""
        if math.isnan(self.p_value):
            return versioned("The kappas of the groups cannot be compared")
        found = estimate_text(
            self.kappa, self.interval, f"{100 * self.confidence:g} % asymptotic interval"
        )
        return versioned(
            f"The common kappa of {self.degrees_of_freedom + 1} groups was {found}; in the test of"
            f" equal kappas Q = {figure(self.statistic)}, df = {self.degrees_of_freedom}, p ="
            f" {p_value_text(self.p_value, 2)}"
        )

    def _report(self) -> Report:
        named = ", ".join(map(label_text, self.undefined[:MOST_NAMED]))
        more = ", ..." if len(self.undefined) > MOST_NAMED else ""
        why = "in one kappa or its standard error is undefined or 0"
        if math.isnan(self.p_value):
            # Without such groups only clusters that they share are in the way.
            reason = f"{why} ({named}{more})" if self.undefined else TOO_FEW_SHARED
            return Report([f"the groups cannot be compared: {reason}"])
        left_out = [f"left out, for {why} ({named}{more})"] if self.undefined else []
        return Report(
            [
                f"common kappa {figure(self.kappa)} ({interval_text(self.interval)})",
                f"test of equal kappas: Q = {figure(self.statistic)},"
                f" df = {self.degrees_of_freedom}, p = {p_value_text(self.p_value, 2)}",
                *left_out,
            ],
            [facts([("standard error of common kappa", self.standard_error)])],
        )

    def __repr__(self) -> str:
        return (
            f"<EqualKappas: common kappa {figure(self.kappa)} ({interval_text(self.interval)}),"
            f" p {p_value_text(self.p_value, 2)}>"
        )


def compare_strata(
    tables: Any,
    *,
    weights: Weights = None,
    undefined: Undefined = "nan",
    confidence: float = 0.95,
) -> EqualKappas:
    """Test whether kappa is the same in independent strata, as SAS does (PROC FREQ, AGREE).

    Parameters
    ----------
    tables : sequence or mapping of tables or of results, or array of shape (h, l, l)
        One for each stratum: also an `AgreementResult`, or a `MultiRaterResult` of the same
        coefficient. They need not have the same labels. A result brings its own standard error,
        by clusters if it has these (strata that share clusters are compared by `agreement_by`); Q
        and the interval are by the normal distribution all the same.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights of the tables; a result has its own.
    undefined : {'nan', 'drop'}, default='nan'
        What to do if strata cannot be weighted by their variance, because their kappa is
        undefined (0 / 0) or its standard error is 0, as where a rater uses one label only.
        With 'nan' the test is undefined, with an ``UndefinedMetricWarning`` that names these
        strata. With 'drop' the others are compared, and there is such a warning only if fewer
        than two are left. Strata of full agreement are dropped too, so that the common kappa
        is that of the others, and lower than it would be with them. ``undefined`` of the
        result has the names.
    confidence : float, default=0.95
        The confidence of the interval.

    Returns
    -------
    test : EqualKappas

    Raises
    ------
    ValueError
        If there are fewer than two strata, a table is not a table of counts, results have
        different weights or distributions, or ``undefined`` is unknown.

    References
    ----------
    J. L. Fleiss, B. Levin and M. C. Paik (2003). Statistical Methods for Rates and
    Proportions, third edition, section 18.1.

    Examples
    --------
    >>> from fastkappa import compare_strata
    >>> winnipeg = [[38, 5, 0, 1], [33, 11, 3, 0], [10, 14, 5, 6], [3, 7, 3, 10]]
    >>> new_orleans = [[5, 3, 0, 0], [3, 11, 4, 0], [2, 13, 3, 4], [1, 2, 4, 14]]
    >>> test = compare_strata([winnipeg, new_orleans])
    >>> round(test.kappa, 4), round(test.statistic, 4), round(test.p_value, 4)
    (0.2338, 0.9009, 0.3425)
    """
    return equal_kappas(tables, weights, confidence, undefined, stacklevel=3)


def equal_kappas(
    tables: Any,
    weights: Weights,
    confidence: float,
    undefined: Undefined,
    stacklevel: int,
    covariance: FloatTable | None = None,
) -> EqualKappas:
    """Return the result of `compare_strata`; warnings are of the caller so many levels up.

    ``covariance`` is that of the kappas, for strata that are not independent.
    """
    check_confidence(confidence)
    check_undefined(undefined)
    named = _by_name(tables)
    strata = {
        name: kappa_and_error(f"the table of stratum {name!r}", table, weights)
        for name, table in named.items()
    }
    if len(strata) < 2:
        raise ValueError(f"tables must be those of two strata or more, got {len(strata)}.")
    check_comparable(named.values(), weights)
    without_kappa = [name for name, (kappa, _) in strata.items() if math.isnan(kappa)]
    kept = [found for found in strata.values() if found[1] > 0]
    left_out = tuple(name for name, (_, error) in strata.items() if not error > 0)
    without_error = [name for name in left_out if strata[name][1] == 0]
    one_cluster = [name for name in left_out if name not in (*without_kappa, *without_error)]
    if left_out and (undefined == "nan" or len(kept) < 2):
        reasons = [
            f"{what} in {_strata_text(names)}"
            for what, names in (
                ("kappa is undefined", without_kappa),
                ("the standard error is 0", without_error),
                ("the standard error is undefined", one_cluster),
            )
            if names
        ]
        them = "it" if len(left_out) == 1 else "them"
        may_drop = undefined == "nan" and len(kept) > 1
        remedy = f" undefined='drop' leaves {them} out." if may_drop else ""
        warnings.warn(
            f"the strata cannot be compared: {', and '.join(reasons)}.{remedy}",
            undefined_metric_warning(),
            stacklevel=stacklevel,
        )
        nan, freedom = math.nan, max(len(strata if undefined == "nan" else kept) - 1, 0)
        return EqualKappas(nan, nan, (nan, nan), nan, freedom, nan, confidence, left_out)
    kappa, error = np.array(kept).T
    freedom = len(kept) - 1
    if covariance is None:
        inverse, precision = None, error**-2
    else:
        own = [i for i, name in enumerate(strata) if name not in left_out]
        together = covariance[np.ix_(own, own)]
        if np.linalg.matrix_rank(together, hermitian=True) < len(own):
            warnings.warn(
                f"the strata cannot be compared: {TOO_FEW_SHARED}.",
                undefined_metric_warning(),
                stacklevel=stacklevel,
            )
            nan = math.nan
            return EqualKappas(nan, nan, (nan, nan), nan, freedom, nan, confidence, left_out)
        inverse = np.linalg.inv(together)
        precision = inverse.sum(axis=1)
    overall = float((precision * kappa).sum() / precision.sum())
    overall_error = float(precision.sum() ** -0.5)
    apart = kappa - overall
    statistic = float((precision * apart**2).sum() if inverse is None else apart @ inverse @ apart)
    return EqualKappas(
        overall,
        overall_error,
        symmetric_interval(overall, overall_error, confidence),
        statistic,
        freedom,
        chi_square_p(statistic, freedom),
        float(confidence),
        left_out,
    )


def kappa_and_error(name: str, table: Any, weights: Weights) -> tuple[float, float]:
    """Return kappa and its standard error for a table or a result."""
    value = getattr(table, "kappa", getattr(table, "value", None))
    if value is not None:
        if weights is not None:
            raise ValueError("weights are for tables: results bring their own.")
        return float(value), table.standard_error
    counts = as_table(getattr(table, "table", table), name)
    refuse_fractions(counts, name)
    warn_of_sums(counts, name)
    return float(kappas(counts, weights)), standard_error(counts, weights)


def check_comparable(tables: Iterable[Any], weights: Weights) -> None:
    """Raise if tables or results have different weights, or errors of both distributions."""
    tables = list(tables)
    # The errors of a table are divided by n.
    if len({getattr(table, "distribution", "normal") for table in tables}) > 1:
        raise ValueError(
            "kappas with different distributions cannot be compared: take"
            " distribution='normal', which tables have, or 't' for all results."
        )
    methods = sorted({getattr(table, "method", "Cohen's kappa") for table in tables})
    if methods[1:]:
        raise ValueError(f"{methods[0]} and {methods[1]} cannot be compared.")
    first, *others = (getattr(table, "weights", weights) for table in tables)
    for other in others:
        if not np.array_equal(np.asarray(first), np.asarray(other)):
            raise ValueError(
                f"kappas with different weights cannot be compared, got {first!r} and {other!r}."
            )


def check_undefined(undefined: Undefined) -> Undefined:
    """Return what to do with undefined strata, or raise if that is unknown."""
    return check_choice("undefined", undefined, UNDEFINED)


def _strata_text(names: list[Any]) -> str:
    """Return the names of strata, at most `MOST_NAMED`."""
    more = ", ..." if len(names) > MOST_NAMED else ""
    stratum = "stratum" if len(names) == 1 else f"{len(names)} strata:"
    return f"{stratum} {', '.join(map(repr, names[:MOST_NAMED]))}{more}"


def _by_name(tables: Any) -> dict[Any, Any]:
    if isinstance(tables, Mapping):
        return dict(tables)
    if isinstance(tables, str) or not isinstance(tables, Iterable):
        raise ValueError(f"tables must be a sequence or a mapping of tables, got {tables!r}.")
    return dict(enumerate(tables))
