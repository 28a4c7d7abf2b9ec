"""Plan a study: compute the number of items that a test or an interval of kappa needs."""

from fastkappa.planning.designs import power, sample_size
from fastkappa.planning.precision import sample_size_for_width

__all__ = ["power", "sample_size", "sample_size_for_width"]
