"""Find the smallest number of items with which a study has the required power or width."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

from fastkappa.planning.checks import PlannedAlternative, check_design_effect, tail_of
from fastkappa.statistics.inference import check_confidence, check_probability

PowerOfN = Callable[[int], float]
# The maximum number of items in a plan. With more items, rounding errors would dominate.
MOST_ITEMS = 10**12
# The factor by which the steps grow in the search for the number of items.
GROWTH = 8


@dataclass(frozen=True, kw_only=True)
class Study(ABC):
    """A study whose interval has a planned width.

    Attributes
    ----------
    expected : float
        The expected value of the coefficient.
    confidence : float
        The confidence level of the interval.
    design_effect : float
        The factor by which clusters increase the number of items that the study needs.
    n_raters : int
        The number of raters of each item.
    coefficient : str
        The key of the coefficient in JSON.
    name : str
        The name of the expected value in reports.
    weighting : str
        The weights as text, or an empty string.
    assumption : str
        A sentence about how raters are assumed to disagree, or an empty string.
    of_interval : str
        A phrase that names the quantity of the interval. It is empty for the coefficient.
    """

    expected: float
    confidence: float
    design_effect: float
    n_raters: int
    coefficient: ClassVar[str]
    name: ClassVar[str]
    weighting: ClassVar[str] = ""
    assumption: ClassVar[str] = ""
    of_interval: ClassVar[str] = ""
    fewest: ClassVar[int] = 2

    @property
    def start(self) -> int:
        """The number of items at which the search starts."""
        return self.fewest

    def assumed(self) -> dict[str, str]:
        """Return the study's other assumptions, keyed by their names in reports."""
        return {}

    @abstractmethod
    def width_of(self, n: int) -> float:
        """Return the width of the interval for n independent items."""

    def width(self, n: int) -> float:
        """Return the width of the interval for n items, which can be in clusters."""
        check_confidence(self.confidence)
        return self.width_of(self.independent(n))

    def items_for_width(self, width: float) -> int:
        """Return the smallest number of items for an interval that is at most ``width`` wide."""
        self.check_width(width)
        check_confidence(self.confidence)
        return self._in_clusters(
            least_items(
                lambda n: self.width_of(n) <= width,
                self.start,
                self.fewest,
                f"width={width!r} is too small, because it needs more than {MOST_ITEMS:.0e} items."
                " Use a larger width.",
            )
        )

    def check_width(self, width: float) -> None:
        """Raise if an interval cannot have this width."""
        if not isinstance(width, Real) or not 0 < width < 2:
            raise ValueError(f"width must be a number between 0 and 2, got {width!r}.")

    def independent(self, n: int) -> int:
        """Return the effective sample size of n items in clusters, or raise if it is too small."""
        check_design_effect(self.design_effect)
        # Without the added 1e-9, a rounding error could reduce the number of items by one.
        alone = n if self.design_effect == 1 else max(2, math.floor(n / self.design_effect + 1e-9))
        if alone < self.fewest:
            raise ValueError(
                f"n must be at least {self.fewest} after division by design_effect, got {alone}."
            )
        return alone

    def _in_clusters(self, n: int) -> int:
        """Return the number of clustered items that are as informative as n independent items."""
        check_design_effect(self.design_effect)
        return math.ceil(self.design_effect * n)


@dataclass(frozen=True, kw_only=True)
class TestedStudy(Study):
    """A study with a planned test of its coefficient.

    Attributes
    ----------
    null : float or None
        The value under the null hypothesis, or None if no test is planned.
    alternative : str
        The kind of test.
    alpha : float
        The significance level of the test.
    """

    null: float | None
    alternative: PlannedAlternative
    alpha: float
    # The names of the expected value and of the null hypothesis in error messages.
    names: ClassVar[tuple[str, str]]

    @abstractmethod
    def powers(self) -> Iterator[PowerOfN]:
        """Yield functions that return the power for n independent items, the most accurate last."""

    @property
    def tail(self) -> float:
        """The probability of a type I error on the side of the expected value."""
        return tail_of(self.alternative, self.alpha, self.expected, self.tested, self.names)

    @property
    def tested(self) -> float:
        """The value under the null hypothesis."""
        return 0.0 if self.null is None else self.null

    def power(self, n: int) -> float:
        """Return the power of the test with n items, which can be in clusters."""
        *_, power = self.powers()
        return power(self.independent(n))

    def items_for_power(self, target: float) -> int:
        """Return the smallest number of items for which the test has the target power.

        The search with each function of `powers` starts from the result for the previous function.
        """
        check_probability("power", target)
        n = self.start
        for power in self.powers():
            n = self._items_of(power, target, n)
        return self._in_clusters(n)

    def _items_of(self, power: PowerOfN, target: float, guess: int) -> int:
        return least_items(
            # `not <` is used rather than `>=`, so that the number of items counts as sufficient if
            # the power is NaN.
            lambda n: not power(n) < target - 1e-12,
            guess,
            self.fewest,
            f"{' and '.join(self.names)} are too close for a plan, because more than"
            f" {MOST_ITEMS:.0e} items are needed. Use values that are farther apart.",
        )


def least_items(are_enough: Callable[[int], bool], guess: int, fewest: int, too_many: str) -> int:
    """Return the smallest number of items, at least ``fewest``, that ``are_enough`` accepts.

    The search moves away from the guess in growing steps until the solution is bracketed. Then it
    bisects the bracket. ``too_many`` is the error message if no number up to `MOST_ITEMS` is
    enough.
    """
    found, n, step = are_enough(guess), guess, 1
    while True:
        beyond = max(n - step, fewest - 1) if found else n + step
        if beyond < fewest or are_enough(beyond) != found:
            break
        n, step = beyond, GROWTH * step
        if n > MOST_ITEMS:
            raise ValueError(too_many)
    below, above = sorted((n, beyond))
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if are_enough(middle) else (middle, above)
    return above
