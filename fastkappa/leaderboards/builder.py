"""Build a leaderboard from batches of predictions."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import FloatTable
from fastkappa.exceptions import (
    changed_meanwhile,
    undefined_metric_warning,
    users_stacklevel,
)
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.kernels.threads import read_ahead, resolve_num_threads
from fastkappa.leaderboards.items.alignment import AS_IF_OFFSET, Alignment, ItemIds
from fastkappa.leaderboards.items.ids import read_ids
from fastkappa.leaderboards.items.many_columns import Counter
from fastkappa.leaderboards.items.random_groups import (
    GroupSums,
    ItemGroups,
    sum_by_group,
)
from fastkappa.leaderboards.items.reference import TRUTH, Pair, Reference
from fastkappa.leaderboards.items.shared_order import OtherLabelsError as OtherLabelsError
from fastkappa.leaderboards.items.shared_order import SharedOrder, Used
from fastkappa.leaderboards.items.shared_order import scales_of as scales_of
from fastkappa.leaderboards.leaderboard_options import LeaderboardOptions
from fastkappa.leaderboards.leaderboard_result import Leaderboard
from fastkappa.leaderboards.ranking import (
    draw_groups,
    equal_predictions,
    kappas_of,
    labels_present,
    rank,
    resampled_kappas,
    score_intervals,
    warn_of_undefined,
    with_same_labels,
)
from fastkappa.ratings.doubtful_labels import warn
from fastkappa.ratings.interop import warn_of_row_order
from fastkappa.ratings.item_weights import read_clusters, read_scaled_weights
from fastkappa.ratings.label_order import numbers_in_order
from fastkappa.ratings.lengths import CHECK_IDS, length_of
from fastkappa.ratings.missing import without
from fastkappa.statistics.bootstrap import as_generator
from fastkappa.statistics.weights import as_weights, disagreement_matrix, what_needs_order
from fastkappa.tables.known_labels import KnownLabels
from fastkappa.tables.table import ConfusionTable

# The number of random groups of items. Adding a group costs as much time as adding a replicate.
GROUPS = 1000


class MismatchError(ValueError):
    """The ids of a prediction do not match the ids of the truth.

    The attribute ``mismatch`` describes the differences, with counts and examples. ``shares_few``
    is True if so few ids match that the two lists probably write the ids differently.
    """

    def __init__(self, name: str, n_items: int, found: Alignment) -> None:
        self.mismatch, self.shares_few = found.mismatch(), found.shares_few(n_items)
        drop = (
            "Use on_mismatch='drop' to score only the ids that match, and lower min_coverage if"
            " needed."
        )
        super().__init__(
            f"the ids of {name} do not match the ids of the {n_items} items: {self.mismatch}."
            f" {CHECK_IDS if self.shares_few else drop}"
        )


class _Entry(NamedTuple):
    """One prediction and its kappa, before the leaderboard is ranked."""

    name: Any
    kappa: float = math.nan
    n: int = 0
    coverage: float = math.nan
    missing: int = 0
    extra: int = 0
    repeated: int = 0
    other_labels: int = 0
    failure: str | None = None
    score_interval: tuple[float, float] = (math.nan, math.nan)


class LeaderboardBuilder:
    """Score predictions in batches, and keep only their kappas and sums over groups of items."""

    def __init__(
        self,
        y_true: Any,
        options: LeaderboardOptions,
        *,
        ids: Any = None,
        clusters: Any = None,
        sample_weight: Any = None,
    ) -> None:
        self._kernels = get_kernels(options.backend)
        self.num_threads = resolve_num_threads(options.num_threads)
        self._options, labels = options, options.labels
        self._n_resamples = options.n_resamples
        self._reference = Reference(y_true, options.missing, options.missing_codes, labels)
        column = self._reference.column
        n_labels = 1 if labels is None else len(KnownLabels(labels, column, column))
        as_weights(options.weights, n_labels)
        warn_of_row_order({TRUTH: y_true, "clusters": clusters, "sample_weight": sample_weight})
        if self._reference.n_items == 0:
            raise ValueError("y_true must have at least one item, got none.")
        if ids is not None and (n_ids := length_of("ids", ids)) != self._reference.n_given:
            raise ValueError(
                f"ids must have one id per item of y_true ({self._reference.n_given}), got {n_ids}."
            )
        # The ids of items without a true label. Predictions can contain or omit these ids.
        self._unrated: set[Any] = set()
        if ids is not None and self._reference.dropped is not None:
            self._unrated.update(read_ids(without(ids, ~self._reference.dropped), "ids").tolist())
            ids = without(ids, self._reference.dropped)
        self.ids = None if ids is None else ItemIds(ids, "ids")
        self._order = SharedOrder(
            labels,
            column,
            Counter(self._kernels, self.num_threads),
            refuse_late=options.weights is not None,
            allow_other_labels=options.allow_other_labels,
        )
        self._generator = as_generator(options.rng)
        numbers = self._read_clusters(clusters)
        self._weights = None if sample_weight is None else self._read_weights(sample_weight)
        self._groups = ItemGroups(
            self._reference.n_items, GROUPS, self._generator, numbers, self._weights
        )
        self._entries: list[_Entry] = []
        # One tuple for all predictions that have the same labels: the indices of their entries,
        # their sums over groups, and the disagreement weights.
        self._resampled: list[tuple[list[int], GroupSums, FloatTable]] = []

    @property
    def kappas(self) -> list[tuple[Any, float]]:
        """The names and kappas of the predictions scored so far."""
        return [(entry.name, entry.kappa) for entry in self._entries if entry.failure is None]

    @property
    def sorted_labels(self) -> list[Used]:
        """The sets of labels found so far, or none if labels are given or an order is declared."""
        return self._order.sorted_labels

    def fail(self, name: Any, failure: str) -> None:
        """Add a prediction that cannot be scored, with the reason for the failure."""
        self._entries.append(_Entry(name, failure=failure))

    def add(self, names: Sequence[Any], predictions: Sequence[Any]) -> None:
        """Score a batch of predictions.

        Without ids, each prediction is a column with one label per item. With ids, it is a pair
        (ids, column). If the ids are already matched, pass the `Alignment` in place of the ids.

        Raises
        ------
        TypeError, ValueError
            If a prediction is invalid. The error names the prediction, and none of the batch is
            added.
        """
        full_names = [f"prediction {name!r}" for name in names]
        read = self._read_all(full_names, predictions)
        unit = self._reference.column.label_dtype
        for pair, name in zip(read, full_names) if unit.kind in "mM" else ():
            if pair.columns[0].label_dtype != unit:
                raise ValueError(
                    f"{name} must not contain dates with a finer unit than y_true ({unit}), got"
                    f" {pair.columns[0].label_dtype}: convert the dates to the unit of y_true."
                )
        first = len(self._entries)
        least, n_all = self._options.min_coverage, self._reference.n_items
        entries = [
            _Entry(
                name,
                coverage=pair.n_covered(n_all) / n_all,
                missing=pair.n_missing,
                extra=pair.n_extra,
                repeated=pair.n_repeated,
                failure=pair.too_few(n_all, least),
            )
            for name, pair in zip(names, read)
        ]
        ranked = [j for j, entry in enumerate(entries) if entry.failure is None]
        names_here, pairs = [full_names[j] for j in ranked], [read[j] for j in ranked]
        labels = self._order.labels_of(names_here, [pair.columns for pair in pairs])
        counted = list(self._order.count(names_here, pairs, labels, self._weights))
        # Predictions are added only after all of them are known to be valid.
        for some, table, n_other in counted:
            batch = [ranked[i] for i in some]
            present = labels_present(table.counts, labels is not None)
            sums = table.counts if table.sums is None else table.sums
            kappas = kappas_of(sums, present, self._options.weights).tolist()
            n_items = table.counts.sum(axis=(1, 2)).tolist()
            intervals = np.full((len(batch), 2), np.nan)
            if self._n_resamples and self._n_clusters is None and self._weights is None:
                intervals = score_intervals(
                    table.counts, present, self._options.weights, self._options.confidence
                )
            for j, kappa, n, other, ends in zip(
                batch, kappas, n_items, n_other.tolist(), intervals.tolist()
            ):
                entry = entries[j]._replace(kappa=kappa, n=n, other_labels=other)
                if n:
                    entry = entry._replace(score_interval=tuple(ends))
                else:
                    outside = n_all - entry.missing - other
                    left_out = (
                        f"{entry.missing} without a label, {other} with a predicted label that is"
                        f" not in labels, and {outside} with a true label that is not in labels"
                    )
                    failure = f"it has no items left to score: {left_out}."
                    entry = entry._replace(failure=failure)
                entries[j] = entry
            if self._n_resamples:
                here = [read[j] for j in batch]
                self._sum(table, present, here, labels, [first + j for j in batch])
        self._entries += entries

    def ranked(self) -> Leaderboard:
        """Return the leaderboard of the predictions added so far.

        Warn if a kappa is undefined, or if kappas depend on an assumed alphabetical order of the
        labels.

        Raises
        ------
        ValueError
            If no predictions have been added.
        """
        if not self._entries:
            raise ValueError("predictions must contain at least one prediction, got none.")
        self._order.warn(what_needs_order(self._options.weights), stacklevel=3)
        # Predictions that could not be scored come last.
        first_scored = sorted(
            range(len(self._entries)), key=lambda j: bool(self._entries[j].failure)
        )
        entries = [self._entries[j] for j in first_scored]
        kappas = np.array([entry.kappa for entry in entries])
        warn_of_undefined(kappas[[entry.failure is None for entry in entries]])
        replicates = self._replicates()[:, first_scored]
        ranking = rank(kappas, replicates, self._options.confidence, self.num_threads)
        # Predictions for different items are not copies, even if both have a kappa of 1.
        have_all = [entry.coverage == 1 for entry in entries]
        copies = equal_predictions(np.where(have_all, kappas, np.nan), replicates)
        found = np.array([entry.score_interval for entry in entries])
        ranking = ranking._replace(interval=np.where(np.isnan(found), ranking.interval, found))
        names, order = [entry.name for entry in entries], ranking.order
        entries = [entries[j] for j in order]
        columns: dict[str, Any] = {
            name: values[order] for name, values in ranking._asdict().items() if name != "order"
        }
        for name in ("n", "missing", "extra", "repeated", "other_labels"):
            columns[name] = np.array([getattr(entry, name) for entry in entries], np.int64)
        columns["coverage"] = np.array([entry.coverage for entry in entries])
        return Leaderboard(
            names=tuple(entry.name for entry in entries),
            kappa=kappas[order],
            failures=tuple(entry.failure for entry in entries),
            confidence=self._options.confidence,
            n_resamples=self._n_resamples,
            n_clusters=self._n_clusters,
            interval_methods=tuple(
                "percentile" if math.isnan(entry.score_interval[0]) else "score"
                for entry in entries
            ),
            weights=self._options.weights,
            copies=tuple(tuple(names[j] for j in some) for some in copies),
            **columns,
        )

    def _read_weights(self, sample_weight: Any) -> FloatTable:
        """Return the weights of the items that have a true label."""
        weights, _, _ = read_scaled_weights(sample_weight, self._reference.n_given)
        return weights if self._reference.dropped is None else weights[~self._reference.dropped]

    def _read_clusters(self, clusters: Any) -> NDArray[np.intp] | None:
        """Return each item's cluster number. Warn if there is only one cluster."""
        self._n_clusters: int | None = None
        if clusters is None:
            return None
        n_given, dropped = self._reference.n_given, self._reference.dropped
        column = read_clusters(clusters, n_given, "items of y_true", dropped=dropped)
        numbers = numbers_in_order(column.values, column.categories)
        self._n_clusters = int(numbers.max()) + 1
        if self._n_clusters == 1 < self._reference.n_items and self._n_resamples:
            warnings.warn(
                "intervals are undefined, because all items are in one cluster.",
                undefined_metric_warning(),
                stacklevel=users_stacklevel(),
            )
            self._n_resamples = 0
        return numbers

    def _read_all(self, names: Sequence[str], predictions: Sequence[Any]) -> list[Pair]:
        """Pair each prediction with the truth, restricted to the items that both contain."""
        if self.ids is None:
            return list(map(self._reference.beside, predictions, names))
        for name, prediction in zip(names, predictions):
            if not isinstance(prediction, (tuple, list)) or len(prediction) != 2:
                raise TypeError(
                    f"{name} must be a pair (ids, labels) when ids= is given, got"
                    f" {type(prediction).__name__}."
                )
        found = [ids for ids, _ in predictions]
        if not isinstance(found[0], Alignment):
            named = [(ids, f"ids of {name}") for name, ids in zip(names, found)]
            found = self.ids.align_all(named, self.num_threads)
        offset = [name for name, one in zip(names, found) if one.is_offset()]
        if offset and self._options.on_mismatch == "drop":
            warn(
                f"the ids of {offset[0]} match all items except one at each end, {AS_IF_OFFSET}. If"
                " so, number both lists the same way instead of leaving out items."
            )
        n_expected = [len(pair[isinstance(pair[0], Alignment)]) for pair in predictions]
        args = zip(found, n_expected, [ratings for _, ratings in predictions], names)
        num_threads = min(self.num_threads, len(names))
        return [*read_ahead(self._matched, args, len(names), num_threads)]

    def _matched(self, of_one: tuple[Alignment, int, Any, str]) -> Pair:
        """Pair a prediction, given as (alignment, number of ids, labels, name), with the truth."""
        found, n_expected, ratings, name = of_one
        found = found._replace(extra=[one for one in found.extra if one not in self._unrated])
        if not found.is_complete() and self._options.on_mismatch == "raise":
            raise MismatchError(name, self._reference.n_items, found)
        pair = self._reference.matched(ratings, n_expected, found.items, found.others, name)
        return pair._replace(
            n_missing=len(found.missing) + pair.n_missing,
            n_extra=len(found.extra),
            n_repeated=len(found.repeated),
        )

    def _sum(
        self,
        table: ConfusionTable,
        present: NDArray[np.bool_],
        pairs: list[Pair],
        labels: Any,
        entries: list[int],
    ) -> None:
        """Compute and store the sums over groups, separately for each set of labels."""
        have_all = pairs[0].items is None
        first = pairs[0].columns[0] if have_all else self._reference.column
        for mask, some in with_same_labels(present):
            matrix = disagreement_matrix(self._options.weights, int(mask.sum()))
            used = table.rows[mask] if labels is None else labels
            known = KnownLabels(used, first, pairs[some[0]].columns[1])
            are_alike = have_all and not table.n_outside[some].any()
            sums = sum_by_group(
                self._kernels,
                self._groups,
                first,
                known,
                [pairs[j] for j in some],
                matrix,
                self.num_threads,
                have_all=are_alike,
            )
            totals = table.counts if table.sums is None else table.sums
            counted = totals[some].sum(axis=1)[:, mask]
            # Both passes over the items must give equal counts, but sums of float weights can
            # differ by rounding errors.
            found, tolerance = sums.columns.sum(axis=0), 0 if table.sums is None else 1e-6
            if not np.allclose(found, counted, rtol=tolerance, atol=0):
                raise changed_meanwhile()
            self._resampled.append(([entries[j] for j in some], sums, matrix))

    def _replicates(self) -> FloatTable:
        """Return an array of shape (n_resamples, number of entries) with the replicates' kappas."""
        replicates = np.full((self._n_resamples, len(self._entries)), np.nan)
        start = 0
        for times in draw_groups(self._groups.n_groups, self._n_resamples, self._generator):
            for entries, sums, matrix in self._resampled:
                replicates[start : start + len(times), entries] = resampled_kappas(
                    times, *sums, matrix
                )
            start += len(times)
        return replicates
