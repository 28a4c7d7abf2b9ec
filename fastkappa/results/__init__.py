"""The classes of the results that fastkappa's functions return.

Each result prints as a report, has ``to_frame()`` and ``to_dict()``, and shows as HTML in
notebooks.
"""

from typing import TYPE_CHECKING

from fastkappa.lazy import loader

if TYPE_CHECKING:
    from fastkappa.decoding.decode import DecodingResult
    from fastkappa.leaderboards.leaderboard_result import Leaderboard, LeaderboardRow
    from fastkappa.leaderboards.score_many import Kappas
    from fastkappa.measurements.concordance import ConcordanceResult
    from fastkappa.measurements.intraclass import IntraclassCorrelation, IntraclassResult
    from fastkappa.measurements.limits import LimitsOfAgreement
    from fastkappa.multirater.alternative_annotator import AlternativeAnnotatorTest
    from fastkappa.multirater.coefficient_difference import CoefficientDifference
    from fastkappa.multirater.disputed import DisputedItems
    from fastkappa.multirater.each_rater import RaterComparison
    from fastkappa.multirater.label_kappas import LabelKappa
    from fastkappa.multirater.multirater_result import MultiRaterResult
    from fastkappa.multirater.pairwise import PairwiseKappa
    from fastkappa.sources.source_counts import SourceCounts
    from fastkappa.statistics.bootstrap import BootstrapResult
    from fastkappa.statistics.comparison import KappaDifference
    from fastkappa.statistics.indices import Estimate
    from fastkappa.statistics.intervals.posterior import KappaPosterior
    from fastkappa.statistics.scales import Interpretation
    from fastkappa.statistics.strata import EqualKappas
    from fastkappa.tables.count import ConfusionCounts
    from fastkappa.thresholds.optimal import ThresholdResult
    from fastkappa.thresholds.rounding_report import RoundingReport
    from fastkappa.two_raters.agreement_result import AgreementResult
    from fastkappa.two_raters.grouped import GroupedAgreement
    from fastkappa.two_raters.margin_tests import MarginTests
    from fastkappa.two_raters.prevalence import CorrectedPrevalence
    from fastkappa.two_raters.statistics.proportions import Proportion, SpecificAgreement

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
    "GroupedAgreement": "two_raters.grouped",
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
    "RoundingReport": "thresholds.rounding_report",
    "SourceCounts": "sources.source_counts",
    "SpecificAgreement": "two_raters.statistics.proportions",
    "ThresholdResult": "thresholds.optimal",
}

__all__ = [
    "AgreementResult",
    "AlternativeAnnotatorTest",
    "BootstrapResult",
    "CoefficientDifference",
    "ConcordanceResult",
    "ConfusionCounts",
    "CorrectedPrevalence",
    "DecodingResult",
    "DisputedItems",
    "EqualKappas",
    "Estimate",
    "GroupedAgreement",
    "Interpretation",
    "IntraclassCorrelation",
    "IntraclassResult",
    "KappaDifference",
    "KappaPosterior",
    "Kappas",
    "LabelKappa",
    "Leaderboard",
    "LeaderboardRow",
    "LimitsOfAgreement",
    "MarginTests",
    "MultiRaterResult",
    "PairwiseKappa",
    "Proportion",
    "RaterComparison",
    "RoundingReport",
    "SourceCounts",
    "SpecificAgreement",
    "ThresholdResult",
]


# Type checkers do not see this function, because with it they would accept every misspelt name.
if not TYPE_CHECKING:
    __getattr__ = loader(__name__, _HOMES)


def __dir__() -> list[str]:
    """Return only the public names."""
    return list(__all__)
