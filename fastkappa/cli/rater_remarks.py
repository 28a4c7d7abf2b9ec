"""Remarks and warnings about ratings by several raters: their groups, shared items and sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.formatting import count_text, first_of_many, label_text
from fastkappa.multirater.ratings import Ratings
from fastkappa.ratings.doubtful_labels import MOST_SHOWN, SEPARATORS, joined_by, warn
from fastkappa.ratings.lengths import share_few_ids
from fastkappa.ratings.missing import find_missing
from fastkappa.sources.arrow_columns import are_lists, as_array, in_one

BLANK_SETS = "A blank field counts as missing: write [] for no labels."


def separate_occasions(arrays: dict[str, Any], item: str, rater: str, group: str) -> list[str]:
    """Return a remark if groups share items, unless each rater occurs in only one group.

    If a rater rated an item in several groups, every rater is treated as a different rater in each
    group. The names in the ``rater`` column of ``arrays`` then include the group.
    """
    items, raters, groups = (codes_of(arrays[name]) for name in (item, rater, group))
    kept = groups >= 0
    n_raters, n_groups = int(raters.max()) + 1, int(groups.max()) + 1
    if n := _n_in_several(items[kept] * n_raters + raters[kept], groups[kept], n_groups):
        names = zip(arrays[rater].to_pylist(), arrays[group].to_pylist())
        arrays[rater] = as_array([f"{one} ({label_text(of)})" for one, of in names], rater)
        return [
            f"some items have ratings by the same rater in several groups of {group!r}"
            f" ({count_text(n, 'pair')} of item and rater). Each rater therefore counts as a"
            " different rater in each group, with a name such as"
            f" {arrays[rater][0].as_py()!r}."
        ]
    n = _n_in_several(items[kept], groups[kept], n_groups)
    if n and _n_in_several(raters[kept], groups[kept], n_groups):
        return [
            f"Items that occur in several groups of {group!r}: {n}. Each rating counts in the group"
            " of its row."
        ]
    return []


def _n_in_several(keys: AnyArray, groups: AnyArray, n_groups: int) -> int:
    """Return the number of distinct keys that occur in more than one group."""
    pairs = np.unique(keys * n_groups + groups) // n_groups
    return len(np.unique(pairs[1:][pairs[1:] == pairs[:-1]]))


def repeated_items(tables: Mapping[Any, AnyArray], raters: Sequence[str]) -> list[str]:
    """Return a remark if the tables of the groups suggest that all groups have the same items.

    This is likely if a rater, or a column of true labels, has the same label counts in all groups.
    """
    if len(tables) < 2:
        return []
    for name, axis in zip(raters, (1, 0)):
        first, *others = (table.sum(axis=axis) for table in tables.values())
        if np.count_nonzero(first) > 1 and all(np.array_equal(first, own) for own in others):
            return [
                f"column {name!r} contains each label equally often in all groups. If the groups"
                " have the same items, for example with one row per reader and item, use --cluster"
                " to name the column of items. Without --cluster, the groups are compared as if"
                " they were independent."
            ]
    return []


def warn_of_few_shared(ratings: Ratings) -> None:
    """Warn about raters who share few items with any one rater and with all others combined."""
    tables, n_rated = ratings.rater_pairs("the raters' items")
    n, pairs = ratings.n_raters, np.triu_indices(ratings.n_raters, 1)
    shared = np.zeros((n, n), np.int64)
    shared[pairs] = tables.sum(axis=(1, 2))
    shared += shared.T
    if not shared.any():
        return  # If no raters share items, an error is raised later.
    few = [
        f"{name} ({own.max()} of {total})"
        for i, (name, own, total) in enumerate(zip(ratings.rater_names or (), shared, n_rated))
        if 0 < 2 * own.sum() < total
        and all(share_few_ids(own[j], total, n_rated[j]) for j in range(n) if j != i)
    ]
    if few:
        warn(
            "some raters share fewer than half of their items with any other rater:"
            f" {first_of_many(few, MOST_SHOWN)}. Agreement is computed from shared items only. If"
            " these raters rated the same items, check that the item ids are formatted in the same"
            " way in all files."
        )


def warn_of_separator(labels: AnyArray, separator: str) -> None:
    """Warn if labels of sets seem to be joined by a separator other than the given one."""
    sets = labels.tolist()
    names = sorted({name for one in sets for name in one})
    is_unused = all(len(one) < 2 for one in sets)
    for other in SEPARATORS.replace(separator, ""):
        joined = [name for name in names if other in name]
        found = joined_by(other, names)
        if found or (is_unused and 2 * len(joined) >= len(names)):
            warn(
                f"labels such as {(found or joined)[0]!r} contain several labels joined by"
                f" {other!r}: if ratings are sets of labels, use --set-separator {other!r}."
            )


def blank_sets(arrays: Mapping[str, Any], rated: Sequence[str]) -> list[str]:
    """Return a remark on sets that are left out because their fields are blank."""
    n_blank = sum(arrays[name].null_count for name in rated)
    return [f"{count_text(n_blank, 'rating')} left out. {BLANK_SETS}"] if n_blank else []


def rows_without_group(arrays: Mapping[str, Any], group: str) -> list[str]:
    """Return a remark on the rows without a group."""
    missing = find_missing(arrays[group])
    if missing is None or not missing.any():
        return []
    return [
        f"Rows without a group in column {group!r}: {missing.sum()} of {len(missing)}."
        " These rows are left out of all groups."
    ]


def replaced_ratings(
    arrays: Mapping[str, Any], item: str, rater: str, rating: str, kept: str
) -> list[str]:
    """Return a remark on ratings replaced by another rating of the same item by the same rater."""
    items, raters, ratings = (codes_of(arrays[name]) for name in (item, rater, rating))
    rated = ratings >= 0
    ratings, pairs = ratings[rated], (items * (raters.max() + 1) + raters)[rated]
    if kept == "last":
        ratings, pairs = ratings[::-1], pairs[::-1]
    _, first, which = np.unique(pairs, return_index=True, return_inverse=True)
    n, n_differ = len(pairs) - len(first), int((ratings != ratings[first][which]).sum())
    if not n:
        return []
    # Corrections are rare. A wrong column of items or raters merges many ratings.
    advice = " Check the columns of items and raters." if n >= len(first) else ""
    return [
        f"{count_text(n, 'rating')} replaced by the {kept} rating of the same item by the same"
        f" rater; {n_differ} of the replaced ratings differed.{advice}"
    ]


def codes_of(column: Any) -> AnyArray:
    """Encode a column as integers. Equal values get equal integers, and missing values get -1."""
    if are_lists(column):
        sets = [None if one is None else str(sorted(set(one))) for one in column.to_pylist()]
        column = as_array(sets, "")
    column = in_one(column)
    encoded = column if hasattr(column, "dictionary") else column.dictionary_encode()
    return np.asarray(encoded.indices.fill_null(-1)).astype(np.int64)
