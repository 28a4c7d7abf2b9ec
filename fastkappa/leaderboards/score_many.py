"""Compute the kappas of many predictions for the same items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.formatting import count_text, figure, printable
from fastkappa.frame import data_frame
from fastkappa.kernels.dispatch import Backend, get_kernels
from fastkappa.kernels.threads import resolve_num_threads
from fastkappa.leaderboards.items.many_columns import Counter
from fastkappa.leaderboards.items.predictions import count_predictions
from fastkappa.leaderboards.ranking import kappas_of, labels_present, warn_of_undefined
from fastkappa.ratings.missing import Missing
from fastkappa.results.report import Grid, Report, abridged
from fastkappa.results.result import Result
from fastkappa.statistics.weights import Weights, what_needs_order


class _Kappas(NamedTuple):
    kappas: NDArray[np.float64]
    tables: AnyArray
    labels: AnyArray
    names: list[Any]
    n_outside: NDArray[np.int64]
    n_missing: NDArray[np.int64]


class Kappas(Result, _Kappas):
    """The kappas of many sets of predictions, and the confusion matrices used to compute them.

    Attributes
    ----------
    kappas : ndarray of shape (m,)
        The kappa of each prediction, or NaN if it is undefined.
    tables : ndarray of shape (m, l, l)
        The confusion matrix of each prediction. Element ``[i, j]`` counts the items with true label
        ``labels[i]`` and predicted label ``labels[j]``. The dtype is int64, or float64 if the item
        weights are floats. If sums of integer weights overflow int64, the dtype is object and the
        elements are Python integers.
    labels : ndarray of shape (l,)
        The labels shared by all tables. If no labels were given, they are the labels declared by
        the truth or a prediction. If none were declared, they are all labels that occur, in sorted
        order.
    names : list of length m
        The names of the predictions: the keys of a mapping, column names, or positions.
    n_outside : ndarray of shape (m,)
        The number of items left out of each table because one of their labels is not in ``labels``.
    n_missing : ndarray of shape (m,)
        For each prediction, the number of items with a true label but no predicted label. It is
        always 0 unless ``missing='drop'`` is used.
    """

    __slots__ = ()

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per prediction.

        The columns are ``kappa``, ``n_outside`` and ``n_missing``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        columns = {
            "kappa": self.kappas,
            "n_outside": self.n_outside,
            "n_missing": self.n_missing,
        }
        return data_frame(columns, ("name", self.names))

    def _report(self) -> Report:
        rows = [
            (printable(name), figure(kappa), str(n_outside), str(n_missing))
            for name, kappa, n_outside, n_missing in zip(
                self.names, self.kappas, self.n_outside, self.n_missing
            )
        ]
        return Report(
            [
                f"Kappas of {count_text(len(self.kappas), 'prediction')},"
                f" {count_text(len(self.labels), 'label')}"
            ],
            [Grid(("name", "kappa", "outside", "missing"), abridged(rows))],
        )


def score_many(
    y_true: Any,
    predictions: Any,
    *,
    weights: Weights = None,
    labels: Any = None,
    allow_other_labels: bool = False,
    axis: Literal[0, 1] = 0,
    missing: Missing = "raise",
    missing_codes: Sequence[Any] = (),
    sample_weight: Any = None,
    backend: Backend | None = None,
    num_threads: int | None = None,
) -> Kappas:
    """Compute the kappas of many sets of predictions for the same items.

    The truth is read and encoded only once, and the predictions are tallied in parallel threads.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The true labels, of any type that `cohen_kappa_score` accepts.
    predictions : array of shape (n, m) or (m, n), mapping, data frame, or iterable of columns
        The m sets of predictions. Below, each set is called a prediction. If ``predictions`` is an
        array, ``axis`` specifies which axis corresponds to the items. A mapping must map names to
        columns. pandas, polars and pyarrow data frames are supported. An iterator is read a few
        columns at a time.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights. If ``weights`` is a matrix, its rows and columns must be in the order
        of the labels.
    labels : array-like of shape (l,), default=None
        The labels to include, in the order used by the weights. By default, the kappa of a
        prediction is computed from the labels that occur in the truth or in that prediction, as in
        `cohen_kappa_score`, so no prediction affects the kappa of another prediction. If the truth
        or a prediction declares the order of its labels, as an ordered categorical does, all tables
        use that order.
    allow_other_labels : bool, default=False
        Whether a prediction may use labels outside ``labels`` for items whose true label is in
        ``labels``. Such items are left out of the prediction's table and counted in ``n_outside``.
        By default, an error is raised, because leaving out these items would favor the prediction.
    axis : {0, 1}, default=0
        If ``predictions`` is an array, the axis that corresponds to the items. Use 0 for shape
        ``(n, m)``, with one prediction per column, and 1 for shape ``(m, n)``, with one prediction
        per row. Predictions that are contiguous in memory are processed faster.
    missing : {'raise', 'drop'}, default='raise'
        How to treat missing labels. 'raise' raises an error. 'drop' leaves items without a true
        label out of all tables. An item without a predicted label is left out of the table of that
        prediction only. Items with a true label but no predicted label are counted in
        ``n_missing``.
    missing_codes : sequence, default=()
        Values to treat as missing labels, such as ``["NA", -9]``.
    sample_weight : array-like of shape (n,), default=None
        The weight of each item.
    backend : {'cython', 'numba', 'numpy'}, default=None
        If None, the environment variable ``FASTKAPPA_BACKEND`` chooses the backend. If the variable
        is not set, the fastest available backend is used.
    num_threads : int, default=None
        The maximum number of threads. If None, the number of threads is limited by
        ``OMP_NUM_THREADS``, the number of cores and the CPU quota.

    Returns
    -------
    result : Kappas
        A named tuple ``(kappas, tables, labels, names, n_outside, n_missing)``.

    Raises
    ------
    ValueError
        If there are no predictions, or if a prediction is invalid. Each prediction must have the
        same number of items as the truth, and class labels of the same kind. By default, a
        prediction must not have missing labels. If labels are given or declared, a prediction must
        use only these labels. The error message names the prediction.
    TypeError
        If ``predictions`` does not have a supported form.

    Warns
    -----
    UndefinedMetricWarning
        If a kappa is undefined because no disagreement is expected by chance.
    LabelOrderWarning
        If weights are used and the labels are strings whose order is given neither by ``labels``
        nor by an ordered categorical type.
    UserWarning
        If the same column is passed as the truth and as a prediction.

    See Also
    --------
    leaderboard : Find out which differences between predictions are significant.

    Examples
    --------
    >>> from fastkappa import score_many
    >>> truth = [0, 1, 2, 2, 1, 0]
    >>> result = score_many(truth, {"a": [0, 1, 2, 2, 1, 1], "b": [0, 1, 1, 2, 0, 0]})
    >>> result.names, result.kappas
    (['a', 'b'], array([0.75, 0.5 ]))
    >>> result.tables[0]
    array([[1, 1, 0],
           [0, 2, 0],
           [0, 0, 2]])
    """
    names, table, n_missing, order = count_predictions(
        Counter(get_kernels(backend), resolve_num_threads(num_threads)),
        y_true,
        predictions,
        labels,
        sample_weight,
        axis,
        missing=missing,
        missing_codes=missing_codes,
        allow_other_labels=allow_other_labels,
    )
    tables = table.counts if table.sums is None else table.sums
    # Only named weights depend on which labels occur in a table. For other weights, these labels
    # are not determined, which saves time.
    all_labels = order.is_known or not isinstance(weights, str)
    kappas = kappas_of(tables, labels_present(table.counts, all_labels), weights)
    order.warn(what_needs_order(weights), stacklevel=2)
    warn_of_undefined(kappas)
    return Kappas(kappas, tables, table.rows, names, table.n_outside, n_missing)
