"""Sample size and power of the tests of kappa that `agreement` and `fleiss_kappa` make.

A test rejects where a statistic t(p) of the observed proportions, times the root of n, is beyond
a critical value. With n items t varies around its value for the true proportions with a
standard deviation d / sqrt(n) and a bias b / n, so that the power is about

    Phi((sqrt(n) * t + b / sqrt(n) - critical * d0) / d),

d0 being the deviation that the test assumes. For kappa0 = 0, and for two labels, t is the distance
of kappa from kappa0, without b, and d0 its deviation in the planned table with kappa0 (Cantor
1996). For more
labels kappa0 does not say which table that is, and the score test takes the most likely one: t is
the root of its statistic, and d0 is 1.
"""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from fastkappa.arrays import FloatTable
from fastkappa.statistics.bootstrap import as_generator
from fastkappa.statistics.inference import STANDARD_NORMAL, normal_quantile
from fastkappa.statistics.intervals.constrained import constrained_stack
from fastkappa.statistics.intervals.score_test import check_null_kappa, null_test, score_root
from fastkappa.statistics.planning import several_raters
from fastkappa.statistics.planning.checks import check_probability, check_raters, check_whole
from fastkappa.statistics.planning.planned_tables import (
    Margins,
    as_margins,
    error_of_one_item,
    planned_table,
)
from fastkappa.statistics.planning.spread import variation
from fastkappa.statistics.weights import Weights, disagreement_matrix

PlannedAlternative: TypeAlias = Literal["two-sided", "one-sided", "greater", "less"]
# The constrained likelihood takes proportions as counts of so many items.
MANY_ITEMS = 1e4
MOST_NUMBERS = 10**6  # of the equations that are solved at a time, while simulating


class _Test(NamedTuple):
    """A test of one item: t, d0, d and b, of which t and b are above 0 towards the kappa."""

    value: float
    null_deviation: float
    deviation: float
    bias: float = 0.0


class _Design(NamedTuple):
    """What is planned for, checked."""

    kappa: float
    null_kappa: float
    margins: Margins
    weights: Weights
    tail: float  # the probability of an error of the first kind, on the side of kappa
    conservative: bool
    raters: int

    def table(self, name: str, kappa: float) -> FloatTable:
        return planned_table(name, kappa, self.margins, self.weights, self.conservative)

    def critical(self, n: float) -> float:
        """Return the critical value, by the distribution that the test takes for n items."""
        if self.raters > 2 and (self.null_kappa != 0 or self.weights is not None):
            return several_raters.critical_value(n, self.tail)
        return normal_quantile(1 - self.tail)


def sample_size(
    kappa: float,
    null_kappa: float = 0.0,
    *,
    rates: tuple[ArrayLike, ArrayLike] = (0.5, 0.5),
    weights: Weights = None,
    alternative: PlannedAlternative = "two-sided",
    alpha: float = 0.05,
    power: float = 0.8,
    conservative: bool = False,
    raters: int = 2,
) -> int:
    """Return the number of items needed to distinguish kappa from a hypothesised value.

    The test is that of ``agreement(..., null_kappa=null_kappa)`` and, for more than two raters,
    that of `fleiss_kappa`.

    Parameters
    ----------
    kappa : float
        The expected kappa.
    null_kappa : float, default=0.0
        The kappa under the null hypothesis.
    rates : pair of float or of array-like of shape (l,), default=(0.5, 0.5)
        For two labels, how often each rater gives the first one; for more, the proportions
        of each rater's labels. More than two raters must all have the same.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights.
    alternative : {'two-sided', 'one-sided', 'greater', 'less'}, default='two-sided'
        The kind of test; a one-sided test looks for a deviation towards ``kappa``, 'greater'
        and 'less' say where that should be.
    alpha : float, default=0.05
        The significance level.
    power : float, default=0.8
        The required probability of rejecting ``null_kappa``.
    conservative : bool, default=False
        Three labels or more with these rates and this kappa may agree in many ways. False plans
        for raters who agree on some items and guess the others; True for those with whom kappa
        has the largest variance, under either hypothesis (Flack and others 1988).
    raters : int, default=2
        The number of raters of each item. For more than two the coefficient is Fleiss' kappa,
        and raters agree, all of them, on some items and guess the others: for two labels
        the common correlation of Altaye, Donner and Klar (2001).

    Returns
    -------
    n : int

    Raises
    ------
    ValueError
        If the two kappas are equal, if no table with these rates has such a kappa, or if an
        argument is invalid.

    Notes
    -----
    For two raters and two labels n is that of Cantor (1996). More labels determine the most
    likely table with ``null_kappa``, and with it the error that the test assumes, only together
    with the expected table.

    For more than two raters and ``null_kappa`` other than 0 the test is whether ``null_kappa``
    lies outside the interval of `fleiss_kappa` with the confidence 1 - ``alpha``; for a
    one-sided test, beyond the end of that with 1 - 2 ``alpha``.

    The power is that of large samples. `power` with ``n_simulated`` simulates it: do so for plans
    of fewer than 30 items.

    References
    ----------
    A. B. Cantor (1996). Sample-size calculations for Cohen's kappa. Psychological Methods
    1, 150-153.

    V. F. Flack, A. A. Afifi, P. A. Lachenbruch and H. J. A. Schouten (1988). Sample size
    determinations for the two rater kappa statistic. Psychometrika 53, 321-325.

    M. Altaye, A. Donner and N. Klar (2001). Inference procedures for assessing interobserver
    agreement among multiple raters. Biometrics 57, 584-588.

    Examples
    --------
    >>> from fastkappa import sample_size
    >>> sample_size(0.7, 0.85, alternative="one-sided")
    96
    >>> sample_size(0.8, 0.45, rates=(0.75, 0.75), alternative="one-sided")
    43
    >>> margin = [0.2, 0.25, 0.55]
    >>> sample_size(0.6, 0.4, rates=(margin, margin), alternative="greater")
    92
    >>> sample_size(0.6, 0.4, rates=(margin, margin), alternative="greater", conservative=True)
    101
    """
    check_probability("power", power)
    design = _design(kappa, null_kappa, rates, weights, alternative, alpha, conservative, raters)
    test = _test(design)
    # The root of n solves a quadratic equation.
    least = design.critical(math.inf) * test.null_deviation
    least = max(least + normal_quantile(power) * test.deviation, 0.0)
    below = math.sqrt(max(least**2 - 4 * test.value * test.bias, 0.0))
    # Rounding may put a whole number a little above itself.
    n = math.ceil(((least + below) / (2 * test.value)) ** 2 * (1 - 1e-12))
    n = max(n, 1 if design.raters == 2 else 2)
    # Student's t needs a few items more.
    while _power(design, test, n) < power - 1e-12:
        n += 1
    return n


def power(
    n: int,
    kappa: float,
    null_kappa: float = 0.0,
    *,
    rates: tuple[ArrayLike, ArrayLike] = (0.5, 0.5),
    weights: Weights = None,
    alternative: PlannedAlternative = "two-sided",
    alpha: float = 0.05,
    conservative: bool = False,
    raters: int = 2,
    n_simulated: int = 0,
    rng: Any = None,
) -> float:
    """Return the power of a test of kappa with n items.

    Parameters
    ----------
    n : int
        The number of items.
    kappa, null_kappa, rates, weights, alternative, alpha, conservative, raters
        As for `sample_size`.
    n_simulated : int, default=0
        The number of studies to be simulated, each with the test that will be made; 0 takes
        the distribution in large samples. Of 10,000 studies the power is known to within 1 %.
    rng : Generator, int or None, default=None
        The source of random numbers.

    Returns
    -------
    power : float
        The probability of rejecting ``null_kappa``, in the direction of ``kappa``, if the
        true value is ``kappa``.

    Raises
    ------
    ValueError
        As `sample_size`.

    Examples
    --------
    >>> from fastkappa import power
    >>> round(power(96, 0.7, 0.85, alternative="one-sided"), 3)
    0.801
    >>> plan = dict(rates=(0.75, 0.75), alternative="one-sided")
    >>> round(power(43, 0.8, 0.45, **plan), 3)
    0.808
    >>> round(power(43, 0.8, 0.45, **plan, n_simulated=10_000, rng=0), 2)
    0.81
    """
    check_whole("n", n, 1)
    check_whole("n_simulated", n_simulated, 0)
    design = _design(kappa, null_kappa, rates, weights, alternative, alpha, conservative, raters)
    if n_simulated:
        return _simulated(design, n, n_simulated, as_generator(rng))
    return _power(design, _test(design), n)


def _design(
    kappa: float,
    null_kappa: float,
    rates: tuple[ArrayLike, ArrayLike],
    weights: Weights,
    alternative: PlannedAlternative,
    alpha: float,
    conservative: bool,
    raters: int,
) -> _Design:
    if alternative not in get_args(PlannedAlternative):
        raise ValueError(
            "alternative must be 'two-sided', 'one-sided', 'greater' or 'less',"
            f" got {alternative!r}."
        )
    check_probability("alpha", alpha)
    check_null_kappa(null_kappa)
    if kappa == null_kappa:
        raise ValueError(f"kappa and null_kappa must differ, got {kappa!r} for both.")
    margins = as_margins(rates)
    check_raters(raters, margins, conservative)
    for name, value in (("kappa", kappa), ("null_kappa", null_kappa)):
        planned_table(name, value, margins, weights)
    if alternative == ("less" if kappa > null_kappa else "greater"):
        raise ValueError(
            f"alternative must not be {alternative!r} for a kappa of {kappa!r}"
            f" and a null_kappa of {null_kappa!r}."
        )
    tail = alpha / 2 if alternative == "two-sided" else alpha
    return _Design(kappa, null_kappa, margins, weights, tail, conservative, raters)


def _test(design: _Design) -> _Test:
    if design.raters > 2:
        rows = several_raters.planned_rows(design.kappa, design.margins[0], design.raters)
        z = several_raters.variation_of_z(rows, design.null_kappa, design.weights)
        towards = math.copysign(1.0, design.kappa - design.null_kappa)
        return _Test(abs(z.value), 1.0, z.deviation, towards * z.bias)
    expected = design.table("kappa", design.kappa)
    if len(expected) == 2 or design.conservative or design.null_kappa == 0:
        # Under kappa0 = 0 the test takes raters to be independent, whatever was expected.
        null = design._replace(conservative=design.conservative and design.null_kappa != 0)
        deviations = (
            error_of_one_item(table, design.weights)
            for table in (null.table("null_kappa", design.null_kappa), expected)
        )
        return _Test(abs(design.kappa - design.null_kappa), *deviations)
    matrix = disagreement_matrix(design.weights, len(expected))

    def root(flat: FloatTable) -> FloatTable:
        observed = flat.reshape(-1, *matrix.shape)
        null = np.full(len(observed), float(design.null_kappa))
        found = constrained_stack(observed * MANY_ITEMS, matrix, null)
        return score_root(observed, found.proportions)

    found = variation(root, expected.ravel())
    return _Test(found.value, 1.0, found.deviation, found.bias)


def _power(design: _Design, test: _Test, n: int) -> float:
    distance = test.value * math.sqrt(n) + test.bias / math.sqrt(n)
    distance -= design.critical(n) * test.null_deviation
    if test.deviation == 0:
        return float(distance > 0)
    return STANDARD_NORMAL.cdf(distance / test.deviation)


def _simulated(design: _Design, n: int, n_simulated: int, rng: np.random.Generator) -> float:
    """Return the proportion of simulated studies that reject, towards the expected kappa."""
    critical = design.critical(n)
    towards = math.copysign(1.0, design.kappa - design.null_kappa)
    if design.raters > 2:
        rows = several_raters.planned_rows(design.kappa, design.margins[0], design.raters)
        shares = rng.multinomial(n, rows.proportions, n_simulated) / n
        z = several_raters.z_of(rows, shares, design.null_kappa, design.weights) * math.sqrt(n)
        return float(np.mean(z * towards > critical))
    expected = design.table("kappa", design.kappa)
    drawn = rng.multinomial(n, expected.ravel() / expected.sum(), n_simulated)
    tables, times = np.unique(drawn, axis=0, return_counts=True)
    at_once = max(1, MOST_NUMBERS // (2 * len(expected) + 2) ** 2)
    rejected = 0
    for start in range(0, len(tables), at_once):
        some = slice(start, start + at_once)
        stack = tables[some].reshape(-1, *expected.shape)
        z, _ = null_test(stack, design.weights, design.null_kappa)
        rejected += int(times[some][z * towards > critical].sum())
    return rejected / n_simulated
