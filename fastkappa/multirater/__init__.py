"""Agreement of more than two raters."""

from fastkappa.multirater.coefficient_difference import CoefficientDifference, compare_coefficients
from fastkappa.multirater.coefficients import (
    conger_kappa,
    fleiss_kappa,
    gwet_ac1,
    gwet_ac2,
    light_kappa,
    randolph_kappa,
)
from fastkappa.multirater.krippendorff import krippendorff_alpha
from fastkappa.multirater.multirater_result import LabelKappa, MultiRaterResult
from fastkappa.multirater.pairwise import PairwiseKappa, pairwise_kappa
from fastkappa.multirater.ratings import Ratings

__all__ = [
    "CoefficientDifference",
    "LabelKappa",
    "MultiRaterResult",
    "PairwiseKappa",
    "Ratings",
    "compare_coefficients",
    "conger_kappa",
    "fleiss_kappa",
    "gwet_ac1",
    "gwet_ac2",
    "krippendorff_alpha",
    "light_kappa",
    "pairwise_kappa",
    "randolph_kappa",
]
