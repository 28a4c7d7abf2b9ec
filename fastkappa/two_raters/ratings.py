"""The ratings that the functions of two raters take: checked, and without what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from fastkappa.arrays import AnyArray
from fastkappa.columns.checks import (
    Missing,
    check_columns,
    check_labels,
    check_missing_codes,
    drop_missing,
    explain,
    read_rated,
)
from fastkappa.columns.column import Column
from fastkappa.columns.interop import only_column, warn_of_row_order
from fastkappa.columns.label_order import warn_of_order
from fastkappa.columns.lengths import n_samples
from fastkappa.columns.odd_strings import REMEDY
from fastkappa.columns.pair import comparable
from fastkappa.counting.known_labels import KnownLabels, labels_to_use
from fastkappa.exceptions import users_stacklevel
from fastkappa.statistics.weights import Weights, what_needs_order

GROUPS = "groups"
CLUSTERS = "clusters"
NOT_RATED = (GROUPS, CLUSTERS)
# For strings among the numbers of one column, where labels are given.
WRITE_ALL_AS_STRINGS = "if they are labels, write the ratings and labels all as strings."


class RatedItems(NamedTuple):
    """Columns without missing ratings.

    Attributes
    ----------
    columns : dict of str to Column
        The columns, by the name of their argument.
    known : KnownLabels or None
        The labels given or declared.
    n_missing : dict of str to int
        The number of values missing in each column.
    n_dropped : int
        The number of items left out because one is missing.
    """

    columns: dict[str, Column]
    known: KnownLabels | None
    n_missing: dict[str, int]
    n_dropped: int


def read_items(
    given: dict[str, Any], labels: Any, missing: Missing, missing_codes: Sequence[Any]
) -> RatedItems:
    """Return the columns given, by the name of their argument; groups and clusters are no ratings.

    Raises
    ------
    ValueError
        If lengths differ, if a rating is missing (unless dropped) or is not a label, or if no
        item is left.
    TypeError
        If one is neither a list nor an array.
    """
    n_given = check_columns(given, missing)
    check_labels(labels)
    check_missing_codes(missing_codes)
    if n_given == 0:
        *others, last = given
        raise ValueError(f"{', '.join(others)} and {last} must not be empty, got no items.")
    warn_of_row_order(given)
    names = [name for name in given if name not in NOT_RATED]
    kept, n_missing, n_dropped = drop_missing(
        {name: only_column(column) for name, column in given.items()},
        missing,
        missing_codes,
        odd=names if labels is None else (),
        not_rated=NOT_RATED,
    )
    if n_samples(kept[names[0]]) == 0:
        raise ValueError(f"no items are left: a value is missing of each of the {n_given}.")
    try:
        columns = {
            name: read_rated(column, name, () if name in NOT_RATED else missing_codes)
            for name, column in kept.items()
        }
        remedy = REMEDY if labels is None else WRITE_ALL_AS_STRINGS
        for name in names[1:]:
            columns[names[0]], columns[name] = comparable(
                columns[names[0]], columns[name], (names[0], name), remedy
            )
    except ValueError as error:
        # What is missing is found without a pass of its own; this one counts it.
        explain(kept, error)
        raise
    known = labels_to_use(labels, {name: columns[name] for name in names})
    return RatedItems(columns, known, n_missing, n_dropped)


def warn_of_weights(weights: Weights, labels: AnyArray) -> None:
    """Warn if weights are for labels whose order was neither given nor declared."""
    why = what_needs_order(weights)
    if why is not None:
        warn_of_order(labels, why, users_stacklevel())
