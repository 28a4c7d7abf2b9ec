"""Paths, patterns, lists of them, other file systems, and the progress of reading."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fastkappa import Ratings, confusion_from_source
from fastkappa.sources.source_ratings import RatingsError
from tests.helpers.command_line import CommandLine
from tests.helpers.rating_files import WRITERS, pa, parquet

fs = pytest.importorskip("pyarrow.fs")
COLUMNS = {"a": ["x", "y", "x", "y"], "b": ["x", "y", "y", "x"]}
TABLE = pa.table(COLUMNS)


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write four parts in two folders, and change to that folder."""
    for i, folder in enumerate(("north", "north", "south", "south")):
        (tmp_path / folder).mkdir(exist_ok=True)
        WRITERS["csv"][1](TABLE.slice(0, i + 1), tmp_path / folder / f"part{i}.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("source", "n_rows"),
    [
        ("north", 3),
        (Path("north"), 3),
        ("*/part*.csv", 10),
        (["*/part[01].csv", "south/part3.csv"], 7),
        ((Path("north"), "south"), 10),
        (["north", "south/part2.csv"], 6),
        (["north/part0.csv"], 1),
        ("**/*.csv", 10),
    ],
    ids=str,
)
@pytest.mark.usefixtures("parts")
def test_patterns_lists_and_folders(source: Any, n_rows: int) -> None:
    assert confusion_from_source(source, "a", "b").n_rows == n_rows
    if isinstance(source, str):
        found = CommandLine("score").json_of(source, "--y1", "a", "--y2", "b")
        assert found["n"] == n_rows


@pytest.mark.usefixtures("parts")
def test_a_pattern_of_folders_takes_them_all() -> None:
    found = CommandLine("score").json_of("*th", "--y1", "a", "--y2", "b")
    assert found["n"] == confusion_from_source("*th", "a", "b").n_rows == 10


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (["north", "*/part0.csv"], r"part0\.csv is listed twice"),
        (["north/part0.csv", "./north/part0.csv"], "is listed twice"),
        ("*.tsv", r"no file matches \*\.tsv: the folder \. contains north, south\."),
        ("nort/*.csv", r"no file matches nort/\*\.csv: there is no folder nort\."),
        (["north", "nowhere.csv"], r"there is no file.*nowhere\.csv"),
        ("s3://bucket/r.csv", r"FileSystem\.from_uri\('s3://bucket/r\.csv'\)`, and pass"),
        ("https://host/r.csv", "not a local path"),
    ],
    ids=str,
)
@pytest.mark.usefixtures("parts")
def test_paths_that_are_refused(source: Any, why: str) -> None:
    with pytest.raises(RatingsError, match=why):
        confusion_from_source(source, "a", "b")
    if source == "s3://bucket/r.csv":
        message = CommandLine("score").refusal(source, "--y1", "a", "--y2", "b")
        assert "For the command line, copy the data to a local folder" in message


def test_ratings_in_long_form_take_them_too(tmp_path: Path) -> None:
    for rater in ("ann", "ben"):
        rows = [{"item": i, "who": rater, "label": x} for i, x in enumerate("xyx")]
        text = "".join(f"{json.dumps(row)}\n" for row in rows)
        (tmp_path / f"{rater}.jsonl").write_text(text)
    columns = {"item": "item", "rater": "who", "rating": "label"}
    for source in ([*tmp_path.iterdir()], tmp_path / "*.jsonl", tmp_path):
        ratings = Ratings.from_long(source, **columns)
        assert (ratings.n_subjects, ratings.n_missing) == (3, 0)


@pytest.mark.parametrize("source", [[], [1], ["r.csv", None]])
def test_lists_of_anything_else(source: Any) -> None:
    with pytest.raises(TypeError, match="source must be a path"):
        confusion_from_source(source, "a", "b")


def remote(name: str, content: bytes, folder: str = "bucket/data") -> Any:
    """Return a file system in memory with a file and a hidden file."""
    filesystem = fs._MockFileSystem()
    filesystem.create_dir(f"{folder}/_logs")
    for file in (f"{folder}/{name}", f"{folder}/_logs/x{Path(name).suffix}"):
        with filesystem.open_output_stream(file, compression=None) as stream:
            stream.write(content)
    return filesystem


def content_of(write: Callable[[Any, Path], None], path: Path) -> bytes:
    write(TABLE, path)
    return path.read_bytes()


@pytest.mark.parametrize("kind", [kind for kind in WRITERS if kind != "stream named arrow"])
def test_files_of_another_file_system(tmp_path: Path, kind: str) -> None:
    name, write = WRITERS[kind]
    filesystem = remote(name, content_of(write, tmp_path / name))
    expected = confusion_from_source(TABLE, "a", "b")
    sources: list[Any] = [f"bucket/data/{name}", [f"bucket/data/{name}"]]
    if kind != "txt":
        sources.append("bucket/data")
    for source in sources:
        found = confusion_from_source(source, "a", "b", filesystem=filesystem)
        assert found.table.tolist() == expected.table.tolist()
        assert found.labels.tolist() == expected.labels.tolist()
    with pytest.raises(RatingsError, match=f"^bucket/data/{name} has no column 'c'"):
        confusion_from_source(f"bucket/data/{name}", "a", "c", filesystem=filesystem)


def test_file_systems_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"filesystem must be a pyarrow\.fs\.FileSystem.*fsspec"):
        confusion_from_source("r.csv", "a", "b", filesystem=os)
    with pytest.raises(
        TypeError, match="filesystem applies only to paths, but source is of type <class 'dict'>"
    ):
        confusion_from_source(COLUMNS, "a", "b", filesystem=fs.LocalFileSystem())
    with pytest.raises(RatingsError, match=r"there is no file bucket/r\.csv in the mock file"):
        confusion_from_source("bucket/r.csv", "a", "b", filesystem=remote("x.csv", b"a"))
    parquet.write_table(TABLE, tmp_path / "r.parquet")
    found = confusion_from_source(
        str(tmp_path / "r.parquet"), "a", "b", filesystem=fs.LocalFileSystem()
    )
    assert found.n_rows == 4


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "jsonl", "parquet", "arrow file"])
def test_progress_is_told_in_bytes_of_all_files(tmp_path: Path, kind: str) -> None:
    name, write = WRITERS[kind]
    for i in range(3):
        table = pa.table({name: values * (500 + i) for name, values in COLUMNS.items()})
        (tmp_path / str(i)).mkdir()
        write(table, tmp_path / str(i) / name)
    files = [tmp_path / str(i) / name for i in range(3)]
    calls: list[tuple[int, int]] = []
    confusion_from_source(files, "a", "b", on_progress=lambda *found: calls.append(found))
    total = sum(file.stat().st_size for file in files)
    done = [n_bytes for n_bytes, of_all in calls]
    assert {of_all for _, of_all in calls} == {total}
    assert done == sorted(set(done))
    assert done[-1] == total
    assert len(done) >= 3


def test_a_link_is_the_file_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("a,b\nx,y\n")
    try:
        (tmp_path / "link.csv").symlink_to(tmp_path / "r.csv")
    except OSError:
        pytest.skip("links are not permitted here")
    with pytest.raises(RatingsError, match="is listed twice and would be counted twice"):
        confusion_from_source(str(tmp_path / "*.csv"), "a", "b")


def test_progress_is_for_local_files() -> None:
    def on_progress(n_bytes: int, total: int) -> None:
        raise AssertionError

    with pytest.raises(TypeError, match="on_progress applies only to paths"):
        confusion_from_source(COLUMNS, "a", "b", on_progress=on_progress)
    with pytest.raises(TypeError, match="on_progress applies only to local files"):
        confusion_from_source(
            "r.csv", "a", "b", filesystem=fs.LocalFileSystem(), on_progress=on_progress
        )


def test_an_error_of_the_callback_reaches_the_caller(tmp_path: Path) -> None:
    def stop(n_bytes: int, total: int) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "r.csv"
    path.write_text("a,b\n" + "x,y\ny,x\n" * 300_000)
    with pytest.raises(KeyboardInterrupt):
        confusion_from_source(path, "a", "b", on_progress=stop)
