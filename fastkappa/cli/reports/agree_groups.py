"""Report on the raters in each group of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from fastkappa.cli.agree_request import AgreeRequest
from fastkappa.cli.gate import Estimate, of_one_group
from fastkappa.cli.pages.pictures import Picture
from fastkappa.cli.reports.agree_parts import (
    Coefficients,
    bootstrap_fields,
    bootstrap_of,
    no_undefined_warnings,
    result_of,
)
from fastkappa.cli.reports.output import Output, Section, read_on, with_groups
from fastkappa.formatting import group_text, label_text
from fastkappa.multirater.coefficient_difference import (
    CoefficientDifference,
    compare_coefficients,
    differences_report,
)
from fastkappa.multirater.multirater_result import MultiRaterResult, doubts_of
from fastkappa.plotting import plot_forest
from fastkappa.results.report import (
    Report,
    differences_grid,
    estimate_row,
    groups_grid,
    not_adjusted,
    number_rows,
    with_p,
)
from fastkappa.results.sentence import difference_text, versioned
from fastkappa.sources.source_counts import SourceCounts
from fastkappa.sources.source_ratings import RatingsError
from fastkappa.statistics.comparison import (
    MOST_INDEPENDENT,
    KappaDifference,
    differences_of_pairs,
)
from fastkappa.statistics.intervals.doubt import wide_intervals
from fastkappa.statistics.scales import Interpretation
from fastkappa.statistics.strata import EqualKappas, compare_strata
from fastkappa.two_raters.agreement_report import shared_clusters
from fastkappa.two_raters.grouped_result import ALL, GroupedAgreement, design_effects


def report_on_groups(request: AgreeRequest, grouped: GroupedAgreement) -> Output:
    """Return the report on two raters in each group."""
    with no_undefined_warnings():
        equality = grouped.equality if len(grouped) > 1 else None
    names = {group: label_text(group) for group in grouped}
    fields = {**request.fields(), **grouped.to_dict()}
    fields["equality"] = None if equality is None else equality.to_dict()
    if request.reference is not None:
        # Each rater forms a group, and all groups have the same rows, so totals would count every
        # row once per rater.
        del fields["missing"], fields["n_dropped"]
    rows = grouped.rows()
    blank = dict.fromkeys(rows[0])
    if equality is not None:
        rows.append({**blank, **_common_row(equality)})
    reports = [grouped._report(equality)]
    if equality is not None:
        reports.append(equality._report()._replace(notes=()))
    drawn = {}
    read: dict[str, Interpretation] = {}
    for of_group, (group, name) in zip(fields["groups"], names.items()):
        of_group["group"] = name
        if request.scale is not None:
            read[name] = grouped[group].interpret(request.scale)
            of_group["interpretation"] = read[name].to_dict()
    if request.bootstrap:
        found = [*zip(names.values(), grouped.values(), fields["groups"])]
        if not grouped.repeats_items:
            found.append((ALL, grouped.pooled, fields["all"]))
        for name, result, of_result in found:
            with no_undefined_warnings():
                resampled = bootstrap_of(result, request)
            of_result["bootstrap"] = bootstrap_fields(resampled)
            drawn[f"kappa of {name}"] = resampled
            row = resampled.row(name)
            row["group"] = row.pop("statistic")
            rows.append({key: row.get(key) for key in blank})
        reports.append(Report([one._line(name) for name, one in drawn.items()]))
    if request.scale is not None:
        reports.append(read_on(request.scale, read))
    which = (
        "of each rater" if request.reference else f"in each group of {label_text(request.group)}"
    )
    caption = f"Kappa and its interval {which}."
    pictures = [Picture(caption, lambda ax: plot_forest(grouped, ax=ax))]
    estimates = [
        Estimate(of_one_group(group), result.kappa, result.interval[0])
        for group, result in grouped.items()
    ]
    return Output(
        request.heading(),
        reports,
        fields,
        rows,
        pictures,
        estimates=estimates,
        sentences=lambda: [
            grouped.sentence(),
            *(one.sentence(name=name) for name, one in drawn.items()),
            *(reading.sentence(name=f"kappa of {name}") for name, reading in read.items()),
        ],
    )


def with_reference_by_group(
    request: AgreeRequest,
    whole: GroupedAgreement,
    by_group: Mapping[Any, GroupedAgreement],
    by_rater: Mapping[str, GroupedAgreement],
) -> Output:
    """Return the report that compares raters with a reference, on all items and in each group.

    ``whole`` contains each rater's agreement on all items. ``by_group`` maps each group to the
    agreement by rater, and ``by_rater`` maps each rater to the agreement by group.
    """
    column = label_text(request.group)
    parts = {label_text(group): report_on_groups(request, one) for group, one in by_group.items()}
    output = with_groups(
        _by_rater(report_on_groups(request, whole)),
        column,
        {name: _by_rater(part) for name, part in parts.items()},
    )
    named = {label_text(group): one for group, one in by_group.items()}
    drawn = {
        (group, rater): result
        for group, one in {ALL: whole, **named}.items()
        for rater, result in one.items()
    }
    caption = f"Kappa and its interval of each rater, on {ALL} and in each group of {column}."
    picture = Picture(caption, lambda ax: plot_forest(drawn, ax=ax))
    fields = [
        {
            "group": name,
            "raters": part.fields["groups"],
            "differences": part.fields["differences"],
            "equality": part.fields["equality"],
        }
        for name, part in parts.items()
    ]
    tests = {rater: found.equality for rater, found in by_rater.items() if len(found) > 1}
    lines = [f"  {rater}: {test.test_text()}" for rater, test in tests.items()]
    n_shared = {rater: by_rater[rater].n_shared_clusters for rater in tests}
    heading = f"Test of equal kappas of each rater across {column}:"
    shared = shared_clusters(max(n_shared.values(), default=0))
    report = Report([heading, *lines], doubts=shared, notes=wide_intervals(tests.items()))
    of_raters = [
        {"rater": rater, "equality": test, "n_shared_clusters": n_shared[rater]}
        for rater, test in tests.items()
    ]
    sentences = [
        versioned(
            f"Test of equal kappas of {rater} across {column}: {test.test_text(in_sentence=True)}"
        )
        for rater, test in tests.items()
    ]
    blank = dict.fromkeys(output.rows[0])
    rows = [{**blank, **_common_row(test), "rater": rater} for rater, test in tests.items()]
    together = Section([report] if lines else (), {"by_rater": of_raters}, rows, sentences)
    output = output.plus([together, Section((), {"by_group": fields})])
    return output._replace(pictures=[picture])


def _common_row(equality: EqualKappas) -> dict[str, Any]:
    """Return a CSV row with the common kappa and the p-value of the test of equality."""
    lower, upper = equality.interval
    return {
        "group": "common kappa, with p of equality",
        "kappa": equality.kappa,
        "standard_error": equality.standard_error,
        "lower": lower,
        "upper": upper,
        "p_value": equality.p_value,
    }


def _by_rater(output: Output) -> Output:
    """Rename ``group`` to ``rater`` in the CSV rows of an output whose groups are raters."""
    rows = [{"rater": row["group"], **row} for row in output.rows]
    return output._replace(rows=[{k: v for k, v in r.items() if k != "group"} for r in rows])


def grouped_of(request: AgreeRequest, counts: Mapping[Any, SourceCounts]) -> GroupedAgreement:
    """Return the agreement in each group. In ``counts``, rows without a group have the key None."""
    named = {group: part for group, part in counts.items() if group is not None}
    n_without_group = counts[None].n_rows if None in counts else 0
    results = {group: result_of(part, request) for group, part in named.items() if part.table.any()}
    if not results:
        raise RatingsError(
            "no row can be counted: each row lacks a group or a rating, or has a rating that is"
            " not among the labels."
        )
    parts = list(named.values())
    missing = tuple(sum(part.missing[i] for part in parts) for i in (0, 1))
    n_dropped = sum(part.n_dropped for part in parts)
    whole = SourceCounts(
        np.sum([part.table for part in parts], axis=0),
        parts[0].labels,
        sum(part.n_outside for part in parts),
        sum(part.n_rows for part in parts),
        (missing[0], missing[1]),
        n_dropped,
        parts[0].is_weighted,
    )
    return GroupedAgreement(
        results,
        result_of(whole, request),
        (n_without_group, *whole.missing),
        n_dropped + n_without_group,
        group_name=str(request.group),
    )


class GroupsOfSeveral:
    """The first coefficient of each group and, if possible, a comparison of the groups.

    ``are_rows`` is True if each row is an item, so that no item is in several groups.
    """

    def __init__(
        self,
        request: AgreeRequest,
        found: Mapping[str, Coefficients],
        whole: MultiRaterResult,
        undefined: Sequence[str],
        are_rows: bool,
    ) -> None:
        self._request, self._whole = request, whole
        self._undefined = undefined
        self._group = label_text(request.group)
        self._firsts = {name: next(iter(each.values())) for name, each in found.items()}
        self._equality: EqualKappas | None = None
        self._differences: dict[str, CoefficientDifference] = {}
        self._independent: list[KappaDifference] = []
        self._why_not: list[str] = []
        self._compare(are_rows)

    def _compare(self, are_rows: bool) -> None:
        """Test groups for equality or, if they share items, compare the first with the others."""
        _, *others = self._firsts
        if not others:
            return
        if sum(one.n_clusters for one in self._firsts.values()) <= self._whole.n_clusters:
            self._equality = compare_strata(self._firsts)
            if len(self._firsts) <= MOST_INDEPENDENT:
                self._independent = differences_of_pairs(self._firsts, self._whole.confidence)
            return
        if not are_rows:
            with suppress(ValueError):
                self._differences = self._compared_with(others)
        if not self._differences:
            what = "items" if self._request.cluster is None else "clusters"
            n_shared = sum(one.n_clusters for one in self._firsts.values()) - self._whole.n_clusters
            self._why_not = [
                f"the groups are not compared, because {n_shared} {what} occur in a second group."
                f" If {what} are numbered anew in each group, make the numbers distinct. Otherwise,"
                f" leave these {what} out to compare the groups"
            ]

    def _compared_with(self, others: Sequence[str]) -> dict[str, CoefficientDifference]:
        """Return the first group's coefficient minus the coefficient of each other group."""
        first, differences = next(iter(self._firsts)), {}
        for other in others:
            found = compare_coefficients(self._firsts[first], self._firsts[other])
            methods = f"{found.methods[0]} of {first}", f"{found.methods[1]} of {other}"
            differences[f"{first} minus {other}"] = replace(found, methods=methods)
        return differences

    def section(self) -> Section:
        """Return the section on the groups and their comparison, without JSON for each group."""
        tests: list[EqualKappas | CoefficientDifference] = [*self._differences.values()]
        if self._equality is not None:
            tests = [self._equality]
        first = next(iter(self._firsts))
        of = f"{self._whole.method}, {group_text(self._group, first).removesuffix(first)}"
        of_pairs = [
            versioned(f"The {difference_text(one, of, ', was')}") for one in self._independent
        ]
        of_groups = [
            one.sentence().replace(" was ", f" in {group_text(self._group, name)} was ", 1)
            for name, one in self._firsts.items()
        ]
        return Section(
            self._reports(),
            {
                "comparison": tests[0] if len(tests) == 1 else tests or None,
                "differences": self._independent,
            },
            self._rows(),
            [*of_groups, *(one.sentence() for one in tests), *of_pairs],
        )

    def _rows(self) -> list[dict[str, Any]]:
        """Return the comparison of the groups as CSV rows."""
        rows = []
        if (test := self._equality) is not None:
            common = f"common {test.coefficient}"
            rows.append(estimate_row(common, test.kappa, test.standard_error, test.interval))
            rows += number_rows({"p of equality": test.p_value})
        differences: dict[str, KappaDifference | CoefficientDifference] = {
            " minus ".join(one.names): one for one in self._independent
        }
        for name, one in (differences | self._differences).items():
            rows.append(estimate_row(name, one.value, one.standard_error, one.interval))
            rows += number_rows({f"p of {name}": one.p_value})
        return rows

    def _reports(self) -> list[Report]:
        request, named = self._request, {**self._firsts, ALL: self._whole}
        rows = (
            (name, one.n_paired, one.value, one.standard_error, one.interval)
            for name, one in named.items()
        )
        # If ratings are missing by design, the number of missing ratings is not shown.
        shown = named.values() if "missing" in self._whole.ratings_text else ()
        n_missing = [one.n_missing for one in shown]
        grid = groups_grid(rows, self._whole.confidence, self._whole.method, self._group, n_missing)
        doubts = [
            f"{name}: {text}" for name, one in self._firsts.items() for text in doubts_of(one)
        ]
        apart = {" minus ".join(one.names): one for one in self._independent}
        together = [("", self._equality)] if self._equality else []
        below, notes = [], wide_intervals([*named.items(), *apart.items(), *together])
        if request.plans_test:
            null, alternative = request.null, request.alternative
            tests = (one.test(null, alternative=alternative) for one in named.values())
            grid = with_p(grid, (p for _, p in tests))
            below.append(f"p is from the test of {request.null_of(self._whole.method)}")
        if self._whole.clusters is not None:
            below.append(design_effects(self._firsts))
        below += self._undefined
        grids = [grid]
        if self._independent:
            grids.append(differences_grid(self._independent, self._whole.confidence, "group"))
            below += not_adjusted(len(self._independent), len(self._firsts))
        reports = [Report([], grids, below, doubts=[*doubts, *self._why_not], notes=notes)]
        if self._equality is not None:
            reports.append(self._equality._report()._replace(notes=()))
        if self._differences:
            reports.append(differences_report(self._differences))
        if request.scale is not None:
            read = {name: one.interpret(request.scale) for name, one in self._firsts.items()}
            reports.append(read_on(request.scale, read))
        return reports

    def picture(self) -> Picture:
        """Return the plot of the coefficient of each group."""
        caption = f"{self._whole.method} and its interval in each group of {self._group}."
        named = {**self._firsts, ALL: self._whole}
        return Picture(caption, lambda ax: plot_forest(named, ax=ax))
