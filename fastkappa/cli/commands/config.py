"""``fastkappa config``"""

from __future__ import annotations

from fastkappa.cli.options import refusals


def config() -> None:
    """Print versions, backends, SIMD level and threads."""
    from fastkappa.config import show_config

    with refusals():
        show_config()
