"""Lines at the end of a text file, tables of counts and repeated lines cause warnings."""

from __future__ import annotations

import gzip
import warnings
from pathlib import Path
from typing import Any

import pytest

from fastkappa import Ratings, confusion_from_source

pytest.importorskip("pyarrow")
pytest.importorskip("typer")
from tests.helpers.command_line import CommandLine

FIRST, SECOND = [1, 2, 3, 2] * 6, [1, 2, 2, 2] * 6
LINES = [f"{i},{a},{b}" for i, (a, b) in enumerate(zip(FIRST, SECOND))]
MANY = [f"{part}_{line}" for part in range(900) for line in LINES]
WORDS = [f"{i},w{a},w{b}" for i, (a, b) in enumerate(zip(FIRST, SECOND))]


def _write(folder: Path, *lines: str, names: str = "id,a,b") -> Path:
    path = folder / "ratings.csv"
    path.write_text("\n".join([names, *lines]) + "\n", encoding="utf-8")
    return path


def _count(path: Path, columns: tuple[str, str] = ("a", "b"), **options: Any) -> Any:
    return confusion_from_source(path, *columns, **options)


LAST = {
    "mean": [*LINES, "Mean,2,2"],
    "total": [*LINES, "Total:,2,2"],
    "German": [*LINES, "Mittelwert,2,2", "Summe,3,3"],
    "Japanese": [*LINES, "平均,2,2"],
    "note": [*WORDS, "Note: w1 is mild,w1,w1"],
    "legend": [*WORDS, "Legend:,w1 = mild,w2 = severe"],
    "date": [*WORDS, "Exported 2024-05-01,w1,w1"],
    "statistics": [*LINES, "n,24,24", "Minimum,1,1", "max,3,2"],
    "agreement": [*WORDS, "% agreement,75%,75%"],
    "many lines": [*MANY, "Average,2,2"],
}


@pytest.mark.parametrize("lines", LAST.values(), ids=LAST)
def test_last_lines_of_a_sheet(lines: list[str], tmp_path: Path) -> None:
    path = _write(tmp_path, *lines)
    with pytest.warns(
        UserWarning, match="one of the last lines of .*ratings.csv looks .* remove the line"
    ):
        _count(path)
    for command in (("score", "--y1", "a", "--y2", "b"), ("agree", "--raters", "a", "b")):
        run = CommandLine(command[0]).run(path, *command[1:])
        assert "one of the last lines" in run.stderr


@pytest.mark.parametrize(
    "lines",
    [
        LINES,
        # Here the word is a label, or part of an item's name.
        [f"{i},total,{'total' if i % 2 else 'part'}" for i in range(20)],
        [*WORDS, "notes_17.txt,w1,w1"],
        ["01,1,1", "1,2,2", "001,2,1"],
    ],
    ids=["numbers", "a label", "an item", "items"],
)
def test_ordinary_lines_are_silent(lines: list[str], tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert _count(_write(tmp_path, *lines)).table.sum() == len(lines)


COUNTED = ["y,y,20", "y,n,3", "n,y,4", "n,n,30"]


def test_a_table_of_counts(tmp_path: Path) -> None:
    path = _write(tmp_path, *COUNTED, names="a,b,n")
    with pytest.warns(UserWarning, match="same values of 'a' and 'b', .*sample_weight='n'"):
        assert _count(path).table.sum() == 4
    run = CommandLine("score").run(path, "--y1", "a", "--y2", "b")
    assert "per line, use --sample-weight 'n'." in run.stderr
    grid = [f"{a},{b},{1 + i}" for i, a in enumerate("xyz") for b in "xyz"]
    with pytest.warns(UserWarning, match="each pair of labels .* occurs once") as caught:
        _count(_write(tmp_path, *grid, names="a,b,freq"))
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (
            _count(_write(tmp_path, *COUNTED, names="a,b,n"), sample_weight="n").table.sum() == 57
        )
        # The counts are read.
        grid_path = _write(tmp_path, *grid, names="a,b,freq")
        assert _count(grid_path, sample_weight="freq").table.sum() == 18
        # Numbered rows, and a pair that occurs twice.
        numbered = [f"{line[:3]},{i}" for i, line in enumerate(COUNTED, 1)]
        _count(_write(tmp_path, *numbered, names="a,b,n"))
        _count(_write(tmp_path, *COUNTED, "y,y,1", names="a,b,n"))


def test_a_table_of_counts_with_more_columns(tmp_path: Path) -> None:
    rows = [f"{i},{line},0.1" for i, line in enumerate(COUNTED, 1)]
    with pytest.warns(UserWarning, match="same values of 'a' and 'b', .*sample_weight='Freq'"):
        _count(_write(tmp_path, *rows, names=",a,b,Freq,share"))
    # A cell that is empty at the second site has no line.
    rows = [f"{site},{line},0.1" for site in ("north", "south") for line in COUNTED][:-1]
    path = _write(tmp_path, *rows, names="SITE,a,b,COUNT,PERCENT")
    with pytest.warns(UserWarning, match="of 'a', 'b' and 'SITE', .*sample_weight='COUNT'"):
        _count(path)
    run = CommandLine("agree").run(path, "--raters", "a", "b")
    assert "per line, use --sample-weight 'COUNT'." in run.stderr
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Items of 30 patients, with the number of slides of each.
        items = [f"p{i},{'xy'[i % 2]},{'xy'[i % 3 % 2]},{i % 7}" for i in range(30)]
        _count(_write(tmp_path, *items, names="patient,a,b,n"))


CODES = ["250.1", "250.10", "250.2", "250.20"]


def test_codes_that_are_equal_as_numbers(tmp_path: Path) -> None:
    lines = [f"{i},{CODES[i % 4]},{CODES[i % 4 ^ (i % 3 == 0)]}" for i in range(48)]
    path = _write(tmp_path, *lines)
    # 16 of 48 items have the other code of the pair.
    counts = _count(path, labels=CODES)
    assert (counts.table.trace(), counts.n_outside) == (32, 0)
    run = CommandLine("agree").run(path, "--raters", "a", "b", "--labels", ",".join(CODES))
    assert "observed agreement 0.6667" in " ".join(run.stdout.split())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path = _write(tmp_path, *(f"{i},{1 + i % 4 / 2},{1 + i % 3}" for i in range(24)))
        _count(path, labels=[1, 1.5, 2, 2.5, 3])


def test_lines_that_repeat_others(tmp_path: Path) -> None:
    joined = [*WORDS, WORDS[3], WORDS[3], WORDS[7]]
    for lines, n in ((WORDS * 2, len(WORDS)), (joined, 3)):
        with pytest.warns(UserWarning, match=f"^{n} rows of .* with the 'id' of another row"):
            _count(_write(tmp_path, *lines))
    run = CommandLine("agree").run(_write(tmp_path, *joined), "--raters", "a", "b")
    assert "3 rows of" in run.stderr


def test_two_tables_side_by_side(tmp_path: Path) -> None:
    ids = [f"s{i}" for i in range(len(FIRST))]
    rows = list(zip(ids, FIRST, [*ids[:9], *ids[10:], "s99"], SECOND))
    path = _write(tmp_path, *(",".join(map(str, row)) for row in rows), names="id,a,id_2,b")
    with pytest.warns(UserWarning, match="but 14 of 23 are in different rows: .* join them"):
        _count(path)
    places = [*range(1, len(FIRST) + 1)]
    rows = list(zip(places, FIRST, places[::-1], SECOND))
    lines = [",".join(map(str, row)) for row in rows]
    with pytest.warns(UserWarning, match="'item_a' and 'item_b' .* join them"):
        _count(_write(tmp_path, *lines, names="item_a,a,item_b,b"))
    # Each rater saw the items in another order.
    for names in ("order_a,a,order_b,b", "item_a,a,order,b"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            _count(_write(tmp_path, *lines, names=names))
    for own, other in ((ids, ids), (places, places[::-1]), (ids, [f"t{i}" for i in places])):
        rows = list(zip(own, FIRST, other, SECOND))
        path = _write(tmp_path, *(",".join(map(str, row)) for row in rows), names="id,a,id_2,b")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            _count(path)


def test_labels_outside_the_given_ones_are_judged(tmp_path: Path) -> None:
    path = _write(tmp_path, *(line.replace("w3", "W2") for line in WORDS))
    with pytest.warns(UserWarning, match="'W2' .6 times., 'w2'"):
        assert _count(path, labels=["w1", "w2"]).n_outside == 6


def test_a_later_export_with_corrections(tmp_path: Path) -> None:
    interim, final = ([f"{i},{'xyz'[i % n]},{'xyz'[i % 4 % 3]}" for i in range(20)] for n in (2, 3))
    path = _write(tmp_path, *interim[:15], *final)
    with pytest.warns(UserWarning, match="^15 rows of .* with the 'id' of another row"):
        _count(path)
    for command in ("score --y1 a --y2 b", "agree --raters a b"):
        name, *options = command.split()
        assert "15 rows of" in CommandLine(name).run(path, *options).stderr
    # A column tells the parts apart.
    visits = [f"{line},{visit}" for visit in (1, 2) for line in (interim, final)[visit - 1]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _count(_write(tmp_path, *visits, names="id,a,b,visit"))
        long = [
            f"{i},title {i},{rater},x{i * n % 3}" for n, rater in enumerate("pq") for i in range(20)
        ]
        path = _write(tmp_path, *long, names="id,title,rater,rating")
        Ratings.from_long(path, item="id", rater="rater", rating="rating")


SILENT = {
    "several lesions per patient": [
        *(f"{i // 2},x{i % 3},x{i % 4 % 3}" for i in range(48)),
        *("0,x0,x0", "0,x0,x0"),
    ],
    "wards": [f"ward {i % 12},{rating},y" for i in range(48) for rating in "xy"],
    "a matrix of two items": ["pos,1,2", "neg,2,2"],
}


@pytest.mark.parametrize("lines", SILENT.values(), ids=SILENT)
def test_lines_that_are_items_are_silent(lines: list[str], tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _count(_write(tmp_path, *lines))
        _count(_write(tmp_path, *["x,x", "y,y", "x,y"] * 9, names="a,b"))


def test_compressed_files_are_looked_at_from_the_front(tmp_path: Path) -> None:
    for lines, is_warned in ((LINES, True), (MANY, False)):
        path = tmp_path / f"{len(lines)}.csv.gz"
        with gzip.open(path, "wt") as file:
            file.write("\n".join(["id,a,b", *lines, "Mean,2,2"]) + "\n")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            _count(path)
        assert bool(caught) == is_warned


def test_ratings_as_column_names(tmp_path: Path) -> None:
    lines = [f"s{i},{'xyz'[i % 3]}{'xyz'[i % 3]},{'xyz'[i % 4 % 3] * 2}" for i in range(30)]
    path = _write(tmp_path, *lines, names="s30,zz,xx")
    with pytest.warns(UserWarning, match="columns called 'zz', 'xx', which are also labels"):
        confusion_from_source(path, "zz", "xx")
    for command in ("score --y1 zz --y2 xx", "agree --raters zz xx"):
        name, *options = command.split()
        assert "use --no-header" in " ".join(CommandLine(name).run(path, *options).stderr.split())
    # A second row of names has its own error.
    with pytest.raises(ValueError, match="row contains the names of the columns"):
        confusion_from_source(
            _write(tmp_path, *lines[:9], "id,aa,bb", *lines[9:], names="id,aa,bb"), "aa", "bb"
        )
    # The names of raters can also be letters or numbers.
    lines = [f"{i},{'ABC'[i % 3]},{'ABC'[i % 4 % 3]}" for i in range(30)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        confusion_from_source(_write(tmp_path, *lines, names="id,A,B"), "A", "B")


def test_answers_that_were_not_submitted(tmp_path: Path) -> None:
    for n, state in ((20, "discarded"), (60, "submitted")):
        states = [state if i < n else "submitted" for i in range(60)]
        rows = [f"{i},{'xyz'[i % 3]},{'xyz'[i % 4 % 3]},{one}" for i, one in enumerate(states)]
        path = _write(tmp_path, *rows, names="id,a,b,status")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            _count(path)
        said = [str(one.message) for one in caught]
        assert said == [
            "column 'status' contains 'discarded' in 20 rows. If these ratings were"
            " not submitted, leave them out."
        ] * (n == 20)
