"""Warnings and errors of the commands."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import typer

from fastkappa.arrays import AnyArray
from fastkappa.cli.options import WeightsName
from fastkappa.cli.terminal import write
from fastkappa.exceptions import LabelOrderWarning
from fastkappa.ratings.label_order import order_warning

if TYPE_CHECKING:
    from fastkappa.cli.files.opening import Opener
    from fastkappa.cli.files.weight_matrix import WeightMatrix
    from fastkappa.cli.reports.output import Output


# The advice on how to set the order of the labels of saved counts.
OF_SAVED = "Run fastkappa score --save with --labels in the intended order."


class Remarks:
    """Collect the warnings about a result for the error stream and for the JSON output."""

    def __init__(self) -> None:
        # For each result, the reason why it depends on the order of the labels, such as "--weights
        # linear", or None if it does not depend on the order. A warning names only the first
        # reason.
        self.depends: Sequence[str | None] = ()
        self.texts: list[str] = []
        # The library's warnings that have been printed.
        self.printed: list[str] = []
        # The sorted labels of each table for which no order was given or declared.
        self.sorted_labels: list[AnyArray] = []
        # For some of these tables, a text that says whose labels they are. The keys are positions
        # in `sorted_labels`.
        self.users: dict[int, str] = {}
        # The labels in their given or declared order.
        self.given_labels: Sequence[Any] = ()
        self.remedy = "Use --labels to set the intended order."

    @property
    def everything(self) -> list[str]:
        """All warnings that accompany the result."""
        return [*self.texts, *self.printed]

    @property
    def rely_on_order(self) -> bool:
        """Whether any result depends on the order of the labels."""
        return any(why is not None for why in self.depends)

    def receive(self, labels: AnyArray, *, are_sorted: bool) -> None:
        """Record the labels of saved counts, and whether these were sorted."""
        if are_sorted:
            self.sorted_labels.append(labels)
        else:
            self.given_labels = labels.tolist()

    def note_sorted(self, labels: AnyArray, of: str) -> None:
        """Record labels that were sorted for lack of an order, and the ratings that use them."""
        self.users[len(self.sorted_labels)] = of
        self.sorted_labels.append(labels)

    def show(self) -> None:
        """Print the warnings, including a warning if a result relies on a doubtful label order."""
        orders = [(own, self.users.get(i, ""), False) for i, own in enumerate(self.sorted_labels)]
        orders += [(np.array(self.given_labels, object), "", True)]
        for own, of, is_known in orders:
            found = (
                order_warning(own, why, self.remedy, is_known=is_known, of=of)
                for why in self.depends
                if why is not None
            )
            self.texts += [_one_line(text) for text in found if text is not None][:1]
        for text in self.texts:
            _print_warning(text)

    def warn(self, text: str) -> None:
        """Print a warning, and add it to the collected warnings."""
        self.texts.append(_one_line(text))
        _print_warning(self.texts[-1])

    def write(self, report: Output, output: str) -> None:
        """Write an output in a format, and print the doubts and notes that the format omits."""
        if output in ("json", "csv", "sentence"):
            for doubt in dict.fromkeys(report.doubts):
                self.warn(doubt)
        write(report.written(output, self.everything))


def depends(weights: WeightsName, matrix: Any = None) -> str | None:
    """Return the option that makes kappa depend on the order of the labels, or None."""
    if matrix is not None:
        return None if matrix.labels is not None else f"--weight-matrix {matrix.name}"
    return None if weights == "none" else f"--weights {weights}"


def read_matrix(path: Path | None, weights: WeightsName, opener: Opener) -> WeightMatrix | None:
    """Read the weight matrix from a file, or return None if no file is given.

    Raises
    ------
    ValueError
        If the file cannot be read or is also an output, or if ``--weights`` is also given.
    """
    if path is None:
        return None
    if weights != "none":
        raise ValueError(
            f"use either --weights or --weight-matrix, got --weights {weights} and"
            f" --weight-matrix {path}."
        )
    from fastkappa.cli.files.weight_matrix import read_matrix_file

    opener.refuse_overwriting(path)
    return read_matrix_file(path)


def _one_line(message: object) -> str:
    from fastkappa.cli.words import in_words_of_options

    return in_words_of_options(" ".join(str(message).split()))


def _print_warning(text: str) -> None:
    write(f"fastkappa: warning: {text}", error=True)


@contextmanager
def errors_printed() -> Iterator[Remarks]:
    """If the input is invalid or a library is missing, print the error as one line, and exit.

    Each distinct warning from the library is also printed once, as one line, and added to the
    remarks that the block receives. The library's warnings about label order are not printed,
    because each command prints its own.
    """
    remarks = Remarks()

    def print_once(message: Warning | str, *_: Any, **__: Any) -> None:
        text = _one_line(message)
        if text not in remarks.printed:
            remarks.printed.append(text)
            _print_warning(text)

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.simplefilter("ignore", LabelOrderWarning)
            warnings.showwarning = print_once
            yield remarks
    except (ValueError, ImportError) as error:
        write(f"fastkappa: {_one_line(error)}", error=True)
        raise typer.Exit(2) from None
