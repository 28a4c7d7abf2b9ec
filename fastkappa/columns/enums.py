"""Members of a Python enum as ratings: read by value, reported by name, ordered as defined."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.columns.label_order import LabelOrder
from fastkappa.columns.missing import is_missing


def is_enum(ratings: Any) -> bool:
    """Return whether the first rating of a list, array or Series is a member of an enum."""
    if isinstance(ratings, (list, tuple)):
        return len(ratings) > 0 and isinstance(ratings[0], enum.Enum)
    if getattr(ratings, "dtype", None) != np.dtype(object) or len(ratings) == 0:
        return False
    return isinstance(np.asarray(ratings).flat[0], enum.Enum)


def codes_of_enum(ratings: Any, name: str) -> tuple[AnyArray, LabelOrder] | None:
    """Return the codes of an enum's members and the order of the enum, None for other ratings."""
    if not is_enum(ratings):
        return None
    members = ratings if isinstance(ratings, (list, tuple)) else np.asarray(ratings).tolist()
    kind: type[enum.Enum] = type(members[0])
    code = {member: i for i, member in enumerate(kind)}
    try:
        codes = np.fromiter((code[member] for member in members), np.int32, len(members))
    except (KeyError, TypeError) as error:
        other = next(m for m in members if not isinstance(m, kind))
        if is_missing(other):
            raise ValueError(f"Input {name} contains NaN.") from error
        raise ValueError(
            f"{name} must hold members of one enum, got {members[0]!r} and {other!r}."
        ) from error
    values = [member.value for member in kind]
    labels = np.asarray(values)
    if labels.ndim != 1 or not (isinstance(values[0], str) or labels.dtype.kind in "iufb"):
        raise ValueError(
            f"{name} must hold members of an enum whose values are all numbers or all strings, got"
            f" {kind.__name__} with {values[0]!r}."
        )
    return codes, LabelOrder(labels, np.array([member.name for member in kind]))
