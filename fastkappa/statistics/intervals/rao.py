"""Test the null hypothesis kappa = kappa0.

For kappa0 = 0, the null hypothesis is that the raters are independent, and z is kappa divided by
the null standard error of Fleiss, Cohen and Everitt (1969). Other values of kappa0 do not determine
the expected table, so Rao's score test is used. The z of this test is the signed square root of
Pearson's chi-square statistic, which compares the observed proportions with the most likely
proportions given kappa0. At the 5 % level, the score test rejects the values of kappa0 outside the
95 % score interval.
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.statistics.distributions import t_two_sided_p
from fastkappa.statistics.inference import (
    null_standard_error,
    proportions_of,
    standard_error,
)
from fastkappa.statistics.intervals.table_constraint import most_likely_tables
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import Weights, disagreement_matrix

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)


class NullTest(NamedTuple):
    """The results of testing kappa = kappa0 for a stack of tables, as arrays of shape (m,).

    ``standard_error`` is the standard error of kappa at the most likely table given kappa0. For
    kappa0 = 0, this is the table expected from independent raters. Both arrays are NaN where kappa
    is undefined.
    """

    z: FloatTable
    standard_error: FloatTable


def null_test(
    tables: AnyArray, weights: Weights, null_kappa: float, values: FloatTable | None = None
) -> NullTest:
    """Return the results of the test for a validated stack of tables of shape (m, l, l).

    ``values`` are the kappas of the tables, if already known. If kappa0 is so far from kappa that
    the most likely table cannot be found, z is infinite and the standard error is NaN.

    Examples
    --------
    Two raters agree on all 50 items, 25 for each of two labels. A kappa of 0.9 corresponds to 5 %
    disagreement, and the score test of that proportion gives the same z.

    >>> import math
    >>> import numpy as np
    >>> from fastkappa.statistics.intervals.rao import null_test
    >>> z, _ = null_test(np.array([[[25, 0], [0, 25]]]), None, 0.9)
    >>> round(float(z[0]), 6), round(0.05 / math.sqrt(0.05 * 0.95 / 50), 6)
    (1.622214, 1.622214)
    """
    if values is None:
        values = np.asarray(kappas(tables, weights), np.float64)
    if null_kappa == 0:
        error = np.asarray(null_standard_error(tables, weights), np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            return NullTest(np.where(error > 0, values / error, np.nan), error)
    z, error = np.full(values.shape, np.nan), np.full(values.shape, np.nan)
    known = ~np.isnan(values)
    if not known.any():
        return NullTest(z, error)
    n, observed = proportions_of(tables[known])
    matrix = disagreement_matrix(weights, tables.shape[-1])
    found = most_likely_tables(
        tables[known].astype(np.float64), matrix, np.full(len(n), float(null_kappa))
    )
    is_found = np.isfinite(found.likelihood_ratio)
    root = np.where(is_found, score_root(observed, found.proportions), np.inf)
    z[known] = np.sign(values[known] - null_kappa) * np.sqrt(n) * root
    of_item = np.asarray(standard_error(found.proportions[is_found], weights))
    error[np.flatnonzero(known)[is_found]] = of_item / np.sqrt(n[is_found])
    return NullTest(z, error)


def score_root(observed: FloatTable, most_likely: FloatTable) -> FloatTable:
    """Return the square root of Pearson's chi-square per item for each of the m tables."""
    used = observed > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(used, (observed - most_likely) ** 2 / most_likely, most_likely)
    return np.asarray(np.sqrt(terms.sum(axis=(-2, -1))))


def p_value(z: float, alternative: Alternative, degrees_of_freedom: float = math.inf) -> float:
    """Return the p-value of z, which has a standard normal or Student's t distribution.

    Examples
    --------
    >>> from fastkappa.statistics.intervals.rao import p_value
    >>> [round(p_value(1.645, kind), 3) for kind in ("two-sided", "greater", "less")]
    [0.1, 0.05, 0.95]
    """
    two_sided = t_two_sided_p(z, degrees_of_freedom)
    if alternative == "two-sided":
        return two_sided
    return two_sided / 2 if (z > 0) == (alternative == "greater") else 1 - two_sided / 2


def check_null_kappa(null_kappa: float) -> float:
    """Return the kappa of a null hypothesis, or raise an error if it cannot be tested.

    The values 1 and -1 need no test: a single disagreement refutes kappa = 1, and a single
    agreement refutes kappa = -1.
    """
    if not isinstance(null_kappa, Real) or not -1 < null_kappa < 1:
        raise ValueError(f"null_kappa must be a number above -1 and below 1, got {null_kappa!r}.")
    return float(null_kappa)
