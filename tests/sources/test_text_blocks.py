"""Text files that threads read in blocks have the table of their rows, wherever they are split."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from fastkappa import confusion_from_source
from fastkappa.sources.text import csv_lines

pytest.importorskip("pyarrow")

NUMBERS = [str(i) for i in range(-3, 12)]
WORDS = ["no", "mild", "severe grade", "none of these"]


def _text(ratings: list[str], *, n: int = 300, note: str = "x", quoted_names: bool = False) -> str:
    random = np.random.default_rng(n)
    names = '"left","note","right"' if quoted_names else "left,note,right"
    pairs = random.choice(np.array(ratings, object), (n, 2))
    return "\n".join([names, *(f"{a},{note},{b}" for a, b in pairs)])


TEXTS = {
    "numbers": _text(NUMBERS) + "\n",
    "no line break at the end": _text(NUMBERS),
    "names in quotes": _text(NUMBERS, quoted_names=True),
    "strings": _text(WORDS),
    "zeros before numbers": _text(["01", "1", "2"]),
    "a float at the end": _text(NUMBERS) + "\n2.0,x,3.0\n",
    "lines of one block's length": _text(NUMBERS, note="y" * 150),
    "a quote at the end": _text(WORDS) + '\nno,"two\nlines",no\n',
    "windows": _text(NUMBERS).replace("\n", "\r\n"),
    "empty lines": _text(NUMBERS).replace("\n", "\n\n\n"),
}


@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize("block_size", [61, 1 << 20])
@pytest.mark.parametrize("name", TEXTS)
def test_blocks_have_every_row_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, block_size: int, num_threads: int
) -> None:
    monkeypatch.setattr(csv_lines, "BLOCK_SIZE", block_size)
    path = tmp_path / "ratings.csv"
    path.write_bytes(TEXTS[name].encode())
    counts = confusion_from_source(path, "left", "right", num_threads=num_threads)
    rows = [row for row in csv.reader(io.StringIO(TEXTS[name], newline="")) if row][1:]
    are_numbers = counts.labels.dtype.kind == "i"
    expected = Counter(
        (int(float(row[0])), int(float(row[2]))) if are_numbers else (row[0], row[2])
        for row in rows
    )
    assert counts.n_rows == len(rows)
    found = {
        (a, b): int(n)
        for a, cells in zip(counts.labels.tolist(), counts.table)
        for b, n in zip(counts.labels.tolist(), cells)
        if n
    }
    assert found == expected


def test_a_block_of_tabs_is_rows_of_missing_ratings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_lines, "BLOCK_SIZE", 16)
    path = tmp_path / "ratings.tsv"
    path.write_text("left\tright\n" + "1\t2\n" * 20 + "\t\n" * 40)
    counts = confusion_from_source(path, "left", "right")
    assert (counts.n_rows, counts.n_dropped) == (60, 40)


def test_a_line_longer_than_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_lines, "LONGEST_LINE", 20)
    monkeypatch.setattr(csv_lines, "BLOCK_SIZE", 64)
    path = tmp_path / "ratings.csv"
    path.write_text(_text(NUMBERS, note="z" * 100))
    assert confusion_from_source(path, "left", "right").n_rows == 300


def test_a_wrong_row_is_named_as_ever(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(_text(NUMBERS, n=20_000) + "\n1,2\n")
    with pytest.raises(ValueError, match="line 20002: Expected 3 columns, got 2"):
        confusion_from_source(path, "left", "right")
