"""Strings that end in NUL characters, which NumPy's strings cannot represent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import fastkappa
from tests.helpers.absent import library

pl = library("polars")
metrics = library("sklearn.metrics")

FIRST = ["a", "a\0", "b", "a\0", "b"]
SECOND = ["a", "a", "b", "a\0", "a"]
MERGED = [[3, 0], [1, 1]]
# Rows and columns are a, a\0 and b.
APART = [[1, 0, 0], [1, 1, 0], [1, 0, 1]]
ALL = pl.Enum(["a", "a\0", "b"])

FORMS: dict[str, Callable[[list[str]], Any]] = {
    "list": list,
    "tuple": tuple,
    "NumPy": np.array,
    "objects": lambda strings: np.array(strings, object),
    "pandas objects": lambda strings: pd.Series(strings, dtype=object),
    "pandas strings": lambda strings: pd.Series(strings, dtype="string"),
    "pandas categorical": lambda strings: pd.Series(strings, dtype="category"),
    "polars": pl.Series,
    "polars categorical": lambda strings: pl.Series(strings, dtype=pl.Categorical),
    "polars enum": lambda strings: pl.Series(strings, dtype=ALL),
    "Arrow": pa.array,
    "Arrow dictionary": lambda strings: pa.array(strings).dictionary_encode(),
}
# scikit-learn converts lists and polars strings to NumPy strings.
NUMPY_STRINGS = ("list", "tuple", "NumPy", "polars")


@pytest.mark.parametrize("form", FORMS)
def test_the_drop_in_reads_them_as_scikit_learn(form: str) -> None:
    columns = FORMS[form](FIRST), FORMS[form](SECOND)
    table = fastkappa.confusion_matrix(*columns)
    weighted = fastkappa.confusion_matrix(*columns, sample_weight=[1] * 5)
    assert table.tolist() == weighted.tolist() == (MERGED if form in NUMPY_STRINGS else APART)
    if form in NUMPY_STRINGS:  # From objects, it makes a table with one label twice.
        assert table.tolist() == metrics.confusion_matrix(*columns).tolist()
    labels = np.array(["b", "a\0", "a"], object)
    table = fastkappa.confusion_matrix(*columns, labels=labels)
    assert table.tolist() == metrics.confusion_matrix(*columns, labels=labels).tolist()


@pytest.mark.parametrize("form", [form for form in FORMS if form not in ("NumPy", "polars")])
def test_elsewhere_they_are_refused(form: str) -> None:
    with pytest.raises(ValueError, match="NUL") as caught:
        fastkappa.confusion_counts(["a"] * 5, FORMS[form](FIRST))
    assert str(caught.value) == (
        "y2 contains 'a\\x00', which ends in a NUL character. NumPy strings drop trailing"
        " NULs, so two labels could become equal: remove or replace the NUL."
    )
    with pytest.raises(ValueError, match="NUL"):
        fastkappa.agreement(FORMS[form](FIRST), ["a"] * 5)


def test_other_nul_characters_are_like_any() -> None:
    with pytest.warns(UserWarning, match="are written"):
        counts = fastkappa.confusion_counts(["a\0b", "a"], ["a\0b", "\0a"])
    assert counts.labels.tolist() == ["\0a", "a", "a\0b"]
