"""Define the kernels of a backend, for pairs of columns, for scores and for CSV lines.

A backend is a package with one module per protocol (``pairs``, ``scores`` and ``csv_lines``).
Kernels are serial, process the items ``start <= i < stop`` and read arrays without copying them.
Values that are not labels are counted separately, so kernels never write outside a table.

Some kernels are optional. In the protocols, each optional kernel is a property that is None if the
backend lacks the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, Floats, FloatTable, IntTable, offsets_from

# A pair (start, stop) stands for the items with indices start <= i < stop.
Range = tuple[int, int]

# The lowest label of the first column and of the second column. In each column, the lowest label
# has code 0.
Lowest = tuple[int, int]

SumMoments = Callable[[AnyArray, AnyArray, int, int, Range], tuple[int, ...]]
CountRows = Callable[[AnyArray, AnyArray, Lowest, IntTable, Range], None]


class LabelHash(NamedTuple):
    """A hash table that maps 64-bit integer labels to their codes.

    The search for a value begins at slot ``(value * multiplier % 2**64) >> shift``. The search
    continues slot by slot, wrapping around from the last slot to slot 0, until it finds the
    value or an empty slot. ``slots`` contains one code per slot; an empty slot contains the number
    of labels instead. ``labels`` contains the label of each code, modulo 2**64, followed by the
    first label again.
    """

    multiplier: int
    shift: int
    slots: AnyArray
    labels: NDArray[np.uint64]


class Lines(NamedTuple):
    """The format of the lines: the delimiter, the number of fields, and the two fields to read."""

    delimiter: int
    n_fields: int
    first: int
    second: int


Texts = NDArray[np.uint64]
CountLines = Callable[[Texts, Texts, NDArray[np.uint8], Lines, IntTable], int]


def check_range(start: int, stop: int, *arrays: AnyArray | None) -> None:
    """Raise unless each array contains the items ``start`` to ``stop - 1``.

    The NumPy and numba kernels call this function for every array they receive. The Cython code
    makes the same check before it calls the C kernels.
    """
    for array in arrays:
        if array is not None and start < stop and not 0 <= start <= stop <= len(array):
            raise ValueError(
                f"items {start} to {stop - 1} are not all within an array of {len(array)} items"
            )


def chunks_of(part: Range, length: int) -> Iterator[slice]:
    """Split a part of the items into consecutive slices of at most ``length`` items."""
    for begin in range(*part, length):
        yield slice(begin, min(begin + length, part[1]))


def check_tables(*tables: AnyArray | None) -> None:
    """Raise unless all tables have the same shape, with at least one row and one column."""
    shapes = {table.shape for table in tables if table is not None}
    if len(shapes) > 1 or not all(shapes.pop()):
        raise ValueError(
            "tables must have the same shape, with a row and a column for values that are not"
            " labels"
        )


class PairKernels(Protocol):
    """Count and sum pairs of codes."""

    __name__: str

    def __hash__(self) -> int: ...

    # Whether counting pairs with few labels takes about as long as reading the columns from memory.
    READS_AS_FAST: bool
    # The largest number of labels that ``count_rows`` supports, or 0 if there is no such kernel.
    MOST_ROW_LABELS: int

    @property
    def sum_moments(self) -> SumMoments | None:
        """The kernel that computes the sums for quadratic kappa without a table.

        ``sum_moments(first, second, lowest, n_labels, part)`` returns the number of pairs with
        a value that is not a label, and the number of other pairs. For the other pairs, it also
        returns the sums of the first codes, the second codes, their squares, and their products.
        """

    @property
    def count_rows(self) -> CountRows | None:
        """The kernel that pairs a column with each column of a row-major matrix.

        ``count_rows(first, matrix, lowest, tables, part)`` pairs ``first`` with each column
        of ``matrix``, and adds the pairs to one table per column.
        """

    def simd_level(self) -> str:
        """Return the name of the vector instructions in use, if the kernels choose them."""

    def looks_up_as_fast(self) -> bool:
        """Return whether counting few, widely spaced labels is about as fast as reading columns."""
        ...

    def look_up(self, values: AnyArray, hash: LabelHash, codes: AnyArray, part: Range) -> int:
        """Write the code of each value to ``codes``, which has the dtype of the slots.

        A value that is not a label gets the number of labels as its code. Return the number of
        values that are not labels.
        """
        ...

    def count_pairs(
        self, first: AnyArray, second: AnyArray, lowest: Lowest, table: IntTable, part: Range
    ) -> None:
        """Add the number of pairs in each cell to ``table``."""

    def sum_pairs(
        self,
        first: AnyArray,
        second: AnyArray,
        lowest: Lowest,
        weights: AnyArray,
        tables: tuple[IntTable, FloatTable],
        part: Range,
    ) -> None:
        """Count the pairs of each cell in one table, and sum their float64 weights in another."""

    def sum_pairs_exactly(
        self,
        first: AnyArray,
        second: AnyArray,
        lowest: Lowest,
        weights: AnyArray,
        tables: tuple[IntTable, IntTable, IntTable],
        part: Range,
    ) -> None:
        """Fill three tables with the number of pairs and the exact sum of their integer weights.

        The first table counts pairs. The sum of the weights is ``high * 2**32 + low``, where
        ``high`` is the second table and ``low`` is the third.
        """


class Bins(NamedTuple):
    """Bins of equal width, which assign each score to one of ``n_rows`` rows.

    Row 0 is for scores below ``low``. Rows 1 to ``n_inner`` are bins of width ``1 / scale``,
    starting at ``low``. The next row is for scores above these bins, and the last row is for NaN
    and infinity.
    """

    low: float
    scale: float
    n_inner: int

    @property
    def n_rows(self) -> int:
        """The number of rows that a table needs for these bins."""
        return self.n_inner + 3


class Items(Protocol):
    """Items with a score, a label and optionally a weight, to be read or written.

    The label of item i has the code ``codes[i] - lowest``. If that is not the code of a label, it
    is replaced by ``n_labels``. Scores are float32 or float64.
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


class GroupedItems(NamedTuple):
    """Items in groups that are ordered by score. Items within a group are in no particular order.

    Group g contains items ``starts[g]`` to ``starts[g + 1] - 1``. Its lowest score is ``least[g]``.
    ``prefix[g]`` contains the count or total weight of each label below the group, and the last
    row of ``prefix`` contains the totals.
    """

    scores: AnyArray
    codes: NDArray[np.uint16]
    weights: Floats | None
    starts: NDArray[np.int64]
    least: Floats
    prefix: Floats


def check_bin_tables(items: Items, bins: Bins, *tables: AnyArray | None) -> None:
    """Raise unless tables have ``bins.n_rows`` rows, and one more column than there are labels."""
    shape = (bins.n_rows, items.n_labels + 1)
    if any(table is not None and table.shape != shape for table in tables):
        raise ValueError(f"tables must have the shape {shape}")


def write_items(out: Items, places: Any, items: Items, chosen: Any) -> None:
    """Write the chosen items to the given positions in ``out``."""
    out.scores[places] = items.scores[chosen]
    offsets = offsets_from(items.codes[chosen], items.lowest)
    out.codes[places] = np.minimum(offsets, np.uint64(items.n_labels))
    if items.weights is not None and out.weights is not None:
        out.weights[places] = items.weights[chosen]


class ScoreKernels(Protocol):
    """Count scored items by bin and label, and group the items by bin."""

    __name__: str

    def count_scores(
        self, items: Items, bins: Bins, table: NDArray[np.uint32], sums: Floats | None, part: Range
    ) -> None:
        """Add the number of items per row and label to ``table``, and their weights to ``sums``.

        If ``sums`` is None, weights are ignored.
        """

    def range_scores(
        self, scores: AnyArray, bins: Bins, least: Floats, largest: Floats, part: Range
    ) -> None:
        """Update the smallest and the largest score of each row."""

    def collect_scores(
        self, items: Items, bins: Bins, wanted: NDArray[np.uint8], out: Items, part: Range
    ) -> int:
        """Copy the items in the wanted rows to ``out``, with codes as uint16.

        ``out`` must have room for all items of the part. Return the number of items copied.
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
        """Copy each item to the next free place in its row, with its code as uint16.

        The free places in a row are ``places[row]`` to ``ends[row] - 1``. A row can run out of
        places if scores have changed since they were counted. Return the number of items for which
        no place was left.
        """
        ...

    def accumulate_labels(
        self,
        codes: NDArray[np.uint16],
        weights: Floats | None,
        places: NDArray[np.int64],
        prefix: Floats,
    ) -> None:
        """For each label, write the number or total weight of the items before each place.

        Items before ``places[0]`` are not counted.
        """


class CsvLineKernels(Protocol):
    """Count pairs of strings in CSV lines."""

    @property
    def count_lines(self) -> CountLines | None:
        """The kernel that counts the pairs of texts in CSV lines.

        ``count_lines(rows, columns, text, lines, table)`` counts each line in the cell of its
        two texts. The kernel stops at the first line with an unknown text or the wrong number of
        fields, and returns the number of bytes before that line. ``text`` must not contain quotes.
        ``rows`` and ``columns`` contain the known texts of the two fields, at most 512 each. Each
        known text is a row of up to 16 words of 8 bytes, padded with zeros.
        """
