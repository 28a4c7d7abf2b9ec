"""Fast computation of Cohen's kappa and related agreement statistics.

Two arrays of ratings are encoded and counted in a confusion matrix. All other results are
computed from that matrix.
"""

from typing import TYPE_CHECKING

from fastkappa.lazy import loader

__version__ = "0.1.0"

if TYPE_CHECKING:
    from fastkappa import boosting as boosting
    from fastkappa import datasets as datasets
    from fastkappa import estimators as estimators
    from fastkappa import jit as jit
    from fastkappa import measurements as measurements
    from fastkappa import planning as planning
    from fastkappa import plotting as plotting
    from fastkappa import results as results
    from fastkappa.accumulator.accumulator import ConfusionAccumulator
    from fastkappa.config import show_config
    from fastkappa.decoding.decode import decode_probabilities
    from fastkappa.exceptions import FallingScoresWarning, LabelOrderWarning
    from fastkappa.headers import get_include
    from fastkappa.leaderboards.leaderboard import leaderboard
    from fastkappa.leaderboards.score_many import score_many
    from fastkappa.metrics import cohen_kappa_score, confusion_matrix
    from fastkappa.multirater.alternative_annotator import alternative_annotator_test
    from fastkappa.multirater.coefficient_difference import compare_coefficients
    from fastkappa.multirater.coefficients import (
        conger_kappa,
        fleiss_kappa,
        gwet_ac1,
        gwet_ac2,
        light_kappa,
        randolph_kappa,
    )
    from fastkappa.multirater.disputed import disputed_items
    from fastkappa.multirater.each_rater import compare_raters
    from fastkappa.multirater.krippendorff import krippendorff_alpha
    from fastkappa.multirater.pairwise import pairwise_kappa
    from fastkappa.multirater.ratings import Ratings
    from fastkappa.scorer import compile_scorer
    from fastkappa.sources.any_source import confusion_from_source
    from fastkappa.statistics.bootstrap import bootstrap
    from fastkappa.statistics.comparison import compare_independent, compare_paired
    from fastkappa.statistics.intervals.posterior import kappa_posterior
    from fastkappa.statistics.kappa import kappa_from_confusion
    from fastkappa.statistics.strata import compare_strata
    from fastkappa.statistics.weights import disagreement_weights
    from fastkappa.tables.confusion import confusion_counts
    from fastkappa.thresholds.evaluator import ThresholdEvaluator
    from fastkappa.thresholds.optimal import optimal_thresholds
    from fastkappa.two_raters.agreement import agreement, agreement_from_confusion
    from fastkappa.two_raters.grouped import agreement_by
    from fastkappa.two_raters.paired_predictions import compare_predictions
    from fastkappa.two_raters.prevalence import rogan_gladen

# The public modules.
_MODULES = (
    "boosting",
    "datasets",
    "estimators",
    "jit",
    "measurements",
    "planning",
    "plotting",
    "results",
)
# The module that defines each public name. It is loaded when the name is first used.
_HOMES = {
    "ConfusionAccumulator": "accumulator.accumulator",
    "FallingScoresWarning": "exceptions",
    "LabelOrderWarning": "exceptions",
    "Ratings": "multirater.ratings",
    "ThresholdEvaluator": "thresholds.evaluator",
    "agreement": "two_raters.agreement",
    "agreement_by": "two_raters.grouped",
    "agreement_from_confusion": "two_raters.agreement",
    "alternative_annotator_test": "multirater.alternative_annotator",
    "bootstrap": "statistics.bootstrap",
    "cohen_kappa_score": "metrics",
    "compare_coefficients": "multirater.coefficient_difference",
    "compare_independent": "statistics.comparison",
    "compare_paired": "statistics.comparison",
    "compare_predictions": "two_raters.paired_predictions",
    "compare_raters": "multirater.each_rater",
    "compare_strata": "statistics.strata",
    "compile_scorer": "scorer",
    "confusion_counts": "tables.confusion",
    "confusion_from_source": "sources.any_source",
    "confusion_matrix": "metrics",
    "conger_kappa": "multirater.coefficients",
    "decode_probabilities": "decoding.decode",
    "disagreement_weights": "statistics.weights",
    "disputed_items": "multirater.disputed",
    "fleiss_kappa": "multirater.coefficients",
    "get_include": "headers",
    "gwet_ac1": "multirater.coefficients",
    "gwet_ac2": "multirater.coefficients",
    "kappa_from_confusion": "statistics.kappa",
    "kappa_posterior": "statistics.intervals.posterior",
    "krippendorff_alpha": "multirater.krippendorff",
    "leaderboard": "leaderboards.leaderboard",
    "light_kappa": "multirater.coefficients",
    "optimal_thresholds": "thresholds.optimal",
    "pairwise_kappa": "multirater.pairwise",
    "randolph_kappa": "multirater.coefficients",
    "rogan_gladen": "two_raters.prevalence",
    "score_many": "leaderboards.score_many",
    "show_config": "config",
}

__all__ = [
    "ConfusionAccumulator",
    "FallingScoresWarning",
    "LabelOrderWarning",
    "Ratings",
    "ThresholdEvaluator",
    "agreement",
    "agreement_by",
    "agreement_from_confusion",
    "alternative_annotator_test",
    "bootstrap",
    "cohen_kappa_score",
    "compare_coefficients",
    "compare_independent",
    "compare_paired",
    "compare_predictions",
    "compare_raters",
    "compare_strata",
    "compile_scorer",
    "confusion_counts",
    "confusion_from_source",
    "confusion_matrix",
    "conger_kappa",
    "decode_probabilities",
    "disagreement_weights",
    "disputed_items",
    "fleiss_kappa",
    "get_include",
    "gwet_ac1",
    "gwet_ac2",
    "kappa_from_confusion",
    "kappa_posterior",
    "krippendorff_alpha",
    "leaderboard",
    "light_kappa",
    "optimal_thresholds",
    "pairwise_kappa",
    "randolph_kappa",
    "rogan_gladen",
    "score_many",
    "show_config",
]


# Type checkers do not see this function, because with it they would accept every misspelt name.
if not TYPE_CHECKING:
    __getattr__ = loader(__name__, {**_HOMES, **dict(zip(_MODULES, _MODULES))})


def __dir__() -> list[str]:
    """Return only the public names."""
    return sorted(["__version__", *__all__, *_MODULES])
