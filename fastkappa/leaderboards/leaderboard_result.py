"""The result of `leaderboard`, which can be shown or converted to a dictionary or data frame."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import FloatTable
from fastkappa.formatting import (
    count_text,
    figure,
    first_of_many,
    interval_text,
    percent_text,
    plain,
    printable,
)
from fastkappa.frame import data_frame
from fastkappa.results.report import Grid, Report, facts
from fastkappa.results.result import Result
from fastkappa.results.sentence import estimate_sentence
from fastkappa.results.text import shortened
from fastkappa.statistics.clusters import doubt_of_clusters
from fastkappa.statistics.weights import Weights, weights_text

# The maximum number of predictions to list by name in one sentence.
MOST_NAMED = 5
# For each interval in a row, the names of its two ends.
ENDS = {
    "interval": ("low", "high"),
    "difference_interval": ("difference_low", "difference_high"),
    "simultaneous_interval": ("simultaneous_low", "simultaneous_high"),
    "rank_interval": ("rank_low", "rank_high"),
}

# The fields of a row that are numbers of items: of a scored prediction, and of one that was read.
SCORED, READ = ("n", "other_labels"), ("missing", "extra", "repeated")


class _Row(NamedTuple):
    rank: int | None
    name: Any
    kappa: float
    interval: tuple[float, float]
    difference: float
    difference_interval: tuple[float, float]
    simultaneous_interval: tuple[float, float]
    significantly_below: bool | None
    proportion_first: float
    rank_interval: tuple[int, int] | None
    n: int | None
    coverage: float
    missing: int | None
    extra: int | None
    repeated: int | None
    other_labels: int | None
    failure: str | None


class LeaderboardRow(Result, _Row):
    """One row of a leaderboard, with the results for one set of predictions.

    If the prediction could not be scored, ``failure`` states the reason. The other fields
    correspond to the attributes of `Leaderboard`, and contain their values for this prediction. If
    the prediction was not scored, ``n`` and ``other_labels`` are None. If it could not be read, or
    if its ids or labels were rejected, all numbers of items are None and the coverage is NaN. The
    columns of data frames and printed tables are in the same order as the fields.
    """

    __slots__ = ()

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row and the same columns as `Leaderboard.to_frame`.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return data_frame({name: [part] for name, part in with_ends(self._asdict()).items()})

    def _report(self) -> Report:
        known = {name: part for name, part in self._asdict().items() if part is not None}
        pairs = [(name.replace("_", " "), part) for name, part in known.items()]
        return Report([], [facts(pairs)])

    def __repr__(self) -> str:
        unranked = "no rank" if self.failure is None else "not scored"
        place = unranked if self.rank is None else f"rank {self.rank}"
        name = shortened(printable(self.name))
        return f"<LeaderboardRow: {place}, {name}, kappa {figure(self.kappa)}>"


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(Result):
    """Sets of predictions ranked by kappa, best first.

    The result of `leaderboard` is read-only, and printing it shows a table. Undefined values are
    NaN. Iterating over a leaderboard yields one `LeaderboardRow` per prediction.

    Attributes
    ----------
    names : tuple of length m
        The names of the predictions, best first.
    rank : ndarray of int, shape (m,)
        The rank of each prediction, starting from 1 for the largest kappa. The rank is 0 if the
        prediction could not be scored or its kappa is undefined. Equal kappas have the same rank.
    kappa : ndarray of shape (m,)
        The kappa of each prediction.
    interval : ndarray of shape (m, 2)
        The confidence interval for each kappa.
    interval_methods : tuple of {'score', 'percentile'}, length m
        The method used to compute each interval in ``interval``. 'score' is the score interval that
        `agreement` computes. 'percentile' is the percentile interval of the bootstrap replicates.
        The percentile interval is used if there are clusters, item weights or more than 128 labels.
    difference : ndarray of shape (m,)
        The kappa of the prediction minus the kappa of the leader. The difference is 0 for the
        leader itself.
    difference_interval : ndarray of shape (m, 2)
        The percentile interval for the difference. It is a paired interval: in each replicate, both
        kappas are computed from the same resampled items. The interval is valid only for a single
        comparison of two predictions that were chosen beforehand.
    simultaneous_interval : ndarray of shape (m, 2)
        The interval for the difference, adjusted for all pairwise comparisons and for the fact that
        the leader was chosen by its kappa. A difference is significant at the level
        ``1 - confidence`` if the whole interval is below 0. If all predictions are equally good,
        about 5 % of leaderboards show a significant difference at a confidence of 0.95. The
        percentage is higher if there are few items relative to the number of predictions. The
        interval is NaN if there are too few replicates (18 or fewer at a confidence of 0.95).
    significantly_below : tuple of bool or None, length m
        For each prediction, True if the whole simultaneous interval is below 0, False if it is not,
        and None if there is no such interval.
    proportion_first : ndarray of shape (m,)
        The proportion of replicates in which the prediction ranks first, or NaN if its kappa is
        undefined. This proportion is not the probability that the prediction is the best. If kappa
        is undefined in a replicate, the prediction agrees with the truth on all items drawn, so it
        shares first place. The prediction ranks last in replicates that contain none of its items.
    rank_interval : ndarray of int, shape (m, 2)
        The percentile interval for the rank. Both limits are 0 if there is no interval.
    n : ndarray of int, shape (m,)
        The number of items on which the prediction was scored, or 0 if it was not scored.
    coverage : ndarray of shape (m,)
        The proportion of the items for which the prediction has exactly one label. The other items
        were left out. If items were left out, kappa is comparable with other kappas only if the
        remaining items are not easier than those left out. The coverage is NaN if the prediction
        could not be read, or if its ids or labels were rejected.
    missing, extra, repeated : ndarray of int, shape (m,)
        ``missing`` is the number of items without a predicted label, ``extra`` is the number of
        items that are not in the truth, and ``repeated`` is the number of items that the prediction
        contains more than once. All of these items were left out.
    other_labels : ndarray of int, shape (m,)
        The number of items whose true label is one of the given labels, but whose predicted label
        is not. These items were also left out.
    failures : tuple of length m
        The reason why each prediction could not be scored, or None if it was scored.
    confidence : float
        The confidence level of the intervals.
    n_resamples : int
        The number of bootstrap replicates.
    n_clusters : int or None
        The number of clusters from which replicates are drawn, or None if there are no clusters.
    weights : {'linear', 'quadratic'}, ndarray of shape (l, l) or None
        The disagreement weights used to compute the kappas.
    copies : tuple of tuples
        Groups of predictions whose kappas are equal in every replicate, with one tuple of names per
        group. The predictions in a group have the same labels for all or nearly all items.
    doubt : str
        A reason not to trust the intervals, such as too few clusters. The string is empty if there
        is no such reason.
    """

    names: tuple[Any, ...]
    rank: NDArray[np.int64]
    kappa: FloatTable
    interval: FloatTable
    interval_methods: tuple[Literal["score", "percentile"], ...]
    difference: FloatTable
    difference_interval: FloatTable
    simultaneous_interval: FloatTable
    proportion_first: FloatTable
    rank_interval: NDArray[np.int64]
    n: NDArray[np.int64]
    coverage: FloatTable
    missing: NDArray[np.int64]
    extra: NDArray[np.int64]
    repeated: NDArray[np.int64]
    other_labels: NDArray[np.int64]
    failures: tuple[str | None, ...]
    confidence: float
    n_resamples: int
    n_clusters: int | None = None
    weights: Weights = None
    copies: tuple[tuple[Any, ...], ...] = ()

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    @property
    def doubt(self) -> str:
        return "" if np.isnan(self.interval).all() else doubt_of_clusters(self.n_clusters)

    @property
    def significantly_below(self) -> tuple[bool | None, ...]:
        ends = self.simultaneous_interval[:, 1].tolist()
        return tuple(None if math.isnan(end) else end < 0 for end in ends)

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[LeaderboardRow]:
        below = self.significantly_below
        for j, name in enumerate(self.names):
            low, high = self.rank_interval[j].tolist()
            is_read = not math.isnan(self.coverage[j])
            n, other_labels, missing, extra, repeated = (
                int(getattr(self, field)[j]) if is_known else None
                for fields, is_known in ((SCORED, self.failures[j] is None), (READ, is_read))
                for field in fields
            )
            yield LeaderboardRow(
                int(self.rank[j]) or None,
                name,
                float(self.kappa[j]),
                _pair(self.interval[j]),
                float(self.difference[j]),
                _pair(self.difference_interval[j]),
                _pair(self.simultaneous_interval[j]),
                below[j],
                float(self.proportion_first[j]),
                (low, high) if low else None,
                n,
                float(self.coverage[j]),
                missing,
                extra,
                repeated,
                other_labels,
                self.failures[j],
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a dictionary for JSON. Undefined values are None."""
        rows = [row.to_dict() for row in self]
        return {
            "confidence": self.confidence,
            "n_resamples": self.n_resamples,
            "n_clusters": self.n_clusters,
            "doubt": self.doubt,
            "weights": plain(self.weights),
            "copies": plain(self.copies),
            "rows": rows,
        }

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per prediction.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        lists = self.names, self.failures, self.significantly_below
        columns = dict(zip(("name", "failure", "significantly_below"), map(list, lists)))
        return data_frame(
            with_ends(
                {
                    field: columns[field] if field in columns else getattr(self, field).T
                    for field in LeaderboardRow._fields
                }
            )
        )

    def sentence(self) -> str:
        """Return a summary for a paper. If all kappas are undefined, return only a headline."""
        if not self.rank.any():
            return self._headline() + "."
        leader, *_ = self
        n_ranked = int((self.rank > 0).sum())
        of_all = f"of {printable(leader.name)}"
        if n_ranked > 1:
            of_all += f", first of {n_ranked} predictions"
        tied = [printable(name) for name, rank in zip(self.names[1:], self.rank[1:]) if rank == 1]
        if tied:
            of_all += f" and tied with {first_of_many(tied, MOST_NAMED)},"
        method = "score interval"
        if self.interval_methods[0] != "score":
            method = f"interval of {self.n_resamples} bootstrap replicates{self._of_clusters()}"
        sentence = estimate_sentence(
            f"Cohen's kappa ({weights_text(self.weights)}) {of_all} on"
            f" {count_text(int(self.n[0]), 'item')}",
            leader.kappa,
            leader.interval,
            f"{100 * self.confidence:g} % {method}",
        )
        return " ".join([sentence, *self._conclusion()])

    def __repr__(self) -> str:
        return str(self)

    def _report(self) -> Report:
        return self._report_without(())

    def _report_without(self, told: Collection[str]) -> Report:
        """Return the report. Remarks on predictions are left out if they are in ``told``."""
        header, rows = self.cells()
        remarks = [remark for remark in self._remarks() if remark not in told]
        return Report(
            [self._headline()],
            [
                Grid(
                    header,
                    rows,
                    2,
                    least_width=0,
                    caption="Predictions, best first",
                    is_sortable=True,
                )
            ],
            [*remarks, *self._conclusion(), *self._of_copies()],
            doubts=[self.doubt] if self.doubt else [],
        )

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """Return the header and the rows of the printed table, leaving out empty columns."""
        percent = f"{100 * self.confidence:g} % interval"
        header = ["rank", "name", "kappa", percent, "difference", "difference interval"]
        header += ["simultaneous", "proportion first", "ranks", "n"]
        rows = [
            [
                "-" if row.rank is None else str(row.rank),
                printable(row.name),
                figure(row.kappa, ""),
                interval_text(row.interval, ""),
                figure(row.difference, ""),
                interval_text(row.difference_interval, ""),
                interval_text(row.simultaneous_interval, ""),
                "" if math.isnan(row.proportion_first) else f"{100 * row.proportion_first:.1f} %",
                "" if row.rank_interval is None else _ranks(*row.rank_interval),
                "" if row.n is None else str(row.n),
            ]
            for row in self
        ]
        if any(row.coverage < 1 for row in self if row.rank is not None):
            header.append("coverage")
            for row, part in zip(rows, self.coverage.tolist()):
                row.append("" if row[0] == "-" else percent_text(part))
        for what in ("missing", "extra", "repeated", "other_labels"):
            if getattr(self, what).any():
                header.append(what.replace("_", " "))
                for row, number in zip(rows, getattr(self, what).tolist()):
                    row.append(str(number) if number else "")
        shown = [j for j, column in enumerate(zip(*rows)) if any(column)]
        return [header[j] for j in shown], [[row[j] for j in shown] for row in rows]

    def _headline(self) -> str:
        scored = sum(failure is None for failure in self.failures)
        ranked = int((self.rank > 0).sum())
        kappa = f"kappa with {weights_text(self.weights)}"
        if self.weights is None:
            kappa = "unweighted kappa"
        text = f"{count_text(ranked, 'prediction')} ranked by {kappa}"
        if scored < len(self):
            text += f", {len(self) - scored} could not be scored"
        if self.n_resamples:
            text += f"; {self.n_resamples} bootstrap replicates{self._of_clusters()}"
        return text

    def _of_clusters(self) -> str:
        return "" if self.n_clusters is None else f" of {self.n_clusters} clusters"

    def _conclusion(self) -> list[str]:
        """Return a list with one line on the predictions significantly below the leader, or []."""
        below = self.significantly_below[1:]
        n_compared = len(below) - below.count(None)
        if not n_compared:
            return []
        names = [printable(name) for name, is_below in zip(self.names[1:], below) if is_below]
        listed = f": {first_of_many(names, MOST_NAMED)}" if names else ""
        return [
            f"Significantly below the leader: {len(names)} of {n_compared}{listed} (simultaneous"
            f" interval ends below 0, with a joint confidence of {100 * self.confidence:g} %).",
        ]

    def _of_copies(self) -> Iterator[str]:
        for names in self.copies:
            yield (
                f"{first_of_many(list(map(printable, names)), MOST_NAMED)} have the same kappa"
                " in every bootstrap replicate, so their labels are the same, or nearly so."
            )

    def _remarks(self) -> list[str]:
        """Return the remarks on predictions that failed, and on those equal to the truth."""
        found = [f"{printable(row.name)}: {row.failure}" for row in self if row.failure is not None]
        # If a weight matrix has zeros off the diagonal, kappa can be 1 even if labels differ.
        if self.weights is None or isinstance(self.weights, str):
            for row in self:
                if row.kappa == 1:
                    scored = "" if row.coverage == 1 else " that it was scored on"
                    found.append(f"{printable(row.name)}: equal to the truth in every item{scored}")
        return found


def reports_of_splits(boards: Mapping[str, Leaderboard]) -> list[Report]:
    """Return reports of all splits: a table of ranks and kappas, then one report per leaderboard.

    The table lists the predictions in their order in the first split. Remarks on a prediction that
    apply to all splits are printed below the table.
    """
    rows: dict[Any, list[str]] = {name: [] for name in next(iter(boards.values())).names}
    for board in boards.values():
        for row in board:
            rank = "-" if row.rank is None else str(row.rank)
            rows[row.name] += [rank, figure(row.kappa, "")]
    head = [f"{what} {printable(name)}" for name in boards for what in ("rank", "kappa")]
    cells = [[printable(name), *row] for name, row in rows.items()]
    grid = Grid(["name", *head], cells, caption="Rank and kappa in each split", is_sortable=True)
    first, *others = (board._remarks() for board in boards.values())
    shared = [remark for remark in first if all(remark in more for more in others)]
    return [
        Report([f"Ranks in {len(boards)} splits"], [grid], shared),
        *(
            board._report_without(shared)._replace(heading=printable(name))
            for name, board in boards.items()
        ),
    ]


def with_ends(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of one or all rows, with each interval split into its two limits."""
    columns: dict[str, Any] = {}
    for field, value in fields.items():
        if field in ENDS:
            columns.update(zip(ENDS[field], (None, None) if value is None else value))
        else:
            columns[field] = value
    return columns


def _pair(row: FloatTable) -> tuple[float, float]:
    return float(row[0]), float(row[1])


def _ranks(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"
