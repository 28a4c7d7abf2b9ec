"""Measurements that are in part in another unit cause a warning."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastkappa.measurements import (
    concordance_correlation,
    intraclass_correlation,
    limits_of_agreement,
)
from tests.helpers.absent import library
from tests.helpers.command_line import CommandLine, write_csv

pd = library("pandas")


def _lengths(n_converted: int = 0, factor: float = 10) -> Any:
    """Return 100 lengths by three readers. The first ones by the second reader are divided."""
    rng = np.random.default_rng(0)
    lengths = np.exp(rng.normal(3, 0.5, (100, 1)) + rng.normal(0, 0.1, (100, 3)))
    lengths[:n_converted, 1] /= factor
    return lengths


@pytest.mark.parametrize(("n_converted", "factor"), [(5, 10), (40, 1000), (90, 100)])
def test_another_unit_for_some_subjects(n_converted: int, factor: int, tmp_path: Path) -> None:
    lengths = _lengths(n_converted, factor)
    message = (
        f"the ratio of {{}} to {{}} is about {factor} times as large for {n_converted} subjects"
        f" as for {100 - n_converted} others"
    )
    with pytest.warns(UserWarning, match=message.format("rater 1", "rater 2")):
        intraclass_correlation(lengths)
    with pytest.warns(UserWarning, match=message.format("b", "c")):
        intraclass_correlation(pd.DataFrame(lengths[:, :2], columns=[*"bc"]))
    for pairwise in (concordance_correlation, limits_of_agreement):
        with pytest.warns(UserWarning, match=message.format("y1", "y2")):
            pairwise(*lengths[:, :2].T)
    path = write_csv(tmp_path / "lengths.csv", **dict(zip("abc", lengths.T)))
    for raters in ("ab", "abc"):
        run = CommandLine("measure").run(path, "--raters", *raters)
        assert run.stderr.count("the ratio of a to b is about") == 1


def test_one_unit_or_titers() -> None:
    rng = np.random.default_rng(0)
    steps = rng.integers(1, 5, (100, 1)) + rng.integers(0, 2, (100, 3))
    below_zero = _lengths(40)
    below_zero[0] = -0.5
    # All measurements of a reader are in another unit, only few are, or the factor is 4.
    whole = [_lengths(100), _lengths(4), _lengths(40, 4), below_zero]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for ratings in [_lengths(), *whole, 10.0**steps, np.abs(rng.normal(size=(100, 3)))]:
            intraclass_correlation(ratings)
