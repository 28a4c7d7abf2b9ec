"""JSON Lines, with one object per line, in Python and in every command."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastkappa import (
    Ratings,
    agreement,
    cohen_kappa_score,
    confusion_from_source,
    krippendorff_alpha,
)
from fastkappa.sources import arrow_json
from fastkappa.sources.source_ratings import RatingsError
from tests.helpers.command_line import CommandLine
from tests.helpers.rating_files import pa, parquet

assert pa

A = ["x", "y", "x", None, "y", "x"] * 4
B = ["x", "y", "y", "x", "y", "x"] * 4
KAPPA = agreement(A, B, missing="drop").kappa


def written(path: Path, rows: list[Any], line: str = "\n") -> Path:
    text = "".join(json.dumps(row) + line for row in rows).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def rows_of(**columns: Any) -> list[dict[str, Any]]:
    """Return one object per item, without the fields that are missing."""
    rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
    return [{name: value for name, value in row.items() if value is not None} for row in rows]


@pytest.fixture(params=[1 << 22, 64], ids=["one block", "blocks"])
def blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow_json, "BLOCK_SIZE", request.param)


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize("name", ["r.jsonl", "r.ndjson", "R.JSONL", "r.jsonl.gz"])
@pytest.mark.parametrize("line", ["\n", "\r\n", "\n\n"])
def test_objects_are_items(tmp_path: Path, name: str, line: str) -> None:
    meta = [{"tokens": [i, {"deep": [None]}], "text": 'a "quoted"\nline'} for i in range(len(A))]
    path = written(tmp_path / name.lower(), rows_of(a=A, meta=meta, b=B), line).rename(
        tmp_path / name
    )
    counts = confusion_from_source(path, "a", "b")
    assert (counts.missing, counts.n_rows) == ((4, 0), 24)
    assert cohen_kappa_score(*_pairs(counts)) == pytest.approx(KAPPA, abs=1e-15)


def _pairs(counts: Any) -> tuple[Any, Any]:
    first, second = np.indices(counts.table.shape)
    times = counts.table.ravel()
    return np.repeat(first.ravel(), times), np.repeat(second.ravel(), times)


@pytest.mark.usefixtures("blocks")
def test_types_are_those_of_json(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    values: list[Any] = [None] * 20 + [1, 2, 3.0, 2, 1] * 5
    counts = confusion_from_source(written(path, rows_of(a=values, b=values)), "a", "b")
    assert (counts.labels.tolist(), counts.n_rows) == ([1, 2, 3], 45)
    # A number is not a string, and a word is not a missing rating.
    texts = ["1", "2", "10", "2"] * 10
    counts = confusion_from_source(written(path, rows_of(a=texts, b=texts)), "a", "b")
    assert counts.labels.tolist() == ["1", "2", "10"]
    mixed: list[Any] = [*range(1, 5), "1"] * 8
    for columns in ({"a": mixed, "b": mixed}, {"a": [1] * 40, "b": texts}):
        with pytest.raises(
            ValueError, match=r"column 'a'.*cannot be (read|compared)|compared: column 'a'"
        ):
            confusion_from_source(written(path, rows_of(**columns)), "a", "b")
    days = ["2024-01-01", "2024-01-02", "someday"] * 8
    counts = confusion_from_source(written(path, rows_of(a=days, b=days)), "a", "b")
    assert counts.labels.tolist() == sorted(set(days))
    named = [{"a": "NA", "b": "x"}, {"a": "x", "b": "x"}] * 20
    with pytest.warns(UserWarning, match="'NA'"):
        confusion_from_source(written(path, named), "a", "b")


@pytest.mark.usefixtures("blocks")
def test_an_empty_string_is_missing_as_in_text(tmp_path: Path) -> None:
    counts = confusion_from_source(
        written(tmp_path / "r.jsonl", rows_of(a=[one or "" for one in A], b=B)), "a", "b"
    )
    assert (counts.labels.tolist(), counts.missing) == (["x", "y"], (4, 0))
    # Other formats have a value for missing ratings, so there an empty string is a code.
    path = tmp_path / "r.parquet"
    parquet.write_table(pa.table({"a": [one or "" for one in A], "b": B}), path)
    options = ["score", path, "--y1", "a", "--y2", "b", "--missing", "drop"]
    found = CommandLine().json_of(*options, "--missing-codes", '""')
    assert (found["labels"], found["missing"]) == (["x", "y"], {"y1": 4, "y2": 0})
    for command, own in {
        "score": ("--y1", "a", "--y2", "b"),
        "agree": ("--raters", "a", "b"),
        "leaderboard": (path, "--id", "a", "--target", "b"),
    }.items():
        said = CommandLine(command).refusal(path, *own, "--missing-codes", "")
        assert "--missing-codes names no code." in said, command


@pytest.mark.usefixtures("blocks")
def test_what_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with pytest.raises(RatingsError, match="has no column 'c'; it has 'a', 'b'"):
        confusion_from_source(written(path, rows_of(a=A, b=B)), "a", "c")
    path.write_text(json.dumps(rows_of(a=A, b=B)))
    with pytest.raises(
        RatingsError, match=r"a JSON list instead .*Read it with\s+pandas.read_json"
    ):
        confusion_from_source(path, "a", "b")
    path.write_text(json.dumps({"a": ["x", "y"], "b": ["x", "y"]}, indent=2))
    with pytest.raises(RatingsError, match=r"r\.jsonl cannot be read: a line is not JSON"):
        confusion_from_source(path, "a", "b")
    for text in ('{"a": 5, "b": 5}\n', '[{"a": 5, "b": 5}]'):
        path.with_name("r.txt").write_text(text)
        with pytest.raises(RatingsError, match=r"r\.txt cannot .* like JSON: .* r\.jsonl"):
            confusion_from_source(path.with_name("r.txt"), "a", "b")
    path.write_text("5\n" * 9)
    with pytest.raises(
        RatingsError, match=r"r\.jsonl cannot be read: a line is not a JSON object, got 5"
    ):
        confusion_from_source(path, "a", "b")
    with pytest.raises(RatingsError, match="column 'a' has values of type list"):
        confusion_from_source(written(path, [{"a": ["x"], "b": "x"}] * 9), "a", "b")
    path.write_bytes(b'{"a": "x\xff", "b": "x"}\n' * 9)
    with pytest.raises(RatingsError, match=r"r.jsonl cannot be read: .*UTF"):
        confusion_from_source(path, "a", "b")
    path.write_bytes(b'{"a": "x", "b": "x"}\n' * 9 + b'{"a": "x", "b"')
    with pytest.raises(RatingsError, match=r"r\.jsonl cannot be read: a line is not JSON"):
        confusion_from_source(path, "a", "b")


def test_a_mark_of_byte_order_and_a_last_line_without_break(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", rows_of(a=A, b=B))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().removesuffix(b"\n"))
    assert confusion_from_source(path, "a", "b").n_rows == len(A)


def test_folders_and_ratings_in_long_form(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    for i in range(3):
        written(tmp_path / "parts" / f"{i}.jsonl", rows_of(a=A[i:], b=B[i:]))
    assert confusion_from_source(tmp_path / "parts", "a", "b").n_rows == 3 * len(A) - 3
    long = [
        {"item": i, "rater": rater, "rating": rating}
        for rater, column in (("ann", A), ("ben", B))
        for i, rating in enumerate(column)
        if rating
    ]
    path = written(tmp_path / "long.ndjson", long)
    ratings = Ratings.from_long(path, item="item", rater="rater", rating="rating")
    assert (ratings.n_subjects, ratings.rater_names, ratings.n_missing) == (24, ("ann", "ben"), 4)


def test_commands_read_them(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", rows_of(id=range(len(A)), a=A, b=B))
    options = ("--missing", "drop")
    found = [
        CommandLine("score").json_of(path, "--y1", "a", "--y2", "b", *options)["kappa"],
        CommandLine("agree").json_of(path, "--raters", "a", "b", *options)["kappa"],
    ]
    assert found == pytest.approx([KAPPA] * 2, abs=1e-15)
    for content in (path.read_bytes(), gzip.compress(path.read_bytes())):
        piped = CommandLine("score").run(
            "-", "--y1", "a", "--y2", "b", *options, "--format", "json", stdin=content
        )
        assert json.loads(piped.stdout)["kappa"] == pytest.approx(KAPPA, abs=1e-15)
    truth = written(tmp_path / "truth.jsonl", rows_of(id=range(len(B)), y=B))
    sent = written(tmp_path / "sent.jsonl", rows_of(id=reversed(range(len(B))), y=B[::-1]))
    board = CommandLine("leaderboard").json_of(truth, sent, "--id", "id", "--target", "y")
    assert board["rows"][0]["kappa"] == 1
    scores = written(tmp_path / "s.jsonl", rows_of(y=[1, 2, 3] * 9, s=[0.1, 0.5, 0.9] * 9))
    cuts = CommandLine("thresholds").json_of(scores, "--y", "y", "--score", "s")
    assert cuts["kappa"]["thresholds"] == 1
    assert "--sep applies only to text files" in CommandLine("score").refusal(
        path, "--y1", "a", "--y2", "b", "--sep", ";"
    )


def test_lists_of_dictionaries_are_rows() -> None:
    rows = rows_of(a=A, b=B, other=[{"deep": i} for i in range(len(A))])
    counts = confusion_from_source(rows, "a", "b")
    assert (counts.missing, counts.n_rows) == ((4, 0), 24)
    assert cohen_kappa_score(*_pairs(counts)) == pytest.approx(KAPPA, abs=1e-15)
    with pytest.raises(RatingsError, match="the mapping has no column 'c'; it has 'a', 'b', 'oth"):
        confusion_from_source(rows, "a", "c")
    long = [
        {"item": i, "rater": rater, "rating": {label}}
        for rater in "xy"
        for i, label in enumerate("abca")
    ]
    ratings = Ratings.from_long(long, item="item", rater="rater", rating="rating")
    assert krippendorff_alpha(ratings, level="jaccard").value == 1
    with pytest.raises(TypeError, match="or a list of dictionaries, got <class 'list'>"):
        confusion_from_source([*rows, 5], "a", "b")


@pytest.mark.parametrize("depth", [900, 100_000])
@pytest.mark.parametrize("inner", ["[{}]", '{{"d": {}}}', '["]]]", {}]', "[1, {}]"])
def test_lines_that_are_nested_deeply(tmp_path: Path, depth: int, inner: str) -> None:
    before, after = inner.format("?").split("?")
    nested = f"{before * depth}1{after * depth}"
    path = tmp_path / "r.jsonl"
    path.write_text(f'{{"a": "x", "b": "y", "c": {nested}}}\n' * 2)
    if depth == 900:
        assert confusion_from_source(path, "a", "b").n_rows == 2
    else:
        with pytest.raises(RatingsError, match="a line is nested too deeply"):
            confusion_from_source(path, "a", "b")
    # Many consecutive lists cause no problem.
    path.write_text(f'{{"a": "x", "b": "y", "spans": [{", ".join(["[1]"] * 3000)}]}}\n')
    assert confusion_from_source(path, "a", "b").n_rows == 1


SETS = [["pos"], ["neg"], ["pos", "neg"], ["neg"]] * 4
OF_LISTS = {
    "agree": ("--raters", "a", "b"),
    "agree, several": ("--raters", "a", "b", "c"),
    "score": ("--y1", "a", "--y2", "b"),
    "thresholds": ("--y", "a", "--score", "id"),
    "leaderboard": ("--id", "id", "--target", "a"),
}


@pytest.mark.parametrize(("command", "options"), OF_LISTS.items(), ids=OF_LISTS)
def test_lists_are_no_labels(tmp_path: Path, command: str, options: tuple[str, ...]) -> None:
    path = written(tmp_path / "sets.jsonl", rows_of(id=range(16), a=SETS, b=SETS, c=SETS))
    name = command.partition(",")[0]
    files = [path, path] if name == "leaderboard" else [path]
    refusal = CommandLine(name).refusal(*files, *options)
    assert "fastkappa agree needs --set-separator" in refusal


def test_lists_are_sets_at_levels_of_sets(tmp_path: Path) -> None:
    other = [*SETS[1:], SETS[0]]
    path = written(tmp_path / "sets.jsonl", rows_of(a=SETS, b=other, c=SETS))
    options = ("--raters", "a", "b", "c", "--set-separator", ";", "--level", "jaccard")
    fields = CommandLine("agree").json_of(path, *options)
    right = krippendorff_alpha([*zip(SETS, other, SETS)], level="jaccard").value
    (alpha,) = fields["coefficients"].values()
    assert alpha["value"] == pytest.approx(right, abs=1e-15)


def test_json_in_a_cell_is_no_set(tmp_path: Path) -> None:
    cells = ['{"choices":["joy","pride"]}', "joy", '[{"start":0,"labels":["LOC"]}]', "joy"]
    path = tmp_path / "r.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("a", "b"), *zip(cells, ["joy", "pride"] * 2)])
    said = CommandLine("agree").refusal(path, "--raters", "a", "b", "--set-separator", ",")
    assert 'the ratings contain \'{"choices":[' in said
    assert "extract the labels first" in said
