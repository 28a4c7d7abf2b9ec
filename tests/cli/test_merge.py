"""Counts saved by `score --save` and added by `merge` equal the counts of a single file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("rich")
pytest.importorskip("typer")

from fastkappa import ConfusionAccumulator, agreement_from_confusion, confusion_from_source
from fastkappa.results import SourceCounts
from tests.helpers.command_line import CommandLine, write_csv

program = CommandLine()
SCORE = ["--y1", "a", "--y2", "b", "--missing", "drop"]
GRADES = ["low", "mid", "high"]
FORMATS = ["text", "json", "csv", "html", "sentence"]
rng = np.random.default_rng(3)
N = 60
COLUMNS: dict[str, list[Any]] = {
    "a": [GRADES[i] for i in rng.integers(0, 3, N)],
    "b": [GRADES[i] for i in rng.integers(0, 3, N)],
    "w": (rng.integers(1, 9, N) / 4).tolist(),
}
COLUMNS["b"][7] = ""
# The second part lacks the label "mid", which the first rater uses.
PARTS = [slice(0, 40), slice(40, 41), slice(41, N)]


@pytest.fixture
def parts(tmp_path: Path) -> list[Path]:
    write_csv(tmp_path / "all.csv", **COLUMNS)
    return [
        write_csv(tmp_path / f"part{i}.csv", **{name: c[part] for name, c in COLUMNS.items()})
        for i, part in enumerate(PARTS)
    ]


def save(parts: list[Path], *options: str) -> list[Path]:
    """Save the counts of each part, and check that the report is still printed."""
    saved = []
    for path in parts:
        saved.append(path.with_suffix(".json"))
        plain = program.text_of("score", path, *SCORE, *options)
        assert program.text_of("score", path, *SCORE, *options, "--save", saved[-1]) == plain
    return saved


@pytest.mark.parametrize("options", [(), ("--labels", "low,mid,high"), ("--sample-weight", "w")])
def test_the_sum_is_that_of_one_file(parts: list[Path], options: tuple[str, ...]) -> None:
    saved = save(parts, *options)
    whole = parts[0].with_name("all.csv")
    weighted = "--sample-weight" in options
    of_csv = program.text_of("merge", *saved, "--format", "csv")
    assert of_csv.splitlines()[1].partition(",")[0] == ("sum of weights" if weighted else "n")
    for output in FORMATS:
        expected = program.run("score", whole, *SCORE, *options, "--format", output, columns=999)
        found = program.run("merge", *saved, "--format", output, columns=999)
        of_one = expected.stdout.replace(str(whole), "SOURCE")
        joined = ", ".join(map(str, saved))
        of_many = found.stdout.replace(joined, "SOURCE").replace(
            "Run fastkappa score --save with --labels in the intended order.",
            "Use --labels to set the intended order.",
        )
        assert (found.exit_code, of_many) == (0, of_one)


def test_folders_patterns_weights_and_gates(parts: list[Path]) -> None:
    saved = save(parts, "--labels", "low,mid,high")
    expected = program.text_of("merge", *saved, "--weights", "linear", "--format", "csv")
    whole = parts[0].with_name("all.csv")
    scored = ["score", whole, *SCORE, "--labels", "low,mid,high", "--weights", "linear"]
    assert expected == program.text_of(*scored, "--format", "csv")
    for named in (saved[0].parent, saved[0].with_name("part*.json")):
        assert program.text_of("merge", named, "--weights", "linear", "--format", "csv") == expected
    found = program.json_of("merge", *saved, "--weights", "linear")
    same = agreement_from_confusion(found["table"], labels=found["labels"], weights="linear")
    assert found["interval"] == list(same.interval)
    failed = program.run("merge", *saved, "--fail-under", 0.9, "--fail-on", "lower")
    assert failed.exit_code == 3
    assert "the lower end of the 95 % interval of kappa" in failed.stderr


def test_a_weak_order_is_remarked_on_unless_it_was_given(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "r.csv", a=["a", "b", "c"], b=["a", "b", "b"])
    (sorted_ones,) = save([path])
    said = program.run("merge", sorted_ones, "--weights", "linear").stderr
    assert "Run fastkappa score --save with --labels in the intended order." in said
    (given,) = save([path], "--labels", "a,b,c")
    assert program.run("merge", given, "--weights", "linear").stderr == ""


def test_counts_that_python_saved(tmp_path: Path) -> None:
    counts = confusion_from_source({"x": [1, 2, 2, 3], "y": [1, 2, 1, 3]}, "x", "y")
    (tmp_path / "python.json").write_text(counts.to_json())
    path = write_csv(tmp_path / "r.csv", a=[1, 4], b=[1, 4])
    (saved,) = save([path])
    found = program.json_of("merge", tmp_path / "python.json", saved)
    assert found["labels"] == [1, 2, 3, 4]
    assert found["columns"] == {"y1": "a", "y2": "b"}
    alone = program.json_of("merge", tmp_path / "python.json")
    assert alone["table"] == counts.table.tolist()
    # Python can read the saved counts of the command line.
    again = SourceCounts.from_json(saved.read_text())
    assert again.n_rows == 2


def test_a_stream_goes_on_with_the_counts_of_files(parts: list[Path], tmp_path: Path) -> None:
    saved = save(parts)
    expected = program.json_of("merge", *saved)
    stream = ConfusionAccumulator.from_json(saved[0].read_text())
    for part in PARTS[1:]:
        pair = COLUMNS["a"][part], COLUMNS["b"][part]
        stream.update(*pair, missing="drop", missing_codes=[""])
    (tmp_path / "stream.json").write_text(stream.to_json())
    names = ("labels", "table", "rows", "missing", "dropped", "outside")
    for files in ([tmp_path / "stream.json"], saved):
        found = program.json_of("merge", *files)
        assert [found[name] for name in names] == [expected[name] for name in names]
    both = program.json_of("merge", tmp_path / "stream.json", saved[1])
    assert both["n"] == expected["n"] + PARTS[1].stop - PARTS[1].start
    assert both["columns"] == expected["columns"]


def test_weights_and_counts_do_not_add_up(parts: list[Path], tmp_path: Path) -> None:
    (saved, *_) = save(parts)
    stream = ConfusionAccumulator()
    stream.update(["low", "mid"], ["low", "mid"], sample_weight=[2, 3])
    path = tmp_path / "stream.json"
    path.write_text(stream.to_json())
    for files in ((path, saved), (saved, path)):
        assert "counts of a and b" in program.refusal("merge", *files)
    assert program.json_of("merge", path)["n"] == 5


def test_files_that_do_not_go_together(parts: list[Path], tmp_path: Path) -> None:
    first, second, _ = save(parts)
    swapped = tmp_path / "swapped.json"
    program.text_of("score", parts[1], "--y1", "b", "--y2", "a", "--save", swapped)
    refused = program.refusal("merge", first, swapped)
    assert f"{swapped} has counts of b and a, but the other files have counts of a and b" in refused
    weighted = tmp_path / "weighted.json"
    program.text_of("score", parts[1], *SCORE, "--sample-weight", "w", "--save", weighted)
    assert "of a and b weighted by w" in program.refusal("merge", first, weighted)
    numbers = write_csv(tmp_path / "n.csv", a=[1], b=[1])
    program.text_of("score", numbers, *SCORE, "--save", tmp_path / "n.json")
    assert "n.json cannot be added to the other files" in program.refusal(
        "merge", first, tmp_path / "n.json"
    )
    program.text_of("score", parts[1], *SCORE, "--labels", "low,high", "--save", second)
    refused = program.refusal("merge", first, second)
    assert "pass the same --labels to both" in refused
    assert "is listed twice and would be counted twice" in program.refusal("merge", first, first)


def test_the_same_counts_twice_are_remarked_on(parts: list[Path]) -> None:
    first, second, _ = save(parts)
    copy = first.with_name("monday.json")
    copy.write_bytes(first.read_bytes())
    said = program.run("merge", first, second, copy).stderr
    assert f"{copy} and {first} have the same counts of {parts[0]}, and both are added" in said
    # Two small parts can have equal counts.
    twin = parts[0].with_name("twin.csv")
    twin.write_bytes(parts[0].read_bytes())
    (other,) = save([twin])
    assert program.run("merge", first, other).stderr == ""
    # Counts saved in Python have no source.
    for n_items, is_said in ((9, False), (60, True)):
        counts = confusion_from_source({"a": [1, 2] * n_items, "b": [1, 1] * n_items}, "a", "b")
        for path in (first, other):
            path.write_text(counts.to_json())
        said = program.run("merge", first, other).stderr
        assert ("have the same counts, and both are added" in said) == is_said
    # Small tables of two sources can be equal by chance.
    for labels, is_said in ((GRADES, True), (GRADES[:2], False)):
        ratings = {name: rng.choice(labels, 120) for name in "ab"}
        (other, twin) = save(
            [write_csv(first.with_name(f"{name}.csv"), **ratings) for name in "xy"]
        )
        said = program.run("merge", other, twin).stderr
        assert (f"{twin} and {other} have the same counts, and both" in said) == is_said


def test_relative_and_absolute_paths_overlap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "days").mkdir()
    file = write_csv(tmp_path / "days/1.csv", **{name: COLUMNS[name][:20] for name in "ab"})
    write_csv(tmp_path / "days/2.csv", **{name: COLUMNS[name][20:40] for name in "ab"})
    monkeypatch.chdir(tmp_path)
    program.text_of("score", "days", *SCORE, "--save", "days.json")
    for folder, source in (("days", "1.csv"), (".", file), ("days", "[1].csv")):
        monkeypatch.chdir(tmp_path / folder)
        program.text_of("score", source, *SCORE, "--save", tmp_path / "day.json")
        monkeypatch.chdir(tmp_path)
        assert "are counted twice" in program.run("merge", "days.json", "day.json").stderr


def test_counts_that_overlap_are_remarked_on(tmp_path: Path) -> None:
    """The counted file has grown since the first day, or its folder is counted too."""

    def saved(name: str, source: Path) -> Path:
        path = tmp_path / f"{name}.json"
        program.text_of("score", source, *SCORE, "--save", path)
        return path

    folder = tmp_path / "days"
    folder.mkdir()
    file = write_csv(folder / "1.csv", **{name: COLUMNS[name][:20] for name in "ab"})
    monday = saved("monday", file)
    write_csv(file, **{name: COLUMNS[name][:40] for name in "ab"})
    tuesday = saved("tuesday", file)
    write_csv(folder / "2.csv", **{name: COLUMNS[name][41:] for name in "ab"})
    both = saved("both", folder)
    for files, sources in (
        ((monday, tuesday), (file, file)),
        ((tuesday, monday), (file, file)),
        ((monday, both), (file, folder)),
        ((both, monday), (file, folder)),
    ):
        told = program.run("merge", *files)
        assert told.exit_code == 0
        found = re.search(
            r"(\S+) has counts of (\S+), and (\S+) has counts of (\S+)\. Any", told.stderr
        )
        assert found is not None, files
        assert {found[1], found[3]} == set(map(str, files))
        assert (found[2], found[4]) == tuple(map(str, sources))
    # Other ratings in a file of the same name are another part, and so is the rest of a stream.
    write_csv(file, **{name: COLUMNS[name][41:] for name in "ab"})
    assert program.run("merge", monday, saved("wednesday", file)).stderr == ""
    for path in (monday, tuesday):
        path.write_text(path.read_text().replace(str(file), "standard input"))
    assert program.run("merge", monday, tuesday).stderr == ""


def test_counts_of_patterns_that_overlap(tmp_path: Path) -> None:
    for i in range(4):
        part = {name: COLUMNS[name][15 * i :][:15] for name in "ab"}
        write_csv(tmp_path / f"part-{i}.csv", **part)
    sources = "part-[0-1].csv", "part-[1-2].csv", "part-[2-3].csv", "part-1.csv", "part-*.csv"
    saved = []
    for i, source in enumerate(sources):
        saved.append(tmp_path / f"{i}.json")
        program.text_of("score", tmp_path / source, *SCORE, "--save", saved[-1])
    left, middle, right, one, all_parts = saved
    for files in ((left, middle), (middle, right), (one, left), (middle, one), (all_parts, right)):
        for pair in (files, files[::-1]):
            told = " ".join(program.run("merge", *pair).stderr.split())
            assert told.count("has counts of") == 2
            assert all(f"{path} has counts of {tmp_path / 'part-'}" in told for path in pair)
            assert "Any rows that both files cover are counted twice:" in told
    for files in ((left, right), (one, right)):
        assert program.run("merge", *files).stderr == ""
    # The pattern ** matches folders at any depth.
    deep = tmp_path / "deep.json"
    pattern = f"{tmp_path.parent}/**/{tmp_path.name}/part-[0-1].csv"
    program.text_of("score", pattern, *SCORE, "--save", deep)
    assert "are counted twice" in " ".join(program.run("merge", deep, middle).stderr.split())
    assert program.run("merge", deep, right).stderr == ""


@pytest.mark.parametrize(
    "text",
    ["", "[]", "3", "{", '{"kappa": 1}', '{"version": 1}', "[" * 100_000, "\x00"],
)
def test_files_that_are_no_counts(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    refused = program.refusal("merge", path)
    assert f"{path} is not a file of counts from `fastkappa score --save`" in refused
    assert "Error" not in refused


def test_damaged_fields(parts: list[Path]) -> None:
    (saved, *_) = save(parts)
    fields = json.loads(saved.read_text())
    origin = fields["origin"]
    for name, values in {
        "source": [None, 1],
        "columns": [None, "ab", ["a"], ["a", 1]],
        "sample_weight": [1, ["w"]],
        "are_sorted": ["yes", None],
        "more": [1],
    }.items():
        for value in values:
            saved.write_text(json.dumps({**fields, "origin": {**origin, name: value}}))
            assert "is not a file of counts" in program.refusal("merge", saved), (name, value)
    for damaged in ({**fields, "n_rows": 1}, {**origin, "counts": None}, {**fields, "origin": []}):
        saved.write_text(json.dumps(damaged))
        assert "is not a file of counts" in program.refusal("merge", saved), damaged
    missing = saved.with_name("missing.json")
    assert f"{missing} cannot be read: No such file" in program.refusal("merge", missing)
    empty = saved.parent / "empty"
    empty.mkdir()
    assert "empty contains no .json files" in program.refusal("merge", empty)
    cannot = program.refusal("score", parts[0], *SCORE, "--save", empty)
    assert f"{empty} cannot be written" in cannot


@pytest.mark.parametrize("weighted", [[], ["--sample-weight", "w"]])
def test_a_part_with_other_codes_is_remarked_on(tmp_path: Path, weighted: list[str]) -> None:
    grades = np.repeat(np.arange(5), 40)
    parts = [
        write_csv(
            tmp_path / f"{i}.csv", a=grades[skip:], b=grades[skip:] + higher, w=5.5 - grades[skip:]
        )
        for i, (skip, higher) in enumerate([(0, 0), (3, 1), (5, 0)])
    ]
    *_, third = saved = save(parts, *weighted)
    said = program.run("merge", *saved).stderr
    assert f"in b, only {saved[1]} has 5, but it lacks 0, which is frequent" in said
    assert program.run("merge", saved[0], third).stderr == ""
