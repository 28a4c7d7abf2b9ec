"""Encode the ratings of several raters as the positions of their labels."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.multirater.items.doubtful_raters import (
    MOST_JUDGED,
    judge_pairs,
    judge_raters,
    ratings_of_items,
    warn_of_derived,
    warn_of_unanimity,
)
from fastkappa.multirater.items.sets import read_sets
from fastkappa.ratings.column import Column, label_of
from fastkappa.ratings.doubtful_labels import SOME_ITEMS
from fastkappa.ratings.label_order import LabelOrder, not_a_label
from fastkappa.ratings.missing import codes_of_dates, find_missing, spellings
from fastkappa.ratings.rating_matrix import Rater, read_raters
from fastkappa.tables.codecs import Codec
from fastkappa.tables.count import count_unknown
from fastkappa.tables.known_labels import KnownLabels
from fastkappa.tables.table import union_of_labels

# The number of ratings that are encoded at a time. A chunk of this size fits in the cache.
CHUNK = 1 << 15


class EncodedRater(NamedTuple):
    """A rater's ratings, with the look-up table that encodes them.

    ``codec`` assigns a code to each rating, and ``lookup`` maps the code to the position of the
    rating's label. A missing rating becomes ``n_labels``, and a rating that is not a label becomes
    ``n_labels + 1``. If ``lookup`` is None, the values are already positions.
    """

    rater: Rater
    values: AnyArray
    n_labels: int
    codec: Codec
    lookup: AnyArray | None
    labels: AnyArray

    def codes(self, start: int, stop: int) -> AnyArray:
        """Return the codes of a slice of ratings, or raise if a rating is not one of the labels."""
        values = self.values[start:stop]
        if self.lookup is None:
            return values
        codes: AnyArray = self.lookup[self.codec.codes(values)]
        if codes.max(initial=0) > self.n_labels:
            outside = start + int(np.argmax(codes > self.n_labels))
            label = label_of(self.rater.column, outside)
            raise not_a_label(self.rater.name, label, self.labels.tolist())
        return codes


class EncodedColumns(NamedTuple):
    """Encoded ratings, the labels that occur in them, and the names of these labels in reports."""

    raters: list[EncodedRater]
    labels: AnyArray
    reported: AnyArray
    order_is_known: bool


def encode_columns(
    columns: Sequence[Any],
    names: Sequence[str],
    labels: Any,
    missing_codes: Sequence[Any],
    argument: str,
) -> EncodedColumns:
    """Encode columns of ratings with a common set of labels. Ratings can themselves be sets.

    Raises
    ------
    ValueError
        As in `read_raters` and `read_sets`. An error is also raised if all ratings are missing.
        Error messages use ``argument`` as the name of the columns.
    """
    coded = read_sets(columns, names, labels, missing_codes)
    if coded is not None:
        codes = range(1, len(coded.sets) + 1)
        raters, order = read_raters(coded.columns, names, codes, (), argument)
        encoded = [_encode(rater, np.array(codes), ()) for rater in raters]
        return EncodedColumns(encoded, coded.sets, coded.sets, labels is not None)
    raters, order = read_raters(columns, names, labels, missing_codes, argument)
    is_known = order is not None
    of_each = None
    if order is None:
        of_each = [_labels_that_occur(rater.column, missing_codes) for rater in raters]
        occurring = [own for own in of_each if len(own)]
        all_labels = union_of_labels(occurring) if occurring else np.empty(0, np.int64)
        order = LabelOrder(all_labels, all_labels)
    if not len(order.labels):
        n_ratings = raters[0].n_subjects * len(raters)
        raise ValueError(
            f"{argument} must contain at least one rating, but all {n_ratings} values are missing."
        )
    encoded = [_encode(rater, order.labels, missing_codes) for rater in raters]
    _judge(encoded, order, of_each, are_given=labels is not None)
    return EncodedColumns(encoded, order.labels, order.names, is_known)


def _judge(
    encoded: Sequence[EncodedRater],
    order: LabelOrder,
    of_each: Sequence[AnyArray] | None,
    *,
    are_given: bool,
) -> None:
    """Warn if the labels of a rater suggest a mistake.

    ``of_each`` is None if the labels were given or declared. In long form, there is only one
    column, so there are no other columns to compare it with.
    """
    columns = {one.rater.name: one.rater.column for one in encoded}
    are_recoded = False
    if 1 < len(encoded) <= MOST_JUDGED:
        # A rating that is not one of the labels raises an error here. The error is ignored, because
        # the functions that count all ratings raise a more detailed one.
        with suppress(ValueError):
            codes = np.stack([one.codes(0, SOME_ITEMS) for one in encoded])
            are_recoded = warn_of_derived(codes, order.labels, [*columns]) or judge_pairs(
                codes, order.names, [*columns], are_given=are_given
            )
            if len(encoded) > 2:
                warn_of_unanimity(*ratings_of_items(codes, len(order.labels)))
    if of_each is not None:
        judge_raters(
            dict(zip(columns, of_each)),
            [len(column.values) for column in columns.values()],
            lambda name: columns[name].values.sum(dtype=float),
            are_recoded=are_recoded,
        )


def _labels_that_occur(column: Column, missing_codes: Sequence[Any]) -> AnyArray:
    """Return the labels that occur in a rater's column, without ``missing_codes``."""
    if not len(column.values):
        return np.empty(0, np.int64)
    labels = _labels_of(column)
    coded = find_missing(labels, missing_codes)
    return labels if coded is None else labels[~coded]


def _labels_of(column: Column) -> AnyArray:
    """Return the labels that a rater gave. They are counted in pairs with a constant column."""
    zeros = np.broadcast_to(np.zeros(1, np.uint8), len(column.values))
    given = count_unknown(get_kernels(), column, Column(zeros, zeros.dtype)).rows
    if column.categories is not None:
        return np.array([column.categories[code] for code in given])
    if column.label_dtype.kind in "mM":
        return given.view(column.label_dtype.newbyteorder("="))
    dtypes = {"b": np.dtype(bool), "f": np.dtype(np.float64)}
    return given.astype(dtypes.get(column.label_dtype.kind, given.dtype), copy=False)


def _encode(rater: Rater, labels: AnyArray, missing_codes: Sequence[Any]) -> EncodedRater:
    column, n_labels = rater.column, len(labels)
    known = KnownLabels(labels, column, column)
    if column.label_dtype.kind in "mM":
        codes = set(codes_of_dates(missing_codes, column.label_dtype).astype(np.int64).tolist())
    else:
        codes = spellings(missing_codes)
    for code in codes:
        known.position.setdefault(code, n_labels)
    codec, positions = known.encode(column)
    dtype = np.min_scalar_type(n_labels + 1)
    # The last entry of the look-up table is for ratings without a code.
    lookup = np.append(np.where(positions < 0, n_labels + 1, positions), n_labels + 1).astype(dtype)
    encoded = EncodedRater(rater, column.values, n_labels, codec, lookup, known.array)
    if rater.missing is None:
        return encoded
    whole = np.full(rater.n_subjects, n_labels, dtype)
    parts = [encoded.codes(i, i + CHUNK) for i in range(0, len(column.values), CHUNK)]
    whole[~rater.missing] = np.concatenate([whole[:0], *parts])
    return encoded._replace(values=whole, lookup=None)
