"""No kernel reads or writes out of bounds: each checks the requested range of items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fastkappa.kernels import dispatch
from fastkappa.kernels.contract import Bins, GroupedItems
from fastkappa.shortcuts.loading import threshold_shortcuts
from fastkappa.tables.label_hash import make_hash
from tests.helpers.kernel_inputs import ScoredArrays, room_for

N, N_LABELS, BINS = 40, 3, Bins(-1.0, 4.0, 8)
LOWEST = (0, 0)
N_ROWS = BINS.n_rows
RANGES = [(0, N + 1), (-1, N), (N, N + 5), (-5, 3), (N - 1, 2**62)]
BEYOND = "are not all within an array of"
SHAPES = "tables must have"


def column(n: int = N) -> Any:
    return np.arange(n) % N_LABELS


def table(dtype: Any = np.int64, n_rows: int = N_LABELS + 1) -> Any:
    return np.zeros((n_rows, N_LABELS + 1), dtype)


def pair_calls(kernels: Any) -> dict[str, Callable[..., Any]]:
    """Return calls that read columns, each with the number of items to omit from a column."""
    hashed = make_hash(np.array([0, 10**9, -5]))
    calls: dict[str, Callable[..., Any]] = {
        "count_pairs": lambda a, b, w, *part: kernels.count_pairs(a, b, LOWEST, table(), part),
        "sum_pairs": lambda a, b, w, *part: kernels.sum_pairs(
            a, b, LOWEST, w.astype(float), (table(), table(float)), part
        ),
        "sum_pairs_exactly": lambda a, b, w, *part: kernels.sum_pairs_exactly(
            a, b, LOWEST, w, (table(), table(), table()), part
        ),
        "look_up": lambda a, b, w, *part: kernels.look_up(
            min((a, b, w), key=len), hashed, np.empty(N + 9, hashed.slots.dtype), part
        ),
    }
    if kernels.sum_moments is not None:
        calls["sum_moments"] = lambda a, b, w, *part: kernels.sum_moments(
            a, min((b, w), key=len), 0, N_LABELS, part
        )
    if kernels.count_rows is not None:
        calls["count_rows"] = lambda a, b, w, *part: kernels.count_rows(
            a,
            np.stack([min((b, w), key=len)] * 2, axis=1),
            LOWEST,
            np.zeros((2, N_LABELS + 1, N_LABELS + 1), np.int64),
            part,
        )
    return calls


def score_calls(scores_of: Any) -> dict[str, Callable[..., Any]]:
    """Return calls that read scores, codes and weights."""

    def items(a: Any, b: Any, w: Any) -> ScoredArrays:
        return ScoredArrays(a.astype(float), b, weights=w.astype(float))

    return {
        "count_scores": lambda a, b, w, *part: scores_of.count_scores(
            items(a, b, w), BINS, table(np.uint32, N_ROWS), table(float, N_ROWS), part
        ),
        "range_scores": lambda a, b, w, *part: scores_of.range_scores(
            items(min((a, b, w), key=len), b, w).scores,
            BINS,
            np.zeros(N_ROWS),
            np.zeros(N_ROWS),
            part,
        ),
        "collect_scores": lambda a, b, w, *part: scores_of.collect_scores(
            items(a, b, w), BINS, np.ones(N_ROWS, np.uint8), room_for(N), part
        ),
        "group_scores": lambda a, b, w, *part: scores_of.group_scores(
            items(a, b, w), BINS, np.zeros(N_ROWS, np.int64), np.full(N_ROWS, N), room_for(N), part
        ),
    }


@pytest.mark.parametrize("bounds", RANGES)
def test_ranges_beyond_the_columns(kernels: Any, bounds: tuple[int, int]) -> None:
    calls = pair_calls(kernels) | score_calls(dispatch.score_kernels(kernels))
    for call in calls.values():
        call(column(), column(), column(), 0, N)
        call(column(), column(), column(), 5, 5)
        with pytest.raises(ValueError, match=BEYOND):
            call(column(), column(), column(), *bounds)


@pytest.mark.parametrize("which", range(3))
@pytest.mark.parametrize("n", [N - 1, 1, 0])
def test_one_column_is_shorter(kernels: Any, which: int, n: int) -> None:
    columns = [column() for _ in range(3)]
    columns[which] = column(n)
    calls = pair_calls(kernels) | score_calls(dispatch.score_kernels(kernels))
    for name, call in calls.items():
        if name == "count_pairs" and which == 2:
            continue
        if n == 0 and name in ("count_rows", "count_scores", "collect_scores", "group_scores"):
            # There is no first row to read; an empty array of weights is equivalent to no weights.
            continue
        with pytest.raises(ValueError, match=BEYOND):
            call(*columns, 0, N)


def test_tables_of_other_shapes(kernels: Any) -> None:
    y, w = column(), np.ones(N)
    scores_of = dispatch.score_kernels(kernels)
    with pytest.raises(ValueError, match=SHAPES):
        kernels.sum_pairs(y, y, LOWEST, w, (table()[:-1], table(float)), (0, N))
    for tables in ((table()[:-1], table(), table()), (table(), table(), table()[:-1])):
        with pytest.raises(ValueError, match=SHAPES):
            kernels.sum_pairs_exactly(y, y, LOWEST, y, tables, (0, N))
    for shape in ((0, 4), (4, 0), (0, 0)):
        with pytest.raises(ValueError, match="table"):
            kernels.count_pairs(y, y, LOWEST, np.zeros(shape, np.int64), (0, N))
    items = ScoredArrays(w, y, weights=w)
    for tables in (
        (table(np.uint32, N_ROWS), table(float, N_ROWS + 1)),
        (table(np.uint32, N_ROWS - 1), None),
        (np.zeros((N_ROWS, N_LABELS), np.uint32), None),
    ):
        with pytest.raises(ValueError, match=SHAPES):
            scores_of.count_scores(items, BINS, *tables, (0, N))


def test_no_row_for_a_bin(kernels: Any) -> None:
    items, few = ScoredArrays(np.ones(N), column()), N_ROWS - 1
    scores_of = dispatch.score_kernels(kernels)
    for n_least, n_largest in ((few, N_ROWS), (N_ROWS, few)):
        ends = np.zeros(n_least), np.zeros(n_largest)
        with pytest.raises(ValueError, match=BEYOND):
            scores_of.range_scores(items.scores, BINS, *ends, (0, N))
    wanted = np.ones(few, np.uint8)
    with pytest.raises(ValueError, match=BEYOND):
        scores_of.collect_scores(items, BINS, wanted, room_for(N, False), (0, N))
    for n_places, n_ends in ((few, N_ROWS), (N_ROWS, few)):
        places = np.zeros(n_places, np.int64), np.full(n_ends, N)
        with pytest.raises(ValueError, match=BEYOND):
            scores_of.group_scores(items, BINS, *places, room_for(N, False), (0, N))


@pytest.mark.parametrize("which", ["scores", "codes", "weights"])
def test_room_for_all_that_is_written(kernels: Any, which: str) -> None:
    items = ScoredArrays(np.ones(N), column(), weights=np.ones(N))
    scores_of = dispatch.score_kernels(kernels)
    room = room_for(N)
    short = room._replace(**{which: getattr(room, which)[1:]})
    wanted, ends = np.ones(N_ROWS, np.uint8), np.full(N_ROWS, N)
    with pytest.raises(ValueError, match=BEYOND):
        scores_of.collect_scores(items, BINS, wanted, short, (0, N))
    with pytest.raises(ValueError, match=BEYOND):
        scores_of.group_scores(items, BINS, ends - N, ends, short, (0, N))
    with pytest.raises(ValueError, match=BEYOND):
        scores_of.group_scores(items, BINS, ends - N - 1, ends - 1, room, (0, N))


def test_items_in_order(kernels: Any) -> None:
    scores_of = dispatch.score_kernels(kernels)
    codes, prefix = column().astype(np.uint16), np.zeros((3, 2))
    for places in ([0, N + 1], [-1, N]):
        for weights in (None, np.ones(N)):
            with pytest.raises(ValueError, match=BEYOND):
                scores_of.accumulate_labels(codes, weights, np.array(places), prefix)
    with pytest.raises(ValueError, match=BEYOND):
        scores_of.accumulate_labels(codes, np.ones(N - 1), np.array([0, N]), prefix)


def test_short_cuts_to_thresholds(kernels: Any) -> None:
    shortcuts = threshold_shortcuts(dispatch.score_kernels(kernels))
    if shortcuts is None:
        return
    good: dict[str, Any] = {
        "scores": np.linspace(0, 1, N),
        "codes": column().astype(np.uint16),
        "weights": np.ones(N),
        "starts": np.array([0, 20, N]),
        "least": np.array([0.0, 0.5]),
        "prefix": np.zeros((3, N_LABELS)),
        "matrix": np.ones((N_LABELS, N_LABELS)),
        "chance": np.ones(N_LABELS),
    }

    def build(matrix: Any, chance: Any, **items: Any) -> Any:
        return shortcuts.build_evaluator(GroupedItems(**items), matrix, chance, 1.0, lambda: None)

    evaluator = build(**good)
    cuts = np.full((5, N_LABELS - 1), 0.5)
    evaluator.many(cuts, np.empty(5))
    with pytest.raises(ValueError, match=BEYOND):
        evaluator.many(cuts, np.empty(4))
    for name in ("codes", "weights", "starts", "prefix", "chance"):
        with pytest.raises(ValueError, match=BEYOND):
            build(**{**good, name: good[name][:-1]})
    for name, bad in (
        ("codes", np.full(N, N_LABELS, np.uint16)),
        ("starts", np.array([0, 20, N + 1])),
        ("starts", np.array([-1, 20, N])),
        ("matrix", np.ones((N_LABELS, N_LABELS - 1))),
        ("prefix", np.zeros((3, N_LABELS - 1))),
    ):
        with pytest.raises(ValueError, match=rf"{BEYOND}|a code must be below"):
            build(**{**good, name: bad})
    programme: list[Any] = [
        np.ones((3, 9)), np.ones((3, 3)), np.ones(3), np.ones(2), np.zeros(2, np.int64)
    ]  # fmt: skip
    shortcuts.search_cuts(*programme, False)
    for i, array in enumerate(programme):
        short = [*programme[:i], np.ascontiguousarray(array[..., :-1]), *programme[i + 1 :]]
        if i:
            with pytest.raises(ValueError, match=BEYOND):
                shortcuts.search_cuts(*short, False)
    with pytest.raises(ValueError, match=BEYOND):
        shortcuts.search_cuts(programme[0][:2], *programme[1:], False)
