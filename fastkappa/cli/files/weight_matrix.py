"""Read a matrix of disagreement weights, or of counts, from a text file."""

from __future__ import annotations

from pathlib import Path
from reprlib import repr as short_repr
from typing import NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, Floats
from fastkappa.formatting import label_text
from fastkappa.ratings.label_order import is_number
from fastkappa.sources.arrow_files import naming
from fastkappa.sources.source_ratings import RatingsError
from fastkappa.sources.text.text_format import PLAIN, find_format, opened_rows, rows_in
from fastkappa.statistics.weights import as_weights


class WeightMatrix(NamedTuple):
    """A matrix of disagreement weights, with the labels of its rows if the file names them."""

    name: str
    cells: Floats
    labels: tuple[str, ...] | None

    def of(self, labels: AnyArray) -> Floats:
        """Return the matrix of weights for the given labels, in the given order.

        Raises
        ------
        RatingsError
            If a label has no weights, or the matrix does not contain valid disagreement weights.
        """
        wanted = [label_text(label) for label in labels.tolist()]
        if self.labels is None:
            found = self.cells
            if len(found) != len(wanted):
                raise RatingsError(
                    f"{self.name} has weights for {len(found)} labels, but the ratings have"
                    f" {len(wanted)}: {', '.join(wanted[:10])}. Write the labels in the first"
                    f" row and column of the matrix, or use --labels to choose {len(found)} labels."
                )
        else:
            lacking = [label for label in wanted if label not in self.labels]
            if lacking:
                raise RatingsError(
                    f"{self.name} has no weights for the label {lacking[0]!r}. Add a row and a"
                    " column for this label."
                )
            places = [self.labels.index(label) for label in wanted]
            found = self.cells[np.ix_(places, places)]
        try:
            as_weights(found, len(wanted))
        except ValueError as error:
            raise RatingsError(f"{self.name} cannot be used: {error}") from error
        return found


def read_matrix_file(path: Path, what: str = "weights") -> WeightMatrix:
    """Read a matrix from a text file. Error messages call its cells ``what``.

    If the first cell is not a number, the first row and the first column must contain the labels.

    Raises
    ------
    RatingsError
        If the file cannot be read, the matrix is not square, or a cell is not a number.
    """
    with naming(path):
        delimiter, text_format = find_format(path, "", PLAIN)
        with opened_rows(path, text_format) as lines:
            read = list(rows_in(lines, delimiter, text_format))
    rows = [[cell.strip() for cell in row] for row in read if any(row)]
    labels = None
    if rows and not is_number(rows[0][0]):
        heads, labels = [row[0] for row in rows[1:]], tuple(rows[0][1:])
        if heads != list(labels) or len(set(labels)) < len(labels):
            raise RatingsError(
                f"{path} must have the same labels, each only once, in its first row and first"
                f" column, got {short_repr(list(labels))} and {short_repr(heads)}."
            )
        rows = [row[1:] for row in rows[1:]]
    if not rows or any(len(row) != len(rows) for row in rows):
        lengths = sorted({len(row) for row in rows})
        raise RatingsError(
            f"{path} must have one row and one column of {what} per label, got {len(rows)} rows of"
            f" {' or '.join(map(str, lengths))} cells."
        )
    odd = next((cell for row in rows for cell in row if not is_number(cell)), None)
    if odd is not None:
        raise RatingsError(f"the {what} in {path} must be numbers, got {odd!r}.")
    return WeightMatrix(str(path), np.array(rows, dtype=np.float64), labels)
