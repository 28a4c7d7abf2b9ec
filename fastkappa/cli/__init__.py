"""The command line: its commands, the files they read, and the reports they print."""

from __future__ import annotations

import atexit
import errno
import gc
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Annotated, Any, NoReturn

from fastkappa.cli.terminal import write
from fastkappa.exceptions import library_needed

try:
    with library_needed("the command line", "typer", "fastkappa[cli]"):
        import typer
except ImportError as error:
    typer, _why_not = None, str(error)  # type: ignore[assignment]

# The number of new objects after which garbage is collected. With a lower number, Python would scan
# the imported modules about a hundred times, which would take longer than reading a file.
COLLECTED_AFTER = 50_000
# The commands in the order in which the help shows them.
COMMANDS = (
    *("plan", "score", "merge", "agree", "measure", "leaderboard", "thresholds"),
    *("demo", "config"),
)


def main() -> None:
    """Run the command line."""
    if typer is None:
        _refuse(_why_not)
    if sys.stdout is None:
        _refuse("the result cannot be written: the standard output is closed.")
    gc.set_threshold(COLLECTED_AFTER)
    # At exit, the operating system frees all memory, so no garbage collection is needed.
    atexit.register(gc.freeze)
    for stream in (sys.stdout, sys.stderr):
        # Escape characters that the terminal cannot encode, instead of raising an error.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        # Load only the named command, because loading all commands would increase the run time for
        # a small file by a tenth.
        named = [name for name in COMMANDS if name in sys.argv[1:2]]
        make_app(named or COMMANDS)()
    except KeyboardInterrupt:
        _end(130)
    except OSError as error:
        if error.errno == errno.EPIPE:
            # The program that reads the output, such as `head`, has closed the pipe.
            _end(1)
        # An OSError here concerns the output, because unreadable input files are reported
        # elsewhere.
        _refuse(f"the result cannot be written: {error.strerror or error}.")


def _refuse(why: str) -> NoReturn:
    with suppress(OSError):
        write(f"fastkappa: {why}", error=True)
    _end(2)


def _end(status: int) -> NoReturn:
    # Python flushes buffered output at exit, which would raise the same error again. Redirecting
    # standard output to os.devnull prevents this.
    with suppress(OSError), open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    raise SystemExit(status)


def make_app(commands: Sequence[str] = COMMANDS) -> Any:
    """Return the typer application with the given commands."""
    from fastkappa.cli.declared import Program, as_command, examples_of

    app = typer.Typer(
        cls=Program,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(epilog=examples_of(about))(as_command(about))
    for name in commands:
        module = import_module(f"fastkappa.cli.commands.{name}")
        function, kind = getattr(module, name), getattr(module, "Command", None)
        app.command(cls=kind, epilog=examples_of(function))(as_command(function))
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        from fastkappa import __version__

        write(__version__)
        raise typer.Exit


def about(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Cohen's kappa, fast and complete.

    Examples
    --------
    fastkappa demo

    fastkappa plan --kappa 0.8 --width 0.2

    fastkappa agree ratings.csv --raters ann ben --weights linear

    fastkappa measure pressure.xlsx --raters cuff sensor --plot limits.pdf

    fastkappa score --help
    """
