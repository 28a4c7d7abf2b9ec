"""Compute the kappa of a table for each named weighting scheme, for the command line."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from fastkappa.arrays import AnyArray, Floats
from fastkappa.formatting import count_text, figure, label_text, number_text
from fastkappa.frame import frame_of_figures
from fastkappa.results.report import LARGEST_TABLE, RATERS, Report, counts_grid, facts
from fastkappa.results.result import Result
from fastkappa.results.sentence import versioned
from fastkappa.statistics.kappa import expected_agreement, kappas, observed_agreement
from fastkappa.statistics.scheme import SCHEMES, SchemeName
from fastkappa.statistics.tables import as_table
from fastkappa.statistics.weights import weights_text

WeightsName: TypeAlias = Literal["none"] | SchemeName
WEIGHTS: tuple[WeightsName, ...] = ("none", *SCHEMES)


def _name_of(scheme: WeightsName) -> str:
    return "unweighted kappa" if scheme == "none" else f"kappa, {scheme} weights"


@dataclass(frozen=True, eq=False, repr=False)
class TableKappas(Result):
    """The kappas of a table of counts or of sums of item weights. Undefined values are NaN.

    Attributes
    ----------
    n : int or float
        The number of items in the table, or the sum of their weights.
    labels, table : ndarray
    observed_agreement, expected_agreement : float
        The unweighted observed and expected agreement.
    weights : {'none', 'linear', 'quadratic'} or ndarray
        The requested weights.
    kappa : float
        The kappa for the requested weights.
    kappas : dict
        The kappa for each named weighting scheme. If the order of the labels is unknown, only
        "none" is included.
    """

    n: float
    labels: AnyArray
    table: AnyArray
    observed_agreement: float
    expected_agreement: float
    weights: WeightsName | Floats
    kappa: float
    kappas: dict[WeightsName, float]
    _raters: tuple[str, str] = RATERS
    _weighted_rows: int | None = None
    _largest: int = LARGEST_TABLE

    @classmethod
    def of(
        cls,
        table: AnyArray,
        labels: AnyArray,
        weights: WeightsName | Floats,
        *,
        raters: tuple[str, str] = RATERS,
        weighted_rows: int | None = None,
        largest: int = LARGEST_TABLE,
        is_ordered: bool = True,
    ) -> TableKappas:
        """Return the kappas of a table, or only the unweighted kappa if the labels are unordered.

        If the cells are sums of item weights, ``weighted_rows`` is the number of items. A table
        with more than ``largest`` labels is not shown.
        """
        square = as_table(table)
        schemes = WEIGHTS if is_ordered else WEIGHTS[:1]
        found = {name: float(kappas(square, None if name == "none" else name)) for name in schemes}
        named = found[weights] if isinstance(weights, str) else float(kappas(square, weights))
        return cls(
            table.sum().item(),
            labels,
            table,
            observed_agreement(square),
            expected_agreement(square),
            weights,
            named,
            found,
            raters,
            weighted_rows,
            largest,
        )

    def sentence(self) -> str:
        """Return the requested kappa as a sentence for a paper, without an interval."""
        first, second = map(label_text, self._raters)
        scheme = None if isinstance(self.weights, str) and self.weights == "none" else self.weights
        return versioned(
            f"Cohen's kappa ({weights_text(scheme)}) of {first} and {second} on {self.items} was"
            f" {figure(self.kappa)}"
        )

    @property
    def items(self) -> str:
        """The number of items as text, with the sum of their weights if they are weighted."""
        n, n_rows = number_text(self.n), self._weighted_rows
        if n_rows is None:
            return f"{n} items"
        if isinstance(self.n, int):
            # Integer weights are counts of items.
            return f"{n} items (the weights of {count_text(n_rows, 'row')})"
        return f"{count_text(n_rows, 'item')} whose weights sum to {n}"

    def rows(self) -> list[tuple[str, float]]:
        """Return the name and value of each result."""
        return [
            ("kappa", self.kappa),
            *((_name_of(scheme), kappa) for scheme, kappa in self.kappas.items()),
            ("observed agreement", self.observed_agreement),
            ("expected agreement", self.expected_agreement),
        ]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per result and the column ``value``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return frame_of_figures(self.rows())

    def _report(self) -> Report:
        first, second = map(label_text, self._raters)
        caption = f"How often each pair of labels was given: rows {first}, columns {second}"
        counts = counts_grid(
            self.labels, self.table, rows_are=first, caption=caption, largest=self._largest
        )
        return Report([], [*counts, facts(self._facts(), "Figures")], self._undefined())

    def _facts(self) -> Iterator[tuple[str, str | float]]:
        """Yield the name and value of each figure: n, then the kappas, the requested one first."""
        yield "n" if self._weighted_rows is None else "sum of weights", number_text(self.n)
        named = self.weights if isinstance(self.weights, str) else None
        if named is None:
            yield "kappa, weights of a matrix", self.kappa
        for name in sorted(self.kappas, key=lambda name: name != named):
            yield _name_of(name), self.kappas[name]
            if name == "none":
                yield "  observed agreement p_o", self.observed_agreement
                yield "  expected agreement p_e", self.expected_agreement

    def _undefined(self) -> list[str]:
        """Return a list with the reason if kappa is undefined, and an empty list otherwise."""
        if not math.isnan(self.kappas["none"]):
            return []
        why = "every item has a rating that is not among the labels"
        if self.n != 0:
            label = label_text(self.labels.tolist()[int(self.table.diagonal().argmax())])
            why = f"all ratings are {label}, so no disagreement is expected by chance"
        return [f"Kappa is undefined: {why}."]
