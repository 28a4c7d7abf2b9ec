"""Plan a study: compute the number of items that a test or an interval requires."""

from fastkappa.planning.designs import power, sample_size, sample_size_for_width
from fastkappa.planning.measured import (
    correlation_sample_size,
    correlation_sample_size_for_width,
    limits_sample_size_for_width,
)

__all__ = [
    "correlation_sample_size",
    "correlation_sample_size_for_width",
    "limits_sample_size_for_width",
    "power",
    "sample_size",
    "sample_size_for_width",
]
