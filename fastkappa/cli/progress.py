"""A progress bar for the reading of files, shown on a terminal."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fastkappa.engines.arrow_files import OnProgress, ignore_progress
from fastkappa.exceptions import library_needed
from fastkappa.formatting import printable


class Bar:
    """A progress bar for some files; without a terminal it does nothing."""

    def __init__(self, files: Sequence[Path], shown: Any = None) -> None:
        self._shown = shown
        self._n_files = len(files)
        self._n_started = 0
        self._bytes_before = 0
        self._size_of_last = 0
        if shown is not None:
            self._task = shown.add_task("", total=sum(map(_size, files)))

    def starts(self, file: Path) -> OnProgress:
        """Begin a file, and return the callback for the number of its bytes read so far."""
        self._bytes_before += self._size_of_last
        self._size_of_last = _size(file)
        self._n_started += 1
        if self._shown is None:
            return ignore_progress
        position = f" ({self._n_started} of {self._n_files})" if self._n_files > 1 else ""
        name = printable(file.name)
        self._shown.update(
            self._task, description=f"{name}{position}", completed=self._bytes_before
        )
        return self._read

    def shows(self, lines: Sequence[str]) -> None:
        """Show lines of text above the bar, instead of those shown before."""
        if self._shown is not None:
            self._shown.lines = lines

    def _read(self, n_bytes: int) -> None:
        self._shown.update(self._task, completed=self._bytes_before + n_bytes)


@contextmanager
def progress_bar(files: Sequence[Path]) -> Iterator[Bar]:
    """Show a bar of bytes read, files and time left, on a terminal, until the block ends.

    It is shown on the error stream if that is a terminal, and is erased at the end.

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
    with library_needed("the command line", "rich", "fastkappa[cli]"):
        from rich import progress
        from rich.console import Console
        from rich.text import Text

    console = Console(stderr=True)
    if not console.is_terminal:
        yield Bar(files)
        return
    columns = (
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(),
        progress.DownloadColumn(),
        progress.TimeRemainingColumn(),
    )

    class ProgressBelowLines(progress.Progress):
        lines: Sequence[str] = ()

        def get_renderables(self) -> Iterator[Any]:
            yield from map(Text, self.lines)
            yield from super().get_renderables()

    with ProgressBelowLines(*columns, console=console, transient=True) as shown:
        yield Bar(files, shown)


def _size(file: Path) -> int:
    """Return the bytes of a file, 0 if there is none: reading it will raise the error."""
    try:
        return os.stat(file).st_size
    except OSError:
        return 0
