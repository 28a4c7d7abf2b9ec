"""Pictures of tables of counts, bootstraps and intervals.

They draw what they are given and compute no statistic. Matplotlib is imported when the
first of them is drawn; it comes with ``pip install 'fastkappa[plot]'``.
"""

from fastkappa.plotting.bootstrap import plot_bootstrap
from fastkappa.plotting.bubbles import plot_agreement
from fastkappa.plotting.forest import plot_forest
from fastkappa.plotting.heat_map import plot_confusion

__all__ = ["plot_agreement", "plot_bootstrap", "plot_confusion", "plot_forest"]
