"""The command line: its commands, the files they read and the reports they print."""

from __future__ import annotations

import errno
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
    except KeyboardInterrupt:
        _end(130)
    except OSError as error:
        if error.errno == errno.EPIPE:
            # Who reads the output has enough of it.
            _end(1)
        # Files that cannot be read have been reported before.
        _refuse(f"the result cannot be written: {error.strerror or error}.")


def _refuse(why: str) -> NoReturn:
    with suppress(OSError):
        print(f"fastkappa: {why}", file=sys.stderr)
    _end(2)


def _end(status: int) -> NoReturn:
    # Buffered output cannot be written either: Python must not try at exit.
    with suppress(OSError), open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    raise SystemExit(status)


def make_app() -> Any:
    """Return the application with all its commands."""
    from fastkappa.cli.commands import agree, config, demo, leaderboard, score, thresholds

    app = typer.Typer(
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(epilog="Examples:\n\nfastkappa demo\n\nfastkappa score --help")(about)
    commands = (score, agree, leaderboard, thresholds, demo, config)
    for module in commands:
        name = module.__name__.rpartition(".")[2]
        app.command(
            cls=getattr(module, "Command", None), epilog=f"Examples:\n{module.EXAMPLES.rstrip()}"
        )(getattr(module, name))
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
