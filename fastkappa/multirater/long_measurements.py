"""Sort measurements in long form (one row per measurement) by rater and item."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.formatting import count_text
from fastkappa.multirater.items.identified import Identified, identify
from fastkappa.multirater.items.long import clusters_of_items
from fastkappa.ratings.rating_matrix import read_measurements


class LongMeasurements(NamedTuple):
    """The measurements of each rater, with NaN for missing values, and the cluster of each item."""

    by_rater: dict[str, FloatTable]
    clusters: AnyArray | None


def sort_measurements(
    item: Any, rater: Any, value: Any, cluster: Any, *, drop_missing: bool
) -> LongMeasurements:
    """Convert measurements in long form to one array per rater.

    Raises
    ------
    ValueError
        If an item or a rater is missing, if a rater measured an item twice, or if an item is in two
        clusters. Unless ``drop_missing`` is True, an error is also raised if a rater did not
        measure an item.
    """
    for name, column in (("item", item), ("rater", rater)):
        if column.null_count:
            raise ValueError(
                f"{name} is missing in {count_text(column.null_count, 'row')}: each measurement"
                " needs an item and a rater."
            )
    items, raters = identify(item, "item"), identify(rater, "rater")
    (values,) = read_measurements([value], ["value"])
    cells = raters.numbers.astype(np.int64) * items.n_distinct + items.numbers
    found, times = np.unique(cells, return_counts=True)
    if times.max(initial=1) > 1:
        of_rater, of_item = divmod(int(found[times.argmax()]), items.n_distinct)
        raise ValueError(
            f"rater {raters.shown(of_rater)} has more than one measurement of item"
            f" {items.shown(of_item)}. To compare raters or methods using replicates,"
            " give each replicate its own item id, such as '7_1' and '7_2', and use --cluster to"
            " name the column that identifies the measured object, such as the lesion (or the"
            " patient, if a patient has several lesions). Do not average the replicates, because"
            " the limits of agreement would be too narrow. To compare sessions of a rater, treat"
            " each session as a separate rater, such as 'r1_s1' and 'r1_s2'."
        )
    matrix = np.full((raters.n_distinct, items.n_distinct), np.nan)
    matrix[raters.numbers, items.numbers] = values
    if not drop_missing:
        _refuse_unmeasured(raters, items, np.isnan(matrix))
    clusters = None if cluster is None else clusters_of_items(cluster, items).values
    return LongMeasurements(dict(zip(raters.names(), matrix)), clusters)


def _refuse_unmeasured(raters: Identified, items: Identified, lacking: AnyArray) -> None:
    """Raise if a rater did not measure an item that other raters measured."""
    if lacking.any():
        rater = int(lacking.any(axis=1).argmax())
        n = count_text(int(lacking[rater].sum()), "item")
        raise ValueError(
            f"rater {raters.shown(rater)} has no measurement of {n}, for example"
            f" {items.shown(int(lacking[rater].argmax()))}. Use missing='drop' to leave out items"
            " that were not measured by all raters."
        )
