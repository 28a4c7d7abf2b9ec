"""The report on three raters or more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from fastkappa import multirater
from fastkappa.cli.pages.pictures import Picture
from fastkappa.cli.reports.agree_parts import (
    ALL,
    CONFIDENCE,
    MOST_RATERS,
    OF_COEFFICIENTS,
    AgreeReport,
    AgreeRequest,
    bootstrap_fields,
    bootstrap_line,
    bootstrap_row,
    estimate_row,
    no_undefined_warnings,
)
from fastkappa.cli.reports.parts import Heading, Part, Tables
from fastkappa.formatting import count_text, figure, label_text
from fastkappa.multirater import MultiRaterResult, PairwiseKappa, Ratings
from fastkappa.multirater.pairwise import pairs_are_few
from fastkappa.plotting import plot_forest
from fastkappa.results import Report, estimate_grid
from fastkappa.statistics.bootstrap import BootstrapResult, Method
from fastkappa.statistics.scales import ScaleName, find_scale, read_value
from fastkappa.statistics.weights import Weights, disagreement_matrix

# The time of BCa intervals grows with the square of the number of different subjects.
MOST_FOR_BCA = 1000
# A picture of more pairs of raters is not readable.
MOST_PAIRS = 60


def report_on_several(
    request: AgreeRequest, whole: Ratings, groups: Mapping[Any, Ratings]
) -> AgreeReport:
    """Report on three raters or more: on all subjects, and on those of each group."""
    weights = request.weights_of(whole.labels)
    with no_undefined_warnings():
        results = _coefficients(weights, whole)
        by_group = {label_text(group): _coefficients(weights, r) for group, r in groups.items()}
        pairs = _pairs(weights, whole)
        resampled = [_bootstrap(result, whole, request) for result in results]
    parts: list[Part] = [*_facts(weights, whole), "", *_coefficient_parts(results, request.scale)]
    rows = _rows(results, resampled)
    if request.n_resamples:
        parts += ["", *(bootstrap_line(r.method, d) for r, d in zip(results, resampled) if d)]
    parts += ["", *_pair_parts(pairs, whole)]
    if pairs is not None:
        rows += _rows_of_pairs(pairs)
    if request.group is not None:
        rows = [{"group": ALL, **row} for row in rows]
    for name, of_group in by_group.items():
        heading = Heading(f"{label_text(request.group)} {name}")
        parts += ["", heading, "", *_coefficient_parts(of_group, request.scale)]
        rows += [{"group": name, **row} for row in _rows(of_group, [None] * len(of_group))]
    fields = {
        **request.fields(),
        "weights": weights,
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

    told = "The coefficients, and kappa of each pair of raters, with their intervals."
    if by_group:
        told = f"{results[0].method} and its interval in each group of {label_text(request.group)}."
    return AgreeReport(request.heading(), fields, parts, rows, [Picture(told, draw)])


def _coefficients(weights: Weights, ratings: Ratings) -> list[MultiRaterResult]:
    """Return all coefficients, Fleiss' kappa first."""
    options: dict[str, Any] = {"weights": weights, "confidence": CONFIDENCE}
    level: Any = "nominal"
    if weights is not None:
        level = disagreement_matrix(weights, len(ratings.labels))
    gwet = (
        multirater.gwet_ac1(ratings, confidence=CONFIDENCE)
        if weights is None
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


def _pairs(weights: Weights, ratings: Ratings) -> PairwiseKappa | None:
    if not pairs_are_few(ratings):
        return None
    return multirater.pairwise_kappa(ratings, weights=weights, confidence=CONFIDENCE)


def _pair_parts(pairs: PairwiseKappa | None, ratings: Ratings) -> list[Part]:
    """Return the matrix of kappas, or their distribution if there are many raters."""
    heading = "kappa of each pair of raters"
    if pairs is None:
        return [f"Light's kappa and the {heading} are left out: {ratings.n_raters} raters are many"]
    if ratings.n_raters <= MOST_RATERS:
        return [Heading(heading), "", Tables(pairs._report(), ["Kappa of each pair"])]
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


def _facts(weights: Weights, ratings: Ratings) -> list[str]:
    n = ratings.n_subjects * ratings.n_raters
    kind = "weights of a matrix"
    if weights is None or isinstance(weights, str):
        kind = f"{weights or 'no'} weights"
    return [
        f"{count_text(ratings.n_subjects, 'subject')}, {ratings.n_missing} of {n} ratings missing,"
        f" {count_text(len(ratings.labels), 'label')}, {kind}"
    ]


def _coefficient_parts(results: list[MultiRaterResult], scale: ScaleName | None) -> Iterator[Part]:
    """Yield a row for each coefficient, and their interpretation if there is a scale."""
    # The level of an alpha goes without saying beside the weights.
    names = [r.method.partition(" (")[0] for r in results]
    estimates = [(name, r.value, r.standard_error, r.interval) for name, r in zip(names, results)]
    yield Tables(Report([], [estimate_grid(estimates, CONFIDENCE)]), [OF_COEFFICIENTS])
    if scale is not None:
        yield ""
        yield f"read by {find_scale(scale).source}"
        yield from (f"  {name}: {read_value(r.value, scale)}" for name, r in zip(names, results))


def _rows(
    results: list[MultiRaterResult], resampled: Sequence[BootstrapResult | None]
) -> list[dict[str, Any]]:
    """Return the coefficients, and their bootstraps if there are any, as rows of CSV."""
    rows = [estimate_row(r.method, r.value, r.standard_error, r.interval) for r in results]
    return rows + [bootstrap_row(r.method, d) for r, d in zip(results, resampled) if d]


def _rows_of_pairs(pairs: PairwiseKappa) -> list[dict[str, Any]]:
    first, second = np.triu_indices(len(pairs.values), 1)
    figures = (pairs.values, pairs.standard_errors, pairs.lower, pairs.upper)
    return [
        estimate_row(f"kappa of {a}, {b}", value, error, (lower, upper))
        for (a, b), value, error, lower, upper in zip(
            combinations(pairs.rater_names, 2), *(f[first, second].tolist() for f in figures)
        )
    ]


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
