"""The report on three raters or more."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from fastkappa import multirater
from fastkappa.cli.reports.agree_parts import (
    ALL,
    CONFIDENCE,
    MOST_RATERS,
    AgreeReport,
    AgreeRequest,
    bootstrap_fields,
    bootstrap_line,
    no_undefined_warnings,
)
from fastkappa.formatting import count_text, figure, interval_text, label_text
from fastkappa.multirater import MultiRaterResult, PairwiseKappa, Ratings
from fastkappa.multirater.pairwise import pairs_are_few
from fastkappa.plotting import plot_forest
from fastkappa.statistics.bootstrap import BootstrapResult, Method
from fastkappa.statistics.scales import ScaleName, find_scale, read_value
from fastkappa.statistics.weights import disagreement_matrix

# The time of BCa intervals grows with the square of the number of different subjects.
MOST_FOR_BCA = 1000
# A picture of more pairs of raters is not readable.
MOST_PAIRS = 60


def report_on_several(
    request: AgreeRequest, whole: Ratings, groups: Mapping[Any, Ratings]
) -> AgreeReport:
    """Report on three raters or more: on all subjects, and on those of each group."""
    with no_undefined_warnings():
        results = _coefficients(request, whole)
        by_group = {label_text(group): _coefficients(request, r) for group, r in groups.items()}
        pairs = _pairs(request, whole)
        resampled = [_bootstrap(result, whole, request) for result in results]
    lines = [
        request.heading(),
        *_facts(request, whole),
        "",
        *_coefficient_lines(results, request.scale),
    ]
    if request.n_resamples:
        lines += ["", *(bootstrap_line(r.method, d) for r, d in zip(results, resampled) if d)]
    lines += ["", *_pair_lines(pairs, whole)]
    for name, of_group in by_group.items():
        heading = f"{label_text(request.group)} {name}"
        lines += ["", heading, "", *_coefficient_lines(of_group, request.scale)]
    fields = {
        **request.fields(),
        "weights": request.weights,
        "n_subjects": whole.n_subjects,
        "n_missing": whole.n_missing,
        "labels": whole.labels.tolist(),
        "coefficients": [_fields(r, request.scale, d) for r, d in zip(results, resampled)],
        "pairwise": None
        if pairs is None
        else {
            "kappa": pairs.values.tolist(),
            "standard_error": pairs.standard_errors.tolist(),
            "n": pairs.n.tolist(),
            "n_missing": pairs.n_missing.tolist(),
        },
    }
    if request.group is not None:
        fields["groups"] = [
            {"group": name, "coefficients": [_fields(r, request.scale, None) for r in of_group]}
            for name, of_group in by_group.items()
        ]

    def draw() -> Any:
        if by_group:
            firsts = {name: of_group[0] for name, of_group in by_group.items()}
            return plot_forest({**firsts, ALL: results[0]})
        return _forest(results, pairs)

    return AgreeReport(fields, lines, draw)


def _coefficients(request: AgreeRequest, ratings: Ratings) -> list[MultiRaterResult]:
    """Return all coefficients, Fleiss' kappa first."""
    options: dict[str, Any] = {"weights": request.weights, "confidence": CONFIDENCE}
    level: Any = "nominal"
    if request.weights is not None:
        level = disagreement_matrix(request.weights, len(ratings.labels))
    gwet = (
        multirater.gwet_ac1(ratings, confidence=CONFIDENCE)
        if request.weights is None
        else multirater.gwet_ac2(ratings, **options)
    )
    light = [multirater.light_kappa(ratings, **options)] if pairs_are_few(ratings) else []
    return [
        multirater.fleiss_kappa(ratings, **options),
        multirater.conger_kappa(ratings, **options),
        *light,
        multirater.randolph_kappa(ratings, **options),
        gwet,
        multirater.krippendorff_alpha(ratings, level=level, confidence=CONFIDENCE),
    ]


def _pairs(request: AgreeRequest, ratings: Ratings) -> PairwiseKappa | None:
    if not pairs_are_few(ratings):
        return None
    return multirater.pairwise_kappa(ratings, weights=request.weights, confidence=CONFIDENCE)


def _pair_lines(pairs: PairwiseKappa | None, ratings: Ratings) -> list[str]:
    """Return the matrix of kappas, or their distribution if there are many raters."""
    heading = "kappa of each pair of raters"
    if pairs is None:
        return [f"Light's kappa and the {heading} are left out: {ratings.n_raters} raters are many"]
    if ratings.n_raters <= MOST_RATERS:
        return [heading, "", str(pairs)]
    values = pairs.values[np.triu_indices(ratings.n_raters, 1)]
    defined = values[~np.isnan(values)]
    if not len(defined):
        return [f"{heading}: undefined for all {len(values)}"]
    low, first, middle, third, high = (
        figure(value) for value in np.quantile(defined, [0, 0.25, 0.5, 0.75, 1])
    )
    return [
        f"{heading}: {len(values)} pairs, undefined for {len(values) - len(defined)}",
        f"median {middle}, quartiles {first} and {third}, from {low} to {high}",
    ]


def _bootstrap(
    result: MultiRaterResult, ratings: Ratings, request: AgreeRequest
) -> BootstrapResult | None:
    if not request.n_resamples:
        return None
    few = len(ratings.patterns.multiplicities) <= MOST_FOR_BCA
    method: Method = "bca" if few else "percentile"
    return result.bootstrap(n_resamples=request.n_resamples, method=method, rng=request.seed)


def _facts(request: AgreeRequest, ratings: Ratings) -> list[str]:
    n = ratings.n_subjects * ratings.n_raters
    return [
        f"{count_text(ratings.n_subjects, 'subject')}, {ratings.n_missing} of {n} ratings missing,"
        f" {count_text(len(ratings.labels), 'label')}, {request.weights or 'no'} weights"
    ]


def _coefficient_lines(results: list[MultiRaterResult], scale: ScaleName | None) -> list[str]:
    """Return a line for each coefficient, with its interpretation if there is a scale."""
    head = ("", "value", "std. error", f"{100 * CONFIDENCE:g} % interval", "")
    rows = [head if scale is None else (*head[:4], find_scale(scale).source)]
    rows += [
        (
            result.method,
            figure(result.value),
            figure(result.standard_error, ""),
            interval_text(result.interval),
            "" if scale is None else read_value(result.value, scale),
        )
        for result in results
    ]
    margin = max(len(row[0]) for row in rows)
    return [f"{a:<{margin}}{b:>10}{c:>12}{d:>21}  {e}".rstrip() for a, b, c, d, e in rows]


def _fields(
    result: MultiRaterResult, scale: ScaleName | None, resampled: BootstrapResult | None
) -> dict[str, Any]:
    fields = result.to_dict()
    if resampled is not None:
        fields["bootstrap"] = bootstrap_fields(resampled)
    if scale is not None:
        fields["reading"] = read_value(result.value, scale)
        fields["scale"] = scale
    return fields


def _forest(results: list[MultiRaterResult], pairs: PairwiseKappa | None) -> Any:
    """Draw the coefficients, and the kappas of the pairs unless there are too many."""
    names = [result.method for result in results]
    estimates = [result.value for result in results]
    intervals = [result.interval for result in results]
    if pairs is not None and comb(len(pairs.values), 2) <= MOST_PAIRS:
        first, second = np.triu_indices(len(pairs.values), 1)
        names += [f"{a}, {b}" for a, b in combinations(pairs.rater_names, 2)]
        estimates += pairs.values[first, second].tolist()
        intervals += list(zip(pairs.lower[first, second], pairs.upper[first, second]))
    return plot_forest(estimates, intervals, names=names)
