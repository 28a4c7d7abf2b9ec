"""Cohen's kappa, fast and complete.

Two rating arrays become codes, codes become a table of counts, and everything else is a
function of the table.
"""

import importlib
from typing import TYPE_CHECKING, Any

from fastkappa.exceptions import FallingScoresWarning, LabelOrderWarning
from fastkappa.metrics import cohen_kappa_score, confusion_matrix
from fastkappa.statistics.kappa import kappa_from_confusion
from fastkappa.tables.confusion import confusion_counts
from fastkappa.tables.count import ConfusionCounts

__version__ = "0.1.0"

if TYPE_CHECKING:
    from fastkappa import boosting, datasets, plotting
    from fastkappa import jit as jit
    from fastkappa.accumulator.accumulator import ConfusionAccumulator
    from fastkappa.config import show_config
    from fastkappa.continuous import (
        ConcordanceResult,
        IntraclassCorrelation,
        IntraclassResult,
        LimitsOfAgreement,
        concordance_correlation,
        continuous_kappa,
        intraclass_correlation,
        limits_of_agreement,
        overall_concordance_correlation,
    )
    from fastkappa.decoding import DecodingResult, decode_probabilities
    from fastkappa.estimators import KappaDecoder as KappaDecoder
    from fastkappa.estimators import KappaRegressor as KappaRegressor
    from fastkappa.estimators import KappaRounder as KappaRounder
    from fastkappa.estimators import KappaScorer as KappaScorer
    from fastkappa.headers import get_include
    from fastkappa.leaderboards.leaderboard import leaderboard
    from fastkappa.leaderboards.leaderboard_result import Leaderboard, LeaderboardRow
    from fastkappa.leaderboards.score_many import Kappas, score_many
    from fastkappa.multirater import (
        AlternativeAnnotatorTest,
        CoefficientDifference,
        DisputedItems,
        MultiRaterResult,
        PairwiseKappa,
        RaterComparison,
        Ratings,
        alternative_annotator_test,
        compare_coefficients,
        compare_raters,
        conger_kappa,
        disputed_items,
        fleiss_kappa,
        gwet_ac1,
        gwet_ac2,
        krippendorff_alpha,
        light_kappa,
        pairwise_kappa,
        randolph_kappa,
    )
    from fastkappa.plotting import (
        plot_agreement,
        plot_agreement_chart,
        plot_bootstrap,
        plot_confusion,
        plot_forest,
        plot_limits_of_agreement,
    )
    from fastkappa.scorer import compile_scorer
    from fastkappa.sources import SourceCounts, confusion_from_table
    from fastkappa.statistics.bootstrap import BootstrapResult, bootstrap
    from fastkappa.statistics.comparison import (
        KappaDifference,
        compare_independent,
        compare_paired,
    )
    from fastkappa.statistics.intervals.posterior import kappa_posterior
    from fastkappa.statistics.planning.designs import power, sample_size
    from fastkappa.statistics.planning.precision import sample_size_for_width
    from fastkappa.statistics.scales import Interpretation
    from fastkappa.statistics.strata import EqualKappas, compare_strata
    from fastkappa.statistics.weights import disagreement_weights
    from fastkappa.thresholds.evaluator import ThresholdEvaluator
    from fastkappa.thresholds.optimal import ThresholdResult, optimal_thresholds
    from fastkappa.two_raters.agreement import agreement, agreement_from_confusion
    from fastkappa.two_raters.agreement_result import AgreementResult
    from fastkappa.two_raters.grouped import GroupedAgreement, agreement_by
    from fastkappa.two_raters.paired_predictions import compare_predictions
    from fastkappa.two_raters.prevalence import CorrectedPrevalence, rogan_gladen

# A name, and the module that it is in, or is.
_LOADED_ON_FIRST_USE = {
    "AgreementResult": "two_raters.agreement_result",
    "AlternativeAnnotatorTest": "multirater",
    "BootstrapResult": "statistics.bootstrap",
    "CoefficientDifference": "multirater",
    "ConcordanceResult": "continuous",
    "ConfusionAccumulator": "accumulator",
    "CorrectedPrevalence": "two_raters.prevalence",
    "DecodingResult": "decoding",
    "DisputedItems": "multirater",
    "EqualKappas": "statistics.strata",
    "GroupedAgreement": "two_raters.grouped",
    "Interpretation": "statistics.scales",
    "IntraclassCorrelation": "continuous",
    "IntraclassResult": "continuous",
    "KappaDecoder": "estimators",
    "KappaDifference": "statistics.comparison",
    "KappaRegressor": "estimators",
    "KappaRounder": "estimators",
    "KappaScorer": "estimators",
    "Kappas": "leaderboards.score_many",
    "Leaderboard": "leaderboards.leaderboard_result",
    "LeaderboardRow": "leaderboards.leaderboard_result",
    "LimitsOfAgreement": "continuous",
    "MultiRaterResult": "multirater",
    "PairwiseKappa": "multirater",
    "RaterComparison": "multirater",
    "Ratings": "multirater",
    "SourceCounts": "sources",
    "ThresholdEvaluator": "thresholds.evaluator",
    "ThresholdResult": "thresholds.optimal",
    "agreement": "two_raters.agreement",
    "agreement_by": "two_raters.grouped",
    "agreement_from_confusion": "two_raters.agreement",
    "alternative_annotator_test": "multirater",
    "boosting": "boosting",
    "bootstrap": "statistics.bootstrap",
    "compare_coefficients": "multirater",
    "compare_independent": "statistics.comparison",
    "compare_paired": "statistics.comparison",
    "compare_predictions": "two_raters.paired_predictions",
    "compare_raters": "multirater",
    "compare_strata": "statistics.strata",
    "compile_scorer": "scorer",
    "concordance_correlation": "continuous",
    "confusion_from_table": "sources",
    "conger_kappa": "multirater",
    "continuous_kappa": "continuous",
    "datasets": "datasets",
    "decode_probabilities": "decoding",
    "disagreement_weights": "statistics.weights",
    "disputed_items": "multirater",
    "fleiss_kappa": "multirater",
    "get_include": "headers",
    "gwet_ac1": "multirater",
    "gwet_ac2": "multirater",
    "intraclass_correlation": "continuous",
    "jit": "jit",
    "kappa_posterior": "statistics.intervals.posterior",
    "krippendorff_alpha": "multirater",
    "leaderboard": "leaderboards.leaderboard",
    "light_kappa": "multirater",
    "limits_of_agreement": "continuous",
    "optimal_thresholds": "thresholds.optimal",
    "overall_concordance_correlation": "continuous",
    "pairwise_kappa": "multirater",
    "plot_agreement": "plotting",
    "plot_agreement_chart": "plotting",
    "plot_bootstrap": "plotting",
    "plot_confusion": "plotting",
    "plot_forest": "plotting",
    "plot_limits_of_agreement": "plotting",
    "plotting": "plotting",
    "power": "statistics.planning.designs",
    "randolph_kappa": "multirater",
    "rogan_gladen": "two_raters.prevalence",
    "sample_size": "statistics.planning.designs",
    "sample_size_for_width": "statistics.planning.precision",
    "score_many": "leaderboards.score_many",
    "show_config": "config",
}

# `from fastkappa import *` must not need scikit-learn or numba: what does is not here.
__all__ = [
    "AgreementResult",
    "AlternativeAnnotatorTest",
    "BootstrapResult",
    "CoefficientDifference",
    "ConcordanceResult",
    "ConfusionAccumulator",
    "ConfusionCounts",
    "CorrectedPrevalence",
    "DecodingResult",
    "DisputedItems",
    "EqualKappas",
    "FallingScoresWarning",
    "GroupedAgreement",
    "Interpretation",
    "IntraclassCorrelation",
    "IntraclassResult",
    "KappaDifference",
    "Kappas",
    "LabelOrderWarning",
    "Leaderboard",
    "LeaderboardRow",
    "LimitsOfAgreement",
    "MultiRaterResult",
    "PairwiseKappa",
    "RaterComparison",
    "Ratings",
    "SourceCounts",
    "ThresholdEvaluator",
    "ThresholdResult",
    "agreement",
    "agreement_by",
    "agreement_from_confusion",
    "alternative_annotator_test",
    "boosting",
    "bootstrap",
    "cohen_kappa_score",
    "compare_coefficients",
    "compare_independent",
    "compare_paired",
    "compare_predictions",
    "compare_raters",
    "compare_strata",
    "compile_scorer",
    "concordance_correlation",
    "confusion_counts",
    "confusion_from_table",
    "confusion_matrix",
    "conger_kappa",
    "continuous_kappa",
    "datasets",
    "decode_probabilities",
    "disagreement_weights",
    "disputed_items",
    "fleiss_kappa",
    "get_include",
    "gwet_ac1",
    "gwet_ac2",
    "intraclass_correlation",
    "kappa_from_confusion",
    "kappa_posterior",
    "krippendorff_alpha",
    "leaderboard",
    "light_kappa",
    "limits_of_agreement",
    "optimal_thresholds",
    "overall_concordance_correlation",
    "pairwise_kappa",
    "plot_agreement",
    "plot_agreement_chart",
    "plot_bootstrap",
    "plot_confusion",
    "plot_forest",
    "plot_limits_of_agreement",
    "plotting",
    "power",
    "randolph_kappa",
    "rogan_gladen",
    "sample_size",
    "sample_size_for_width",
    "score_many",
    "show_config",
]


# To a type checker it would make a name of whatever is misspelt.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in _LOADED_ON_FIRST_USE:
            home = _LOADED_ON_FIRST_USE[name]
            module = importlib.import_module(f"fastkappa.{home}")
            return module if name == home else getattr(module, name)
        raise AttributeError(f"module 'fastkappa' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names alone."""
    return sorted({"__version__", *__all__, *_LOADED_ON_FIRST_USE})
