"""Every function refuses an object with a wrong length, without reading it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import fastkappa
from tests.helpers.fresh_python import run_python
from tests.helpers.lying import CALLS, KINDS


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_function_refuses_it(kind: Any, call: str) -> None:
    rng = np.random.default_rng(0)
    for length, given, dtype in (
        (20_000, 10, "int64"),
        (10, 9, "int8"),
        (10, 1, "float64"),
        (1, 0, "int64"),
    ):
        y, shorter = rng.integers(1, 5, length), rng.integers(1, 5, given).astype(dtype)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pytest.raises((TypeError, ValueError)):
                CALLS[call](y, kind(shorter, length))
            with pytest.raises((TypeError, ValueError)):
                CALLS[call](y[:given], kind(y, given))


def test_the_error_names_the_argument_and_both_lengths() -> None:
    liar: Any = KINDS[1](np.ones(3, np.int64), 5)
    with pytest.raises(ValueError, match="y2 yields 3 items, but reports a length of 5"):
        fastkappa.confusion_counts([1, 1, 2, 2, 3], liar)
    with pytest.raises(ValueError, match="y_true yields 3 items, but reports a length of 5"):
        fastkappa.optimal_thresholds(liar, [0.1, 0.2, 0.3, 0.4, 0.5])
    with pytest.raises(ValueError, match="one weight for each of the 5 items, got 3"):
        fastkappa.cohen_kappa_score([1, 1, 2, 2, 3], [1, 1, 2, 2, 3], sample_weight=liar)


def arrow_arrays() -> dict[str, Any]:
    """Return Arrow arrays whose offsets or codes are out of bounds."""
    pyarrow = pytest.importorskip("pyarrow")
    words = pyarrow.array(["a", "b", "c"])
    text = words.buffers()[2]
    far = pyarrow.py_buffer(np.array([0, 1, 1 << 30, 3], np.int32))
    back = pyarrow.py_buffer(np.array([0, 3, 1, 3], np.int32))

    def coded(codes: Any) -> Any:
        return pyarrow.DictionaryArray.from_arrays(
            pyarrow.array(codes, pyarrow.int8()), words, safe=False
        )

    return {
        "offsets beyond the text": pyarrow.Array.from_buffers(words.type, 3, [None, far, text]),
        "offsets that go back": pyarrow.Array.from_buffers(words.type, 3, [None, back, text]),
        "a code beyond the labels": coded([0, 1, 100]),
        "a code below 0": coded([0, 1, -1]),
        "labels whose offsets lie": pyarrow.DictionaryArray.from_arrays(
            pyarrow.array([0, 1, 2], pyarrow.int8()),
            pyarrow.Array.from_buffers(words.type, 3, [None, far, text]),
            safe=False,
        ),
        "chunks": pyarrow.chunked_array([coded([0, 1, 2]), coded([0, -100, 100])]),
    }


FROM_ARROW = {
    **{name: CALLS[name] for name in ("confusion_counts", "cohen_kappa_score", "agreement")},
    **{name: CALLS[name] for name in ("score_many", "Ratings, long")},
    "confusion_from_source": lambda y, array: fastkappa.confusion_from_source(
        pytest.importorskip("pyarrow").table({"a": array, "b": array}), "a", "b"
    ),
    "confusion_from_source, mapping": lambda y, array: fastkappa.confusion_from_source(
        {"a": array, "b": array}, "a", "b"
    ),
    "leaderboard, ids": lambda y, array: fastkappa.leaderboard(
        y, {"a": (y, y)}, ids=array, n_resamples=0
    ),
}


@pytest.mark.parametrize("call", FROM_ARROW)
def test_arrow_arrays_that_lie(call: str) -> None:
    for array in arrow_arrays().values():
        labels = np.arange(len(array)).astype(str)
        with pytest.raises(ValueError, match=r"nvariant|monotonic|out of bounds|With 3 labels"):
            FROM_ARROW[call](labels, array)


def test_mappings_of_columns_that_lie() -> None:
    # Arrow trusts a length: it would write beyond its memory and crash the process.
    pytest.importorskip("pyarrow")
    tried = run_python(
        """
import numpy as np
from fastkappa import confusion_from_source
from tests.helpers.lying import KINDS
rated = np.arange(400) % 4
tried = 0
for kind in KINDS:
    for said, given in ((3, 400), (400, 3)):
        liar, fair = kind(rated[:given], said), rated[:said]
        for columns, options in (
            ({"a": liar, "b": fair}, {}),
            ({"a": fair, "b": liar}, {}),
            ({"a": fair, "b": fair, "c": liar}, {"sample_weight": "c"}),
            ({"a": fair, "b": fair, "c": liar}, {"group": "c"}),
        ):
            try:
                confusion_from_source(columns, "a", "b", **options)
            except ValueError as error:
                assert f"yields {given} items, but reports a length of {said}" in str(error), error
                tried += 1
print(tried)
"""
    )
    assert int(tried) == len(KINDS) * 2 * 4


def test_datasets_of_arrow_arrays_that_lie() -> None:
    # This test has its own process, because Arrow could crash by reading out of bounds.
    pytest.importorskip("pyarrow")
    tried = run_python(
        """
import pyarrow
from pyarrow import dataset
from fastkappa import confusion_from_source
from tests.house.test_lying_lengths import arrow_arrays
tried = 0
for array in arrow_arrays().values():
    source = dataset.dataset(pyarrow.table({"a": array, "b": array}))
    try:
        confusion_from_source(source, "a", "b")
    except ValueError:
        tried += 1
print(tried)
"""
    )
    assert int(tried) == len(arrow_arrays())
