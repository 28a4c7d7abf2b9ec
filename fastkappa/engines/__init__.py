"""Tables counted where the data is: in files, data frames, databases and clusters.

An engine that can count groups its rows by their pair of ratings, and only the cells of the
table come back. Batches of arrays are counted by the kernels. Nothing here computes a
statistic.
"""

from fastkappa.engines.source_counts import SourceCounts
from fastkappa.engines.sources import confusion_from_table

__all__ = ["SourceCounts", "confusion_from_table"]
