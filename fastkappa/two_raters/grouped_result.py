"""Define the result class for the agreement of two raters in groups of items."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Any

import numpy as np

from fastkappa.arrays import FloatTable
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.formatting import (
    count_text,
    counts_text,
    figure,
    label_text,
    plain,
    printable,
)
from fastkappa.frame import data_frame
from fastkappa.results.report import (
    Report,
    differences_grid,
    groups_grid,
    is_planned,
    left_outside,
    not_adjusted,
    null_text,
    with_p,
)
from fastkappa.results.result import Result
from fastkappa.results.sentence import (
    difference_text,
    estimate_text,
    interval_name,
    listed,
    p_rounded,
    versioned,
)
from fastkappa.statistics.clusters import are_joined, widened_text
from fastkappa.statistics.comparison import (
    MOST_INDEPENDENT,
    KappaDifference,
    differences_of_pairs,
)
from fastkappa.statistics.intervals.doubt import wide_intervals
from fastkappa.statistics.intervals.methods import intervals
from fastkappa.statistics.strata import EqualKappas, Undefined, equal_kappas
from fastkappa.statistics.weights import weights_text
from fastkappa.two_raters.agreement_report import (
    agreed_on,
    in_clusters,
    shared_clusters,
)
from fastkappa.two_raters.agreement_result import AgreementResult

# A sentence for a paper lists up to this many groups, and up to this many differences. With more
# groups, it lists only those with the lowest and the highest kappa. With more differences, it lists
# none.
MOST_IN_SENTENCE = 5
# Groups with the same items are compared in pairs if there are at most this many groups.
MOST_COMPARED = 10
# The name for all groups together.
ALL = "all items"


@dataclass(frozen=True, eq=False, repr=False)
class GroupedAgreement(Result, Mapping[Any, AgreementResult]):
    """The agreement within each group: a mapping from groups to results, sorted by group.

    Attributes
    ----------
    results : dict
        The `AgreementResult` of each group. All tables have the same labels.
    pooled : AgreementResult
        The agreement on the items of all groups together.
    missing : tuple of int
        The number of rows without a group, the number without a first rating, and the number
        without a second rating.
    n_dropped : int
        The number of items left out because a group, rating or cluster is missing.
    undefined : {'nan', 'drop'}
        How ``equality`` treats groups whose kappa is undefined or has no usable standard error.
    covariance : ndarray of shape (g, g) or None
        The covariance matrix of the groups' kappas if clusters have items in several groups, or
        None if the groups are independent.
    group_name : str
        The name of the grouping in reports.
    n_shared_clusters : int
        The number of clusters that have items in several groups.
    repeats_items : bool
        True if all groups contain the same items, for example if two readers are compared with one
        reference. If so, reports omit the pooled result, which would be meaningless.
    """

    results: dict[Any, AgreementResult]
    pooled: AgreementResult
    missing: tuple[int, int, int] = (0, 0, 0)
    n_dropped: int = 0
    undefined: Undefined = "nan"
    covariance: FloatTable | None = None
    group_name: str = "the groups"
    n_shared_clusters: int = 0
    repeats_items: bool = False

    def __getitem__(self, group: Any) -> AgreementResult:
        return self.results[group]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @cached_property
    def equality(self) -> EqualKappas:
        """The test of whether all groups have the same kappa, with an estimate of the common kappa.

        If some groups have an undefined kappa, the test is NaN, and a warning names these groups.
        With ``interval_method='asymptotic'``, the same applies to groups whose standard error is 0.
        With ``undefined='drop'``, such groups are left out of the test instead. If groups share
        clusters, the test uses the covariance of their kappas.
        """
        return self._test()

    def _test(self) -> EqualKappas:
        # The stack level is one higher, because cached_property adds a frame between `equality` and
        # the warning.
        confidence = self.pooled.confidence
        return equal_kappas(
            self.results, None, confidence, self.undefined, None, 5, self.covariance
        )

    @cached_property
    def differences(self) -> list[KappaDifference]:
        """The differences in kappa between groups.

        If there are at most five groups, each pair of groups is compared. If all groups have the
        same items, the limit is ten groups. With more groups, the list is empty. If groups share
        clusters, the standard errors account for the covariance of their kappas. Intervals and
        p-values are not adjusted for multiple comparisons.
        """
        if len(self) > (MOST_COMPARED if self.repeats_items else MOST_INDEPENDENT):
            return []
        named = {label_text(group): result for group, result in self.results.items()}
        return differences_of_pairs(named, self.pooled.confidence, self.covariance)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-compatible dictionary with the results for each group and for all items.

        ``groups`` is a list with one dictionary per group. In each dictionary, the entry ``group``
        is the name of the group. ``all`` is the dictionary for all items together, or None if the
        groups have the same items. ``differences`` is a list with one dictionary for each
        difference.
        """
        compute_intervals([*self.results.values(), self.pooled])
        return {
            "groups": [
                {"group": plain(group), **result.to_dict()}
                for group, result in self.results.items()
            ],
            "all": None if self.repeats_items else self.pooled.to_dict(),
            "differences": [difference.to_dict() for difference in self.differences],
            "missing": list(self.missing),
            "n_dropped": self.n_dropped,
            "undefined": self.undefined,
            "n_shared_clusters": self.n_shared_clusters,
        }

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per group.

        The columns are ``n``, ``kappa``, ``standard_error``, ``lower``, ``upper``, ``z`` and
        ``p_value``. The columns ``null`` and ``alternative`` are added unless ``null_kappa`` is 0
        and ``alternative`` is 'two-sided'.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        rows = self.rows()[: len(self)]
        columns = {name: [row[name] for row in rows] for name in rows[0] if name != "group"}
        return data_frame(columns, ("group", list(self.results)))

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per group, one for all items together, and one per difference."""
        results = dict(zip(map(label_text, self.results), self.results.values()))
        if not self.repeats_items:
            results[ALL] = self.pooled
        compute_intervals(list(results.values()))
        rows = [_row(name, one.n, one.kappa, one) for name, one in results.items()]
        rows += [_row(" - ".join(one.names), None, one.value, one) for one in self.differences]
        null, alternative = self.pooled.null_kappa, self.pooled.alternative
        if is_planned(null, alternative):
            for row in rows[: len(results)]:
                row.update(null=null, alternative=alternative)
            for row in rows[len(results) :]:
                row.update(null=0.0, alternative="two-sided")
        return rows

    def sentence(self) -> str:
        """Return a sentence for a paper with the kappa of each group.

        If there are many groups, the sentence gives only the range of their kappas.
        """
        rows, pooled = self.rows(), self.pooled
        groups = rows[: len(self)]
        known = [row for row in groups if not math.isnan(row["kappa"])]
        few = len(groups) <= MOST_IN_SENTENCE or len(known) < 2
        of_kappa = itemgetter("kappa")
        ends = groups if few else [min(known, key=of_kappa), max(known, key=of_kappa)]
        of = "for" if self.repeats_items else "in"
        test = ""
        if is_planned(pooled.null_kappa, pooled.alternative):
            test = f"test of {null_text(pooled.null_kappa, pooled.alternative)}: "
        shown = [f"{_estimate(row, test)} {of} {row['group']} (n = {row['n']})" for row in ends]
        found = listed(shown) if few else f"between {shown[0]} and {shown[1]}"
        first, second = map(printable, pooled.raters)
        if self.repeats_items:
            of_all = f"{self._clusters_text()},"
        else:
            inside = (
                f"{count_text(len(groups), 'group')}{in_clusters(pooled).replace(' in ', ' and ')}"
            )
            of_all = (
                f", and {_estimate(rows[len(self)], test)} on all"
                f" {count_text(pooled.n, 'item')} in {inside},"
            )
        return versioned(
            f"Cohen's kappa ({weights_text(pooled.weights)}) of {first} and {second} was"
            f" {found}{of_all} with {interval_name(pooled)}s"
            f"{widened_text(pooled)}{self._compared()}"
        )

    def _compared(self) -> str:
        """Return the end of the sentence, which states how the groups compare."""
        found = ""
        if len(self.differences) <= MOST_IN_SENTENCE:
            found = "".join(f"; {difference_text(one)}" for one in self.differences)
        if len(self.differences) == 1:
            return found
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", undefined_metric_warning())
            p = self._test().p_value if len(self) > 1 else math.nan
        return found if math.isnan(p) else f"{found}; test of equality: {p_rounded(p)}"

    def _clusters_text(self) -> str:
        """Return the range of the number of clusters per group as text, or "" without clusters."""
        if self.pooled.clusters is None:
            return ""
        n_clusters = [result.n_clusters for result in self.results.values()]
        return f" in {counts_text(n_clusters, 'cluster')}"

    def __repr__(self) -> str:
        return f"<GroupedAgreement: {len(self.results)} groups, n = {self.pooled.n}>"

    def _report(self, equality: EqualKappas | None = None) -> Report:
        """Return the report. Its note on wide intervals also covers ``equality``."""
        pooled, group = self.pooled, label_text(self.group_name)
        names = (group, *map(label_text, pooled.raters))
        items = ""
        if self.repeats_items:
            n_items = [result.n for result in self.results.values()]
            items = f"{counts_text(n_items, 'item')}{self._clusters_text()}"
        above = [agreed_on(pooled, " and ", items=items)]
        missing = ", ".join(f"{n} in {name}" for n, name in zip(self.missing, names))
        if self.n_dropped:
            above.append(f"{self.n_dropped} rows left out because of a missing value ({missing})")
        rows = self.rows()
        rows = rows[: len(rows) - len(self.differences)]
        grid = groups_grid(
            (
                (r["group"], r["n"], r["kappa"], r["standard_error"], (r["lower"], r["upper"]))
                for r in rows
            ),
            pooled.confidence,
            "kappa",
            group,
        )
        below = [*self._methods()]
        if is_planned(pooled.null_kappa, pooled.alternative):
            grid = with_p(grid, (row["p_value"] for row in rows))
            null = null_text(pooled.null_kappa, pooled.alternative)
            below.append(f"p of each kappa is from the test of {null}")
        grids = [grid]
        if self.differences:
            grids.append(differences_grid(self.differences, pooled.confidence))
        below += not_adjusted(len(self.differences), len(self.results))
        n_outside = [one.n_outside for one in self.results.values()]
        doubts = left_outside(
            *n_outside if self.repeats_items else [pooled.n_outside], is_weighted=pooled.is_weighted
        )
        doubts += [] if self.repeats_items else shared_clusters(self.n_shared_clusters)
        named = [(label_text(group), result) for group, result in self.results.items()]
        whole = [] if self.repeats_items else [(ALL, pooled)]
        apart = [(" minus ".join(one.names), one) for one in self.differences]
        together = [("", equality)] if equality else []
        notes = wide_intervals([*named, *whole, *apart, *together])
        return Report(above, grids, below, doubts=doubts, notes=notes)

    def _methods(self) -> Iterator[str]:
        """Yield lines about the intervals of kappa and the design effects."""
        yield f"intervals of kappa: {self.pooled.interval_method}{widened_text(self.pooled)}"
        if self.pooled.clusters is not None:
            yield design_effects(self.results)


def design_effects(results: Mapping[Any, Any]) -> str:
    """Return a line with the design effect of each group's result."""
    effects = [
        f"{label_text(group)} {figure(result.design_effect, digits=2)}"
        for group, result in results.items()
    ]
    more = ", ..." if len(effects) > MOST_IN_SENTENCE else ""
    return f"design effects: {', '.join(effects[:MOST_IN_SENTENCE])}{more}"


def _row(name: str, n: int | None, value: float, found: Any) -> dict[str, Any]:
    return {
        "group": name,
        "n": n,
        "kappa": value,
        "standard_error": found.standard_error,
        "lower": found.interval[0],
        "upper": found.interval[1],
        "z": found.z,
        "p_value": found.p_value,
    }


def _estimate(row: Mapping[str, Any], test: str) -> str:
    """Return a row's kappa and interval as text, with the p-value if ``test`` is not empty."""
    found = estimate_text(row["kappa"], (row["lower"], row["upper"]))
    return f"{found[:-1]}; {test}{p_rounded(row['p_value'])})" if test else found


def compute_intervals(results: Sequence[AgreementResult]) -> None:
    """Compute the kappa intervals of many results together, and store them in the results.

    The results must have the same labels and weights. For 500 tables with five labels, this is 20
    times as fast as computing the same intervals one by one.
    """
    # An interval that is already computed is in ``vars(result)``, like every cached property.
    left = [
        result
        for result in results
        if result.interval_method != "asymptotic"
        and not are_joined(result.clusters)
        and "interval" not in vars(result)
    ]
    for method in {result.interval_method for result in left}:
        some = [result for result in left if result.interval_method == method]
        tables = np.array([result.table for result in some])
        low, high = intervals(method, tables, some[0].weights, some[0].confidence)
        for result, ends in zip(some, zip(low.tolist(), high.tolist())):
            vars(result)["interval"] = ends
