"""Write text to the terminal. All other modules print through this module."""

from __future__ import annotations

import sys

from fastkappa.formatting import harmless


def write(text: str, *, error: bool = False, is_data: bool = False) -> None:
    r"""Write lines to the standard output, or to the error stream if ``error`` is True.

    Characters that can control a terminal are escaped. Data, such as the user's file with an added
    column, is escaped only if it is written to a terminal.

    Examples
    --------
    >>> from fastkappa.cli.terminal import write
    >>> write("kappa of \x1b[2J")
    kappa of \x1b[2J
    """
    stream = sys.stderr if error else sys.stdout
    if not is_data or stream.isatty():
        text = "\n".join(map(harmless, text.split("\n")))
    print(text, file=stream, flush=True)
