"""Detect tables that contain ids, or that are in long form instead of one column per rater."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.ratings.real_numbers import number_rows

# With fewer subjects than this, measurements could be 1, 2, 3, ... by chance.
FEWEST = 6
# A column with one of these names contains ids, not measurements, if all its values differ.
IDS = frozenset(
    (
        "id",
        "ids",
        "index",
        "item",
        "items",
        "subject",
        "patient",
        "case",
        "image",
        "row",
        "unnamed: 0",
    )
)
# Columns with these names contain the rater of each row.
RATERS = frozenset(("rater", "raters", "judge", "observer", "annotator", "reader", "rater_id"))


def refuse_other_forms(columns: Sequence[AnyArray], names: Sequence[str] | None) -> None:
    """Raise if a column looks like ids, or if there seems to be one row per measurement."""
    found = _long_form(columns, names)
    if found is not None:
        subject, rater, value = found
        if names is None:
            which = f"columns {subject} and {rater} have each combination of values exactly once"
            remedy = "Give one row per subject and one column per rater."
        else:
            which = f"{names[subject]!r} and {names[rater]!r} identify each row"
            remedy = (
                f"Give one column per rater: ratings.pivot(index={names[subject]!r},"
                f" columns={names[rater]!r}, values={names[value]!r}) in pandas."
            )
        raise ValueError(f"ratings seem to have one row per measurement: {which}. {remedy}")
    ids = next((j for j in range(len(columns)) if _are_ids(j, columns, names)), None)
    if ids is not None:
        if names is None:
            named, remedy = f"column {ids}", f"np.delete(ratings, {ids}, axis=1)"
        else:
            named, remedy = f"column {names[ids]!r}", f"ratings.drop(columns={names[ids]!r})"
        raise ValueError(
            f"{named} of ratings seems to contain ids of subjects, because it has a different whole"
            f" number in each of the {len(columns[ids])} rows. Leave out this column, for example"
            f" with {remedy} in {'NumPy' if names is None else 'pandas'}."
        )


def refuse_ids_of_pair(columns: Sequence[AnyArray], names: Sequence[str]) -> None:
    """Raise if one of two columns seems to contain ids of subjects or raters."""
    for j, argument in enumerate(("y1", "y2")):
        values, other = columns[j], columns[1 - j]
        if len(values) < FEWEST or not _are_whole(values):
            continue
        is_named = _is_named(names[j], IDS | RATERS)
        # The name alone is not enough: a column named 'patient' can contain measurements taken by
        # patients. Two columns of measurements, however, have similar ranges.
        is_alone = ((other >= values.min()) & (other <= values.max())).mean() < 0.5
        if (is_named or is_alone) and _are_repeated(values):
            found = "its numbers repeat in a regular order"
        elif are_row_numbers(values, other) or (is_alone and is_named and _never_repeats(values)):
            found = "it has a different whole number in each row"
        else:
            continue
        called = f" ({names[j]!r})" if is_named else ""
        raise ValueError(
            f"{argument}{called} seems to contain ids of subjects or raters: {found}. Pass the"
            " measurements instead. If you have one row per measurement, use"
            " ratings.pivot(index=..., columns=..., values=...) in pandas to get one column per"
            " rater."
        )


def are_row_numbers(values: AnyArray, other: AnyArray) -> bool:
    """Return whether one of two columns numbers the rows, and is not just in ascending order.

    The other column then has few different values, or most of its values are in another range.
    """
    # Most columns are ruled out by their first values, without a copy of the column.
    if len(values) < FEWEST or not (number_rows(values[:FEWEST]) and number_rows(values)):
        return False
    is_inside = (other >= values[0]) & (other <= values[-1])
    return bool(is_inside.mean() < 0.5 or 2 * len(np.unique(other)) <= len(other))


def _are_repeated(values: AnyArray) -> bool:
    """Return whether integers repeat like ids in long form: 1, 1, 2, 2, or 1, 2, 1, 2."""
    # Most columns that do not repeat regularly can be ruled out by their first few values.
    if len(np.unique(np.diff(values[:FEWEST].astype(np.float64)))) > 2:
        return False
    ids = np.unique(values)
    times = len(values) // len(ids)
    if len(ids) < 2 or times < 2 or times * len(ids) != len(values):
        return False
    return any((values == spread(ids, times)).all() for spread in (np.repeat, np.tile))


def _never_repeats(values: AnyArray) -> bool:
    return len(np.unique(values)) == len(values)


def _are_ids(j: int, columns: Sequence[AnyArray], names: Sequence[str] | None) -> bool:
    """Return whether a column seems to contain ids, by its name or because it numbers the rows.

    The values 1, 2, 3, ... could also be reference values that other raters measured as 1.1, 1.9,
    3.2, ..., or ranks given by the first of two raters. Therefore a column that numbers the rows is
    treated as ids only if the other columns have a different range or few distinct values.
    """
    values = columns[j]
    n = len(values)
    if n < FEWEST or not _are_whole(values):
        return False
    if names is not None and _is_named(names[j], IDS) and _never_repeats(values):
        return True
    if not number_rows(values):
        return False
    others = [column for i, column in enumerate(columns) if i != j]
    are_few = all(2 * len(np.unique(column)) <= n for column in others)
    inside = [((column >= values[0]) & (column <= values[-1])).mean() for column in others]
    return (len(others) > 1 and are_few) or max(inside) < 0.5


def _long_form(
    columns: Sequence[AnyArray], names: Sequence[str] | None
) -> tuple[int, int, int] | None:
    """Return the subject, rater and measurement columns of a table in long form, otherwise None."""
    if len(columns) != 3 or len(columns[0]) < FEWEST:
        return None
    for subject, rater, value in ((0, 1, 2), (1, 0, 2), (0, 2, 1), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
        pair = columns[subject], columns[rater]
        if not all(map(_are_whole, pair)):
            continue
        n_subjects, n_raters = (len(np.unique(column)) for column in pair)
        are_pairs = len(np.unique(np.stack(pair), axis=1).T) == len(pair[0])
        is_crossed = min(n_subjects, n_raters) > 1 and n_subjects * n_raters == len(pair[0])
        named = names is not None and _is_named(names[rater], RATERS)
        if are_pairs and (named or (is_crossed and n_subjects >= n_raters)):
            return subject, rater, value
    return None


def _is_named(name: str, names: frozenset[str]) -> bool:
    return name.strip().lower() in names


def _are_whole(values: AnyArray) -> bool:
    return values.dtype.kind in "iu" or bool(
        (np.isfinite(values) & (np.rint(values) == values)).all()
    )
