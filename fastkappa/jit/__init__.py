"""Tables and kappa inside your own ``@numba.njit`` functions: ``pip install 'fastkappa[numba]'``.

Labels are whole numbers from 0 to ``n_labels - 1``. Called from Python, the functions give
the same results through the rest of the package.
"""

from fastkappa.exceptions import library_needed

with library_needed("fastkappa.jit", "numba", "fastkappa[numba]"):
    import numba  # noqa: F401

from fastkappa.jit.confusion import confusion_matrix
from fastkappa.jit.kappas import kappa_from_confusion
from fastkappa.jit.thresholds import kappa_at_thresholds

__all__ = ["confusion_matrix", "kappa_at_thresholds", "kappa_from_confusion"]
