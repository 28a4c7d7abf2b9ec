"""Errors of usage, which typer finds and prints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from typer.core import TyperGroup

from fastkappa.formatting import harmless


class Program(TyperGroup):
    """The program with its commands; what it quotes of the arguments cannot control a terminal."""

    def make_context(self, *args: Any, **options: Any) -> Any:
        with _harmless_errors():
            return super().make_context(*args, **options)

    def invoke(self, ctx: Any) -> Any:
        with _harmless_errors():
            return super().invoke(ctx)


@contextmanager
def _harmless_errors() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        # typer has a copy of click of its own, so that the class has no name that is public.
        message = getattr(error, "message", None)
        if isinstance(message, str):
            error.message = harmless(message)  # type: ignore[attr-defined]
        raise
