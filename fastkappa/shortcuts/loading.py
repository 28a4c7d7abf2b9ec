"""Which compiled short cuts there are for the backend in use.

A kernel knows no statistic. What goes from arrays to kappa in one compiled call is here:

    compiled_kappa        two short arrays to kappa             Cython
    compiled_thresholds   tables of scores to cuts and kappa    Cython
    numba_thresholds      the same                              numba
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, Floats
from fastkappa.kernels.contract import GroupedItems, ScoreKernels
from fastkappa.kernels.dispatch import call_when_forgotten, get_kernels, name_of

if TYPE_CHECKING:
    from fastkappa.shortcuts.compiled_kappa import CompiledScorer


class KappaShortcuts(Protocol):
    """Two short integer arrays to kappa."""

    @property
    def CompiledScorer(self) -> type[CompiledScorer]:
        """The scorer for consecutive integer labels."""

    def kappa_of_arrays(self, y1: Any, y2: Any, weights: Any) -> float | None:
        """Return kappa, or None where this is not the simple case."""
        ...


class Evaluator(Protocol):
    """Kappa at given thresholds."""

    def __call__(self, thresholds: AnyArray) -> float:
        """Return kappa, NaN where it is undefined; thresholds may be in any order.

        Of other arrays than doubles in one piece it raises an error, or takes them as doubles.
        """
        ...

    def many(self, thresholds: Floats, kappas: Floats) -> None:
        """Write kappa for each row of thresholds."""


class SearchCuts(Protocol):
    """Search for the best cuts; return the number of rounds, 0 for the general way."""

    def __call__(
        self,
        prefix: Floats,
        matrix: Floats,
        chance: Floats,
        ratio: Floats,
        positions: NDArray[np.int64],
        known: bool,
    ) -> int: ...


class ThresholdShortcuts(Protocol):
    """Tables of scores to cuts and kappa."""

    @property
    def search_cuts(self) -> SearchCuts:
        """The search for the best cuts."""

    def build_evaluator(
        self, items: GroupedItems, matrix: Floats, chance: Floats, total: float, caller: Any
    ) -> Evaluator | None:
        """Return kappa at given thresholds of grouped scores, or None for too many labels.

        ``caller`` is a weak reference to what threads share to call this.
        """


_compiled_kappa: KappaShortcuts | None = None
_is_chosen = False


def compiled_kappa() -> KappaShortcuts | None:
    """Return the compiled module, or None where that backend is not the one in use."""
    global _compiled_kappa, _is_chosen
    if not _is_chosen:
        chosen: KappaShortcuts | None = None
        if name_of(get_kernels()) == "cython":
            from fastkappa.shortcuts import compiled_kappa

            chosen = compiled_kappa
        _compiled_kappa, _is_chosen = chosen, True
    return _compiled_kappa


@call_when_forgotten
def _forget() -> None:
    global _is_chosen
    _is_chosen = False


def threshold_shortcuts(kernels: ScoreKernels) -> ThresholdShortcuts | None:
    """Return the short cuts of the backend that score kernels belong to, or None."""
    if name_of(kernels) == "cython":
        from fastkappa.shortcuts import compiled_thresholds

        return compiled_thresholds
    if name_of(kernels) == "numba":
        from fastkappa.shortcuts import numba_thresholds

        return numba_thresholds
    return None


def cut_search(kernels: ScoreKernels) -> SearchCuts | None:
    """Return the compiled search for cuts of the backend that score kernels belong to, or None."""
    shortcuts = threshold_shortcuts(kernels)
    return None if shortcuts is None else shortcuts.search_cuts
