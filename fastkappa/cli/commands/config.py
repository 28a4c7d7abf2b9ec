"""The command ``fastkappa config``."""

from __future__ import annotations

from fastkappa.cli.remarks import errors_printed

EXAMPLES = """
fastkappa config
"""


def config() -> None:
    """Print the versions, backends, SIMD level and number of threads."""
    from fastkappa.cli.terminal import write
    from fastkappa.config import configuration_text

    with errors_printed():
        write(configuration_text())
