"""Warnings and errors of the drop-in functions, with and without scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fastkappa
from fastkappa import cohen_kappa_score, confusion_matrix
from tests.helpers.fresh_python import run_python

PROBE = """
import sys, warnings
{before}
import fastkappa
from fastkappa.exceptions import InvalidParameterError, UndefinedMetricWarning
{after}
with warnings.catch_warnings(record=True) as record:
    warnings.simplefilter("always")
    fastkappa.cohen_kappa_score([1, 1], [1, 1])
    fastkappa.kappa_from_confusion([[2]])
single, undefined, of_table = (warning.category for warning in record)
assert single is UserWarning, single
try:
    fastkappa.cohen_kappa_score([1, 2], [1, 2], weights="cubic")
except ValueError as error:
    invalid = type(error)
assert issubclass(invalid, TypeError)
{checks}
"""


def test_own_classes_without_scikit_learn() -> None:
    run_python(
        PROBE.format(
            before="",
            after="",
            checks="""
assert undefined is of_table is UndefinedMetricWarning, undefined
assert issubclass(undefined, UserWarning)
assert invalid is InvalidParameterError, invalid
assert not any(name.partition(".")[0] == "sklearn" for name in sys.modules)
""",
        )
    )


@pytest.mark.parametrize("order", ["before", "after"])
def test_its_classes_where_scikit_learn_is_loaded(order: str) -> None:
    pytest.importorskip("sklearn")
    parts = {"before": "", "after": "", order: "import sklearn.metrics"}
    run_python(
        PROBE.format(
            **parts,
            checks="""
import sklearn.exceptions, sklearn.utils._param_validation as validation
assert undefined is of_table is sklearn.exceptions.UndefinedMetricWarning, undefined
assert invalid is validation.InvalidParameterError, invalid
""",
        )
    )


def test_filters_written_for_scikit_learn_work() -> None:
    undefined = pytest.importorskip("sklearn.exceptions").UndefinedMetricWarning
    validation = pytest.importorskip("sklearn.utils._param_validation")
    with pytest.warns(undefined), pytest.warns(UserWarning, match="A single label"):
        cohen_kappa_score([1, 1], [1, 1])
    with pytest.raises(validation.InvalidParameterError):
        cohen_kappa_score([1, 2], [1, 2], weights="cubic")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", undefined)
        kappa = cohen_kappa_score([1, 2], [3, 3], labels=[1, 2], replace_undefined_by=0.0)
    assert kappa == 0.0


@pytest.mark.parametrize(
    "call",
    [
        lambda: cohen_kappa_score([1, 1], [1, 1]),
        lambda: cohen_kappa_score(np.array([1, 1]), np.array([1, 1])),
        lambda: cohen_kappa_score([1, 2], [3, 3], labels=[1, 2]),
        lambda: confusion_matrix([1, 1], [1, 1]),
        lambda: fastkappa.kappa_from_confusion([[3]]),
    ],
)
def test_warnings_point_to_the_caller(call: Callable[[], Any]) -> None:
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        call()
    assert record
    for warning in record:
        assert warning.filename == __file__
        assert warning.lineno == call.__code__.co_firstlineno
