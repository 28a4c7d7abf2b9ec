"""Validate disagreement weights, and compute weights from labels."""

from __future__ import annotations

from numbers import Real
from reprlib import repr as short_repr
from typing import Literal, TypeAlias, assert_never, get_args

import numpy as np
from numpy.typing import ArrayLike

from fastkappa.arrays import AnyArray, Floats, FloatTable, Matrix
from fastkappa.choices import check_choice
from fastkappa.statistics.scheme import NAMED, SCHEMES, MatrixScheme, Scheme, SchemeName
from fastkappa.statistics.tables import as_numbers

Weights: TypeAlias = SchemeName | Matrix | None
# The families of weights that depend on the labels. `disagreement_weights` computes their matrices.
Family: TypeAlias = Literal[
    "linear", "quadratic", "radical", "ordinal", "ratio", "circular", "bipolar"
]
FAMILIES: tuple[Family, ...] = get_args(Family)


def as_weights(weights: Weights, n_labels: int) -> SchemeName | AnyArray | None:
    """Return the name of the weights, or a validated matrix of weights.

    Raises
    ------
    ValueError
        If a name is unknown, or if a matrix does not have the shape (n_labels, n_labels), has
        negative or non-finite entries, or has nonzero entries on the diagonal.
    """
    if weights is None:
        return None
    if isinstance(weights, str):
        for scheme in SCHEMES:
            if weights == scheme:
                return scheme
        made = f": disagreement_weights({weights!r}, labels) returns one"
        more = f"a matrix of disagreement weights{made if weights in FAMILIES else ''}"
        return check_choice("weights", weights, (None, *SCHEMES), more)
    matrix = as_numbers(weights, "weights")
    if matrix.dtype == object:
        with np.errstate(over="ignore"):
            matrix = matrix.astype(np.float64)
    if matrix.shape != (n_labels, n_labels):
        raise ValueError(
            f"weights must have the shape ({n_labels}, {n_labels}), one row and one column"
            f" per label, got {matrix.shape}."
        )
    if not np.isfinite(matrix).all():
        raise ValueError("weights must be finite, got NaN or infinity.")
    if (matrix < 0).any():
        raise ValueError(f"weights must not contain negative numbers, got {matrix.min()}.")
    if np.diagonal(matrix).any():
        raise ValueError(
            "weights are disagreement weights, so their diagonal must be 0, got"
            f" {np.diagonal(matrix).tolist()}. To convert agreement weights a, use a.max() - a."
        )
    return matrix


def scheme_of(weights: Weights, n_labels: int) -> Scheme:
    """Return the scheme for weights given by name or as a matrix, after validating them."""
    checked = as_weights(weights, n_labels)
    return MatrixScheme(checked) if isinstance(checked, np.ndarray) else NAMED[checked]


def disagreement_matrix(weights: Weights, n_labels: int) -> FloatTable:
    """Convert named weights or a matrix to a float64 matrix of disagreement weights.

    Examples
    --------
    >>> from fastkappa.statistics.weights import disagreement_matrix
    >>> disagreement_matrix("quadratic", 3)
    array([[0., 1., 4.],
           [1., 0., 1.],
           [4., 1., 0.]])
    """
    return scheme_of(weights, n_labels).matrix(n_labels)


def mean_weights(matrix: FloatTable, margins: FloatTable) -> FloatTable:
    """Return an array of shape (..., l) with the mean of each row of weights for each margin.

    The result for a table in a stack is bitwise identical to the result for the table alone. A
    single matrix product for the whole stack would be rounded differently. For tables with few
    items, the last bit can determine where a search ends.
    """
    means: FloatTable = (matrix @ margins[..., None])[..., 0]
    return means


def disagreement_weights(
    family: Family, labels: ArrayLike, *, period: float | None = None
) -> FloatTable:
    """Return a matrix of disagreement weights for use as the ``weights`` argument.

    Numeric labels are compared by value: for example, the distance from 2 to 5 is 3, even if no
    label lies between them. (In contrast, ``weights='linear'`` and ``weights='quadratic'`` compare
    positions.) Other labels are compared by their positions 0, 1, 2, ...

    Parameters
    ----------
    family : {'linear', 'quadratic', 'radical', 'ordinal', 'ratio', 'circular', 'bipolar'}
        The formula, where x and y are the values of two labels, and d is the number of steps
        between their positions:

        - 'linear': ``|x - y|``;
        - 'quadratic': ``(x - y)**2``;
        - 'radical': the square root of ``|x - y|``; large disagreements have only slightly larger
          weights than small ones;
        - 'ordinal': ``d * (d + 1) / 2``, the number of pairs that can be formed from the two labels
          and those between them. This family is a compromise between 'linear' and 'quadratic', and
          always compares positions, even if labels are numbers;
        - 'ratio': ``((x - y) / (x + y))**2``; labels must be non-negative numbers, and 1 and 2 are
          as far apart as 10 and 20;
        - 'circular': ``sin(pi * (x - y) / period)**2``, for months or directions, where the last
          label is next to the first;
        - 'bipolar': ``(x - y)**2 / ((x + y - 2 * low) * (2 * high - x - y))``, where low and high
          are the ends of the scale, such as -3 and 3; disagreements near the ends of the scale have
          larger weights.
    labels : array-like of shape (l,)
        All possible labels, in the order of the table's rows. For 'bipolar', the smallest and
        largest labels are used as the ends of the scale.
    period : float, default=None
        The period of 'circular' labels, such as 360 for degrees. If None, the labels must be
        equally spaced around the circle, and the period is the number of labels times the spacing.

    Returns
    -------
    weights : ndarray of shape (l, l)
        A symmetric float64 matrix with zeros on the diagonal. Kappa depends only on the ratios of
        the weights. The corresponding agreement weights are ``1 - weights / weights.max()``.

    Raises
    ------
    ValueError
        If the family is unknown, if the labels are not one-dimensional, distinct and finite, if
        they are dates or contain integers that float64 cannot represent exactly, if labels for
        'ratio' are negative or not numbers, or if the period does not fit the family or the labels.

    References
    ----------
    K. L. Gwet (2014). Handbook of Inter-Rater Reliability, 4th edition, section 3.5. Advanced
    Analytics.

    K. Krippendorff (2004). Content Analysis, second edition, chapter 11. Sage.

    Examples
    --------
    >>> from fastkappa import disagreement_weights
    >>> disagreement_weights("ordinal", ["mild", "moderate", "severe"])
    array([[0., 1., 3.],
           [1., 0., 1.],
           [3., 1., 0.]])
    >>> disagreement_weights("circular", ["north", "east", "south", "west"]).round(3)
    array([[0. , 0.5, 1. , 0.5],
           [0.5, 0. , 0.5, 1. ],
           [1. , 0.5, 0. , 0.5],
           [0.5, 1. , 0.5, 0. ]])

    Pass the matrix as ``weights=``:

    >>> from fastkappa import agreement
    >>> labels = [0, 1, 2, 5]
    >>> weights = disagreement_weights("quadratic", labels)
    >>> agreement([0, 1, 5, 2, 0], [0, 1, 5, 5, 1], labels=labels, weights=weights)
    <AgreementResult: kappa 0.7706 (-0.1621 to 0.9491), n = 5, 4 labels, weights of a matrix>
    """
    check_choice("family", family, FAMILIES)
    if period is not None and family != "circular":
        raise ValueError(
            f"period applies only to circular weights, got {period!r} with {family!r}."
        )
    values, are_numbers = _values_of(labels)
    if family == "ordinal":
        values = np.arange(len(values), dtype=np.float64)
    difference = np.abs(values[:, None] - values)
    total = values[:, None] + values
    weights: FloatTable
    if family == "linear":
        weights = difference
    elif family == "quadratic":
        weights = difference**2
    elif family == "radical":
        weights = np.sqrt(difference)
    elif family == "ordinal":
        weights = difference * (difference + 1) / 2
    elif family == "ratio":
        if not are_numbers or (values < 0).any():
            raise ValueError(
                "labels must be non-negative numbers for weights='ratio', got"
                f" {short_repr(labels)}."
            )
        weights = _quotient(difference, total) ** 2
    elif family == "circular":
        weights = np.sin(np.pi * difference / _period(values, period)) ** 2
    elif family == "bipolar":
        ends = (total - 2 * values.min()) * (2 * values.max() - total)
        weights = _quotient(difference**2, ends)
    else:
        assert_never(family)
    return weights


def _values_of(labels: ArrayLike) -> tuple[Floats, bool]:
    """Return numeric labels' values or other labels' positions, and whether labels are numeric."""
    given = np.asarray(labels)
    if given.dtype.kind == "f" and isinstance(labels, (list, tuple)):
        # An object array does not round integers beyond 2**53.
        given = np.array(labels, dtype=object)
    if given.ndim != 1 or len(given) == 0:
        raise ValueError(f"labels must be a list of at least one label, got {short_repr(labels)}.")
    listed = given.tolist()
    if len(set(listed)) < len(listed):
        raise ValueError(f"labels must be distinct, got {short_repr(labels)}.")
    if given.dtype.kind in "mM":
        raise ValueError(f"labels must be numbers or strings, got {short_repr(labels)}.")
    if given.dtype.kind not in "biuf" and not all(isinstance(label, Real) for label in listed):
        return np.arange(len(given), dtype=np.float64), False
    values = exact_floats(given)
    if not np.isfinite(values).all():
        raise ValueError(f"labels must be finite, got {short_repr(labels)}.")
    return values, True


def exact_floats(labels: AnyArray) -> Floats:
    """Return numeric labels as float64, or raise if an integer would be rounded."""
    values = labels.astype(np.float64)
    for label, value in zip(labels.tolist(), values.tolist()):
        if isinstance(label, int) and label != value:
            raise ValueError(
                f"labels must be numbers that float64 represents exactly, got {label},"
                " which is beyond 2**53."
            )
    return values


def _period(values: Floats, period: float | None) -> float:
    """Return the period of circular labels, or raise if it does not fit the labels."""
    in_order = np.sort(values)
    span = float(in_order[-1] - in_order[0])
    if period is None:
        steps = np.diff(in_order)
        if len(steps) and not np.allclose(steps, steps[0], rtol=1e-9, atol=0):
            raise ValueError(
                "period, such as 360 for degrees, must be given for unequally spaced circular"
                f" labels, got {short_repr(in_order.tolist())}."
            )
        return span + float(steps[0]) if len(steps) else 1.0
    if not isinstance(period, Real) or not span < period < np.inf:
        raise ValueError(
            f"period must be larger than {span:g}, the distance between the outermost labels, got"
            f" {period!r}."
        )
    return float(period)


def _quotient(numerator: Floats, denominator: Floats) -> Floats:
    """Return the quotient, or 0 where the numerator is 0."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=numerator > 0)


def agreement_matrix(weights: Weights, n_labels: int) -> FloatTable:
    """Return agreement weights, with 1 on the diagonal and 0 for the worst disagreement.

    With two or more labels, the result is NaN if all disagreement weights are 0.
    """
    agreement: FloatTable = 1 - relative_distances(weights, n_labels)
    return agreement


def relative_distances(weights: Weights, n_labels: int) -> FloatTable:
    """Return disagreement weights divided by the largest weight, or NaN if all weights are 0."""
    matrix = disagreement_matrix(weights, n_labels)
    if n_labels == 1:
        return matrix
    heaviest = matrix.max(initial=0.0)
    return matrix / heaviest if heaviest else np.full_like(matrix, np.nan)


def weights_text(weights: Weights | str) -> str:
    """Return a short description of the weights for reports.

    Examples
    --------
    >>> from fastkappa.statistics.weights import weights_text
    >>> weights_text(None), weights_text("linear"), weights_text([[0, 1], [1, 0]])
    ('no weights', 'linear weights', 'weights of a matrix')
    """
    if weights is None:
        return "no weights"
    return f"{weights} weights" if isinstance(weights, str) else "weights of a matrix"


def what_needs_order(weights: Weights) -> str | None:
    """Return a description of the weights if they require a label order, otherwise None."""
    if weights is None:
        return None
    return f"weights={weights!r}" if isinstance(weights, str) else "a matrix of weights"
