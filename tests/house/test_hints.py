"""Names used by other libraries lead to errors that give fastkappa's names."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

pytest.importorskip("sklearn")

from fastkappa import ConfusionAccumulator, agreement
from fastkappa.estimators import KappaRounder


@pytest.mark.parametrize(
    ("owner", "name", "advice"),
    [
        (KappaRounder(), "coefficients", ": use thresholds_ instead"),
        (KappaRounder(), "coef_", ": use thresholds_ instead"),
        (ConfusionAccumulator(), "reset", ": create a new accumulator"),
        (ConfusionAccumulator(), "compute", r": use kappa\(\) or agreement\(\)"),
        (ConfusionAccumulator(), "update_state", r": use update\(y1, y2\) instead"),
        (KappaRounder(), "thresholds_", "$"),
        (ConfusionAccumulator(), "rest", "$"),
    ],
)
def test_attributes(owner: Any, name: str, advice: str) -> None:
    message = f"'{type(owner).__name__}' object has no attribute '{name}'{advice}"
    for of in (owner, copy.copy(owner), copy.deepcopy(owner), pickle.loads(pickle.dumps(owner))):
        with pytest.raises(AttributeError, match=message):
            getattr(of, name)
        assert not hasattr(of, name)


def test_a_dictionary_of_both_raters() -> None:
    with pytest.raises(TypeError, match=r"got one dict: .* such as dict\['a'\] and dict\['b'\]"):
        agreement({"a": [1, 2], "b": [1, 2]})
    with pytest.raises(TypeError, match="y1 must be a list or an array"):
        agreement({"a": [1, 2]}, [1, 2])
