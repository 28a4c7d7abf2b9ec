"""Write a result as one sentence for a paper.

The sentence covers three items of the GRRAS guidelines (Kottner et al., 2011): the statistical
approach (item 10), the numbers of raters and subjects, including the subjects left out (item 11),
and the estimate with its uncertainty (item 13).

Figures are rounded as is usual in papers, whereas reports contain four decimals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from fastkappa.formatting import figure, interval_text

# An interval that is narrower than this has more than two decimals, so that its limits differ by at
# least two units of the last decimal.
NARROW = 0.02
# The number of decimals of an estimate without an interval, which would show how precise it is.
WITHOUT_INTERVAL = 4


def decimals(interval: tuple[float, float]) -> int:
    """Return the number of decimals of an estimate and its interval.

    It is 2, or more if the interval is narrow or a limit is close to 0.

    Examples
    --------
    >>> from fastkappa.results.sentence import decimals
    >>> decimals((0.25, 0.75)), decimals((-0.5, -0.002)), decimals((0.5, 0.519))
    (2, 3, 3)
    """
    width = interval[1] - interval[0]
    if not 1e-6 < width < math.inf:
        return WITHOUT_INTERVAL
    digits = 2 - min(math.floor(math.log10(width / NARROW)), 0)
    # Do not round a limit to 0, because sentences often show whether an interval contains 0.
    while digits < WITHOUT_INTERVAL and any(end and not round(end, digits) for end in interval):
        digits += 1
    return digits


def p_rounded(p_value: float) -> str:
    """Return a p-value with three decimals, or as a bound near 0 or 1.

    Examples
    --------
    >>> from fastkappa.results.sentence import p_rounded
    >>> [p_rounded(p) for p in (0.0009996, 0.0314, 0.28, 0.9997)]
    ['p < 0.001', 'p = 0.031', 'p = 0.280', 'p > 0.999']
    """
    if p_value < 0.001:
        return "p < 0.001"
    return "p > 0.999" if p_value > 0.999 else f"p = {figure(p_value, digits=3)}"


def estimate_sentence(
    what: str, value: float, interval: tuple[float, float], of_interval: str, test: str = ""
) -> str:
    """Return a sentence with an estimate, its interval, and the version of fastkappa.

    ``of_interval`` names the confidence and the method of the interval, and ``test`` states the
    result of a test.

    Examples
    --------
    >>> from fastkappa.results.sentence import estimate_sentence
    >>> print(
    ...     estimate_sentence("Kappa", 0.5, (0.25, 0.75), "95 % score interval")
    ... )  # doctest: +ELLIPSIS
    Kappa was 0.50 (95 % score interval 0.25 to 0.75; fastkappa ...).
    """
    if math.isnan(value):
        return versioned(f"{what} was undefined")
    tested = f"; {test}" if test else ""
    return versioned(f"{what} was {estimate_text(value, interval, of_interval)[:-1]}{tested})")


def interval_name(result: Any) -> str:
    """Return the confidence and the method of a result's interval, such as "95 % t interval"."""
    is_t = result.interval_method == "asymptotic" and result.distribution == "t"
    return f"{100 * result.confidence:g} % {'t' if is_t else result.interval_method} interval"


def versioned(text: str) -> str:
    """Complete a sentence with the version of fastkappa in parentheses.

    Examples
    --------
    >>> from fastkappa.results.sentence import versioned
    >>> print(versioned("Kappa was 0.5"))  # doctest: +ELLIPSIS
    Kappa was 0.5 (fastkappa ...).
    """
    from fastkappa import __version__

    start = f"{text[:-1]}; " if text.endswith(")") else f"{text} ("
    return f"{start}fastkappa {__version__})."


def p_sentence(null: str, p_value: float) -> str:
    """Return a sentence with the p-value for a null hypothesis."""
    return versioned(f"The test of {null} gave {p_rounded(p_value)}")


def estimate_text(
    value: float, interval: tuple[float, float], of_interval: str = "", digits: int | None = None
) -> str:
    """Return an estimate with its interval in parentheses, by default with `decimals`."""
    named = f"{of_interval} " if of_interval else ""
    digits = decimals(interval) if digits is None else digits
    return f"{figure(value, digits=digits)} ({named}{interval_text(interval, digits=digits)})"


def difference_text(difference: Any, of: str = "", verb: str = "") -> str:
    """Return a difference with its interval and p-value. ``of`` names the estimate."""
    names = " minus ".join(difference.names)
    found = estimate_text(difference.value, difference.interval)
    return f"difference of {of}{names}{verb} {found}, {p_rounded(difference.p_value)}"


def listed(texts: Sequence[str]) -> str:
    """Join strings with commas and "and".

    Examples
    --------
    >>> from fastkappa.results.sentence import listed
    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *others, last = texts
    return f"{', '.join(others)} and {last}" if others else last
