"""Usage errors that typer detects and prints."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from typer.core import TyperGroup

from fastkappa.choices import did_you_mean
from fastkappa.formatting import harmless


class Program(TyperGroup):
    """Run the commands, and escape control characters in arguments that error texts quote."""

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
        # typer includes its own copy of click, so the error class has no public name.
        message = getattr(error, "message", None)
        if isinstance(message, str):
            error.message = harmless(message + _advice(message))  # type: ignore[attr-defined]
        raise


def _advice(message: str) -> str:
    """Return a sentence that names the nearest choice, or how to name many files as one."""
    extra = re.match(r"Got unexpected extra argument(?:s|\(s\))? \((\S+)", message)
    if extra is not None and os.path.isfile(extra[1].rstrip(")")):
        return ". For several files give their folder, or a pattern in quotes such as 'part-*.csv'."
    found = re.search(r"'(.*)' is not one of ('.*')\.$", message, re.DOTALL)
    if found is None:
        return ""
    return did_you_mean(found[1], found[2][1:-1].split("', '"))
