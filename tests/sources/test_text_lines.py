"""Counting a text file line by line gives the tables, errors and warnings of pyarrow."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fastkappa import confusion_from_source
from fastkappa.kernels.dispatch import csv_line_kernels, get_kernels
from fastkappa.sources.text import csv_lines
from fastkappa.sources.text.text_table import TextTable
from tests.helpers.quick import n_examples

pytest.importorskip("pyarrow")

HAS_KERNEL = csv_line_kernels(get_kernels()).count_lines is not None

fields = st.one_of(
    st.sampled_from(["0", "1", "2"]),
    st.sampled_from(["0", "1", "2", "-3", "01", "+1", " 1", "1 ", "1.0", "2.5", "1e1", "1e400"]),
    st.sampled_from(["yes", "no", "moderate", "proliferative", "true", "FALSE", "no ", "YES"]),
    st.sampled_from(["", "NA", "null", "nan", "#N/A", " NA", "-", "9223372036854775808"]),
    st.sampled_from(["2020-01-01", "2020-01-01 10:00:00", "10:00", "\xe9t\xe9", "x" * 129]),
    st.text(max_size=3),
)
ends = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", "\n\n"])


@st.composite
def contents(draw: Any) -> bytes:
    """Return a file with two columns that are read, and others that can contain any mistake."""
    alike = draw(st.lists(fields, min_size=1, max_size=4))
    likely = st.one_of(st.sampled_from(alike), st.sampled_from(alike), fields)
    end, delimiter = draw(ends), draw(st.sampled_from([",", ",", ";"]))
    names = draw(st.permutations(["a", "b", *draw(st.sampled_from([[], ["c"], ["c", ""]]))]))
    if draw(st.booleans()):
        names = [f'"{name}"' for name in names]
    rows = draw(st.lists(st.lists(likely, min_size=len(names), max_size=len(names)), max_size=12))
    if draw(st.integers(0, 9)) == 0:
        rows.append(draw(st.lists(fields, max_size=4)))
    text = end.join(delimiter.join(row) for row in [names, *rows])
    text = draw(st.sampled_from(["", "", "", "\ufeff", "\n"])) + text
    text += draw(st.sampled_from([end, end, "", "\n\n", "\x00"]))
    return text.encode(draw(st.sampled_from(["utf-8", "utf-8", "latin-1"])), errors="replace")


def _outcome(path: Path, options: dict[str, Any]) -> Any:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            counts = confusion_from_source(path, "a", **options)
        except (ValueError, OverflowError) as error:
            return type(error), str(error)
    said = [(warning.category, str(warning.message)) for warning in caught]
    by_group = counts if isinstance(counts, dict) else {"": counts}
    found = {
        group: (table.tolist(), labels.dtype, labels.tolist(), others)
        for group, (table, labels, *others) in by_group.items()
    }
    return found, said


cases = st.tuples(
    contents(),
    st.sampled_from([None, None, [0, 1], ["yes", "no"]]),
    st.sampled_from([(), (), ["NA", "no"], [-3], ["x"]]),
    st.sampled_from([20, 1 << 20]),
    st.sampled_from([{}, {}, {}, *({name: "c"} for name in ("y2", "sample_weight", "group"))]),
    st.sampled_from([{}, {}, {}, *({name: "a"} for name in ("y2", "sample_weight", "group"))]),
)


def check_both_ways(
    content: bytes, labels: Any, codes: Any, block_size: int, one: Any, other: Any
) -> None:
    options = {"y2": "b", "labels": labels, "missing_codes": codes, "num_threads": 1}
    options |= one | other
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        path = Path(folder, "ratings.csv" if b";" not in content else "ratings.txt")
        path.write_bytes(content)
        with mock.patch.object(csv_lines, "BLOCK_SIZE", block_size):
            found = _outcome(path, options)
            with mock.patch.object(TextTable, "add_lines", return_value=False):
                expected = _outcome(path, options)
    assert found == expected


@pytest.mark.slow
@settings(max_examples=n_examples(2000), deadline=None)
@given(cases)
@example((b"a,b\n1,2\nNA,1\n", None, (), 1 << 20, {}, {}))
@example((b"a,b,c,\r0,0,0,\x80\n\n", None, (), 1 << 20, {}, {}))
@example((b"a,b\n", None, (), 1 << 20, {}, {}))
@example((b"a,b\n,\nNA,null\n", None, (), 1 << 20, {}, {}))
@example((b"b,a\n2.5,1\n1,3.5\n", None, (), 1 << 20, {}, {}))
@example((b"a,b\n1,2\nx,1\n2,1\n", None, (), 1 << 20, {}, {}))
def test_both_ways_agree(case: Any) -> None:
    check_both_ways(*case)


@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.filterwarnings("ignore:.* seem to number the labels in opposite directions")
@pytest.mark.parametrize("text", ["1,2\n2,1\n", "no,moderate\nproliferative,no\n", "1.0,2\nNA,1\n"])
def test_usual_files_are_counted_by_their_lines(
    tmp_path: Path, text: str, num_threads: int
) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("a,b\n" + text * 200_000)
    with mock.patch.object(TextTable, "add", side_effect=AssertionError) as add:
        if HAS_KERNEL:
            counts = confusion_from_source(path, "a", "b", num_threads=num_threads)
            assert not add.called
            assert counts.n_rows == 400_000


def test_files_of_a_folder_agree_on_what_their_texts_mean(tmp_path: Path) -> None:
    for i, text in enumerate(["1,01\n", "NA,2\n", '"1",2.0\n']):
        (tmp_path / f"{i}.csv").write_text("a,b\n" + text)
        found = _outcome(tmp_path, {"y2": "b"})
        with mock.patch.object(TextTable, "add_lines", return_value=False):
            assert found == _outcome(tmp_path, {"y2": "b"})
        assert found[0][""][3][1] == i + 1


def test_more_labels_than_ratings_have_are_named_as_ever(tmp_path: Path) -> None:
    for i in range(11):
        rows = "".join(f"{200 * i + j},0\n" for j in range(200))
        (tmp_path / f"{i:02}.csv").write_text("a,b\n" + rows)
    found = _outcome(tmp_path, {"y2": "b"})
    with mock.patch.object(TextTable, "add_lines", return_value=False):
        assert found == _outcome(tmp_path, {"y2": "b"})
    assert "different" in found[1]
