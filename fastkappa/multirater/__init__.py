"""Agreement of more than two raters."""

from fastkappa.multirater.alternative_annotator import (
    AlternativeAnnotatorTest,
    alternative_annotator_test,
)
from fastkappa.multirater.coefficient_difference import CoefficientDifference, compare_coefficients
from fastkappa.multirater.coefficients import (
    conger_kappa,
    fleiss_kappa,
    gwet_ac1,
    gwet_ac2,
    light_kappa,
    randolph_kappa,
)
from fastkappa.multirater.disputed import DisputedItems, disputed_items
from fastkappa.multirater.each_rater import RaterComparison, compare_raters
from fastkappa.multirater.krippendorff import krippendorff_alpha
from fastkappa.multirater.label_kappas import LabelKappa
from fastkappa.multirater.multirater_result import MultiRaterResult
from fastkappa.multirater.pairwise import PairwiseKappa, pairwise_kappa
from fastkappa.multirater.ratings import Ratings

__all__ = [
    "AlternativeAnnotatorTest",
    "CoefficientDifference",
    "DisputedItems",
    "LabelKappa",
    "MultiRaterResult",
    "PairwiseKappa",
    "RaterComparison",
    "Ratings",
    "alternative_annotator_test",
    "compare_coefficients",
    "compare_raters",
    "conger_kappa",
    "disputed_items",
    "fleiss_kappa",
    "gwet_ac1",
    "gwet_ac2",
    "krippendorff_alpha",
    "light_kappa",
    "pairwise_kappa",
    "randolph_kappa",
]
