"""Compute confusion matrices and kappa inside your own ``@numba.njit`` functions.

Install numba with ``pip install 'fastkappa[numba]'``. Labels are integers from 0 to
``n_labels - 1``. The functions can also be called from Python, with the same results.
"""

from fastkappa.exceptions import library_needed

with library_needed("fastkappa.jit", "numba", "fastkappa[numba]"):
    import numba  # noqa: F401

from fastkappa.jit.confusion import confusion_matrix
from fastkappa.jit.kappas import kappa_from_confusion
from fastkappa.jit.thresholds import kappa_at_thresholds

__all__ = ["confusion_matrix", "kappa_at_thresholds", "kappa_from_confusion"]
