"""Read the ratings of clustered items, or of several raters and a reference, for a command.

Clustered standard errors require the ratings of each item. Without clusters, a table of counts is
enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any
from warnings import catch_warnings, filterwarnings, simplefilter

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.cli.files.opening import Source
from fastkappa.cli.files.reading import Reading
from fastkappa.cli.words import arguments_named, names_of_columns
from fastkappa.formatting import count_text, label_text
from fastkappa.ratings.item_weights import ONE_ITEM_EACH
from fastkappa.ratings.missing import count_missing
from fastkappa.sources.arrow_batches import split_by
from fastkappa.sources.arrow_folders import joined
from fastkappa.sources.source_ratings import RatingsError
from fastkappa.two_raters.agreement import agreement
from fastkappa.two_raters.agreement_result import AgreementResult
from fastkappa.two_raters.grouped import agreement_by
from fastkappa.two_raters.grouped_result import GroupedAgreement


class ClusteredPair:
    """The ratings of two raters, with the cluster and optionally the group of each item."""

    def __init__(
        self,
        arrays: dict[str, Any],
        raters: Sequence[str],
        cluster: str,
        group: str | None,
        labels: list[Any] | None,
    ) -> None:
        self._given = [arrays[name] for name in raters]
        self._raters, self._group = (raters[0], raters[1]), group
        self._cluster = cluster
        self._arrays = arrays
        self._options = {"clusters": arrays[cluster], "missing": "drop", "labels": labels}
        self.labels = self.result(None).labels

    @classmethod
    def read(
        cls,
        source: Source,
        raters: Sequence[str],
        cluster: str,
        group: str | None,
        reading: Reading,
    ) -> ClusteredPair:
        """Read a file with one column per rater."""
        others = [cluster] if group is None else [cluster, group]
        arrays = reading.columns(source, raters, others, text=[cluster])
        reading.check_missing(arrays, "such rows")
        known = reading.known({name: arrays[name] for name in raters})
        pair = cls(arrays, raters, cluster, group, known)
        if known is None:
            reading.on_sorted(pair.labels)
        return pair

    def result(self, weights: Any, **options: Any) -> AgreementResult:
        """Return the agreement on all items. The ``options`` are passed to `agreement`."""
        options |= self._options
        with self._columns_named():
            return self._named(agreement(*self._given, weights=weights, **options))

    def grouped(self, weights: Any, **options: Any) -> GroupedAgreement:
        """Return the agreement in each group."""
        options |= self._options
        with self._columns_named():
            groups = self._arrays[str(self._group)]
            found = agreement_by(*self._given, groups=groups, weights=weights, **options)
        with catch_warnings():
            # Any warning about the groups has already been issued.
            simplefilter("ignore", UserWarning)
            parts = {
                label_text(group): [part[name] for name in (*self._raters, self._cluster)]
                for group, part in split_by(str(self._group), self._arrays)
            }
        results = {
            group: _with_missing(self._named(result), parts[label_text(group)])
            for group, result in found.items()
        }
        pooled = self._named(found.pooled)
        return replace(found, results=results, pooled=pooled, group_name=str(self._group))

    def _columns_named(self) -> AbstractContextManager[None]:
        first, second = (f"column {name!r}" for name in self._raters)
        return arguments_named(y1=first, y2=second, **names_of_columns(self._cluster, self._group))

    def _named(self, result: AgreementResult) -> AgreementResult:
        return replace(result, raters=self._raters)


class AgainstReference:
    """The ratings of several raters, stacked in one column, and the ratings of a reference.

    Each rater forms a group. All groups have the same items, so each item forms a cluster unless a
    column of clusters is named.
    """

    def __init__(
        self,
        source: Source,
        raters: Sequence[str],
        reference: str,
        cluster: str | None,
        group: str | None,
        reading: Reading,
    ) -> None:
        others = [] if cluster is None else [cluster]
        rated = [reference, *raters]
        arrays = reading.columns(
            source, rated, others if group is None else [*others, group], text=others
        )
        reading.check_missing(arrays, "such ratings")
        self._known = reading.known({name: arrays[name] for name in rated})
        self._raters, self._reference, self._cluster = raters, reference, cluster
        self._arrays = arrays
        self.labels: AnyArray = self._stacked(arrays, None).pooled.labels
        if self._known is None:
            reading.on_sorted(self.labels)
            self._known = self.labels.tolist()
        self._group = None if group is None else arrays[group]
        self._parts = {} if group is None else dict(split_by(group, arrays))
        counts, _ = count_missing(arrays)
        found = ", ".join(
            f"{count} in {label_text(name)}" for name, count in counts.items() if count
        )
        n = len(arrays[reference])
        _, n_incomplete = count_missing({name: arrays[name] for name in rated})
        complete = f"All ratings are present in {count_text(n - n_incomplete, 'row')}."
        self.remarks = [f"Missing ratings in the {n} rows: {found}. {complete}"] if found else []

    def grouped(self, weights: Any, **options: Any) -> GroupedAgreement:
        """Return the agreement of each rater with the reference."""
        return self._named(self._stacked(self._arrays, weights, **options), self._arrays)

    def by_group(self, weights: Any, **options: Any) -> dict[Any, GroupedAgreement]:
        """Return, for each group, the agreement of each rater with the reference."""
        found = {}
        for group, part in self._parts.items():
            try:
                found[group] = self._named(self._stacked(part, weights, **options), part)
            except ValueError as error:
                raise RatingsError(f"group {group!r}: {error}") from error
        return found

    def by_rater(self, weights: Any, **options: Any) -> dict[str, GroupedAgreement]:
        """Return, for each rater, the agreement with the reference in each group."""
        if self._group is None:
            return {}
        options |= {"missing": "drop", "labels": self._known, "groups": self._group}
        if self._cluster is not None:
            options["clusters"] = self._arrays[self._cluster]
        reference = self._arrays[self._reference]
        return {
            rater: agreement_by(reference, self._arrays[rater], weights=weights, **options)
            for rater in self._raters
        }

    def _named(self, found: GroupedAgreement, arrays: dict[str, Any]) -> GroupedAgreement:
        """In a result for stacked ratings, replace the positions of raters with their names."""
        results = {}
        of_cluster = [] if self._cluster is None else [arrays[self._cluster]]
        for place, result in found.items():
            rater = self._raters[place]
            named = replace(result, raters=(self._reference, rater))
            columns = [arrays[self._reference], arrays[rater], *of_cluster]
            results[rater] = _with_missing(named, columns)
        pooled = replace(found.pooled, raters=(self._reference, "each rater"))
        if self._cluster is None:
            results = {rater: replace(result, clusters=None) for rater, result in results.items()}
            pooled = replace(pooled, clusters=None)
        return replace(
            found,
            results=results,
            pooled=pooled,
            missing=(0, 0, 0),
            n_dropped=0,
            group_name="rater",
            repeats_items=True,
        )

    def _stacked(self, arrays: dict[str, Any], weights: Any, **options: Any) -> GroupedAgreement:
        """Return the agreement between the reference and the stacked ratings of all raters."""
        reference = arrays[self._reference]
        each = [{"rating": arrays[name], "reference": reference} for name in self._raters]
        whole = joined(each, ["reference", "rating"])
        n, times = len(reference), len(self._raters)
        items = np.arange(n) if self._cluster is None else arrays[self._cluster]
        options |= {
            "groups": np.repeat(np.arange(times), n),
            "clusters": _repeated(items, times),
            "missing": "drop",
            "labels": self._known,
        }
        named = names_of_columns(self._cluster)
        with arguments_named(y1=f"column {self._reference!r}", y2="the raters", **named):
            if self._cluster is None:
                # No clusters are given, so a warning about clusters with only one item would be
                # pointless.
                filterwarnings("ignore", ONE_ITEM_EACH)
            return agreement_by(whole["reference"], whole["rating"], weights=weights, **options)


def _with_missing(result: AgreementResult, columns: Sequence[Any]) -> AgreementResult:
    """Return the result with the number of missing values in each column added.

    The columns hold the ratings of both raters and, optionally, the clusters.
    """
    counts, n_dropped = count_missing(dict(zip(("y1", "y2", "clusters"), columns)))
    first, second, *clusters = counts.values()
    return replace(
        result, missing=(first, second), missing_clusters=sum(clusters), n_dropped=n_dropped
    )


def _repeated(items: Any, times: int) -> Any:
    """Return the whole column repeated ``times`` times, as `numpy.tile` does."""
    if isinstance(items, np.ndarray):
        return np.tile(items, times)
    return joined([{"items": items}] * times, ["items"])["items"]
