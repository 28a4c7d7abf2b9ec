"""Ratings from files: every format, every kind of rating, every way to be wrong."""

from __future__ import annotations

import gzip
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastkappa.cli.files.ratings import count_ratings, parse_labels
from fastkappa.engines.arrow_files import SUFFIXES, format_of
from fastkappa.engines.arrow_text import TextTable
from fastkappa.engines.counted import SourceCounts, finish
from fastkappa.engines.ratings import LARGEST_NUMBER_OF_LABELS, RatingsError, WantedLabels
from fastkappa.engines.source_table import Columns, SourceTable

pa = pytest.importorskip("pyarrow")
pa_csv = pytest.importorskip("pyarrow.csv")
parquet = pytest.importorskip("pyarrow.parquet")
feather = pytest.importorskip("pyarrow.feather")


def decoded(table: Any) -> Any:
    """Return a table without dictionaries, which CSV cannot hold."""
    columns = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    return pa.table(dict(zip(table.column_names, columns)))


def write_csv(table: Any, path: Path) -> None:
    pa_csv.write_csv(decoded(table), path)


def write_csv_gz(table: Any, path: Path) -> None:
    plain = path.with_suffix("")
    write_csv(table, plain)
    path.write_bytes(gzip.compress(plain.read_bytes()))


def write_tsv(table: Any, path: Path) -> None:
    pa_csv.write_csv(decoded(table), path, pa_csv.WriteOptions(delimiter="\t"))


def write_arrow_file(table: Any, path: Path) -> None:
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)


def write_arrow_stream(table: Any, path: Path) -> None:
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)


WRITERS: dict[str, tuple[str, Callable[[Any, Path], None]]] = {
    "csv": ("ratings.csv", write_csv),
    "csv.gz": ("ratings.csv.gz", write_csv_gz),
    "tsv": ("RATINGS.TSV", write_tsv),
    "parquet": ("ratings.parquet", parquet.write_table),
    "arrow file": ("ratings.arrow", write_arrow_file),
    "arrow stream": ("ratings.arrows", write_arrow_stream),
    "stream named arrow": ("ratings.arrow", write_arrow_stream),
    "feather": ("ratings.feather", feather.write_feather),
}


@pytest.fixture(params=WRITERS)
def write(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Path]:
    """Write columns to a file of each format in turn."""
    name, writer = WRITERS[request.param]

    def write_columns(**columns: Any) -> Path:
        path = tmp_path / name
        writer(pa.table(columns), path)
        return path

    return write_columns


def text_file(tmp_path: Path, content: str | bytes, name: str = "ratings.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def counted(counts: Any) -> dict[tuple[Any, Any], int]:
    """Return how often each pair of labels occurs, without zeros."""
    labels = counts.labels.tolist()
    return {(labels[i], labels[j]): int(counts.table[i, j]) for i, j in np.argwhere(counts.table)}


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
        "ratings are missing: 2 in column 'left' and 2 in column 'right', of 5 rows."
        " --missing drop leaves such rows out."
    )
    counts = count_ratings(path, "left", "right", drop_missing=True)
    assert (counts.n_rows, counts.missing, counts.n_dropped) == (5, (2, 2), 3)
    assert counted(counts) == {(1, 1): 1, (3, 3): 1}
    counts = count_ratings(path, "text", "code", drop_missing=True)
    assert (counts.missing, counts.n_dropped) == ((1, 1), 2)
    assert counted(counts) == {("a", "a"): 2, ("b", "b"): 1}


def test_nan_is_missing(tmp_path: Path) -> None:
    write_arrow_file(pa.table({"y": [1.0, float("nan"), 2.0]}), tmp_path / "r.arrow")
    with pytest.raises(RatingsError, match="missing: 1 in column 'y', of 3 rows"):
        count_ratings(tmp_path / "r.arrow", "y", "y")
    counts = count_ratings(tmp_path / "r.arrow", "y", "y", drop_missing=True)
    assert counted(counts) == {(1, 1): 1, (2, 2): 1}


@pytest.mark.parametrize("field", ["", '""', "NA", "NaN", "null"])
def test_what_is_missing_in_text(tmp_path: Path, field: str) -> None:
    path = text_file(tmp_path, f"a,b\nx,1\n{field},{field}\nx,1\n")
    for column in ("a", "b"):
        with pytest.raises(RatingsError, match=f"1 in column '{column}', of 3 rows"):
            count_ratings(path, column, column)


def test_no_rows_left(tmp_path: Path) -> None:
    path = text_file(tmp_path, "a,b\n1,\n,1\n")
    with pytest.raises(RatingsError, match="no rows are left: all 2 of"):
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
    texts = TextTable(table, block_size=64, most_others=10)
    texts.add(path, ",", lambda names: None, lambda n_bytes: None)
    texts.add_to(table)
    return finish(table, None if labels is None else parse_labels(labels, table.kind()))


def many_blocks(tmp_path: Path, last: str) -> Path:
    """Write a file of many blocks, of which only the last one has other ratings."""
    return text_file(tmp_path, "y\n" + "1\n2\n3\n" * 100 + last)


@pytest.mark.parametrize(
    ("last", "labels"),
    [
        ("1.0\n+2\n", [1, 2, 3]),
        (" 7\n", [1, 2, 3, 7]),
        # More strings than numbers: these are labels too.
        ("x\n" * 400 + "01\n", ["01", "1", "2", "3", "x"]),
        ("true\n" * 301, ["1", "2", "3", "true"]),
    ],
)
def test_the_last_block_may_tell_what_a_column_holds(
    tmp_path: Path, last: str, labels: list[Any]
) -> None:
    counts = count_in_blocks(many_blocks(tmp_path, last))
    assert counts.labels.tolist() == labels
    assert counts.n_rows == 300 + last.count("\n")
    assert counts.table.sum() == counts.table.trace() == counts.n_rows


@pytest.mark.parametrize("odd", ["x", "true", "2.5e0x"])
def test_a_string_in_the_last_block(tmp_path: Path, odd: str) -> None:
    with pytest.raises(RatingsError) as raised:
        count_in_blocks(many_blocks(tmp_path, f"{odd}\n01\n"))
    assert str(raised.value) == (
        f"column 'y' holds numbers, and among them '{odd}' (1 time): give missing_codes= if they"
        " stand for missing ratings, or labels= if they are labels."
    )


def test_a_measurement_in_the_last_block(tmp_path: Path) -> None:
    path = many_blocks(tmp_path, "2.5\n")
    with pytest.raises(RatingsError, match=r"column 'y' holds 2\.5: ratings must be whole"):
        count_in_blocks(path)


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
    """Others are not kept, but for what they tell about the column."""
    numbers = "".join(f"{i}\n" for i in range(5000))
    path = text_file(tmp_path, "y\n" + numbers + last)
    counts = count_in_blocks(path, labels)
    assert counts.table.diagonal().tolist() == diagonal
    assert counts.n_outside == counts.n_rows - sum(diagonal)
    with pytest.raises(RatingsError, match=r"holds 20\d\d different ratings in its first"):
        count_in_blocks(path)


def test_unknown_column_lists_those_there_and_the_nearest(write: Callable[..., Path]) -> None:
    path = write(left=pa.array([1]), right=pa.array([2]))
    with pytest.raises(RatingsError) as raised:
        count_ratings(path, "Lefft", "right")
    assert str(raised.value) == (
        f"{path} has no column 'Lefft'; it has 'left', 'right'. Did you mean 'left'?"
    )


def test_many_columns_are_not_all_listed(tmp_path: Path) -> None:
    names = [f"c{i}" for i in range(100)]
    path = text_file(tmp_path, ",".join(names) + "\n" + ",".join("1" * 100) + "\n")
    with pytest.raises(RatingsError, match=r"'c18', 'c19' and 80 more\.$"):
        count_ratings(path, "zzz", "c1")


def test_column_named_twice(tmp_path: Path) -> None:
    path = text_file(tmp_path, "a,a,b\n1,2,3\n")
    with pytest.raises(RatingsError, match="has 2 columns named 'a'"):
        count_ratings(path, "b", "a")


def test_ratings_that_are_measurements(write: Callable[..., Path]) -> None:
    path = write(a=pa.array([1.0, 0.5, 2.0]), b=pa.array([1, 2, 3]))
    with pytest.raises(RatingsError, match=r"column 'a' holds 0\.5: ratings must be whole"):
        count_ratings(path, "b", "a")


@pytest.mark.parametrize("number", [float("inf"), 1e300])
def test_numbers_beyond_64_bits(tmp_path: Path, number: float) -> None:
    write_arrow_file(pa.table({"a": [1.0, number]}), tmp_path / "r.arrow")
    with pytest.raises(RatingsError, match="column 'a' holds numbers beyond 64 bits"):
        count_ratings(tmp_path / "r.arrow", "a", "a")


def test_strings_against_integers(write: Callable[..., Path]) -> None:
    path = write(a=pa.array([1, 2, 3]), b=pa.array(["1", "two", "three"]))
    with pytest.raises(RatingsError) as raised:
        count_ratings(path, "a", "b")
    assert str(raised.value) == (
        "the ratings cannot be compared: column 'a' holds integers and column 'b' holds"
        " strings ('two')."
    )


def test_dates_and_lists_are_no_ratings(tmp_path: Path) -> None:
    table = pa.table({"day": pa.array([0], pa.date32()), "list": pa.array([[1]])})
    parquet.write_table(table, tmp_path / "r.parquet")
    for column in table.column_names:
        with pytest.raises(RatingsError, match=f"column '{column}' holds values of type"):
            count_ratings(tmp_path / "r.parquet", column, column)


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    path = text_file(tmp_path, b"a,b\n\xe9,1\nx,2\n")
    with pytest.raises(RatingsError, match="column 'a' holds text that is not UTF-8"):
        count_ratings(path, "a", "a")
    path = text_file(tmp_path, b"\xe9,b\n1,2\n")
    with pytest.raises(RatingsError, match="cannot be read: it is not UTF-8 text"):
        count_ratings(path, "b", "b")


def test_there_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(RatingsError, match=r"there is no file .*none\.csv\.$"):
        count_ratings(tmp_path / "none.csv", "a", "b")


def test_directory(tmp_path: Path) -> None:
    (tmp_path / "folder.parquet").mkdir()
    with pytest.raises(RatingsError, match="is a directory, not a file"):
        count_ratings(tmp_path / "folder.parquet", "a", "b")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_empty_file(tmp_path: Path, suffix: str) -> None:
    path = text_file(tmp_path, b"", "ratings" + suffix)
    with pytest.raises(RatingsError, match="is empty"):
        count_ratings(path, "a", "b")


def test_no_rows(write: Callable[..., Path]) -> None:
    none = pa.array([], pa.int64())
    with pytest.raises(RatingsError, match="has no rows"):
        count_ratings(write(a=none, b=none), "a", "b")


def test_unequal_columns(tmp_path: Path) -> None:
    path = text_file(tmp_path, "a,b\n1,2\n3\n")
    with pytest.raises(RatingsError, match="Expected 2 columns, got 1"):
        count_ratings(path, "a", "b")


@pytest.mark.parametrize(
    "suffix", [suffix for suffix in SUFFIXES if suffix not in (".csv", ".tsv")]
)
def test_a_file_that_is_not_what_its_suffix_says(tmp_path: Path, suffix: str) -> None:
    path = text_file(tmp_path, "a,b\n1,2\n" * 20, "ratings" + suffix)
    with pytest.raises(RatingsError, match="cannot be read"):
        count_ratings(path, "a", "b")


@pytest.mark.parametrize("name", ["parquet", "arrow file", "arrow stream", "csv.gz"])
def test_truncated_file(tmp_path: Path, name: str) -> None:
    file_name, writer = WRITERS[name]
    writer(pa.table({"a": [1, 2] * 500, "b": ["x", "y"] * 500}), tmp_path / file_name)
    whole = (tmp_path / file_name).read_bytes()
    for part in (0.02, 0.5, 0.9):
        (tmp_path / file_name).write_bytes(whole[: int(part * len(whole))])
        with pytest.raises(RatingsError, match="cannot be read"):
            count_ratings(tmp_path / file_name, "a", "a")


@pytest.mark.parametrize("name", ["parquet", "arrow file", "arrow stream", "csv"])
def test_damaged_file_is_read_or_refused(tmp_path: Path, name: str) -> None:
    file_name, writer = WRITERS[name]
    table = pa.table({"a": [1, 2] * 50, "b": pa.array(["x", "y"] * 50).dictionary_encode()})
    writer(table, tmp_path / file_name)
    whole = (tmp_path / file_name).read_bytes()
    random = np.random.default_rng(5)
    refused = 0
    for _ in range(150):
        damaged = bytearray(whole)
        for place in random.integers(len(whole), size=3):
            damaged[place] = random.integers(256)
        (tmp_path / file_name).write_bytes(damaged)
        try:
            counts = count_ratings(tmp_path / file_name, "b", "b", drop_missing=True)
            assert counts.table.sum() == counts.n_rows - counts.n_dropped
        except RatingsError:
            refused += 1
    assert refused


def test_every_format_has_a_writer_here() -> None:
    assert {format_of(Path(name)) for name, _ in WRITERS.values()} == set(SUFFIXES.values())


def test_unknown_suffix_lists_those_known(tmp_path: Path) -> None:
    with pytest.raises(RatingsError) as raised:
        count_ratings(tmp_path / "ratings.xlsx", "a", "b")
    assert "'.xlsx'" in str(raised.value)
    assert all(suffix in str(raised.value) for suffix in SUFFIXES)


def test_an_identifier_is_no_rating(write: Callable[..., Path]) -> None:
    numbers = np.arange(LARGEST_NUMBER_OF_LABELS + 1)
    names = numbers.astype(str)
    path = write(number=pa.array(numbers), name=pa.array(names))
    for column in ("number", "name"):
        with pytest.raises(RatingsError, match=f"column '{column}' holds .* different") as raised:
            count_ratings(path, column, column)
        assert "--labels names those to take." in str(raised.value)
        counts = count_ratings(path, column, column, labels="7,3")
        assert counts.table.tolist() == [[1, 0], [0, 1]]
        assert counts.n_outside == LARGEST_NUMBER_OF_LABELS - 1
    path = write(number=pa.array(numbers[1:]), name=pa.array(names[1:]))
    for column in ("number", "name"):
        assert len(count_ratings(path, column, column).labels) == LARGEST_NUMBER_OF_LABELS


@pytest.mark.parametrize(
    ("text", "kind", "labels"),
    [
        ("3,1,-2", "integers", [3, 1, -2]),
        ("b, a", "strings", ["b", "a"]),
        ('"a,b",c', "strings", ["a,b", "c"]),
        ("1,2", "strings", ["1", "2"]),
        ("True,false", "booleans", [True, False]),
    ],
)
def test_labels_are_of_the_kind_of_the_ratings(text: str, kind: str, labels: list[Any]) -> None:
    assert parse_labels(text, kind) == labels


@pytest.mark.parametrize(
    ("text", "kind", "problem"),
    [
        ("1,x", "integers", "--labels has 'x', but the ratings are integers"),
        ("1", "booleans", "--labels has '1', but the ratings are true and false"),
        ("", "strings", "--labels names no label"),
    ],
)
def test_labels_of_another_kind(text: str, kind: str, problem: str) -> None:
    with pytest.raises(RatingsError, match=problem):
        parse_labels(text, kind)


def test_without_pyarrow_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    files = importlib.import_module("fastkappa.cli.files.ratings")
    with pytest.raises(ImportError, match=r"pip install 'fastkappa\[cli\]'"):
        files.count_ratings(tmp_path / "r.csv", "a", "b")
