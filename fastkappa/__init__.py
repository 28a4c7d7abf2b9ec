"""Cohen's kappa, fast and complete.

Two rating arrays become codes, codes become a table of counts, and everything else is a
function of the table.
"""

from fastkappa.config import show_config
from fastkappa.counting.confusion import ConfusionCounts, confusion_counts
from fastkappa.metrics import cohen_kappa_score, confusion_matrix
from fastkappa.statistics.kappa import kappa_from_confusion

__version__ = "0.1.0"

__all__ = [
    "ConfusionCounts",
    "cohen_kappa_score",
    "confusion_counts",
    "confusion_matrix",
    "kappa_from_confusion",
    "show_config",
]
