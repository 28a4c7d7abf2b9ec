"""Cohen's kappa, fast and complete.

Two rating arrays become codes, codes become a table of counts, and everything else is a
function of the table.
"""

import importlib
from types import ModuleType

from fastkappa.config import show_config
from fastkappa.counting.confusion import ConfusionCounts, confusion_counts
from fastkappa.metrics import cohen_kappa_score, confusion_matrix
from fastkappa.scorer import compile_scorer
from fastkappa.statistics.kappa import kappa_from_confusion

__version__ = "0.1.0"

_LOADED_ON_FIRST_USE = {"datasets"}

__all__ = [
    "ConfusionCounts",
    "cohen_kappa_score",
    "compile_scorer",
    "confusion_counts",
    "confusion_matrix",
    "datasets",
    "kappa_from_confusion",
    "show_config",
]


def __getattr__(name: str) -> ModuleType:
    if name in _LOADED_ON_FIRST_USE:
        return importlib.import_module(f"fastkappa.{name}")
    raise AttributeError(f"module 'fastkappa' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
