"""Find the files given by paths, patterns, folders and lists, in any file system."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from glob import glob
from itertools import accumulate, takewhile
from pathlib import Path, PurePosixPath
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Any, TypeGuard

from fastkappa.formatting import first_of_many
from fastkappa.kernels.threads import new_lock
from fastkappa.sources.arrow_files import (
    SUFFIXES,
    OnProgress,
    ignore_progress,
    need_pyarrow,
)
from fastkappa.sources.source_ratings import RatingsError

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
# Matches the start of a URL. The scheme has at least two characters, because a single letter would
# be a Windows drive. One slash is enough, because Path turns "//" into "/".
URL = re.compile(r"[a-z][a-z0-9+.-]+:/")
# The suffixes of the files that are read from a folder.
IN_FOLDERS = tuple(suffix for suffix in SUFFIXES if not suffix.startswith(".txt"))
# The maximum number of files to list in an error about a pattern.
MOST_LISTED = 5


def are_paths(source: Any) -> TypeGuard[Paths]:
    """Return whether a source is a path, or a list of paths."""
    listed = source if isinstance(source, (list, tuple)) and source else [source]
    return all(isinstance(path, (str, os.PathLike)) for path in listed)


def files_at(source: Paths) -> list[Path]:
    """Return the files given by a path, a folder, a pattern, or a list of paths and patterns.

    Raises
    ------
    RatingsError
        If a pattern matches no file, a folder has no file that can be read, or a file occurs twice.
    """
    paths = [source] if isinstance(source, (str, os.PathLike)) else source
    named = [file for path in paths for file in matching(os.fspath(path))]
    found = [one for file in named for one in (files_of(file) if file.is_dir() else [file])]
    _refuse_repeated(list(map(str, found)))
    return found


def files_of(folder: Path) -> list[Path]:
    """Return the readable files at any depth in a folder, sorted, or raise if there are none."""
    files = [file for file in visible_files(folder) if is_read_of_folder(file)]
    if not files:
        raise no_file_in(folder)
    return files


def no_file_in(folder: object) -> RatingsError:
    """Return the error for a folder without a file that can be read."""
    return RatingsError(f"{folder} has no file with one of the suffixes {', '.join(IN_FOLDERS)}.")


def visible_files(folder: Path) -> list[Path]:
    """Return the files at any depth in a folder, sorted, without hidden files and folders."""
    # Sort by the parts of the paths, because comparing Path objects is slow: sorting a thousand of
    # them takes as long as reading a few files.
    return sorted(map(Path, _visible_below(os.fspath(folder))), key=lambda file: file.parts)


def _visible_below(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            # Skip names that start with "." or "_", which Spark, Jupyter and other programs use for
            # metadata and copies next to the data.
            if entry.name.startswith((".", "_")):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _visible_below(entry.path)
            elif entry.is_file():
                yield entry.path


def is_read_of_folder(file: Path) -> bool:
    """Return whether a file in a folder is data, according to its suffix.

    A .txt file does not count as data, because it is often a note.
    """
    return file.name.lower().endswith(IN_FOLDERS)


def matching(path: str) -> list[Path]:
    """Return the files that match a pattern, or raise if none do. Return other paths unchanged."""
    if URL.match(path):
        raise RatingsError(
            f"{path} is not a local path. In Python, run `filesystem, path ="
            f" pyarrow.fs.FileSystem.from_uri({path!r})`, and pass both to confusion_from_source."
            " For the command line, copy the data to a local folder."
        )
    if not set(path) & set("*?[") or os.path.exists(path):
        return [Path(path)]
    found = [Path(file) for file in sorted(glob(path, recursive=True))]
    if not found:
        folder = Path(*takewhile(lambda part: not set(part) & set("*?["), Path(path).parts))
        if not folder.is_dir():
            raise RatingsError(f"no file matches {path}: there is no folder {folder}.")
        names = sorted(name for name in os.listdir(folder) if not name.startswith("."))
        listed = first_of_many(names, MOST_LISTED) or "no files"
        raise RatingsError(f"no file matches {path}: the folder {folder} contains {listed}.")
    return found


def _refuse_repeated(files: Sequence[str]) -> None:
    """Raise if a file occurs twice."""
    seen: set[str] = set()
    for file in files:
        place = os.path.realpath(file)
        if place in seen:
            name = os.path.normpath(file)
            raise RatingsError(f"{name} is listed twice and would be counted twice: list it once.")
        seen.add(place)


def reports_of(files: Sequence[Path], on_progress: OnProgress) -> list[OnProgress]:
    """Return one progress callback per file. Each adds the sizes of the earlier files."""
    if on_progress is ignore_progress:
        return [on_progress] * len(files)
    before = accumulate((file.stat().st_size for file in files), initial=0)
    return [partial(_report, on_progress, n_bytes) for n_bytes, _ in zip(before, files)]


def _report(on_progress: OnProgress, n_before: int, n_bytes: int) -> None:
    on_progress(n_before + n_bytes)


def with_total(files: Sequence[Path], on_progress: Callable[[int, int], object]) -> OnProgress:
    """Return a callback that passes the number of bytes read, and the total, to a user's function.

    The number of bytes read never decreases, and only one thread at a time calls the function.
    """
    total, most, lock = sum(file.stat().st_size for file in files), 0, new_lock()

    def report(n_bytes: int) -> None:
        nonlocal most
        with lock:
            if n_bytes > most:
                most = min(n_bytes, total)
                on_progress(most, total)

    return report


def remote_files(source: Paths, filesystem: Any) -> list[str]:
    """Return the files in another file system. Folders are searched in the same way as local ones.

    Raises
    ------
    TypeError
        If ``filesystem`` is not a pyarrow file system.
    RatingsError
        If a file does not exist or occurs twice, or a folder has no file that can be read.
    """
    need_pyarrow("frames", "filesystem=")
    from pyarrow import fs

    if not isinstance(filesystem, fs.FileSystem):
        raise TypeError(
            f"filesystem must be a pyarrow.fs.FileSystem, got {type(filesystem)}. Wrap an fsspec"
            " file system in pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(...))."
        )
    found: list[str] = []
    paths = [source] if isinstance(source, (str, os.PathLike)) else source
    for at in filesystem.get_file_info([os.fspath(path) for path in paths]):
        if at.type == fs.FileType.NotFound:
            raise RatingsError(
                f"there is no file {at.path} in the {filesystem.type_name} file system."
            )
        if at.type != fs.FileType.Directory:
            found.append(at.path)
            continue
        inside = filesystem.get_file_info(fs.FileSelector(at.path, recursive=True))
        files = sorted(one.path for one in inside if one.is_file and _is_data(one.path, at.path))
        if not files:
            raise no_file_in(at.path)
        found += files
    _refuse_repeated(found)
    return found


def _is_data(path: str, folder: str) -> bool:
    """Return whether a file in a folder is data, rather than a note or a hidden file."""
    below = PurePosixPath(path).relative_to(PurePosixPath(folder)).parts
    return is_read_of_folder(Path(path)) and not any(part.startswith((".", "_")) for part in below)


@contextmanager
def copied(files: Sequence[str], filesystem: Any) -> Iterator[list[Path]]:
    """Copy remote files to a temporary folder for the duration of the ``with`` block.

    Errors about the copies name the original files.
    """
    with TemporaryDirectory(prefix="fastkappa-") as folder:
        copies = [Path(folder, *PurePosixPath("/", file).parts[1:]) for file in files]
        for file, copy in zip(files, copies):
            copy.parent.mkdir(parents=True, exist_ok=True)
            # Copy the files without decompressing them, because the names of the copies still mark
            # them as compressed.
            with (
                filesystem.open_input_stream(file, compression=None) as remote,
                open(copy, "wb") as local,
            ):
                copyfileobj(remote, local)
        try:
            yield copies
        except RatingsError as error:
            text = str(error)
            for file, copy in zip(files, copies):
                text = text.replace(str(copy), file)
            raise RatingsError(text) from error
