"""Plot confusion matrices, bootstrap distributions, intervals and measurements.

The functions draw results but compute no statistics. Matplotlib is imported when the first plot is
drawn. Install Matplotlib with ``pip install 'fastkappa[plot]'``.
"""

from fastkappa.plotting.agreement_chart import plot_agreement_chart
from fastkappa.plotting.bootstrap import plot_bootstrap
from fastkappa.plotting.bubbles import plot_agreement
from fastkappa.plotting.forest import plot_forest
from fastkappa.plotting.heat_map import plot_confusion
from fastkappa.plotting.limits import plot_limits_of_agreement

__all__ = [
    "plot_agreement",
    "plot_agreement_chart",
    "plot_bootstrap",
    "plot_confusion",
    "plot_forest",
    "plot_limits_of_agreement",
]
