"""Read the measurements of several raters, in chunks of subjects that all raters rated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, Floats, chunks_of
from fastkappa.measurements.other_forms import refuse_ids_of_pair, refuse_other_forms
from fastkappa.ratings.doubtful_labels import warn
from fastkappa.ratings.interop import names_of, warn_of_same_column
from fastkappa.ratings.item_weights import read_clusters
from fastkappa.ratings.lengths import length_of, refuse_frame_of_two
from fastkappa.ratings.missing import Missing, check_missing
from fastkappa.ratings.rating_matrix import columns_of, read_measurements
from fastkappa.ratings.real_numbers import NotNumbersError, refuse_extreme

LONG_FORM = (
    "If the columns say which subject and rater each row belongs to, give one column per rater"
    " instead, without ids. In pandas, use ratings.pivot(index=..., columns=..., values=...)."
)
# A warning about units requires that the ratios of two raters form two groups. Each group must have
# at least `FEWEST_IN_UNIT` subjects, and at least the proportion `LEAST_IN_UNIT` of all subjects.
# The gap between the groups must be at least a factor of `GAP`. The medians of the groups must
# differ by a power of ten, with a relative error of at most `NEAR_POWER`.
FEWEST_IN_UNIT, LEAST_IN_UNIT, GAP, NEAR_POWER = 5, 0.05, 3, 0.15
# The number of ratings per chunk. A few chunks of this size fit in the cache.
CHUNK = 1 << 15


@dataclass(frozen=True, eq=False)
class Measured:
    """A table of measurements, with subjects as rows and raters as columns.

    Attributes
    ----------
    columns : list of ndarray of shape (n_given,)
        One array per rater, not copied. Missing measurements are NaN.
    names : list of str
        The raters' names.
    n_subjects, n_dropped : int
        The number of subjects that all raters rated, and the number of other subjects.
    lowest, highest : ndarray of shape (n_raters,)
        Each rater's smallest and largest measurement of the subjects that all raters rated.
    clusters : ndarray of int of shape (n_subjects,) or None
        The cluster number of each subject that all raters rated, if clusters were given.
    """

    columns: list[AnyArray]
    names: list[str]
    n_subjects: int
    n_dropped: int
    lowest: Floats
    highest: Floats
    clusters: AnyArray | None = None

    @property
    def n_raters(self) -> int:
        """The number of raters."""
        return len(self.columns)

    def sample(
        self, confidence: float, n_clusters: int | None = None, raters: Sequence[str] = ()
    ) -> dict[str, Any]:
        """Return the fields of a `MeasuredResult`. ``raters`` defaults to the column names."""
        return {
            "confidence": confidence,
            "n_subjects": self.n_subjects,
            "n_raters": self.n_raters,
            "n_dropped": self.n_dropped,
            "n_clusters": self.n_subjects if n_clusters is None else n_clusters,
            "raters": tuple(raters or self.names),
        }

    @property
    def constant(self) -> NDArray[np.bool_]:
        """A mask of the raters whose measurements are all equal."""
        same: NDArray[np.bool_] = self.lowest == self.highest
        return same

    def chunks(self) -> Iterator[Floats]:
        """Yield arrays of shape (n_raters, m) with the measurements of m complete subjects."""
        for _, chunk in chunks_of(self.columns, CHUNK):
            if self.n_dropped:
                chunk = chunk[:, ~np.isnan(chunk).any(axis=0)]
            yield chunk


def read_pair(y1: Any, y2: Any, missing: Missing, clusters: Any = None) -> Measured:
    """Read the measurements of two raters."""
    if y2 is None:
        refuse_frame_of_two(y1)
        length_of("y2", y2)
    measured = _measured([y1, y2], ["y1", "y2"], missing, clusters)
    refuse_ids_of_pair(measured.columns, names_of((y1, y2), ("y1", "y2")))
    _warn_of_units(measured)
    warn_of_same_column({"y1": y1, "y2": y2})
    return measured


def read_ratings(ratings: Any, missing: Missing, clusters: Any = None) -> Measured:
    """Read a table of measurements, with one row per subject and one column per rater."""
    columns, names = columns_of(ratings)
    if len(columns) < 2:
        raise ValueError(f"ratings must have at least two columns, got {len(columns)}.")
    numbered = [f"rater {i}" for i in range(1, len(columns) + 1)]
    try:
        measured = _measured(columns, names or numbered, missing, clusters)
    except NotNumbersError as error:
        if len(columns) < 3:
            raise
        raise ValueError(f"{error} {LONG_FORM}") from error
    refuse_other_forms(measured.columns, names)
    _warn_of_units(measured)
    return measured


def _warn_of_units(measured: Measured) -> None:
    """Warn if a rater used a different unit for some of the subjects.

    In that case, the ratios of two raters' measurements form two groups that differ by a power of
    ten.
    """
    for (a, first), (b, second) in pairwise(zip(measured.names, next(measured.chunks()))):
        if len(first) < 2 * FEWEST_IN_UNIT or min(first.min(), second.min()) <= 0:
            continue
        ratios = np.sort(first / second)
        steps = ratios[1:] / ratios[:-1]
        low, high = np.split(ratios, [steps.argmax() + 1])
        factor = np.median(high) / np.median(low)
        power = 10 ** np.rint(np.log10(factor))
        is_power = power > 1 and abs(factor - power) <= NEAR_POWER * power
        # Two groups have one wide gap between them, and several values each. The ratios of rounded
        # or doubled values, such as titers, have several gaps or few values.
        are_two = (
            np.sort(steps)[-2] < GAP <= steps.max() and low[0] < low[-1] and high[0] < high[-1]
        )
        n = min(len(low), len(high))
        if is_power and are_two and n >= max(FEWEST_IN_UNIT, LEAST_IN_UNIT * len(ratios)):
            warn(
                f"the ratio of {a} to {b} is about {power:g} times as large for {len(high)}"
                f" subjects as for {len(low)} others. If a unit is wrong, such as cm instead of"
                " mm, convert these measurements."
            )
            return


def _measured(given: list[Any], names: list[str], missing: Missing, clusters: Any) -> Measured:
    check_missing(missing)
    columns = read_measurements(given, names)
    n_dropped = 0
    numbers: list[AnyArray] = []
    of_all = None
    if clusters is not None:
        of_all = read_clusters(clusters, len(columns[0]), "subjects").values
    lowest, highest = np.full(len(columns), np.inf), np.full(len(columns), -np.inf)
    start = 0
    for rows, chunk in chunks_of(columns, CHUNK):
        incomplete = np.isnan(chunk).any(axis=0)
        if incomplete.any():
            if missing == "raise":
                position = int(np.argmax(incomplete))
                rater = names[int(np.argmax(np.isnan(chunk[:, position])))]
                raise ValueError(
                    f"a measurement by {rater} is missing for the subject at position"
                    f" {start + position}. Use missing='drop' to leave out subjects with missing"
                    " measurements."
                )
            n_dropped += int(np.count_nonzero(incomplete))
            chunk = chunk[:, ~incomplete]
        if of_all is not None:
            numbers.append(of_all[rows][~incomplete])
        lowest = np.minimum(lowest, chunk.min(axis=1, initial=np.inf))
        highest = np.maximum(highest, chunk.max(axis=1, initial=-np.inf))
        start += incomplete.size
    if start - n_dropped < 2:
        raise ValueError(
            "at least two subjects must have measurements by all raters, got"
            f" {start - n_dropped} of {start}."
        )
    refuse_extreme("the measurements", float(max(np.abs(lowest).max(), np.abs(highest).max())))
    complete = np.concatenate(numbers) if numbers else None
    return Measured(columns, names, start - n_dropped, n_dropped, lowest, highest, complete)
