"""The comparison of groups of subjects that three or more raters rated."""

from __future__ import annotations

from collections.abc import Mapping

from fastkappa.cli.pages.pictures import Picture
from fastkappa.multirater.coefficient_difference import CoefficientDifference, compare_coefficients
from fastkappa.multirater.multirater_result import MultiRaterResult
from fastkappa.plotting import plot_forest
from fastkappa.results.report import Report, groups_grid
from fastkappa.statistics.strata import EqualKappas, compare_strata
from fastkappa.two_raters.grouped import ALL


class Groups:
    """The first coefficient of each group, and the comparison of the groups if it is possible."""

    def __init__(
        self,
        group: str,
        firsts: Mapping[str, MultiRaterResult],
        whole: MultiRaterResult,
    ) -> None:
        self._group, self._firsts, self._whole = group, firsts, whole
        self.comparison, self._why_not = self._compared()

    def _compared(self) -> tuple[EqualKappas | CoefficientDifference | None, str]:
        """Return the comparison of the groups, or None and the reason."""
        firsts = list(self._firsts.values())
        if len(firsts) < 2:
            return None, ""
        if sum(one.n_clusters for one in firsts) <= self._whole.n_clusters:
            return compare_strata(self._firsts), ""
        if len(firsts) == 2:
            # Both groups have the same items, so their coefficients are compared as paired.
            try:
                return compare_coefficients(*firsts), ""
            except ValueError:
                pass
        return None, "the groups are not compared: they have items or clusters in common"

    def reports(self) -> list[Report]:
        """Return a table with one row per group, and the comparison of the groups."""
        named = {**self._firsts, ALL: self._whole}
        rows = (
            (name, one.n_paired, one.value, one.standard_error, one.interval)
            for name, one in named.items()
        )
        grid = groups_grid(rows, self._whole.confidence, self._whole.method, self._group)
        below = [self._why_not] if self._why_not else []
        compared = [] if self.comparison is None else [self.comparison._report()]
        return [Report([], [grid], below), *compared]

    def sentences(self) -> list[str]:
        """Return sentences for a paper on each group's coefficient and on the comparison."""
        compared = [] if self.comparison is None else [self.comparison.sentence()]
        of_groups = [
            one.sentence().replace(" was ", f" in {self._group} {name} was ", 1)
            for name, one in self._firsts.items()
        ]
        return [*of_groups, *compared]

    def picture(self) -> Picture:
        """Return the plot of the coefficient of each group."""
        caption = f"{self._whole.method} and its interval in each group of {self._group}."
        named = {**self._firsts, ALL: self._whole}
        return Picture(caption, lambda ax: plot_forest(named, ax=ax))
