"""Ratings from files: every format, every kind of rating, and every error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

from fastkappa import confusion_from_source
from fastkappa.cli.files.reading import Reading
from fastkappa.sources.source_counts import SourceCounts, finish
from fastkappa.sources.source_ratings import RatingsError, WantedLabels
from fastkappa.sources.source_table import Columns, SourceTable
from fastkappa.sources.text import arrow_text, text_table
from fastkappa.sources.text.arrow_text import text_file as opened_text_file
from fastkappa.sources.text.text_format import PLAIN
from fastkappa.sources.text.text_table import TextTable
from tests.helpers.counted_files import count_ratings
from tests.helpers.rating_files import WRITERS, counted, pa, text_file, write_arrow_file

STRINGS = ["mild", "none", "severe", "mild", "mild"], ["mild", "mild", "severe", "none", "mild"]
STRING_COUNTS = {
    ("mild", "mild"): 2,
    ("mild", "none"): 1,
    ("none", "mild"): 1,
    ("severe", "severe"): 1,
}
INTEGERS = [3, 10, 3, -2, 10], [3, 3, 3, -2, 10]
INTEGER_COUNTS = {(3, 3): 2, (10, 3): 1, (-2, -2): 1, (10, 10): 1}


@pytest.mark.parametrize("dtype", ["int8", "int64", "float64", "float32"])
def test_integers(write: Callable[..., Path], dtype: str) -> None:
    left, right = (pa.array(np.array(column, dtype=dtype)) for column in INTEGERS)
    counts = count_ratings(
        write(patient=pa.array(range(5)), left=left, right=right), "left", "right"
    )
    assert counts.labels.dtype == np.int64
    assert (counts.n_rows, counts.missing, counts.n_dropped) == (5, (0, 0), 0)
    assert counted(counts) == INTEGER_COUNTS
    assert all(type(label) is int for pair in counted(counts) for label in pair)


@pytest.mark.parametrize("as_type", ["string", "large_string"])
def test_strings(write: Callable[..., Path], as_type: str) -> None:
    left, right = (pa.array(column, as_type) for column in STRINGS)
    counts = count_ratings(write(left=left, right=right), "left", "right")
    assert counts.labels.dtype.kind == "U"
    assert counted(counts) == STRING_COUNTS


def test_dictionaries_of_strings_with_another_order_each(write: Callable[..., Path]) -> None:
    left = pa.array(STRINGS[0]).dictionary_encode()
    right = pa.DictionaryArray.from_arrays(
        pa.array([2, 2, 0, 1, 2], pa.int8()), ["severe", "none", "mild", "never given"]
    )
    counts = count_ratings(write(left=left, right=right), "left", "right")
    assert counts.labels.dtype.kind == "U"
    assert counted(counts) == STRING_COUNTS


def test_dictionaries_of_integers(write: Callable[..., Path]) -> None:
    left, right = (pa.array(column).dictionary_encode() for column in INTEGERS)
    counts = count_ratings(write(left=left, right=right), "left", "right")
    assert counts.labels.dtype == np.int64
    assert counted(counts) == INTEGER_COUNTS


def test_dictionary_with_a_rating_twice(tmp_path: Path) -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 2]), ["a", "b", "a"])
    write_arrow_file(pa.table({"y": column}), tmp_path / "r.arrow")
    assert counted(count_ratings(tmp_path / "r.arrow", "y", "y")) == {("a", "a"): 3, ("b", "b"): 1}


def test_dictionary_with_a_missing_rating_in_it(tmp_path: Path) -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array(["a", None]))
    write_arrow_file(pa.table({"y": column}), tmp_path / "r.arrow")
    with pytest.raises(RatingsError, match="1 in column 'y'"):
        count_ratings(tmp_path / "r.arrow", "y", "y")
    counts = count_ratings(tmp_path / "r.arrow", "y", "y", drop_missing=True)
    assert counted(counts) == {("a", "a"): 2}


def test_booleans(write: Callable[..., Path]) -> None:
    left, right = pa.array([True, False, True]), pa.array([True, True, True])
    counts = count_ratings(write(left=left, right=right), "left", "right")
    assert counts.labels.dtype == bool
    assert counted(counts) == {(True, True): 2, (False, True): 1}


def test_booleans_beside_integers_are_0_and_1(write: Callable[..., Path]) -> None:
    path = write(left=pa.array([True, False]), right=pa.array([1, 2]))
    with pytest.warns(UserWarning, match="'left' contains booleans, .* other numbers, such as 2"):
        counts = count_ratings(path, "left", "right")
    assert counts.labels.dtype == np.int64
    assert counted(counts) == {(1, 1): 1, (0, 2): 1}


def test_the_same_column_twice(write: Callable[..., Path]) -> None:
    path = write(left=pa.array(INTEGERS[0]), right=pa.array(INTEGERS[1]))
    assert counted(count_ratings(path, "left", "left")) == {(3, 3): 2, (10, 10): 2, (-2, -2): 1}


def test_missing_ratings_are_counted_and_dropped(write: Callable[..., Path]) -> None:
    path = write(
        left=pa.array([1, None, 2, None, 3]),
        right=pa.array([1.0, 2.0, None, None, 3.0]),
        text=pa.array(["a", "b", None, "a", "b"]),
        code=pa.array(["a", None, "a", "a", "b"]).dictionary_encode(),
    )
    with pytest.raises(RatingsError) as raised:
        count_ratings(path, "left", "right")
    assert str(raised.value) == (
        "ratings are missing: 2 in column 'left' and 2 in column 'right', out of 5 rows."
        " Use --missing drop to leave out such rows. If a string such as NA is a label, list it"
        " in --labels."
    )
    counts = count_ratings(path, "left", "right", drop_missing=True)
    assert (counts.n_rows, counts.missing, counts.n_dropped) == (5, (2, 2), 3)
    assert counted(counts) == {(1, 1): 1, (3, 3): 1}
    counts = count_ratings(path, "text", "code", drop_missing=True)
    assert (counts.missing, counts.n_dropped) == ((1, 1), 2)
    assert counted(counts) == {("a", "a"): 2, ("b", "b"): 1}


def test_nan_is_missing(tmp_path: Path) -> None:
    write_arrow_file(pa.table({"y": [1.0, float("nan"), 2.0]}), tmp_path / "r.arrow")
    with pytest.raises(RatingsError, match="missing: 1 in column 'y', out of 3 rows"):
        count_ratings(tmp_path / "r.arrow", "y", "y")
    counts = count_ratings(tmp_path / "r.arrow", "y", "y", drop_missing=True)
    assert counted(counts) == {(1, 1): 1, (2, 2): 1}


@pytest.mark.parametrize("field", ["", '""', "NA", "NaN", "null"])
def test_what_is_missing_in_text(tmp_path: Path, field: str) -> None:
    path = text_file(tmp_path, f"a,b\nx,1\n{field},{field}\nx,1\n")
    for column in ("a", "b"):
        with pytest.raises(RatingsError, match=f"1 in column '{column}', out of 3 rows"):
            count_ratings(path, column, column)


def test_no_rows_left(tmp_path: Path) -> None:
    path = text_file(tmp_path, "a,b\n1,\n,1\n")
    with pytest.raises(RatingsError, match="no rows are left, because all 2 rows of"):
        count_ratings(path, "a", "b", drop_missing=True)


def test_text_beside_the_ratings_may_have_line_breaks(tmp_path: Path) -> None:
    path = text_file(tmp_path, 'text,a,b\n"first\nsecond, third",1,2\nshort,2,2\n')
    assert counted(count_ratings(path, "a", "b")) == {(1, 2): 1, (2, 2): 1}


def test_byte_order_mark_is_no_part_of_a_name(tmp_path: Path) -> None:
    path = text_file(tmp_path, b"\xef\xbb\xbfa,b\n1,2\n")
    assert counted(count_ratings(path, "a", "b")) == {(1, 2): 1}


def test_numbers_and_text_in_one_column_are_strings(tmp_path: Path) -> None:
    path = text_file(tmp_path, "a,b\n10,x\n9,9\n")
    assert count_ratings(path, "b", "b").labels.tolist() == ["9", "x"]


def count_in_blocks(path: Path, labels: str | None = None) -> SourceCounts:
    """Count column 'y' of a text file, read in many small blocks."""
    wanted = None if labels is None else WantedLabels(labels.split(","))
    table = SourceTable(Columns("y", "y"), wanted)
    texts = TextTable(table)
    with (
        mock.patch.object(arrow_text, "BLOCK_SIZE", 64),
        mock.patch.object(text_table, "MOST_OTHERS", 10),
    ):
        texts.add(opened_text_file(path, ",", PLAIN), lambda n_bytes: None)
    texts.add_to(table)
    contents = table.contents()
    return finish(contents, Reading.of(labels).parsed(contents.dtype))


def many_blocks(tmp_path: Path, last: str) -> Path:
    """Write a file of many blocks, of which only the last has other ratings."""
    return text_file(tmp_path, "y\n" + "1\n2\n3\n" * 100 + last)


@pytest.mark.filterwarnings("ignore:.*how they are written")
@pytest.mark.parametrize(
    ("last", "labels"),
    [
        ("1.0\n+2\n", [1, 2, 3]),
        (" 7\n", [1, 2, 3, 7]),
        # More strings than numbers: all of them are labels.
        ("x\n" * 400 + "01\n", ["01", "1", "2", "3", "x"]),
        ("true\n" * 301, ["1", "2", "3", "true"]),
    ],
)
@pytest.mark.filterwarnings("ignore:.* contains words, but also the numbers")
def test_the_last_block_may_tell_what_a_column_holds(
    tmp_path: Path, last: str, labels: list[Any]
) -> None:
    counts = count_in_blocks(many_blocks(tmp_path, last))
    assert counts.labels.tolist() == labels
    assert counts.n_rows == 300 + last.count("\n")
    assert counts.table.sum() == counts.table.trace() == counts.n_rows


@pytest.mark.parametrize("odd", ["x", "true", "2.5e0x"])
def test_a_string_in_the_last_block(tmp_path: Path, odd: str) -> None:
    with pytest.raises(ValueError, match="contains numbers") as raised:
        count_in_blocks(many_blocks(tmp_path, f"{odd}\n01\n"))
    assert str(raised.value) == (
        f"column 'y' contains numbers and also '{odd}' (1 time): write numbers as digits, pass"
        " missing_codes= for codes of missing ratings, or pass labels= if the strings are labels."
    )


def test_a_measurement_in_the_last_block(tmp_path: Path) -> None:
    path = many_blocks(tmp_path, "2.5\n")
    with pytest.raises(RatingsError, match=r"column 'y' contains 2\.5: ratings must be whole"):
        count_in_blocks(path)


@pytest.mark.filterwarnings("ignore:labels does not contain all ratings")
@pytest.mark.filterwarnings("ignore:.*labels that differ only in how they are written")
@pytest.mark.parametrize(
    ("last", "labels", "diagonal"),
    [
        ("", "7,1", [1, 1]),
        ("007\n7.0\n", "7,1", [3, 1]),
        ("x\n007\n", "7,007,x", [1, 1, 1]),
    ],
)
def test_labels_of_a_column_of_very_many(
    tmp_path: Path, last: str, labels: str, diagonal: list[int]
) -> None:
    """Other texts are not kept, except those that determine the type of the column."""
    numbers = "".join(f"{i}\n" for i in range(5000))
    path = text_file(tmp_path, "y\n" + numbers + last)
    counts = count_in_blocks(path, labels)
    assert counts.table.diagonal().tolist() == diagonal
    assert counts.n_outside == counts.n_rows - sum(diagonal)
    with pytest.raises(RatingsError, match=r"has 20\d\d different ratings, more than"):
        count_in_blocks(path)


@pytest.mark.parametrize("kind", ["csv", "ndjson.gz", "parquet", "arrow stream"])
def test_copies_of_a_file_are_warned_of(tmp_path: Path, kind: str) -> None:
    name, write = WRITERS[kind]

    def part(which: Any, **columns: Any) -> Path:
        write(pa.table(columns), tmp_path / f"{which} {name}")
        return tmp_path / f"{which} {name}"

    rows = {"a": [1, 2, 1] * 4, "b": [1, 2, 2] * 4}
    original, other = part("x", **rows), part("y", **rows)
    other.write_bytes(original.read_bytes())
    with pytest.warns(UserWarning, match="If a file is only a copy, remove it") as caught:
        assert confusion_from_source([other, original], "a", "b").n_rows == 24
    assert f"{other} equals {original}" in str(caught[0].message)
    # The next part of an export can have the same size, and small parts can be equal.
    part("y", a=[2, 1, 1] * 4, b=rows["b"])
    small = [part(i, a=[1, 2], b=[1, 2]) for i in range(2)]
    assert confusion_from_source([original, other, *small], "a", "b").n_rows == 28
