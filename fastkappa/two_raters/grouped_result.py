"""The result class for two raters in each group of items."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fastkappa.arrays import FloatTable
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.formatting import (
    count_text,
    label_text,
    p_value_text,
    plain,
    printable,
)
from fastkappa.frame import data_frame
from fastkappa.results.report import Report, groups_grid
from fastkappa.results.result import Result
from fastkappa.results.sentence import estimate_text, listed, versioned
from fastkappa.statistics.clusters import are_joined
from fastkappa.statistics.intervals.methods import intervals
from fastkappa.statistics.strata import (
    EqualKappas,
    Undefined,
    equal_kappas,
)
from fastkappa.statistics.weights import weights_text
from fastkappa.two_raters.agreement_report import NULLS, agreed_on, in_clusters, shared_clusters
from fastkappa.two_raters.agreement_result import AgreementResult

# The largest number of groups that a sentence names. With more groups, a sentence names only the
# groups with the lowest and highest kappa.
MOST_IN_SENTENCE = 5
# the name for all groups together
ALL = "all items"


@dataclass(frozen=True, eq=False, repr=False)
class GroupedAgreement(Result, Mapping[Any, AgreementResult]):
    """The agreement in each group: a sorted mapping from groups to results.

    Attributes
    ----------
    results : dict
        The `AgreementResult` of each group. All tables have the same labels.
    pooled : AgreementResult
        The agreement of all items together.
    missing : tuple of int
        The numbers of missing groups, first ratings and second ratings.
    n_dropped : int
        The number of items left out because the group or a rating is missing.
    undefined : {'nan', 'drop'}
        How ``equality`` treats groups whose kappa cannot be compared.
    covariance : ndarray of shape (g, g) or None
        The covariance of the groups' kappas if clusters have items in several groups; None if
        groups are independent.
    group_name : str
        The name of the grouping in reports.
    n_shared_clusters : int
        The number of clusters that have items in several groups.
    """

    results: dict[Any, AgreementResult]
    pooled: AgreementResult
    missing: tuple[int, int, int] = (0, 0, 0)
    n_dropped: int = 0
    undefined: Undefined = "nan"
    covariance: FloatTable | None = None
    group_name: str = "the groups"
    n_shared_clusters: int = 0

    def __getitem__(self, group: Any) -> AgreementResult:
        return self.results[group]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @cached_property
    def equality(self) -> EqualKappas:
        """The test of equal kappas in all groups, with their common kappa.

        If kappa is undefined in some groups, the test is NaN, and a warning names the groups. The
        same applies to a standard error of 0 with ``interval_method='asymptotic'``. With
        ``undefined='drop'``, these groups are left out. If groups share clusters, the test uses the
        covariance of their kappas.
        """
        return self._test()

    def _test(self) -> EqualKappas:
        # The stack level is one higher, because cached_property adds a frame between `equality` and
        # the warning.
        confidence = self.pooled.confidence
        return equal_kappas(
            self.results, None, confidence, self.undefined, None, 5, self.covariance
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the results of the groups and of all items as a JSON-compatible dictionary.

        ``groups`` is a list with one dictionary per group, whose entry ``group`` is its name.
        ``all`` is the dictionary for all items.
        """
        compute_intervals([*self.results.values(), self.pooled])
        return {
            "groups": [
                {"group": plain(group), **result.to_dict()}
                for group, result in self.results.items()
            ],
            "all": self.pooled.to_dict(),
            "missing": list(self.missing),
            "n_dropped": self.n_dropped,
            "undefined": self.undefined,
            "n_shared_clusters": self.n_shared_clusters,
        }

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per group.

        The columns are ``n``, ``kappa``, ``standard_error``, ``lower``, ``upper``, ``z`` and
        ``p_value``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        *rows, whole = self.rows()
        columns = {name: [row[name] for row in rows] for name in whole if name != "group"}
        return data_frame(columns, ("group", list(self.results)))

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per group, with its name as text, and a row for all items."""
        results = [*self.results.values(), self.pooled]
        compute_intervals(results)
        names = [*map(label_text, self.results), ALL]
        return [
            {
                "group": name,
                "n": result.n,
                "kappa": result.kappa,
                "standard_error": result.standard_error,
                "lower": result.interval[0],
                "upper": result.interval[1],
                "z": result.z,
                "p_value": result.p_value,
            }
            for name, result in zip(names, results)
        ]

    def sentence(self) -> str:
        """Return the kappas of the groups, or their range, as a sentence for a paper."""
        *groups, whole = self.rows()
        pooled = self.pooled
        known = [row for row in groups if not math.isnan(row["kappa"])]
        few = len(groups) <= MOST_IN_SENTENCE or len(known) < 2
        ends = [min(known, key=_kappa_of), max(known, key=_kappa_of)] if not few else groups
        shown = [
            f"{estimate_text(row['kappa'], (row['lower'], row['upper']))} in {row['group']} (n ="
            f" {row['n']})"
            for row in ends
        ]
        found = listed(shown) if few else f"between {shown[0]} and {shown[1]}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", undefined_metric_warning())
            p = self._test().p_value if len(groups) > 1 else math.nan
        equal = "" if math.isnan(p) else f"; p of equal kappas {p_value_text(p, 2)}"
        first, second = map(printable, pooled.raters)
        clusters = in_clusters(pooled).replace(" in ", " and ")
        return versioned(
            f"Cohen's kappa ({weights_text(pooled.weights)}) of {first} and {second} was {found},"
            f" and {estimate_text(whole['kappa'], (whole['lower'], whole['upper']))} on all"
            f" {count_text(pooled.n, 'item')} in {count_text(len(groups), 'group')}{clusters}, with"
            f" {100 * pooled.confidence:g} % {pooled.interval_method} intervals{equal}"
        )

    def __repr__(self) -> str:
        return f"<GroupedAgreement: {len(self.results)} groups, n = {self.pooled.n}>"

    def _report(self) -> Report:
        pooled, group = self.pooled, label_text(self.group_name)
        names = (group, *map(label_text, pooled.raters))
        above = [agreed_on(pooled, " and ")]
        missing = ", ".join(f"{n} in {name}" for n, name in zip(self.missing, names))
        if self.n_dropped:
            above.append(f"{self.n_dropped} rows left out, for what is missing ({missing})")
        rows = self.rows()
        grid = groups_grid(
            (
                (r["group"], r["n"], r["kappa"], r["standard_error"], (r["lower"], r["upper"]))
                for r in rows
            ),
            pooled.confidence,
            "kappa",
            group,
        )
        below = shared_clusters(self.n_shared_clusters)
        if pooled.null_kappa != 0 or pooled.alternative != "two-sided":
            cells = [(*own, p_value_text(r["p_value"], 2)) for own, r in zip(grid.rows, rows)]
            grid = grid._replace(head=(*grid.head, "p"), rows=cells)
            null = NULLS[pooled.alternative].format(pooled.null_kappa)
            below.append(f"p is of the test of {null}")
        return Report(above, [grid], below)


def _kappa_of(row: Mapping[str, Any]) -> float:
    return float(row["kappa"])


def compute_intervals(results: Sequence[AgreementResult]) -> None:
    """Compute the kappa intervals of many results with the same labels and weights at once.

    The intervals equal those computed one by one, but for 500 tables of five labels, computing them
    together takes a twentieth of the time.
    """
    # A cached property stores its value in the attributes of the object.
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
