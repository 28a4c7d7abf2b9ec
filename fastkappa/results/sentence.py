"""One sentence to paste into a paper."""

from __future__ import annotations

from fastkappa.formatting import figure, interval_text


def estimate_sentence(
    what: str, value: float, interval: tuple[float, float], of_interval: str
) -> str:
    """Return what was estimated, its value, its interval, and the version that computed them.

    ``of_interval`` says what the interval is: its confidence and its method.

    Examples
    --------
    >>> from fastkappa.results.sentence import estimate_sentence
    >>> print(
    ...     estimate_sentence("Kappa", 0.5, (0.25, 0.75), "95 % score interval")
    ... )  # doctest: +ELLIPSIS
    Kappa was 0.5000 (95 % score interval 0.2500 to 0.7500; fastkappa ...).
    """
    from fastkappa import __version__

    found = f"{of_interval} {interval_text(interval)}"
    return f"{what} was {figure(value)} ({found}; fastkappa {__version__})."
