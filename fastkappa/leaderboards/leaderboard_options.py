"""Options for scoring and resampling, shared by all leaderboards of one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, get_args

from fastkappa.choices import check_choice
from fastkappa.kernels.dispatch import Backend
from fastkappa.ratings.missing import Missing
from fastkappa.statistics.bootstrap import check_resamples
from fastkappa.statistics.inference import check_confidence
from fastkappa.statistics.weights import Weights

OnMismatch = Literal["raise", "drop"]


@dataclass(frozen=True, eq=False)
class LeaderboardOptions:
    """The options of `leaderboard`, except ``axis`` and the arrays with one entry per item.

    The options are documented in `leaderboard`.

    Raises
    ------
    ValueError
        If an option has an invalid value, or if ``weights`` is a matrix and no labels are given.
    """

    weights: Weights = None
    labels: Any = None
    allow_other_labels: bool = False
    on_mismatch: OnMismatch = "raise"
    min_coverage: float = 1.0
    missing: Missing = "raise"
    missing_codes: Sequence[Any] = ()
    n_resamples: int = 1000
    confidence: float = 0.95
    rng: Any = None
    num_threads: int | None = None
    backend: Backend | None = None

    def __post_init__(self) -> None:
        check_choice("on_mismatch", self.on_mismatch, get_args(OnMismatch))
        named = self.weights is None or isinstance(self.weights, str)
        if self.labels is None and not named:
            raise ValueError(
                "labels must be given if weights is a matrix, because they define the order of its"
                " rows and columns."
            )
        if not isinstance(self.min_coverage, Real) or not 0 <= self.min_coverage <= 1:
            raise ValueError(
                f"min_coverage must be a number from 0 to 1, got {self.min_coverage!r}."
            )
        check_confidence(self.confidence)
        check_resamples(self.n_resamples, 0, self.confidence)
