"""The kernels that every backend offers: for pairs of columns, scores, CSV lines and differences.

A backend is a package with a module for each, ``pairs`` and so on, which implement these
protocols. Kernels are serial, work on the items ``start <= i < stop``, read arrays in place,
and count codes outside the labels separately: nothing is written outside a table.

Some kernels are optional. They are properties of the protocol here, and None in a backend
that lacks them: no caller asks in another way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, Floats, FloatTable, IntTable, offsets_from

# The items start <= i < stop, as a pair.
Range = tuple[int, int]

# The values of code 0 in the first column and in the second.
Lowest = tuple[int, int]

SumMoments = Callable[[AnyArray, AnyArray, int, int, Range], tuple[int, ...]]
CountRows = Callable[[AnyArray, AnyArray, Lowest, IntTable, Range], None]


class LabelHash(NamedTuple):
    """Labels anywhere among the 64-bit integers, in the slots that `look_up` finds them in.

    A value times ``multiplier``, modulo 2**64 and without its last ``shift`` bits, is the slot
    to look at first; if another label is there, the slots that follow, the first after the
    last one, up to an empty one. ``slots`` has the code of each, the number of labels where it
    is empty. ``labels`` are those of the codes, modulo 2**64, and once more the first one.
    """

    multiplier: int
    shift: int
    slots: AnyArray
    labels: NDArray[np.uint64]


class Lines(NamedTuple):
    """What lines of text hold: fields that end at a byte, of which two are read."""

    delimiter: int
    n_fields: int
    first: int
    second: int


Texts = NDArray[np.uint64]
CountLines = Callable[[Texts, Texts, NDArray[np.uint8], Lines, IntTable], int]


def check_range(start: int, stop: int, *arrays: AnyArray | None) -> None:
    """Raise unless each array has all the items from ``start`` up to ``stop``.

    Kernels in NumPy and numba ask this of every array that they are given; those in C have the
    same check in Cython.
    """
    for array in arrays:
        if array is not None and start < stop and not 0 <= start <= stop <= len(array):
            raise ValueError(
                f"items {start} to {stop - 1} are not all among those of an array of {len(array)}"
            )


def chunks_of(part: Range, length: int) -> Iterator[slice]:
    """Yield the items of a part, ``length`` at a time."""
    for begin in range(*part, length):
        yield slice(begin, min(begin + length, part[1]))


def check_tables(*tables: AnyArray | None) -> None:
    """Raise unless tables have one shape, with a row and a column for values outside the labels."""
    shapes = {table.shape for table in tables if table is not None}
    if len(shapes) > 1 or not all(shapes.pop()):
        raise ValueError("tables must have one shape, with room for values outside the labels")


class PairKernels(Protocol):
    """Counts and sums of pairs of codes."""

    __name__: str

    def __hash__(self) -> int: ...

    # Whether few labels are counted about as fast as the columns are read.
    READS_AS_FAST: bool
    # The most labels of a table that ``count_rows`` fills; 0 without that kernel.
    MOST_ROW_LABELS: int

    @property
    def sum_moments(self) -> SumMoments | None:
        """The kernel for quadratic kappa without a table.

        ``sum_moments(first, second, lowest, n_labels, part)`` returns how many pairs are
        outside and inside the labels, and of the latter the sums of the first codes, of the
        second, of their squares and of their products.
        """

    @property
    def count_rows(self) -> CountRows | None:
        """The kernel for the columns of a row-major matrix.

        ``count_rows(first, matrix, lowest, tables, part)`` adds the pairs of a column and each
        column of the matrix to the tables of these.
        """

    def simd_level(self) -> str:
        """Return the vector instructions in use, as far as the kernels choose them."""

    def looks_up_as_fast(self) -> bool:
        """Return whether few labels far apart are counted about as fast as the columns are read."""
        ...

    def look_up(self, values: AnyArray, hash: LabelHash, codes: AnyArray, part: Range) -> int:
        """Write the code of each value to ``codes``, which is of the type of the slots.

        A value that is no label has the number of labels as its code. Return how many those are.
        """
        ...

    def count_pairs(
        self, first: AnyArray, second: AnyArray, lowest: Lowest, table: IntTable, part: Range
    ) -> None:
        """Add the number of pairs of each cell to ``table``."""

    def sum_pairs(
        self,
        first: AnyArray,
        second: AnyArray,
        lowest: Lowest,
        weights: AnyArray,
        tables: tuple[IntTable, FloatTable],
        part: Range,
    ) -> None:
        """Add the number of pairs and the float64 sum of item weights of each cell."""

    def sum_pairs_exactly(
        self,
        first: AnyArray,
        second: AnyArray,
        lowest: Lowest,
        weights: AnyArray,
        tables: tuple[IntTable, IntTable, IntTable],
        part: Range,
    ) -> None:
        """Add the number of pairs and the integer weights of each cell, in three tables.

        The sum of weights is ``high * 2**32 + low``, the second table and the third.
        """


class Bins(NamedTuple):
    """Bins of equal width: a score is in one of ``n_rows`` rows.

    Row 0 is below ``low``, rows 1 to ``n_inner`` are the bins from there on, ``scale`` of them
    per unit, the next row is above them, and the last one has NaN and the infinities.
    """

    low: float
    scale: float
    n_inner: int

    @property
    def n_rows(self) -> int:
        """How many rows a table of the bins has."""
        return self.n_inner + 3


class Items(Protocol):
    """Items with a score, a label and perhaps a weight, to be read or to be written.

    The label of item i has the code ``codes[i] - lowest``; a code outside the labels is
    ``n_labels``. Scores are float32 or float64.
    """

    @property
    def scores(self) -> AnyArray: ...
    @property
    def codes(self) -> AnyArray: ...
    @property
    def lowest(self) -> int: ...
    @property
    def n_labels(self) -> int: ...
    @property
    def weights(self) -> Floats | None: ...


class GroupedItems(Protocol):
    """Items in groups of scores, each group above the one before, in any order inside."""

    @property
    def scores(self) -> AnyArray: ...
    @property
    def codes(self) -> NDArray[np.uint16]: ...
    @property
    def weights(self) -> Floats | None: ...
    @property
    def starts(self) -> NDArray[np.int64]: ...
    @property
    def least(self) -> Floats: ...
    @property
    def prefix(self) -> Floats: ...


SortItems = Callable[[Items], tuple[AnyArray, NDArray[np.uint16]] | None]


def check_bin_tables(items: Items, bins: Bins, *tables: AnyArray | None) -> None:
    """Raise unless tables have a row per row of the bins, and a column per label and one more."""
    shape = (bins.n_rows, items.n_labels + 1)
    if any(table is not None and table.shape != shape for table in tables):
        raise ValueError(f"tables must have one shape, {shape}")


def write_items(out: Items, places: Any, items: Items, chosen: Any) -> None:
    """Write the chosen items to their places."""
    out.scores[places] = items.scores[chosen]
    offsets = offsets_from(items.codes[chosen], items.lowest)
    out.codes[places] = np.minimum(offsets, np.uint64(items.n_labels))
    if items.weights is not None and out.weights is not None:
        out.weights[places] = items.weights[chosen]


class ScoreKernels(Protocol):
    """Counts of scored items by bin and label, and their order."""

    __name__: str

    @property
    def sort_items(self) -> SortItems | None:
        """The kernel that sorts items without weights.

        ``sort_items(items)`` returns scores and codes in the order of the scores, or None for
        scores that are not finite or too far apart for its keys.
        """

    def count_scores(
        self, items: Items, bins: Bins, table: NDArray[np.uint32], sums: Floats | None, part: Range
    ) -> None:
        """Add the items of each row and label to ``table``, and their weights to ``sums``.

        Weights count only where there are ``sums``.
        """

    def range_scores(
        self, scores: AnyArray, bins: Bins, least: Floats, largest: Floats, part: Range
    ) -> None:
        """Lower ``least`` and raise ``largest`` to the scores of each row."""

    def collect_scores(
        self, items: Items, bins: Bins, wanted: NDArray[np.uint8], out: Items, part: Range
    ) -> int:
        """Write the items in the rows that are wanted, their codes as uint16.

        There is room for all items of the part; return how many are wanted.
        """
        ...

    def group_scores(
        self,
        items: Items,
        bins: Bins,
        places: NDArray[np.int64],
        ends: NDArray[np.int64],
        out: Items,
        part: Range,
    ) -> int:
        """Write each item to the next of its row's ``places``, its code as uint16.

        A row has places below its ``ends``: scores may have changed since they were counted.
        Return how many items found no place.
        """
        ...

    def accumulate_labels(
        self,
        codes: NDArray[np.uint16],
        weights: Floats | None,
        places: NDArray[np.int64],
        prefix: Floats,
    ) -> None:
        """Write how many items of each label lie between the first place and each other."""


class CsvLineKernels(Protocol):
    """Counts of texts in lines of CSV text."""

    @property
    def count_lines(self) -> CountLines | None:
        """The kernel for the pairs of texts in lines.

        ``count_lines(rows, columns, text, lines, table)`` adds the lines to the cells of their
        two texts, up to one with a text that is not there or with another number of fields,
        and returns how many bytes they have. There are no quotes in the text. ``rows`` and
        ``columns`` are the known texts, at most 512, each a row of 1 to 16 words of 8 bytes,
        filled up with zeros.
        """


class DifferenceKernels(Protocol):
    """Differences of the rows of a matrix."""

    def largest_differences(
        self,
        rows: NDArray[np.float32],
        factors: NDArray[np.float32],
        start: int,
        largest: NDArray[np.float32],
    ) -> None:
        """Raise ``largest`` to the differences of rows from ``start`` on from all before them.

        There are as many of these rows as ``factors`` has. The difference of row ``start + i`` from
        row j is taken times ``factors[i, j]``, and without its sign; ``largest`` has the largest
        one of each column. Nothing is NaN.
        """
