"""The two raters' use of the labels, with the tests whether it is the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastkappa.arrays import AnyArray
from fastkappa.formatting import count_text, figure, label_text, p_value_text
from fastkappa.frame import data_frame
from fastkappa.two_raters.statistics.margins import (
    ChiSquareTest,
    McNemar,
    bhapkar_from,
    bowker,
    mcnemar,
    stuart_maxwell,
)


@dataclass(frozen=True, eq=False, repr=False)
class MarginTests:
    """How often each rater gives each label, and whether that is the same.

    It prints as a report. Undefined figures are NaN, and ``undefined`` of a test says why.

    Attributes
    ----------
    labels : ndarray of shape (l,)
        The labels.
    first, second : ndarray of shape (l,)
        How often the first and the second rater gave each label.
    stuart_maxwell : ChiSquareTest
        The test of Stuart and Maxwell: whether both raters use each label as often.
    bhapkar : ChiSquareTest
        Bhapkar's test of the same, a little more powerful in small samples.
    bowker : ChiSquareTest
        Bowker's test of symmetry: whether each disagreement is as frequent as its reverse. Of
        symmetry equal margins follow, but not the other way round.
    mcnemar : McNemar or None
        For two labels McNemar's test, with its correction and exactly; None for more.
    """

    labels: AnyArray
    first: AnyArray
    second: AnyArray
    stuart_maxwell: ChiSquareTest
    bhapkar: ChiSquareTest
    bowker: ChiSquareTest
    mcnemar: McNemar | None

    @classmethod
    def of(cls, table: AnyArray, labels: AnyArray) -> MarginTests:
        """Return the margins and the tests of a table of counts."""
        first, equal = table.sum(axis=1), stuart_maxwell(table)
        return cls(
            labels,
            first,
            table.sum(axis=0),
            equal,
            bhapkar_from(equal, float(first.sum())),
            bowker(table),
            mcnemar(table) if len(table) == 2 else None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the margins and the tests as a dictionary of Python numbers and strings."""
        tests: dict[str, Any] = {
            "stuart_maxwell": self.stuart_maxwell._asdict(),
            "bhapkar": self.bhapkar._asdict(),
            "bowker": self.bowker._asdict(),
        }
        if self.mcnemar is not None:
            tests["mcnemar"] = {
                "counts": list(self.mcnemar.counts),
                "chi_square": self.mcnemar.chi_square._asdict(),
                "corrected": self.mcnemar.corrected._asdict(),
                "exact_p_value": self.mcnemar.exact_p_value,
            }
        margins = {"first": self.first.tolist(), "second": self.second.tolist()}
        return {"labels": self.labels.tolist(), **margins, **tests}

    def to_frame(self) -> Any:
        """Return the tests as a pandas DataFrame, a row for each.

        Its columns are ``statistic``, ``degrees_of_freedom``, ``p_value`` and ``undefined``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        tests = self._tests()
        columns = dict(zip(ChiSquareTest._fields, zip(*tests.values())))
        return data_frame(columns, ("test", list(tests)))

    def __repr__(self) -> str:
        p_value = p_value_text(self.stuart_maxwell.p_value, 2)
        return (
            f"<MarginTests: {count_text(len(self.labels), 'label')}, p of equal margins {p_value}>"
        )

    def __str__(self) -> str:
        n = int(self.first.sum())
        names = [label_text(label) for label in self.labels.tolist()]
        margin = max(24, *map(len, names))
        lines = [
            f"Labels of two raters on {count_text(n, 'item')}",
            "",
            f"{'':<{margin}}{'first':>12}{'second':>12}{'difference':>12}",
        ]
        for name, one, other in zip(names, self.first.tolist(), self.second.tolist()):
            difference = figure((one - other) / n)
            lines.append(f"{name:<{margin}}{one:>12}{other:>12}{difference:>12}")
        lines += ["", f"{'':<{margin}}{'chi-square':>12}{'df':>12}{'p':>12}"]
        for name, (statistic, freedom, p_value, undefined) in self._tests().items():
            figures = f"{figure(statistic):>12}{freedom:>12}{p_value_text(p_value, 2):>12}"
            lines.append(f"{name:<{margin}}{f'  undefined: {undefined}' if undefined else figures}")
        if self.mcnemar is not None:
            exact = p_value_text(self.mcnemar.exact_p_value, 2)
            lines.append(f"{'McNemar, exact':<{margin}}{'':>24}{exact:>12}")
        return "\n".join(lines)

    def _tests(self) -> dict[str, ChiSquareTest]:
        """Return the tests by the names that a reader knows."""
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
