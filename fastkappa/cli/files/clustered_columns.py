"""Two raters' items in clusters, read for the command line.

Errors with clusters need each item, where others need the table alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fastkappa.cli.files.opening import Source
from fastkappa.cli.files.two_columns import (
    OnSorted,
    Rated,
    check_missing,
    declared_labels,
    have_fractions,
    marked,
    parse_labels,
    texts_of_labels,
)
from fastkappa.ratings.missing import find_missing
from fastkappa.sources.arrow_columns import distinct_ratings, type_of_column
from fastkappa.sources.arrow_files import OnProgress
from fastkappa.sources.arrow_folders import columns_of_files
from fastkappa.statistics.intervals.methods import IntervalMethod
from fastkappa.two_raters.agreement import agreement
from fastkappa.two_raters.agreement_result import AgreementResult
from fastkappa.two_raters.grouped import GroupedAgreement, agreement_by


class ClusteredPair:
    """Two raters' ratings of items in clusters, and the groups of the items if there are any."""

    def __init__(
        self,
        source: Source,
        raters: Sequence[str],
        cluster: str,
        group: str | None = None,
        *,
        labels: str | None,
        drop_missing: bool,
        missing_codes: str | None,
        on_sorted: OnSorted,
        on_progress: OnProgress,
    ) -> None:
        first, second = raters
        groups = [] if group is None else [group]
        arrays = columns_of_files(
            source.files,
            list(dict.fromkeys((first, second, cluster, *groups))),
            on_progress,
            text=[cluster],
            text_format=source.text_format,
            labels=texts_of_labels((first, second), labels),
        )
        ratings = marked(
            source,
            {name: arrays[name] for name in (first, second)},
            missing_codes,
            labels=labels,
            drop_missing=drop_missing,
        )
        arrays |= ratings
        if not drop_missing:
            masks = {name: find_missing(array) for name, array in arrays.items()}
            n_missing = {name: int(mask.sum()) for name, mask in masks.items() if mask is not None}
            rated = Rated(source, labels, raters)
            check_missing(n_missing, len(arrays[first]), "such rows", rated=rated)
        for name, array in ratings.items():
            distinct_ratings(array, name, have_fractions(labels))
        self._raters, self._group = (first, second), str(group)
        self._given = arrays[first], arrays[second]
        self._groups = None if group is None else arrays[group]
        self._options: dict[str, Any] = {"clusters": arrays[cluster], "missing": "drop"}
        known = declared_labels(ratings)
        if labels is not None:
            known = parse_labels(labels, type_of_column(arrays[first]))
        self._options["labels"] = known
        self.labels = self.result(None, None).labels
        if known is None:
            on_sorted(self.labels)

    def result(self, weights: Any, interval_method: IntervalMethod | None) -> AgreementResult:
        """Return the agreement on all items."""
        options = {**self._options, "weights": weights, "interval_method": interval_method}
        return replace(agreement(*self._given, **options), raters=self._raters)

    def grouped(self, weights: Any, interval_method: IntervalMethod | None) -> GroupedAgreement:
        """Return the agreement in each group."""
        options = {**self._options, "weights": weights, "interval_method": interval_method}
        found = agreement_by(*self._given, groups=self._groups, **options)
        return replace(
            found,
            results={g: replace(r, raters=self._raters) for g, r in found.items()},
            pooled=replace(found.pooled, raters=self._raters),
            group_name=self._group,
        )
