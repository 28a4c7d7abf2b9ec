"""Turn functions into commands, with options described by docstrings and grouped by named tuples.

This module also adds advice to the usage errors that typer prints.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from functools import wraps
from inspect import Parameter, Signature, getdoc, signature
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperGroup

from fastkappa.choices import did_you_mean
from fastkappa.formatting import harmless

NOT_AN_OPTION = "not an option"
# The pattern of a section heading in a docstring.
HEADING = re.compile(r"\n\n(\w+)\n-+\n")


class _Described(NamedTuple):
    """The metavar and the help text of an option."""

    metavar: str | None
    text: str


def as_command(function: Callable[..., None]) -> Callable[..., None]:
    """Return a function for typer, with help texts from the docstring of ``function``.

    The section "Parameters" has an entry ``name : METAVAR`` per option. A parameter whose type is a
    `NamedTuple` defines one option per field, except for fields annotated with ``NOT_AN_OPTION``.
    """
    about, described = _read(function)
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, tuple[Any, list[str]]] = {}
    options: list[Parameter] = []
    for name, parameter in signature(function).parameters.items():
        kind = hints[name]
        if isinstance(kind, type) and issubclass(kind, tuple):
            fields = list(_fields(kind))
            groups[name] = kind, [field.name for field in fields]
            options += fields
        else:
            options.append(_option(name, kind, parameter.default, described.get(name)))

    @wraps(function)
    def run(**given: Any) -> None:
        for name, (kind, fields) in groups.items():
            given[name] = kind(**{field: given.pop(field) for field in fields})
        function(**given)

    # typer reads these attributes.
    run.__signature__ = Signature(options)  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in options}
    run.__doc__ = about
    return run


def _fields(kind: Any) -> Iterator[Parameter]:
    """Yield the options that a named tuple defines."""
    _, described = _read(kind)
    for name, hint in get_type_hints(kind, include_extras=True).items():
        if NOT_AN_OPTION not in getattr(hint, "__metadata__", ()):
            default = kind._field_defaults.get(name, Parameter.empty)
            yield _option(name, hint, default, described.get(name))


def _option(name: str, kind: Any, default: Any, described: _Described | None) -> Parameter:
    """Return a parameter that declares an option or argument to typer."""
    info = typer.Option()
    if get_origin(kind) is Annotated:
        kind, info = get_args(kind)
    if described is not None:
        info = copy(info)
        # typer stores an explicit name such as "--id" in the field for the default. An option
        # without an explicit name is named after the parameter.
        if isinstance(info, typer.models.OptionInfo) and info.default is ...:
            info.param_decls = [f"--{name.replace('_', '-')}"]
        info.metavar, info.help = described
    return Parameter(
        name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info]
    )


def examples_of(function: Callable[..., None]) -> str | None:
    """Return the "Examples" section of a docstring, with a heading, for the end of a help text."""
    examples = _sections(function)[1].get("Examples")
    return None if examples is None else f"Examples:\n\n{examples}"


def _read(described: Any) -> tuple[str, dict[str, _Described]]:
    """Return the text before the first section of a docstring, and the entries of "Parameters"."""
    about, sections = _sections(described)
    entries: dict[str, _Described] = {}
    name = ""
    for line in sections.get("Parameters", "").splitlines():
        if line.startswith(" "):
            entry = entries[name]
            entries[name] = entry._replace(text=f"{entry.text} {line.strip()}".lstrip())
        else:
            name, _, metavar = line.partition(" : ")
            entries[name] = _Described(metavar or None, "")
    return about, entries


def _sections(described: Any) -> tuple[str, dict[str, str]]:
    """Return the text before the first section of a docstring, and a dict of its sections."""
    # With -OO, Python removes docstrings, so the text can be missing.
    about, *parts = HEADING.split(getdoc(described) or "")
    # typer keeps line breaks, but paragraphs should wrap at the terminal's width.
    return re.sub(r"(?<!\n)\n(?!\n)", " ", about), dict(zip(parts[::2], parts[1::2]))


class Program(TyperGroup):
    """Run the commands, and escape control characters in their error messages."""

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
        # typer includes its own copy of click, whose error class has no public name. The error is
        # recognised by its attribute `message`.
        message = getattr(error, "message", None)
        if isinstance(message, str):
            advice = _advice(message) or _received(message, str(error.__cause__))
            error.message = harmless(message + advice)  # type: ignore[attr-defined]
        raise


def _advice(message: str) -> str:
    """Return advice that suggests the nearest choice or explains how to pass files or numbers."""
    extra = re.match(r"Got unexpected extra argument(?:s|\(s\))? \((\S+)", message)
    if extra is not None and os.path.isfile(extra[1].rstrip(")")):
        return ". For several files, name a folder, or a pattern in quotes such as 'part-*.csv'."
    if extra is not None and re.fullmatch(r"\d+[.,]\d+", extra[1].rstrip(")")):
        return ". Write decimals with points, and separate numbers by commas, as in 0.35,0.25."
    found = re.search(r"'(.*)' is not one of ('.*')\.$", message, re.DOTALL)
    if found is None:
        return ""
    return did_you_mean(found[1], found[2][1:-1].split("', '"))


def _received(message: str, cause: str) -> str:
    """Return the string that is not a number, with advice if it contains a decimal comma."""
    if not re.search(r"\bvalid (number|float|integer)\b", message):
        return ""
    # Recent versions of typer leave the string out of the message, but the cause contains it.
    named = re.match("'(.*)'", message)
    found = named or re.search(r"input_value='(.*)', input_type=str", cause)
    if found is None:
        return ""
    got = "" if named else f", got {found[1]!r}."
    has_comma = "integer" not in message and re.fullmatch(r"[-+]?\d*,\d+", found[1])
    if not has_comma:
        return got
    return f"{got} Write decimals with a point, as in {found[1].replace(',', '.')}."
