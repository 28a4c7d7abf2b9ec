"""The report on three raters or more."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from fastkappa import multirater
from fastkappa.cli.reports.agree_parts import (
    ALL,
    CONFIDENCE,
    Asked,
    Report,
    between,
    bootstrap_fields,
    bootstrap_line,
    undefined_is_told,
)
from fastkappa.formatting import figure, label_text
from fastkappa.multirater import MultiRaterResult, PairwiseKappa, Ratings
from fastkappa.plotting import plot_forest
from fastkappa.statistics.bootstrap import BootstrapResult, Method
from fastkappa.statistics.scales import find_scale, read_value
from fastkappa.statistics.weights import disagreement_matrix

# BCa intervals over subjects take time with the square of how many differ.
MOST_FOR_BCA = 1000
# A picture of more pairs of raters is not read by a person.
MOST_PAIRS = 60


def report_on_several(asked: Asked, whole: Ratings, groups: Mapping[Any, Ratings]) -> Report:
    """Report on three raters or more, on all their subjects and on those of each group."""
    with undefined_is_told():
        results = _coefficients(asked, whole)
        by_group = {label_text(group): _coefficients(asked, r) for group, r in groups.items()}
        pairs = multirater.pairwise_kappa(whole, weights=asked.weights, confidence=CONFIDENCE)
        drawn = [_bootstrap(result, whole, asked) for result in results]
    lines = [asked.heading(), *_facts(asked, whole), "", *_table(results, asked.scale)]
    if asked.n_resamples:
        lines += ["", *(bootstrap_line(r.method, d) for r, d in zip(results, drawn) if d)]
    lines += ["", "kappa of each pair of raters", "", str(pairs)]
    for name, of_group in by_group.items():
        lines += ["", f"{asked.group} {name}", "", *_table(of_group, asked.scale)]
    fields = {
        **asked.fields(),
        "weights": asked.weights,
        "n_subjects": whole.n_subjects,
        "n_missing": whole.n_missing,
        "labels": whole.labels.tolist(),
        "coefficients": [_fields(r, asked.scale, d) for r, d in zip(results, drawn)],
        "pairwise": {
            "kappa": pairs.values.tolist(),
            "standard_error": pairs.standard_errors.tolist(),
            "n": pairs.n.tolist(),
            "n_missing": pairs.n_missing.tolist(),
        },
    }
    if asked.group is not None:
        fields["groups"] = [
            {"group": name, "coefficients": [_fields(r, asked.scale, None) for r in of_group]}
            for name, of_group in by_group.items()
        ]

    def draw() -> Any:
        if by_group:
            firsts = {name: of_group[0] for name, of_group in by_group.items()}
            return plot_forest({**firsts, ALL: results[0]})
        return _forest(results, pairs)

    return Report(fields, lines, draw)


def _coefficients(asked: Asked, ratings: Ratings) -> list[MultiRaterResult]:
    """Return all coefficients, Fleiss' kappa first."""
    given: dict[str, Any] = {"weights": asked.weights, "confidence": CONFIDENCE}
    level: Any = "nominal"
    if asked.weights is not None:
        level = disagreement_matrix(asked.weights, len(ratings.labels))
    gwet = (
        multirater.gwet_ac1(ratings, confidence=CONFIDENCE)
        if asked.weights is None
        else multirater.gwet_ac2(ratings, **given)
    )
    return [
        multirater.fleiss_kappa(ratings, **given),
        multirater.conger_kappa(ratings, **given),
        multirater.light_kappa(ratings, **given),
        multirater.randolph_kappa(ratings, **given),
        gwet,
        multirater.krippendorff_alpha(ratings, level=level, confidence=CONFIDENCE),
    ]


def _bootstrap(result: MultiRaterResult, ratings: Ratings, asked: Asked) -> BootstrapResult | None:
    if not asked.n_resamples:
        return None
    few = len(ratings.patterns.multiplicities) <= MOST_FOR_BCA
    method: Method = "bca" if few else "percentile"
    return result.bootstrap(n_resamples=asked.n_resamples, method=method, rng=asked.seed)


def _facts(asked: Asked, ratings: Ratings) -> list[str]:
    n = ratings.n_subjects * ratings.n_raters
    return [
        f"{ratings.n_subjects} subjects, {ratings.n_missing} of {n} ratings missing,"
        f" {len(ratings.labels)} labels, {asked.weights or 'no'} weights"
    ]


def _table(results: list[MultiRaterResult], scale: str | None) -> list[str]:
    """Return a row for each coefficient, with its reading by the scale if there is one."""
    head = ("", "value", "std. error", f"{100 * CONFIDENCE:g} % interval", "")
    rows = [head if scale is None else (*head[:4], find_scale(scale).source)]
    rows += [
        (
            result.method,
            figure(result.value),
            figure(result.standard_error, ""),
            between(result.interval),
            "" if scale is None else read_value(result.value, scale),
        )
        for result in results
    ]
    margin = max(len(row[0]) for row in rows)
    return [f"{a:<{margin}}{b:>10}{c:>12}{d:>21}  {e}".rstrip() for a, b, c, d, e in rows]


def _fields(
    result: MultiRaterResult, scale: str | None, drawn: BootstrapResult | None
) -> dict[str, Any]:
    fields = result.to_dict()
    if drawn is not None:
        fields["bootstrap"] = bootstrap_fields(drawn)
    if scale is not None:
        fields["reading"] = read_value(result.value, scale)
        fields["scale"] = scale
    return fields


def _forest(results: list[MultiRaterResult], pairs: PairwiseKappa) -> Any:
    """Draw the coefficients, and the kappas of the pairs if they are not too many."""
    names = [result.method for result in results]
    estimates = [result.value for result in results]
    intervals = [result.interval for result in results]
    first, second = np.triu_indices(len(pairs.values), 1)
    if len(first) <= MOST_PAIRS:
        names += [f"{a}, {b}" for a, b in combinations(pairs.rater_names, 2)]
        estimates += pairs.values[first, second].tolist()
        intervals += list(zip(pairs.lower[first, second], pairs.upper[first, second]))
    return plot_forest(estimates, intervals, names=names)
