"""Check a user's ratings, and convert them to columns that the kernels can count.

Each step is a function. `read` takes all steps for two raters; other modules call only the
functions that they need.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, is_masked_array
from fastkappa.ratings.column import (
    Column,
    are_comparable,
    by_value,
    explain,
    in_common_unit,
    not_comparable,
    read_column,
    read_column_as_sklearn,
    refuse_masked,
    refuse_obstacles,
    refuse_rounded_labels,
)
from fastkappa.ratings.doubtful_labels import (
    REMEDIES,
    Remedies,
    are_missing_among_numbers,
    refuse_decimal_commas,
    refuse_formulas,
    refuse_import_ids,
    refuse_odd_strings,
    warn,
    warn_of_booleans,
    warn_of_lookalikes,
    warn_of_numbers_among_words,
    warn_of_remarks,
    warn_of_second_names,
    warn_of_stand_ins,
)
from fastkappa.ratings.enums import order_of_members
from fastkappa.ratings.interop import PLAIN, only_column, warn_of_row_order
from fastkappa.ratings.item_weights import read_sample_weight, warn_of_ids
from fastkappa.ratings.label_order import LabelOrder, common_order
from fastkappa.ratings.labels import have_fractions, read_labels
from fastkappa.ratings.lengths import (
    check_columns,
    length_of,
    n_samples,
    refuse_frame_of_two,
)
from fastkappa.ratings.missing import (
    BLANKS,
    DROP,
    Missing,
    blanks_as_none,
    check_missing,
    find_missing,
    have_blanks,
    refuse_missing,
    refuse_missing_labels,
    warn_of_lost_labels,
    without,
)
from fastkappa.ratings.on_device import read_on_device

NOTHING: Mapping[str, Any] = {}
# Advice about strings in a column of numbers, if labels are given.
WRITE_ALL_AS_STRINGS = "if the strings are labels, write all ratings and all labels as strings."
# Advice about strings among the true labels for scores or probabilities.
LEAVE_OUT = "leave out such items, or pass labels= to keep them."


class RatedItems(NamedTuple):
    """Columns without missing ratings.

    Attributes
    ----------
    columns : dict of str to Column
        The columns, keyed by argument name.
    rated : tuple of str
        The names of the columns that contain ratings.
    labels : array-like, LabelOrder or None
        The labels that the user gave or that a column declares.
    are_declared : bool
        Whether a column declares the labels, in which case any other rating is an error.
    weights : ndarray of shape (n,) or None
        The item weights.
    n_missing : dict of str to int
        The number of missing values in each column.
    n_dropped : int
        The number of items left out because a value is missing.
    """

    columns: dict[str, Column]
    rated: tuple[str, ...]
    labels: Any
    are_declared: bool
    weights: AnyArray | None
    n_missing: dict[str, int]
    n_dropped: int

    @property
    def ratings(self) -> dict[str, Column]:
        """The columns of ratings."""
        return {name: self.columns[name] for name in self.rated}


def read(
    given: Mapping[str, Any],
    labels: Any = None,
    missing: Missing = "raise",
    missing_codes: Sequence[Any] = (),
    not_rated: Mapping[str, Any] = NOTHING,
    sample_weight: Any = None,
    may_be_empty: bool = False,
    remedy: str = DROP,
) -> RatedItems:
    """Read and check columns of ratings. ``given`` maps the name of each argument to its column.

    ``not_rated`` maps names to columns that are not ratings, such as groups and clusters. If
    ``labels`` are given, strings among numbers are accepted as labels, and so are fractional
    numbers if ``labels`` contains any. ``remedy`` is the advice in the error about missing ratings.

    Raises
    ------
    ValueError
        If lengths differ, if a rating is missing and ``missing`` is 'raise', if a rating cannot be
        a label, if ``labels`` contains a missing value, if two orders are declared, or if no items
        are left and ``may_be_empty`` is False.
    TypeError
        If a column is neither a list nor an array.
    """
    check_missing(missing, missing_codes, labels)
    names = tuple(given)
    if not_rated:
        given = {**not_rated, **given}
    n_given = _length(given, labels, may_be_empty)
    warn_of_row_order({**given, "sample_weight": sample_weight})
    kept = {name: only_column(column) for name, column in given.items()}
    n_missing, dropped = dict.fromkeys(given, 0), None
    counted = None
    if type(kept[names[0]]) not in PLAIN and sample_weight is None and not not_rated:
        own = partial(read_rated, labels=labels)
        counted = None if len(missing_codes) else read_on_device(kept, own)
    has_masks = [name for name, column in kept.items() if is_masked_array(column)]
    if counted is None and (missing == "drop" or len(missing_codes) or has_masks):
        odd = names if labels is None else ()
        kept, n_missing, dropped = drop_missing(
            kept, missing, missing_codes, odd, not_rated, remedy
        )
    n_dropped = 0 if dropped is None else int(dropped.sum())
    if n_dropped == n_given and not may_be_empty:
        raise ValueError(f"no items are left: each of the {n_given} items has a missing value.")
    odd_remedy = REMEDIES.odd_strings if labels is None else WRITE_ALL_AS_STRINGS
    try:
        columns = counted or {
            name: read_rated(column, name, missing_codes, labels)
            if name in names
            else read_rated(column, name)
            for name, column in kept.items()
        }
        rated_columns = [columns[name] for name in names]
        # The type of an empty array is arbitrary, so types are compared only if there are items.
        if n_given > n_dropped:
            columns.update(zip(names, comparable(rated_columns, names, odd_remedy)))
    except ValueError as error:
        # Missing ratings were detected while reading; this second pass counts them for the error.
        explain(kept, error, remedy)
        raise
    for name in not_rated:
        if have_blanks(columns[name].categories):
            others = {each: blanks_as_none(column) for each, column in not_rated.items()}
            rest = missing, missing_codes, others, sample_weight, may_be_empty, remedy
            return read({each: given[each] for each in names}, labels, *rest)
        warn_of_lookalikes({name: columns[name]}, "name")
        if name == "clusters":
            warn_of_ids(columns[name])
    weights = None
    if sample_weight is not None:
        refuse_masked(sample_weight=sample_weight)
        n_weights = length_of("sample_weight", sample_weight)
        if n_weights != n_given:
            raise ValueError(
                f"sample_weight must have one weight for each of the {n_given} items, got"
                f" {n_weights}."
            )
        kept_weights = sample_weight if dropped is None else without(sample_weight, dropped)
        weights = read_sample_weight(kept_weights, n_given - n_dropped)
    rated = {name: columns[name] for name in names} if not_rated else columns
    meant, are_declared = judge_labels(rated, labels)
    return RatedItems(columns, names, meant, are_declared, weights, n_missing, n_dropped)


def warn_of_own_name(argument: str, title: str) -> None:
    """Warn that the name of a column is one of its labels. Raters can have letters as names."""
    if len(title) > 1:
        warn(
            f"{argument} contains {title!r}, which is also the name of the column. If a row has the"
            " names of the columns instead of ratings, remove it."
        )


def name_seen(name: Any) -> str:
    """Normalize a column name, so that it equals copies of the name in repeated header lines."""
    return str(name).strip(BLANKS).casefold()


def _length(given: Mapping[str, Any], labels: Any, may_be_empty: bool) -> int:
    """Return the number of items, or raise if it is 0 or if ``labels`` contains a missing value."""
    if "y2" in given and given["y2"] is None:
        refuse_frame_of_two(given["y1"])
    n_given = check_columns(given)
    if labels is not None:
        refuse_missing_labels(labels)
    if n_given == 0 and not may_be_empty:
        *others, last = given
        raise ValueError(f"{', '.join(others)} and {last} must not be empty, got no items.")
    return n_given


def judge_labels(
    columns: Mapping[str, Column],
    labels: Any = None,
    remedies: Remedies = REMEDIES,
    missing_codes: Sequence[Any] = (),
) -> tuple[Any, bool]:
    """Return the given or declared labels, and whether they were declared by a column.

    Parameters
    ----------
    columns : dict of str to Column
        The columns, without missing ratings, keyed by the names to use in errors.
    labels : array-like, default=None
        The labels that the user gave, or None for the labels that occur.
    remedies : Remedies
        The advice in errors.
    missing_codes : sequence, default=()
        Codes for missing ratings that can still occur in the columns of several raters.

    Raises
    ------
    ValueError
        If no labels are given and numbers are mixed with strings, if float64 would round an
        integer, or if two orders are declared.
    """
    strings = {name: column for name, column in columns.items() if column.categories is not None}
    kinds = {column.label_dtype.kind for column in columns.values()}
    if "b" in kinds:
        warn_of_booleans(columns, labels)
    declared = None
    if labels is None:
        if "f" in kinds:
            refuse_rounded_labels(columns.items())
        undeclared = {name: column for name, column in strings.items() if not column.declared}
        if undeclared:
            refuse_import_ids(undeclared, remedies.second_names)
        for name, column in undeclared.items():
            refuse_odd_strings(column, name, remedies.odd_strings, missing_codes)
            refuse_decimal_commas(column, name, remedies.decimals)
        if undeclared:
            warn_of_stand_ins(undeclared, missing_codes, remedies.stand_ins)
            warn_of_numbers_among_words(undeclared)
            warn_of_remarks(undeclared)
            if len(undeclared) == len(columns):
                warn_of_second_names(undeclared, remedies.second_names)
        orders = {name: column.declared for name, column in columns.items() if column.declared}
        declared = common_order(orders, remedies.order) if orders else None
    if strings:
        for name, column in strings.items():
            if isinstance(column.title, str) and column.title in (column.categories or ()):
                warn_of_own_name(name, column.title)
        refuse_formulas(strings)
        warn_of_lookalikes(strings, given=labels)
    if labels is None:
        return declared, declared is not None
    return order_of_members(labels) or _named_members(labels, columns) or labels, False


def _named_members(labels: Any, columns: Mapping[str, Column]) -> LabelOrder | None:
    """Return the order of the labels if they are names of enum members, or None otherwise."""
    for order in (column.declared for column in columns.values()):
        if order is not None and order.names is not order.labels:
            given = read_labels(labels).tolist()
            place = {name: i for i, name in enumerate(order.names.tolist())}
            if place.keys() >= set(given) and not set(given) & set(order.labels.tolist()):
                places = [place[name] for name in given]
                return LabelOrder(order.labels[places], order.names[places])
    return None


def drop_missing(
    columns: Mapping[str, Any],
    missing: Missing,
    missing_codes: Sequence[Any] = (),
    odd: Collection[str] = (),
    not_rated: Collection[str] = (),
    remedy: str = DROP,
) -> tuple[dict[str, Any], dict[str, int], NDArray[np.bool_] | None]:
    """Drop the items with a missing value in any column, or raise, depending on ``missing``.

    Return a tuple of the remaining columns, the number of missing values per column, and a mask of
    the dropped items, which is None if nothing is missing. The values in ``missing_codes`` count as
    missing, except in the columns named in ``not_rated``. ``odd`` contains the names of the columns
    in which strings such as "n/a" among numbers also count as missing.
    """
    if missing == "raise":
        refuse_missing(columns, None, missing_codes, not_rated, remedy)
        return dict(columns), dict.fromkeys(columns, 0), None
    masks = {
        name: missing_or_odd(column, () if name in not_rated else missing_codes, name, name in odd)
        for name, column in columns.items()
    }
    counted = {name: 0 if mask is None else int(mask.sum()) for name, mask in masks.items()}
    found = [mask for mask in masks.values() if mask is not None]
    if not found:
        return dict(columns), counted, None
    rated = {name: column for name, column in columns.items() if name not in not_rated}
    warn_of_lost_labels(rated, masks)
    dropped = np.logical_or.reduce(found)
    kept = {name: without(column, dropped) for name, column in columns.items()}
    return kept, counted, dropped


def read_rated(
    ratings: Any, name: str, missing_codes: Sequence[Any] = (), labels: Any = None
) -> Column:
    """Read a column that has no missing ratings, and remove codes from its declared order.

    Fractional numbers are accepted as labels only if ``labels`` contains fractional numbers.
    """
    column = read_column(ratings, name)
    if column.categories is not None:
        column = column._replace(title=getattr(ratings, "name", None))
    if column.obstacle == "continuous" and labels is not None and have_fractions(labels):
        column = by_value(column)
    order = column.declared
    coded = None if order is None else find_missing(order.labels, missing_codes)
    if order is None or coded is None:
        return column
    return column._replace(declared=LabelOrder(order.labels[~coded], order.names[~coded]))


def missing_or_odd(
    column: Any, missing_codes: Sequence[Any], name: str, odd_is_missing: bool
) -> NDArray[np.bool_] | None:
    """Return a mask of missing ratings, or None if no rating is missing.

    If ``odd_is_missing`` is True, strings such as "n/a" in a column of numbers also count as
    missing, unless ``missing_codes`` are given.
    """
    missing = find_missing(column, missing_codes)
    if not odd_is_missing or len(missing_codes):
        return missing
    return _with_odd_strings(column, missing, name)


def _with_odd_strings(
    column: Any, missing: NDArray[np.bool_] | None, name: str
) -> NDArray[np.bool_] | None:
    """Add strings such as "n/a" in a column of numbers to the mask of missing ratings."""
    if getattr(getattr(column, "dtype", None), "kind", "O") in "iufbmM":
        return missing
    present = column if missing is None else without(column, missing)
    odd = are_missing_among_numbers(read_column(present, name)) if n_samples(present) else None
    if odd is None or missing is None:
        return missing if odd is None else odd
    # The mask is copied, because it might belong to the user.
    gone = missing.copy()
    gone[~missing] = odd
    return gone


def read_columns(
    y1: Any,
    y2: Any,
    names: tuple[str, str],
    read: Callable[[Any, str], Column] = read_column,
) -> tuple[Column, Column]:
    """Read the ratings of two raters as columns, or raise if their labels cannot be compared."""
    columns = read(y1, names[0]), read(y2, names[1])
    remedy = None if read is read_column_as_sklearn else REMEDIES.odd_strings
    first, second = comparable(columns, names, remedy)
    return first, second


def comparable(
    columns: Sequence[Column], names: Sequence[str], remedy: str | None = REMEDIES.odd_strings
) -> Sequence[Column]:
    """Return the columns, with dates in a common unit, or raise if labels cannot be compared.

    ``remedy`` is the advice about strings among numbers. If it is None, errors have the same
    messages as in scikit-learn.
    """
    first = columns[0]
    for name, other in zip(names[1:], columns[1:]):
        if first.obstacle or other.obstacle:
            if remedy is None:
                _refuse(first, other)
            refuse_obstacles({names[0]: first, name: other})
        if are_comparable(first.label_dtype, other.label_dtype):
            continue
        if remedy is None:
            raise _mix_of_types(first, other)
        refuse_odd_strings(first, names[0], remedy)
        refuse_odd_strings(other, name, remedy)
        refuse_decimal_commas(first, names[0], REMEDIES.decimals)
        refuse_decimal_commas(other, name, REMEDIES.decimals)
        raise not_comparable(first, other, (names[0], name))
    if first.label_dtype.kind not in "mM":
        return columns
    return in_common_unit(columns, names)


def _mix_of_types(first: Column, second: Column) -> ValueError:
    """Return scikit-learn's error for labels that cannot be compared."""
    if first.categories is None and second.categories is None:
        types = f"({first.label_dtype} and {second.label_dtype})"
        return ValueError(f"Mix of label input types {types}.")
    return ValueError(
        "Mix of label input types (string and number); Got"
        f" {_distinct_labels(first)} and {_distinct_labels(second)}."
    )


def _distinct_labels(column: Column) -> AnyArray:
    """Return the labels that occur in a column, for an error message."""
    distinct_values = np.unique(column.values)
    if column.categories is not None:
        return np.array(sorted(column.categories[code] for code in distinct_values))
    return distinct_values.astype(column.label_dtype)


def _refuse(first: Column, second: Column) -> None:
    """Raise scikit-learn's error for ratings that are not class labels."""
    types = [
        column.obstacle or ("binary" if len(np.unique(column.values)) <= 2 else "multiclass")
        for column in (first, second)
    ]
    if types[0] != types[1]:
        raise ValueError(
            f"Classification metrics can't handle a mix of {types[0]} and {types[1]} targets"
        )
    raise ValueError(f"{types[0]} is not supported")
