"""Provide the classes of the results that fastkappa's functions return.

Printing a result shows a report, and notebooks show the report as HTML. Each result has the
methods ``to_frame()`` and ``to_dict()``.
"""

from typing import TYPE_CHECKING

from fastkappa.lazy import loader

# Type checkers treat these aliases as public names.
if TYPE_CHECKING:
    from fastkappa.decoding.decode import DecodingResult as DecodingResult
    from fastkappa.leaderboards.leaderboard_result import Leaderboard as Leaderboard
    from fastkappa.leaderboards.leaderboard_result import LeaderboardRow as LeaderboardRow
    from fastkappa.leaderboards.score_many import Kappas as Kappas
    from fastkappa.measurements.concordance import ConcordanceResult as ConcordanceResult
    from fastkappa.measurements.intraclass import IntraclassCorrelation as IntraclassCorrelation
    from fastkappa.measurements.intraclass import IntraclassResult as IntraclassResult
    from fastkappa.measurements.limits import LimitsOfAgreement as LimitsOfAgreement
    from fastkappa.measurements.repeatability import Repeatability as Repeatability
    from fastkappa.multirater.alternative_annotator import (
        AlternativeAnnotatorTest as AlternativeAnnotatorTest,
    )
    from fastkappa.multirater.coefficient_difference import (
        CoefficientDifference as CoefficientDifference,
    )
    from fastkappa.multirater.disputed import DisputedItems as DisputedItems
    from fastkappa.multirater.each_rater import RaterComparison as RaterComparison
    from fastkappa.multirater.label_kappas import LabelKappa as LabelKappa
    from fastkappa.multirater.multirater_result import MultiRaterResult as MultiRaterResult
    from fastkappa.multirater.pairwise import PairwiseKappa as PairwiseKappa
    from fastkappa.sources.source_counts import SourceCounts as SourceCounts
    from fastkappa.statistics.bootstrap import BootstrapResult as BootstrapResult
    from fastkappa.statistics.comparison import KappaDifference as KappaDifference
    from fastkappa.statistics.indices import Estimate as Estimate
    from fastkappa.statistics.intervals.posterior import KappaPosterior as KappaPosterior
    from fastkappa.statistics.scales import Interpretation as Interpretation
    from fastkappa.statistics.strata import EqualKappas as EqualKappas
    from fastkappa.tables.count import ConfusionCounts as ConfusionCounts
    from fastkappa.thresholds.optimal import ThresholdResult as ThresholdResult
    from fastkappa.thresholds.rounding_report import RoundingReport as RoundingReport
    from fastkappa.two_raters.agreement_result import AgreementResult as AgreementResult
    from fastkappa.two_raters.grouped_result import GroupedAgreement as GroupedAgreement
    from fastkappa.two_raters.margin_tests import MarginTests as MarginTests
    from fastkappa.two_raters.prevalence import CorrectedPrevalence as CorrectedPrevalence
    from fastkappa.two_raters.statistics.proportions import Proportion as Proportion
    from fastkappa.two_raters.statistics.proportions import SpecificAgreement as SpecificAgreement

# The module that defines each class.
_HOMES = {
    "AgreementResult": "two_raters.agreement_result",
    "AlternativeAnnotatorTest": "multirater.alternative_annotator",
    "BootstrapResult": "statistics.bootstrap",
    "CoefficientDifference": "multirater.coefficient_difference",
    "ConcordanceResult": "measurements.concordance",
    "ConfusionCounts": "tables.count",
    "CorrectedPrevalence": "two_raters.prevalence",
    "DecodingResult": "decoding.decode",
    "DisputedItems": "multirater.disputed",
    "EqualKappas": "statistics.strata",
    "Estimate": "statistics.indices",
    "GroupedAgreement": "two_raters.grouped_result",
    "Interpretation": "statistics.scales",
    "IntraclassCorrelation": "measurements.intraclass",
    "IntraclassResult": "measurements.intraclass",
    "KappaDifference": "statistics.comparison",
    "KappaPosterior": "statistics.intervals.posterior",
    "Kappas": "leaderboards.score_many",
    "LabelKappa": "multirater.label_kappas",
    "Leaderboard": "leaderboards.leaderboard_result",
    "LeaderboardRow": "leaderboards.leaderboard_result",
    "LimitsOfAgreement": "measurements.limits",
    "MarginTests": "two_raters.margin_tests",
    "MultiRaterResult": "multirater.multirater_result",
    "PairwiseKappa": "multirater.pairwise",
    "Proportion": "two_raters.statistics.proportions",
    "RaterComparison": "multirater.each_rater",
    "Repeatability": "measurements.repeatability",
    "RoundingReport": "thresholds.rounding_report",
    "SourceCounts": "sources.source_counts",
    "SpecificAgreement": "two_raters.statistics.proportions",
    "ThresholdResult": "thresholds.optimal",
}

__all__ = list(_HOMES)


# This function is hidden from type checkers, which would otherwise accept any misspelled name.
if not TYPE_CHECKING:
    __getattr__ = loader(__name__, _HOMES)


def __dir__() -> list[str]:
    """Return only the public names."""
    return list(__all__)
