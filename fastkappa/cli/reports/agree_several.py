"""The report on three raters or more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import comb
from typing import Any

from fastkappa import multirater
from fastkappa.cli.gate import Estimate, of_one_group
from fastkappa.cli.pages.pictures import Picture
from fastkappa.cli.reports.agree_parts import (
    CONFIDENCE,
    AgreeRequest,
    bootstrap_fields,
    no_undefined_warnings,
)
from fastkappa.cli.reports.output import Output
from fastkappa.formatting import count_text, label_text
from fastkappa.multirater import MultiRaterResult, Ratings
from fastkappa.multirater.multirater_result import coefficients_grid, short_name
from fastkappa.multirater.pairwise import pairs_are_few
from fastkappa.plotting import plot_forest
from fastkappa.results.report import Report, estimate_row, number_rows
from fastkappa.statistics.bootstrap import BootstrapResult, Method
from fastkappa.statistics.scales import ScaleName, find_scale, read_value
from fastkappa.statistics.weights import Weights, disagreement_matrix, weights_text
from fastkappa.two_raters.grouped import ALL

# The time of BCa intervals grows with the square of the number of different subjects.
MOST_FOR_BCA = 1000
# A picture of more pairs of raters is not readable.
MOST_PAIRS = 60

# By the name of their function.
Coefficients = dict[str, MultiRaterResult]
Resampled = Mapping[str, BootstrapResult | None]
NO_BOOTSTRAP: Resampled = {}
# Levels of alpha at which ratings may be sets.
SET_LEVELS = ("nominal", "jaccard", "masi")


def report_on_several(
    request: AgreeRequest, whole: Ratings, groups: Mapping[Any, Ratings]
) -> Output:
    """Report on three raters or more: on all subjects, and on those of each group."""
    are_sets = request.separator is not None
    weights = None if are_sets else request.weights_of(whole.labels)
    with no_undefined_warnings():
        results = _coefficients(request, weights, whole)
        by_group = {
            label_text(group): _coefficients(request, weights, r) for group, r in groups.items()
        }
        pairs = None
        if pairs_are_few(whole) and not are_sets:
            pairs = multirater.pairwise_kappa(whole, weights=weights, confidence=CONFIDENCE)
        resampled = {name: _bootstrap(r, whole, request) for name, r in results.items()}
    drawn = [d.sentence(results[name].method) for name, d in resampled.items() if d]
    many = f"Light's kappa and the kappa of each pair of raters are left out: {whole.n_raters}"
    reports = [
        *_reports(results, request.scale, above=[_facts(weights, whole, are_sets)]),
        *([Report(drawn)] if drawn else []),
        *([pairs._report()] if pairs is not None else []),
        *([] if pairs is not None or are_sets else [Report([f"{many} raters are many"])]),
    ]
    numbers = {"n": whole.n_subjects, "missing ratings": whole.n_missing}
    rows = number_rows(numbers) + _rows(results, resampled)
    estimates_of_pairs = [] if pairs is None else pairs.rows()
    rows += [estimate_row(f"kappa of {row[0]}", *row[1:]) for row in estimates_of_pairs]
    if request.group is not None:
        rows = [{"group": ALL, **row} for row in rows]
    for name, of_this in by_group.items():
        heading = f"{label_text(request.group)} {name}"
        reports += _reports(of_this, request.scale, heading=heading)
        rows += [{"group": name, **row} for row in _rows(of_this)]
    fields = {
        **request.fields(),
        "weights": weights,
        "n_subjects": whole.n_subjects,
        "n_missing": whole.n_missing,
        "labels": [sorted(label) for label in whole.labels] if are_sets else whole.labels,
        "coefficients": _fields(results, request.scale, resampled),
        "pairwise": None
        if pairs is None
        else {
            "kappa": pairs.values,
            "standard_error": pairs.standard_errors,
            "n": pairs.n,
            "n_missing": pairs.n_missing,
        },
    }
    if request.group is not None:
        fields["groups"] = [
            {"group": name, "coefficients": _fields(of_this, request.scale)}
            for name, of_this in by_group.items()
        ]
    gated = next(iter(results))
    drawn_pairs = estimates_of_pairs if comb(whole.n_raters, 2) <= MOST_PAIRS else []

    def draw(ax: Any) -> Any:
        if by_group:
            firsts = {name: of_this[gated] for name, of_this in by_group.items()}
            return plot_forest({**firsts, ALL: results[gated]}, ax=ax)
        found = [(r.method, r.value, r.standard_error, r.interval) for r in results.values()]
        names, values, _, intervals = zip(*found, *drawn_pairs)
        return plot_forest(values, intervals, names=names, ax=ax)

    caption = "The coefficients, and kappa of each pair of raters, with their intervals."
    if by_group:
        method = results[gated].method
        caption = f"{method} and its interval in each group of {label_text(request.group)}."
    return Output(
        request.heading(),
        reports,
        fields,
        rows,
        [Picture(caption, draw)],
        estimates=list(_gated(results, by_group)),
    )


def _gated(results: Coefficients, by_group: Mapping[str, Coefficients]) -> Iterator[Estimate]:
    """Yield the estimate that a gate checks, or that of each group."""
    if not by_group:
        first = next(iter(results.values()))
        yield Estimate(first.method, first.value, first.interval[0])
    for name, of_this in by_group.items():
        first = next(iter(of_this.values()))
        yield Estimate(of_one_group(name, first.method), first.value, first.interval[0])


def _coefficients(request: AgreeRequest, weights: Weights, ratings: Ratings) -> Coefficients:
    """Return all coefficients by the names of their functions, Fleiss' kappa first.

    Of sets there are alphas alone, by their level.
    """
    level: Any = request.level
    if request.separator is not None:
        levels: Any = SET_LEVELS if level is None else [level]
        return {
            f"krippendorff_alpha_{name}": multirater.krippendorff_alpha(
                ratings, level=name, **request.of_several
            )
            for name in levels
        }
    intervals = request.of_several
    options: dict[str, Any] = {"weights": weights, **intervals}
    if level is None:
        n = len(ratings.labels)
        level = "nominal" if weights is None else disagreement_matrix(weights, n)
    found = {
        "fleiss_kappa": multirater.fleiss_kappa(ratings, **options),
        "conger_kappa": multirater.conger_kappa(ratings, **options),
    }
    if pairs_are_few(ratings):
        found["light_kappa"] = multirater.light_kappa(ratings, **options)
    found["randolph_kappa"] = multirater.randolph_kappa(ratings, **options)
    if weights is None:
        found["gwet_ac1"] = multirater.gwet_ac1(ratings, **intervals)
    else:
        found["gwet_ac2"] = multirater.gwet_ac2(ratings, **options)
    found["krippendorff_alpha"] = multirater.krippendorff_alpha(ratings, level=level, **intervals)
    return found


def _bootstrap(
    result: MultiRaterResult, ratings: Ratings, request: AgreeRequest
) -> BootstrapResult | None:
    if not request.n_resamples:
        return None
    few = len(ratings.patterns.multiplicities) <= MOST_FOR_BCA
    method: Method = "bca" if few else "percentile"
    return result.bootstrap(n_resamples=request.n_resamples, method=method, rng=request.seed)


def _facts(weights: Weights, ratings: Ratings, are_sets: bool) -> str:
    labels = count_text(len(ratings.labels), "different set" if are_sets else "label")
    weighted = "" if are_sets else f", {weights_text(weights)}"
    return (
        f"{count_text(ratings.n_subjects, 'subject')}, {ratings.n_missing} of"
        f" {ratings.n_subjects * ratings.n_raters} ratings missing,"
        f" {labels}{weighted}"
    )


def _reports(
    found: Coefficients,
    scale: ScaleName | None,
    *,
    above: Sequence[str] = (),
    heading: str = "",
) -> Iterator[Report]:
    """Yield a row for each coefficient, and their interpretation if there is a scale."""
    results = list(found.values())
    yield Report(above, [coefficients_grid(results)], heading=heading)
    if scale is not None:
        read = [f"  {short_name(r)}: {read_value(r.value, scale)}" for r in results]
        yield Report([f"read by {find_scale(scale).source}", *read])


def _rows(results: Coefficients, resampled: Resampled = NO_BOOTSTRAP) -> list[dict[str, Any]]:
    """Return the coefficients, and their bootstraps if there are any, as rows of CSV."""
    rows = [estimate_row(r.method, r.value, r.standard_error, r.interval) for r in results.values()]
    return rows + [drawn.row(results[name].method) for name, drawn in resampled.items() if drawn]


def _fields(
    results: Coefficients, scale: ScaleName | None, resampled: Resampled = NO_BOOTSTRAP
) -> dict[str, dict[str, Any]]:
    fields = {name: result.to_dict() for name, result in results.items()}
    for name, of_one in fields.items():
        if (drawn := resampled.get(name)) is not None:
            of_one["bootstrap"] = bootstrap_fields(drawn)
        if scale is not None:
            of_one["reading"] = read_value(results[name].value, scale)
            of_one["scale"] = scale
    return fields
