"""``fastkappa config``"""

from __future__ import annotations

from fastkappa.cli.options import errors_printed

EXAMPLES = """
fastkappa config
"""


def config() -> None:
    """Print versions, backends, SIMD level and threads."""
    from fastkappa.config import show_config

    with errors_printed():
        show_config()
