"""Compute the number of items for a test or an interval of kappa, and the power of a test."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from fastkappa.planning.checks import PlannedAlternative
from fastkappa.planning.kappa_studies import kappa_study
from fastkappa.planning.planned_tables import BALANCED
from fastkappa.statistics.bootstrap import as_generator
from fastkappa.statistics.inference import check_whole
from fastkappa.statistics.weights import Weights


def sample_size(
    kappa: float,
    *,
    rates: tuple[ArrayLike, ArrayLike] = BALANCED,
    pilot: ArrayLike | None = None,
    weights: Weights = None,
    null_kappa: float = 0.0,
    alternative: PlannedAlternative = "two-sided",
    alpha: float = 0.05,
    power: float = 0.8,
    n_raters: int = 2,
    design_effect: float = 1.0,
) -> int:
    """Return the number of items needed to distinguish kappa from a hypothesized value.

    For two raters, the planned test is the one that ``agreement(..., null_kappa=null_kappa)``
    performs. For more than two raters, the planned test is based on `fleiss_kappa`.

    Parameters
    ----------
    kappa : float
        The expected kappa.
    rates : pair of float or of array-like of shape (l,), default=(0.5, 0.5)
        A pair with one entry per rater. For two labels, each entry is the proportion of items to
        which the rater gives the first label. For more labels, each entry is an array with the
        proportions of all labels. With more than two raters, both entries must be equal.
    pilot : array-like of shape (l, l), default=None
        The confusion matrix from a pilot study with two raters. The label proportions of the pilot
        study replace ``rates``, and raters are assumed to confuse the same labels as in the pilot
        study. The pilot study's kappa must be above 0.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights.
    null_kappa : float, default=0.0
        The kappa under the null hypothesis.
    alternative : {'two-sided', 'one-sided', 'greater', 'less'}, default='two-sided'
        The kind of test. A 'one-sided' test detects only deviations from ``null_kappa`` in the
        direction of ``kappa``. 'greater' and 'less' are also one-sided, and require ``kappa`` to be
        greater or less than ``null_kappa``, respectively.
    alpha : float, default=0.05
        The significance level.
    power : float, default=0.8
        The required probability of rejecting ``null_kappa``.
    n_raters : int, default=2
        The number of raters per item. With more than two raters, the coefficient is Fleiss' kappa.
    design_effect : float, default=1.0
        The factor by which clustering increases the required number of items. Use the
        ``design_effect`` of a pilot study's result, or 1 + (m - 1) r for clusters of m items with
        an intra-cluster correlation of r.

    Returns
    -------
    n : int
        The required number of items.

    Raises
    ------
    ValueError
        If ``kappa`` and ``null_kappa`` are equal, if either of them is impossible with the given
        rates, if less than one item in a million is expected outside the most frequent cell, if
        more than 10**12 items are needed, or if an argument is invalid.

    Notes
    -----
    With three or more labels, many different tables have the given rates and kappa. The plan
    therefore assumes that the raters agree on some items and guess on the others. With two labels,
    this assumption is the common correlation model of Altaye, Donner and Klar (2001). With
    ``pilot``, the planned table is a mixture of two tables. If ``kappa`` is above the pilot study's
    kappa, the pilot study's table is mixed with a table of maximum agreement. If ``kappa`` is below
    it, the pilot study's table is mixed with the table expected if raters guess.

    For two raters and two labels, the power is computed with the formula of Cantor (1996). With
    more labels, the standard error used by the test is computed from the most likely table whose
    kappa is ``null_kappa``. This table depends on the observed table. Therefore, the mean and
    standard deviation of the test statistic z are computed from the approximate distribution of the
    count in each cell.

    For more than two raters and a ``null_kappa`` other than 0, the test rejects ``null_kappa`` if
    it is outside the interval that `fleiss_kappa` returns with confidence 1 - ``alpha``. A
    one-sided test uses one limit of the interval with confidence 1 - 2 ``alpha``.

    With more than two raters, the standard error of Fleiss' kappa is undefined if all raters agree
    on all items. A study with full agreement counts as a rejection if ``null_kappa`` is below
    ``kappa`` and the probability of full agreement under ``null_kappa`` is at most ``alpha`` (half
    of ``alpha`` in a two-sided test).

    The formulas are accurate if the distribution of z is close to normal, which is not always the
    case if a cell is expected to contain few items. Therefore, 1000 to 4000 studies are simulated
    for each candidate n, and the power from the formula is clipped to within 2 percentage points of
    the simulated power. If the formula does not yield a power, the result is the smallest n for
    which the simulated power is sufficient. The simulated power is accurate only to within about 2
    percentage points, and it increases with n in steps, not smoothly.

    References
    ----------
    A. B. Cantor (1996). Sample-size calculations for Cohen's kappa. Psychological Methods
    1, 150-153.

    M. Altaye, A. Donner and N. Klar (2001). Inference procedures for assessing interobserver
    agreement among multiple raters. Biometrics 57, 584-588.

    Examples
    --------
    >>> from fastkappa.planning import sample_size
    >>> sample_size(0.7, null_kappa=0.85, alternative="one-sided")
    96
    >>> sample_size(0.8, null_kappa=0.45, rates=(0.75, 0.75), alternative="one-sided")
    43
    >>> margin = [0.2, 0.25, 0.55]
    >>> sample_size(0.6, null_kappa=0.4, rates=(margin, margin), alternative="greater")
    92
    """
    study = kappa_study(
        kappa,
        null_kappa=null_kappa,
        rates=rates,
        pilot=pilot,
        weights=weights,
        n_raters=n_raters,
        alternative=alternative,
        alpha=alpha,
        design_effect=design_effect,
    )
    return study.items_for_power(power)


def power(
    n: int,
    kappa: float,
    *,
    rates: tuple[ArrayLike, ArrayLike] = BALANCED,
    pilot: ArrayLike | None = None,
    weights: Weights = None,
    null_kappa: float = 0.0,
    alternative: PlannedAlternative = "two-sided",
    alpha: float = 0.05,
    n_raters: int = 2,
    design_effect: float = 1.0,
    n_simulated: int = 0,
    rng: Any = None,
) -> float:
    """Return the power of a test of kappa with n items.

    Parameters
    ----------
    n : int
        The number of items.
    kappa, rates, pilot, weights, null_kappa, alternative, alpha, n_raters, design_effect
        As in `sample_size`.
    n_simulated : int, default=0
        The number of studies to simulate. If it is above 0, the power is estimated by applying the
        planned test to the simulated studies. With 10,000 studies, the estimate is accurate to
        within 1 percentage point. If ``n_simulated`` is 0, the result is the planned power that
        `sample_size` uses.
    rng : Generator, int or None, default=None
        The random number generator, or a seed for reproducible results.

    Returns
    -------
    power : float
        The probability that the test rejects ``null_kappa`` in the direction of ``kappa`` if the
        true value of kappa is ``kappa``.

    Raises
    ------
    ValueError
        As in `sample_size`.

    Examples
    --------
    >>> from fastkappa.planning import power
    >>> round(power(96, 0.7, null_kappa=0.85, alternative="one-sided"), 3)
    0.801
    >>> plan = dict(rates=(0.75, 0.75), alternative="one-sided")
    >>> round(power(43, 0.8, null_kappa=0.45, **plan), 3)
    0.808
    >>> round(power(43, 0.8, null_kappa=0.45, **plan, n_simulated=10_000, rng=0), 2)
    0.81
    """
    check_whole("n", n, 1)
    check_whole("n_simulated", n_simulated, 0)
    study = kappa_study(
        kappa,
        null_kappa=null_kappa,
        rates=rates,
        pilot=pilot,
        weights=weights,
        n_raters=n_raters,
        alternative=alternative,
        alpha=alpha,
        design_effect=design_effect,
    )
    if n_simulated:
        return study.simulated_power(study.independent(n), n_simulated, as_generator(rng))
    return study.power(n)


def sample_size_for_width(
    kappa: float,
    width: float,
    *,
    rates: tuple[ArrayLike, ArrayLike] = BALANCED,
    pilot: ArrayLike | None = None,
    weights: Weights = None,
    confidence: float = 0.95,
    n_raters: int = 2,
    design_effect: float = 1.0,
) -> int:
    """Return the number of items needed to estimate kappa with a given interval width.

    Parameters
    ----------
    kappa : float
        The expected kappa.
    width : float
        The required width of the confidence interval.
    rates, pilot, weights, n_raters, design_effect
        As in `sample_size`.
    confidence : float, default=0.95
        The confidence level of the interval.

    Returns
    -------
    n : int
        The smallest number of items for which the interval is at most ``width`` wide. For two
        raters, the planned interval is the score interval for the expected table. For more than two
        raters, the planned interval is the one that `fleiss_kappa` computes.

    Raises
    ------
    ValueError
        If ``width`` is not between 0 and 2 or requires more than 10**12 items, if ``kappa`` is
        impossible with the given rates, if less than one item in a million is expected outside the
        most frequent cell, or if an argument is invalid.

    Notes
    -----
    The planned width is the width in a typical study. In about half of all studies, the interval is
    wider than planned.

    Examples
    --------
    >>> from fastkappa.planning import sample_size_for_width
    >>> sample_size_for_width(0.8, 0.2)
    141
    >>> sample_size_for_width(0.8, 0.2, n_raters=3)
    91
    """
    study = kappa_study(
        kappa,
        rates=rates,
        pilot=pilot,
        weights=weights,
        n_raters=n_raters,
        confidence=confidence,
        design_effect=design_effect,
    )
    return study.items_for_width(width)
