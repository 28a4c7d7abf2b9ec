"""The kernels for scores agree on every backend and at every SIMD level."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fastkappa.kernels import dispatch
from fastkappa.kernels.contract import Bins, PairKernels, ScoreKernels
from tests.helpers.kernel_inputs import ScoredArrays, room_for


@pytest.fixture
def scores_of(kernels: PairKernels) -> ScoreKernels:
    """Yield the score kernels of each backend and SIMD level."""
    return dispatch.score_kernels(kernels)


def row_of(score, bins):
    """Return the row of one score, computed step by step."""
    low, scale, n_inner = bins
    if not math.isfinite(score):
        return n_inner + 2
    step = (score - low) * scale
    if step < 0:
        return 0
    return int(step) + 1 if step < n_inner else n_inner + 1


def some_scores(n, dtype, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n).astype(dtype)
    if n > 20:
        scores[:8] = np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-30, 3e38, -3e38
    return scores


LAYOUTS = {
    "contiguous": lambda a: a,
    "strided": lambda a: np.repeat(a, 2)[::2],
    "backwards": lambda a: np.ascontiguousarray(a[::-1])[::-1],
    "swapped": lambda a: a.astype(a.dtype.newbyteorder()),
    "unaligned": lambda a: np.frombuffer(b"\0" + a.tobytes(), np.uint8)[1:].view(a.dtype),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 7, 3001])
def test_count_range_and_collect(scores_of, layout, dtype, n):
    rng = np.random.default_rng(n)
    scores = LAYOUTS[layout](some_scores(n, dtype))
    codes = rng.integers(2, 8, n).astype(np.int8)
    weights = rng.integers(1, 9, n) / 4
    lowest, n_labels = 3, 4
    for bins in (Bins(-1.5, 7.3, 21), Bins(0.25, 2.0**900, 5), Bins(-1e-3, 1e3, 2)):
        n_rows = bins.n_rows
        start, stop = min(n, 1), n - n // 10
        table = np.zeros((n_rows, n_labels + 1), np.uint32)
        sums = np.zeros((n_rows, n_labels + 1))
        expected, expected_sums = table.copy(), sums.copy()
        least, largest = np.full(n_rows, np.inf), np.full(n_rows, -np.inf)
        wanted = np.zeros(n_rows, np.uint8)
        wanted[[1, 2, n_rows - 2]] = 1
        chosen = []
        for i in range(start, stop):
            row = row_of(float(scores[i]), bins)
            code = codes[i] - lowest if 0 <= codes[i] - lowest < n_labels else n_labels
            expected[row, code] += 1
            expected_sums[row, code] += weights[i]
            if wanted[row]:
                chosen.append((float(scores[i]), code, weights[i]))
        items, part = ScoredArrays(scores, codes, lowest, n_labels, weights), (start, stop)
        scores_of.count_scores(items, bins, table, sums, part)
        assert (table == expected).all()
        assert (sums == expected_sums).all()
        # Weights are counted only if there is a table of their sums.
        scores_of.count_scores(items, bins, table, None, part)
        scores_of.count_scores(items._replace(weights=None), bins, table, None, part)
        assert (table == 3 * expected).all()
        scores_of.range_scores(scores, bins, least, largest, part)
        for row in np.flatnonzero(expected[:-1].any(axis=1)):
            own = [float(s) for s in scores[start:stop] if row_of(float(s), bins) == row]
            assert (least[row], largest[row]) == (min(own), max(own))
        for given in (weights, None):
            out = room_for(max(stop - start, 0), given is not None, dtype)
            n_found = scores_of.collect_scores(
                items._replace(weights=given), bins, wanted, out, part
            )
            found = [out.scores, out.codes] + [out.weights] * (given is not None)
            columns = [part[:n_found].tolist() for part in found]
            assert list(zip(*columns)) == [item[: len(columns)] for item in chosen]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
def test_group(scores_of, layout, dtype, weighted):
    n, lowest, n_labels, bins = 3001, 3, 4, Bins(-1.5, 7.3, 21)
    rng = np.random.default_rng(0)
    scores = LAYOUTS[layout](some_scores(n, dtype))
    codes = rng.integers(3, 7, n).astype(np.int16)
    weights = rng.random(n) if weighted else None
    rows = np.array([row_of(float(score), bins) for score in scores])
    n_items = np.bincount(rows, minlength=bins.n_rows)
    places, ends = np.cumsum(n_items) - n_items, np.cumsum(n_items)
    items = ScoredArrays(scores, codes, lowest, n_labels, weights)
    out = room_for(n, weighted, dtype)
    for part in ((0, 1700), (1700, 1700), (1700, n)):
        n_refused = scores_of.group_scores(items, bins, places, ends, out, part)
        assert n_refused == 0
    assert (places == ends).all()
    order = np.argsort(rows, kind="stable")
    np.testing.assert_array_equal(out.scores, scores[order].astype(dtype))
    assert (out.codes == codes[order] - lowest).all()
    if weighted:
        assert (out.weights == weights[order]).all()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
def test_group_writes_no_row_beyond_its_end(scores_of, layout, dtype, weighted):
    """If all scores have moved into one row, no more are written than the row has places."""
    n, bins = 3001, Bins(-1.5, 7.3, 21)
    rng = np.random.default_rng(1)
    counted = rng.normal(size=n).astype(dtype)
    rows = np.array([row_of(float(score), bins) for score in counted])
    n_items = np.bincount(rows, minlength=bins.n_rows)
    # Each array has two guards before the places, and two after them.
    places, ends = 2 + np.cumsum(n_items) - n_items, 2 + np.cumsum(n_items)
    first, row = places.copy(), row_of(0.0, bins)
    out, out_codes = np.full(n + 4, 9, dtype), np.full(n + 4, 9, np.uint16)
    out_weights = np.full(n + 4, 9.0) if weighted else None
    items = ScoredArrays(
        LAYOUTS[layout](np.zeros(n, dtype)),
        np.ones(n, np.int16),
        n_labels=4,
        weights=np.ones(n) if weighted else None,
    )
    room = ScoredArrays(out, out_codes, weights=out_weights)
    n_refused = scores_of.group_scores(items, bins, places, ends, room, (0, n))
    assert n_refused == n - n_items[row]
    assert (places == np.where(np.arange(len(places)) == row, ends, first)).all()
    written = slice(first[row], ends[row])
    for array, value in ((out, 0), (out_codes, 1), (out_weights, 1)):
        if array is not None:
            assert (array[written] == value).all()
            assert (np.delete(array, written) == 9).all()


def test_accumulate_labels(scores_of):
    rng = np.random.default_rng(6)
    codes = rng.integers(0, 3, 500).astype(np.uint16)
    places = np.array([4, 4, 9, 100, 101, 480])
    for weights in (None, rng.random(500)):
        prefix = np.full((3, len(places)), np.nan)
        scores_of.accumulate_labels(codes, weights, places, prefix)
        ones = np.ones(500) if weights is None else weights
        for y in range(3):
            expected = [ones[4:stop][codes[4:stop] == y].sum() for stop in places]
            np.testing.assert_allclose(prefix[y], expected, rtol=1e-13)
