"""Read measurements: ratings with fractions, or with a range too wide for labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import CHUNK, LARGEST_EXACT, AnyArray, IntTable, chunks_of
from fastkappa.multirater.items.forms import (
    OtherForm,
    form_of_row_numbers,
    form_of_rows,
    may_be_transposed,
    other_form,
)
from fastkappa.ratings.column import Column
from fastkappa.ratings.interop import to_numpy
from fastkappa.ratings.missing import check_is_list, find_missing
from fastkappa.ratings.rating_matrix import Rater, columns_of, read_measurements
from fastkappa.ratings.real_numbers import refuse_extreme

# Whole numbers with a range wider than this are read as measurements. Fractional numbers are always
# read as measurements.
WIDEST_LABELS = 1000


class Measurements(NamedTuple):
    """Measurements of subjects by several raters.

    Attributes
    ----------
    columns : list of ndarray of shape (n,)
        Each rater's numbers, with NaN for missing ratings.
    multiplicities : ndarray of shape (n,)
        The number of subjects with each row.
    labels : ndarray of shape (0,)
        Always empty, because measurements have no labels.
    n_subjects, n_raters, n_paired, n_missing : int
        As in `Ratings`.
    constant : bool
        Whether all ratings are equal, not counting subjects with fewer than two ratings.
    form : OtherForm or None
        The other form that the data seem to have, if any.
    """

    columns: list[AnyArray]
    multiplicities: IntTable
    labels: AnyArray
    n_subjects: int
    n_raters: int
    n_paired: int
    n_missing: int
    constant: bool
    form: OtherForm | None = None


def measurements_in(ratings: Any, missing_codes: Sequence[Any]) -> Measurements | None:
    """Return the measurements in an array or frame, or None if the values could be labels.

    Raises
    ------
    ValueError
        As in `read_measurements`. An error is also raised if ``missing_codes`` is not a list.
    """
    check_is_list(missing_codes)
    if isinstance(ratings, (list, tuple)) or not hasattr(ratings, "shape"):
        return None
    given, names = columns_of(ratings)
    if len(given) < 2:
        return None
    columns = [_numbers(column, missing_codes) for column in given]
    numeric = [column for column in columns if column is not None]
    if len(numeric) < len(columns) or not any(map(_are_measurements, numeric)):
        return None
    names = names or [f"rater {i}" for i in range(1, len(columns) + 1)]
    measured = measurements_of(read_measurements(numeric, names))
    wholes = [_is_whole(column) for column in numeric]
    raters = [
        Rater(
            name,
            Column(column, column.dtype, obstacle=None if whole else "continuous"),
            None,
            len(column),
        )
        for name, column, whole in zip(names, numeric, wholes)
    ]
    form = other_form(raters, may_be_counts=all(wholes))
    if form is None and may_be_transposed(len(columns), measured.n_subjects):
        form = form_of_rows(np.stack(measured.columns).astype(float))
    return measured._replace(form=form or form_of_row_numbers(measured.columns, names))


def measurements_of(columns: list[AnyArray]) -> Measurements:
    """Build `Measurements` from columns, and count their ratings."""
    n_subjects, n_raters = len(columns[0]), len(columns)
    n_missing = n_paired = 0
    lowest, highest = np.inf, -np.inf
    for _, chunk in chunks_of(columns, CHUNK):
        n_given = n_raters - np.isnan(chunk).sum(axis=0)
        n_missing += int((n_raters - n_given).sum())
        n_paired += int((n_given >= 2).sum())
        chunk[:, n_given < 2] = np.nan
        lowest = min(lowest, float(np.fmin.reduce(chunk, axis=None, initial=np.inf)))
        highest = max(highest, float(np.fmax.reduce(chunk, axis=None, initial=-np.inf)))
    if lowest <= highest:
        refuse_extreme("the ratings", max(-lowest, highest))
    return Measurements(
        columns,
        np.ones(n_subjects, np.int64),
        np.empty(0),
        n_subjects,
        n_raters,
        n_paired,
        n_missing,
        lowest == highest,
    )


def _numbers(column: Any, missing_codes: Sequence[Any]) -> AnyArray | None:
    """Return a column as numbers, with NaN for missing values; None if it is not numeric."""
    numbers = column.data if isinstance(column, np.ma.MaskedArray) else to_numpy(column)
    if numbers.dtype.kind not in "iuf" or numbers.ndim != 1:
        return None
    missing = None
    if isinstance(column, np.ma.MaskedArray) or len(missing_codes):
        missing = find_missing(column, missing_codes)
    return numbers if missing is None else np.where(missing, np.nan, numbers)


def _is_whole(numbers: AnyArray) -> bool:
    """Return whether all numbers are whole, fit into int64 and are not missing."""
    if numbers.dtype.kind in "iu":
        return True
    chunks = (numbers[start : start + CHUNK] for start in range(0, len(numbers), CHUNK))
    return all(bool(((np.floor(c) == c) & (np.abs(c) < LARGEST_EXACT)).all()) for c in chunks)


def _are_measurements(numbers: AnyArray) -> bool:
    """Return whether any number is fractional, or the range is too wide for labels."""
    lowest, highest = np.inf, -np.inf
    for start in range(0, len(numbers), CHUNK):
        with np.errstate(over="ignore"):
            chunk = numbers[start : start + CHUNK].astype(np.float64, copy=False)
        chunk = chunk[np.isfinite(chunk)]
        if (chunk != np.floor(chunk)).any():
            return True
        lowest = min(lowest, float(chunk.min(initial=np.inf)))
        highest = max(highest, float(chunk.max(initial=-np.inf)))
        if highest - lowest > WIDEST_LABELS:
            return True
    return False
