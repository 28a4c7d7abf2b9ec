"""Import optional libraries, and skip the tests that need a library that is not installed."""

from __future__ import annotations

import doctest
import functools
import importlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest

# The dtype of variable-width strings: object in NumPy 1, which has no StringDType.
STRING_TYPE: Any = getattr(np.dtypes, "StringDType", lambda: np.dtype(object))()


def library(name: str) -> Any:
    """Return a library, or a placeholder if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        return Absent(absent_by(error))


class Absent:
    """A placeholder for a library that is not installed, and for all objects from it.

    A test that calls a placeholder is skipped. Parameters of tests, which are created before any
    test runs, can also contain placeholders; see `mark_what_is_absent`.
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
    """Return the name of the missing library, or raise if the import failed for another reason."""
    cause = error.__cause__ or error
    if not isinstance(cause, ModuleNotFoundError) or str(cause.name).startswith("fastkappa"):
        raise error
    return str(cause.name)


def why(library: str) -> str:
    return f"could not import {library!r}"


def absent_in(value: object) -> Iterator[str]:
    """Yield the names of the missing libraries that a value, or its elements, need."""
    if isinstance(value, Absent):
        yield value._library
    elif isinstance(value, list | tuple | Mapping):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from absent_in(each)


def mark_what_is_absent(items: Iterable[pytest.Item]) -> None:
    """Skip tests, and the rest of a page's examples, that need a missing library."""
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            item.runtest = functools.partial(run_page, item.runtest)
        elif isinstance(item, pytest.Function) and hasattr(item, "callspec"):
            for name in absent_in(item.callspec.params):
                item.add_marker(pytest.mark.skip(why(name)))


def run_page(run: Callable[[], None]) -> None:
    """Run the examples of a page up to the first that needs a missing library."""
    try:
        run()
    except doctest.UnexpectedException as failure:
        error = failure.exc_info[1]
        if not isinstance(error, ImportError):
            raise
        pytest.skip(why(absent_by(error)))
