"""Libraries that not every Python has: what needs one is skipped, the rest of a file is tested."""

from __future__ import annotations

import doctest
import functools
import importlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest

# Strings of variable width, for which NumPy 1 has objects.
STRING_TYPE: Any = getattr(np.dtypes, "StringDType", lambda: np.dtype(object))()


def library(name: str) -> Any:
    """Return a library, or what stands for it where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        return Absent(absent_by(error))


class Absent:
    """Stands for a library that is not installed, and for all that is made of it.

    A test that reaches for some of it is skipped. What parameters are made of, before any test
    runs, stands for them: see `mark_what_is_absent`.
    """

    def __init__(self, library: str) -> None:
        self._library = library

    def __getattr__(self, name: str) -> Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return self()

    def __call__(self, *_: object, **__: object) -> Absent:
        if "PYTEST_CURRENT_TEST" in os.environ:
            pytest.skip(why(self._library))
        return self


def absent_by(error: ImportError) -> str:
    """Return the library that is not installed; an import that failed otherwise is an error."""
    cause = error.__cause__ or error
    if not isinstance(cause, ModuleNotFoundError) or str(cause.name).startswith("fastkappa"):
        raise error
    return str(cause.name)


def why(library: str) -> str:
    return f"could not import {library!r}"


def absent_in(value: object) -> Iterator[str]:
    """Yield the libraries that a value, or what it holds, is made of and that are not installed."""
    if isinstance(value, Absent):
        yield value._library
    elif isinstance(value, list | tuple | Mapping):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from absent_in(each)


def mark_what_is_absent(items: Iterable[pytest.Item]) -> None:
    """Skip the parameters of tests, and the rest of a page's examples, that need such a library."""
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            item.runtest = functools.partial(run_page, item.runtest)
        elif isinstance(item, pytest.Function) and hasattr(item, "callspec"):
            for name in absent_in(item.callspec.params):
                item.add_marker(pytest.mark.skip(why(name)))


def run_page(run: Callable[[], None]) -> None:
    """Run the examples of a page up to the first that needs an absent library."""
    try:
        run()
    except doctest.UnexpectedException as failure:
        error = failure.exc_info[1]
        if not isinstance(error, ImportError):
            raise
        pytest.skip(why(absent_by(error)))
