"""Libraries that not every Python has: what needs one is skipped, the rest of a file is tested."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pytest


def library(name: str) -> Any:
    """Return a library, or what stands for it where it is not installed."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return Absent(name)


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
            leave_out_examples(item.dtest)
        elif isinstance(item, pytest.Function) and hasattr(item, "callspec"):
            for name in absent_in(item.callspec.params):
                item.add_marker(pytest.mark.skip(why(name)))


def leave_out_examples(page: doctest.DocTest) -> None:
    """Leave out paragraphs that name an absent library: the page is skipped when all else ran."""
    text = page.docstring or ""
    imported = re.findall(r"^>>> (?:import|from) (\w+)", text, re.M)
    absent = [name for name in imported if importlib.util.find_spec(name) is None]
    if not absent:
        return
    lines = text.splitlines()
    left_out = {
        lines[: example.lineno].count("")
        for example in page.examples
        if re.search(rf"\b({'|'.join(absent)})\b", example.source)
    }
    for example in page.examples:
        example.options[doctest.SKIP] = lines[: example.lineno].count("") in left_out
    end = f"import pytest; pytest.skip({why(absent[0])!r})\n"
    page.examples.append(doctest.Example(end, "", lineno=page.examples[-1].lineno))
