"""Sum the codes of two columns and their products, which determine quadratic kappa.

The sums are computed at memory speed, regardless of the number of labels. Quadratic weights depend
on the positions of the labels, so the code of a label must be its position. Therefore, every
integer in the range must be a label that is given or known to occur.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from fastkappa.kernels.contract import PairKernels, SumMoments
from fastkappa.kernels.threads import ItemRanges, division_of_pairs, run_in_threads
from fastkappa.ratings.column import Column
from fastkappa.tables.codecs import LabelRange, guess_label_range
from fastkappa.tables.count import count_unknown
from fastkappa.tables.known_labels import KnownLabels
from fastkappa.tables.tally import LARGEST_RANGE, LONGEST_RANGE

# With at most this many known labels, counting a table is as fast as summing moments.
LABELS_COUNTED_AS_FAST = 5
# If the labels are not given, moments are summed only for more labels than this. The limit is
# higher than for known labels, because a wrong guess requires a second pass over the items.
LABELS_NOT_WORTH_A_GUESS = 8
# With fewer items than this, counting a table is as fast as summing moments.
FEWEST_ITEMS = 1 << 20
MOST_LABELS = (1 << 16) - 1
# If the labels are not given, their range is guessed from this many items at the start, among which
# every label in the range must occur.
SAMPLE = 1 << 16


class Moments(NamedTuple):
    """Sums over the items for which both ratings have a code."""

    n_items: int
    first: int
    second: int
    first_squared: int
    second_squared: int
    products: int


def moments_of(
    kernels: PairKernels,
    first: Column,
    second: Column,
    known: KnownLabels | None,
    num_threads: int | None = None,
) -> Moments | None:
    """Return the moments of two columns, or None if a table is needed or would be equally fast."""
    n_items = len(first.values)
    plain = first.categories is None and second.categories is None
    if not plain or n_items < FEWEST_ITEMS or kernels.sum_moments is None:
        return None
    if known is not None:
        label_range, fewest = known.as_range(), LABELS_COUNTED_AS_FAST
    elif all(
        guess_label_range(column.values).n_labels <= LABELS_NOT_WORTH_A_GUESS
        for column in (first, second)
    ):
        return None
    else:
        label_range, fewest = _sampled(kernels, first, second), LABELS_NOT_WORTH_A_GUESS
    if label_range is None or not fewest < label_range.n_labels <= MOST_LABELS:
        return None
    if not all(label_range.fits(column.values) for column in (first, second)):
        return None
    work = partial(
        _sum_partition, kernels.sum_moments, first, second, label_range, known is not None
    )
    # Items are divided among threads as for a table of one cell, because summing moments is just as
    # fast as counting such a table.
    division = division_of_pairs(kernels, first.values, second.values, 1, num_threads)
    parts = run_in_threads(work, n_items, *division)
    sums = [part for part in parts if part is not None]
    if len(sums) < len(parts):
        return None
    return Moments(*(sum(part) for part in zip(*sums)))


def _sampled(kernels: PairKernels, first: Column, second: Column) -> LabelRange | None:
    """Return the range of the labels of the first items, or None if it has gaps."""
    head = [column._replace(values=column.values[:SAMPLE]) for column in (first, second)]
    counts = count_unknown(kernels, head[0], head[1], 1)
    labels = {*counts.rows.tolist(), *counts.columns.tolist()}
    lowest = min(labels)
    if len(labels) < max(labels) - lowest + 1:
        return None
    return LabelRange(lowest, len(labels))


def _sum_partition(
    sum_moments: SumMoments,
    first: Column,
    second: Column,
    label_range: LabelRange,
    outsiders_are_left_out: bool,
    ranges: ItemRanges,
) -> Moments | None:
    """Return the moments of one thread's items, or None if a label is not in a guessed range."""
    total = Moments(0, 0, 0, 0, 0, 0)
    # With short ranges of items, summing can stop early if the guess was wrong.
    length = LONGEST_RANGE if outsiders_are_left_out else LARGEST_RANGE
    while bounds := ranges.take(length):
        n_outside, *sums = sum_moments(
            first.values, second.values, label_range.lowest, label_range.n_labels, bounds
        )
        if n_outside and not outsiders_are_left_out:
            ranges.abandon()
            return None
        total = Moments(*(a + b for a, b in zip(total, sums)))
    return total
