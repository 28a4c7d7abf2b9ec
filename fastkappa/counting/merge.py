"""What it takes to make one table of several: labels of all, and sums that are exact."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fastkappa.arrays import AnyArray

INT64_MAX = (1 << 63) - 1


def add_exactly(first: AnyArray, second: AnyArray) -> AnyArray:
    """Return the sum of two tables, or raise if it does not fit in int64."""
    total: AnyArray = first + second
    if "f" in (first.dtype.kind, second.dtype.kind) or not first.size:
        return total
    limit = max(abs(int(bound(table))) for table in (first, second) for bound in (np.min, np.max))
    if limit > INT64_MAX // 2:
        exact = first.astype(object) + second.astype(object)
        if np.abs(exact).max() > INT64_MAX:
            raise OverflowError(
                f"the sums of item weights reach {np.abs(exact).max()}, beyond int64: give"
                " float weights."
            )
        total = exact.astype(np.int64)
    return total


def union_of_labels(arrays: Sequence[AnyArray]) -> AnyArray:
    """Return all labels, sorted, in a type that holds every one of them."""
    arrays = [array for array in arrays if len(array)] or list(arrays[:1])
    kinds = {array.dtype.kind for array in arrays}
    of_words, of_dates = kinds <= set("UTO") and not _whole(arrays), kinds <= set("mM")
    if not (of_words or of_dates or kinds <= set("iubfO")):
        raise ValueError(
            "Mix of label input types (string and number); Got"
            f" {' and '.join(str(array) for array in arrays)}."
        )
    if of_words or of_dates or len(kinds) == 1 or "u" not in kinds:
        return np.unique(np.concatenate(arrays))
    # NumPy makes floats of int64 beside uint64, and they do not hold all of either.
    labels = sorted({label for array in arrays for label in array.tolist()})
    if "f" in kinds:
        return np.array(labels, np.float64)
    if labels[-1] <= INT64_MAX:
        return np.array(labels, np.int64)
    return np.array(labels, np.uint64 if labels[0] >= 0 else object)


def _whole(arrays: Sequence[AnyArray]) -> bool:
    """Tell whole numbers in an array of objects, for which 64 bits did not do."""
    return any(array.dtype.kind == "O" and isinstance(array[0], int) for array in arrays)
