"""Compute Cohen's kappa and other agreement statistics quickly.

Two arrays of ratings are counted in a confusion matrix, from which the statistics are computed.
"""

from typing import TYPE_CHECKING

from fastkappa.lazy import loader

__version__ = "0.1.0"

# The form `import x as x` tells type checkers that x is a public name.
if TYPE_CHECKING:
    from fastkappa import boosting as boosting
    from fastkappa import datasets as datasets
    from fastkappa import estimators as estimators
    from fastkappa import jit as jit
    from fastkappa import measurements as measurements
    from fastkappa import planning as planning
    from fastkappa import plotting as plotting
    from fastkappa import results as results
    from fastkappa.accumulator.accumulator import ConfusionAccumulator as ConfusionAccumulator
    from fastkappa.config import show_config as show_config
    from fastkappa.decoding.decode import decode_probabilities as decode_probabilities
    from fastkappa.exceptions import FallingScoresWarning as FallingScoresWarning
    from fastkappa.exceptions import LabelOrderWarning as LabelOrderWarning
    from fastkappa.headers import get_include as get_include
    from fastkappa.leaderboards.leaderboard import leaderboard as leaderboard
    from fastkappa.leaderboards.score_many import score_many as score_many
    from fastkappa.metrics import cohen_kappa_score as cohen_kappa_score
    from fastkappa.metrics import confusion_matrix as confusion_matrix
    from fastkappa.multirater.alternative_annotator import (
        alternative_annotator_test as alternative_annotator_test,
    )
    from fastkappa.multirater.coefficient_difference import (
        compare_coefficients as compare_coefficients,
    )
    from fastkappa.multirater.coefficients import conger_kappa as conger_kappa
    from fastkappa.multirater.coefficients import fleiss_kappa as fleiss_kappa
    from fastkappa.multirater.coefficients import gwet_ac1 as gwet_ac1
    from fastkappa.multirater.coefficients import gwet_ac2 as gwet_ac2
    from fastkappa.multirater.coefficients import light_kappa as light_kappa
    from fastkappa.multirater.coefficients import randolph_kappa as randolph_kappa
    from fastkappa.multirater.disputed import disputed_items as disputed_items
    from fastkappa.multirater.each_rater import compare_raters as compare_raters
    from fastkappa.multirater.krippendorff import krippendorff_alpha as krippendorff_alpha
    from fastkappa.multirater.pairwise import pairwise_kappa as pairwise_kappa
    from fastkappa.multirater.ratings import Ratings as Ratings
    from fastkappa.scorer import compile_scorer as compile_scorer
    from fastkappa.sources.any_source import confusion_from_source as confusion_from_source
    from fastkappa.statistics.bootstrap import bootstrap as bootstrap
    from fastkappa.statistics.comparison import compare_independent as compare_independent
    from fastkappa.statistics.intervals.posterior import kappa_posterior as kappa_posterior
    from fastkappa.statistics.kappa import kappa_from_confusion as kappa_from_confusion
    from fastkappa.statistics.strata import compare_strata as compare_strata
    from fastkappa.statistics.weights import disagreement_weights as disagreement_weights
    from fastkappa.tables.count import confusion_counts as confusion_counts
    from fastkappa.thresholds.evaluator import ThresholdEvaluator as ThresholdEvaluator
    from fastkappa.thresholds.optimal import optimal_thresholds as optimal_thresholds
    from fastkappa.two_raters.agreement import agreement as agreement
    from fastkappa.two_raters.agreement import agreement_from_confusion as agreement_from_confusion
    from fastkappa.two_raters.grouped import agreement_by as agreement_by
    from fastkappa.two_raters.paired_predictions import compare_paired as compare_paired
    from fastkappa.two_raters.paired_predictions import compare_predictions as compare_predictions
    from fastkappa.two_raters.prevalence import rogan_gladen as rogan_gladen

# the public modules
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
# The public names, each with the module that defines it. A module is loaded when one of its names
# is first used.
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
    "compare_paired": "two_raters.paired_predictions",
    "compare_predictions": "two_raters.paired_predictions",
    "compare_raters": "multirater.each_rater",
    "compare_strata": "statistics.strata",
    "compile_scorer": "scorer",
    "confusion_counts": "tables.count",
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

__all__ = list(_HOMES)


# `__getattr__` is hidden from type checkers, which would otherwise accept any misspelt name.
if not TYPE_CHECKING:
    __getattr__ = loader(__name__, {**_HOMES, **dict(zip(_MODULES, _MODULES))})


def __dir__() -> list[str]:
    """Return only the public names."""
    return sorted(["__version__", *__all__, *_MODULES])
