"""Report on three or more raters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import comb
from typing import Any

import numpy as np

from fastkappa.arrays import IntTable
from fastkappa.cli.agree_request import AgreeRequest
from fastkappa.cli.files.raters import RatersRead
from fastkappa.cli.gate import Estimate, of_one_group
from fastkappa.cli.pages.pictures import Picture
from fastkappa.cli.reports.agree_groups import GroupsOfSeveral
from fastkappa.cli.reports.agree_items import of_items
from fastkappa.cli.reports.agree_pair import table_picture
from fastkappa.cli.reports.agree_parts import (
    Coefficients,
    bootstrap_fields,
    coefficients_of,
    compared_raters,
    no_undefined_warnings,
    replace_people,
    too_many,
    why_undefined,
)
from fastkappa.cli.reports.output import Output, Section, read_on
from fastkappa.formatting import count_text, first_of_many, label_text, printable
from fastkappa.multirater import coefficients
from fastkappa.multirater.alternative_annotator import alternative_annotator_test
from fastkappa.multirater.disputed import MOST_SHOWN
from fastkappa.multirater.each_rater import MOST_RATERS, RaterComparison
from fastkappa.multirater.estimation import clusters_of, coefficients_grid, short_name
from fastkappa.multirater.label_kappas import (
    LabelKappa,
    confusions,
    kappas_by_group,
    label_grid,
    pooled,
)
from fastkappa.multirater.multirater_result import MultiRaterResult, doubts_of
from fastkappa.multirater.pairwise import PairwiseKappa, pairs_are_few, pairwise_kappa
from fastkappa.multirater.ratings import Ratings
from fastkappa.plotting import plot_forest
from fastkappa.plotting.results import Row, Rows, with_weights
from fastkappa.results.report import LARGEST_TABLE, Report, estimate_row, number_rows, with_p
from fastkappa.results.sentence import estimate_text, p_sentence, versioned
from fastkappa.statistics.bootstrap import BootstrapResult, Method
from fastkappa.statistics.intervals.doubt import wide_intervals
from fastkappa.statistics.weights import Weights, weights_text
from fastkappa.two_raters.agreement_result import AgreementResult
from fastkappa.two_raters.grouped_result import ALL

# The largest number of distinct subjects for BCa intervals, whose running time grows with the
# square of this number. With more subjects, percentile intervals are used.
MOST_FOR_BCA = 1000
# The largest number of pairs of raters in a plot. A plot with more would not be readable.
MOST_PAIRS = 60

Resampled = Mapping[str, BootstrapResult]
NO_BOOTSTRAP: Resampled = {}
# The results of the alternative annotator test that are written as CSV rows.
OF_MODEL = ("winning rate", "advantage probability")


def report_on_several(request: AgreeRequest, read: RatersRead) -> Output:
    """Return the report on three or more raters, for all subjects and for each group."""
    whole, everyone, are_sets = read.whole, read.everyone, request.set_separator is not None
    weights, of_all = map(request.weights_of, (whole.labels, everyone.labels))
    pairs = people = None
    label_pairs: IntTable | None = None
    with why_undefined() as undefined:
        results = coefficients_of(request, weights, whole)
        labels = _labels_of(request, whole)
        raters = compared_raters(request, everyone, of_all, whole, weights)
        items, last, files = of_items(request, read, weights)
    first = next(iter(results.values()))
    with no_undefined_warnings():
        if pairs_are_few(everyone):
            pairs = pairwise_kappa(everyone, weights=of_all, confidence=request.confidence)
            people = pairs
            if len(whole.labels) < len(everyone.labels):
                people = pairwise_kappa(whole, weights=weights, confidence=request.confidence)
                replace_people(pairs, people)
            if not are_sets:
                label_pairs = pooled(whole.rater_pairs("the table of labels").tables)
        hides_items = request.disputed is None and items.fields["n_disputed"] > MOST_SHOWN
        hides_raters = everyone.n_raters > LARGEST_TABLE
        parts = [
            _of_labels(labels),
            Section([] if label_pairs is None else [confusions(label_pairs, whole.labels)]),
            _of_raters(everyone, raters),
            items,
            *_in_full(hides_items, "every disputed item: --disputed FILE"),
            _of_pairs(everyone, pairs, label_pairs),
            *_in_full(hides_raters, "every rater and every pair of raters: --format csv"),
        ]
        if request.model is not None or request.coefficient is not None:
            # Omit the sentences of these sections. With a model, sentences about the model replace
            # them. With a chosen coefficient, the sentences would describe other coefficients.
            parts = [part._replace(sentences=()) for part in parts]
        if request.model is not None:
            parts.append(_of_model(request, request.model, everyone, of_all, raters))
        of_pair = pairs if request.model in request.two_names else people
        pair = None if request.pair is None else _pair_of(request, everyone, of_pair)
        if pair is not None:
            report = pair._report()._replace(heading=", ".join(pair.raters))
            parts.append(Section([report], {"pair": pair.to_dict()}, (), [pair.sentence()]))
        parts += last
        resampled = _bootstraps(results, whole, request)
    above = [*_facts(request, weights, whole, are_sets, first)]
    if raters is not None and "missing" in first.ratings_text:
        above.append(_missing_of_each(whole, raters))
    numbers = {"n": whole.n_subjects, "missing ratings": whole.n_missing}
    if n_blank := whole.counted.n_blank:
        numbers["rows without a rating"] = n_blank
    fields = {
        **request.fields(),
        **({"undefined": undefined} if undefined else {}),
        "weights": weights,
        "n_subjects": whole.n_subjects,
        "n_missing": whole.n_missing,
        **({"n_blank": n_blank} if n_blank else {}),
        "labels": whole.labels,
    }
    output = Output(
        request.heading(),
        [],
        fields,
        number_rows(numbers),
        [_forest(results, pairs), *([] if raters is None else [_picture_of(raters)])],
        estimates=[Estimate(first.method, first.value, first.interval[0])],
        files=files,
    ).plus([_of_coefficients(request, results, [*above, *undefined], resampled=resampled), *parts])
    if request.group is not None:
        output = _with_groups(request, output, first, weights, of_all, read)
    if pair is not None:
        pictures = [table_picture(pair, request.heat_map), *output.pictures]
        output = output._replace(pictures=pictures)
    return output


def _with_groups(
    request: AgreeRequest,
    output: Output,
    whole: MultiRaterResult,
    weights: Weights,
    of_all: Weights,
    read: RatersRead,
) -> Output:
    """Return the output with the coefficients of each group, and the comparison of the groups."""
    rows: list[Mapping[str, Any]] = [{"group": ALL, **row} for row in output.rows]
    fields, estimates = [], []
    found: dict[str, Coefficients] = {}
    by_label: dict[str, dict[str, float]] = {}
    by_rater: dict[str, dict[str, float]] = {}
    undefined: dict[str, None] = {}
    drawn: dict[str, BootstrapResult] = {}
    for group, ratings in read.groups.items():
        name, everyone = label_text(group), read.groups_of_everyone[group]
        with why_undefined() as reasons:
            found[name] = coefficients_of(request, weights, ratings)
            labels = _labels_of(request, ratings)
        undefined |= dict.fromkeys(reasons)
        raters = None
        with no_undefined_warnings():
            if read.everyone.n_raters <= LARGEST_TABLE:
                raters = compared_raters(request, everyone, of_all, ratings, weights)
            resampled = _bootstraps(found[name], ratings, request)
        by_label[name] = {label_text(one.label): one.value for one in labels}
        if raters is not None:
            kappas = raters.with_others.values.tolist()
            by_rater[name] = dict(zip(map(printable, raters.rater_names), kappas))
        sections = (
            _of_coefficients(request, found[name], [], resampled=resampled),
            _of_labels(labels),
            _of_raters(everyone, raters),
        )
        one = next(iter(found[name].values()))
        if resampled:
            interval = next(iter(resampled.values()))
            drawn[f"{one.method} of {name}"] = interval
        estimates.append(Estimate(of_one_group(name, one.method), one.value, one.interval[0]))
        rows += [{"group": name, **row} for section in sections for row in section.rows]
        of_group = {key: one for section in sections for key, one in section.fields.items()}
        fields.append({"group": name, **of_group})
    if not found:
        return output._replace(rows=rows)
    with no_undefined_warnings():
        are_rows = read.columns.rating is None
        compared = GroupsOfSeveral(request, found, whole, list(undefined), are_rows)
        of_groups = compared.section()
    rows += [{"group": ALL, **row} for row in of_groups.rows]
    _, *pictures = output.pictures
    first, *reports = output.reports
    column = label_text(request.group)
    grids = [kappas_by_group(by_label, f"Kappa of each label by {column}")]
    n_groups = Counter(rater for kappas in by_rater.values() for rater in kappas)
    if max(n_groups.values(), default=0) > 1:
        caption = f"Kappa of each rater with the others by {column}"
        grids.append(kappas_by_group(by_rater, caption))

    def sentences() -> list[str]:
        # Sentences about a single group name that group, so the other sentences must state that
        # they cover all items.
        of_all = (f"{ALL.capitalize()}: {sentence}" for sentence in output.sentences())
        of_drawn = (one.sentence(name=name) for name, one in drawn.items())
        return [*of_groups.sentences, *of_drawn, *of_all]

    lines = [one._line(name) for name, one in drawn.items()]
    return output._replace(
        reports=[first, *of_groups.reports, Report(lines, grids), *reports],
        fields={**output.fields, "groups": fields, **of_groups.fields},
        rows=rows,
        pictures=[compared.picture(), *pictures],
        estimates=estimates,
        sentences=sentences,
    )


def _of_coefficients(
    request: AgreeRequest,
    found: Coefficients,
    above: Sequence[str],
    *,
    resampled: Resampled = NO_BOOTSTRAP,
) -> Section:
    """Return the section on the coefficients, their interpretation and bootstrap intervals."""
    results = list(found.values())
    doubts = dict.fromkeys(text for r in results for text in doubts_of(r))
    grid, below = coefficients_grid(results), []
    rows = [estimate_row(r.method, r.value, r.standard_error, r.interval) for r in results]
    fields = {name: result.to_dict() for name, result in found.items()}
    sentences = [result.sentence() for result in results]
    if request.plans_test:
        tests = [r.test(request.null, alternative=request.alternative) for r in results]
        grid = with_p(grid, (p for _, p in tests))
        below.append(f"p is from the test of {request.null_of('each coefficient')}")
        asked = {"null": request.null, "alternative": request.alternative}
        for result, field, (z, p) in zip(results, fields.values(), tests):
            null = request.null_of(result.method)
            field["test"] = {**asked, "z": z, "p_value": p}
            rows += number_rows({f"z of {null}": z, f"p of {null}": p})
            sentences.append(p_sentence(null, p))
    notes = wide_intervals(("", one) for one in results)
    reports = [Report(above, [grid], below, doubts=list(doubts), notes=notes)]
    if request.scale is not None:
        readings = {name: result.interpret(request.scale) for name, result in found.items()}
        named = {short_name(found[name]): reading for name, reading in readings.items()}
        reports.append(read_on(request.scale, named))
        for name, reading in readings.items():
            fields[name]["interpretation"] = reading.to_dict()
            sentences.append(reading.sentence(name=found[name].method))
    if resampled:
        drawn = {found[name].method: one for name, one in resampled.items()}
        reports.append(Report([one._line(name) for name, one in drawn.items()]))
        sentences += [one.sentence(name=name) for name, one in drawn.items()]
        for name, one in resampled.items():
            rows.append(one.row(found[name].method))
            fields[name]["bootstrap"] = bootstrap_fields(one)
    return Section(reports, {"coefficients": fields}, rows, sentences)


def _labels_of(request: AgreeRequest, ratings: Ratings) -> Sequence[LabelKappa]:
    return coefficients.fleiss_kappa(ratings, **request.of_several).by_label


def _of_labels(labels: Sequence[LabelKappa]) -> Section:
    """Return the section on each label's kappa and agreement."""
    rows = [
        estimate_row(f"kappa of label {label_text(k.label)}", k.value, k.standard_error, k.interval)
        for k in labels
    ]
    rows += number_rows({f"agreement on label {label_text(k.label)}": k.agreement for k in labels})
    return Section([Report([], [label_grid(labels)])], {"by_label": labels}, rows)


def _of_raters(whole: Ratings, raters: RaterComparison | None) -> Section:
    """Return the section that compares each rater with the others."""
    if raters is None:
        left_out = "The comparison of each rater with the others is left out because "
        reports = [Report([left_out + too_many(whole)])] if whole.n_raters > MOST_RATERS else []
        return Section(reports, {"each_rater": None})
    counts = {
        f"ratings {label_text(label)} by {rater}": count
        for label, counts in raters.counts_by_label()
        for rater, count in zip(raters.rater_names, counts.tolist())
    }
    rows = [*(estimate_row(*row) for row in raters.rows()), *number_rows(counts)]
    return Section([raters._report()], {"each_rater": raters}, rows, [raters.sentence()])


def _of_pairs(
    everyone: Ratings, pairs: PairwiseKappa | None, label_pairs: IntTable | None
) -> Section:
    """Return the section on the kappa of each pair of raters."""
    if pairs is None:
        left_out = "Light's kappa and the kappa of each pair of raters are left out because "
        return Section([Report([left_out + too_many(everyone)])], {"pairwise": None})
    fields = {
        "kappa": pairs.values,
        "standard_error": pairs.standard_errors,
        "n": pairs.n,
        "n_missing": pairs.n_missing,
        "label_pairs": label_pairs,
    }
    subjects = {f"items of {', '.join(pair)}": n for pair, n in pairs.n_of_pairs().items()}
    rows = [estimate_row(f"kappa of {row[0]}", *row[1:]) for row in pairs.rows()]
    rows += number_rows(subjects)
    return Section([pairs._report()], {"pairwise": fields}, rows, [pairs.sentence()])


def _missing_of_each(whole: Ratings, raters: RaterComparison) -> str:
    """Return a line with each rater's number of missing ratings, in descending order."""
    n_ratings = dict(zip(raters.rater_names, raters.label_counts.sum(axis=1).tolist()))
    n_missing = {name: whole.n_subjects - n_ratings[name] for name in whole.rater_names or ()}
    most = sorted(filter(n_missing.get, n_missing), key=n_missing.__getitem__, reverse=True)
    found = [f"{printable(name)} {n_missing[name]}" for name in most]
    return f"missing ratings: {first_of_many(found, MOST_SHOWN)}"


def _in_full(is_abridged: bool, option: str) -> Sequence[Section]:
    """If tables are abridged, return a section that names the option for full tables."""
    return [Section([Report([option])])] if is_abridged else []


def _of_model(
    request: AgreeRequest,
    model: str,
    whole: Ratings,
    weights: Weights,
    raters: RaterComparison | None,
) -> Section:
    """Return the section on the test of whether a model can replace people."""
    given: dict[str, Any] = {} if request.epsilon is None else {"epsilon": request.epsilon}
    try:
        found = alternative_annotator_test(whole, model, weights=weights, **given)
    except KeyError as error:
        raise ValueError(f"--model: {error.args[0]}") from error
    except ValueError as error:
        raise ValueError(f"--model: {error}") from error
    rows = {f"{name} of {model}": getattr(found, name.replace(" ", "_")) for name in OF_MODEL}
    reports, sentences = [found._report()], [found.sentence()]
    if raters is not None:
        sentences.append(_model_with_people(raters, model))
        low = np.nan_to_num(raters.change.lower)
        if low.max() > 0:
            most = printable(raters.rater_names[low.argmax()])
            remark = (
                f"the people agree better without {most}: to compare {printable(model)} with the"
                f" remaining people, leave {most} out of --raters"
            )
            reports.append(Report([remark]))
    return Section(reports, {"alternative_annotator": found}, number_rows(rows), sentences)


def _model_with_people(raters: RaterComparison, model: str) -> str:
    """Return a sentence about the kappa between a model and people."""
    i = raters.rater_names.index(model)
    level = f"{100 * raters.confidence:g} % interval"
    kappa, difference = (
        estimate_text(float(found.values[i]), (found.lower[i], found.upper[i]), level)
        for found in (raters.with_others, raters.difference)
    )
    return versioned(
        f"Kappa ({weights_text(raters.weights)}) of {printable(model)} with the people was {kappa},"
        f" a difference of {difference} from kappa among the people"
    )


def _pair_of(request: AgreeRequest, whole: Ratings, pairs: PairwiseKappa | None) -> AgreementResult:
    """Return the agreement of two of the raters."""
    if request.set_separator is not None:
        raise ValueError("--pair is not available for sets of labels.")
    if pairs is None:
        raise ValueError(
            f"--pair is not available because {too_many(whole)}: leave out some raters."
        )
    try:
        return pairs[request.two_names]
    except KeyError as error:
        raise ValueError(f"--pair: {error.args[0]}") from error


def _picture_of(raters: RaterComparison) -> Picture:
    caption = "The kappa of each rater with the others, and its interval."
    return Picture(caption, lambda ax: plot_forest(raters, ax=ax))


def _forest(results: Coefficients, pairs: PairwiseKappa | None) -> Picture:
    rows = [Row(result.method, result.value, *result.interval) for result in results.values()]
    caption = "The coefficients"
    if pairs is not None and comb(len(pairs.rater_names), 2) <= MOST_PAIRS:
        rows += [Row(name, kappa, *interval) for name, kappa, _, interval in pairs.rows()]
        caption += ", and kappa of each pair of raters"
    first = next(iter(results.values()))
    drawn = Rows(rows, with_weights("agreement", first), first.confidence)
    return Picture(f"{caption}, with their intervals.", lambda ax: plot_forest(drawn, ax=ax))


def _bootstraps(results: Coefficients, ratings: Ratings, request: AgreeRequest) -> Resampled:
    if not request.bootstrap:
        return NO_BOOTSTRAP
    few = len(ratings.patterns.multiplicities) <= MOST_FOR_BCA
    method: Method = "bca" if few else "percentile"
    return {
        name: result.bootstrap(n_resamples=request.bootstrap, method=method, rng=request.seed)
        for name, result in results.items()
    }


def _facts(
    request: AgreeRequest,
    weights: Weights,
    ratings: Ratings,
    are_sets: bool,
    first: MultiRaterResult,
) -> Iterator[str]:
    """Yield lines about the numbers of items, ratings and labels, and about the design effect."""
    labels = count_text(len(ratings.labels), "different set" if are_sets else "label")
    weighted = f", {weights_text(weights)}"
    if are_sets:
        weighted = f", tables: {request.level or 'nominal'} level"
    clusters, effect = clusters_of(first)
    of_all = f"0 of {ratings.n_subjects * ratings.n_raters} ratings missing"
    yield (
        f"{count_text(ratings.n_subjects, 'item')}{clusters}, {first.ratings_text or of_all},"
        f" {labels}{weighted}"
    )
    yield from effect
    if request.model is not None:
        model = label_text(request.model)
        yield f"coefficients, labels and items are those of the people, without {model}"
