"""The command ``fastkappa config``."""

from __future__ import annotations

from fastkappa.cli.remarks import errors_printed


def config() -> None:
    """Print the versions, backends, SIMD level and number of threads.

    Examples
    --------
    fastkappa config
    """
    from fastkappa.cli.terminal import write
    from fastkappa.config import configuration_text

    with errors_printed():
        write(configuration_text())
