"""Libraries that not every Python has: what needs one is skipped, the rest of a file is tested."""

from __future__ import annotations

import ast
import builtins
import doctest
import functools
import importlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import pytest


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
    if not isinstance(cause, ModuleNotFoundError):
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
    """Skip the parameters of tests, and the examples of pages, that need what is not installed."""
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            absent = leave_out_examples(item.dtest)
            if absent:
                item.runtest = functools.partial(run_page, item.runtest, absent[0])
        elif isinstance(item, pytest.Function) and hasattr(item, "callspec"):
            for name in absent_in(item.callspec.params):
                item.add_marker(pytest.mark.skip(why(name)))


def run_page(run: Callable[[], None], library: str) -> None:
    """Run the examples of a page that are not left out, and skip the page when all of them ran."""
    try:
        run()
    except doctest.UnexpectedException as error:
        # A library may need the absent one only when it is used.
        if not isinstance(error.exc_info[1], ImportError):
            raise
    pytest.skip(why(library))


def leave_out_examples(page: doctest.DocTest) -> list[str]:
    """Leave out the examples that need an absent library, and return what is absent."""
    absent: list[str] = []
    lacking: set[str] = set()
    imported = set(dir(builtins))
    for example in page.examples:
        tree = ast.parse(example.source)
        nodes = [*ast.walk(tree)]
        imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
        names = [node for node in nodes if isinstance(node, ast.Name)]
        made = {name.id for name in names if isinstance(name.ctx, ast.Store)}
        new = {(each.asname or each.name).partition(".")[0] for i in imports for each in i.names}
        imported |= new
        try:
            exec(compile(ast.Module([*imports], []), page.name, "exec"), {})
            lacks = not lacking.isdisjoint(name.id for name in names)
        except ImportError as error:
            absent.append(absent_by(error))
            lacks = True
        if not lacks:
            lacking -= made | new
            continue
        example.options[doctest.SKIP] = True
        lacking |= made | new
        if isinstance(tree.body[0], ast.For | ast.With):  # its body may change what it names
            lacking |= {name.id for name in names} - imported
    return absent
