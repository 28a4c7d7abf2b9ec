"""Split predictions into named columns, and count one table per column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.leaderboards.items.many_columns import Counter, stacked
from fastkappa.leaderboards.items.reference import Reference
from fastkappa.leaderboards.items.shared_order import SharedOrder
from fastkappa.ratings.column import refuse_masked
from fastkappa.ratings.item_weights import check_some_weight, read_sample_weight
from fastkappa.ratings.missing import Missing
from fastkappa.tables.table import ConfusionTable

# The largest number of predictions read in one batch: MOST_COLUMNS from an array, and
# COLUMNS_AT_ONCE from other objects. Batches of this size keep all threads busy.
MOST_COLUMNS, COLUMNS_AT_ONCE = 1 << 10, 32
FORMS = (
    "predictions must be a two-dimensional array, a mapping of names to columns, a data frame"
    " or an iterable of columns"
)


def count_predictions(
    counter: Counter,
    y_true: Any,
    predictions: Any,
    labels: Any,
    sample_weight: Any,
    axis: int,
    *,
    missing: Missing = "raise",
    missing_codes: Sequence[Any] = (),
    allow_other_labels: bool = False,
) -> tuple[list[Any], ConfusionTable, NDArray[np.int64], SharedOrder]:
    """Count predictions.

    Return the name, the table and the number of missing labels of each prediction, and the order
    of the labels.
    """
    truth = Reference(y_true, missing, missing_codes, labels)
    weights = None
    if sample_weight is not None:
        refuse_masked(sample_weight=sample_weight)
        weights = read_sample_weight(sample_weight, truth.n_given)
        weights = weights if truth.dropped is None else weights[~truth.dropped]
        check_some_weight(weights)
    order = SharedOrder(
        labels, truth.column, counter, refuse_late=True, allow_other_labels=allow_other_labels
    )
    names: list[Any] = []
    parts: list[ConfusionTable] = []
    n_missing: list[int] = []
    # The columns of an array need no extra memory, so more of them are counted together.
    at_once = MOST_COLUMNS if type(predictions) is np.ndarray else COLUMNS_AT_ONCE
    columns = named_columns(predictions, truth.n_given, axis)
    while some := list(islice(columns, at_once)):
        full_names = [f"prediction {name!r}" for name, _ in some]
        pairs = [truth.beside(ratings, name) for (_, ratings), name in zip(some, full_names)]
        names.extend(name for name, _ in some)
        n_missing.extend(pair.n_missing for pair in pairs)
        used = order.labels_of(full_names, [pair.columns for pair in pairs])
        parts += [table for _, table, _ in order.count(full_names, pairs, used, weights)]
    if not names:
        raise ValueError("predictions must contain at least one prediction, got none.")
    return names, stacked(parts), np.array(n_missing, np.int64), order


def named_columns(predictions: Any, n_items: int, axis: int) -> Iterator[tuple[Any, Any]]:
    """Yield the name and the ratings of each prediction.

    The names are the keys of a mapping or the column names of a data frame. Other predictions are
    named 0, 1, 2, ... If the predictions are an array, ``axis`` is the axis of the items.
    """
    is_whole = hasattr(axis, "__index__") and np.ndim(axis) == 0 and not isinstance(axis, bool)
    if not is_whole or axis not in (0, 1):
        raise ValueError(f"axis must be 0 or 1 (the axis of the items), got {axis!r}.")
    if isinstance(predictions, Mapping):
        yield from predictions.items()
    elif isinstance(predictions, (str, bytes)):
        raise TypeError(f"{FORMS}, got {predictions!r}.")
    # pyarrow tables
    elif hasattr(predictions, "column_names"):
        yield from zip(predictions.column_names, predictions.columns)
    # polars data frames
    elif hasattr(predictions, "iter_columns"):
        yield from zip(predictions.columns, predictions.iter_columns())
    # pandas data frames
    elif hasattr(predictions, "iloc") and getattr(predictions, "ndim", 0) == 2:
        for j, name in enumerate(predictions.columns):
            yield name, predictions.iloc[:, j]
    elif hasattr(predictions, "shape"):
        yield from enumerate(_columns_of_array(predictions, n_items, axis))
    elif isinstance(predictions, Iterable):
        yield from enumerate(predictions)
    else:
        raise TypeError(f"{FORMS}, got {type(predictions).__name__}.")


def _columns_of_array(array: Any, n_items: int, axis: int) -> Iterator[Any]:
    shape = tuple(array.shape)
    if len(shape) != 2:
        raise ValueError(f"{FORMS}, got an array of shape {shape}.")
    if shape[axis] != n_items:
        hint = f" Did you mean axis={1 - axis}?" if shape[1 - axis] == n_items else ""
        raise ValueError(
            f"predictions must have as many items along axis {axis} as y_true ({n_items}), got an"
            f" array of shape {shape}.{hint}"
        )
    columns = array if axis == 0 else array.T
    yield from (columns[:, j] for j in range(shape[1 - axis]))
