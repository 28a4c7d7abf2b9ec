"""``fastkappa demo``"""

from __future__ import annotations

from fastkappa.cli.options import errors_printed

EXAMPLES = """
fastkappa demo
"""


def demo() -> None:
    """Show what kappa says of real ratings, which come with the package.

    Both eyes of 17563 patients were graded: how far do the grades agree, how sure is that,
    and where are the cut points on a score that agrees best with them?
    """
    from fastkappa.cli.reports.demo import tell_story

    with errors_printed():
        tell_story()
