"""Compute the power and width of planned studies of measurements.

A study estimates the intraclass correlation, Lin's concordance correlation or limits of agreement.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from fastkappa.choices import check_choice
from fastkappa.planning.checks import PlannedAlternative, check_positive
from fastkappa.planning.studies import PowerOfN, Study, TestedStudy
from fastkappa.statistics.distributions import f_quantile, f_tail, t_quantile
from fastkappa.statistics.inference import (
    DEVIATIONS,
    STANDARD_NORMAL,
    check_whole,
    normal_quantile,
)

Correlation: TypeAlias = Literal["icc", "ccc"]


@dataclass(frozen=True, kw_only=True)
class CorrelationStudy(TestedStudy):
    """A study of a correlation between the measurements of raters."""

    accuracy: float = 1.0
    names = ("correlation", "null_correlation")


class _Intraclass(CorrelationStudy):
    """A study of ICC(C,1), with its F test."""

    coefficient, name = "icc", "ICC(C,1)"

    def width_of(self, n: int) -> float:
        """Return the width of the interval if the ratio of mean squares has its expected value."""
        freedom = self._freedom(n)
        p, f = (1 + self.confidence) / 2, self._ratio(self.expected)
        ends = f / f_quantile(p, *freedom), f * f_quantile(p, *freedom[::-1])
        low, high = ((end - 1) / (end + self.n_raters - 1) for end in ends)
        return high - low

    def powers(self) -> Iterator[PowerOfN]:
        tail, ratio = self.tail, self._ratio(self.tested) / self._ratio(self.expected)

        def power(n: int) -> float:
            freedom = self._freedom(n)
            if self.expected > self.tested:
                return f_tail(ratio * f_quantile(1 - tail, *freedom), *freedom)
            # The reciprocal of an F-distributed variable has an F distribution with swapped degrees
            # of freedom.
            return f_tail(f_quantile(1 - tail, *freedom[::-1]) / ratio, *freedom[::-1])

        yield power

    def _freedom(self, n: int) -> tuple[int, int]:
        return n - 1, (n - 1) * (self.n_raters - 1)

    def _ratio(self, value: float) -> float:
        """Return the ratio of the expected mean squares: between subjects, divided by error."""
        return (1 + (self.n_raters - 1) * value) / (1 - value)


class _Concordance(CorrelationStudy):
    """A study of Lin's concordance correlation. Its test and interval use Fisher's z."""

    coefficient, name = "ccc", "concordance correlation"
    fewest = 4

    def assumed(self) -> dict[str, str]:
        return {} if self.accuracy == 1 else {"bias correction factor": f"{self.accuracy:g}"}

    def _error(self, n: int) -> float:
        """Return the standard error of Fisher's z (Lin 1989, 2000)."""
        value, accuracy = self.expected, self.accuracy
        square, factor = value**2, accuracy**2
        shift = 2 / accuracy - 2  # squared distance between the means, in standard deviations
        variance = (
            (factor - square) * (1 - square)
            + 2 * square * accuracy * (1 - value) * shift
            - square * factor * shift**2 / 2
        )
        return math.sqrt(variance / (n - 2)) / (1 - square)

    def width_of(self, n: int) -> float:
        z = math.atanh(self.expected)
        half = normal_quantile((1 + self.confidence) / 2) * self._error(n)
        return math.tanh(z + half) - math.tanh(z - half)

    def powers(self) -> Iterator[PowerOfN]:
        """Yield the power of the test that rejects the null value if it is outside the interval."""
        distance = abs(math.atanh(self.expected) - math.atanh(self.tested))
        critical = normal_quantile(1 - self.tail)
        yield lambda n: STANDARD_NORMAL.cdf(distance / self._error(n) - critical)


def correlation_study(
    correlation: float,
    *,
    coefficient: Correlation,
    null_correlation: float | None = None,
    n_raters: int = 2,
    alternative: PlannedAlternative = "two-sided",
    alpha: float = 0.05,
    confidence: float = 0.95,
    accuracy: float = 1.0,
    design_effect: float = 1.0,
) -> CorrelationStudy:
    """Check the arguments of `correlation_sample_size` and similar functions. Return the study."""
    check_choice("coefficient", coefficient, get_args(Correlation))
    check_whole("n_raters", n_raters, 2)
    least = -1 / (n_raters - 1)
    null = 0.0 if null_correlation is None else null_correlation
    for name, value in zip(CorrelationStudy.names, (correlation, null)):
        if not least < value < 1:
            raise ValueError(f"{name} must be above {least:g} and below 1, got {value!r}.")
    if coefficient == "icc" and accuracy != 1:
        raise ValueError("accuracy applies only to coefficient='ccc': leave out accuracy.")
    if coefficient == "ccc" and n_raters != 2:
        raise ValueError(f"n_raters must be 2 for coefficient='ccc', got {n_raters!r}.")
    if coefficient == "ccc" and not abs(correlation) <= accuracy <= 1:
        raise ValueError(
            f"accuracy must be between the correlation ({correlation!r}) and 1, got {accuracy!r}."
        )
    study: Any = _Intraclass if coefficient == "icc" else _Concordance
    found: CorrelationStudy = study(
        expected=correlation,
        null=null_correlation,
        n_raters=n_raters,
        alternative=alternative,
        alpha=alpha,
        confidence=confidence,
        accuracy=accuracy,
        design_effect=design_effect,
    )
    return found


class LimitsStudy(Study):
    """A study of limits of agreement. ``expected`` is the standard deviation of the differences."""

    coefficient, name = "limits", "SD of the differences"
    of_interval = " of a limit"

    def width_of(self, n: int) -> float:
        """Return the width of the interval of a limit."""
        quantile = t_quantile((1 + self.confidence) / 2, n - 1)
        error = math.sqrt(1 / n + DEVIATIONS**2 / (2 * (n - 1)))
        return 2 * self.expected * quantile * error

    def check_width(self, width: float) -> None:
        check_positive("width", width)


def limits_study(
    standard_deviation: float, *, confidence: float = 0.95, design_effect: float = 1.0
) -> LimitsStudy:
    """Check the arguments of `limits_sample_size_for_width`, and return the study."""
    check_positive("standard_deviation", standard_deviation)
    return LimitsStudy(
        expected=standard_deviation,
        confidence=confidence,
        design_effect=design_effect,
        n_raters=2,
    )
