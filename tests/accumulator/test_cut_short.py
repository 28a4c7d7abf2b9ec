"""Test that an interrupted batch does not leave counts that look complete."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fastkappa.accumulator.accumulator import ConfusionAccumulator
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.tables.tally import Tally

FEW, MANY = np.array([0, 1, 1]), np.arange(40)
APART = np.arange(3) * 10**12


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
@pytest.mark.parametrize(
    ("labels", "owner", "method", "batch"),
    [
        (None, Tally, "_widen", MANY),
        (None, Tally, "_look_labels_up", APART),
        (range(2), get_kernels("numpy"), "count_pairs", FEW),
    ],
)
def test_no_counts_after_a_part(
    labels: Any, owner: Any, method: str, batch: Any, error: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    accumulator = ConfusionAccumulator(labels=labels, backend="numpy")
    accumulator.update(FEW, FEW)
    copy = ConfusionAccumulator.from_json(accumulator.to_json())

    def fail(*_: Any) -> None:
        raise error

    monkeypatch.setattr(owner, method, fail)
    with pytest.raises(error):
        accumulator.update(batch, batch)
    monkeypatch.undo()
    for use in (
        accumulator.counts,
        accumulator.kappa,
        accumulator.to_json,
        lambda: accumulator.subtract(FEW, FEW),
        lambda: ConfusionAccumulator(labels=labels).merge(accumulator),
    ):
        with pytest.raises(RuntimeError, match=f"interrupted by {error.__name__}"):
            use()
    # A copy made before the interruption still works.
    copy.update(FEW, FEW)
    assert copy.table.tolist() == [[2, 0], [0, 4]]
