"""The report on three or more raters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import comb
from typing import Any

from fastkappa.cli.gate import Estimate, of_one_group
from fastkappa.cli.pages.pictures import Picture
from fastkappa.cli.reports.agree_pair import table_picture
from fastkappa.cli.reports.agree_parts import (
    CONFIDENCE,
    AgreeRequest,
    bootstrap_fields,
    no_undefined_warnings,
    why_undefined,
)
from fastkappa.cli.reports.agree_several_groups import Groups
from fastkappa.cli.reports.output import Output
from fastkappa.formatting import count_text, label_text
from fastkappa.multirater import coefficients
from fastkappa.multirater.disputed import MOST_SHOWN, DisputedItems, disputed_items
from fastkappa.multirater.each_rater import MOST_RATERS, RaterComparison, compare_raters
from fastkappa.multirater.krippendorff import krippendorff_alpha
from fastkappa.multirater.label_kappas import LabelKappa, label_grid
from fastkappa.multirater.multirater_result import (
    MultiRaterResult,
    clusters_of,
    coefficients_grid,
    short_name,
)
from fastkappa.multirater.pairwise import PairwiseKappa, pairs_are_few, pairwise_kappa
from fastkappa.multirater.ratings import Ratings
from fastkappa.plotting import plot_forest
from fastkappa.results.report import Report, estimate_row, number_rows
from fastkappa.statistics.bootstrap import BootstrapResult, Method
from fastkappa.statistics.scales import ScaleName, find_scale
from fastkappa.statistics.weights import Weights, disagreement_matrix, weights_text
from fastkappa.two_raters.grouped import ALL

# The time for BCa intervals grows with the square of the number of distinct subjects.
MOST_FOR_BCA = 1000
# A plot of more pairs of raters is not readable.
MOST_PAIRS = 60

# Coefficients by the name of their function.
Coefficients = dict[str, MultiRaterResult]
Resampled = Mapping[str, BootstrapResult | None]
NO_BOOTSTRAP: Resampled = {}
# The levels of alpha for ratings that are sets of labels.
SET_LEVELS = ("nominal", "jaccard", "masi")


def report_on_several(
    request: AgreeRequest, whole: Ratings, groups: Mapping[Any, Ratings]
) -> Output:
    """Return the report on three or more raters, for all subjects and for each group."""
    are_sets = request.separator is not None
    weights = None if are_sets else request.weights_of(whole.labels)
    of_groups: dict[str, list[str]] = {}
    by_group: dict[str, Coefficients] = {}
    with why_undefined() as undefined:
        results = _coefficients(request, weights, whole)
        parts = _Parts(whole, weights, request)
    for group, ratings in groups.items():
        with why_undefined() as of_groups[label_text(group)]:
            by_group[label_text(group)] = _coefficients(request, weights, ratings)
    gated = next(iter(results))
    with no_undefined_warnings():
        firsts = {name: of_this[gated] for name, of_this in by_group.items()}
        compared = Groups(label_text(request.group), firsts, results[gated]) if firsts else None
        resampled = {name: _bootstrap(r, whole, request) for name, r in results.items()}
        pair = None if request.pair is None else parts.pair(request.pair)
    drawn = [d.sentence(results[name].method) for name, d in resampled.items() if d]
    reports = [
        *_reports(
            results,
            request.scale,
            above=_facts(weights, whole, are_sets, results[gated]) + undefined,
        ),
        *([Report(drawn)] if drawn else []),
        *parts.reports(),
        *([] if pair is None else [pair._report()._replace(heading=", ".join(pair.raters))]),
        *([] if compared is None else compared.reports()),
    ]
    numbers = {"n": whole.n_subjects, "missing ratings": whole.n_missing}
    rows = [*number_rows(numbers), *_rows(results, resampled), *parts.rows()]
    if request.group is not None:
        rows = [{"group": ALL, **row} for row in rows]
    for name, of_this in by_group.items():
        heading = f"{label_text(request.group)} {name}"
        reports += _reports(of_this, request.scale, above=of_groups[name], heading=heading)
        rows += [{"group": name, **row} for row in _rows(of_this)]
    fields = {
        **request.fields(),
        **({"undefined": undefined} if undefined else {}),
        "weights": weights,
        "n_subjects": whole.n_subjects,
        "n_missing": whole.n_missing,
        "labels": [sorted(label) for label in whole.labels] if are_sets else whole.labels,
        "coefficients": _fields(results, request.scale, resampled),
        **parts.fields(),
    }
    if pair is not None:
        fields["pair"] = pair.to_dict()
    if compared is not None:
        fields["groups"] = [
            {"group": name, "coefficients": _fields(of_this, request.scale)}
            for name, of_this in by_group.items()
        ]
        fields["comparison"] = compared.comparison
    pictures = [] if pair is None else [table_picture(pair, request.heat_map)]
    together = _forest(results, parts.pairs)
    pictures.append(together if compared is None else compared.picture())
    pictures += parts.pictures()
    written = parts.disputed.to_csv() if request.lists_disputed else None
    return Output(
        request.heading(),
        reports,
        fields,
        rows,
        pictures,
        estimates=list(_gated(results, by_group)),
        disputed=written,
        sentences=lambda: [
            *(result.sentence() for result in results.values()),
            *parts.sentences(),
            *([] if pair is None else [pair.sentence()]),
            *([] if compared is None else compared.sentences()),
        ],
    )


class _Parts:
    """The parts of the report on labels, on raters and their pairs, and on disputed items."""

    def __init__(self, whole: Ratings, weights: Weights, request: AgreeRequest) -> None:
        options: dict[str, Any] = {"weights": weights, "confidence": CONFIDENCE}
        self._whole, self._are_sets = whole, request.separator is not None
        self.labels: tuple[LabelKappa, ...] = ()
        self.raters: RaterComparison | None = None
        self.pairs: PairwiseKappa | None = None
        if not self._are_sets:
            self.labels = coefficients.fleiss_kappa(whole, confidence=CONFIDENCE).by_label
            if 2 < whole.n_raters <= MOST_RATERS:
                self.raters = compare_raters(whole, **options)
            if pairs_are_few(whole):
                self.pairs = pairwise_kappa(whole, **options)
        most = None if request.lists_disputed else MOST_SHOWN
        found = disputed_items(whole, weights=weights, most=most)
        # Users count the rows of a file from 1.
        are_rows = whole.counted.subjects is not None and whole.counted.subjects.items is None
        self.disputed: DisputedItems = replace(found, items=found.items + 1) if are_rows else found

    def pair(self, names: tuple[str, str]) -> Any:
        """Return the agreement of two of the raters."""
        if self.pairs is None:
            what = (
                "sets of labels" if self._are_sets else f"as many as {self._whole.n_raters} raters"
            )
            raise ValueError(f"--pair is not available for {what}.")
        try:
            return self.pairs[names]
        except KeyError as error:
            raise ValueError(f"--pair: {error.args[0]}") from error

    def reports(self) -> Iterator[Report]:
        """Yield the reports of all parts."""
        if not self._are_sets:
            yield Report([], [label_grid(self.labels)])
            yield from self._of_raters()
        yield self.disputed._report()

    def _of_raters(self) -> Iterator[Report]:
        many = f"there are too many raters ({self._whole.n_raters})"
        if self.raters is not None:
            yield self.raters._report()
        elif self._whole.n_raters > MOST_RATERS:
            yield Report([f"The comparison of each rater with the others is left out: {many}"])
        if self.pairs is not None:
            yield self.pairs._report()
        else:
            left_out = "Light's kappa and the kappa of each pair of raters are left out"
            yield Report([f"{left_out}: {many}"])

    def rows(self) -> list[dict[str, Any]]:
        """Return the estimates of all parts as rows of CSV."""
        found = [
            (f"kappa of label {label_text(one.label)}", one.value, one.standard_error, one.interval)
            for one in self.labels
        ]
        if self.raters is not None:
            found += self.raters.rows()
        if self.pairs is not None:
            found += [(f"kappa of {row[0]}", *row[1:]) for row in self.pairs.rows()]
        return [*(estimate_row(*row) for row in found), *number_rows(dict(self._numbers()))]

    def _numbers(self) -> Iterator[tuple[str, float]]:
        """Yield the agreement per label, the label counts per rater, and the subjects per pair."""
        labels = [label_text(one.label) for one in self.labels]
        for label, one in zip(labels, self.labels):
            yield f"agreement on label {label}", one.agreement
        if self.raters is not None:
            for rater, counts in zip(self.raters.rater_names, self.raters.label_counts.tolist()):
                for label, count in zip(labels, counts):
                    yield f"ratings {label} by {rater}", count
        if self.pairs is not None:
            for (first, second), n in self.pairs.n_of_pairs().items():
                yield f"subjects of {first}, {second}", n

    def sentences(self) -> list[str]:
        """Return sentences for a paper on the pairs and on each rater."""
        return [part.sentence() for part in (self.pairs, self.raters) if part is not None]

    def fields(self) -> dict[str, Any]:
        """Return the JSON fields of all parts."""
        pairs = self.pairs
        return {
            "by_label": self.labels,
            "each_rater": self.raters,
            "pairwise": None
            if pairs is None
            else {
                "kappa": pairs.values,
                "standard_error": pairs.standard_errors,
                "n": pairs.n,
                "n_missing": pairs.n_missing,
            },
            "n_disputed": self.disputed.n_disputed,
            "disputed": self.disputed.most(MOST_SHOWN),
        }

    def pictures(self) -> list[Picture]:
        """Return the plot of each rater's agreement with the others."""
        raters = self.raters
        if raters is None:
            return []
        caption = "The kappa of each rater with the others, and its interval."
        return [Picture(caption, lambda ax: plot_forest(raters, ax=ax))]


def _forest(results: Coefficients, pairs: PairwiseKappa | None) -> Picture:
    found = [(r.method, r.value, r.standard_error, r.interval) for r in results.values()]
    caption = "The coefficients"
    if pairs is not None and comb(len(pairs.rater_names), 2) <= MOST_PAIRS:
        found += pairs.rows()
        caption += ", and kappa of each pair of raters"
    names, values, _, intervals = zip(*found)
    return Picture(
        f"{caption}, with their intervals.",
        lambda ax: plot_forest(values, intervals=intervals, names=names, ax=ax),
    )


def _gated(results: Coefficients, by_group: Mapping[str, Coefficients]) -> Iterator[Estimate]:
    """Yield the estimates that a gate checks: one for all subjects, or one per group."""
    if not by_group:
        first = next(iter(results.values()))
        yield Estimate(first.method, first.value, first.interval[0])
    for name, of_this in by_group.items():
        first = next(iter(of_this.values()))
        yield Estimate(of_one_group(name, first.method), first.value, first.interval[0])


def _coefficients(request: AgreeRequest, weights: Weights, ratings: Ratings) -> Coefficients:
    """Return all coefficients by the names of their functions, Fleiss' kappa first.

    For sets of labels, return only Krippendorff's alpha, at each level.
    """
    level: Any = request.level
    if request.separator is not None:
        levels: Any = SET_LEVELS if level is None else [level]
        return {
            f"krippendorff_alpha_{name}": krippendorff_alpha(
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
        "fleiss_kappa": coefficients.fleiss_kappa(ratings, **options),
        "conger_kappa": coefficients.conger_kappa(ratings, **options),
    }
    if pairs_are_few(ratings):
        found["light_kappa"] = coefficients.light_kappa(ratings, **options)
    found["randolph_kappa"] = coefficients.randolph_kappa(ratings, **options)
    if weights is None:
        found["gwet_ac1"] = coefficients.gwet_ac1(ratings, **intervals)
    else:
        found["gwet_ac2"] = coefficients.gwet_ac2(ratings, **options)
    found["krippendorff_alpha"] = krippendorff_alpha(ratings, level=level, **intervals)
    return found


def _bootstrap(
    result: MultiRaterResult, ratings: Ratings, request: AgreeRequest
) -> BootstrapResult | None:
    if not request.n_resamples:
        return None
    few = len(ratings.patterns.multiplicities) <= MOST_FOR_BCA
    method: Method = "bca" if few else "percentile"
    return result.bootstrap(n_resamples=request.n_resamples, method=method, rng=request.seed)


def _facts(
    weights: Weights, ratings: Ratings, are_sets: bool, first: MultiRaterResult
) -> list[str]:
    labels = count_text(len(ratings.labels), "different set" if are_sets else "label")
    weighted = "" if are_sets else f", {weights_text(weights)}"
    clusters, effect = clusters_of(first)
    counted = (
        f"{count_text(ratings.n_subjects, 'subject')}{clusters}, {ratings.n_missing} of"
        f" {ratings.n_subjects * ratings.n_raters} ratings missing,"
        f" {labels}{weighted}"
    )
    return [counted, *effect]


def _reports(
    found: Coefficients,
    scale: ScaleName | None,
    *,
    above: Sequence[str] = (),
    heading: str = "",
) -> Iterator[Report]:
    """Yield a table of the coefficients, and their interpretation if there is a scale."""
    results = list(found.values())
    doubts = dict.fromkeys(r.doubt for r in results if r.doubt)
    yield Report([*above, *doubts], [coefficients_grid(results)], heading=heading)
    if scale is not None:
        read = [f"  {short_name(r)}: {r.interpret(scale).in_short()}" for r in results]
        yield Report([f"read by {find_scale(scale).source}", *read])


def _rows(results: Coefficients, resampled: Resampled = NO_BOOTSTRAP) -> list[dict[str, Any]]:
    """Return the coefficients and their bootstrap intervals as rows of CSV."""
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
            of_one["interpretation"] = results[name].interpret(scale).to_dict()
    return fields
