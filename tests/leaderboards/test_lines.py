"""Lines of text read into the order of the items, against the csv module of Python."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import pytest

from fastkappa.kernels.contract import Lines
from fastkappa.kernels.dispatch import get_kernels, word_kernels
from fastkappa.leaderboards.items.alignment import ItemIds
from fastkappa.leaderboards.lines import LineReader

HAS_KERNEL = word_kernels(get_kernels()).place_numbers is not None
IDS: dict[str, Any] = {
    "strings": lambda n: [f"img{i * 37 % 1009:0{1 + i % 11}d}" for i in range(n)],
    "long strings": lambda n: [f"{'x' * (i % 3 * 40)}{i}" for i in range(n)],
    "beyond ASCII": lambda n: [f"\xe9t\xe9 {i}" for i in range(n)],
    "numbers": lambda n: list(range(-3, n - 3)),
    "numbers far apart": lambda n: [(-1) ** i * i * 10**14 for i in range(n)],
}


def _text(rows: Any, order: Any, end: str = "\n") -> str:
    names = ["image", "grade", "note"]
    chosen = [[names[i] for i in order], *([row[i] for i in order] for row in rows)]
    return end.join(",".join(map(str, row)) for row in chosen)


def _read(ids: Any, text: str | bytes) -> list[int] | None:
    given = text if isinstance(text, bytes) else text.encode()
    found = LineReader(ItemIds(ids, "ids"), ["", "NA"]).read(given, ",", "image", "grade")
    if found is None:
        return None
    assert found[0].is_complete()
    assert found[0].items is found[0].others is None
    return found[1].tolist()


@pytest.mark.parametrize("kind", IDS)
def test_each_item_has_the_number_of_its_line(kind: str) -> None:
    rng = np.random.default_rng(0)
    for n in (1, 7, 64, 65, 300):
        ids = IDS[kind](n)
        numbers = rng.integers(-(10**9), 10**18, n) // 10 ** rng.integers(0, 19, n)
        rows = list(zip(ids, numbers.tolist(), ["", "b", "caf\xe9"] * n))
        rng.shuffle(rows)
        for order in ([0, 1], [1, 0], [2, 0, 1], [1, 2, 0], [0, 1, 2]):
            for end in ("\n", "\r\n"):
                text = _text(rows, order, end)
                for whole in (text, text + end, "\ufeff" + text):
                    assert _read(ids, whole) == (numbers.tolist() if HAS_KERNEL else None)


def test_a_text_is_read_as_the_csv_module_reads_it_or_not_at_all() -> None:
    rng = np.random.default_rng(1)
    n_read = 0
    for kind in ("strings", "numbers"):
        for _ in range(3000):
            n = int(rng.integers(1, 9))
            ids = IDS[kind](n)
            rows = list(zip(ids, rng.integers(0, 12, n).tolist(), "abcdefghi"))
            rng.shuffle(rows)
            text = bytearray(_text(rows, rng.permutation(3)[: 2 + n % 2], "\n").encode() + b"\n")
            for _ in range(int(rng.integers(0, 3))):
                byte = b',\n\r"\0-+ 07.aN'[int(rng.integers(13))]
                text[int(rng.integers(len(text)))] = byte
            found = _read(ids, bytes(text))
            if found is None:
                continue
            n_read += 1
            head, *lines = csv.reader(io.StringIO(text.decode(), newline=""))
            at_id, at_number = head.index("image"), head.index("grade")
            assert all(len(line) == len(head) for line in lines)
            expected = [(type(ids[0])(line[at_id]), int(line[at_number])) for line in lines]
            assert sorted(expected) == sorted(zip(ids, found))
    assert (n_read > 1000) is HAS_KERNEL


@pytest.mark.parametrize(
    "text",
    [
        "",
        "image,grade",
        "image,grade\n",
        "image,grade\na,1\n",
        "image,grade\na,1\nb,2\nb,2\n",
        "image,grade\na,1\nb,2\nc,3\n",
        "image,grade\na,1\nb,2\n\n",
        "\nimage,grade\na,1\nb,2\n",
        "image,grade\na,1\nb\n",
        "image,grade\na,1\nb,2,3\n",
        "image,grade\na,1\nb,\n",
        "image,grade\na,1\nb,-\n",
        "image,grade\na,1\nb,+2\n",
        "image,grade\na,1\nb,2.0\n",
        "image,grade\na,1\nb, 2\n",
        "image,grade\na,1\nb,1234567890123456789\n",
        "image,grade\ra,1\rb,2\r",
        "image,grade\na,1\r\r\nb,2\n",
        'image,grade\na,1\n"b",2\n',
        "image,grade\na,1\nb\0,2\n",
        "image,grade,grade\na,1,1\nb,2,2\n",
        "Image,grade\na,1\nb,2\n",
        b"image,grade,\xe9\na,1,\nb,2,\n",
    ],
)
def test_what_is_unusual_is_left_to_others(text: Any) -> None:
    assert _read(["a", "b"], text) is None


def test_ids_that_are_none_in_a_file_or_have_no_words() -> None:
    for ids in (["a", "NA"], ["a", ""], ["a", "b\0"], ["a", "x" * 200], [1, "2"]):
        text = "image,grade\n" + "".join(f"{one},1\n" for one in ids)
        assert _read(ids, text) is None


def test_a_table_without_room_is_refused() -> None:
    if not HAS_KERNEL:
        assert word_kernels(get_kernels("numpy")).place_numbers is None
        return
    words = ItemIds(["a", "b"], "ids").words()
    place_numbers = word_kernels(get_kernels()).place_numbers
    assert words is not None
    assert place_numbers is not None
    text = np.frombuffer(b"a,1\nb,2\n", np.uint8)
    with pytest.raises(ValueError, match="a number each"):
        place_numbers(words[0], text, Lines(44, 2, 0, 1), False, np.empty(1, np.int64))
    for wrong in ((44, 0, 0, 0), (44, 2, 0, 2), (44, 2, -1, 1), (0, 2, 0, 1)):
        with pytest.raises(ValueError, match="both fields must be among"):
            place_numbers(words[0], text, Lines(*wrong), False, np.empty(2, np.int64))
