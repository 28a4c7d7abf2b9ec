"""Show a progress bar on the terminal while files are read."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fastkappa.exceptions import library_needed
from fastkappa.formatting import printable
from fastkappa.sources.arrow_files import OnProgress, ignore_progress

# If one of these environment variables is set, rich draws a bar even without a terminal.
DRAWN_ANYWHERE = {"FORCE_COLOR", "TTY_COMPATIBLE"}


class Bar:
    """Show the progress of reading files, or do nothing if there is no terminal.

    Several threads can read files at the same time.
    """

    def __init__(self, files: Sequence[Path], shown: Any = None) -> None:
        self._shown = shown
        self._n_files = len(files)
        self._n_started = 0
        self._bytes_started = 0
        self._completed = 0
        if shown is not None:
            self._task = shown.add_task("", total=sum(map(_size, files)))

    def starts(self, file: Path) -> OnProgress:
        """Start tracking a file, and return a callback for the number of bytes read so far."""
        if self._shown is None:
            return ignore_progress
        before = self._bytes_started
        self._bytes_started += _size(file)
        self._n_started += 1
        position = f" ({self._n_started} of {self._n_files})" if self._n_files > 1 else ""

        def on_progress(n_bytes: int) -> None:
            # Other threads may still be reading earlier files. Taking the maximum keeps the
            # progress bar from moving backwards.
            self._completed = max(self._completed, before + n_bytes)
            self._shown.update(self._task, completed=self._completed)

        self._shown.update(self._task, description=f"{printable(file.name)}{position}")
        on_progress(0)
        return on_progress

    def shows(self, lines: Callable[[], Sequence[str]]) -> None:
        """Whenever the bar is drawn, call ``lines`` and show the returned lines above the bar."""
        if self._shown is not None:
            self._shown.lines = lines


@contextmanager
def progress_bar(files: Sequence[Path]) -> Iterator[Bar]:
    """While the block runs, show the number of bytes read, the current file and the time left.

    The bar is shown on the error stream if it is a terminal, and is erased at the end.

    Raises
    ------
    ImportError
        If rich is not installed.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fastkappa.cli.progress import progress_bar
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     path = Path(file.name)
    ...     with progress_bar([path]) as bar:
    ...         on_progress = bar.starts(path)
    ...         on_progress(0)
    """
    # rich is slow to import, so it is imported only if a bar will be drawn.
    if not (sys.stderr and sys.stderr.isatty()) and not DRAWN_ANYWHERE & os.environ.keys():
        yield Bar(files)
        return
    with library_needed("the command line", "rich", "fastkappa[cli]"):
        from rich.console import Console
    console = Console(stderr=True)
    if not console.is_terminal:
        yield Bar(files)
        return
    from rich import progress
    from rich.text import Text

    columns = (
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(),
        progress.DownloadColumn(),
        progress.TimeRemainingColumn(),
    )

    class ProgressBelowLines(progress.Progress):
        lines: Callable[[], Sequence[str]] = staticmethod(tuple)

        def get_renderables(self) -> Iterator[Any]:
            yield from map(Text, self.lines())
            yield from super().get_renderables()

    with ProgressBelowLines(*columns, console=console, transient=True) as shown:
        yield Bar(files, shown)


def _size(file: Path) -> int:
    """Return the size of a file in bytes.

    If the file cannot be accessed, return 0. Reading the file later then raises an error.
    """
    try:
        return os.stat(file).st_size
    except OSError:
        return 0
