"""Count many columns of ratings, each paired with the same first column.

Each thread counts whole columns, so that threads do not share tables. The columns of a row-major
matrix are counted together if there are many columns and few labels. Otherwise, they are first
copied to contiguous memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.exceptions import changed_meanwhile
from fastkappa.kernels.contract import PairKernels
from fastkappa.kernels.threads import (
    BYTES_WORTH_A_THREAD,
    PAIRS_WORTH_A_THREAD,
    ItemRanges,
    fill_in_threads,
    run_in_threads,
)
from fastkappa.leaderboards.items.row_major import as_matrix, groups_of_columns
from fastkappa.ratings.column import Column
from fastkappa.tables.codecs import (
    LARGEST_DENSE_TABLE,
    Codec,
    LabelRange,
    are_worth_a_table,
    label_type,
)
from fastkappa.tables.count import count_known, count_unknown, on_known_labels
from fastkappa.tables.item_sums import checked_sums
from fastkappa.tables.known_labels import Encoding, KnownLabels
from fastkappa.tables.table import (
    ConfusionTable,
    positions_in,
    scatter,
    square,
    union_of_labels,
)

# A row-major matrix with at least this many columns is counted row by row.
FEWEST_COLUMNS = 32
# The number of rows that a thread counts at a time, if a matrix is counted row by row.
ROWS_AT_ONCE = 1 << 20
# A matrix that is counted row by row gets one thread for every `BYTES_OF_ROWS` bytes.
BYTES_OF_ROWS = 1 << 22

Pairs = Sequence[tuple[Column, Column]]
Codecs = tuple[Codec, Codec]


class Counter(NamedTuple):
    """The kernels that count pairs of labels, and the maximum number of threads."""

    kernels: PairKernels
    num_threads: int

    def threads_worth_it(self, columns: Sequence[AnyArray]) -> int:
        """Return how many threads have enough work: at least one, and at most one per column."""
        if self.kernels.READS_AS_FAST:
            work = sum(column.nbytes for column in columns) // BYTES_WORTH_A_THREAD
        else:
            work = sum(map(len, columns)) // PAIRS_WORTH_A_THREAD
        return max(1, min(self.num_threads, work, len(columns)))


def count_many(
    counter: Counter, pairs: Pairs, labels: Any = None, weights: AnyArray | None = None
) -> tuple[ConfusionTable, NDArray[np.int64]]:
    """Return a stack of tables, one per pair of columns, and the counts of items left out.

    If no labels are given, all labels that occur in any column are used, sorted. For each pair, the
    counts are those of items whose label in the second column is not among the labels, although
    their label in the first column is.
    """
    if labels is not None:
        return _count_known(counter, pairs, labels, weights)
    table = _count_unknown(counter, pairs)
    if weights is not None:
        again, _ = _count_known(counter, pairs, table.rows, weights)
        if again.n_outside.any():
            raise changed_meanwhile()
        table = table._replace(sums=again.sums)
    return table, table.n_outside


def stacked(parts: Sequence[ConfusionTable]) -> ConfusionTable:
    """Join stacks of tables into one stack.

    If the labels of the stacks differ, the result has all their labels, sorted.
    """
    if len(parts) == 1:
        return parts[0]
    labels, counts = parts[0].rows, [part.counts for part in parts]
    sums = [part.sums for part in parts if part.sums is not None]
    # If all parts have the same labels, the labels keep their order instead of being sorted.
    if any(
        part.rows.dtype != labels.dtype or not np.array_equal(part.rows, labels) for part in parts
    ):
        labels = union_of_labels([part.rows for part in parts])
        places = [positions_in(labels, part.rows) for part in parts]
        shape = (len(labels), len(labels))
        counts, sums = (
            [scatter(cells, at, at, shape) for cells, at in zip(of_each, places)]
            for of_each in (counts, sums)
        )
    return ConfusionTable(
        np.concatenate(counts),
        labels,
        labels,
        np.concatenate(sums) if sums else None,
        n_outside=np.concatenate([part.n_outside for part in parts]),
    )


def _count_unknown(counter: Counter, pairs: Pairs) -> ConfusionTable:
    """Return one table per pair of columns. All tables share the sorted labels of all columns."""
    if len(pairs) < 2 * counter.num_threads:
        return stacked([_one_table(counter, pair) for pair in pairs])
    # Assume at first that the second columns have the same labels as the first column.
    truth = pairs[0][0]
    label_range = LabelRange.of(truth.values)
    parts, positions, rest = [], [], list(range(len(pairs)))
    fits = _is_plain(truth) and label_range.fits(truth.values)
    plain = [
        j
        for j, (first, second) in enumerate(pairs if fits else ())
        if first is truth and _is_plain(second) and label_range.fits(second.values)
    ]
    if are_worth_a_table((label_range,) * 2, len(truth.values), LARGEST_DENSE_TABLE) and plain:
        stack = _count_on_range(counter, [pairs[j] for j in plain], label_range)
        done = ~np.logical_or(stack[:, -1].any(axis=1), stack[:, :, -1].any(axis=1))
        if done.any():
            parts.append(_on_range(stack[done], label_range))
            positions += np.array(plain)[done].tolist()
            rest = sorted(set(rest) - set(positions))
    if rest:
        parts += [_one_table(counter, pairs[j]) for j in rest]
    table = stacked(parts)
    if positions and rest:
        table = table._replace(counts=table.counts[np.argsort(positions + rest)])
    return table


def _is_plain(column: Column) -> bool:
    return column.label_dtype.kind in "iu" and label_type(column.values) is np.int64


def _count_on_range(counter: Counter, pairs: Pairs, label_range: LabelRange) -> AnyArray:
    """Count one table per pair over a label range. The last row and column are for other labels."""
    stack = _count_rows(counter, pairs, (label_range, label_range))
    if stack is not None:
        return stack
    lowest = label_range.lowest, label_range.lowest
    tables = np.zeros((len(pairs), label_range.n_labels + 1, label_range.n_labels + 1), np.int64)
    truth, part = pairs[0][0].values, (0, len(pairs[0][0].values))
    left = iter(tables)
    for columns in groups_of_columns([second.values for _, second in pairs], counter.num_threads):
        own = list(zip(columns, left))

        def work(ranges: ItemRanges, own: Sequence[tuple[AnyArray, AnyArray]] = own) -> None:
            while bounds := ranges.take(1):
                second, table = own[bounds[0]]
                counter.kernels.count_pairs(truth, second, lowest, table, part)

        run_in_threads(work, len(own), counter.threads_worth_it(columns))
    return tables


def _on_range(stack: AnyArray, label_range: LabelRange) -> ConfusionTable:
    """Reduce tables over a label range to the labels that occur in any of them."""
    stack, labels = stack[:, :-1, :-1], label_range.labels()
    # A bitwise OR shows which labels occur. It is ten times as fast as NumPy's sums over small
    # axes.
    occurs = np.bitwise_or.reduce(stack, axis=0)
    used = np.logical_or(occurs.any(axis=0), occurs.any(axis=1))
    if not used.all():
        stack, labels = stack[:, used][:, :, used], labels[used]
    return ConfusionTable(stack, labels, labels, n_outside=np.zeros(len(stack), np.int64))


def _one_table(counter: Counter, pair: tuple[Column, Column]) -> ConfusionTable:
    counts = count_unknown(counter.kernels, *pair, counter.num_threads)
    table, labels = square(counts, *pair)
    return ConfusionTable(table[None], labels, labels, n_outside=np.zeros(1, np.int64))


def _count_known(
    counter: Counter, pairs: Pairs, labels: Any, weights: AnyArray | None
) -> tuple[ConfusionTable, NDArray[np.int64]]:
    """Count one table per pair over the given labels. See `count_many` for the return values."""
    # Each pair of date columns is compared in its own common unit, so the labels are converted once
    # for each dtype.
    by_type: dict[Any, KnownLabels] = {}
    encoded_firsts: dict[int, Encoding] = {}
    encoded = []
    for first, second in pairs:
        if first.label_dtype not in by_type:
            by_type[first.label_dtype] = KnownLabels(labels, first, second)
        known = by_type[first.label_dtype]
        if id(first) not in encoded_firsts:
            encoded_firsts[id(first)] = known.encode(first)
        encoded.append((encoded_firsts[id(first)], known.encode(second)))
    own_codecs = [(rows.codec, columns.codec) for rows, columns in encoded]
    raw: Iterable[Sequence[AnyArray]]
    of_rows = None
    if weights is None and all(own == own_codecs[0] for own in own_codecs[1:]):
        of_rows = _count_rows(counter, pairs, own_codecs[0])
    if of_rows is not None:
        raw = ([table] for table in of_rows)
    else:
        groups = groups_of_columns([second.values for _, second in pairs], counter.num_threads)
        raw = (
            count_known(
                counter.kernels,
                first,
                second._replace(values=values),
                own,
                weights,
                counter.num_threads,
            )
            for (first, second), values, own in zip(pairs, chain(*groups), own_codecs)
        )
    tables, of_weights, other = [], [], []
    for (counts, *sums), own_encodings in zip(raw, encoded):
        tables.append(on_known_labels(counts, own_encodings, known))
        of_known_rows = counts[:-1][own_encodings[0].positions >= 0]
        other.append(int(of_known_rows.sum()) - int(tables[-1].sum()))
        if weights is not None:
            of_weights.append(on_known_labels(checked_sums(sums, weights), own_encodings, known))
    stack = np.stack(tables)
    n_outside = len(pairs[0][0].values) - stack.sum(axis=(1, 2))
    stacked_sums = np.stack(of_weights) if of_weights else None
    table = ConfusionTable(stack, known.array, known.array, stacked_sums, n_outside=n_outside)
    return table, np.array(other, np.int64)


def _count_rows(counter: Counter, pairs: Pairs, own_codecs: Codecs) -> AnyArray | None:
    """Count the columns of a row-major matrix together, or return None if this is not possible."""
    kernels = counter.kernels
    if any(codec.longest_chunk is not None for codec in own_codecs):
        return None
    if len(pairs) < FEWEST_COLUMNS:
        return None
    count_rows, first = kernels.count_rows, pairs[0][0]
    if count_rows is None or any(one is not first for one, _ in pairs):
        return None
    if max(codec.n_labels for codec in own_codecs) > kernels.MOST_ROW_LABELS:
        return None
    matrix = as_matrix([second.values for _, second in pairs])
    if matrix is None:
        return None

    def add(tables: tuple[AnyArray, ...], start: int, stop: int) -> None:
        count_rows(first.values, matrix, lowest, tables[0], (start, stop))

    lowest = own_codecs[0].lowest, own_codecs[1].lowest
    empty = np.zeros((len(pairs), *(codec.n_labels + 1 for codec in own_codecs)), np.int64)
    n_worth_it = matrix.size * matrix.itemsize // BYTES_OF_ROWS
    num_threads = max(1, min(counter.num_threads, n_worth_it))
    return fill_in_threads((empty,), add, len(matrix), num_threads, ROWS_AT_ONCE)[0]
