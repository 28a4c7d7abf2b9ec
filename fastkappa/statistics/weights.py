"""Disagreement weights."""

from __future__ import annotations

from typing import Literal, NoReturn, TypeAlias, get_args

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable, Matrix
from fastkappa.statistics.tables import as_numbers

# The weighting schemes that have a name. Where code depends on the scheme it has a branch for
# each and then raises `missing_branch`, so that mypy reports what a new scheme still lacks.
Scheme: TypeAlias = Literal["linear", "quadratic"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
Weights: TypeAlias = Scheme | Matrix | None


def as_weights(weights: Weights, n_labels: int) -> Scheme | AnyArray | None:
    """Return the name of the weights, or a checked matrix of them.

    Raises
    ------
    ValueError
        If a name is unknown, or if a matrix is not of the shape (n_labels, n_labels),
        finite, without negative entries and 0 on its diagonal.
    """
    if weights is None:
        return None
    if isinstance(weights, str):
        for scheme in SCHEMES:
            if weights == scheme:
                return scheme
        raise ValueError(
            f"weights must be None, {', '.join(map(repr, SCHEMES))} or a matrix of disagreement"
            f" weights, got {weights!r}."
        )
    matrix = as_numbers(weights, "weights")
    if matrix.dtype == object:
        with np.errstate(over="ignore"):
            matrix = matrix.astype(np.float64)
    if matrix.shape != (n_labels, n_labels):
        raise ValueError(
            f"weights must have the shape ({n_labels}, {n_labels}), one row and one column"
            f" a label, got {matrix.shape}."
        )
    if not np.isfinite(matrix).all():
        raise ValueError("weights must be finite, got NaN or infinity among them.")
    if (matrix < 0).any():
        raise ValueError(f"weights must not be negative, got {matrix.min()}.")
    if np.diagonal(matrix).any():
        raise ValueError(
            "weights are those of disagreement: their diagonal must be 0, got"
            f" {np.diagonal(matrix).tolist()}. For agreement weights a give a.max() - a."
        )
    return matrix


def missing_branch(scheme: NoReturn) -> AssertionError:
    """Return the error for a scheme without a branch; mypy accepts only unreachable calls."""
    return AssertionError(f"there is no branch for the weights {scheme!r}")


def disagreement_matrix(weights: Weights, n_labels: int) -> FloatTable:
    """Return the weights, named or not, as a float64 matrix of disagreement.

    Examples
    --------
    >>> from fastkappa.statistics.weights import disagreement_matrix
    >>> disagreement_matrix("quadratic", 3)
    array([[0., 1., 4.],
           [1., 0., 1.],
           [4., 1., 0.]])
    """
    matrix = as_weights(weights, n_labels)
    if isinstance(matrix, np.ndarray):
        return matrix.astype(np.float64, order="C")  # that of a data frame is column-major
    position = np.arange(n_labels, dtype=np.float64)
    distance: FloatTable = np.abs(position[:, None] - position)
    if matrix is None:
        return np.sign(distance)
    if matrix == "linear":
        return distance
    if matrix == "quadratic":
        return distance**2
    raise missing_branch(matrix)


def agreement_matrix(weights: Weights, n_labels: int) -> FloatTable:
    """Return agreement weights: 1 on the diagonal, 0 for the worst disagreement.

    They are NaN if all disagreement weights are 0.
    """
    agreement: FloatTable = 1 - relative_distances(weights, n_labels)
    return agreement


def relative_distances(weights: Weights, n_labels: int) -> FloatTable:
    """Return disagreement weights over the largest, NaN if all are 0."""
    matrix = disagreement_matrix(weights, n_labels)
    if n_labels == 1:
        return matrix
    heaviest = matrix.max(initial=0.0)
    return matrix / heaviest if heaviest else np.full_like(matrix, np.nan)


def what_needs_order(weights: Weights) -> str | None:
    """Return what a warning says depends on the order of labels; None if nothing does."""
    if weights is None:
        return None
    return f"weights={weights!r}" if isinstance(weights, str) else "a matrix of weights"
