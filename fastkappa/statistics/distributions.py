"""Compute p-values and quantiles of Student's t and F distributions.

Intervals and tests use these distributions if there are few subjects.
"""

from __future__ import annotations

import math
from statistics import NormalDist

# The continued fraction stops once the relative change per step is at most this.
PRECISION = 1e-16
# With at least this many degrees of freedom, Hill's normal deviate is exact to the last digit, and
# more accurate than a continued fraction in 1 - x.
NEARLY_NORMAL = 500.0


def t_two_sided_p(t: float, degrees_of_freedom: float) -> float:
    """Return the two-sided p-value of ``t``: the probability of a value at least as far from 0.

    Parameters
    ----------
    t : float
        The test statistic; NaN and infinity are allowed.
    degrees_of_freedom : float
        Degrees of freedom, above 0; infinity means the normal distribution.

    Returns
    -------
    p : float
        The p-value, accurate to about 12 digits, even if it is as small as 1e-20.

    References
    ----------
    M. Abramowitz and I. A. Stegun (1964). Handbook of Mathematical Functions, 26.5.8
    and 26.7.1.

    G. W. Hill (1970). Algorithm 395: Student's t-distribution. Communications of the ACM
    13, 617-619.

    Examples
    --------
    >>> from fastkappa.statistics.distributions import t_two_sided_p
    >>> round(t_two_sided_p(2.228138851986274, 10), 12)
    0.05
    """
    if math.isnan(t) or math.isnan(degrees_of_freedom):
        return math.nan
    if math.isinf(t):
        return 0.0
    if math.isinf(degrees_of_freedom):
        return math.erfc(abs(t) / math.sqrt(2))
    if degrees_of_freedom >= NEARLY_NORMAL:
        return math.erfc(_normal_deviate(t, degrees_of_freedom) / math.sqrt(2))
    # The square of t has an F distribution.
    return _f_tails(t * t, 1, degrees_of_freedom)[1]


def t_quantile(p: float, degrees_of_freedom: float) -> float:
    """Return the quantile of Student's t distribution at probability ``p``.

    Parameters
    ----------
    p : float
        A probability above 0 and below 1.
    degrees_of_freedom : float
        Degrees of freedom, at least 1; infinity means the normal distribution.

    Returns
    -------
    t : float
        The quantile, or NaN if the degrees of freedom are NaN.

    Examples
    --------
    >>> from fastkappa.statistics.distributions import t_quantile
    >>> round(t_quantile(0.975, 10), 12)
    2.228138851986
    """
    if p < 0.5:
        return -t_quantile(1 - p, degrees_of_freedom)
    if math.isnan(degrees_of_freedom):
        return math.nan
    t = NormalDist().inv_cdf(p)
    if math.isinf(degrees_of_freedom) or t == 0:
        return t
    tail = 2 * (1 - p)
    for _ in range(100):
        # Newton's method is applied to the logarithm of the tail. The logarithm is concave, so the
        # method converges from below.
        density = 2 * _beta_front(t * t, 1, degrees_of_freedom) / t
        reached = t_two_sided_p(t, degrees_of_freedom)
        step = math.log(reached / tail) * reached / density
        t += step
        if abs(step) <= 1e-15 * t:
            break
    return t


def f_tail(f: float, numerator: float, denominator: float) -> float:
    """Return the probability that an F-distributed value exceeds ``f``.

    Parameters
    ----------
    f : float
        The ratio of two mean squares, at least 0; NaN and infinity are allowed.
    numerator, denominator : float
        The degrees of freedom of the mean squares, above 0. They need not be whole numbers.

    Returns
    -------
    p : float
        The probability, accurate to about 11 digits for up to 1e8 degrees of freedom.

    References
    ----------
    M. Abramowitz and I. A. Stegun (1964). Handbook of Mathematical Functions, 26.5.8
    and 26.6.2.

    Examples
    --------
    >>> from fastkappa.statistics.distributions import f_tail
    >>> round(f_tail(4.964602743730711, 1, 10), 12)
    0.05
    """
    if math.isnan(f + numerator + denominator):
        return math.nan
    return _f_tails(f, numerator, denominator)[1]


def f_quantile(p: float, numerator: float, denominator: float) -> float:
    """Return the quantile of the F distribution at probability ``p``.

    Parameters
    ----------
    p : float
        A probability above 0 and below 1.
    numerator, denominator : float
        Degrees of freedom, above 0.

    Returns
    -------
    f : float
        The quantile, or NaN if the degrees of freedom are NaN.

    Examples
    --------
    >>> from fastkappa.statistics.distributions import f_quantile
    >>> round(f_quantile(0.95, 1, 10), 12)
    4.964602743731
    """
    if math.isnan(numerator + denominator):
        return math.nan
    # The smaller tail is used, because it keeps full precision. The logarithm of a small tail is
    # nearly linear in log(f), so Newton's method converges. A bracket limits steps that would be
    # too long.
    upper = p > 0.5
    tail = 1 - p if upper else p
    low, high, log_f = -700.0, 700.0, 0.0
    for _ in range(200):
        f = math.exp(log_f)
        reached = _f_tails(f, numerator, denominator)[upper]
        above = (reached < tail) == upper
        low, high = (low, log_f) if above else (log_f, high)
        # The probability density of log(f).
        density = _beta_front(f, numerator, denominator)
        step = 0.0
        if reached > 0 and density > 0:
            step = math.log(reached / tail) * reached / density * (1 if upper else -1)
        new = log_f + step
        if step == 0 or not low < new < high:
            new = (low + high) / 2 if reached != tail else log_f
        if abs(new - log_f) <= 1e-15:
            return math.exp(new)
        log_f = new
    return math.exp(log_f)


def _f_tails(f: float, numerator: float, denominator: float) -> tuple[float, float]:
    """Return the probabilities below and above ``f``."""
    if f <= 0:
        return 0.0, 1.0
    if math.isinf(f):
        return 1.0, 0.0
    a, b = numerator / 2, denominator / 2
    front = _beta_front(f, numerator, denominator)
    # The lower tail is I_x(a, b), and the upper tail is I_(1 - x)(b, a).
    sum_of_both = numerator * f + denominator
    x, mirrored = numerator * f / sum_of_both, denominator / sum_of_both
    if x < (a + 1) / (a + b + 2):
        lower = min(1.0, front * _continued_fraction(a, b, x) / a)
        return lower, 1 - lower
    upper = min(1.0, front * _continued_fraction(b, a, mirrored) / b)
    return 1 - upper, upper


def _beta_front(f: float, numerator: float, denominator: float) -> float:
    """Return x**a (1 - x)**b / B(a, b) at the x that corresponds to ``f``.

    Here a and b are half the degrees of freedom. With n = a + b, the result is computed as

        sqrt(a b / (2 pi n)) exp(a log(x n / a) + b log((1 - x) n / b) + r),

    where r is the remainder of Stirling's formula for log(1 / B(a, b)). The result is accurate even
    if a and b are large, because no large log-gamma values are subtracted from each other.
    """
    a, b = numerator / 2, denominator / 2
    sum_of_both = numerator * f + denominator
    total = numerator + denominator
    exponent = a * _log(total * f / sum_of_both, (f - 1) * denominator / sum_of_both)
    exponent += b * _log(total / sum_of_both, (1 - f) * numerator / sum_of_both)
    rest = _stirling_rest(a + b) - _stirling_rest(a) - _stirling_rest(b)
    return math.sqrt(a / (a + b) * b / (2 * math.pi)) * math.exp(exponent + rest)


def _log(ratio: float, ratio_less_one: float) -> float:
    """Return the logarithm of a ratio, using whichever argument is more precise."""
    return math.log1p(ratio_less_one) if abs(ratio_less_one) < 0.5 else math.log(ratio)


def _stirling_rest(z: float) -> float:
    """Return log(gamma(z)) minus Stirling's formula, (z - 1/2) log(z) - z + log(2 pi) / 2."""
    if z < 15:
        return math.lgamma(z) - ((z - 0.5) * math.log(z) - z + math.log(2 * math.pi) / 2)
    square = 1 / (z * z)
    series = 1 / 1188 - square * 691 / 360360
    for term in (1 / 1680, 1 / 1260, 1 / 360, 1 / 12):
        series = term - square * series
    return series / z


def _normal_deviate(t: float, degrees_of_freedom: float) -> float:
    """Return the normal deviate with the same tail probability as ``t`` (Hill's expansion)."""
    a = degrees_of_freedom - 0.5
    b = 48 * a * a
    y = a * math.log1p(t * t / degrees_of_freedom)
    correction = (((-0.4 * y - 3.3) * y - 24) * y - 85.5) / (0.8 * y * y + 100 + b)
    return ((correction + y + 3) / b + 1) * math.sqrt(y)


def _continued_fraction(a: float, b: float, x: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function by Lentz's method."""
    tiny = 1e-300
    numerator, denominator = 1.0, 1 - (a + b) * x / (a + 1)
    denominator = 1 / (denominator or tiny)
    value = denominator
    m = 0
    while True:
        m += 1
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            denominator = 1 / ((1 + term * denominator) or tiny)
            numerator = (1 + term / numerator) or tiny
            change = denominator * numerator
            value *= change
        if abs(change - 1) <= PRECISION or m > 100_000:
            return value
