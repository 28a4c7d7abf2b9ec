"""What every backend offers: the kernels for pairs of ratings, and those for scores.

A backend is a package with two modules, ``pairs`` and ``scores``, each of which is one of
these protocols. Kernels are serial, work on the items ``start <= i < stop``, read arrays as
they lie, and count a code outside the labels apart: nothing is written outside a table.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, FloatTable, IntTable

Floats = NDArray[np.float64]
# The lowest score of the first inner bin, how many bins there are to a unit, and in all.
Bins = tuple[float, float, int]


class PairKernels(Protocol):
    """Counts and sums of pairs of codes."""

    __name__: str
    READS_AS_FAST: bool
    sum_moments: Any
    count_rows: Any

    def count_pairs(
        self,
        first: AnyArray,
        lowest_first: int,
        second: AnyArray,
        lowest_second: int,
        table: IntTable,
        start: int,
        stop: int,
    ) -> None:
        """Add the number of pairs of each cell to ``table``."""

    def sum_pairs(
        self,
        first: AnyArray,
        lowest_first: int,
        second: AnyArray,
        lowest_second: int,
        weights: AnyArray,
        counts: IntTable,
        table: FloatTable,
        start: int,
        stop: int,
    ) -> None:
        """Add the number of pairs and the float64 sum of item weights of each cell."""

    def sum_pairs_exactly(
        self,
        first: AnyArray,
        lowest_first: int,
        second: AnyArray,
        lowest_second: int,
        weights: AnyArray,
        counts: IntTable,
        high: IntTable,
        low: IntTable,
        start: int,
        stop: int,
    ) -> None:
        """Add the number of pairs and the integer weights: the sum is ``high * 2**32 + low``."""


class ScoreKernels(Protocol):
    """Counts of scored items by bin and label, and their order."""

    __name__: str
    sort_items: Any
    search_cuts: Any
    Evaluator: Any

    def count_scores(
        self,
        scores: AnyArray,
        codes: AnyArray,
        lowest: int,
        weights: Floats | None,
        bins: Bins,
        table: NDArray[np.uint32],
        sums: Floats | None,
        start: int,
        stop: int,
    ) -> None:
        """Add the items of each row and label to ``table``, and their weights to ``sums``."""

    def range_scores(
        self, scores: AnyArray, bins: Bins, least: Floats, largest: Floats, start: int, stop: int
    ) -> None:
        """Lower ``least`` and raise ``largest`` to the scores of each row."""

    def collect_scores(
        self,
        scores: AnyArray,
        codes: AnyArray,
        lowest: int,
        n_labels: int,
        weights: Floats | None,
        bins: Bins,
        wanted: NDArray[np.uint8],
        start: int,
        stop: int,
        out: AnyArray,
        out_codes: NDArray[np.uint16],
        out_weights: Floats | None,
    ) -> int:
        """Write score, code and weight of the items in the rows that are wanted."""
        ...

    def group_scores(
        self,
        scores: AnyArray,
        codes: AnyArray,
        lowest: int,
        n_labels: int,
        weights: Floats | None,
        bins: Bins,
        places: NDArray[np.int64],
        start: int,
        stop: int,
        out: AnyArray,
        out_codes: NDArray[np.uint16],
        out_weights: Floats | None,
    ) -> None:
        """Write score, code and weight of each item to the next of its row's ``places``."""

    def accumulate_labels(
        self,
        codes: NDArray[np.uint16],
        weights: Floats | None,
        places: NDArray[np.int64],
        prefix: Floats,
    ) -> None:
        """Write how many items of each label lie between the first place and each other."""
