"""Define valid and invalid calls of all compiled functions, for `endurance.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fastkappa import ThresholdEvaluator, compile_scorer
from fastkappa.kernels.contract import Bins, Lines
from fastkappa.kernels.cython import csv_lines, pairs, scores
from fastkappa.shortcuts import compiled_kappa, compiled_thresholds
from fastkappa.tables.label_hash import make_hash
from fastkappa.thresholds.items.scored_items import ScoredItems

N, N_LABELS = 24, 4
LOWEST, ALL = (0, 0), (0, N)
BINS = Bins(0.0, 8.0, 8)


def pair_calls() -> dict[str, Callable[[], Any]]:
    """Return the calls of the kernels for pairs, and of the shortcuts to kappa."""
    rng = np.random.default_rng(0)
    y1, y2 = rng.integers(0, N_LABELS, (2, N))
    halves, square = np.zeros(N, np.float16), np.zeros((N, 2), np.int64)
    weights, whole = rng.random(N), rng.integers(0, 9, N)
    cells = (N_LABELS + 1, N_LABELS + 1)
    counts, high, low = np.zeros((3, *cells), np.int64)
    sums = np.zeros(cells)
    read_only = counts.copy()
    read_only.flags.writeable = False
    odd: Any = counts, low
    hashed = make_hash(np.array([3, 10**12, -5]))
    values, codes = np.array([3, 10**12, -5, 4] * 6), np.empty(N, hashed.slots.dtype)
    matrix = np.stack([y2] * 3, axis=1)
    tables = np.zeros((3, *cells), np.int64)
    scorer = compile_scorer(range(N_LABELS), weights="quadratic")
    kappa, outside = compiled_kappa.kappa_of_arrays, y2 + 1
    return {
        "kappa_of_arrays": lambda: kappa(y1, y2, "linear", None),
        "kappa_of_arrays, of no integers": lambda: kappa(y1, weights, None, None),
        "kappa_of_arrays, of two axes": lambda: kappa(y1, square, None, None),
        "scorer": lambda: scorer(y1, y2),
        "scorer, outside the labels": lambda: scorer(y1, outside),
        "scorer, of another type": lambda: scorer(y1, weights),
        "count_pairs": lambda: pairs.count_pairs(y1, y2, LOWEST, counts, ALL),
        "count_pairs, of halves": lambda: pairs.count_pairs(y1, halves, LOWEST, counts, ALL),
        "count_pairs, read-only": lambda: pairs.count_pairs(y1, y2, LOWEST, read_only, ALL),
        "sum_pairs": lambda: pairs.sum_pairs(y1, y2, LOWEST, weights, (counts, sums), ALL),
        "sum_pairs, whole sums": lambda: pairs.sum_pairs(y1, y2, LOWEST, weights, odd, ALL),
        "sum_pairs_exactly": lambda: pairs.sum_pairs_exactly(
            y1, y2, LOWEST, whole, (counts, high, low), ALL
        ),
        "look_up": lambda: pairs.look_up(values, hashed, codes, ALL),
        "look_up, too few codes": lambda: pairs.look_up(values, hashed, codes[1:], ALL),
        "count_rows": lambda: pairs.count_rows(y1, matrix, LOWEST, tables, ALL),
        "count_rows, too few tables": lambda: pairs.count_rows(y1, matrix, LOWEST, tables[1:], ALL),
        "sum_moments": lambda: pairs.sum_moments(y1, y2, 0, N_LABELS, ALL),
        "sum_moments, of a list": lambda: pairs.sum_moments([1], y2, 0, N_LABELS, ALL),
    }


def score_calls() -> dict[str, Callable[[], Any]]:
    """Return the calls of the kernels for scores, and of the shortcuts to cuts."""
    rng = np.random.default_rng(1)
    x, y, weights = rng.random(N), rng.integers(0, N_LABELS, N), rng.random(N)
    table = np.zeros((11, N_LABELS + 1), np.uint32)
    sums, ends = np.zeros(table.shape), np.zeros((2, 11))
    labels = np.arange(N_LABELS)
    items = ScoredItems(x, y, 0, labels, weights, 1.0, False, True)
    out = items._replace(scores=np.empty(N), codes=np.empty(N, np.uint16), weights=np.empty(N))
    wanted = np.ones(11, np.uint8)
    odd_bins: Any = ()
    places, own_places = np.arange(0, 22, 2), np.empty(11, np.int64)
    codes, prefix = y.astype(np.uint16), np.empty((N_LABELS, 3))
    thirds = np.array([0, 8, N])
    scores.accumulate_labels(codes, None, thirds, prefix)
    matrix = np.abs(np.subtract.outer(range(N_LABELS), range(N_LABELS))).astype(float)
    chance = prefix[:, -1] @ matrix
    ratio, positions = np.zeros(2), np.zeros(N_LABELS - 1, np.int64)
    evaluator = ThresholdEvaluator(y, x)._fast
    assert evaluator is not None
    cuts, undefined, few = np.array([0.2, 0.5, 0.7]), np.full(3, np.nan), np.array([0.5])
    many, kappas = np.stack([cuts] * 2), np.empty(2)

    def search() -> int:
        ratio[:] = 0, 1
        return compiled_thresholds.search_cuts(prefix, matrix, chance, ratio, positions, False)

    def group() -> int:
        own_places[:] = places
        return scores.group_scores(items, BINS, own_places, places + 2, out, (0, N))

    return {
        "count_scores": lambda: scores.count_scores(items, BINS, table, sums, (0, N)),
        "count_scores, odd bins": lambda: scores.count_scores(items, odd_bins, table, sums, (0, N)),
        "range_scores": lambda: scores.range_scores(x, BINS, *ends, (0, N)),
        "collect_scores": lambda: scores.collect_scores(items, BINS, wanted, out, (0, N)),
        "group_scores": group,
        "accumulate_labels": lambda: scores.accumulate_labels(
            codes, weights, thirds, prefix.copy()
        ),
        "search_cuts": search,
        "evaluator": lambda: evaluator(cuts),
        "evaluator, of NaN": lambda: evaluator(undefined),
        "evaluator, too few": lambda: evaluator(few),
        "evaluator, many": lambda: evaluator.many(many, kappas),
    }


def csv_line_calls() -> dict[str, Callable[[], Any]]:
    """Return the calls of the kernel for CSV lines."""
    lines, text = Lines(ord(","), 2, 0, 1), np.frombuffer(b"a,bc\n" * N, np.uint8)
    words = np.array([b"a", b"bc", b"d"], "S8").view(np.uint64)[:, None]
    counts, call = np.zeros((3, 3), np.int64), csv_lines.count_lines
    return {
        "count_lines": lambda: call(words, words, text, lines, counts),
        "count_lines, unknown texts": lambda: call(words[2:], words, text, lines, counts[2:]),
        "count_lines, too few cells": lambda: call(words, words, text, lines, counts[:0]),
    }


def compiled_calls() -> dict[str, Callable[[], Any]]:
    """Return all calls, by name."""
    return {**pair_calls(), **score_calls(), **csv_line_calls()}
