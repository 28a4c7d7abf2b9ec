"""Compute the agreement of measurements, which are numbers on a scale rather than labels."""

from fastkappa.measurements.concordance import (
    concordance_correlation,
    overall_concordance_correlation,
)
from fastkappa.measurements.intraclass import intraclass_correlation
from fastkappa.measurements.kappa_of_predictions import continuous_kappa
from fastkappa.measurements.limits import limits_of_agreement
from fastkappa.measurements.repeatability import repeatability

__all__ = [
    "concordance_correlation",
    "continuous_kappa",
    "intraclass_correlation",
    "limits_of_agreement",
    "overall_concordance_correlation",
    "repeatability",
]
