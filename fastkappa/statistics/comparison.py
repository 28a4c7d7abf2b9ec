"""Comparison of kappas: over strata, of two samples, of two predictions of the same truth.

All but the last accept tables, or results with their own weights.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from fastkappa.arrays import AnyArray
from fastkappa.exceptions import undefined_metric_warning, users_stacklevel
from fastkappa.statistics.bootstrap import (
    BootstrapResult,
    Method,
    bootstrap_counts,
    check_method,
)
from fastkappa.statistics.inference import (
    check_confidence,
    chi_square_p,
    delta_error,
    kappa_gradient,
    proportions_of,
    standard_error,
    symmetric_interval,
    two_sided_p,
)
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.spread import Influence
from fastkappa.statistics.tables import as_table, as_tables, refuse_fractions
from fastkappa.statistics.weights import Weights

Undefined: TypeAlias = Literal["nan", "drop"]
# A warning names at most so many strata.
MOST_NAMED = 5


@dataclass(frozen=True, eq=False)
class EqualKappas:
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
        The names of the strata that cannot be weighted by their variance: kappa is
        undefined or its standard error is 0. They are left out, or the rest is NaN.
    """

    kappa: float
    standard_error: float
    interval: tuple[float, float]
    statistic: float
    degrees_of_freedom: int
    p_value: float
    confidence: float
    undefined: tuple[Any, ...] = ()


@dataclass(frozen=True, eq=False)
class KappaDifference:
    """The difference of two kappas, the first minus the second.

    Attributes
    ----------
    value : float
        The difference.
    kappas : tuple of float
        The two kappas.
    standard_error : float
        The standard error of the difference.
    interval : tuple of float
        Its interval.
    z, p_value : float
        The difference over its standard error, and the two-sided p-value of the test that
        there is no difference.
    confidence : float
        The confidence of the interval.
    bootstrap : BootstrapResult or None
        The bootstrap of the difference, if requested.
    """

    value: float
    kappas: tuple[float, float]
    standard_error: float
    interval: tuple[float, float]
    z: float
    p_value: float
    confidence: float
    bootstrap: BootstrapResult | None = None


def compare_strata(
    tables: Any,
    *,
    weights: Weights = None,
    confidence: float = 0.95,
    undefined: Undefined = "nan",
) -> EqualKappas:
    """Test whether kappa is the same in independent strata, as SAS does (PROC FREQ, AGREE).

    Parameters
    ----------
    tables : sequence or mapping of tables or of AgreementResult, or array of shape (h, l, l)
        One for each stratum. They need not have the same labels.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights of the tables; a result has its own.
    confidence : float, default=0.95
        The confidence of the interval.
    undefined : {'nan', 'drop'}, default='nan'
        What to do if strata cannot be weighted by their variance, because their kappa is
        undefined (0 / 0) or its standard error is 0, as where a rater uses one label only.
        With 'nan' the test is undefined, for these strata say nothing about their kappa, with
        an ``UndefinedMetricWarning`` that names them. With 'drop' the others are compared, and
        there is such a warning only if fewer than two are left. ``undefined`` of the result
        has their names.

    Returns
    -------
    test : EqualKappas

    Raises
    ------
    ValueError
        If there are fewer than two strata, a table is not a table of counts, results have
        different weights, or ``undefined`` is unknown.

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
    tables: Any, weights: Weights, confidence: float, undefined: Undefined, stacklevel: int
) -> EqualKappas:
    """Return the result of `compare_strata`; warnings are of the caller so many levels up."""
    check_confidence(confidence)
    check_undefined(undefined)
    named = _by_name(tables)
    strata = {
        name: _kappa_and_error(f"the table of stratum {name!r}", table, weights)
        for name, table in named.items()
    }
    if len(strata) < 2:
        raise ValueError(f"tables must be those of two strata or more, got {len(strata)}.")
    _check_same_weights(named.values(), weights)
    without_kappa = [name for name, (kappa, _) in strata.items() if math.isnan(kappa)]
    kept = [found for found in strata.values() if found[1] > 0]
    left_out = tuple(name for name, (_, error) in strata.items() if not error > 0)
    without_error = [name for name in left_out if name not in without_kappa]
    if left_out and (undefined == "nan" or len(kept) < 2):
        reasons = [
            f"{what} in {_strata_text(names)}"
            for what, names in (
                ("kappa is undefined", without_kappa),
                ("the standard error is 0", without_error),
            )
            if names
        ]
        remedy = " undefined='drop' leaves it out." if undefined == "nan" else ""
        warnings.warn(
            f"the strata cannot be compared: {', and '.join(reasons)}.{remedy}",
            undefined_metric_warning(),
            stacklevel=stacklevel,
        )
        nan, freedom = math.nan, max(len(strata if undefined == "nan" else kept) - 1, 0)
        return EqualKappas(nan, nan, (nan, nan), nan, freedom, nan, confidence, left_out)
    kappa, error = np.array(kept).T
    precision = error**-2
    overall = float((precision * kappa).sum() / precision.sum())
    overall_error = float(precision.sum() ** -0.5)
    statistic = float((precision * (kappa - overall) ** 2).sum())
    freedom = len(kept) - 1
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


def check_undefined(undefined: Undefined) -> Undefined:
    """Return what to do with undefined strata, or raise if that is unknown."""
    if undefined not in get_args(Undefined):
        raise ValueError(f"undefined must be 'nan' or 'drop', got {undefined!r}.")
    return undefined


def _strata_text(names: list[Any]) -> str:
    """Return the names of strata, at most `MOST_NAMED`."""
    more = ", ..." if len(names) > MOST_NAMED else ""
    stratum = "stratum" if len(names) == 1 else f"{len(names)} strata:"
    return f"{stratum} {', '.join(map(repr, names[:MOST_NAMED]))}{more}"


def compare_independent(
    first: Any, second: Any, *, weights: Weights = None, confidence: float = 0.95
) -> KappaDifference:
    """Compare the kappas of two independent samples.

    Parameters
    ----------
    first, second : array-like of shape (l, l), or AgreementResult
        Two tables of counts, or results. They need not have the same labels.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights of the tables; a result has its own.
    confidence : float, default=0.95
        The confidence of the interval.

    Returns
    -------
    difference : KappaDifference
        NaN, with an ``UndefinedMetricWarning``, where a kappa is undefined.

    Raises
    ------
    ValueError
        If a table is not a table of counts, or results have different weights.

    Examples
    --------
    >>> from fastkappa import compare_independent
    >>> winnipeg = [[38, 5, 0, 1], [33, 11, 3, 0], [10, 14, 5, 6], [3, 7, 3, 10]]
    >>> new_orleans = [[5, 3, 0, 0], [3, 11, 4, 0], [2, 13, 3, 4], [1, 2, 4, 14]]
    >>> difference = compare_independent(winnipeg, new_orleans)
    >>> round(difference.value, 4), round(difference.z, 4), round(difference.p_value, 4)
    (-0.0886, -0.9491, 0.3425)
    """
    check_confidence(confidence)
    kappa_1, error_1 = _kappa_and_error("first", first, weights)
    kappa_2, error_2 = _kappa_and_error("second", second, weights)
    _check_same_weights([first, second], weights)
    return _difference((kappa_1, kappa_2), math.hypot(error_1, error_2), confidence)


def compare_paired(
    joint: ArrayLike,
    *,
    weights: Weights = None,
    confidence: float = 0.95,
    n_resamples: int = 0,
    method: Method = "bca",
    rng: Any = None,
) -> KappaDifference:
    """Compare two predictions of the same truth, from their joint counts.

    Parameters
    ----------
    joint : array-like of shape (l, l, l)
        Cell (i, j, k) counts the items whose true label is i, for which the first
        prediction is j and the second is k.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights; rows are the truth.
    confidence : float, default=0.95
        The confidence of the interval.
    n_resamples : int, default=0
        The number of bootstrap replicates; 0 means no bootstrap.
    method : {'percentile', 'bca'}, default='bca'
        The kind of bootstrap interval.
    rng : Generator, int or None, default=None
        The source of random numbers.

    Returns
    -------
    difference : KappaDifference
        The standard error is that of the delta method, which accounts for both kappas
        coming from the same items. NaN, with an ``UndefinedMetricWarning``, where a kappa
        is undefined.

    Raises
    ------
    ValueError
        If ``joint`` is not a cube of whole counts, or empty.

    Examples
    --------
    >>> from fastkappa import compare_paired
    >>> joint = [[[30, 6], [2, 2]], [[3, 9], [8, 40]]]
    >>> difference = compare_paired(joint)
    >>> [round(kappa, 4) for kappa in difference.kappas]
    [0.6774, 0.6091]
    >>> round(difference.value, 4), round(difference.standard_error, 4)
    (0.0684, 0.0989)
    """
    counts = _joint_counts(joint)
    every = np.arange(len(counts))
    return compare_joint(
        counts,
        (every, every),
        weights=weights,
        confidence=confidence,
        n_resamples=n_resamples,
        method=method,
        rng=rng,
    )


def compare_joint(
    counts: AnyArray,
    own: tuple[AnyArray, AnyArray],
    *,
    weights: Weights,
    confidence: float,
    n_resamples: int,
    method: Method,
    rng: Any,
) -> KappaDifference:
    """Compare two predictions from checked joint counts.

    ``own`` are the positions of the labels of each kappa: those of the truth and of its own
    prediction, or all. Others do not occur in it, and would stretch the distances by which
    named weights go.
    """
    check_confidence(confidence)
    check_method(method)
    cells = [np.ix_(labels, labels) for labels in own]

    def pairs(cubes: AnyArray) -> tuple[AnyArray, AnyArray]:
        return cubes.sum(axis=-1)[(..., *cells[0])], cubes.sum(axis=-2)[(..., *cells[1])]

    first, second = pairs(counts)
    both = (float(kappas(first, weights)), float(kappas(second, weights)))
    n, proportions = proportions_of(counts.reshape(1, -1))
    values, sizes = np.zeros((2, 2, *counts.shape[:2]))
    for i, (place, table) in enumerate(zip(cells, (first, second))):
        values[i][place], sizes[i][place] = kappa_gradient(table, weights)
    slope = Influence(
        values[0][:, :, None] - values[1][:, None, :],
        sizes[0][:, :, None] + sizes[1][:, None, :],
    )
    error = float(delta_error(proportions, slope.reshape(1, -1), n))
    drawn = None
    if n_resamples:

        def difference(tables: AnyArray) -> Any:
            first, second = pairs(tables)
            return kappas(first, weights) - kappas(second, weights)

        drawn = bootstrap_counts(counts, difference, n_resamples, method, confidence, rng)
    return _difference(both, error, confidence, drawn)


def _difference(
    both: tuple[float, float],
    error: float,
    confidence: float,
    bootstrap: BootstrapResult | None = None,
) -> KappaDifference:
    value = both[0] - both[1]
    if math.isnan(value):
        undefined = "the first" if math.isnan(both[0]) else "the second"
        warnings.warn(
            f"the kappas cannot be compared: {undefined} is undefined.",
            undefined_metric_warning(),
            stacklevel=users_stacklevel(),
        )
    z = value / error if error > 0 else math.nan
    return KappaDifference(
        value,
        both,
        error,
        symmetric_interval(value, error, confidence),
        z,
        two_sided_p(z),
        float(confidence),
        bootstrap,
    )


def _by_name(tables: Any) -> dict[Any, Any]:
    if isinstance(tables, Mapping):
        return dict(tables)
    if isinstance(tables, str) or not isinstance(tables, Iterable):
        raise ValueError(f"tables must be a sequence or a mapping of tables, got {tables!r}.")
    return dict(enumerate(tables))


def _kappa_and_error(name: str, table: Any, weights: Weights) -> tuple[float, float]:
    """Return kappa and its standard error for a table or a result."""
    if hasattr(table, "kappa"):
        if weights is not None:
            raise ValueError("weights are for tables: results bring their own.")
        return table.kappa, table.standard_error
    counts = as_table(getattr(table, "table", table), name)
    refuse_fractions(counts, name)
    return float(kappas(counts, weights)), standard_error(counts, weights)


def _check_same_weights(tables: Iterable[Any], weights: Weights) -> None:
    first, *others = (getattr(table, "weights", weights) for table in tables)
    for other in others:
        if not np.array_equal(np.asarray(first), np.asarray(other)):
            raise ValueError(
                f"kappas with different weights cannot be compared, got {first!r} and {other!r}."
            )


def _joint_counts(joint: ArrayLike) -> AnyArray:
    # A cube passes the checks of a stack of tables.
    counts = as_tables(
        joint, "joint", "compare_predictions(y_true, first, second) takes three columns."
    )
    if counts.ndim != 3 or len(set(counts.shape)) != 1:
        raise ValueError(f"joint must have the shape (l, l, l), got {counts.shape}.")
    refuse_fractions(counts, "joint")
    if not counts.any():
        raise ValueError("joint must not be empty: all its counts are 0.")
    return counts.astype(np.int64)
