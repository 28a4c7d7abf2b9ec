"""The command ``fastkappa demo``."""

from __future__ import annotations

from fastkappa.cli.remarks import errors_printed


def demo() -> None:
    """Explain kappa with real ratings that come with the package.

    Both eyes of 17563 patients were graded. How well do the grades agree, how precise is the
    kappa, and which cut points on a score agree best with the grades?

    Examples
    --------
    fastkappa demo
    """
    from fastkappa.cli.reports.demo import tell_story

    with errors_printed():
        tell_story()
