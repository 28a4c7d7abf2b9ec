"""Read the members of Python enums by value, report them by name, and keep their order."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from reprlib import repr as short_repr
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray, first_of
from fastkappa.ratings.label_order import LabelOrder
from fastkappa.ratings.labels import array_of
from fastkappa.ratings.missing import is_missing


def codes_of_enum(ratings: Any, name: str) -> tuple[AnyArray, LabelOrder] | None:
    """Return the codes of enum members and the enum's order, or None for other ratings."""
    members = members_of(ratings)
    if members is None:
        return None
    kind: type[enum.Enum] = type(members[0])
    for member in members if set(map(type, members)) != {kind} else ():
        if is_missing(member):
            raise ValueError(f"Input {name} contains NaN.")
        if type(member) is not kind:
            raise ValueError(
                f"{name} must contain members of one enum, got {members[0]!r} and {member!r}."
            )
    code = {member.name: i for i, member in enumerate(kind)}
    try:
        codes = np.fromiter((code[member.name] for member in members), np.int32, len(members))
    # Combinations of flags are not among the members that the enum defines.
    except KeyError:
        other = next(member for member in members if member.name not in code)
        raise ValueError(
            f"{name} must contain only members that {kind.__name__} defines, got {other!r}."
        ) from None
    return codes, _order_of(list(kind), name)


def order_of_members(labels: Any) -> LabelOrder | None:
    """Return the order of labels if they are enum members, or None for other labels."""
    if isinstance(labels, type) and issubclass(labels, enum.Enum):
        labels = list(labels)
    members = members_of(labels)
    if members is None or not all(isinstance(member, enum.Enum) for member in members):
        return None
    return _order_of(members, "labels")


def _order_of(members: Sequence[enum.Enum], name: str) -> LabelOrder:
    values = [member.value for member in members]
    labels = array_of(values, name)
    are_numbers = labels.ndim == 1 and labels.dtype.kind in "iufb"
    if not are_numbers and not all(isinstance(value, str) for value in values):
        raise ValueError(
            f"{name} must contain members of an enum whose values are all numbers or all"
            f" strings, got {type(members[0]).__name__}, whose values are {short_repr(values)}."
        )
    return LabelOrder(labels, np.array([member.name for member in members]))


def members_of(ratings: Any) -> list[Any] | tuple[Any, ...] | None:
    """Return the ratings as a sequence if they start with an enum member, or None otherwise."""
    if isinstance(ratings, (list, tuple)):
        return ratings if isinstance(first_of(ratings), enum.Enum) else None
    if getattr(getattr(ratings, "dtype", None), "kind", None) != "O":
        return None
    array = np.asarray(ratings)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    is_enum = array.ndim == 1 and len(array) > 0 and isinstance(array[0], enum.Enum)
    return array.tolist() if is_enum else None


def names_of_members(ratings: Any) -> Any:
    """Return the names by which enum members are reported; return other ratings unchanged."""
    members = members_of(ratings)
    return ratings if members is None else [member.name for member in members]
