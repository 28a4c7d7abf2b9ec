"""A rating is also missing if an Arrow dictionary maps its code to null."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from fastkappa import (
    ConfusionAccumulator,
    agreement,
    agreement_by,
    cohen_kappa_score,
    confusion_counts,
    fleiss_kappa,
    score_many,
)

FULL = pa.array(list("xyyx"))


def dictionary(codes: list[int], labels: list[Any], ordered: bool = False) -> Any:
    return pa.DictionaryArray.from_arrays(
        pa.array(codes, pa.int8()), pa.array(labels), ordered=ordered
    )


# Each is x, missing, y, x.
GAPPY: dict[str, Callable[[], Any]] = {
    "strings": lambda: dictionary([0, 1, 2, 0], ["x", None, "y"]),
    "null twice": lambda: dictionary([3, 1, 2, 3], [None, None, "y", "x"]),
    "ordered": lambda: dictionary([0, 1, 2, 0], ["x", None, "y"], ordered=True),
    "sliced": lambda: dictionary([2, 0, 1, 2, 0], ["x", None, "y"])[1:],
    "chunk": lambda: pa.chunked_array([GAPPY["strings"]()]),
    "chunks": lambda: pa.chunked_array(
        [dictionary([0, 1], ["x", None]), dictionary([0, 1], ["y", "x"])]
    ),
}


@pytest.mark.filterwarnings("ignore:kappa is undefined")
@pytest.mark.parametrize("name", GAPPY)
def test_null_in_a_dictionary_is_a_missing_rating(name: str) -> None:
    gappy = GAPPY[name]()
    result = agreement(gappy, FULL, missing="drop")
    assert (result.n_dropped, result.missing) == (1, (1, 0))
    assert (result.labels.tolist(), result.table.tolist()) == (["x", "y"], [[2, 0], [0, 1]])
    with pytest.raises(
        ValueError, match="y1 has 1 missing value in 4 items, the first at position 1"
    ):
        agreement(gappy, FULL)
    with pytest.raises(ValueError, match="Input y_true contains NaN"):
        cohen_kappa_score(gappy, FULL)
    assert agreement_by(gappy, FULL, groups=["g"] * 4, missing="drop").n_dropped == 1
    assert agreement_by(FULL, FULL[:], groups=gappy, missing="drop").n_dropped == 1
    assert agreement(FULL, FULL[:], clusters=gappy, missing="drop").n_dropped == 1
    assert score_many(FULL, {"a": gappy}, missing="drop").n_missing.tolist() == [1]
    assert score_many(gappy, {"a": FULL}, missing="drop").tables.tolist() == [[[2, 0], [0, 1]]]
    total = ConfusionAccumulator()
    total.update(gappy, FULL, missing="drop")
    assert (total.n_missing, total.table.tolist()) == (1, [[2, 0], [0, 1]])
    plain = pa.array(["x", None, "y", "x"])
    tables = [pa.table({"a": column, "b": FULL, "c": FULL[::-1]}) for column in (gappy, plain)]
    assert fleiss_kappa(tables[0]).value == fleiss_kappa(tables[1]).value


def test_null_that_no_rating_has_is_no_label() -> None:
    ratings = dictionary([2, 0, 2], ["y", None, "x"], ordered=True)
    for column in (ratings, pa.chunked_array([ratings[:1], ratings[1:]])):
        counts = confusion_counts(column, ["x", "y", "y"])
        assert counts.labels.tolist() == ["y", "x"]
        assert counts.table.tolist() == [[1, 0], [1, 1]]


def test_numbers_in_a_dictionary_may_be_missing() -> None:
    for labels in ([1, None, 2], [1.0, float("nan"), 2.0]):
        result = agreement(dictionary([0, 1, 2], labels), [1, 1, 2], missing="drop")
        assert (result.n_dropped, result.labels.tolist()) == (1, [1, 2])
