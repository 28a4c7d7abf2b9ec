"""The labels that `confusion_counts` finds, and their table, compared with a Counter."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from fastkappa import confusion_counts
from tests.helpers.brute_force_counts import INTEGER_TYPES, assert_counts, draw

pytestmark = pytest.mark.filterwarnings("ignore:the ratings contain .* often mean")

LABEL_SETS = {
    "0..4": [0, 1, 2, 3, 4],
    "1..5": [1, 2, 3, 4, 5],
    "-3..3": [-3, -2, -1, 0, 1, 2, 3],
    "far": [10**15 + i for i in range(6)],
    "far below": [-(10**15) + i for i in range(6)],
    "with gaps": [1, 2, 5, 9, 10],
    "sparse": [0, 10**9],
    "sparse, more": [-(10**12), -7, 0, 3, 10**9, 10**18],
    "ends of int64": [-(2**63), 0, 2**63 - 1],
    "ends of int32": [-(2**31), 0, 2**31 - 1],
    "one": [7],
    "one far": [2**63 - 1],
    "one least": [-(2**63)],
    "a million apart": [0, 2**20 - 1, 2**20, 2**20 + 1],
}


@pytest.mark.parametrize("name", LABEL_SETS)
def test_labels_anywhere(backend: str, name: str) -> None:
    labels = LABEL_SETS[name]
    for n in (1, 2, 10, 1000):
        assert_counts(draw(labels, n, 1), draw(labels, n, 2), backend=backend)
    assert_counts(draw(labels, 500, 3), draw(labels[:1], 500, 4), backend=backend)
    given_labels = labels[::-1]
    assert_counts(draw(labels, 500, 5), draw(labels, 500, 6), labels=given_labels, backend=backend)


@pytest.mark.cover(1)
@pytest.mark.parametrize("name", ["0..4", "far", "sparse", "ends of int64"])
def test_labels_anywhere_on_threads(backend: str, name: str) -> None:
    labels = LABEL_SETS[name]
    y1, y2 = draw(labels, 1_200_000, 7), draw(labels, 1_200_000, 8)
    expected = Counter(zip(y1.tolist(), y2.tolist(), strict=True))
    for threads in (1, 2, 8):
        counts = confusion_counts(y1, y2, backend=backend, num_threads=threads)
        assert counts.labels.tolist() == sorted(labels)
        assert counts.n_outside == 0
        for (a, b), count in expected.items():
            assert counts.table[labels.index(a), labels.index(b)] == count
        assert counts.table.sum() == 1_200_000


@pytest.mark.parametrize(
    "dtype",
    [*INTEGER_TYPES, ">i2", ">u4", ">i8", "float16", "float32", "float64", ">f8", "longdouble"],
)
def test_types(backend: str, dtype: str) -> None:
    kind = np.dtype(dtype)
    if kind.kind == "f":
        ends = [-(2.0**11), 2.0**11]
    else:
        ends = [int(np.iinfo(kind).min), int(np.iinfo(kind).max)]
    y1, y2 = draw([0, 1, 2, 3], 600, 9, dtype), draw([0, 1, 2, 3], 600, 10, dtype)
    assert_counts(y1, y2, backend=backend)
    assert_counts(y1[::2], y2[::-2], backend=backend)
    assert_counts(y1, draw([0, 1, 2, 3], 600, 11, "int64"), backend=backend)
    with_ends = draw([0, 1, *ends], 600, 12, dtype)
    assert_counts(with_ends, y2, backend=backend)
    assert_counts(with_ends, with_ends[::-1], labels=[ends[1], 1, ends[0]], backend=backend)


def test_bools(backend: str) -> None:
    y1 = np.array([True, False, True, True])
    y2 = np.array([False, False, True, True])
    counts = confusion_counts(y1, y2, backend=backend)
    assert counts.labels.tolist() == [False, True]
    assert counts.labels.dtype == bool
    assert counts.table.tolist() == [[1, 0], [1, 2]]
    with pytest.warns(UserWarning, match="y1 contains booleans, .* other numbers, such as 2"):
        mixed = confusion_counts(y1, np.array([0, 0, 1, 2]), backend=backend)
    assert mixed.labels.tolist() == [0, 1, 2]
    assert mixed.table.tolist() == [[1, 0, 0], [1, 1, 1], [0, 0, 0]]


def test_uint64_beside_negative_int64(backend: str) -> None:
    y1 = np.array([2**63, 2**64 - 1, 0, 5, 2**63, 2**64 - 1], np.uint64)
    y2 = np.array([-1, -(2**63), 0, 5, 5, -1], np.int64)
    assert_counts(y1, y2, backend=backend)
    assert_counts(y2, y1, backend=backend)
    assert_counts(y1, y1[::-1], backend=backend)
    assert_counts(y1, y2, labels=[-1, 2**63, 5], backend=backend)
    assert_counts(y1, y2, labels=np.array([2**64 - 1, 2**63], np.uint64), backend=backend)


def test_same_bits_of_another_sign_are_other_labels(backend: str) -> None:
    y1 = np.array([2**64 - 1, 2**64 - 1, 1], np.uint64)
    y2 = np.array([-1, 1, 1])
    counts = assert_counts(y1, y2, backend=backend)
    assert counts.labels.tolist() == [-1, 1, 2**64 - 1]
    outside = confusion_counts(y1, y2, labels=[-1, 1], backend=backend)
    assert outside.table.tolist() == [[0, 0], [0, 1]]
    assert outside.n_outside == 2


def test_floats_beside_large_integers(backend: str) -> None:
    """2**53 + 1 is not a float: it must not be confused with 2**53."""
    y1 = np.array([2**53 + 1, 2**53, 1])
    y2 = np.array([2.0**53, 2.0**53, 1.0])
    counts = confusion_counts(y1, y2, labels=[1, 2**53, 2**53 + 1], backend=backend)
    assert counts.table.tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 0]]


# Labels that first occur late.


def late(n: int, place: int, label: int, dtype: str = "int64") -> Any:
    y = np.arange(n) % 3
    y[place] = label
    return y.astype(dtype)


@pytest.mark.parametrize("label", [3, 9, 100, 10**6, 10**12, -1, -(10**9), -(2**63), 2**63 - 1])
def test_a_rare_label_at_the_end_of_a_million(backend: str, label: int) -> None:
    n = 1_000_000
    for threads in (1, 2):
        counts = confusion_counts(
            late(n, n - 2, label), late(n, n - 3, label), backend=backend, num_threads=threads
        )
        labels = sorted([0, 1, 2, label])
        assert counts.labels.tolist() == labels
        expected = np.zeros((4, 4), np.int64)
        for i in range(3):
            expected[labels.index(i), labels.index(i)] = np.count_nonzero(np.arange(n) % 3 == i)
        for place, rare_first in ((n - 2, True), (n - 3, False)):
            other = labels.index(place % 3)
            expected[other, other] -= 1
            cell = (labels.index(label), other) if rare_first else (other, labels.index(label))
            expected[cell] += 1
        np.testing.assert_array_equal(counts.table, expected)


@pytest.mark.parametrize("place", [0, 255, 256, 257, 4095, 16_383, 16_384, 65_535, 65_536, 99_999])
def test_a_rare_label_anywhere(backend: str, place: int) -> None:
    n = 100_000
    for label in (4, 250):
        y1 = late(n, place, label, "int16")
        assert_counts(y1, late(n, n - 1 - place, label + 1, "int16"), backend=backend)


@pytest.mark.parametrize("first", [-40, -1, 3, 60])
@pytest.mark.parametrize("second", [-70, -1, 3, 90])
def test_ranges_that_grow_apart(backend: str, first: int, second: int) -> None:
    """Each column's range grows on its own side, after many items have been counted."""
    n = 100_000
    y1, y2 = np.arange(n) % 3, np.arange(n) // 7 % 3
    y1[60_000], y2[90_000] = first, second
    assert_counts(y1, y2, backend=backend)
    y2[60_000] = second - 1
    assert_counts(y1, y2, backend=backend)


@pytest.mark.cover(1)
@pytest.mark.parametrize(
    "y",
    [
        np.arange(3000),
        np.arange(3000)[::-1],
        np.repeat(np.arange(40), 5000),
        -np.repeat(np.arange(40), 5000),
        np.repeat([0, 10**9, 5, -(10**15)], 30_000),
        np.cumsum(np.repeat([0, 1, 7, 49, 343, 2401, 16807, 117649, 823543], 20_000) > 0) // 50_000,
        (2 ** np.minimum(np.arange(200_000) // 4000, 49)).astype(np.int64),
        np.concatenate([np.zeros(70_000, int), np.arange(2000)]),
        np.concatenate([np.arange(400), np.zeros(300_000, int)]),
    ],
    ids=[
        "all different",
        "falling",
        "sorted",
        "sorted, falling",
        "sorted, sparse",
        "growing slowly",
        "growing by powers",
        "many at the end",
        "many at the start",
    ],
)
@pytest.mark.filterwarnings("ignore:y1 and y2 (seem to number|use the same labels|add up to)")
def test_sorted_and_growing(backend: str, y: Any) -> None:
    assert_counts(y, np.roll(y, 1), backend=backend)
    assert_counts(y[::-1], y, backend=backend)


@pytest.mark.filterwarnings(
    "ignore:.* seems to number the labels", "ignore:.* in common", "ignore:.* to the same scale"
)
def test_ranges_that_differ_by_column(backend: str) -> None:
    y1 = np.tile([0, 1, 2], 5000)
    y2 = y1 + 10**6
    assert_counts(y1, y2, backend=backend)
    assert_counts(y1, y1 * 10**9, backend=backend)
    assert_counts(y1.astype(np.uint8), (y1 - 1).astype(np.int8), backend=backend)


@pytest.mark.parametrize("n_labels", [1, 2, 8, 11, 12, 256, 257, 300])
def test_numbers_of_labels(backend: str, n_labels: int) -> None:
    rng = np.random.default_rng(13)
    for offset in (0, 1, -n_labels // 2, 10**15):
        y1, y2 = rng.integers(0, n_labels, (2, 4000)) + offset
        assert_counts(y1, y2, backend=backend)


def test_two_thousand_labels(backend: str) -> None:
    rng = np.random.default_rng(14)
    y1, y2 = rng.integers(0, 2000, (2, 20_000))
    counts = confusion_counts(y1, y2, backend=backend)
    assert counts.labels.tolist() == sorted({*y1.tolist(), *y2.tolist()})
    assert counts.table.sum() == 20_000
    place = {label: i for i, label in enumerate(counts.labels.tolist())}
    pairs = Counter(zip(y1.tolist(), y2.tolist(), strict=True))
    assert np.count_nonzero(counts.table) == len(pairs)
    assert all(counts.table[place[a], place[b]] == count for (a, b), count in pairs.items())


def test_one_row(backend: str) -> None:
    assert_counts([3], [3], backend=backend)
    assert_counts([3], [-4], backend=backend)
    assert_counts(["b"], ["a"], backend=backend)
    assert_counts([3], [4], labels=[4], backend=backend)


def test_no_rows(backend: str) -> None:
    """Without items, the result is an empty table or a table of zeros, not an error."""
    counts = confusion_counts(np.array([], int), np.array([], int), labels=[1, 2], backend=backend)
    assert counts.table.tolist() == [[0, 0], [0, 0]]
    assert counts.n_outside == 0
    empty = confusion_counts(np.array([], int), np.array([], int), backend=backend)
    assert empty.table.shape == (0, 0)
    assert empty.labels.shape == (0,)


# Given labels.


@pytest.mark.parametrize(
    "labels",
    [
        [0, 1, 2, 3],
        [3, 2, 1, 0],
        [2, 0],
        [2],
        [0, 1, 2, 3, 9, -5],
        [10**12, 3, -(10**12)],
        [8, 9],
        [1.0, 2.0],
    ],
)
def test_given_labels(backend: str, labels: Any) -> None:
    y1, y2 = draw([0, 1, 2, 3], 900, 15), draw([0, 1, 2, 3], 900, 16)
    assert_counts(y1, y2, labels=labels, backend=backend)
    assert_counts(y1.astype("uint8"), y2.astype("float32"), labels=labels, backend=backend)


def test_given_labels_that_do_not_fit_the_type(backend: str) -> None:
    """300 and -1 do not fit in uint8: they must not wrap around to 44 and 255."""
    y = np.array([44, 255, 0, 44], np.uint8)
    counts = confusion_counts(y, y, labels=[300, -1, 0, 256], backend=backend)
    assert counts.table.tolist() == [[0] * 4, [0] * 4, [0, 0, 1, 0], [0] * 4]
    assert counts.n_outside == 3
    signed = confusion_counts(y.view(np.int8), y.view(np.int8), labels=[255, -1], backend=backend)
    assert signed.table.tolist() == [[0, 0], [0, 1]]


def test_given_labels_that_are_no_integers(backend: str) -> None:
    y = np.array([0, 1, 1, 2])
    counts = confusion_counts(y, y, labels=[0.5, 1.0, float("inf"), 2**80], backend=backend)
    assert counts.table[1, 1] == 2
    assert counts.table.sum() == 2
    assert counts.n_outside == 2


def test_given_labels_at_the_end_of_the_type(backend: str) -> None:
    """A window of labels must not wrap around to the other end of the type."""
    for dtype in ("int8", "uint8", "int64", "uint64"):
        low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        pool = [low, low + 1, low + 2, high - 2, high - 1, high]
        y1, y2 = draw(pool, 500, 17, dtype), draw(pool, 500, 18, dtype)
        assert_counts(y1, y2, labels=[high, high - 2], backend=backend)
        assert_counts(y1, y2, labels=[low + 2, low], backend=backend)
        assert_counts(y1, y2, labels=pool, backend=backend)


def test_given_labels_that_no_float_holds(backend: str) -> None:
    """NumPy converts a list of small and very large integers to floats."""
    y = np.array([2**63 + 1, 2**63, 0, 2**64 - 1], np.uint64)
    counts = assert_counts(y, y, labels=[0, 2**63 + 1, 2**64 - 1, 2**64 - 2], backend=backend)
    assert counts.n_outside == 1


def test_labels_come_back_as_given(backend: str) -> None:
    labels = np.array([2, 0, 7], np.int8)
    counts = confusion_counts([0, 2], [2, 2], labels=labels, backend=backend)
    np.testing.assert_array_equal(counts.labels, labels)
    words = confusion_counts(["b"], ["a"], labels=["z", "a", "b"], backend=backend)
    assert words.labels.tolist() == ["z", "a", "b"]


def test_many_given_labels(backend: str) -> None:
    rng = np.random.default_rng(19)
    labels = rng.permutation(1500)
    y1, y2 = rng.integers(0, 2000, (2, 3000))
    assert_counts(y1, y2, labels=labels, backend=backend)
    sparse = labels.astype(np.int64)[:500] * 10**12
    assert_counts(y1 * 10**12, y2 * 10**12, labels=sparse, backend=backend)


# Refusals, whose texts name the argument and the value received.

RATINGS = [0, 1, 1]
# For the second of three items.
ONE_MISSING = "has 1 missing value in 3 items, the first at position 1: leave out such items"
REFUSED: dict[str, tuple[tuple[Any, ...], dict[str, Any], type[Exception], str]] = {
    "lengths": (([0, 1], [0, 1, 1]), {}, ValueError, "y1 and y2 must have the same length"),
    "weight length": (
        (RATINGS, RATINGS),
        {"sample_weight": [1]},
        ValueError,
        "3 items, got 1",
    ),
    "NaN in y1": (
        ([0, float("nan"), 1], RATINGS),
        {},
        ValueError,
        f"y1 {ONE_MISSING}",
    ),
    "NaN in y2": (
        (RATINGS, [0, float("nan"), 1]),
        {},
        ValueError,
        f"y2 {ONE_MISSING}",
    ),
    "inf in y2": (
        (RATINGS, [0, float("inf"), 1]),
        {},
        ValueError,
        "y2 must be finite, got inf at",
    ),
    "None in y2": ((["a", "b"], ["a", None]), {}, ValueError, "y2 has 1 missing value in 2 items"),
    "NaT": (
        (np.array(["NaT", "2020"], "M8[Y]"), np.array(["2021", "2020"], "M8[Y]")),
        {},
        ValueError,
        "y1 has 1 missing value in 2 items, the first at position 0",
    ),
    "parts": (([0.5, 1.0], [0, 1]), {}, ValueError, "continuous"),
    "matrix": (([[0, 1], [1, 0]], [0, 1]), {}, ValueError, "y1 must be one-dimensional"),
    "strings and numbers": ((["a", "b"], [0, 1]), {}, ValueError, "the ratings cannot be compared"),
    "repeated labels": (
        (RATINGS, RATINGS),
        {"labels": [0, 1, 0]},
        ValueError,
        "labels.*0 more than once",
    ),
    "no labels": ((RATINGS, RATINGS), {"labels": []}, ValueError, "'labels' should contain"),
    "matrix of labels": ((RATINGS, RATINGS), {"labels": [[0, 1]]}, ValueError, r"labels.*\(1, 2\)"),
    "weight matrix": ((RATINGS, RATINGS), {"sample_weight": [[1]] * 3}, ValueError, "2D array"),
    "strings as weights": (
        (RATINGS, RATINGS),
        {"sample_weight": ["a"] * 3},
        ValueError,
        "sample_weight",
    ),
    "complex weights": ((RATINGS, RATINGS), {"sample_weight": [1j] * 3}, ValueError, "Complex"),
    "no weight": ((RATINGS, RATINGS), {"sample_weight": [0] * 3}, ValueError, "non-zero"),
    "backend": ((RATINGS, RATINGS), {"backend": "fortran"}, ValueError, "backend.*'fortran'"),
    "number": ((3, RATINGS), {}, TypeError, "y1 must be a list or an array.*3"),
    "None": ((None, RATINGS), {}, TypeError, "y1 must be a list or an array.*None"),
    "bytes": (([b"a", b"b"], [b"a", b"b"]), {}, TypeError, "y1 must be labels, got bytes"),
    "dates and numbers": (
        (np.array([0, 1], "M8[D]"), [0, 1]),
        {},
        ValueError,
        "the ratings cannot be compared",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    arguments, options, error, match = REFUSED[name]
    with pytest.raises(error, match=match):
        confusion_counts(*arguments, **options)


# Strings and dates without other libraries; for pandas etc., see ratings/test_interop.py.

WORDS = ["negative", "neutral", "positive", "", "Ü", "zz" * 30]


@pytest.mark.parametrize("make", [list, np.array, lambda words: np.array(words, object), tuple])
@pytest.mark.filterwarnings("ignore:y1 and y2 have labels that often stand for a missing rating")
def test_lists_of_strings(backend: str, make: Any) -> None:
    y1 = [WORDS[i] for i in np.random.default_rng(26).integers(0, 6, 500)]
    y2 = [WORDS[i] for i in np.random.default_rng(27).integers(0, 6, 500)]
    assert_counts(make(y1), make(y2), backend=backend)
    assert_counts(make(y1), y2, backend=backend)
    assert_counts(make(y1), make(y2), labels=["neutral", "x", ""], backend=backend)


@pytest.mark.filterwarnings("ignore:y1 and y2 have labels that often stand for a missing rating")
def test_strings_beyond_one_chunk(backend: str) -> None:
    y1 = np.array(WORDS)[np.random.default_rng(28).integers(0, 6, 140_000)]
    y2 = np.random.default_rng(29).permutation(y1)
    y1[-1], y2[-2] = "late", "later"
    assert_counts(y1, y2, backend=backend)
    assert_counts(y1.astype(object), y2, labels=["late", "Ü"], backend=backend)


@pytest.mark.filterwarnings("ignore:.* labels that differ only in ")
def test_strings_that_only_look_alike(backend: str) -> None:
    words = ["é", "e\u0301", "1", "01", "a ", "a"]
    with pytest.warns(UserWarning, match="differ only in how they are written") as warned:
        assert_counts(words, ["e\u0301"] * 6, backend=backend)
    messages = " ".join(str(warning.message) for warning in warned)
    assert "; 'a' (1 time), 'a ' (1 time)" in messages
    assert "are written, but are counted separately: '01' (1 time), '1'" in messages


def test_dates(backend: str) -> None:
    days = np.array(["2020-01-01", "1969-12-31", "2020-01-01", "2021-06-01"], "M8[D]")
    counts = assert_counts(days, days[::-1], backend=backend)
    assert counts.labels.dtype == days.dtype
    finer = confusion_counts(days, days[::-1].astype("M8[s]"), backend=backend)
    np.testing.assert_array_equal(finer.table, counts.table)
    some = confusion_counts(days, days[::-1], labels=days[[3, 0]], backend=backend)
    assert some.table.tolist() == [[0, 1], [1, 0]]


def test_durations(backend: str) -> None:
    y1 = np.array([5, 60, 5], "m8[s]")
    y2 = np.array([1, 1, 2], "m8[m]")
    counts = confusion_counts(y1, y2, backend=backend)
    assert counts.labels.astype("m8[s]").astype(int).tolist() == [5, 60, 120]
    assert counts.table.tolist() == [[0, 1, 1], [0, 1, 0], [0, 0, 0]]
