"""Columns of pandas, polars and pyarrow give the same tables as plain lists."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from fastkappa import (
    ConfusionAccumulator,
    Ratings,
    agreement,
    cohen_kappa_score,
    confusion_counts,
    leaderboard,
    optimal_thresholds,
    score_many,
)
from fastkappa.measurements import continuous_kappa
from tests.helpers.absent import STRING_TYPE, library

pl = library("polars")

STRINGS1 = ["b", "a", "c", "a", "b", "b", "a"]
STRINGS2 = ["a", "a", "c", "b", "b", "c", "a"]
CODES1 = [1, 0, 2, 0, 1, 1, 0]
CODES2 = [0, 0, 2, 1, 1, 2, 0]
ORDER = ["c", "unused", "b", "a"]
ENUM = pl.Enum(ORDER)

STRINGS: dict[str, Callable[[list[str]], Any]] = {
    "pandas default": pd.Series,
    "pandas object": lambda strings: pd.Series(strings, dtype=object),
    "pandas string": lambda strings: pd.Series(strings, dtype="string"),
    "pandas arrow string": lambda strings: pd.Series(strings, dtype="string[pyarrow]"),
    "pandas categorical": lambda strings: pd.Series(strings, dtype="category"),
    "pandas Categorical": pd.Categorical,
    "pandas CategoricalIndex": pd.CategoricalIndex,
    "pandas categories in another order": lambda strings: pd.Series(
        pd.Categorical(strings, categories=["c", "unused", "a", "b"], ordered=True)
    ),
    "pandas arrow dictionary": lambda strings: pd.Series(
        strings, dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))
    ),
    "pandas index of strings": pd.Index,
    "pandas column of a frame": lambda strings: pd.DataFrame({"x": 1, "y": strings})["y"],
    "pandas odd index": lambda strings: pd.Series(strings, index=range(len(strings), 0, -1)),
    "pandas slice": lambda strings: pd.Series(["z", *strings, "z"], dtype="category")[1:-1],
    "polars string": pl.Series,
    "polars categorical": lambda strings: pl.Series(strings, dtype=pl.Categorical),
    "polars enum": lambda strings: pl.Series(strings, dtype=ENUM),
    "polars slice of enum": lambda strings: pl.Series(["c", *strings, "c"], dtype=ENUM)[1:-1],
    "polars chunks": lambda strings: pl.concat(
        [pl.Series(strings[:3]), pl.Series(strings[3:])], rechunk=False
    ),
    "polars chunks of categorical": lambda strings: pl.concat(
        [pl.Series(part, dtype=pl.Categorical) for part in (strings[:3], strings[3:])],
        rechunk=False,
    ),
    "pyarrow string": pa.array,
    "pyarrow large string": lambda strings: pa.array(strings, pa.large_string()),
    "pyarrow string view": lambda strings: pa.array(strings, pa.string_view()),
    "pyarrow dictionary": lambda strings: pa.array(strings).dictionary_encode(),
    "pyarrow dictionary in another order": lambda strings: pa.DictionaryArray.from_arrays(
        pa.array([["c", "unused", "a", "b"].index(string) for string in strings], pa.int16()),
        pa.array(["c", "unused", "a", "b"]),
    ),
    "pyarrow slice of a dictionary": lambda strings: pa.array(
        ["z", *strings, "z"]
    ).dictionary_encode()[1:-1],
    "pyarrow dictionary naming a string twice": lambda strings: pa.DictionaryArray.from_arrays(
        pa.array(
            [{"a": 0, "b": 1, "c": 2 + 2 * (i % 2)}[string] for i, string in enumerate(strings)]
        ),
        pa.array(["a", "b", "c", "unused", "c"]),
    ),
    "pyarrow chunks": lambda strings: pa.chunked_array([strings[:3], [], strings[3:]], pa.string()),
    "pyarrow chunks of dictionaries": lambda strings: pa.chunked_array(
        [pa.array(part).dictionary_encode() for part in (strings[:3], strings[3:])]
    ),
    "numpy string dtype": lambda strings: np.array(strings, STRING_TYPE),
}

NUMBERS: dict[str, Callable[[list[int]], Any]] = {
    "pandas int64": pd.Series,
    "pandas int8": lambda codes: pd.Series(codes, dtype="int8"),
    "pandas Int64": lambda codes: pd.Series(codes, dtype="Int64"),
    "pandas UInt8": lambda codes: pd.Series(codes, dtype="UInt8"),
    "pandas Float32": lambda codes: pd.Series(codes, dtype="Float32"),
    "pandas float64": lambda codes: pd.Series(codes, dtype="float64"),
    "pandas arrow int": lambda codes: pd.Series(codes, dtype="int32[pyarrow]"),
    "pandas categorical": lambda codes: pd.Series(codes, dtype="category"),
    "pandas categories in another order": lambda codes: pd.Series(
        pd.Categorical(codes, categories=[2, 7, 0, 1])
    ),
    "pandas index": pd.Index,
    "pandas column of a frame": lambda codes: pd.DataFrame({"x": codes, "y": codes})["y"],
    "pandas frame of one column": lambda codes: pd.DataFrame({"y": codes}),
    "pandas every second row": lambda codes: pd.Series(np.repeat(codes, 2))[::2],
    "polars int64": pl.Series,
    "polars uint8": lambda codes: pl.Series(codes, dtype=pl.UInt8),
    "polars float": lambda codes: pl.Series(codes, dtype=pl.Float32),
    "polars slice": lambda codes: pl.Series([9, *codes, 9])[1:-1],
    "polars chunks": lambda codes: pl.concat(
        [pl.Series(codes[:3]), pl.Series(codes[3:])], rechunk=False
    ),
    "pyarrow int64": pa.array,
    "pyarrow int8": lambda codes: pa.array(codes, pa.int8()),
    "pyarrow slice": lambda codes: pa.array([9, *codes, 9])[1:-1],
    "pyarrow chunks": lambda codes: pa.chunked_array([codes[:3], codes[3:]]),
    "pyarrow dictionary": lambda codes: pa.array(codes).dictionary_encode(),
    "pyarrow float": lambda codes: pa.array(codes, pa.float64()),
}

EXPECTED = [[2, 1, 0], [1, 1, 1], [0, 0, 1]]


def test_the_expectation() -> None:
    pairs = Counter(zip(CODES1, CODES2, strict=True))
    assert [[pairs[i, j] for j in range(3)] for i in range(3)] == EXPECTED


# Forms that declare an order of labels, including unused labels.
ORDERED = {
    "pandas categories in another order": ["c", "unused", "a", "b"],
    "polars enum": ORDER,
    "polars slice of enum": ORDER,
}


def expected_of(name: str) -> tuple[list[str], list[list[int]]]:
    """Return the labels in the order of a form, and their table."""
    labels = ORDERED.get(name, ["a", "b", "c"])
    pairs = Counter(zip(STRINGS1, STRINGS2, strict=True))
    return labels, [[pairs[one, other] for other in labels] for one in labels]


@pytest.mark.parametrize("name", STRINGS)
def test_strings(backend: str, name: str) -> None:
    make = STRINGS[name]
    labels, expected = expected_of(name)
    counts = confusion_counts(make(STRINGS1), make(STRINGS2), backend=backend)
    assert counts.table.tolist() == expected
    assert counts.labels.tolist() == labels
    beside_list = confusion_counts(make(STRINGS1), STRINGS2, backend=backend)
    assert beside_list.table.tolist() == expected
    given = confusion_counts(STRINGS1, make(STRINGS2), labels=["c", "x", "a"], backend=backend)
    assert given.table.tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 2]]
    assert given.n_outside == 4


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(backend: str, name: str) -> None:
    make = NUMBERS[name]
    counts = confusion_counts(make(CODES1), make(CODES2), backend=backend)
    assert counts.table.tolist() == EXPECTED
    assert counts.labels.tolist() == [0, 1, 2]
    beside_list = confusion_counts(make(CODES1), CODES2, backend=backend)
    assert beside_list.table.tolist() == EXPECTED
    given = confusion_counts(CODES1, make(CODES2), labels=[2, 5, 0], backend=backend)
    assert given.table.tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 2]]
    weighted = confusion_counts(make(CODES1), make(CODES2), sample_weight=[2] * 7, backend=backend)
    assert weighted.table.tolist() == [[2 * count for count in row] for row in EXPECTED]


@pytest.mark.parametrize("first", STRINGS)
@pytest.mark.parametrize(
    "second", ["pandas categorical", "polars enum", "pyarrow dictionary", "pandas default"]
)
@pytest.mark.filterwarnings("ignore:y1 and y2 have indexes")
def test_strings_of_two_libraries(first: str, second: str) -> None:
    y1, y2 = STRINGS[first](STRINGS1), STRINGS[second](STRINGS2)
    orders = {tuple(ORDERED[name]): name for name in (first, second) if name in ORDERED}
    if len(orders) > 1:
        with pytest.raises(ValueError, match="in different orders"):
            confusion_counts(y1, y2)
    else:
        _, expected = expected_of(next(iter(orders.values()), first))
        assert confusion_counts(y1, y2).table.tolist() == expected


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@pytest.mark.parametrize("name", STRINGS)
def test_kappa_of_strings(name: str, weights: Any) -> None:
    """Labels are in alphabetical order, whatever the order of the categories."""
    expected = cohen_kappa_score(CODES1, CODES2, weights=weights)
    assert (
        cohen_kappa_score(STRINGS[name](STRINGS1), STRINGS[name](STRINGS2), weights=weights)
        == expected
    )


BOOLS: dict[str, Callable[[list[bool]], Any]] = {
    "pandas": pd.Series,
    "pandas nullable": lambda values: pd.Series(values, dtype="boolean"),
    "polars": pl.Series,
    "pyarrow": pa.array,
}


@pytest.mark.parametrize("name", BOOLS)
def test_bools(backend: str, name: str) -> None:
    first, second = [True, False, True, True], [True, True, True, False]
    counts = confusion_counts(BOOLS[name](first), BOOLS[name](second), backend=backend)
    assert counts.table.tolist() == [[0, 1], [1, 2]]
    assert counts.labels.tolist() == [False, True]


DATES: dict[str, Callable[[list[Any]], Any]] = {
    "pandas": lambda dates: pd.Series(pd.to_datetime(dates)),
    "pandas categorical": lambda dates: pd.Series(pd.to_datetime(dates)).astype("category"),
    "polars": lambda dates: pl.Series(dates),
    "pyarrow": lambda dates: pa.array(dates),
}


@pytest.mark.parametrize("name", DATES)
def test_dates(backend: str, name: str) -> None:
    first, second = (
        [datetime.date(2020, 1, 1 + code) for code in codes] for codes in (CODES1, CODES2)
    )
    counts = confusion_counts(DATES[name](first), DATES[name](second), backend=backend)
    assert counts.table.tolist() == EXPECTED


MISSING: dict[str, Callable[[], Any]] = {
    "pandas None": lambda: pd.Series(["a", None]),
    "pandas None objects": lambda: pd.Series(["a", None], dtype=object),
    "pandas NaN objects": lambda: pd.Series(["a", np.nan], dtype=object),
    "pandas NA first": lambda: pd.Series([pd.NA, "a"], dtype=object),
    "pandas string": lambda: pd.Series(["a", None], dtype="string"),
    "pandas categorical": lambda: pd.Series(["a", None], dtype="category"),
    "pandas categorical ints": lambda: pd.Series([1, None], dtype="category"),
    "pandas Int64": lambda: pd.Series([1, None], dtype="Int64"),
    "pandas boolean": lambda: pd.Series([True, None], dtype="boolean"),
    "pandas Float64": lambda: pd.Series([1, None], dtype="Float64"),
    "pandas float": lambda: pd.Series([1, None]),
    "pandas arrow": lambda: pd.Series([1, None], dtype="int64[pyarrow]"),
    "pandas arrow string": lambda: pd.Series(["a", None], dtype="string[pyarrow]"),
    "pandas dates": lambda: pd.Series(pd.to_datetime(["2020-01-01", None])),
    "polars int": lambda: pl.Series([1, None]),
    "polars string": lambda: pl.Series(["a", None]),
    "polars categorical": lambda: pl.Series(["a", None], dtype=pl.Categorical),
    "polars enum": lambda: pl.Series(["a", None], dtype=ENUM),
    "polars bool": lambda: pl.Series([True, None]),
    "polars float NaN": lambda: pl.Series([1.0, float("nan")]),
    "polars dates": lambda: pl.Series([datetime.date(2020, 1, 1), None]),
    "polars all missing": lambda: pl.Series([None, None]),
    "pyarrow int": lambda: pa.array([1, None]),
    "pyarrow string": lambda: pa.array(["a", None]),
    "pyarrow dictionary": lambda: pa.array(["a", None]).dictionary_encode(),
    "pyarrow dictionary of a missing string": lambda: pa.DictionaryArray.from_arrays(
        pa.array([0, 1]), pa.array(["a", None])
    ),
    "pyarrow chunks": lambda: pa.chunked_array([["a"], [None]]),
    "pyarrow dates": lambda: pa.array([datetime.date(2020, 1, 1), None]),
}


@pytest.mark.parametrize("name", MISSING)
def test_missing_ratings(name: str) -> None:
    """A missing rating is an error that names the column, never a label."""
    column = MISSING[name]()
    with pytest.raises(
        ValueError, match=r"^y1 has \d missing values? in \d items, the first at position \d: "
    ):
        confusion_counts(column, column)
    with pytest.raises(ValueError, match=r"^Input y_true contains Na[NT]\.$"):
        cohen_kappa_score(column, column)


@pytest.mark.parametrize(
    "make",
    [
        lambda column: pd.Series(column).astype("category"),
        lambda column: pl.Series(column).cast(pl.Categorical),
        lambda column: pa.array(column).dictionary_encode(),
    ],
    ids=["pandas", "polars", "pyarrow"],
)
def test_large_columns_of_codes(make: Callable[[Any], Any], backend: str) -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, (2, 600_000))
    strings = np.array(["negative", "neutral", "positive"])[codes]
    pairs = np.zeros((3, 3), int)
    np.add.at(pairs, tuple(codes), 1)
    counts = confusion_counts(make(strings[0]), make(strings[1]), backend=backend)
    np.testing.assert_array_equal(counts.table, pairs)
    assert counts.labels.tolist() == ["negative", "neutral", "positive"]


def test_many_categories() -> None:
    strings = [f"label {i:05}" for i in range(3000)]
    first, second = pd.Categorical(strings), pd.Categorical(strings[::-1])
    counts = confusion_counts(first, second)
    assert counts.labels.tolist() == strings
    np.testing.assert_array_equal(counts.table, np.eye(3000, dtype=int)[::-1])


def test_pooled_polars_categories() -> None:
    """Codes of one column mean other strings in another; the pool contains strings of both."""
    others = pl.Series(["z", "y", "x", "c", "b"], dtype=pl.Categorical)
    first = pl.Series(["b", "a"], dtype=pl.Categorical)
    second = pl.Series(["a", "b"], dtype=pl.Categorical)
    counts = confusion_counts(first, second)
    assert counts.labels.tolist() == ["a", "b"]
    assert counts.table.tolist() == [[0, 1], [1, 0]]
    assert first.to_physical().max() > 1, "the pool is not shared: this test shows nothing"
    counts = confusion_counts(others[-2:], first)
    assert counts.labels.tolist() == ["a", "b", "c"]
    assert counts.table.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: [Decimal(1), Decimal(2)], "got the type Decimal"),
        (lambda: pa.array([Decimal(1), Decimal(2)]), r"got the type decimal128\(1, 0\)"),
        (lambda: pl.Series([[1], [2]]), r"must be labels, got \[1\]\. .* krippendorff_alpha"),
        (lambda: pa.array([[1], [2]]), r"must be labels, got \[1\]\. .* krippendorff_alpha"),
        (lambda: pl.Series([1, 2], dtype=pl.Int128), "cannot be read: cannot convert i128"),
        (lambda: _not_utf8(), "cannot be read: "),
    ],
    ids=["decimals", "pyarrow's decimals", "lists", "pyarrow's lists", "128 bits", "not UTF-8"],
)
def test_what_is_no_label_is_named(make: Callable[[], Any], problem: str) -> None:
    with pytest.raises(ValueError, match=f"^y2 .*{problem}"):
        agreement([1, 2], make())


def _not_utf8() -> Any:
    ends = pa.py_buffer(np.array([0, 1, 2], np.int32))
    return pa.Array.from_buffers(pa.string(), 2, [None, ends, pa.py_buffer(b"\xff\xfe")])


ROWS = pd.Series([1, 2, 3, 1, 2, 3], index=list("abcdef"))
SHUFFLED = ROWS.loc[list("fdbeca")]
READERS: dict[str, Callable[..., Any]] = {
    "agreement": agreement,
    "confusion_counts": confusion_counts,
    "accumulator": lambda y1, y2: ConfusionAccumulator().update(y1, y2),
    "Ratings": lambda y1, y2: Ratings.from_raters({"y1": y1, "y2": y2}),
}


# They have their own names for the two, and can warn about other things as well.
OTHER_READERS: dict[str, Callable[..., Any]] = {
    "score_many": lambda y1, y2: score_many(y1, [y2]),
    "leaderboard": lambda y1, y2: leaderboard(y1, {"x": y2}, n_resamples=0),
    "optimal_thresholds": optimal_thresholds,
    "continuous_kappa": continuous_kappa,
    "KappaRounder": lambda y1, y2: library("fastkappa.estimators").KappaRounder().fit(y1, y2),
}


@pytest.mark.parametrize("reader", {**READERS, **OTHER_READERS})
def test_one_index_in_two_orders_is_warned_of(reader: str) -> None:
    match = r"^(\S+) and (.+) have the same index .* pass \2\.reindex\(\1\.index\)"
    with pytest.warns(UserWarning, match=match) as found:
        {**READERS, **OTHER_READERS}[reader](ROWS, SHUFFLED)
    assert {warning.filename for warning in found} == {__file__}
    assert reader in OTHER_READERS or len(found) == 1


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    ("y1", "y2"),
    [
        (ROWS, SHUFFLED.reindex(ROWS.index)),
        (ROWS, SHUFFLED.to_numpy()),
        (SHUFFLED, ROWS.reset_index(drop=True)),
        (SHUFFLED, SHUFFLED.copy()),
        (ROWS.set_axis(list("aabbcc")), ROWS.set_axis(list("abcabc"))),
    ],
    ids=["the same order", "an array", "numbered rows", "a copy", "not unique"],
)
@pytest.mark.filterwarnings("error")
def test_other_indexes_are_not_warned_of(reader: str, y1: Any, y2: Any) -> None:
    READERS[reader](y1, y2)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("reader", READERS)
def test_an_index_of_levels_is_no_other_order(reader: str) -> None:
    levels = ROWS.set_axis(pd.MultiIndex.from_tuples([(i, 0) for i in range(6)]))
    READERS[reader](ROWS, levels)
    READERS[reader](levels, ROWS)


@pytest.mark.filterwarnings("error")
def test_the_drop_in_matches_by_place_without_a_word() -> None:
    assert cohen_kappa_score(ROWS, SHUFFLED) == cohen_kappa_score(list(ROWS), list(SHUFFLED))
