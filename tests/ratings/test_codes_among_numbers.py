"""Numbers such as -999 among scores and measurements cause a warning; ordinary numbers do not."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastkappa import ThresholdEvaluator, krippendorff_alpha, optimal_thresholds
from fastkappa.measurements import (
    concordance_correlation,
    continuous_kappa,
    intraclass_correlation,
    limits_of_agreement,
)
from fastkappa.ratings.real_numbers import CODES, codes_among
from tests.helpers.command_line import CommandLine, write_csv

RNG = np.random.default_rng(0)
Y = np.arange(60) % 3
SCORES = np.clip(Y / 3 + RNG.normal(0, 0.1, 60) + 0.2, 0, 1)
FIRST = RNG.normal(50, 10, 60)
SECOND = FIRST + RNG.normal(0, 3, 60)


def command(*arguments: str) -> Callable[[Any, Any], object]:
    def call(first: Any, second: Any) -> None:
        pytest.importorskip("pyarrow")

        with tempfile.TemporaryDirectory() as folder:
            path = write_csv(Path(folder) / "numbers.csv", a=first.tolist(), b=second.tolist())
            run = CommandLine(arguments[0]).run(path, *arguments[1:])
        assert run.exit_code == 0
        if run.stderr:
            warnings.warn(" ".join(run.stderr.split()), UserWarning, stacklevel=2)

    return call


OF_SCORES: dict[str, Callable[[Any, Any], object]] = {
    "optimal_thresholds": optimal_thresholds,
    "ThresholdEvaluator": ThresholdEvaluator,
    "thresholds": command("thresholds", "--y", "a", "--score", "b"),
}
OF_MEASUREMENTS: dict[str, Callable[[Any, Any], object]] = {
    "intraclass_correlation": lambda a, b: intraclass_correlation(np.c_[a, b]),
    "concordance_correlation": concordance_correlation,
    "limits_of_agreement": limits_of_agreement,
    "continuous_kappa": lambda a, b: continuous_kappa(a, b),
    "krippendorff_alpha": lambda a, b: krippendorff_alpha(np.c_[a, b], level="interval"),
    "measure": command("measure", "--raters", "a", "b"),
}
ENTRANCES = {
    **{name: (call, Y, SCORES) for name, call in OF_SCORES.items()},
    **{name: (call, FIRST, SECOND) for name, call in OF_MEASUREMENTS.items()},
}


@pytest.mark.parametrize(("call", "first", "second"), ENTRANCES.values(), ids=ENTRANCES)
def test_codes_for_missing_values(call: Any, first: Any, second: Any) -> None:
    for code in (-9, -999, 9999, -(1 << 31)):
        coded = second.copy()
        coded[3] = code
        with pytest.warns(UserWarning, match=f"contains {code}. .* often mean a missing value"):
            call(first, coded)


SILENT = {
    "as they are": lambda x: x,
    "one far number": lambda x: np.where(x == x.max(), 255, x),
    "both signs": lambda x: np.where(x == x.max(), -9, x - np.median(x)),
    "thousands": lambda x: np.where(x == x.max(), 9999, 100 * x + 4000),
}


@pytest.mark.parametrize("change", SILENT.values(), ids=SILENT)
@pytest.mark.parametrize("entrance", ["optimal_thresholds", "intraclass_correlation"])
def test_ordinary_numbers_are_silent(entrance: str, change: Any) -> None:
    call, first, second = ENTRANCES[entrance]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call(first, change(second * 50 if entrance == "optimal_thresholds" else second))


def test_missing_codes_that_are_given_are_silent() -> None:
    coded = np.c_[FIRST, SECOND]
    coded[3, 1] = -999
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        krippendorff_alpha(coded, level="interval", missing_codes=[-999])


@pytest.mark.parametrize("code", sorted(code for code in CODES if code >= 0))
def test_nearly_consecutive_labels_have_no_codes(code: int) -> None:
    """`warn_of_codes_among_labels` skips non-negative labels of which at most one is absent."""
    for length in range(1, 8):
        for start in range(max(0, code - length), code + 1):
            labels = range(start, start + length + 1)
            assert not any(codes_among([x for x in labels if x != absent]) for absent in labels)
