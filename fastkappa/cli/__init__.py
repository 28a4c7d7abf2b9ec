"""The command line: its commands, the files they read and the reports they print."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import Annotated, Any, NoReturn

from fastkappa.exceptions import library_needed

try:
    with library_needed("the command line", "typer", "fastkappa[cli]"):
        import typer
except ImportError as error:
    typer, _why_not = None, str(error)  # type: ignore[assignment]


def main() -> None:
    """Run the command line."""
    if typer is None:
        _refuse(_why_not)
    if sys.stdout is None:
        _refuse("the result cannot be written: the standard output is closed.")
    for stream in (sys.stdout, sys.stderr):
        # A character that the terminal cannot encode is escaped, not an error.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        make_app()()
    except OSError as error:
        # Files that cannot be read have been reported before.
        _refuse(f"the result cannot be written: {error.strerror or error}.")


def _refuse(why: str) -> NoReturn:
    with suppress(OSError):
        print(f"fastkappa: {why}", file=sys.stderr)
    # Buffered output cannot be written either: Python must not try at exit.
    with suppress(OSError), open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    raise SystemExit(2)


def make_app() -> Any:
    """Return the application with all its commands."""
    from fastkappa.cli.commands.agree import AgreeCommand, agree
    from fastkappa.cli.commands.config import config
    from fastkappa.cli.commands.leaderboard import leaderboard
    from fastkappa.cli.commands.score import score
    from fastkappa.cli.commands.thresholds import thresholds

    app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)
    app.callback()(about)
    app.command()(score)
    app.command(cls=AgreeCommand)(agree)
    app.command()(leaderboard)
    app.command()(thresholds)
    app.command()(config)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        from fastkappa import __version__

        typer.echo(__version__)
        raise typer.Exit


def about(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Cohen's kappa, fast and complete."""
