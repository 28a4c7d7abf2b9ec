"""Turn functions into commands: docstrings describe the options, and tuples group them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from copy import copy
from enum import StrEnum
from functools import wraps
from inspect import Parameter, Signature, getdoc, signature
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import typer

# The heading of a section in a docstring.
HEADING = re.compile(r"\n\n(\w+)\n-+\n")


class _Described(NamedTuple):
    """The metavar and the help text of an option."""

    metavar: str | None
    text: str


def as_command(function: Callable[..., None]) -> Callable[..., None]:
    """Return a function whose options have the help texts of its docstring, for typer.

    The section "Parameters" has an entry ``name : METAVAR`` per option. A parameter whose type is a
    `NamedTuple` stands for one option per field that is described or annotated as an option.
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
        given = {
            name: value.value if isinstance(value, StrEnum) else value
            for name, value in given.items()
        }
        for name, (kind, fields) in groups.items():
            given[name] = kind(**{field: given.pop(field) for field in fields})
        function(**given)

    # typer reads these attributes.
    run.__signature__ = Signature(options)  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in options}
    run.__doc__ = about
    return run


def _fields(kind: Any) -> Iterator[Parameter]:
    """Yield the options that a tuple groups."""
    _, described = _read(kind)
    for name, hint in get_type_hints(kind, include_extras=True).items():
        if name in described or get_origin(hint) is Annotated:
            default = kind._field_defaults.get(name, Parameter.empty)
            yield _option(name, hint, default, described.get(name))


def _option(name: str, kind: Any, default: Any, described: _Described | None) -> Parameter:
    """Return the declaration of an option or argument for typer."""
    info = typer.Option()
    if get_origin(kind) is Annotated:
        kind, info = get_args(kind)
    if described is not None:
        info = copy(info)
        # typer keeps a name, such as "--id", in the place of the default.
        if isinstance(info, typer.models.OptionInfo) and info.default is ...:
            info.param_decls = [f"--{name.replace('_', '-')}"]
        info.metavar, info.help = described
    words = _words(kind)
    if words:
        choice: Any = StrEnum("choice", dict(zip(words, words)))  # type: ignore[misc]
        default = choice(default) if isinstance(default, str) else default
        kind = choice | None if default is None else choice
    return Parameter(
        name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info]
    )


def _words(kind: Any) -> list[str]:
    """Return the words of a literal type, or of a union of them.

    Before version 0.19, typer supports only enumerations.
    """
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    return [word for part in get_args(kind) for word in _words(part)]


def examples_of(function: Callable[..., None]) -> str | None:
    """Return the section "Examples" of a docstring with its heading, for the end of a help text."""
    examples = _sections(function)[1].get("Examples")
    return None if examples is None else f"Examples:\n\n{examples}"


def _read(described: Any) -> tuple[str, dict[str, _Described]]:
    """Return the first part of a docstring, and the entries of its section on parameters."""
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
    """Return the first part of a docstring, and its sections by heading."""
    # Python removes docstrings if it runs with -OO.
    about, *parts = HEADING.split(getdoc(described) or "")
    return about, dict(zip(parts[::2], parts[1::2]))
