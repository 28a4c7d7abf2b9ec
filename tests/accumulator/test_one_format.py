"""Counts of a stream and of a file have the same JSON form, which both can read."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fastkappa import ConfusionAccumulator, confusion_from_source
from fastkappa.results import SourceCounts

pytest.importorskip("pyarrow")

RATINGS: dict[str, tuple[Any, Any]] = {
    "numbers": ([1, 2, 2, None, 3, None], [1, 2, None, 2, 1, None]),
    "words": (["b", "a", "a", None, "b"], ["b", "b", None, "c", "a"]),
    "booleans": ([True, False, True, True], [True, True, True, False]),
    "dates": (np.array([1, 2, 3], "M8[D]"), np.array([1, 3, 3], "M8[D]")),
}


def of_stream(pair: tuple[Any, Any], labels: Any = None) -> ConfusionAccumulator:
    stream = ConfusionAccumulator(labels=labels)
    for i in range(len(pair[0])):
        stream.update(*(rated[i : i + 1] for rated in pair), missing="drop")
    return stream


def of_file(pair: tuple[Any, Any], labels: Any = None) -> SourceCounts:
    return confusion_from_source(dict(zip("xy", pair)), "x", "y", labels=labels)


@pytest.mark.filterwarnings("ignore:labels does not contain all ratings")
@pytest.mark.parametrize("kind", RATINGS)
def test_the_same_counts_of_a_stream_and_of_a_file(kind: str) -> None:
    pair = RATINGS[kind]
    for labels in (None, pair[0][:2]):
        stream, file = of_stream(pair, labels), of_file(pair, labels)
        fields = json.loads(stream.to_json())
        fields.pop("accumulator")
        assert fields == json.loads(file.to_json())
        assert SourceCounts.from_json(stream.to_json()).to_dict() == file.to_dict()
        again = ConfusionAccumulator.from_json(file.to_json())
        assert again.to_json() == stream.to_json()
        again += stream
        assert again.table.tolist() == (2 * stream.table).tolist()
        assert again.n_missing == 2 * file.n_dropped


def test_a_stream_without_items() -> None:
    empty = ConfusionAccumulator()
    counts = SourceCounts.from_json(empty.to_json())
    assert (counts.n_rows, counts.table.shape) == (0, (0, 0))
    assert ConfusionAccumulator.from_json(counts.to_json()).to_json() == empty.to_json()


def test_a_declared_order_is_that_of_the_table() -> None:
    kind = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    stream = ConfusionAccumulator()
    stream.update(pd.Series(["low", "high"], dtype=kind), pd.Series(["low", "low"], dtype=kind))
    counts = SourceCounts.from_json(stream.to_json())
    assert counts.labels.tolist() == ["low", "mid", "high"]
    assert counts.table.tolist() == [[1, 0, 0], [0, 0, 0], [1, 0, 0]]
    again = ConfusionAccumulator.from_json(counts.to_json())
    assert again.labels.tolist() == ["low", "mid", "high"]


def test_sums_of_weights() -> None:
    stream = ConfusionAccumulator()
    stream.update([1, 2], [1, 1], sample_weight=[0.1, 0.25])
    counts = SourceCounts.from_json(stream.to_json())
    assert (counts.table.tolist(), counts.n_rows) == ([[0.1, 0.0], [0.25, 0.0]], 2)
    with pytest.raises(ValueError, match="sums of item weights are rounded, but an accumulator"):
        ConfusionAccumulator.from_json(counts.to_json())
    stream.update([2], [2], sample_weight=[-1.0])
    text = stream.to_json()
    assert ConfusionAccumulator.from_json(text).table.tolist() == [[0.1, 0.0], [0.25, -1.0]]
    with pytest.raises(ValueError, match=r"must be JSON from SourceCounts\.to_json"):
        SourceCounts.from_json(text)


def test_a_table_that_contradicts_the_accumulator() -> None:
    fields = json.loads(of_stream(([1, 2], [1, 1])).to_json())
    fields["table"][0][0] += 1
    with pytest.raises(ValueError, match="table must match the counts"):
        ConfusionAccumulator.from_json(json.dumps(fields))
