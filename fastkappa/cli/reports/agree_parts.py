"""Build the parts that several reports of ``fastkappa agree`` have in common."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from warnings import catch_warnings, simplefilter, warn

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.cli.agree_request import AgreeRequest
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.multirater import coefficients
from fastkappa.multirater.each_rater import (
    MOST_RATERS,
    Estimates,
    Panel,
    RaterComparison,
    compare_raters,
)
from fastkappa.multirater.krippendorff import krippendorff_alpha
from fastkappa.multirater.multirater_result import MultiRaterResult
from fastkappa.multirater.pairwise import PairwiseKappa, pairs_are_few
from fastkappa.multirater.ratings import Ratings
from fastkappa.ratings.lengths import CHECK_IDS
from fastkappa.results.sentence import listed
from fastkappa.sources.source_counts import SourceCounts
from fastkappa.sources.source_ratings import RatingsError
from fastkappa.statistics.bootstrap import BootstrapResult, bootstrap
from fastkappa.statistics.clusters import Clusters
from fastkappa.statistics.weights import Weights, disagreement_matrix, weights_text
from fastkappa.two_raters.agreement import make_result
from fastkappa.two_raters.agreement_result import AgreementResult

# The coefficients, keyed by the name of the function that computes each of them.
Coefficients = dict[str, MultiRaterResult]
# The levels of Krippendorff's alpha for ratings that are sets of labels.
SET_LEVELS = ("nominal", "jaccard", "masi")
# A regular expression for warnings about undefined values.
UNDEFINED = re.compile(r"(the standard error of )?(.*) is undefined: (.*)", re.DOTALL)


@contextmanager
def no_undefined_warnings() -> Iterator[None]:
    """Suppress warnings about undefined values, because the report mentions these values."""
    with catch_warnings():
        simplefilter("ignore", undefined_metric_warning())
        yield


@contextmanager
def why_undefined() -> Iterator[list[str]]:
    """Collect the reasons why values are undefined, for the report, instead of issuing warnings."""
    reasons: list[str] = []
    with catch_warnings(record=True) as warned:
        yield reasons
    # For each reason, the names of the values that are undefined for that reason.
    names: dict[tuple[str, str], list[str]] = {}
    for one in warned:
        text = str(one.message)
        found = UNDEFINED.fullmatch(text)
        if not issubclass(one.category, undefined_metric_warning()):
            warn(text, one.category, stacklevel=3)
        elif found is None:
            reasons.append(text)
        else:
            names.setdefault((found[1] or "", found[3]), []).append(found[2])
    joined = []
    for (of, why), those in names.items():
        what = f"{of}{listed(list(dict.fromkeys(those)))}"
        joined.append(f"{what} {'is' if len(those) == 1 else 'are'} undefined: {why}")
    reasons[:0] = joined


def coefficients_of(request: AgreeRequest, weights: Weights, ratings: Ratings) -> Coefficients:
    """Return coefficients by function name: the chosen one, or all, with Fleiss' kappa first.

    For sets of labels, return only Krippendorff's alpha, at each level.
    """
    level: Any = request.level
    if request.set_separator is not None:
        levels: Any = SET_LEVELS if level is None else [level]
        return {
            f"krippendorff_alpha_{name}": krippendorff_alpha(
                ratings, level=name, **request.of_several
            )
            for name in levels
        }
    options: dict[str, Any] = {"weights": weights, **request.of_several}
    if level is None:
        n = len(ratings.labels)
        level = "nominal" if weights is None else disagreement_matrix(weights, n)
    found = {
        "fleiss_kappa": coefficients.fleiss_kappa(ratings, **options),
        "conger_kappa": coefficients.conger_kappa(ratings, **options),
    }
    if pairs_are_few(ratings):
        found["light_kappa"] = coefficients.light_kappa(ratings, **options)
    found["randolph_kappa"] = coefficients.randolph_kappa(ratings, **options)
    if weights is None:
        found["gwet_ac1"] = coefficients.gwet_ac1(ratings, **request.of_several)
    else:
        found["gwet_ac2"] = coefficients.gwet_ac2(ratings, **options)
    alpha = krippendorff_alpha(ratings, level=level, **request.of_several)
    if not isinstance(level, str):
        alpha = replace(alpha, method=f"Krippendorff's alpha ({weights_text(weights)})")
    found["krippendorff_alpha"] = alpha
    if request.coefficient is None:
        return found
    chosen = {name: one for name, one in found.items() if name.startswith(request.coefficient)}
    if not chosen:
        raise ValueError(
            f"--coefficient {request.coefficient} is not available because {too_many(ratings)}:"
            " leave out some raters."
        )
    return chosen


def too_many(whole: Ratings) -> str:
    return f"there are too many raters ({whole.n_raters})"


def replace_people(pairs: PairwiseKappa, people: PairwiseKappa) -> None:
    """Replace the kappas of people in ``pairs`` with those in ``people``.

    ``people`` was computed without the model. Weights can depend on labels that only the model
    gave.
    """
    places = [pairs.rater_names.index(name) for name in people.rater_names]
    for name in ("values", "standard_errors", "lower", "upper"):
        getattr(pairs, name)[np.ix_(places, places)] = getattr(people, name)


def compared_raters(
    request: AgreeRequest, everyone: Ratings, of_all: Weights, people: Ratings, weights: Weights
) -> RaterComparison | None:
    """Compare each rater with the others, or return None if there are too few or many raters.

    If one of the raters is a model, ``people`` are the ratings of the others, and ``weights`` those
    of the people's labels.
    """

    def compared(ratings: Ratings, weights: Weights) -> RaterComparison | None:
        if not 2 < ratings.n_raters <= MOST_RATERS:
            return None
        panel: Panel = "conger" if request.set_separator is None else "alpha"
        return compare_raters(
            ratings, coefficient=panel, weights=weights, confidence=request.confidence
        )

    raters = compared(everyone, of_all)
    if raters is None or request.model is None:
        return raters
    return _among_people(raters, compared(people, weights))


def _among_people(raters: RaterComparison, people: RaterComparison | None) -> RaterComparison:
    """Return a comparison of all raters that shows the effect of leaving out a person.

    The effects are taken from ``people``, which was computed without the model. The effect of
    leaving out the model is NaN. If there are too few people for a comparison, all effects are NaN.
    """
    changes = np.full((2, 5, len(raters.rater_names)), np.nan)
    if people is not None:
        raters = replace(raters, value=people.value)
        places = [raters.rater_names.index(name) for name in people.rater_names]
        changes[..., places] = people.without, people.change
    without, change = (Estimates(*one) for one in changes)
    return replace(raters, without=without, change=change)


def result_of(
    counts: SourceCounts, request: AgreeRequest, clusters: Clusters | None = None
) -> AgreementResult:
    """Return the agreement of two raters, given their counts and the clusters of the items."""
    if not counts.table.any():
        if not counts.n_outside:
            raise RatingsError(f"no item was rated by both raters. {CHECK_IDS}")
        raise RatingsError(
            "no item has both ratings in --labels: write the labels in --labels exactly as in the"
            " file."
        )
    check_whole(counts.table)
    return make_result(
        counts.table,
        counts.labels,
        request.weights_of(counts.labels),
        **request.of_two,
        missing=counts.missing,
        n_dropped=counts.n_dropped,
        n_outside=counts.n_outside,
        is_weighted=counts.is_weighted,
        raters=request.raters,
        clusters=clusters,
    )


def check_whole(table: AnyArray) -> None:
    """Raise if a table contains sums of item weights instead of numbers of items."""
    if table.dtype.kind == "f":
        raise RatingsError(
            "intervals require whole numbers in the --sample-weight column: the number of items"
            " that each row represents. For other weights, fastkappa score prints kappa without an"
            " interval, and fastkappa leaderboard --sample-weight prints a bootstrap interval."
        )


def bootstrap_of(result: AgreementResult, request: AgreeRequest) -> BootstrapResult:
    """Return the bootstrap of kappa with the requested number of replicates."""
    n, confidence = request.bootstrap, request.confidence
    return bootstrap(result, n_resamples=n, confidence=confidence, rng=request.seed)


def bootstrap_fields(resampled: BootstrapResult) -> dict[str, Any]:
    """Return the JSON fields of a bootstrap, without its replicates."""
    return {
        "method": resampled.method,
        "n_resamples": len(resampled.replicates),
        "n_undefined": resampled.n_undefined,
        "standard_error": resampled.standard_error,
        "confidence": resampled.confidence,
        "interval": list(resampled.interval),
    }
