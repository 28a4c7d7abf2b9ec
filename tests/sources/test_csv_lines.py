"""Lines counted by their texts, compared with Python's csv module."""

from __future__ import annotations

import csv
import io
from collections import Counter
from typing import Any

import numpy as np
import pytest

from fastkappa.kernels.contract import Lines
from fastkappa.kernels.dispatch import csv_line_kernels, get_kernels
from fastkappa.sources.text.csv_lines import LONGEST_TEXT, MOST_TEXTS, LineCounter

count_lines = csv_line_kernels(get_kernels()).count_lines
needs_kernel = pytest.mark.skipif(count_lines is None, reason="there is no compiled kernel")
TEXTS = {
    "digits": [str(i) for i in range(10)],
    "numbers": ["-1", "0", "007", "12345678", "123456789", "-12345678901234567"],
    "words": ["", "no", "moderate", "moderate ", "proliferative", "na\xefve", "x" * LONGEST_TEXT],
    "many": [f"label {i}" for i in range(MOST_TEXTS)],
    "words of eight bytes": ["abcdefgh", "abcdefgi", "Abcdefgh"],
}


def _count(text: bytes, lines: Lines, parts: int = 1) -> Counter[tuple[bytes, bytes]] | None:
    assert count_lines is not None
    counter = LineCounter(count_lines, lines)
    whole = text.splitlines(keepends=True)
    for some in np.array_split(np.arange(len(whole)), parts):
        if not counter.add(b"??" + b"".join(whole[i] for i in some), 2):
            return None
    first, second = counter.texts
    assert counter.counts.shape == (len(first), len(second))
    return Counter(
        {(a, b): int(counter.counts[i, j]) for a, i in first.items() for b, j in second.items()}
    )


@needs_kernel
@pytest.mark.parametrize("kind", TEXTS)
def test_each_pair_of_texts_is_counted(kind: str) -> None:
    rng = np.random.default_rng(0)
    texts = [text.encode() for text in TEXTS[kind]]
    for n in (0, 1, 2, 63, 64, 65, 3000):
        first, second = ([texts[i] for i in rng.integers(0, len(texts), n)] for _ in range(2))
        expected = Counter(zip(first, second))
        for order in ([0, 1], [1, 0], [2, 1, 3, 0], [0, 2, 1]):
            for end in (b"\n", b"\r\n"):
                rows = [(a, b, b"free text", b"") for a, b in zip(first, second)]
                text = end.join(b";".join(row[i] for i in order) for row in rows)
                lines = Lines(ord(";"), len(order), order.index(0), order.index(1))
                for whole in (text, text + end) if n else (b"",):
                    assert _count(whole, lines) == expected
                    assert _count(whole, lines, 3) == expected


@needs_kernel
def test_lines_are_counted_as_the_csv_module_reads_them_or_not_at_all() -> None:
    rng = np.random.default_rng(1)
    n_counted = 0
    for trial in range(6000):
        kind = ["digits", "words"][trial % 2]
        rows = [[TEXTS[kind][i] for i in rng.integers(0, 6, 3)] for _ in range(rng.integers(1, 9))]
        text = bytearray("".join(",".join(row) + "\n" for row in rows).encode())
        for _ in range(int(rng.integers(0, 3))):
            text[int(rng.integers(len(text)))] = b',\n\r"\0-+ 07.aN'[int(rng.integers(13))]
        found = _count(bytes(text), Lines(ord(","), 3, 2, 0))
        if found is None:
            continue
        n_counted += 1
        read = list(csv.reader(io.StringIO(text.decode("latin-1"), newline="")))
        assert all(len(row) == 3 for row in read)
        assert found == Counter((c.encode("latin-1"), a.encode("latin-1")) for a, _, c in read)
    assert n_counted > 2000


@needs_kernel
@pytest.mark.parametrize(
    "text",
    [
        b"a,1\n\n",
        b"a,1\nb\n",
        b"a,1\nb,2,3\n",
        b'a,1\n"b",2\n',
        b"a,1\nb\0,2\n",
        b"a,1\rb,2\r",
        b"a,1\nb,2\r\r\n",
        b"a,1\n" + b"x" * (LONGEST_TEXT + 1) + b",2\n",
        b"".join(b"%d,1\n" % i for i in range(MOST_TEXTS + 1)),
        b"".join(b"1,%d\n" % i for i in range(MOST_TEXTS + 1)),
    ],
)
def test_what_is_unusual_is_left_to_others(text: bytes) -> None:
    assert _count(text, Lines(ord(","), 2, 0, 1)) is None


@needs_kernel
def test_a_table_without_room_is_refused() -> None:
    assert count_lines is not None
    words: Any = np.zeros((1, 1), np.uint64)
    text, lines = np.frombuffer(b"a,1\n", np.uint8), Lines(44, 2, 0, 1)
    for shape in ((0, 0), (1, 2), (2, 1)):
        with pytest.raises(ValueError, match="a row and a column for each text"):
            count_lines(words, words, text, lines, np.zeros(shape, np.int64))
    for wrong in ((44, 0, 0, 0), (44, 2, 0, 2), (44, 2, -1, 1), (0, 2, 0, 1)):
        with pytest.raises(ValueError, match="both fields must be within"):
            count_lines(words, words, text, Lines(*wrong), np.zeros((1, 1), np.int64))
    for wide in (np.zeros((1, 0), np.uint64), np.zeros((1, 17), np.uint64)):
        with pytest.raises(ValueError, match="a text must have 1 to 16 words"):
            count_lines(words, wide, text, lines, np.zeros((1, 1), np.int64))
    with pytest.raises(ValueError, match="at most 512 texts"):
        count_lines(np.zeros((513, 1), np.uint64), words, text, lines, np.zeros((513, 1), np.int64))


def test_other_backends_have_no_kernel() -> None:
    assert csv_line_kernels(get_kernels("numpy")).count_lines is None
