"""Commands from functions: docstrings describe the options, and tuples group them."""

from __future__ import annotations

from inspect import signature
from typing import Annotated, Any, Literal, NamedTuple

import pytest

pytest.importorskip("typer")

import typer
from typer.testing import CliRunner

from fastkappa import cli
from fastkappa.cli import declared
from fastkappa.cli.commands.agree import agree
from fastkappa.cli.declared import NOT_AN_OPTION, as_command, examples_of
from fastkappa.statistics.scales import SCALES
from tests.helpers.command_line import CommandLine


class Group(NamedTuple):
    """Options that belong together.

    Parameters
    ----------
    first : WORD
        The first option,
        in two lines.
    word
        A choice.

    Attributes
    ----------
    rest : str
        Not an option.
    """

    first: str = "x"
    second: int = 2
    word: Literal["x", "y"] | None = None
    rest: Annotated[str, NOT_AN_OPTION] = ""


def command(
    size: Annotated[int, typer.Option(min=1)], is_on: bool = False, *, group: Group
) -> None:
    """Say what was given.

    Parameters
    ----------
    size : N
        How many.
    is_on
        Whether it is on.

    Examples
    --------
    example --size 2
    """
    print(size, is_on, group)


def run(*arguments: str) -> Any:
    app = typer.Typer()
    app.command(epilog=examples_of(command))(as_command(command))
    return CliRunner(env={"COLUMNS": "80"}).invoke(app, arguments)


def test_options_reach_the_function_as_it_declares_them() -> None:
    assert run("--size", "3").stdout == f"3 False {Group()}\n"
    given = run("--size", "3", "--is-on", "--second", "5", "--first", "y")
    assert given.stdout == f"3 True {Group('y', 5)}\n"
    # A choice arrives as a string.
    assert run("--size", "3", "--word", "y").stdout == f"3 False {Group(word='y')}\n"
    assert run("--size", "3", "--rest", "y").exit_code == 2
    assert "'z' is not one of 'x', 'y'" in run("--size", "3", "--word", "z").stderr
    assert run("--size", "0").exit_code == 2
    assert run("--no-is-on", "--size", "1").exit_code == 2


def test_the_help_has_the_texts_of_the_docstrings() -> None:
    shown = " ".join(run("--help").stdout.replace("│", " ").split())
    for text in (
        "Say what was given.",
        "N [x>=1] How many.",
        "WORD The first option, in two lines.",
    ):
        assert text in shown
    assert "Parameters" not in shown
    assert shown.endswith("Examples: example --size 2")


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_option_has_a_help_text(name: str) -> None:
    parameters: Any = typer.main.get_command(cli.make_app([name]))
    commands = getattr(parameters, "commands", {name: parameters})
    assert [one.name for one in commands[name].params if not getattr(one, "help", "")] == []


def test_a_scale_is_one_of_the_published_scales() -> None:
    program = CommandLine("agree")
    shown = program.run("r.csv", "--raters", "a", "b", "--scale", "cook").stderr
    assert "'cook' is not one of 'cohen', 'landis-koch'" in " ".join(
        shown.replace("│", " ").split()
    )
    shown = " ".join(program.text_of("--help").replace("│", " ").split())
    *others, last = SCALES
    assert f"The scale for interpreting agreement: {', '.join(others)} or {last}." in shown


def test_options_do_not_need_docstrings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python removes docstrings if it runs with -OO."""
    described = signature(as_command(agree)).parameters
    monkeypatch.setattr(declared, "getdoc", lambda _: None)
    assert list(signature(as_command(agree)).parameters) == list(described)
    assert "set_separator" in described
