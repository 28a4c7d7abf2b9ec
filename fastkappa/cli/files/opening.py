"""Open the files, folders, patterns and pipes named on the command line.

The functions in `fastkappa.sources` read files with a known suffix. All other input is first copied
to temporary files with such a suffix.
"""

from __future__ import annotations

import gzip
import re
import shutil
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, NamedTuple

from fastkappa.cli.files.spreadsheets import SPREADSHEETS, rows_of_sheet
from fastkappa.cli.options import TextOptions
from fastkappa.results.csv_rows import as_csv
from fastkappa.sources.arrow_files import DELIMITERS, SUFFIXES, format_of
from fastkappa.sources.arrow_folders import is_not_utf8, with_encoding_of
from fastkappa.sources.arrow_paths import files_at, matching
from fastkappa.sources.source_ratings import RatingsError
from fastkappa.sources.text.text_format import (
    PLAIN,
    TextFormat,
    text_format_of,
)

STDIN, STANDARD_INPUT = ("-", "/dev/stdin"), "standard input"
# The first bytes of a file, mapped to the suffix of the format that they indicate. Delimited text
# does not begin with any of these sequences.
MAGIC = {
    b"PAR1": ".parquet",
    b"ARROW1": ".arrow",
    b"\xff\xff\xff\xff": ".arrows",
    b"{": ".jsonl",
    b"\x1f\x8b": ".txt.gz",
}
# The options for text files that also apply to spreadsheets.
OF_SHEETS = ("no_header", "skip", "decimal", "sheet")

# The column of a file of --gold that says how each label was decided.
DECIDED = "decided_by"
# For options that write files, the pattern of the start of such a file. Each pattern also matches
# an empty file. Other existing files are not overwritten. --plot has no pattern, because the suffix
# of its file must be that of a picture.
STARTS = {
    "disputed": r"item,disagreement,|$",
    "gold": rf".*,{DECIDED}\s|$",
    "save": r'\{"version": \d+, "labels": |$',
    "report": r'<!DOCTYPE html>(.*\s){3}<meta name="generator" content="fastkappa |$',
}


class Source(NamedTuple):
    """The files to read as one table, and the name by which the user referred to them."""

    name: str
    files: tuple[Path, ...]
    text_format: TextFormat = PLAIN


class Opener:
    """Open the inputs that a user names.

    `opened_inputs` creates an opener and, at the end, deletes the copies that the opener made.
    """

    def __init__(self, options: TextOptions, stack: ExitStack) -> None:
        self.options = options
        self.text_format = text_format_of(
            options.sep,
            options.encoding,
            options.decimal,
            has_names=not options.no_header,
            has_quotes=options.quote == "double",
            n_skipped=options.skip,
        )
        self._stack = stack
        self._outputs: dict[str, Path] = {}
        self._folder: Path | None = None
        # The path of each copy, mapped to the user's name for the original file.
        self._names: dict[str, str] = {}
        self._files: list[Path] = []
        # The path of each unreadable file, mapped to the reason why it cannot be read.
        self._failures: dict[str, str] = {}

    def writes(self, **outputs: Path | None) -> None:
        """Record the outputs. Inputs that an output would overwrite are refused from now on.

        ``outputs`` maps the name of each option to the file that the command writes.

        Raises
        ------
        ValueError
            If two options name the same file, or if a file exists but was not written by the option
            that names it.
        """
        for option, path in outputs.items():
            if path is None:
                continue
            for other, output in self._outputs.items():
                if output.resolve() == path.resolve():
                    raise ValueError(
                        f"--{other} and --{option} must name different files, got {path} twice."
                    )
            if path.is_file() and not re.match(STARTS.get(option, ""), _start_of(path)):
                raise ValueError(
                    f"--{option} would overwrite {path}, which was not written by --{option}: name"
                    " another file."
                )
            self._outputs[option] = path

    def refuse_overwriting(self, path: Path) -> None:
        """Raise if an output would overwrite the input or be written to the input folder."""
        for option, output in self._outputs.items():
            if not output.resolve().is_relative_to(path.resolve()):
                continue
            if output.exists():
                raise ValueError(
                    f"--{option} would overwrite {output}, which is an input: name another file."
                )
            if output.suffix in SUFFIXES:
                raise ValueError(
                    f"--{option} would write {output} into a folder of inputs, and a later run"
                    " would read it as an input: name a file in another folder."
                )

    def source(self, path: Path) -> Source:
        """Return the source at a path, which can be a file, a folder, a pipe or a pattern."""
        self.refuse_overwriting(path)
        files = [path] if _is_piped(path) else files_at(path)
        opened = tuple(map(self.file, files))
        return Source(_name_of(path), opened, with_encoding_of(self.text_format, opened))

    def file(self, path: Path) -> Path:
        """Return the path of a file, or of a copy if its format cannot be read directly."""
        self.refuse_overwriting(path)
        if _is_piped(path):
            if _name_of(path) in self._names.values():
                raise RatingsError(
                    f"{_name_of(path)} can be read only once: save it to a file, and name that"
                    " file instead."
                )
            path = self._copied(path)
        elif path.suffix.lower() in SPREADSHEETS and path.is_file():
            path = self._of_sheet(path)
        elif self.options != TextOptions() and path.exists():
            # If a path does not exist, an error is raised later, when the path is read.
            if path.name.lower().endswith(tuple(SUFFIXES)):
                self._refuse_options(path, format_of(path))
            else:
                path = self._copied(path)
        self._files.append(path)
        return path

    def file_or_failure(self, path: Path) -> Path:
        """Return the path that `file` returns, but postpone any error until the file is read."""
        try:
            matching(str(path))  # Raise for a pattern that no file matches.
            return self.file(path)
        except RatingsError as error:
            self._failures[str(path)] = str(error)
            return path

    def named(self, text: str) -> str:
        """Replace the paths of copies in a message with the user's names for the files."""
        for copy, name in self._names.items():
            text = text.replace(copy, name)
        return text

    def explained(self, text: str) -> str:
        """Return an error message with the user's names for files, and with advice added."""
        return self._explained(text, self._files)

    def explained_failure(self, file: str, why: str) -> str:
        """Return the reason why one of many files failed, with the advice that `explained` adds."""
        text = self._failures.get(file) or self._explained(f"{file} {why}", [Path(file)])
        return text.removeprefix(f"{self.named(file)} ")

    def _explained(self, text: str, files: Sequence[Path]) -> str:
        odd = next(filter(is_not_utf8, files), None) if "not UTF-8" in text else None
        if odd is not None:
            text = text if str(odd) in text else f"{odd}: {text}"
            if self.options.encoding is None:
                text = f"{text.rstrip('.')}. Use --encoding to name its encoding."
        return self.named(text)

    def _refuse_options(self, path: Path, file_format: str) -> None:
        """Raise if the user gave an option that does not apply to the format of a file."""
        is_sheet = file_format in SPREADSHEETS
        for name in self.options.given():
            if name in OF_SHEETS if is_sheet else name != "sheet" and file_format in DELIMITERS:
                continue
            raise RatingsError(
                f"--{name.replace('_', '-')} applies only to"
                f" {'spreadsheets' if name == 'sheet' else 'text files'}, but {path} has the format"
                f" {file_format.lstrip('.')}."
            )

    def _of_sheet(self, path: Path) -> Path:
        """Copy the cells of a spreadsheet to a text file that the sources can read."""
        self._refuse_options(path, path.suffix.lower())
        head, *rows = rows_of_sheet(path, self.options.sheet, self.options.decimal)
        copy = self._new_copy(path, ".csv")
        # All cells are the user's own and must not be escaped, so `n_given` covers all columns.
        text = as_csv(head, rows, n_given=max(map(len, (head, *rows))))
        copy.write_text(f"{text}\n", encoding="utf-8")
        return copy

    def _copied(self, path: Path) -> Path:
        """Copy a pipe or a file without a known suffix to a file that the sources can read."""
        raw = self._new_copy(path, " raw")
        with _bytes_of(path) as source, open(raw, "wb") as file:
            shutil.copyfileobj(source, file)
        if not raw.stat().st_size:
            raise RatingsError(f"{_name_of(path)} is empty.")
        suffix = _suffix_of(raw)
        self._refuse_options(Path(_name_of(path)), SUFFIXES[suffix])
        return raw.rename(self._new_copy(path, suffix))

    def _new_copy(self, path: Path, suffix: str) -> Path:
        """Return the path of the next copy, and record the user's name for the original file."""
        if self._folder is None:
            made = self._stack.enter_context(TemporaryDirectory(prefix="fastkappa-"))
            self._folder = Path(made)
        copy = self._folder / f"{len(self._names)}{suffix}"
        self._names[str(copy)] = _name_of(path)
        return copy


@contextmanager
def opened_inputs(options: TextOptions) -> Iterator[Opener]:
    """Yield an opener for the user's inputs. Errors refer to files by the user's names for them.

    Raises
    ------
    RatingsError
        If an option does not apply to a file, or a file cannot be read.
    """
    with ExitStack() as stack:
        opener = Opener(options, stack)
        try:
            yield opener
        except OSError as error:
            if error.filename is None:
                raise
            name = opener.named(str(error.filename))
            raise RatingsError(f"{name} cannot be read: {error.strerror or error}.") from error
        except ValueError as error:
            raise RatingsError(opener.explained(str(error))) from error


def _is_piped(path: Path) -> bool:
    return str(path) in STDIN or (path.exists() and not path.is_file() and not path.is_dir())


def _name_of(path: Path) -> str:
    return STANDARD_INPUT if str(path) in STDIN else str(path)


def _start_of(path: Path) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read(1 << 16)


def _bytes_of(path: Path) -> IO[bytes]:
    if str(path) not in STDIN:
        return open(path, "rb")
    if sys.stdin is None:
        raise RatingsError("standard input is closed: name a file instead.")
    return sys.stdin.buffer


def _suffix_of(file: Path) -> str:
    """Return the suffix for the format of a file, which is detected from its first bytes."""
    with open(file, "rb") as content:
        start = content.read(max(map(len, MAGIC)))
    suffix = next((suffix for magic, suffix in MAGIC.items() if start.startswith(magic)), ".txt")
    # An error in a damaged file is ignored here, because it is reported when the file is read.
    with suppress(OSError, EOFError, zlib.error), gzip.open(file) as content:
        if suffix == ".txt.gz" and content.read(1) == b"{":
            return ".jsonl.gz"
    return suffix
