"""Folders, lists and datasets in which one file differs from the others."""

from __future__ import annotations

import gzip
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fastkappa import Ratings, confusion_from_source
from tests.helpers.command_line import CommandLine, write_csv
from tests.helpers.counted_files import count_ratings
from tests.helpers.rating_files import WRITERS as FILES
from tests.helpers.rating_files import pa, parquet, write_arrow_file

dataset = pytest.importorskip("pyarrow.dataset")

ROWS = {"a": [1, 2, 2], "b": [1, 2, 1]}
Writer = Callable[[Any, Path], None]
WRITERS = {"parquet": parquet.write_table, "arrow": write_arrow_file}


def folder_of(folder: Path, suffix: str, *parts: dict[str, Any]) -> Path:
    folder.mkdir()
    for i, part in enumerate(parts):
        WRITERS[suffix](pa.table(part), folder / f"{i}.{suffix}")
    return folder


def as_list(folder: Path) -> Any:
    return sorted(folder.iterdir())


@pytest.mark.parametrize("as_source", [Path, as_list, dataset.dataset])
@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("place", [0, 1])
def test_a_file_without_the_column_is_named(
    tmp_path: Path, suffix: str, place: int, as_source: Callable[[Path], Any]
) -> None:
    rows = {**ROWS, "c": [1, 2, 3]}
    parts = [rows, {"a": [1, 2], "bb": [1, 2], "c": [1, 2]}]
    folder = folder_of(tmp_path / "parts", suffix, *parts[:: -1 if place == 0 else 1])
    if as_source is dataset.dataset:
        source = dataset.dataset(folder, format=suffix, schema=pa.table(rows).schema)
    else:
        source = as_source(folder)
    why = rf"parts/{place}.{suffix} has no column 'b'; it has 'a', 'bb', 'c'"
    with pytest.raises(ValueError, match=why):
        confusion_from_source(source, "a", "b")
    with pytest.raises(ValueError, match=why):
        Ratings.from_long(source, item="a", rater="c", rating="b")


def test_names_of_folders_are_columns_of_a_dataset(tmp_path: Path) -> None:
    rows = pa.table({**ROWS, "group": ["x", None, "y"]})
    partitioning = dataset.partitioning(pa.schema([("group", pa.string())]), flavor="hive")
    dataset.write_dataset(rows, tmp_path / "all", format="parquet", partitioning=partitioning)
    whole = dataset.dataset(tmp_path / "all", partitioning="hive")
    counts = confusion_from_source(whole, "a", "b", group="group")
    assert {group: own.n_rows for group, own in counts.items()} == {"x": 1, "y": 1, None: 1}


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "arrow file"])
def test_names_of_folders_are_columns_of_files(tmp_path: Path, kind: str) -> None:
    name, write = FILES[kind]
    for day in ("2", "10", "a%20b"):
        (tmp_path / f"day={day}").mkdir()
        write(pa.table({**ROWS, "c": ROWS["b"]}), tmp_path / f"day={day}" / name)
    found = {"2": 3, "10": 3, "a b": 3}
    whole = confusion_from_source(tmp_path, "a", "b", group="day")
    assert {day: counts.n_rows for day, counts in whole.items()} == found
    assert whole["2"].table.tolist() == [[1, 0], [1, 1]]
    local = pytest.importorskip("pyarrow.fs").LocalFileSystem()
    remote = confusion_from_source(str(tmp_path), "a", "b", group="day", filesystem=local)
    assert {day: counts.n_rows for day, counts in remote.items()} == found
    for raters in (["a", "b"], ["a", "b", "c"]):
        fields = CommandLine("agree").json_of(tmp_path, "--raters", *raters, "--group", "day")
        assert [own["group"] for own in fields["groups"]] == list(found)
    long = Ratings.from_long(tmp_path, item="a", rater="day", rating="b", duplicates="last")
    assert sorted(long.rater_names) == sorted(found)


def test_folders_for_missing_values_and_of_columns_in_the_file(tmp_path: Path) -> None:
    for day, own in (
        ("1", {}),
        ("2", {"day": ["1", "1", "3"]}),
        ("__HIVE_DEFAULT_PARTITION__", {}),
    ):
        (tmp_path / f"day={day}").mkdir()
        parquet.write_table(pa.table(ROWS | own), tmp_path / f"day={day}" / "r.parquet")
    whole = confusion_from_source(tmp_path, "a", "b", group="day")
    assert {day: counts.n_rows for day, counts in whole.items()} == {"1": 5, "3": 1, None: 3}


def test_columns_in_another_order_and_other_columns_are_fine(tmp_path: Path) -> None:
    folder = folder_of(
        tmp_path / "parts", "parquet", ROWS, {"c": [0, 0, 0], **dict(reversed(ROWS.items()))}
    )
    for source in (folder, dataset.dataset(folder)):
        assert confusion_from_source(source, "a", "b").table.tolist() == [[2, 0], [2, 2]]


def test_a_filtered_dataset_is_counted(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "parts", "parquet", ROWS)
    some = dataset.dataset(folder).filter(dataset.field("a") == 2)
    assert confusion_from_source(some, "a", "b").n_rows == 2


@pytest.mark.parametrize("as_source", [Path, as_list])
@pytest.mark.parametrize("suffix", WRITERS)
def test_a_file_of_another_type_is_named(
    tmp_path: Path, suffix: str, as_source: Callable[[Path], Any]
) -> None:
    folder = folder_of(tmp_path / "parts", suffix, ROWS, {"a": ["x"], "b": [1]})
    with pytest.raises(ValueError, match=rf"^{folder}/1.{suffix}: the ratings cannot be") as error:
        confusion_from_source(as_source(folder), "a", "b")
    assert "column 'a' contains integers and a later part contains strings" in str(error.value)


@pytest.mark.parametrize("as_source", [Path, as_list, dataset.dataset])
@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("place", [0, 1])
def test_booleans_in_one_file_are_not_grades_of_another(
    tmp_path: Path, suffix: str, place: int, as_source: Callable[[Path], Any]
) -> None:
    booleans = {"a": [True, False], "b": [True, True]}
    step = -1 if place else 1
    folder = folder_of(tmp_path / "parts", suffix, *[booleans, ROWS][::step])
    if as_source is dataset.dataset:
        parts = [part.to_batches() for part in map(pa.table, [booleans, ROWS][::step])]
        source, where = iter(batch for part in parts for batch in part), ""
    else:
        source, where = as_source(folder), f"{folder}/1.{suffix}: "
    with pytest.raises(ValueError, match=rf"^{where}column 'a' contains booleans in one .* as 2"):
        confusion_from_source(source, "a", "b")
    zeros = folder_of(tmp_path / "zeros", suffix, booleans, {"a": [0, 1], "b": [1, 1]})
    assert confusion_from_source(as_list(zeros), "a", "b").table.tolist() == [[0, 2], [0, 2]]


@pytest.mark.parametrize("as_source", [Path, as_list])
def test_a_damaged_file_is_named(tmp_path: Path, as_source: Callable[[Path], Any]) -> None:
    column = {"a": list(range(1000)), "b": list(range(1000))}
    folder = folder_of(tmp_path / "parts", "parquet", ROWS, column)
    damaged = folder / "1.parquet"
    raw = bytearray(damaged.read_bytes())
    raw[10:500] = bytes(490)
    damaged.write_bytes(raw)
    with pytest.raises(ValueError, match=rf"^{damaged} cannot be read: "):
        confusion_from_source(as_source(folder), "a", "b")


ROWS_OF_TEXT = b"a,b\n" + b"1,2\n2,1\n" * 9
DAMAGED = {
    "a short row": (ROWS_OF_TEXT + b"1\n", r"{0} .*: line 20: Expected 2 columns, got 1: 1"),
    "a long row": (ROWS_OF_TEXT + b"1,2,2\n", r"{0} .*: line 20: Expected 2 columns, got 3"),
    "latin-1": (ROWS_OF_TEXT + b"\xe9,1\n", "{0}: column 'a' contains text that is not UTF-8"),
    "booleans": (b"a,b\nTrue,1\nFalse,2\n", "{0}: column 'a' contains numbers and also 'True'"),
    "a fraction": (ROWS_OF_TEXT + b"0.5,1\n", "{0}: column 'a' contains 0.5"),
    "a second header": (ROWS_OF_TEXT + b"a,b\n", "{0}: 1 row contains the names of the columns"),
    "another column": (b"a,c\n1,2\n", "{0} has no column 'b'"),
}


@pytest.mark.parametrize(("text", "why"), DAMAGED.values(), ids=DAMAGED)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_text_file_is_named(tmp_path: Path, text: bytes, why: str, place: int) -> None:
    parts = [ROWS_OF_TEXT, ROWS_OF_TEXT + b"2,2\n"]
    parts.insert(place, text)
    for i, part in enumerate(parts):
        (tmp_path / f"{i}.csv").write_bytes(part)
    with pytest.raises(ValueError, match="^" + why.format(tmp_path / f"{place}.csv")):
        confusion_from_source(tmp_path, "a", "b")


def test_a_cut_file_of_a_folder_is_named(tmp_path: Path) -> None:
    for i in range(3):
        packed = gzip.compress(ROWS_OF_TEXT, mtime=i)
        (tmp_path / f"{i}.csv.gz").write_bytes(packed[:-9] if i == 1 else packed)
    with pytest.raises(ValueError, match=rf"^{tmp_path}/1.csv.gz cannot be read: "):
        confusion_from_source(tmp_path, "a", "b")


def test_a_single_file_is_not_named_in_errors_about_its_ratings(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"a": [0.5], "b": [1]}), tmp_path / "r.parquet")
    with pytest.raises(ValueError, match=r"^column 'a' contains 0\.5"):
        count_ratings(tmp_path / "r.parquet", "a", "b")


GRADES = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4] * 20
ONE_UP = [label + 1 for label in GRADES]
ODD = "in {1}, only {0} has 5, but it lacks 0, which is frequent in"
RARE_LABEL = [*GRADES[:199], 7]
LETTERS = ["abc"[label // 2] for label in GRADES]
IN_PARTS: dict[str, tuple[list[tuple[Any, Any]], str]] = {
    "the same codes": ([(GRADES, GRADES)] * 3, ""),
    "both columns": ([(GRADES, GRADES), (ONE_UP, ONE_UP), (GRADES, GRADES)], "a and b"),
    "one column": ([(GRADES, GRADES), (GRADES, ONE_UP), (GRADES, GRADES)], "b"),
    "two parts": ([(GRADES, GRADES), (ONE_UP, ONE_UP)], "a and b"),
    "a rare label": ([(GRADES, GRADES), (RARE_LABEL, GRADES)], ""),
    "few items": ([(GRADES[:20], GRADES[:20]), (ONE_UP[:20], ONE_UP[:20])], ""),
    "sorted by the first column": (
        [([0] * 99 + [1] * 50, GRADES[:149]), ([1] * 50 + [2] * 99, GRADES[:149])],
        "",
    ),
    "another language": ([(LETTERS, LETTERS), (list("xbc") * 40,) * 2], "'a'"),
}


@pytest.mark.filterwarnings("ignore:some files have the same content")
@pytest.mark.parametrize(("parts", "columns"), IN_PARTS.values(), ids=IN_PARTS)
@pytest.mark.parametrize("suffix", ["csv", "parquet", "list of arrow"])
def test_a_part_with_other_codes_is_named(
    tmp_path: Path, suffix: str, parts: list[tuple[Any, Any]], columns: str
) -> None:
    """One rule for folders, lists, saved counts and sums."""
    tables = [{"a": a, "b": b} for a, b in parts]
    source: Any = tmp_path
    if suffix == "csv":
        for i, part in enumerate(tables):
            write_csv(tmp_path / f"{i}.csv", **part)
    else:
        source = folder_of(tmp_path / "parts", suffix.split()[-1], *tables)
    name = source / f"1.{suffix.split()[-1]}"
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        confusion_from_source(as_list(source) if "list" in suffix else source, "a", "b")
    found = [str(one.message) for one in said if "different codes" in str(one.message)]
    assert len(found) == bool(columns)
    if "'" in columns:
        assert f"in a and b, only {name} has 'x', but it lacks 'a'" in found[0]
    elif columns:
        assert ODD.format(name, columns) in found[0]
