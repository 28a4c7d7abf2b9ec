"""Compare how often two raters use each label, and test whether their margins are equal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.formatting import count_text, figure, label_text, p_value_text
from fastkappa.frame import data_frame
from fastkappa.results.report import Grid, Report
from fastkappa.results.result import Result
from fastkappa.statistics.clusters import Clusters, are_joined
from fastkappa.two_raters.statistics.margins import (
    ChiSquareTest,
    McNemar,
    bhapkar_from,
    bowker,
    mcnemar,
    stuart_maxwell,
)

IN_CLUSTERS = "the test assumes independent items, but items in clusters are not independent"


@dataclass(frozen=True, eq=False, repr=False)
class MarginTests(Result):
    """The label frequencies of two raters, with tests of whether they are equal.

    Printing the result shows a report. If a test is undefined, its values are NaN, and its
    attribute ``undefined`` gives the reason.

    Attributes
    ----------
    labels : ndarray of shape (l,)
        The labels.
    first, second : ndarray of shape (l,)
        ``first`` is the number of items to which the first rater gave each label, and ``second`` is
        the number of items to which the second rater gave it.
    stuart_maxwell : ChiSquareTest
        The Stuart-Maxwell test of whether both raters use each label equally often.
    bhapkar : ChiSquareTest
        Bhapkar's test of equal margins. In small samples, it is slightly more powerful than the
        Stuart-Maxwell test.
    bowker : ChiSquareTest
        Bowker's test of symmetry. A table is symmetric if each disagreement is as frequent as its
        reverse. Symmetry implies equal margins, but not vice versa.
    mcnemar : McNemar or None
        McNemar's test for two labels, with and without continuity correction, and as an exact test.
        This is None if there are more than two labels.
    """

    labels: AnyArray
    first: AnyArray
    second: AnyArray
    stuart_maxwell: ChiSquareTest
    bhapkar: ChiSquareTest
    bowker: ChiSquareTest
    mcnemar: McNemar | None

    @classmethod
    def of(cls, table: AnyArray, labels: AnyArray, clusters: Clusters | None = None) -> MarginTests:
        """Return the margins of a table of counts, and tests of whether they are equal.

        If ``clusters`` is given, only the Stuart-Maxwell test is available. With two labels, the
        result of this test is also used for McNemar's test.
        """
        first, second = table.sum(axis=1), table.sum(axis=0)
        equal, of_two = stuart_maxwell(table, clusters), len(table) == 2
        if are_joined(clusters):
            none = ChiSquareTest(math.nan, 0, math.nan, IN_CLUSTERS)
            counts = int(table[0, -1]), int(table[-1, 0])
            both = McNemar(counts, equal, none, math.nan) if of_two else None
            return cls(labels, first, second, equal, none, none, both)
        return cls(
            labels,
            first,
            second,
            equal,
            bhapkar_from(equal, float(first.sum())),
            bowker(table),
            mcnemar(table) if of_two else None,
        )

    @property
    def mean_rank_difference(self) -> float:
        """The mean rank of the first rater's labels minus that of the second rater's labels.

        The difference is positive if the first rater's labels are higher on average. Its unit is
        one step between adjacent labels.
        """
        ranks = np.arange(len(self.labels))
        return float(ranks @ (self.first - self.second) / self.first.sum())

    def to_frame(self) -> Any:
        """Return the tests as a pandas DataFrame with one row per test.

        The columns are ``statistic``, ``degrees_of_freedom``, ``p_value`` and ``undefined``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        tests = self._tests()
        columns = dict(zip(ChiSquareTest._fields, zip(*tests.values())))
        return data_frame(columns, ("test", list(tests)))

    def __repr__(self) -> str:
        p_value = p_value_text(self.stuart_maxwell.p_value)
        return (
            f"<MarginTests: {count_text(len(self.labels), 'label')}, p of equal margins {p_value}>"
        )

    def _report(self) -> Report:
        n = int(self.first.sum())
        given = [
            (label_text(label), str(one), str(other), figure((one - other) / n))
            for label, one, other in zip(
                self.labels.tolist(), self.first.tolist(), self.second.tolist()
            )
        ]
        tests: list[tuple[str, ...]] = [
            (name, figure(test.statistic), str(test.degrees_of_freedom), p_value_text(test.p_value))
            for name, test in self._tests().items()
        ]
        if self.mcnemar is not None:
            tests.append(("McNemar, exact", "", "", p_value_text(self.mcnemar.exact_p_value)))
        return Report(
            [f"Labels of two raters on {count_text(n, 'item')}"],
            [
                Grid(("", "first", "second", "difference"), given),
                Grid(("", "chi-square", "df", "p"), tests),
            ],
            [
                f"{name}, undefined: {test.undefined}"
                for name, test in self._tests().items()
                if test.undefined
            ],
        )

    def _tests(self) -> dict[str, ChiSquareTest]:
        """Return the tests to be reported, by their usual names."""
        if self.mcnemar is not None:
            return {
                "McNemar": self.mcnemar.chi_square,
                "McNemar, corrected": self.mcnemar.corrected,
            }
        return {
            "margins, Stuart-Maxwell": self.stuart_maxwell,
            "margins, Bhapkar": self.bhapkar,
            "symmetry, Bowker": self.bowker,
        }
