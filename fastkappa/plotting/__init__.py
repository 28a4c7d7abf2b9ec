"""Pictures of tables of counts, bootstraps, intervals and measurements.

They draw results and compute no statistic. Matplotlib is imported when the first picture
is drawn; ``pip install 'fastkappa[plot]'`` installs it.
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
