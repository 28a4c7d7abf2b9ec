"""Write a result as one sentence for a paper.

The sentence covers three items of the GRRAS guidelines (Kottner et al., 2011): the statistical
approach (item 10), the numbers of raters and subjects, including the subjects left out (item 11),
and the estimate with its uncertainty (item 13).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from fastkappa.formatting import figure, interval_text, p_text, p_value_text


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
    Kappa was 0.5000 (95 % score interval 0.2500 to 0.7500; fastkappa ...).
    """
    if math.isnan(value):
        return versioned(f"{what} was undefined")
    tested = f"; {test}" if test else ""
    return versioned(
        f"{what} was {figure(value)} ({of_interval} {interval_text(interval)}{tested})"
    )


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
    return versioned(f"The p-value of the test of {null} was {p_value_text(p_value)}")


def estimate_text(value: float, interval: tuple[float, float], of_interval: str = "") -> str:
    """Return an estimate with its interval in parentheses."""
    named = f"{of_interval} " if of_interval else ""
    return f"{figure(value)} ({named}{interval_text(interval)})"


def difference_text(difference: Any, of: str = "", verb: str = "") -> str:
    """Return a difference with its interval and p-value. ``of`` names the estimate."""
    names = " minus ".join(difference.names)
    found = estimate_text(difference.value, difference.interval)
    return f"difference of {of}{names}{verb} {found}, {p_text(difference.p_value)}"


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
