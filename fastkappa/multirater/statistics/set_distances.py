"""Compute distance matrices for sets, or for labels with a user-defined distance function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable

SetLevel: TypeAlias = Literal["jaccard", "masi"]
SET_LEVELS: tuple[SetLevel, ...] = get_args(SetLevel)
# A function that returns the distance between two labels.
Distance: TypeAlias = Callable[[Any, Any], float]


def set_distances(level: SetLevel, labels: AnyArray) -> FloatTable:
    """Return the matrix of distances between sets of labels.

    Let J be the size of the intersection of two sets divided by the size of their union. The
    'jaccard' distance is 1 - J. The 'masi' distance is 1 - J M, where M is 1 for equal sets, 2/3 if
    one set contains the other, 1/3 for other overlapping sets, and 0 for disjoint sets. Two empty
    sets count as equal.

    Parameters
    ----------
    level : {'jaccard', 'masi'}
        The kind of distance.

    labels : ndarray of shape (l,)
        The labels, which must be frozensets.

    Returns
    -------
    distances : ndarray of shape (l, l)
        Distances between 0 and 1.

    Raises
    ------
    ValueError
        If the labels are not sets.

    References
    ----------
    R. Passonneau (2006). Measuring agreement on set-valued items (MASI) for semantic and
    pragmatic annotation. Proceedings of LREC 2006, 831-836.

    Examples
    --------
    >>> import numpy as np
    >>> from fastkappa.multirater.statistics.set_distances import set_distances
    >>> sets = np.array([frozenset("ab"), frozenset("abcd"), frozenset("bx")])
    >>> set_distances("masi", sets).round(4)
    array([[0.    , 0.6667, 0.8889],
           [0.6667, 0.    , 0.9333],
           [0.8889, 0.9333, 0.    ]])
    """
    if not are_sets(labels):
        raise ValueError(f"level={level!r} requires sets as ratings, got {labels.tolist()[0]!r}.")
    _, holds = members_of(labels)
    both = holds @ holds.T
    sizes = holds.sum(axis=1)
    smaller, total = np.minimum(sizes[:, None], sizes), sizes[:, None] + sizes
    either = total - both
    equal = np.eye(len(labels), dtype=bool)
    jaccard = np.where(equal, 1.0, both / np.maximum(either, 1))
    if level == "jaccard":
        overlap = np.ones(jaccard.shape)
    else:
        overlap = np.where(equal, 1.0, np.where(both == smaller, 2 / 3, 1 / 3))
    distances: FloatTable = 1 - jaccard * overlap
    return distances


def are_sets(labels: AnyArray) -> bool:
    """Return whether the labels are sets. Either all labels are sets or none are."""
    return labels.dtype == object and isinstance(labels[0], frozenset)


def members_of(labels: AnyArray) -> tuple[list[Any], FloatTable]:
    """Return the sorted members of all sets, and a 0/1 matrix with a row for each set."""
    sets = labels.tolist()
    members = sorted(frozenset().union(*sets), key=lambda one: (str(type(one)), one))
    place = {member: i for i, member in enumerate(members)}
    holds = np.zeros((len(sets), len(members)))
    for row, label in zip(holds, sets):
        row[[place[member] for member in label]] = 1
    return members, holds


def each_label(labels: AnyArray) -> Iterator[tuple[Any, AnyArray]]:
    """Yield each label and a mask that selects it.

    If the labels are sets, yield each member and a mask of the sets that contain it.
    """
    if are_sets(labels):
        members, holds = members_of(labels)
        yield from zip(members, holds.T > 0)
    else:
        every = np.arange(len(labels))
        yield from ((label, every == i) for i, label in enumerate(labels.tolist()))


def distances_by(function: Distance, labels: AnyArray) -> FloatTable:
    """Return a matrix with the distance that a function returns for each pair of labels.

    Raises
    ------
    ValueError
        If the function returns a value that is not a number, or if the distance depends on the
        order of the two labels.
    """
    names = labels.tolist()
    distances = np.zeros((len(names), len(names)))
    for i, first in enumerate(names):
        for j, second in enumerate(names):
            distance = function(first, second)
            try:
                distances[i, j] = distance
            except (TypeError, ValueError) as error:
                raise ValueError(
                    f"level must return a number for every pair of labels, got {distance!r} for"
                    f" {first!r} and {second!r}."
                ) from error
    # NaN and infinity are rejected later, when the matrix is checked.
    differ = np.argwhere((distances != distances.T) & ~np.isnan(distances + distances.T))
    if len(differ):
        i, j = differ[0].tolist()
        raise ValueError(
            "level must return the same number for two labels in either order, got"
            f" {distances[i, j]:g} for {names[i]!r} and {names[j]!r}, and {distances[j, i]:g} for"
            f" {names[j]!r} and {names[i]!r}."
        )
    return distances
