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

    For two raters, the planned test is the test of ``agreement(..., null_kappa=null_kappa)``. For
    more than two raters, it is the test of `fleiss_kappa`.

    Parameters
    ----------
    kappa : float
        The expected kappa.
    rates : pair of float or of array-like of shape (l,), default=(0.5, 0.5)
        For two labels, the proportion of items to which each rater gives the first label. For more
        labels, an array for each rater with the proportions of all labels. If there are more than
        two raters, both entries must be equal.
    pilot : array-like of shape (l, l), default=None
        The counts of a pilot study of two raters. Its label proportions replace ``rates``, and
        raters are assumed to confuse the same labels. Its kappa must be above 0.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights.
    null_kappa : float, default=0.0
        The kappa under the null hypothesis.
    alternative : {'two-sided', 'one-sided', 'greater', 'less'}, default='two-sided'
        The kind of test. A 'one-sided' test detects a deviation towards ``kappa``. 'greater' and
        'less' are also one-sided, and require ``kappa`` to be greater or less than ``null_kappa``,
        respectively.
    alpha : float, default=0.05
        The significance level.
    power : float, default=0.8
        The required probability of rejecting ``null_kappa``.
    n_raters : int, default=2
        The number of raters of each item. For more than two raters, the coefficient is Fleiss'
        kappa.
    design_effect : float, default=1.0
        The factor by which clusters increase the number of items that the study needs. Use the
        ``design_effect`` of a pilot study's result, or 1 + (m - 1) r for clusters of m items with
        an intra-cluster correlation of r.

    Returns
    -------
    n : int
        The number of items.

    Raises
    ------
    ValueError
        If the two kappas are equal, if a kappa is impossible with these rates, if less than one
        item in a million is expected outside the most frequent cell, if more than 10**12 items are
        needed, or if an argument is invalid.

    Notes
    -----
    With three or more labels, many different tables have the given rates and kappa. A plan assumes
    that the raters agree on some items and guess on the others. With two labels, this assumption is
    the common correlation model of Altaye, Donner and Klar (2001). With ``pilot``, the planned
    table is a mixture of the pilot's table with maximum agreement if ``kappa`` is above the pilot's
    kappa, and with guessing if it is below.

    For two raters and two labels, the formula is that of Cantor (1996). With more labels, the test
    computes its standard error from the most likely table whose kappa is ``null_kappa``. This table
    depends on the observed table. The mean and standard deviation of the test statistic z are
    therefore computed over the possible numbers of items in each cell.

    For more than two raters and a ``null_kappa`` other than 0, the test rejects ``null_kappa`` if
    it is outside the interval of `fleiss_kappa` with confidence 1 - ``alpha``. A one-sided test
    uses one limit of the interval with confidence 1 - 2 ``alpha``.

    With more than two raters, the standard error of Fleiss' kappa is undefined if all raters agree
    on all items. Such a study counts as rejecting a lower ``null_kappa`` if the probability of full
    agreement under ``null_kappa`` is at most ``alpha``, or half of ``alpha`` in a two-sided test.

    The formulas are accurate if the distribution of z is close to normal. This is not the case if a
    cell has few items, so 1000 to 4000 studies are simulated for each candidate n. The power from
    the formula is clipped to within 2 percentage points of the simulated power. If the formula
    fails, n is the smallest number of items with sufficient simulated power. The simulated power is
    accurate only to within about 2 percentage points, and increases with n in steps.

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
        The number of studies to simulate, each with the planned test. With 10,000 studies, the
        power is accurate to within 1 percentage point. With 0, no studies are simulated, and the
        result is the planned power that `sample_size` uses.
    rng : Generator, int or None, default=None
        The random number generator, or a seed.

    Returns
    -------
    power : float
        The probability of rejecting ``null_kappa`` in the direction of ``kappa`` if the true value
        is ``kappa``.

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
    """Return the number of items needed for a kappa interval of a given width.

    Parameters
    ----------
    kappa : float
        The expected kappa.
    width : float
        The required width of the interval.
    rates, pilot, weights, n_raters, design_effect
        As in `sample_size`.
    confidence : float, default=0.95
        The confidence level of the interval.

    Returns
    -------
    n : int
        The smallest number of items for which the interval is at most ``width`` wide. For two
        raters, the interval is the score interval of the expected table. For more raters, it is the
        interval of `fleiss_kappa`.

    Raises
    ------
    ValueError
        If ``width`` is not between 0 and 2 or requires more than 10**12 items, if ``kappa`` is
        impossible with these rates, if less than one item in a million is expected outside the most
        frequent cell, or if an argument is invalid.

    Notes
    -----
    The planned width is that of an average study. In about half of all studies, the interval is
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
