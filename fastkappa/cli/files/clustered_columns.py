"""Read two raters' ratings of items in clusters, for the command line.

Standard errors with clusters require the ratings of each item. Without clusters, a table of counts
is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from fastkappa.cli.files.opening import Source
from fastkappa.cli.files.reading import Reading
from fastkappa.cli.words import arguments_named, names_of_clusters
from fastkappa.two_raters.agreement import agreement
from fastkappa.two_raters.agreement_result import AgreementResult
from fastkappa.two_raters.grouped import agreement_by
from fastkappa.two_raters.grouped_result import GroupedAgreement


class ClusteredPair:
    """The ratings of two raters with the cluster, and optionally the group, of each item."""

    def __init__(
        self,
        source: Source,
        raters: Sequence[str],
        cluster: str,
        group: str | None,
        reading: Reading,
    ) -> None:
        others = [cluster] if group is None else [cluster, group]
        arrays = reading.columns(source, raters, others, text=[cluster])
        reading.check_missing(source, arrays, raters, "such rows")
        ratings = [arrays[name] for name in raters]
        known = reading.known(dict(zip(raters, ratings)))
        self._given, self._raters, self._group = ratings, (raters[0], raters[1]), group
        self._cluster = cluster
        self._groups = None if group is None else arrays[group]
        self._options = {"clusters": arrays[cluster], "missing": "drop", "labels": known}
        self.labels = self.result(None).labels
        if known is None:
            reading.on_sorted(self.labels)

    def result(self, weights: Any, **options: Any) -> AgreementResult:
        """Return the agreement on all items; ``options`` are passed to `agreement`."""
        options |= self._options
        with self._columns_named():
            return self._named(agreement(*self._given, weights=weights, **options))

    def grouped(self, weights: Any, **options: Any) -> GroupedAgreement:
        """Return the agreement in each group."""
        options |= self._options
        with self._columns_named():
            found = agreement_by(*self._given, groups=self._groups, weights=weights, **options)
        results = {group: self._named(result) for group, result in found.items()}
        pooled = self._named(found.pooled)
        return replace(found, results=results, pooled=pooled, group_name=str(self._group))

    def _columns_named(self) -> AbstractContextManager[None]:
        first, second = (f"column {name!r}" for name in self._raters)
        return arguments_named(y1=first, y2=second, **names_of_clusters(self._cluster))

    def _named(self, result: AgreementResult) -> AgreementResult:
        return replace(result, raters=self._raters)
