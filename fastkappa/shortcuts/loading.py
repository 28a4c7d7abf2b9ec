"""Load the compiled shortcuts of the backend in use.

Kernels do not compute statistics, so this package contains the functions that compute kappa in one
compiled call:

    compiled_kappa        kappa from two short arrays               Cython
    compiled_thresholds   cuts and kappa from tables of scores      Cython
    numba_thresholds      cuts and kappa from tables of scores      numba
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, Floats
from fastkappa.kernels.contract import GroupedItems, ScoreKernels
from fastkappa.kernels.dispatch import call_when_forgotten, get_kernels, name_of

if TYPE_CHECKING:
    from fastkappa.shortcuts.compiled_kappa import CompiledScorer

SearchCuts = Callable[[Floats, Floats, Floats, Floats, NDArray[np.int64], bool], int]


class KappaShortcuts(Protocol):
    """Compute kappa from two short integer arrays."""

    @property
    def CompiledScorer(self) -> type[CompiledScorer]:
        """The scorer for consecutive integer labels."""

    def kappa_of_arrays(self, y1: Any, y2: Any, weights: Any, labels: Any) -> float | None:
        """Return kappa, or None if the arrays need the general path."""
        ...


class Evaluator(Protocol):
    """Compute kappa at given thresholds."""

    def __call__(self, thresholds: AnyArray) -> float:
        """Return kappa, or NaN if it is undefined. The thresholds can be in any order.

        Backends either convert an array that is not a contiguous float64 array, or raise an error.
        """
        ...

    def many(self, thresholds: Floats, kappas: Floats) -> None:
        """Write kappa for each row of thresholds to ``kappas``."""


class ThresholdShortcuts(Protocol):
    """Compute cuts and kappa from tables of scores."""

    @property
    def search_cuts(self) -> SearchCuts:
        """The function that searches for the best cuts.

        ``search_cuts(prefix, matrix, chance, ratio, positions, known)`` returns the number of
        rounds, or 0 if the general path is needed.
        """

    def build_evaluator(
        self, items: GroupedItems, matrix: Floats, chance: Floats, total: float, caller: Any
    ) -> Evaluator | None:
        """Return an evaluator of kappa at thresholds, or None for an unsupported number of labels.

        ``caller`` is a weak reference to the object through which threads call the evaluator.
        """


_compiled_kappa: KappaShortcuts | None = None
_is_chosen = False


def compiled_kappa() -> KappaShortcuts | None:
    """Return the compiled module, or None if the Cython backend is not in use."""
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
    """Return the shortcuts for the backend of the score kernels, or None if it has none."""
    if name_of(kernels) == "cython":
        from fastkappa.shortcuts import compiled_thresholds

        return compiled_thresholds
    if name_of(kernels) == "numba":
        from fastkappa.shortcuts import numba_thresholds

        return numba_thresholds
    return None


def cut_search(kernels: ScoreKernels) -> SearchCuts | None:
    """Return the compiled function that searches for cuts, or None if the backend has none."""
    shortcuts = threshold_shortcuts(kernels)
    return None if shortcuts is None else shortcuts.search_cuts
