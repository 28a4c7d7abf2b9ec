"""Files, columns and labels that are refused, and the reasons."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastkappa import Ratings, confusion_from_source
from fastkappa.cli.files.reading import Reading
from fastkappa.cli.words import in_words_of_options
from fastkappa.install_hint import install_command
from fastkappa.sources.arrow_files import SUFFIXES, format_of
from fastkappa.sources.source_ratings import LARGEST_NUMBER_OF_LABELS, RatingsError
from tests.helpers.command_line import CommandLine
from tests.helpers.counted_files import count_ratings
from tests.helpers.rating_files import WRITERS, pa, parquet, text_file, write_arrow_file


def test_unknown_column_lists_those_there_and_the_nearest(write: Callable[..., Path]) -> None:
    path = write(left=pa.array([1]), right=pa.array([2]))
    with pytest.raises(RatingsError) as raised:
        count_ratings(path, "Lefft", "right")
    assert str(raised.value) == (
        f"{path} has no column 'Lefft'; it has 'left', 'right'. Did you mean 'left'?"
    )


@pytest.mark.parametrize(
    ("given", "meant"),
    [("prediction", "pred"), ("tru", "truth"), ("Regions", "region")],
)
def test_a_part_of_a_name_is_nearer_than_a_similar_name(
    write: Callable[..., Path], given: str, meant: str
) -> None:
    path = write(**{name: pa.array([1]) for name in ("region", "truth", "pred")})
    with pytest.raises(RatingsError) as raised:
        count_ratings(path, "region", given)
    assert str(raised.value).endswith(f"'pred'. Did you mean {meant!r}?")


def test_names_of_folders_are_no_column_of_text_files(tmp_path: Path) -> None:
    (tmp_path / "day=1").mkdir()
    text_file(tmp_path / "day=1", "a,b\n1,1\n2,1\n", "r.csv")
    message = "has no column 'day'; it has 'a', 'b'. To use the names of folders as a column, conv"
    with pytest.raises(RatingsError, match=re.escape(message)):
        confusion_from_source(tmp_path, "a", "b", group="day")
    options = ("--raters", "a", "b", "--group", "day")
    assert message in CommandLine("agree").refusal(tmp_path, *options)


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
    with pytest.raises(RatingsError, match=r"column 'a' contains 0\.5: ratings must be whole"):
        count_ratings(path, "b", "a")


@pytest.mark.parametrize("number", [float("inf"), 1e300])
def test_numbers_beyond_64_bits(tmp_path: Path, number: float) -> None:
    write_arrow_file(pa.table({"a": [1.0, number]}), tmp_path / "r.arrow")
    with pytest.raises(RatingsError, match="column 'a' contains numbers beyond 64 bits"):
        count_ratings(tmp_path / "r.arrow", "a", "a")


def test_strings_against_integers(write: Callable[..., Path]) -> None:
    path = write(a=pa.array([1, 2, 3]), b=pa.array(["1", "two", "three"]))
    with pytest.raises(ValueError, match="cannot be compared") as raised:
        count_ratings(path, "a", "b")
    assert str(raised.value) == (
        "the ratings cannot be compared: column 'a' contains integers and column 'b' contains"
        " strings ('two'). Convert the strings to numbers, or the numbers to strings."
    )


def test_dates_and_lists_are_no_ratings(tmp_path: Path) -> None:
    table = pa.table({"day": pa.array([0], pa.date32()), "list": pa.array([[1]])})
    parquet.write_table(table, tmp_path / "r.parquet")
    for column in table.column_names:
        with pytest.raises(RatingsError, match=f"column '{column}' (has|holds|contains) values of"):
            count_ratings(tmp_path / "r.parquet", column, column)


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    path = text_file(tmp_path, b"a,b\n\xe9,1\nx,2\n")
    with pytest.raises(RatingsError, match="column 'a' contains text that is not UTF-8"):
        count_ratings(path, "a", "a")
    with pytest.raises(RatingsError, match="column 'a' contains text that is not UTF-8"):
        confusion_from_source(path, "b", "b", group="a")
    path = text_file(tmp_path, b"\xe9,b\n1,2\n")
    with pytest.raises(RatingsError, match="cannot be read: it is not UTF-8 text"):
        count_ratings(path, "b", "b")


def test_there_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(RatingsError, match=r"there is no file .*none\.csv\.$"):
        count_ratings(tmp_path / "none.csv", "a", "b")


def test_directory(tmp_path: Path) -> None:
    (tmp_path / "folder.parquet").mkdir()
    with pytest.raises(RatingsError, match=r"folder.parquet is a directory"):
        count_ratings(tmp_path / "folder.parquet", "a", "b")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_empty_file(tmp_path: Path, suffix: str) -> None:
    path = text_file(tmp_path, b"", "ratings" + suffix)
    with pytest.raises(RatingsError, match="is empty"):
        count_ratings(path, "a", "b")


def test_no_rows(write: Callable[..., Path]) -> None:
    none = pa.array([], pa.int64())
    with pytest.raises(RatingsError, match=r"has no rows|is empty"):
        count_ratings(write(a=none, b=none), "a", "b")


def test_unequal_columns(tmp_path: Path) -> None:
    path = text_file(tmp_path, "a,b\n1,2\n3\n")
    with pytest.raises(RatingsError, match="line 3: Expected 2 columns, got 1"):
        count_ratings(path, "a", "b")


@pytest.mark.parametrize(
    "suffix", [suffix for suffix in SUFFIXES if suffix not in (".csv", ".tsv", ".txt")]
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
    path = tmp_path / "ratings.xlsx"
    with pytest.raises(RatingsError, match="there is no file or folder "):
        count_ratings(path, "a", "b")
    path.write_bytes(b"PK")
    with pytest.raises(RatingsError) as raised:
        count_ratings(path, "a", "b")
    assert "'.xlsx'" in str(raised.value)
    assert all(suffix in str(raised.value) for suffix in SUFFIXES)


@pytest.mark.filterwarnings("ignore:labels does not contain all ratings")
@pytest.mark.slow
def test_an_identifier_is_no_rating(write: Callable[..., Path]) -> None:
    numbers = np.arange(LARGEST_NUMBER_OF_LABELS + 1)
    names = numbers.astype(str)
    path = write(number=pa.array(numbers), name=pa.array(names))
    for column in ("number", "name"):
        with pytest.raises(RatingsError, match=f"column '{column}' has .* different") as raised:
            count_ratings(path, column, column)
        assert "Pass --labels to choose the labels to count." in in_words_of_options(
            str(raised.value)
        )
        counts = count_ratings(path, column, column, labels="7,3")
        assert counts.table.tolist() == [[1, 0], [0, 1]]
        assert counts.n_outside == LARGEST_NUMBER_OF_LABELS - 1
    path = write(number=pa.array(numbers[1:]), name=pa.array(names[1:]))
    for column in ("number", "name"):
        assert len(count_ratings(path, column, column).labels) == LARGEST_NUMBER_OF_LABELS


@pytest.mark.parametrize(
    ("text", "kind", "labels"),
    [
        ("3,1,-2", "int64", [3, 1, -2]),
        ("b, a", "O", ["b", "a"]),
        ('"a,b",c', "O", ["a,b", "c"]),
        ("1,2", "O", ["1", "2"]),
        ("True,false", "bool", [True, False]),
    ],
)
def test_labels_are_of_the_kind_of_the_ratings(text: str, kind: str, labels: list[Any]) -> None:
    assert Reading.of(text).parsed(np.dtype(kind)) == labels


@pytest.mark.parametrize(
    ("text", "kind", "problem"),
    [
        ("1,x", "int64", "--labels contains 'x', but the ratings are numbers"),
        ("1", "bool", "--labels contains '1', but the ratings are true and false"),
        ("", "O", "--labels names no label"),
    ],
)
def test_labels_of_another_kind(text: str, kind: str, problem: str) -> None:
    with pytest.raises(RatingsError, match=problem):
        Reading.of(text).parsed(np.dtype(kind))


def test_without_pyarrow_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=re.escape(install_command("fastkappa[cli]"))):
        count_ratings(tmp_path / "r.csv", "a", "b")


def test_numbers_and_dates_without_a_label_wanted(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("a,b\n0,\n0,2020-01-01\n")
    for columns in (("a", "b"), ("b", "a")):
        with pytest.raises(ValueError, match="the ratings cannot be compared"):
            confusion_from_source(path, *columns, labels=["yes", "no"])


def packed_files(folder: Path) -> dict[str, bytes]:
    """Return the bytes of files that are not text, keyed by the description in the error."""
    text = b"a,b\n1,1\n2,2\n"
    archive, workbook = io.BytesIO(), io.BytesIO()
    for file, entry in ((archive, "ratings.csv"), (workbook, "[Content_Types].xml")):
        with zipfile.ZipFile(file, "w") as written:
            written.writestr(entry, text)
    parquet.write_table(pa.table({"a": [1]}), folder / "r.parquet")
    wide = text.decode().encode
    return {
        "a ZIP archive: unpack it first": archive.getvalue(),
        r"a spreadsheet: .* pandas.read_excel .* rename it to r\.xlsx\.": workbook.getvalue(),
        r"spreadsheet: .*read_excel .* r\.xls\.": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
        "bzip2 file: unpack it first": bz2.compress(text),
        "xz file: unpack it first": lzma.compress(text),
        "gzip file: rename it to r.csv.gz": gzip.compress(text),
        "Parquet file: rename it to r.parquet": (folder / "r.parquet").read_bytes(),
        r"UTF-16 text: .*--encoding utf-16\.": wide("utf-16"),
        r"UTF-16 text, .*--encoding utf-16-le\.": wide("utf-16-le"),
        r"UTF-16 text, .*--encoding utf-16-be\.": wide("utf-16-be"),
        "s first line contains NUL characters": b"a\0,b\n1,1\n",
    }


def test_files_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    for words, content in packed_files(tmp_path).items():
        path.write_bytes(content)
        with pytest.raises(RatingsError, match=f"r.csv cannot be read: it.*{words}"):
            confusion_from_source(path, "a", "b")
        if "a spreadsheet" in words:
            for command, options in {
                "score": "--y1 a --y2 b",
                "agree": "--raters a b",
                "leaderboard": f"{path} --id a --target b",
            }.items():
                refusal = CommandLine(command).refusal(path, *options.split())
                assert ": rename it to r.xls" in refusal
    # Column names that look like the beginning of another format.
    path.write_text("PAR1,PAR2,BZh\n1,1,2\n2,2,1\n")
    assert confusion_from_source(path, "PAR1", "PAR2").n_rows == 2


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("r.xlsx", "pandas.read_excel"),
        ("r.zip", "Unpack it first"),
        ("r.csv.bz2", "Unpack it first"),
        ("r.sav", "read_spss"),
    ],
)
def test_files_of_other_programs(tmp_path: Path, name: str, advice: str) -> None:
    (tmp_path / name).write_bytes(b"x")
    with pytest.raises(RatingsError, match=f"is unknown;.*{advice}"):
        confusion_from_source(tmp_path / name, "a", "b")
    with pytest.raises(RatingsError, match=f"is unknown;.*{advice}"):
        Ratings.from_long(tmp_path / name, item="i", rater="r", rating="v")
    for options in ("score --y1 a --y2 b", "agree --raters a b"):
        command, *named = options.split()
        refusal = CommandLine(command).refusal(tmp_path / name, *named)
        assert re.search(rf"is unknown;.*{advice}|r.xlsx cannot be read", refusal)
