"""Measurements in another form than a column per rater: with ids, or in long form."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fastkappa.arrays import AnyArray

# With fewer subjects, measurements can be 1, 2, 3, ... by chance.
FEWEST = 6
# A column with such a name holds ids, not measurements, if all of its values differ.
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
# A column with such a name says which rater a row belongs to.
RATERS = frozenset(("rater", "raters", "judge", "observer", "annotator", "reader", "rater_id"))


def refuse_other_forms(columns: Sequence[AnyArray], names: Sequence[str] | None) -> None:
    """Raise if one column looks like ids of the subjects, or three like a row per measurement."""
    found = _long_form(columns, names)
    if found is not None:
        subject, rater, value = found
        if names is None:
            which = f"columns {subject} and {rater} hold each pair of their values once"
            remedy = "Give a row per subject and a column per rater."
        else:
            which = f"{names[subject]!r} and {names[rater]!r} say what each row is of"
            remedy = (
                f"Give a column per rater: ratings.pivot(index={names[subject]!r},"
                f" columns={names[rater]!r}, values={names[value]!r}) in pandas."
            )
        raise ValueError(f"ratings look like a row per measurement: {which}. {remedy}")
    ids = next((j for j in range(len(columns)) if _are_ids(j, columns, names)), None)
    if ids is not None:
        if names is None:
            named, remedy = f"column {ids}", f"np.delete(ratings, {ids}, axis=1)"
        else:
            named, remedy = f"column {names[ids]!r}", f"ratings.drop(columns={names[ids]!r})"
        raise ValueError(
            f"{named} of ratings looks like ids of the subjects: it holds another whole number in"
            f" each of the {len(columns[ids])} rows. Leave it out, as {remedy} in"
            f" {'NumPy' if names is None else 'pandas'} does."
        )


def _are_ids(j: int, columns: Sequence[AnyArray], names: Sequence[str] | None) -> bool:
    """Return whether a column holds ids: by its name, or because it counts the rows.

    Values 1, 2, 3, ... can be true values that others measure as 1.1, 1.9, 3.2, ..., or the ranks
    of the first of two raters. So a column that counts the rows holds ids only if the other columns
    have another range or few different values.
    """
    values = columns[j]
    n = len(values)
    if n < FEWEST or not _are_whole(values) or len(np.unique(values)) < n:
        return False
    if names is not None and _is_named(names[j], IDS):
        return True
    if values[0] not in (0, 1) or (np.diff(values.astype(np.float64)) != 1).any():
        return False
    others = [column for i, column in enumerate(columns) if i != j]
    are_few = all(2 * len(np.unique(column)) <= n for column in others)
    inside = [((column >= values[0]) & (column <= values[-1])).mean() for column in others]
    return (len(others) > 1 and are_few) or max(inside) < 0.5


def _long_form(
    columns: Sequence[AnyArray], names: Sequence[str] | None
) -> tuple[int, int, int] | None:
    """Return the columns of subjects, raters and measurements, if there are three such columns."""
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
