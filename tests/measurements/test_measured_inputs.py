"""Accepted forms of measurements, and refusals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fastkappa.measurements import (
    concordance_correlation,
    intraclass_correlation,
    limits_of_agreement,
    measured,
    overall_concordance_correlation,
)

RNG = np.random.default_rng(3)
# Exact in float32.
RATINGS = (RNG.integers(0, 400, (60, 1)) + RNG.integers(0, 90, (60, 3))) / 8
WHOLE = (RATINGS * 8).astype(np.int64)
WITH_MISSING = RATINGS.copy()
WITH_MISSING[[4, 17, 40], [0, 2, 1]] = np.nan
COMPLETE = RATINGS[~np.isnan(WITH_MISSING).any(axis=1)]


def figures(ratings: Any, missing: Any = "raise") -> Any:
    icc = intraclass_correlation(ratings, missing=missing)
    ccc = overall_concordance_correlation(ratings, missing=missing)
    return [icc["ICC(A,1)"].value, *icc["ICC(A,k)"].interval, ccc.value, *ccc.interval]


FORMS: dict[str, Callable[[Any], Any]] = {
    "list": lambda x: x.tolist(),
    "float32": lambda x: x.astype(np.float32),
    "big-endian": lambda x: x.astype(">f8"),
    "long double": lambda x: x.astype(np.longdouble),
    "columns": np.asfortranarray,
    "strided": lambda x: np.repeat(np.repeat(x, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda x: x[::-1][::-1],
    "masked": lambda x: np.ma.masked_invalid(x),
}


def read_only(x: Any) -> Any:
    x = x.copy()
    x.flags.writeable = False
    return x


FORMS["read-only"] = read_only


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_arrays(form: str) -> None:
    assert figures(FORMS[form](RATINGS)) == pytest.approx(figures(RATINGS), rel=1e-13)
    dropped = figures(FORMS[form](WITH_MISSING), "drop")
    assert dropped == pytest.approx(figures(COMPLETE), rel=1e-13)


@pytest.mark.parametrize("dtype", [np.int16, np.uint16, np.int32, np.int64, ">i4", object])
def test_integers(dtype: Any) -> None:
    assert figures(WHOLE.astype(dtype)) == pytest.approx(figures(RATINGS), rel=1e-13)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "torch"])
def test_other_libraries(library: str) -> None:
    module = pytest.importorskip(library)
    columns = {name: WITH_MISSING[:, i] for i, name in enumerate("abc")}
    if library == "torch":
        given = [module.tensor(RATINGS), module.tensor(WITH_MISSING)]
    elif library == "pyarrow":
        nulls = {k: [None if math.isnan(v) else v for v in x] for k, x in columns.items()}
        given = [module.table({k: RATINGS[:, i] for i, k in enumerate("abc")}), module.table(nulls)]
    else:
        frame = module.DataFrame(columns)
        if library == "polars":
            frame = frame.fill_nan(None)
        given = [module.DataFrame({k: RATINGS[:, i] for i, k in enumerate("abc")}), frame]
    assert figures(given[0]) == pytest.approx(figures(RATINGS), rel=1e-13)
    assert figures(given[1], "drop") == pytest.approx(figures(COMPLETE), rel=1e-13)


def test_nullable_integers() -> None:
    pandas = pytest.importorskip("pandas")
    columns = {name: pandas.array(WHOLE[:, i], dtype="Int64") for i, name in enumerate("abc")}
    columns["b"][7] = pandas.NA
    assert figures(pandas.DataFrame(columns), "drop") == pytest.approx(
        figures(np.delete(WHOLE, 7, axis=0)), rel=1e-13
    )


def test_chunks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = figures(WITH_MISSING, "drop")
    monkeypatch.setattr(measured, "CHUNK", 21)
    assert figures(WITH_MISSING, "drop") == pytest.approx(expected, rel=1e-13)
    assert limits_of_agreement(RATINGS[:, 0], RATINGS[:, 1]).differences.tolist() == (
        (RATINGS[:, 0] - RATINGS[:, 1]).tolist()
    )


def test_dropped_subjects_are_counted() -> None:
    result = intraclass_correlation(WITH_MISSING, missing="drop")
    assert (result.n_subjects, result.n_dropped) == (57, 3)
    assert "3 items left out because of a missing measurement" in str(result)
    pair = concordance_correlation(WITH_MISSING[:, 0], WITH_MISSING[:, 1], missing="drop")
    assert (pair.n_subjects, pair.n_dropped) == (58, 2)
    limits = limits_of_agreement(WITH_MISSING[:, 0], WITH_MISSING[:, 1], missing="drop")
    assert (limits.n_subjects, limits.n_dropped) == (58, 2)


REFUSED = [
    (lambda: figures(WITH_MISSING), "by rater 1 is missing for the subject at position 4"),
    (lambda: concordance_correlation([1, 2, None], [1, 2, 3]), "by y1 is missing"),
    (lambda: figures(RATINGS, "keep"), "missing must be 'raise' or 'drop', got 'keep'"),
    (lambda: figures([[1], [2]]), "at least two columns, got 1"),
    (lambda: figures([[1, 2]]), "must have measurements by all raters, got 1 of 1"),
    (lambda: figures([[1, np.nan], [2, 3]], "drop"), "got 1 of 2"),
    (lambda: figures(np.empty((0, 2))), "at least one rating, got none"),
    (lambda: figures([["a", "b"], ["a", "a"]]), "must be real numbers"),
    (lambda: figures([[1, np.inf], [2, 3]]), "rater 2 must be finite, got inf at position 0"),
    (lambda: figures([[1, 2**60 + 1], [2, 3]]), "beyond 2"),
    (lambda: figures([1, 2, 3]), "one row per subject and one column per rater"),
    (lambda: limits_of_agreement([1, 2], [1, 2, 3]), "the same subjects"),
    (lambda: limits_of_agreement([1, 2], [1, 3], confidence=95), "confidence must be"),
    (lambda: figures(RATINGS.astype(complex)), "must be real numbers"),
]


@pytest.mark.parametrize("call", [call for call, _ in REFUSED])
def test_refusals(call: Any) -> None:
    (message,) = (text for each, text in REFUSED if each is call)
    with pytest.raises(ValueError, match=message):
        call()
