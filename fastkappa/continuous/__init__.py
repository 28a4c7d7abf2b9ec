"""Agreement of measurements: numbers that are no labels."""

from fastkappa.continuous.concordance import (
    ConcordanceResult,
    concordance_correlation,
    overall_concordance_correlation,
)
from fastkappa.continuous.intraclass import (
    IntraclassCorrelation,
    IntraclassResult,
    intraclass_correlation,
)
from fastkappa.continuous.kappa_of_predictions import continuous_kappa
from fastkappa.continuous.limits import LimitsOfAgreement, limits_of_agreement

__all__ = [
    "ConcordanceResult",
    "IntraclassCorrelation",
    "IntraclassResult",
    "LimitsOfAgreement",
    "concordance_correlation",
    "continuous_kappa",
    "intraclass_correlation",
    "limits_of_agreement",
    "overall_concordance_correlation",
]
